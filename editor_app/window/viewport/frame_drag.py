"""Requests of a pointer, and targets of the handles: a frame that is moved and turned, a link, a
tool."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QPointF, Qt

from editor_app.core.arrays import F64
from editor_app.core.document.commands import SetJoint
from editor_app.core.document.commands.lists import set_item
from editor_app.core.model.origin import Origin
from editor_app.core.model.robot import Change
from editor_app.core.model.urdf import Joint
from editor_app.core.model.xrdf import AddFrame, FixedTransform
from editor_app.core.space.kinematics.inverse import Reach, ToolTarget
from editor_app.core.space.kinematics.transforms import (
    Matrix,
    across,
    build_axis_rotation,
    build_origin_matrix,
    fixed_transform_matrix,
    invert,
    matrix_origin,
    matrix_to_quaternion,
)
from editor_app.window.bindings.quantity import LENGTH, turned_by
from editor_app.window.poses import told_short
from editor_app.window.reaching import SETTLE, Put
from editor_app.window.session import DisplayOptions, Session
from editor_app.window.viewport.camera import ViewCamera
from editor_app.window.viewport.gizmo import Gizmo, Handle, along_handle
from editor_app.window.viewport.palette import scene_colours
from editor_app.window.viewport.scene import ViewScene

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
    """The context of drags and tools; `tell` shows a text beside the pointer, "" takes it away."""

    session: Session
    scene: ViewScene
    tell: Callable[[str, QPointF], None]


class Pointer:
    """The pointer's position if moves with Shift count a tenth."""

    def __init__(self, start: QPointF) -> None:
        self._at = self._last = QPointF(start)

    def follow(self, at: QPointF, modifiers: Modifiers) -> QPointF:
        step = at - self._last
        self._at += step / FINE if modifiers & Modifiers.ShiftModifier else step
        self._last = QPointF(at)
        return self._at


class Turning:
    """The angle that carries what was grabbed to the pointer, over any number of turns."""

    def __init__(
        self, camera: ViewCamera, pivot: F64, axis: F64, grabbed: F64, start: QPointF
    ) -> None:
        self._camera, self._axis, self._start = camera, axis, QPointF(start)
        self._foot = pivot + axis * float(axis @ (grabbed - pivot))
        self._angle = 0.0
        arm = grabbed - self._foot
        towards = self._foot - camera.eye
        self._facing = (
            abs(float(axis @ towards)) / max(float(np.linalg.norm(towards)), 1e-9) >= _FACING
        )
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
        """The direction from the axis to the pointer in the plane of the turn; None too near, or
        beyond the horizon."""
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

    def _across(self, arm: F64) -> F64:
        """(2,) pixels that what was grabbed goes on the screen in a radian; never so few that it
        would race."""
        step = np.cross(self._axis, arm)
        if float(np.linalg.norm(step)) < 1e-9:
            step = np.cross(self._axis, self._camera.backward)
        scale = self._camera.metres_per_pixel(self._foot)
        way: F64 = (
            np.array([float(step @ self._camera.right), -float(step @ self._camera.up)]) / scale
        )
        size = float(np.linalg.norm(way))
        if size < 1e-6:
            return np.array([_LEAST, 0.0])
        return way * max(1.0, _LEAST / size)


class Pull:
    """A shift (3,) and a turn (3, 3), in the base frame, of what is grabbed by a handle; in the
    view plane by none."""

    def __init__(
        self, camera: ViewCamera, position: F64, axes: F64, handle: Handle | None, start: QPointF
    ) -> None:
        self._camera, self._position, self._axes, self._handle = (
            camera,
            position.copy(),
            axes.copy(),
            handle,
        )
        self._pointer = Pointer(start)
        self._turning: Turning | None = None
        if handle is not None and handle.is_ring:
            axis = self._axes[:, handle.axis]
            ray = camera.ray(start.x(), start.y())
            grabbed = along_handle(position, axes, Handle(handle.axis, True), ray)
            self._turning = Turning(
                camera, position, axis, position if grabbed is None else grabbed, start
            )
        self._first = self._place(start)
        self._shift: F64 = np.zeros(3)
        #: Radians about the ring.
        self.angle = 0.0

    def to(self, at: QPointF, modifiers: Modifiers) -> tuple[F64, F64]:
        at = self._pointer.follow(at, modifiers)
        snaps = bool(modifiers & Modifiers.ControlModifier)
        if self._turning is not None and self._handle is not None:
            angle = self._turning.angle(at)
            self.angle = round(angle / SNAP_ANGLE) * SNAP_ANGLE if snaps else angle
            return np.zeros(3), build_axis_rotation(
                self._axes[:, self._handle.axis].tolist(), self.angle
            )
        place = self._place(at)
        if place is not None and self._first is not None:
            self._shift = place - self._first
            if snaps:
                self._shift = self._axes @ (np.round((self._axes.T @ self._shift) / SNAP) * SNAP)
        return self._shift, np.eye(3)

    @property
    def along(self) -> F64:
        """(3,) the shift in the handle's own directions."""
        return self._axes.T @ self._shift

    def _place(self, at: QPointF) -> F64 | None:
        if self._handle is None:
            place: F64 = self._camera.on_view_plane(at.x(), at.y(), self._position)
            return place
        if self._handle.is_ring:
            return None
        return along_handle(
            self._position, self._axes, self._handle, self._camera.ray(at.x(), at.y())
        )


