"""What the files on disk hold of the robot, for the ghost of the saved state: spheres, and where the links stand."""

from __future__ import annotations

import numpy as np

from editor_app.gui.session import Session
from editor_app.gui.viewport.vtk_tools import Array
from editor_app.kinematics.forward import forward
from editor_app.kinematics.tree import KinematicTree, complete_pose, default_positions, tree_of
from editor_app.model.pose import Pose
from editor_app.model.robot import RobotDescription


class SavedLook:
    """Follows the session when it is asked; what it made last is kept."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._made: tuple[KinematicTree, Array, Array] | None = None

    @property
    def robot(self) -> RobotDescription | None:
        """None while no XRDF was read or saved."""
        document = self._session.document
        return document.saved_robot if document is not None else None

    def transforms(self) -> Array | None:
        """(frames of the present tree, 4, 4) at the present pose, in the structure that was saved.

        The same object as long as tree and pose are; None where the structure is the same. A robot that is shown
        calibrated stands elsewhere than in any file: then None, too.
        """
        session, robot = self._session, self.robot
        now = session.tree
        if robot is None or now is None or session.calibration:
            return None
        saved = tree_of(robot)
        if saved is now:
            return None
        made, present = self._made, session.transforms
        if made is None or made[0] is not saved or made[1] is not present:
            made = self._made = (saved, present, self._placed(robot, saved, now))
        return made[2]

    def _placed(self, robot: RobotDescription, saved: KinematicTree, now: KinematicTree) -> Array:
        defaults = default_positions(saved, robot.xrdf)
        posed = {name: value for name, value in self._session.pose.items() if name in defaults}
        poses = forward(saved, complete_pose(saved, Pose({**defaults, **posed})))
        placed = np.array(self._session.transforms)
        for row, frame in enumerate(now.frames):
            if frame in saved.index:
                placed[row] = poses[saved.index[frame]]
        return placed
