"""What verbs about motion are asked about: an open document, or its robot alone, which can be sent to a worker."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Real
from pathlib import Path

from editor_app.edit.document import Document
from editor_app.model.robot import RobotDescription
from editor_app.model.trajectory import Trajectory
from editor_app.operations.work import Refused

Described = Document | RobotDescription
#: One pose: joint -> rad or m (a dict, a Pose, a PastedPose), or a trajectory of one point.
PoseLike = Mapping[str, float] | Trajectory


def pose_of(given: PoseLike) -> Mapping[str, float]:
    """Joint -> rad or m. Raises Refused for more than one point, and for what is no pose."""
    if isinstance(given, Trajectory):
        if len(given) != 1:
            raise Refused(f"one pose belongs here, not a trajectory of {len(given)} points: choose one by .pose(index)")
        return given.pose(0)
    if not isinstance(given, Mapping):
        raise Refused(f"a pose is a mapping of joints to numbers, or a trajectory of one point, not {given!r}")
    for joint, position in given.items():
        # numpy's numbers are registered as real ones.
        if isinstance(position, bool) or not isinstance(position, Real) or not math.isfinite(position):
            raise Refused(f"the position of the joint {joint!r} has to be a finite number, not {position!r}")
    return given


def trajectory_of(given: PoseLike) -> Trajectory:
    """A trajectory as it is, a pose as one of a single point. Raises Refused."""
    if isinstance(given, Trajectory):
        return given
    return Trajectory.of_pose(pose_of(given))


def description_of(robot: Described) -> RobotDescription:
    """The robot as it is now."""
    return robot if isinstance(robot, RobotDescription) else robot.robot


def mesh_places(
    robot: Described, urdf_path: Path | None, mappings: Mapping[str, Path] | None
) -> tuple[Path | None, dict[str, Path]]:
    """The URDF's path and the folders of packages, by which meshes are found; a document knows both itself."""
    if isinstance(robot, RobotDescription):
        return urdf_path, dict(mappings or {})
    return urdf_path or robot.urdf_path, {**robot.packages, **(mappings or {})}