def told_along(shift: F64, display: DisplayOptions, axes: str = "xyz") -> str:
    """The parts of a shift (3,) along some axes, without the unit: "Δx −1.2   Δy 0.3"."""
    named = zip("xyz", shift.tolist(), strict=True)
    return "   ".join(
        f"Δ{name} {LENGTH.signed(value, display)}" for name, value in named if name in axes
    )


def told_at(place: Iterable[float], display: DisplayOptions) -> str:
    return (
        f"at {'   '.join(LENGTH.column(value, display) for value in place)} {display.length_unit}"
    )


#: Digits behind the point, of metres and radians: what a hand places is no finer than a micrometre.
DIGITS = 6


class FrameDrag(ABC):
    """A drag of `name`, which stood at the (4, 4) `pose` in the base frame: one step, which Esc
    takes back."""

    def __init__(
        self, hand: Hand, name: str, pose: F64, handle: Handle | None, start: QPointF, moves: str = "",
        gizmo: Gizmo | None = None,
    ) -> None:  # fmt: skip
        """`moves`: what the hint says is moved; default: `name`. `gizmo`: the handles; default: the
        selection's."""
        self._session, self._scene, self._tell = hand
        self._name, self._pose, self._handle = name, pose.copy(), handle
        gizmo = gizmo or self._scene.gizmo
        self._pull = Pull(self._scene.camera, gizmo.position, gizmo.axes, handle, start)
        way = (
            "in the view plane"
            if handle is None
            else f"{'about' if handle.is_ring else 'along'} {handle.name}"
        )
        verb = "Turns" if self.is_turn else "Moves"
        self.hint = f"{verb} {moves or name} {way} · Shift: fine · Ctrl: steps · Esc: cancel"

    @property
    def is_turn(self) -> bool:
        """True if a ring is dragged, which leaves the place."""
        return self._handle is not None and self._handle.is_ring

    def move(self, at: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        shift, turn = self._pull.to(at, modifiers)
        pose = self._pose.copy()
        pose[:3, 3] += shift
        pose[:3, :3] = turn @ pose[:3, :3]
        self._scene.pace.moved()
        words = self.take(pose)
        if self._handle is not None and self._handle.is_ring:
            words = f"{self._handle.name} {turned_by(self._pull.angle)}"
        self._tell(f"{self._name}\n{words}{self.problem()}", at)

    @abstractmethod
    def take(self, pose: F64) -> str:
        """Puts it to a (4, 4) pose in the base frame; gives the words about the place."""

    def problem(self) -> str:
        """A line about what keeps it from its place, with its line break."""
        return ""

    def finish(self) -> None:
        self._session.seal()

    def cancel(self) -> None:
        self._session.abandon()


def hand_origin(matrix: F64) -> Origin:
    """A (4, 4) pose as a hand places it."""
    placed = matrix_origin(matrix)
    x, y, z, roll, pitch, yaw = (round(value, DIGITS) + 0.0 for value in (*placed.xyz, *placed.rpy))
    return Origin((x, y, z), (roll, pitch, yaw))


#: The joint that carries a link, or the number of the modifier that adds a frame, and the modifier.
Carrier = Joint | tuple[int, AddFrame]


class LinkDrag(FrameDrag):
    """One step; Esc: cancel. What hangs on the link moves along."""

    def __init__(
        self,
        hand: Hand,
        frame: str,
        carrier: Carrier,
        pose: Matrix,
        handle: Handle | None,
        start: QPointF,
    ) -> None:
        super().__init__(hand, frame, pose, handle, start, f"the origin of {frame}")
        self._carrier, session = carrier, hand.session
        if isinstance(carrier, Joint):
            parent, origin = carrier.parent, build_origin_matrix(carrier.origin)
        else:
            parent, origin = (
                carrier[1].parent_frame_name,
                fixed_transform_matrix(carrier[1].fixed_transform),
            )
        self._parent: Matrix = session.transforms[session.tree.index[parent]].copy()
        #: What the joint's position does, which stays.
        self._moved_by: Matrix = invert(self._parent @ origin) @ pose

    def take(self, pose: Matrix) -> str:
        origin = invert(self._parent) @ pose @ invert(self._moved_by)
        self._session.execute(self._change(origin), merge=("place", self._name))
        return f"{told_at(origin[:3, 3].tolist(), self._session.display)} in its parent"

    def _change(self, origin: Matrix) -> Change:
        placed = hand_origin(origin)
        if isinstance(self._carrier, Joint):
            # A turn that was not made keeps its digits.
            moved = placed if self.is_turn else replace(self._carrier.origin, xyz=placed.xyz)
            return SetJoint(self._carrier.name, replace(self._carrier, origin=moved))
        index, frame = self._carrier
        fixed = frame.fixed_transform
        wxyz = matrix_to_quaternion(origin[:3, :3]) if self.is_turn else fixed.orientation_wxyz
        return set_item(
            "xrdf.modifiers",
            index,
            replace(frame, fixed_transform=FixedTransform(placed.xyz, wxyz)),
        )


_SHORT = "viewport.out of reach"


class ToolDrag(FrameDrag):
    """Moves `frame`; frames that are held stay where they are. What was put is known when the tool
    is let go."""

    def __init__(self, hand: Hand, frame: str, handle: Handle, start: QPointF) -> None:
        session = hand.session
        self._before = session.pose
        place = session.transform(frame)
        assert place is not None
        super().__init__(hand, frame, place, handle, start)
        self._along = handle.name
        self._solver = session.reaching.solver(frame)
        # The held ones stay where they are now, also where they cannot be held.
        self._held = session.reaching.targets(self._solver, place, turned=True)[1:]
        self._targets: tuple[ToolTarget, ...] = ()
        self._reach: Reach | None = None

    def take(self, pose: F64) -> str:
        tool, *_ = self._session.reaching.targets(self._solver, pose, turned=self.is_turn)
        self._targets = (tool, *self._held)
        self._follow()
        display = self._session.display
        return f"{told_along(self._pull.along, display, self._along)} {display.length_unit}"

    def problem(self) -> str:
        return f"\n{short}" if (short := self._short()) else ""

    def finish(self) -> None:
        if self._targets:
            self._follow(SETTLE)
            if short := self._short():
                self._session.message.emit(f"{self._name} {short}.")
            self._session.reaching.set_put(Put(self._before, self._targets))
        self._scene.overlay.remove(_SHORT)

    def cancel(self) -> None:
        self._session.move_joints(
            {name: self._before[name] for name in self._solver.chain.variables}
        )
        self._scene.overlay.remove(_SHORT)

    def _follow(self, *steps: int) -> None:
        """Brings the tools there; a line goes from where each of them stops to where it is
        wanted."""
        reach = self._reach = self._solver.follow(self._targets, self._session.pose, *steps)
        self._session.move_joints({name: reach.pose[name] for name in self._solver.chain.variables})
        tree, display = self._session.tree, self._session.display
        lines: list[list[F64]] = []
        texts: list[str] = []
        for target, distance in zip(self._targets, reach.distances, strict=True):
            if distance > 5e-4:
                lines.append(
                    [self._session.transforms[tree.index[target.frame]][:3, 3], target.position]
                )
                texts.append(f"{LENGTH.column(distance, display)} {display.length_unit}")
        colour = np.array([*scene_colours().error, 1.0])
        self._scene.overlay.set_lines(_SHORT, np.array(lines), colour, texts, width=3.0)

    def _short(self) -> str:
        if self._reach is None or self._reach.is_reached:
            return ""
        return f"stops {told_short(self._reach, self._solver, self._session.display)}"
