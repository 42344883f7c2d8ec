"""A drag of a link: its joint turns until what was grabbed is under the pointer; its axis and limits are drawn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, Qt

from editor_app.gui.bindings.quantity import joint_quantity
from editor_app.gui.poses import clamped
from editor_app.gui.theme import colours
from editor_app.gui.viewport.camera import Array
from editor_app.gui.viewport.gizmo import Handle, along_handle
from editor_app.gui.viewport.palette import rgb, scene_colours
from editor_app.gui.viewport.pointer import SNAP_ANGLE, Hand, Pointer, Turning
from editor_app.gui.viewport.scene import Scene
from editor_app.gui.viewport.vtk_tools import across
from editor_app.kinematics.structure import TreeJoint
from editor_app.model.urdf import JointType

if TYPE_CHECKING:
    from editor_app.operations.passages import ClosedInterval

MARKS = "viewport.joint"
_PIECES = 48
#: The arc of a closed interval is larger than that of the joint, by this.
_OUTSIDE = 1.06
#: Pixels: half of the axis, and between what the arc's radius stays.
_AXIS, _SMALL, _LARGE = 110.0, 36.0, 170.0


def show_joint(
    scene: Scene,
    joint: TreeJoint,
    pose: Array,
    value: float,
    grabbed: Array | None,
    closed: Sequence[ClosedInterval] = (),
) -> None:
    """`pose` (4, 4) of the joint's frame at `value`; the arc goes through `grabbed` (3,) where that is near.

    `closed`: intervals of the joint that are drawn beside it, in one colour by meshes too, in another by spheres alone.
    """
    pixel = scene.camera.metres_per_pixel(pose[:3, 3])
    axis = pose[:3, :3] @ joint.axis
    foot = pose[:3, 3]
    accent, ink = (*scene.accent, 1.0), (*scene.accent, 0.45)
    lines: list[Array] = []
    tints: list[tuple[float, ...]] = []

    def add(points: Array, colour: tuple[float, ...]) -> None:
        lines.extend(points)
        tints.extend([colour] * len(points))

    add(np.array([[foot - _AXIS * pixel * axis, foot + _AXIS * pixel * axis]]), ink)
    if joint.type is JointType.PRISMATIC:
        add(_slide(joint, axis, foot, value, 14.0 * pixel), accent)
        aside = foot + 7.0 * pixel * across(axis)[0]
        for each in closed:
            add(np.array([[aside + (end - value) * axis for end in (each.lower, each.upper)]]), _colour(each))
    else:
        arm = np.zeros(3)
        if grabbed is not None:
            foot = foot + axis * float(axis @ (grabbed - foot))
            arm = grabbed - foot
        length = float(np.linalg.norm(arm))
        arm = arm / length if length > 1e-6 else across(axis)[0]
        radius = float(np.clip(length, _SMALL * pixel, _LARGE * pixel))
        add(_arc(joint, axis, foot, arm * radius, value), ink)
        for each in closed:
            add(_closed_arc(each, axis, foot, arm * radius * _OUTSIDE, value), _colour(each))
        add(np.array([[foot, foot + arm * radius]]), accent)
    scene.overlay.set_lines(MARKS, np.array(lines), np.array(tints))


def _arc(joint: TreeJoint, axis: Array, foot: Array, arm: Array, value: float) -> Array:
    """From limit to limit, with a stroke at each; a circle where a whole turn is free."""
    lower, upper = joint.limits or (-math.inf, math.inf)
    is_whole = not upper - lower < 2 * math.pi
    angles = np.linspace(-math.pi, math.pi, _PIECES + 1) if is_whole else np.linspace(lower, upper, _PIECES + 1) - value
    points = _turned(axis, foot, arm, angles)
    lines = np.stack([points[:-1], points[1:]], axis=1)
    if is_whole:
        return lines
    ends = np.array([[foot + 0.86 * (p - foot), foot + 1.14 * (p - foot)] for p in (points[0], points[-1])])
    return np.concatenate([lines, ends])


def _closed_arc(interval: ClosedInterval, axis: Array, foot: Array, arm: Array, value: float) -> Array:
    """The part of an interval that half a turn either way reaches."""
    lower, upper = (min(max(end - value, -math.pi), math.pi) for end in (interval.lower, interval.upper))
    count = max(1, math.ceil(_PIECES * (upper - lower) / (2 * math.pi))) if upper > lower else 0
    points = _turned(axis, foot, arm, np.linspace(lower, upper, count + 1))
    return np.stack([points[:-1], points[1:]], axis=1)


def _turned(axis: Array, foot: Array, arm: Array, angles: Array) -> Array:
    """`foot` + `arm` turned about `axis` by each of the angles, by Rodrigues' formula (n, 3)."""
    along = axis * float(axis @ arm)
    return foot + along + np.cos(angles)[:, None] * (arm - along) + np.sin(angles)[:, None] * np.cross(axis, arm)


