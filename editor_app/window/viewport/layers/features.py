"""Frames with joint axes; sensors as frusta, fans and cubes, tools as frames, end effectors as
brackets."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from vtkmodules.vtkRenderingCore import vtkRenderer

from editor_app.core.arrays import F64
from editor_app.core.document.selection import PlacedFeature
from editor_app.core.formats.urdf.sensors import PlacedSensor
from editor_app.core.model.features import FeatureKind, RobotFeature
from editor_app.core.model.sensors import Ray, Scan, Sensor, SensorKind
from editor_app.core.model.urdf import JointType
from editor_app.core.space.kinematics.structure import KinematicTree, TreeJoint
from editor_app.core.space.kinematics.transforms import across, build_origin_matrix
from editor_app.window.viewport.layers.labels import LineLook
from editor_app.window.viewport.palette import AXES, Rgb, SceneColours, scene_colours
from editor_app.window.viewport.vtk_tools import LineSegments, circle


class FrameLayer:
    """Drawn over the meshes: frames lie inside of links."""

    def __init__(self, renderer: vtkRenderer) -> None:
        self._joints, self._axes, self._tools = (
            LineSegments(renderer, width) for width in (2.0, 3.0, 3.0)
        )
        self.look = LineLook(renderer, self._draw)
        self._shown: tuple[bool, bool, bool] = (False, False, False)
        self._tree: KinematicTree | None = None
        self._poses: F64 = np.zeros((0, 4, 4))
        self._tool_frames: tuple[str, ...] = ()
        self._marked_links: frozenset[str] = frozenset()
        self._marked_joints: frozenset[str] = frozenset()
        self._is_empty = False

    def set_display(self, frames: bool, names: bool, joints: bool) -> None:
        if (frames, names, joints) != self._shown:
            self._shown = (frames, names, joints)
            self._draw()

    def set_robot(self, tree: KinematicTree | None, tool_frames: Sequence[str]) -> None:
        if tree is not self._tree or tuple(tool_frames) != self._tool_frames:
            self._tree, self._tool_frames = tree, tuple(tool_frames)
            self._draw()

    def set_poses(self, poses: F64) -> None:
        self._poses = poses
        self._draw()

    def set_marks(self, links: frozenset[str], joints: frozenset[str]) -> None:
        """Set the selected or hovered things, whose axes are drawn even if the others are
        hidden."""
        if (links, joints) != (self._marked_links, self._marked_joints):
            self._marked_links, self._marked_joints = links, joints
            self._draw()

    # -- drawing

    def _draw(self) -> None:
        frames, names, joints = self._shown
        is_empty = not (frames or joints or self._marked_links or self._marked_joints)
        if is_empty and self._is_empty:
            return
        self._is_empty = is_empty
        tree = self._tree
        if tree is None or len(self._poses) != len(tree.frames):
            shown, tools, moving = np.zeros(0, int), np.zeros(0, int), []
        else:
            shown, tools = self._drawn_frames(tree)
            moving = [
                j
                for j in tree.joints
                if j.is_movable
                and (joints or j.name in self._marked_joints)
                and j.child not in self.look.hidden
            ]
        length, ring = self.look.length, circle(32)
        self._draw_axes(self._axes, shown, _axes(length))
        tool = ring * (0.675 * length), _rows(scene_colours().tool, len(ring))
        self._draw_axes(self._tools, tools, _axes(1.5 * length), tool)
        self.look.write(self._names(shown, tools) if names and frames else [])
        self._draw_joints(moving)

    def _drawn_frames(self, tree: KinematicTree) -> tuple[F64, F64]:
        """The numbers of the frames whose axes are drawn: usual ones, and tool frames."""
        visible = [
            i
            for i, frame in enumerate(tree.frames)
            if frame not in self.look.hidden and (self._shown[0] or frame in self._marked_links)
        ]
        is_tool = np.array([tree.frames[i] in self._tool_frames for i in visible], bool)
        index = np.array(visible, int)
        return index[~is_tool], index[is_tool]

    def _names(self, shown: F64, tools: F64) -> list[tuple[F64, str, bool]]:
        frames = self._tree.frames if self._tree is not None else ()
        return [
            (self._poses[i, :3, 3], f"{frames[i]} (tool)" if i in tools else frames[i], i in tools)
            for i in np.sort(np.concatenate([shown, tools]))
        ]

    def _draw_axes(self, lines: LineSegments, index: F64, *parts: tuple[F64, F64]) -> None:
        """Segments (n, 2, 3) and colours (n, 4) of each part, in each of the frames of these
        numbers."""
        segments, rgba = _joined(parts)
        poses = self._poses[index]
        placed = (
            np.einsum("nij,ksj->nksi", poses[:, :3, :3], segments) + poses[:, None, None, :3, 3]
        )
        lines.set(placed.reshape(-1, 2, 3), np.tile(rgba, (len(index), 1)))

    def _draw_joints(self, joints: Sequence[TreeJoint]) -> None:
        length = self.look.length
        segments: list[F64] = [np.zeros((0, 2, 3))]
        rgba: list[F64] = [np.zeros((0, 4))]
        for joint in joints:
            assert self._tree is not None
            pose = self._poses[self._tree.index[joint.child]]
            axis = pose[:3, :3] @ joint.axis
            origin = pose[:3, 3]
            one, two = across(axis)
            pieces = [np.array([[origin - 1.1 * length * axis, origin + 1.1 * length * axis]])]
            if joint.type is JointType.PRISMATIC:
                for end in (-1.1, 1.1):
                    tip = origin + end * length * axis
                    back = tip - np.sign(end) * 0.2 * length * axis
                    pieces.append(np.array([[tip, back + s * 0.1 * length * one] for s in (-1, 1)]))
            else:
                ring = circle(32) * (0.5 * length)
                pieces.append(ring[..., :1] * one + ring[..., 1:2] * two + origin)
            lines = np.concatenate(pieces)
            marked = joint.name in self._marked_joints
            colour = scene_colours().accent if marked else scene_colours().ink
            segments.append(lines)
            rgba.append(_rows(colour, len(lines), 1.0 if marked else 0.85))
        self._joints.set(np.concatenate(segments), np.concatenate(rgba))


#: How far a selected sensor's view is drawn, in lengths of a frame's axes.
_FAR = 20.0


@dataclass(frozen=True, slots=True, eq=False)
class _Item:
    placed: PlacedFeature
    #: In the frame of its link.
    origin: F64


class FeatureLayer:
    """Drawn over the meshes: sensors and tools sit inside of links."""

    def __init__(self, renderer: vtkRenderer) -> None:
        self._lines, self._marked_lines = LineSegments(renderer, 1.5), LineSegments(renderer, 2.5)
        self.look = LineLook(renderer, self._draw)
        self._items: tuple[_Item, ...] = ()
        self._poses: Mapping[str, F64] = {}
        self._tools = self._sensors = True
        self._named = False
        self._selected: frozenset[RobotFeature] = frozenset()
        self._hovered: RobotFeature | None = None

    def set_display(self, tools: bool, sensors: bool, names: bool) -> None:
        """`names` writes the names of sensors and end effectors too; tools always have theirs."""
        if (tools, sensors, names) != (self._tools, self._sensors, self._named):
            self._tools, self._sensors, self._named = tools, sensors, names
            self._draw()

    def set_features(self, features: Iterable[PlacedFeature]) -> None:
        self._items = tuple(
            _Item(p, build_origin_matrix(p.origin))
            for p in features
            if p.feature.kind is not FeatureKind.GROUP
        )
        self._draw()

    def set_poses(self, poses: Mapping[str, F64]) -> None:
        self._poses = poses
        if self._items:
            self._draw()

    def set_marks(self, selected: frozenset[RobotFeature], hovered: RobotFeature | None) -> None:
        if (selected, hovered) != (self._selected, self._hovered):
            self._selected, self._hovered = selected, hovered
            self._draw()

    def pose_of(self, feature: RobotFeature) -> F64 | None:
        """(4, 4) in the base frame; None for what has no place."""
        for item in self._items:
            if item.placed.feature == feature:
                return self._pose(item)
        return None

    def drawn(self) -> list[tuple[RobotFeature, F64]]:
        """Return the drawn features, with their place in the base frame."""
        placed = (
            (item.placed.feature, self._pose(item)) for item in self._items if self._is_drawn(item)
        )
        return [(feature, pose[:3, 3]) for feature, pose in placed if pose is not None]

    def is_within_link(self, feature: RobotFeature) -> bool:
        """Return whether a feature has no place of its own: what a contact sensor feels is its
        link."""
        items = [item.placed.item for item in self._items if item.placed.feature == feature]
        return any(
            isinstance(item, PlacedSensor) and item.sensor.kind is SensorKind.CONTACT
            for item in items
        )

    # -- drawing

    def _pose(self, item: _Item) -> F64 | None:
        link = self._poses.get(item.placed.link)
        return None if link is None else link @ item.origin

    def _is_marked(self, item: _Item) -> bool:
        feature = item.placed.feature
        return feature in self._selected or feature == self._hovered

    def _is_drawn(self, item: _Item) -> bool:
        if item.placed.link in self.look.hidden:
            return False
        shown = self._sensors if item.placed.feature.kind is FeatureKind.SENSOR else self._tools
        return shown or self._is_marked(item)

    def _draw(self) -> None:
        plain: list[tuple[F64, F64]] = []
        marked: list[tuple[F64, F64]] = []
        names: list[tuple[F64, str, bool]] = []
        for item in self._items:
            pose = self._pose(item)
            if pose is None or not self._is_drawn(item):
                continue
            is_marked = self._is_marked(item)
            is_selected = item.placed.feature in self._selected
            segments, rgba = _shape(item, self.look.length, scene_colours(), is_marked, is_selected)
            (marked if is_marked else plain).append((segments @ pose[:3, :3].T + pose[:3, 3], rgba))
            is_tool = item.placed.feature.kind is FeatureKind.TCP
            if is_tool or self._named or is_marked:
                # At the end of the axis, where the name hides nothing of what it names.
                above = pose[:3, 3] + (1.45 if is_tool else 0.5) * self.look.length * pose[:3, 2]
                names.append((above, item.placed.feature.name, is_tool))
        for lines, parts in ((self._lines, plain), (self._marked_lines, marked)):
            lines.set(*_joined(parts))
        self.look.write(names)


# A pose moves the shapes and leaves them as they are.
@lru_cache(maxsize=256)
def _shape(
    item: _Item, length: float, colours: SceneColours, marked: bool, selected: bool
) -> tuple[F64, F64]:
    """(n, 2, 3) segments in the item's own frame, (n, 4) colours."""
    feature = item.placed.item
    if isinstance(feature, PlacedSensor):
        local = sensor_segments(
            feature.sensor, feature.looks_along_z, 1.4 * length, _FAR * length if selected else None
        )
        colour = colours.accent if marked else colours.sensor
        parts = [(local, _rows(colour, len(local), 0.95 if marked else 0.8))]
        if marked:
            parts.append(_axes(0.8 * length))
    elif item.placed.feature.kind is FeatureKind.TCP:
        ring = circle(32) * (0.4 * length)
        colour = colours.accent if marked else colours.tool
        parts = [_axes(1.3 * length), (ring, _rows(colour, len(ring)))]
        stem = np.array([[np.zeros(3), np.linalg.inv(item.origin)[:3, 3]]])
        parts.append((stem, _rows(colour, 1, 0.6)))
    else:
        bracket = _bracket(0.7 * length)
        parts = [(bracket, _rows(colours.accent if marked else colours.tool, len(bracket)))]
    return _joined(parts)


