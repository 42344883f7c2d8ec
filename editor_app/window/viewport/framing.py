"""Framing of the scene: the camera's target and path, and clipping planes by the robot's size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np
from PySide6.QtCore import QEasingCurve, QObject, QVariantAnimation, Signal

from editor_app.core.arrays import F64, I64
from editor_app.core.drafting.standing import stands_on_the_ground
from editor_app.core.model.urdf import Urdf
from editor_app.window.session import Session
from editor_app.window.viewport.aim import Aim, Drawn
from editor_app.window.viewport.camera import CameraView, FramedPoints, ViewCamera, direction
from editor_app.window.viewport.gizmo import Gizmo, Grip
from editor_app.window.viewport.layers.features import FrameLayer
from editor_app.window.viewport.layers.grid import GridLayer
from editor_app.window.viewport.layers.meshes import MeshLayer
from editor_app.window.viewport.layers.obstacles import ObstacleLayer
from editor_app.window.viewport.overlays import Rectangle, are_clear

Hidden = Callable[[F64], float]


#: Pixels across below which something counts as small.
SMALL = 56
#: Room around it, as a multiple of its size: its neighbours say where it is.
MARGIN, NEAREST = 4.0, 1.5
#: Share of its points behind something from which on something counts as hidden.
HIDDEN = 0.75
#: The share of what is selected that is in the view when it is seen.
_SEEN = 0.75
#: Turns and heights (degrees) that are tried, the nearest first, to look past what is in front.
_TURNS = (0, 25, -25, 50, -50, 80, -80, 115, -115, 150, -150, 180)
_HEIGHTS = (0, 25, -25, 50)
_MILLISECONDS = 220
_KEPT = 30


class SelectionFollower(QObject):
    """Moves a camera; remembers where it stood."""

    #: A move has come to its end, and was not stopped.
    arrived = Signal()

    def __init__(
        self, camera: ViewCamera, move: Callable[[Callable[[], None]], None], parent: QObject
    ) -> None:
        """`move` runs a step of the camera as one that a person asked for."""
        super().__init__(parent)
        self._camera = camera
        self._move = move
        self._before: list[CameraView] = []
        self._from = self._to = camera.view
        self._animation = QVariantAnimation(self, duration=_MILLISECONDS)
        self._animation.setStartValue(0.0)
        self._animation.setEndValue(1.0)
        self._animation.setEasingCurve(QEasingCurve.Type.InOutCubic)
        self._animation.valueChanged.connect(self._step)
        self._animation.finished.connect(self.arrived)

    @property
    def can_go_back(self) -> bool:
        return bool(self._before)

    @property
    def is_moving(self) -> bool:
        return self._animation.state() == QVariantAnimation.State.Running

    def look_at(self, points: F64, hidden: Hidden, beside: Sequence[FramedPoints]) -> None:
        """Brings (n, 3) points into view, unless they can be seen well already.

        `hidden` tells the share of them, 0 to 1, that something is in front of, as seen from a
        point. `beside` is to be seen with them where the camera moves.
        """
        view = self._camera.view
        if hidden(self._camera.eye) >= HIDDEN:
            view = self._clear_view(points.mean(axis=0), hidden)
        if view != self._camera.view or not self.is_seen(points):
            target = self._framed(points, view, beside)
            self.remember()
            self._go(target)

    def keep(self, points: F64, margin: float) -> None:
        """Shows all of (n, 3) points, from the same side, when one of them is outside the view."""
        if self.is_moving or self.holds(points):
            return
        now = self._camera.view
        target = self._camera.fitted(points, margin, least=now.distance)
        # Nothing better, where something lies over most of the view.
        same = np.allclose(target.focus, now.focus, atol=1e-4 * now.distance)
        if not same or target.distance >= 1.001 * now.distance:
            self.remember()
            self._go(target)

    @property
    def was_last_to_move(self) -> bool:
        """True if the camera stands where the last move of this took it."""
        return self._camera.view == self._to

    def holds(self, points: F64) -> bool:
        """Return whether all of (n, 3) points lie in the view, and behind no card or band at its
        edges."""
        width, height = self._camera.size()
        seen = self._camera.project(points)
        # What was fitted to an edge lies on it, but for roundings.
        inside = (
            (seen[:, :2] >= -1).all(axis=1) & (seen[:, 0] <= width + 1) & (seen[:, 1] <= height + 1)
        )
        return bool((inside & (seen[:, 2] > 0)).all()) and are_clear(
            seen[:, :2], self._camera.covers()
        )

    def _clear_view(self, middle: F64, hidden: Hidden) -> CameraView:
        """The direction nearest to the present one from which most can be seen."""
        view = self._camera.view
        best, least = view, hidden(self._camera.eye)
        for height in _HEIGHTS:
            for turn in _TURNS:
                elevation = float(
                    np.clip(view.elevation + np.radians(height), -np.pi / 2, np.pi / 2)
                )
                turned = replace(
                    view, azimuth=view.azimuth + float(np.radians(turn)), elevation=elevation
                )
                share = hidden(middle + direction(turned) * view.distance)
                if share < least - 0.05:
                    best, least = turned, share
                if share == 0.0:
                    return turned
        return best

    def is_seen(self, points: F64) -> bool:
        """Return whether the middle of the points lies in the view, with most of what they span or
        filling half of it, and all is large enough to be made out."""
        seen = self._camera.project(points)
        if not np.isfinite(seen).all() or (seen[:, 2] <= 0).any():
            return False
        low, high = seen[:, :2].min(axis=0), seen[:, :2].max(axis=0)
        x, y = (low + high) / 2
        size = np.array(self._camera.size(), float)
        shown = np.clip(np.minimum(high, size) - np.maximum(low, 0.0), 0.0, None).prod()
        is_whole = shown >= min(_SEEN * (high - low).prod(), 0.5 * size.prod())
        return bool(is_whole) and self._camera.is_free(x, y) and float((high - low).max()) >= SMALL

    def remember(self) -> None:
        self._before = [*self._before[-_KEPT:], self._camera.view]

    def back(self) -> None:
        """To the view before the last move; nothing where there was none."""
        if self._before:
            self._go(self._before.pop())

    def forget(self) -> None:
        self.stop()
        self._before = []

    def stop(self) -> None:
        self._animation.stop()

    def _framed(self, points: F64, view: CameraView, beside: Sequence[FramedPoints]) -> CameraView:
        nearest = self._camera.fitted(points, NEAREST, view=view).distance
        farthest = self._camera.fitted(points, MARGIN, view=view).distance
        # No nearer and no farther than it takes.
        distance = min(max(self._camera.view.distance, nearest), farthest)
        return self._camera.fitted(points, NEAREST, beside, view=view, least=distance)

    def _go(self, target: CameraView) -> None:
        self.stop()
        self._from, self._to = self._camera.view, target
        self._animation.start()

    def _step(self, share: float) -> None:
        a, b = self._from, self._to
        focus = tuple(p + (q - p) * share for p, q in zip(a.focus, b.focus, strict=True))
        turned = (b.azimuth - a.azimuth + np.pi) % (2 * np.pi) - np.pi
        between = replace(
            b,
            focus=(focus[0], focus[1], focus[2]),
            # Equal factors in equal times: a steady approach.
            distance=a.distance * (b.distance / a.distance) ** share,
            azimuth=a.azimuth + turned * share,
            elevation=a.elevation + (b.elevation - a.elevation) * share,
        )
        # Not by a rounding beside it: where the camera stands tells who moved it last.
        view = between if share < 1.0 else b
        self._move(lambda: self._camera.set_view(view))


#: An obstacle that is so many times larger than the robot is a room.
_ROOM = 2.5
#: Share of the view that a card has to leave for the robot to take its room.
_MUCH = 0.05
#: Points of what is selected that are asked whether something hides them.
_ASKED = 16
#: A sphere is brought as near as if it were this share of its link's mesh, or larger.
_PART = 0.1


class Framed(Drawn, Protocol):
    """The drawn parts of the robot, and its surroundings."""

    gizmo: Gizmo
    following: SelectionFollower
    aim: Aim
    guests: MeshLayer
    frames: FrameLayer
    grid: GridLayer
    obstacles: ObstacleLayer
    grip: Grip | None


class Framing:
    """Moves the camera to everything, or to what is selected."""

    def __init__(self, session: Session, scene: Framed) -> None:
        self._session = session
        self._scene = scene
        #: A person moved the camera: from then on nothing else does.
        self.is_moved_by_hand = False
        self._reach = self._ground = 0.0
        self._standing: tuple[Urdf, bool] | None = None
        self._covers: frozenset[Rectangle] = frozenset()

    def forget(self) -> None:
        self._reach = self._ground = 0.0
        self.is_moved_by_hand = False

    def resized(self) -> None:
        """The canvas has another size: what was fitted to the old one is fitted again."""
        if self.is_moved_by_hand:
            self._scene.camera.apply()
        else:
            self.fit_all()

    def covers_changed(self) -> None:
        """Something comes to lie over the view, or goes.

        The camera moves when it hides something of the robot, and when much room is left; one that
        a person moved stays.
        """
        before, self._covers = self._covers, frozenset(self._scene.camera.covers())
        if self.is_moved_by_hand or before == self._covers:
            return
        freed = sum(cover.area for cover in before) - sum(cover.area for cover in self._covers)
        width, height = self._scene.camera.size()
        if freed > _MUCH * width * height or (self._covers - before and not self.holds_robot()):
            self.fit_all()

    def show_handles(self) -> None:
        """Handles that were asked for are seen in whole, unless a person moved the camera."""
        gizmo = self._scene.gizmo
        if gizmo.is_shown and not self.is_moved_by_hand and not gizmo.is_seen():
            self.fit_all()

    def fit_all(self) -> None:
        """The whole robot, and what stands beside it, from the present direction."""
        points = self.content_points()
        if points is None:
            return
        # Tables and posts are part of the picture; the room around the robot is not.
        size = float(np.ptp(points, axis=0).max())
        boxes = self._scene.obstacles.boxes()
        beside = boxes[np.ptp(boxes, axis=1).max(axis=1) <= _ROOM * size]
        points = np.concatenate([points, beside.reshape(-1, 3)])
        self._scene.camera.fit_points(points, beside=self._handles(points, of_robot=True))

    def fit_selection(self) -> None:
        """Fit the selection into the view, or everything if the selection has no place."""
        points = self._selection_points()
        if points is not None:
            self._scene.following.remember()
            self._scene.camera.fit_points(points, margin=1.5, beside=self._handles(points))
        else:
            self.fit_all()

    def _selection_points(self) -> F64 | None:
        """Around all that is selected; None when nothing of it has a place."""
        selection = self._session.selection
        points: list[F64] = []
        rows = self._scene.table.rows_of(selection.spheres)
        if len(rows):
            points.append(
                _balls(self._scene.table.world[rows], self._scene.table.reach[rows] * 1.6)
            )
        links = set(selection.links) | {n for p in selection.pairs for n in (p.first, p.second)}
        links |= {j.child for j in self._session.tree.joints if j.name in selection.joints}
        points.extend(self._scene.aim.drawn_meshes.bounds_points(links))
        for feature in selection.features:
            feature_pose = self._scene.features.pose_of(feature)
            if feature_pose is not None:
                points.append(_balls(feature_pose[None, :3, 3], np.array([0.1])))
        for link in links.difference(self._scene.aim.drawn_meshes.links):
            pose = self._scene.poses.get(link)
            if pose is not None:
                points.append(_balls(pose[None, :3, 3], np.array([0.1])))
        return np.concatenate(points) if points else None

    def _around(self, rows: I64) -> F64:
        """Around spheres; around very small ones as far as keeps the camera out of the mesh that
        they lie in."""
        table, sizes = self._scene.table, {}
        for frame in {table.frames[row] for row in rows}:
            corners = self._scene.aim.drawn_meshes.bounds_points({frame})
            sizes[frame] = float(np.ptp(np.concatenate(corners), axis=0).max()) if corners else 0.0
        least = np.array([_PART * sizes[table.frames[row]] for row in rows])
        return _balls(table.world[rows], np.maximum(table.reach[rows], least))

    def look_at_selection(self) -> None:
        """Brings what a list selected into view, where it is small or hidden."""
        if not self._session.display.follow_selection:
            return
        spheres = self._scene.table.rows_of(self._session.selection.spheres)
        # Of a finding about spheres these are meant, not the links that they belong to.
        points = self._around(spheres) if len(spheres) else self._selection_points()
        if points is None:
            return
        selection = self._session.selection
        asked_frames = set(selection.frames) | {
            name for pair in selection.pairs for name in (pair.first, pair.second)
        }
        middles = (
            self._scene.table.world[spheres]
            if len(spheres)
            else 0.5 * (points + points.mean(axis=0))
        )
        asked = middles[np.linspace(0, len(middles) - 1, min(len(middles), _ASKED), dtype=int)]
        self._scene.following.look_at(
            points,
            lambda eye: self._scene.aim.hidden_share(asked, asked_frames, eye),
            self._handles(points),
        )

    def holds_robot(self) -> bool:
        points = self.content_points()
        return points is not None and self._scene.following.holds(points)

    def free_of_robot(self) -> Callable[[Rectangle], bool]:
        """Tells of areas of the view whether no part of the robot, as it is now, comes to lie under
        them."""
        points = self.content_points()
        seen = self._scene.camera.project(points)[:, :2] if points is not None else np.empty((0, 2))
        return lambda area: are_clear(seen, (area,))

    def keep_in_view(self, margin: float = NEAREST) -> None:
        """A robot that moved, and left the view, is followed, where the view follows at all."""
        points = self.content_points()
        if points is not None and self._session.display.follow_selection:
            self._scene.following.keep(points, margin)

    def _handles(self, points: F64, *, of_robot: bool = False) -> tuple[FramedPoints, ...]:
        """The handles that stand among (n, 3) points, or at a part of the robot: they need pixels,
        wherever the eye is.

        The handles of an obstacle may be far away.
        """
        gizmo, grip = self._scene.gizmo, self._scene.grip
        if not gizmo.is_shown:
            return ()
        among = (points.min(axis=0) <= gizmo.position) & (gizmo.position <= points.max(axis=0))
        if not among.all() and not (of_robot and (grip is None or grip.name in self._scene.poses)):
            return ()
        return (FramedPoints(gizmo.position[None], gizmo.arms()),)

    def content_points(self) -> F64 | None:
        """(n, 3) points around everything that belongs to the robot and is drawn; None when there
        is nothing.

        A frame without a body counts where it is drawn: a tool, a sensor, all of them where frames
        are shown.
        """
        bodies = self._body_points()
        if not bodies or self._session.display.frames:
            return self._all_points()
        return _not_a_point(np.concatenate([*bodies, *self._drawn_frames()]))

    def _body_points(self) -> list[F64]:
        """Around meshes and spheres that are drawn."""
        shown = self._scene.table.visible
        points = []
        if np.any(shown):
            points.append(
                _balls(
                    self._scene.table.world[shown], np.maximum(self._scene.table.shown[shown], 0.0)
                )
            )
        for layer in (self._scene.visuals, self._scene.collisions, self._scene.guests):
            points.extend(
                layer.bounds_points(k for k in layer.links if k not in self._session.hidden)
            )
        return points

    def _drawn_frames(self) -> list[F64]:
        tools = self._session.robot.xrdf.tool_frames or ()
        poses = (self._scene.poses.get(name) for name in tools if name not in self._session.hidden)
        places = [pose[:3, 3] for pose in poses if pose is not None]
        return [
            np.array(place)[None]
            for place in (*places, *(at for _, at in self._scene.features.drawn()))
        ]

    def _all_points(self) -> F64 | None:
        """Around bodies and all frames, drawn or not."""
        points = self._body_points()
        if len(self._session.transforms):
            points.append(self._session.transforms[:, :3, 3])
        return _not_a_point(np.concatenate(points)) if points else None

    def middle(self) -> tuple[F64, float]:
        """(3,) the middle of the robot's bodies, and half the longest edge of the box around them
        (metres)."""
        bodies = self._body_points()
        points = np.concatenate(bodies) if bodies else self.content_points()
        if points is None:
            return np.zeros(3), 0.5
        low, high = points.min(axis=0), points.max(axis=0)
        return (low + high) / 2, float((high - low).max()) / 2

    def update_bounds(self) -> None:
        """Clipping planes and the sizes of grid and frames, from what is there."""
        points = self._all_points()
        if points is None:
            self._scene.grid.set_size(1.0)
            self._scene.camera.set_scene_bounds(np.zeros(3), 3.0)
            return
        low, high = points.min(axis=0), points.max(axis=0)
        reach = max(
            float(np.linalg.norm(points[:, :2], axis=1).max()),
            float(np.ptp(points[:, 2])) * 0.6,
            0.02,
        )
        # The grid only grows while a robot is posed: a ground that breathes would be a distraction.
        self._reach = (
            reach if self._reach == 0.0 else max(self._reach, min(reach, self._reach * 1.5))
        )
        self._scene.grid.set_size(self._reach)
        # To the millimetre, and only downwards, as it only grows.
        if self._stands():
            self._ground = min(self._ground, round(float(low[2]), 3))
        self._scene.grid.set_height(self._ground)
        for look in (self._scene.frames.look, self._scene.features.look):
            # To the millimetre: nothing is drawn anew for less while a robot stretches.
            look.set_length(round(float(np.clip(0.085 * self._reach, 0.006, 0.3)), 3))
        center = (low + high) / 2
        radius = float(np.linalg.norm(high - low)) / 2
        ground = self._scene.grid.radius * 1.42 + float(np.linalg.norm(center))
        # What stands far away must not be cut off by the clipping planes either.
        away = float(
            np.linalg.norm(self._scene.obstacles.boxes() - center, axis=2).max(initial=0.0)
        )
        self._scene.camera.set_scene_bounds(center, max(radius * 1.3, ground, away))

    def _stands(self) -> bool:
        robot = self._session.robot
        if self._standing is None or self._standing[0] is not robot.urdf:
            self._standing = (robot.urdf, stands_on_the_ground(robot.urdf))
        return self._standing[1]


def _not_a_point(points: F64) -> F64:
    """Of what is hardly larger than a point, a little around it."""
    return (
        points
        if float(np.ptp(points, axis=0).max()) >= 1e-3
        else _balls(points[:1], np.array([0.3]))
    )


def _balls(centers: F64, radii: F64) -> F64:
    """The six outermost points along the axes of each ball, (6 n, 3)."""
    steps = np.concatenate([np.eye(3), -np.eye(3)])
    points: F64 = centers[:, None, :] + radii[:, None, None] * steps[None]
    return points.reshape(-1, 3)