def _colour(interval: ClosedInterval) -> tuple[float, ...]:
    return (*(scene_colours().error if interval.by_meshes else rgb(colours().warning)), 1.0)


def _slide(joint: TreeJoint, axis: Array, foot: Array, value: float, tick: float) -> Array:
    lower, upper = joint.limits or (value - 1.0, value + 1.0)
    one, two = (foot + (limit - value) * axis for limit in (lower, upper))
    lines = [[one, two]]
    if joint.limits is not None:
        lines += [[end - tick * side, end + tick * side] for end in (one, two) for side in across(axis)]
    return np.array(lines)


Modifiers = Qt.KeyboardModifier
#: Metres that Ctrl rounds a sliding joint to.
_SNAP = 0.01


class JointDrag:
    """`carrier` is the joint that carries what was grabbed, `joint` the one that it follows: itself, or by mimic."""

    def __init__(self, hand: Hand, joint: TreeJoint, carrier: TreeJoint, grabbed: Array, start: QPointF) -> None:
        session, scene, self._tell = hand
        self._session, self._scene = session, scene
        self.joint, self._carrier = joint, carrier
        self._before = session.pose
        tree = session.tree
        assert tree is not None
        follow = tree.follows[carrier.name]
        self._factor = follow.multiplier or 1.0
        pose = session.transforms[tree.index[carrier.child]]
        self._local = pose[:3, :3].T @ (grabbed - pose[:3, 3])
        self._pointer = Pointer(start)
        axis = pose[:3, :3] @ carrier.axis
        self._place, self._axes = pose[:3, 3].copy(), np.column_stack([axis, *across(axis)])
        self._is_sliding = carrier.type is JointType.PRISMATIC
        self._first = self._slid(start) if self._is_sliding else 0.0
        self._turning = None if self._is_sliding else Turning(scene.camera, self._place, axis, grabbed, start)
        self.hint = f"Turns {joint.name} · Tab: the joint above · Shift: fine · Ctrl: steps · Esc puts it back"
        if self._is_sliding:
            self.hint = self.hint.replace("Turns", "Slides", 1)

    def move(self, at: QPointF, modifiers: Modifiers) -> None:
        place = self._pointer.follow(at, modifiers)
        moved = self._turning.angle(place) if self._turning is not None else self._slid(place) - self._first
        wanted = self._before[self.joint.name] + moved / self._factor
        if modifiers & Modifiers.ControlModifier:
            step = _SNAP if self.joint.type is JointType.PRISMATIC else SNAP_ANGLE
            wanted = round(wanted / step) * step
        value = clamped(self.joint, wanted)
        self._session.move_joints({self.joint.name: value})
        self._show()
        self._tell(self._describe(value, is_stopped=abs(value - wanted) > 1e-9), at)

    def finish(self) -> None:
        self._scene.overlay.remove(MARKS)

    def cancel(self) -> None:
        self._session.move_joints({self.joint.name: self._before[self.joint.name]})
        self._scene.overlay.remove(MARKS)

    def _slid(self, at: QPointF) -> float:
        ray = self._scene.camera.ray(at.x(), at.y())
        place = along_handle(self._place, self._axes, Handle(0, False), ray)
        return 0.0 if place is None else float((place - self._place) @ self._axes[:, 0])

    def _show(self) -> None:
        tree = self._session.tree
        if tree is None:
            return
        pose = self._session.transforms[tree.index[self._carrier.child]]
        grabbed = pose[:3, :3] @ self._local + pose[:3, 3]
        name = self._carrier.name
        closed = self._session.closed.of(name)
        show_joint(self._scene, self._carrier, pose, self._session.pose[name], grabbed, closed)

    def _describe(self, value: float, *, is_stopped: bool) -> str:
        display = self._session.display
        quantity = joint_quantity(self.joint.type is JointType.PRISMATIC)
        text = f"{self.joint.name}\n{quantity.described(value, display)}"
        if self.joint.limits is not None and not math.isinf(self.joint.limits[1] - self.joint.limits[0]):
            lower, upper = (quantity.described(limit, display) for limit in self.joint.limits)
            text += f"   ({lower} to {upper})"
        return f"{text}\nat its limit" if is_stopped else text