def _joined(parts: Sequence[tuple[F64, F64]]) -> tuple[F64, F64]:
    none = np.zeros((0, 2, 3)), np.zeros((0, 4))
    segments, colours = zip(none, *parts, strict=True)
    return np.concatenate(segments), np.concatenate(colours)


def _rows(colour: Rgb, count: int, alpha: float = 1.0) -> F64:
    return np.tile([*colour, alpha], (count, 1))


def _axes(length: float) -> tuple[F64, F64]:
    segments = np.stack([np.zeros((3, 3)), length * np.eye(3)], axis=1)
    return segments, np.column_stack([np.array(AXES), np.ones(3)])


def _bracket(size: float) -> F64:
    """Two fingers that open along z."""
    half = 0.5 * size
    points = [(-half, size), (-half, 0.3 * size), (half, 0.3 * size), (half, size)]
    path = np.array([[0.0, y, z] for y, z in points])
    stem = np.array([[[0, 0, 0], [0, 0, 0.3 * size]]])
    return np.concatenate([np.stack([path[:-1], path[1:]], axis=1), stem])


#: Opening of what says nothing about it (radians).
_USUAL = (1.0, 0.75)
_WIDE = (-0.75 * math.pi, 0.75 * math.pi)


def sensor_segments(
    sensor: Sensor, looks_along_z: bool, length: float, true_reach: float | None = None
) -> F64:
    """(n, 2, 3) segments of about `length`; with `true_reach` they go as far as the sensor does, at
    most so far."""
    kind = sensor.kind
    if kind in (
        SensorKind.CAMERA,
        SensorKind.DEPTH_CAMERA,
        SensorKind.STEREO_CAMERA,
        SensorKind.FLASH_LASER,
    ):
        camera = sensor.camera
        angles = (camera.angles if camera is not None else None) or _USUAL
        far = _reach(camera.far if camera is not None else None, length, true_reach)
        near = min(
            camera.near if camera is not None and camera.near is not None and true_reach else 0.0,
            far,
        )
        return _turned(_frustum(angles, max(near, 0.0), far), looks_along_z)
    if kind in (SensorKind.LASER_2D, SensorKind.LASER_3D):
        ray = sensor.ray or Ray()
        return _fan(ray, _reach(ray.max_range, 1.6 * length, true_reach), true_reach is not None)
    if kind is SensorKind.SONAR:
        ray = sensor.ray or Ray()
        return _cone(0.25, _reach(ray.max_range, length, true_reach))
    if kind is SensorKind.FORCE_TORQUE:
        return _wrench(0.45 * length)
    return _cube(0.16 * length)


