"""What a pointer asks for: an angle about an axis, a shift along a handle, a turn about one; slow with Shift."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QPointF, Qt

from editor_app.gui.bindings.quantity import LENGTH
from editor_app.gui.session import DisplayOptions, Session
from editor_app.gui.viewport.camera import Array, Camera
from editor_app.gui.viewport.gizmo import Handle, along_handle
from editor_app.gui.viewport.scene import Scene
from editor_app.gui.viewport.vtk_tools import across
from editor_app.kinematics.transforms import axis_rotation

Modifiers = Qt.KeyboardModifier
#: Shift divides the way of the pointer by this.
FINE = 10.0
#: Ctrl rounds to these: metres, radians.
SNAP, SNAP_ANGLE = 0.001, math.radians(5.0)
#: An axis that comes towards the viewer at least so much (cosine) is turned about on the screen.
_FACING = 0.3
#: Pixels around the axis in which a turn says nothing; pixels that a radian takes at least.
_MIDDLE, _LEAST = 6.0, 60.0


class Hand(NamedTuple):
    """What drags and tools work on; `tell` shows a text beside the pointer, "" takes it away."""

    session: Session
    scene: Scene
    tell: Callable[[str, QPointF], None]


class Pointer:
    """Where the pointer would be had it gone a tenth of the way while Shift was down."""

    def __init__(self, start: QPointF) -> None:
        self._at = self._last = QPointF(start)

    def follow(self, at: QPointF, modifiers: Modifiers) -> QPointF:
        step = at - self._last
        self._at += step / FINE if modifiers & Modifiers.ShiftModifier else step
        self._last = QPointF(at)
        return self._at


class Turning:
    """The angle that carries what was grabbed to the pointer, over any number of turns."""

    def __init__(self, camera: Camera, pivot: Array, axis: Array, grabbed: Array, start: QPointF) -> None:
        self._camera, self._axis, self._start = camera, axis, QPointF(start)
        self._foot = pivot + axis * float(axis @ (grabbed - pivot))
        self._angle = 0.0
        arm = grabbed - self._foot
        towards = self._foot - camera.eye
        self._facing = abs(float(axis @ towards)) / max(float(np.linalg.norm(towards)), 1e-9) >= _FACING
        self._last = self._around(start) if self._facing else None
        self._way = self._across(arm)

    def angle(self, at: QPointF) -> float:
        """Radians since the start."""
        if not self._facing:
            moved = np.array((at - self._start).toTuple())
            return float(moved @ self._way) / float(self._way @ self._way)
        angle_now = self._around(at)
        if angle_now is None:
            return self._angle
        if self._last is not None:
            self._angle += math.remainder(angle_now - self._last, 2 * math.pi)
        self._last = angle_now
        return self._angle

    def _around(self, at: QPointF) -> float | None:
        """The direction from the axis to the pointer in the plane of the turn; None too near, or beyond the horizon."""
        seen = self._camera.project(self._foot)[0, :2]
        if math.hypot(at.x() - seen[0], at.y() - seen[1]) < _MIDDLE:
            return None
        ray = self._camera.ray(at.x(), at.y())
        slope = float(self._axis @ ray.direction)
        if abs(slope) < 1e-6:
            return None
        distance = float(self._axis @ (self._foot - ray.origin)) / slope
        if distance <= 0.0:
            return None
        one, two = across(self._axis)
        away = ray.at(distance) - self._foot
        return math.atan2(float(away @ two), float(away @ one))

    def _across(self, arm: Array) -> Array:
        """(2,) pixels that what was grabbed goes on the screen in a radian; never so few that it would race."""
        step = np.cross(self._axis, arm)
        if float(np.linalg.norm(step)) < 1e-9:
            step = np.cross(self._axis, self._camera.backward)
        scale = self._camera.metres_per_pixel(self._foot)
        way: Array = np.array([float(step @ self._camera.right), -float(step @ self._camera.up)]) / scale
        size = float(np.linalg.norm(way))
        if size < 1e-6:
            return np.array([_LEAST, 0.0])
        return way * max(1.0, _LEAST / size)


class Pull:
    """A shift (3,) and a turn (3, 3), in the base frame, of what is grabbed by a handle; in the view plane by none."""

    def __init__(self, camera: Camera, position: Array, axes: Array, handle: Handle | None, start: QPointF) -> None:
        self._camera, self._position, self._axes, self._handle = camera, position.copy(), axes.copy(), handle
        self._pointer = Pointer(start)
        self._turning: Turning | None = None
        if handle is not None and handle.is_ring:
            axis = self._axes[:, handle.axis]
            ray = camera.ray(start.x(), start.y())
            grabbed = along_handle(position, axes, Handle(handle.axis, True), ray)
            self._turning = Turning(camera, position, axis, position if grabbed is None else grabbed, start)
        self._first = self._place(start)
        self._shift: Array = np.zeros(3)
        #: Radians about the ring.
        self.angle = 0.0

    def to(self, at: QPointF, modifiers: Modifiers) -> tuple[Array, Array]:
        at = self._pointer.follow(at, modifiers)
        snaps = bool(modifiers & Modifiers.ControlModifier)
        if self._turning is not None and self._handle is not None:
            angle = self._turning.angle(at)
            self.angle = round(angle / SNAP_ANGLE) * SNAP_ANGLE if snaps else angle
            return np.zeros(3), axis_rotation(self._axes[:, self._handle.axis].tolist(), self.angle)
        place = self._place(at)
        if place is not None and self._first is not None:
            self._shift = place - self._first
            if snaps:
                self._shift = self._axes @ (np.round((self._axes.T @ self._shift) / SNAP) * SNAP)
        return self._shift, np.eye(3)

    @property
    def along(self) -> Array:
        """(3,) the shift in the handle's own directions."""
        return self._axes.T @ self._shift

    def _place(self, at: QPointF) -> Array | None:
        if self._handle is None:
            place: Array = self._camera.on_view_plane(at.x(), at.y(), self._position)
            return place
        if self._handle.is_ring:
            return None
        return along_handle(self._position, self._axes, self._handle, self._camera.ray(at.x(), at.y()))


def told_along(shift: Array, display: DisplayOptions, axes: str = "xyz") -> str:
    """The parts of a shift (3,) along some axes, without the unit."""
    named = zip("xyz", shift.tolist(), strict=True)
    return "   ".join(f"{name} {LENGTH.signed(value, display)}" for name, value in named if name in axes)


def told_at(place: Iterable[float], display: DisplayOptions) -> str:
    return f"at {'   '.join(LENGTH.column(value, display) for value in place)} {display.length_unit}"
