"""A link, or an added frame, under the handles: its joint's origin, or its transform, follows every step."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QPointF

from editor_app.edit.commands import SetJoint, SetModifier
from editor_app.gui.bindings.quantity import LENGTH
from editor_app.gui.session import Session
from editor_app.gui.viewport.gizmo import Handle
from editor_app.gui.viewport.posing.frame_drag import FrameDrag
from editor_app.gui.viewport.view import Viewport
from editor_app.kinematics.transforms import (
    Matrix,
    fixed_transform_matrix,
    invert,
    matrix_origin,
    matrix_to_quaternion,
    origin_matrix,
)
from editor_app.model.change import Change
from editor_app.model.origin import Origin
from editor_app.model.urdf import Joint
from editor_app.model.xrdf import AddFrame, FixedTransform

#: Digits behind the point, of metres and radians: what a hand places is no finer than a micrometre.
DIGITS = 6


class LinkDrag(FrameDrag):
    """One step; Esc puts it back. What hangs on the link moves along."""

    def __init__(
        self,
        session: Session,
        view: Viewport,
        frame: str,
        carrier: Joint | tuple[int, AddFrame],
        pose: Matrix,
        handle: Handle | None,
        start: QPointF,
    ) -> None:
        super().__init__(view, frame, pose, handle, start, f"the origin of {frame}")
        self._session, self._carrier = session, carrier
        assert session.tree is not None
        if isinstance(carrier, Joint):
            parent, origin = carrier.parent, origin_matrix(carrier.origin)
        else:
            parent, origin = carrier[1].parent_frame_name, fixed_transform_matrix(carrier[1].fixed_transform)
        self._parent: Matrix = session.transforms[session.tree.index[parent]].copy()
        #: What the joint's position does, which stays.
        self._moved_by: Matrix = invert(self._parent @ origin) @ pose

    def take(self, pose: Matrix) -> str:
        origin = invert(self._parent) @ pose @ invert(self._moved_by)
        self._session.execute(self._change(origin), merge=("place", self._name))
        display = self._session.display
        place = "   ".join(LENGTH.column(float(value), display) for value in origin[:3, 3])
        return f"at {place} {display.length_unit} in its parent"

    def finish(self) -> None:
        self._session.seal()

    def cancel(self) -> None:
        self._session.abandon()

    def _change(self, origin: Matrix) -> Change:
        placed = matrix_origin(origin)
        x, y, z, *rpy = (round(value, DIGITS) + 0.0 for value in (*placed.xyz, *placed.rpy))
        if isinstance(self._carrier, Joint):
            # A turn that was not made keeps its digits.
            turned = Origin((x, y, z), (rpy[0], rpy[1], rpy[2]))
            moved = turned if self.is_turn else replace(self._carrier.origin, xyz=(x, y, z))
            return SetJoint(self._carrier.name, replace(self._carrier, origin=moved))
        index, frame = self._carrier
        fixed = frame.fixed_transform
        wxyz = matrix_to_quaternion(origin[:3, :3]) if self.is_turn else fixed.orientation_wxyz
        return SetModifier(index, replace(frame, fixed_transform=FixedTransform((x, y, z), wxyz)))