def _reach(wanted: float | None, length: float, limit: float | None) -> float:
    return length if limit is None or wanted is None or not wanted > 0 else min(wanted, limit)


def _frustum(angles: tuple[float, float], near: float, far: float) -> F64:
    """Along x, y to the left, z up; a small triangle on the upper edge says which side that is."""
    wide, high = math.tan(min(angles[0], 3.0) / 2), math.tan(min(angles[1], 3.0) / 2)

    def corners(at: float) -> F64:
        return np.array(
            [[at, s * wide * at, t * high * at] for s, t in ((1, 1), (-1, 1), (-1, -1), (1, -1))]
        )

    front, back = corners(near), corners(far)
    lines = [[back[i], back[(i + 1) % 4]] for i in range(4)]
    lines += [[front[i], back[i]] for i in range(4)]
    if near > 0:
        lines += [[front[i], front[(i + 1) % 4]] for i in range(4)]
    top = np.array([far, 0.0, 1.35 * high * far])
    left, right = (
        np.array([far, 0.3 * wide * far, high * far]),
        np.array([far, -0.3 * wide * far, high * far]),
    )
    lines += [[left, top], [top, right]]
    return np.array(lines)


def _turned(segments: F64, looks_along_z: bool) -> F64:
    """From x forward, z up to the optical frame's z forward, y down."""
    if not looks_along_z:
        return segments
    return np.stack([-segments[..., 1], -segments[..., 2], segments[..., 0]], axis=-1)


