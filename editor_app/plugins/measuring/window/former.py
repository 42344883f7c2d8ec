"""The state before a change beside the present one: during the change, or until the next one where
that is wanted.

Or the state that was saved, as long as that is wanted.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QObject

from editor_app.core.arrays import F64
from editor_app.core.model.pose import Pose
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.xrdf import CollisionSphere, Xrdf
from editor_app.core.space.kinematics.forward import compute_forward
from editor_app.core.space.kinematics.tree import (
    KinematicTree,
    complete_pose,
    get_default_positions,
    get_tree,
)
from editor_app.window.session import Session
from editor_app.window.timers import Wait, after
from editor_app.window.viewport.layers.overlay import GhostLayer
from editor_app.window.viewport.scene import ViewScene
from editor_app.window.viewport.sphere_table import buffer_of

#: What moves by less than this has not moved (metres, and sines of angles).
_STILL = 1e-7

#: The frame of a sphere, and the sphere.
_Spheres = tuple[tuple[str, CollisionSphere], ...]


class FormerState(QObject):
    """Keeps the ghost in step with the session. What is compared is chosen once, when a change
    begins."""

    def __init__(
        self, session: Session, scene: ViewScene, is_held: Callable[[], bool], parent: QObject
    ) -> None:
        """`is_held`: whether a button is down, so that the change goes on however long the hand
        rests."""
        super().__init__(parent)
        self._session, self._scene, self._is_held = session, scene, is_held
        self._layer: GhostLayer = scene.ghost
        self._spheres: _Spheres = ()
        self._compared: tuple[Xrdf, str | None] | None = None
        #: (frames, 4, 4) before the joints moved; None when nothing is to be compared.
        self._transforms: F64 | None = None
        self._is_posing = self._by_hand = False
        #: The structure that was saved, the pose that it was placed at, and its frames then.
        self._placed: tuple[KinematicTree, F64, F64] | None = None
        #: What the links that are drawn were drawn from.
        self._drawn_from: F64 | None = None
        self._pause = after(self, self._rested, Wait.GHOST)
        session.document_opened.connect(lambda _: self._forget())
        session.tree_changed.connect(lambda _: self._forget())
        session.robot_changed.connect(self._on_robot)
        session.step_ended.connect(self._refresh)
        session.joints_moving.connect(self._on_joints)
        session.pose_changed.connect(self._on_pose)
        session.visibility_changed.connect(self._refresh)
        session.display_changed.connect(self._refresh)
        session.active_group_changed.connect(self._refresh)
        session.history_changed.connect(self._on_history)

    def end(self) -> None:
        """A drag in the view is over, or was called off."""
        self._pause.stop()
        if self._is_posing:
            self._is_posing = False
            self._refresh()

    def stop(self) -> None:
        self._pause.stop()

    @property
    def _stays(self) -> bool:
        return self._session.display.former or self._since_saved

    @property
    def _since_saved(self) -> bool:
        return self._session.display.since_saved

    def _on_history(self) -> None:
        """A save is no change of the robot, and yet another state to compare with."""
        if self._since_saved:
            self._refresh()

    def _forget(self) -> None:
        self._pause.stop()
        self._transforms, self._compared, self._spheres = None, None, ()
        self._is_posing = False
        self._refresh()

    def _on_robot(self, *_: object) -> None:
        if self._session.is_moving:
            self._pause.start()
            before = None if self._since_saved else self._xrdf_before()
            if (
                before is not None
                and self._compared == (before, self._session.active_group)
                and self._spheres
            ):
                # Further steps of the same change: what it began with is drawn already.
                return
        self._refresh()

    def _on_joints(self) -> None:
        """Joints are about to be moved by hand."""
        self._by_hand = True
        self._pause.start()
        if not self._is_posing:
            self._is_posing = True
            self._transforms = self._session.transforms
            self._layer.clear_links()

    def _on_pose(self, *_: object) -> None:
        if not self._by_hand:
            # A trajectory that is played, or a pose that was gone to, is no edit.
            self._transforms, self._is_posing = None, False
        self._by_hand = False
        self._draw()

    def _rested(self) -> None:
        if self._is_held():
            self._pause.start()
            return
        self._is_posing = False
        if not self._stays:
            self._spheres, self._compared = (), None
        self._draw()

    # -- what is compared

    def _refresh(self, *_: object) -> None:
        before = self._xrdf_before() if self._stays or self._session.is_moving else None
        self._compared = None if before is None else (before, self._session.active_group)
        self._spheres = () if before is None else self._gone_since(before)
        self._draw()

    def _xrdf_before(self) -> Xrdf | None:
        """Before the step in hand; with nothing in hand, before the last step that changed spheres;
        or as saved."""
        document = self._session.document
        if self._since_saved:
            return document.saved_robot.xrdf if document.saved_robot is not None else None
        now = document.robot.xrdf
        history, position = document.history, document.position
        if self._session.is_moving:
            return history[position - 1].state.robot.xrdf if position else None
        older = (history[k].state.robot.xrdf for k in range(position - 1, -1, -1))
        return next((xrdf for xrdf in older if xrdf.geometry is not now.geometry), None)

    def _gone_since(self, before: Xrdf) -> _Spheres:
        robot, group = self._session.robot, self._session.active_group
        now = {shown_group.name: shown_group for shown_group in robot.xrdf.with_clones(group)}
        gone: list[tuple[str, CollisionSphere]] = []
        for old in before.with_clones(group):
            new = now.get(old.name)
            if new is not None and new.spheres is old.spheres:
                continue
            for frame, spheres in old.spheres.items():
                kept = new.spheres.get(frame, ()) if new is not None else ()
                if kept is not spheres:
                    present = set(kept)
                    gone.extend((frame, sphere) for sphere in spheres if sphere not in present)
        return tuple(gone)

    # -- drawing

    def _draw(self) -> None:
        was_drawn = self._layer.is_drawn
        before = self._links_before()
        if before is not self._drawn_from:
            self._layer.clear_links()
            self._drawn_from = before
        links = self._moved(before)
        centers, radii = self._changed_spheres()
        more, wider = self._draw_moved(links, before)
        self._layer.show_spheres(np.concatenate([centers, more]), np.concatenate([radii, wider]))
        if was_drawn or self._layer.is_drawn:
            self._scene.redraw()

    def _links_before(self) -> F64 | None:
        """(frames, 4, 4) to compare with; None for nothing."""
        if self._is_posing or (self._stays and not self._since_saved):
            return self._transforms
        return self._saved_transforms() if self._since_saved else None

    def _saved_transforms(self) -> F64 | None:
        """(frames of the present tree, 4, 4) at the present pose, in the structure that was saved.

        The same object as long as tree and pose are; None where the structure is the same. A robot
        that is shown calibrated stands elsewhere than in any file: then None, too.
        """
        session, now = self._session, self._session.tree
        robot = session.document.saved_robot
        if robot is None or session.calibration:
            return None
        saved = get_tree(robot)
        if saved is now:
            return None
        made, present = self._placed, session.transforms
        if made is None or made[0] is not saved or made[1] is not present:
            made = self._placed = (saved, present, _placed(session, robot, saved, now))
        return made[2]

    def _moved(self, before: F64 | None) -> frozenset[str]:
        """Frames that stand elsewhere than before, and are not hidden."""
        tree, now = self._session.tree, self._session.transforms
        if before is None or before is now or len(before) != len(now):
            return frozenset()
        rows = np.flatnonzero(np.abs(now - before).max(axis=(1, 2)) > _STILL)
        return frozenset(tree.frames[row] for row in rows) - self._session.hidden

    def _draw_moved(self, frames: frozenset[str], before: F64 | None) -> tuple[F64, F64]:
        """Meshes of links that moved; of those without one the spheres are returned: centres and
        radii."""
        scene, tree = self._scene, self._session.tree
        layers = [layer for layer in (scene.visuals, scene.collisions) if layer.visible_links]
        drawn = {
            link: layer
            for layer in reversed(layers)
            for link in layer.visible_links
            if link in frames
        }
        self._layer.clear_links(self._layer.links - drawn.keys())
        none = np.zeros((0, 3)), np.zeros(0)
        if before is None or not frames:
            return none
        for link, layer in drawn.items():
            mesh = layer.mesh(link)
            if mesh is not None:
                self._layer.show_link(link, mesh, before[tree.index[link]])
        table = scene.table
        bare = {tree.index[frame] for frame in frames - drawn.keys()}
        if not bare or not self._session.display.spheres:
            return none
        rows = np.flatnonzero(table.visible & (table.shown > 0) & np.isin(table.frame, list(bare)))
        poses = before[table.frame[rows]]
        centers = np.einsum("nij,nj->ni", poses[:, :3, :3], table.local[rows]) + poses[:, :3, 3]
        return centers, table.shown[rows]

    def _changed_spheres(self) -> tuple[F64, F64]:
        """Spheres as they were, where their links are now."""
        session, tree = self._session, self._session.tree
        robot = session.robot
        centers, radii = [], []
        if session.display.spheres:
            for frame, sphere in self._spheres:
                radius = sphere.radius + buffer_of(robot.xrdf, session.display.sphere_radius, frame)
                if frame in tree.index and frame not in session.hidden and radius > 0:
                    pose = session.transforms[tree.index[frame]]
                    centers.append(pose[:3, :3] @ np.array(sphere.center) + pose[:3, 3])
                    radii.append(radius)
        return np.array(centers).reshape(-1, 3), np.array(radii)


def _placed(
    session: Session, robot: RobotDescription, saved: KinematicTree, now: KinematicTree
) -> F64:
    """(frames of `now`, 4, 4): where the frames are in the structure `saved` of a robot, at the
    present pose."""
    defaults = get_default_positions(saved, robot.xrdf)
    posed = {name: value for name, value in session.pose.items() if name in defaults}
    poses = compute_forward(saved, complete_pose(saved, Pose({**defaults, **posed})))
    placed = np.array(session.transforms)
    for row, frame in enumerate(now.frames):
        if frame in saved.index:
            placed[row] = poses[saved.index[frame]]
    return placed
