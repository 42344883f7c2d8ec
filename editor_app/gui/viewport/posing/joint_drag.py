"""A drag of a link: its joint turns until what was grabbed is under the pointer, or the limit is reached."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QPointF, Qt

from editor_app.gui.bindings.quantity import joint_quantity
from editor_app.gui.poses import clamped
from editor_app.gui.viewport.camera import Array
from editor_app.gui.viewport.gizmo import Handle, along_handle
from editor_app.gui.viewport.posing import joint_marks
from editor_app.gui.viewport.posing.pointer import SNAP_ANGLE, Hand, Pointer, Turning
from editor_app.gui.viewport.vtk_tools import across
from editor_app.kinematics.structure import TreeJoint
from editor_app.model.urdf import JointType

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
        self._scene.overlay.remove(joint_marks.MARKS)

    def cancel(self) -> None:
        self._session.move_joints({self.joint.name: self._before[self.joint.name]})
        self._scene.overlay.remove(joint_marks.MARKS)

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
        joint_marks.show(self._scene, self._carrier, pose, self._session.pose[name], grabbed, closed)

    def _describe(self, value: float, *, is_stopped: bool) -> str:
        display = self._session.display
        quantity = joint_quantity(self.joint.type is JointType.PRISMATIC)
        text = f"{self.joint.name}\n{quantity.described(value, display)}"
        if self.joint.limits is not None and not math.isinf(self.joint.limits[1] - self.joint.limits[0]):
            lower, upper = (quantity.described(limit, display) for limit in self.joint.limits)
            text += f"   ({lower} to {upper})"
        return f"{text}\nat its limit" if is_stopped else text