def _fan(ray: Ray, reach: float, exact: bool) -> F64:
    flat = _span(ray.horizontal, _WIDE)
    planes = _span(ray.vertical, (0.0, 0.0))
    tilts = [planes[0]] if planes[0] == planes[1] else list(np.linspace(*planes, 3))
    near = min(ray.min_range or 0.0, reach) if exact else 0.0
    lines: list[F64] = []
    for tilt in tilts:
        for count, edge in ((9, False), (49, True)):
            turns = np.linspace(*flat, count)
            directions = np.column_stack(
                [
                    np.cos(tilt) * np.cos(turns),
                    np.cos(tilt) * np.sin(turns),
                    np.full(count, np.sin(tilt)),
                ]
            )
            if edge:
                lines.append(np.stack([reach * directions[:-1], reach * directions[1:]], axis=1))
            else:
                lines.append(np.stack([near * directions, reach * directions], axis=1))
    return np.concatenate(lines)


def _span(scan: Scan | None, usual: tuple[float, float]) -> tuple[float, float]:
    if scan is None or scan.min_angle is None or scan.max_angle is None:
        return usual
    low, high = sorted((scan.min_angle, scan.max_angle))
    return max(low, -2 * math.pi), min(high, 2 * math.pi)


def _cone(half_angle: float, reach: float) -> F64:
    ring = circle(24) * (reach * math.sin(half_angle))
    end = np.stack(
        [np.full(ring.shape[:2], reach * math.cos(half_angle)), ring[..., 0], ring[..., 1]], axis=-1
    )
    sides = np.array([[np.zeros(3), end[i, 0]] for i in range(0, 24, 6)])
    return np.concatenate([end, sides])


def _wrench(size: float) -> F64:
    """A force along z and a moment about it."""
    ring = circle(32)[:26] * (0.6 * size)
    last = ring[-1, 1]
    head = np.array(
        [
            [last, last + [0.25 * size, -0.05 * size, 0.0]],
            [last, last + [-0.02 * size, -0.28 * size, 0.0]],
        ]
    )
    arrow = np.array(
        [
            [[0, 0, -0.6], [0, 0, 1.0]],
            [[0, 0, 1.0], [0.15, 0, 0.75]],
            [[0, 0, 1.0], [-0.15, 0, 0.75]],
        ]
    )
    return np.concatenate([ring, head, arrow * size])


def _cube(half: float) -> F64:
    points = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float) * half
    return np.array(
        [
            [a, b]
            for i, a in enumerate(points)
            for b in points[i + 1 :]
            if np.count_nonzero(a != b) == 1
        ]
    )
