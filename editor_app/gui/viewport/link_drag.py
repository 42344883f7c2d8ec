"""A link, or an added frame, under the handles: its joint's origin, or its transform, follows every step."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QPointF

from editor_app.edit.commands import SetJoint, SetModifier
from editor_app.gui.viewport.gizmo import Handle
from editor_app.gui.viewport.posing.frame_drag import FrameDrag, hand_origin
from editor_app.gui.viewport.posing.pointer import Hand, told_at
from editor_app.kinematics.transforms import Matrix, fixed_transform_matrix, invert, matrix_to_quaternion, origin_matrix
from editor_app.model.change import Change
from editor_app.model.urdf import Joint
from editor_app.model.xrdf import AddFrame, FixedTransform

#: The joint that carries a link, or the number of the modifier that adds a frame, and the modifier.
Carrier = Joint | tuple[int, AddFrame]


class LinkDrag(FrameDrag):
    """One step; Esc puts it back. What hangs on the link moves along."""

    def __init__(
        self, hand: Hand, frame: str, carrier: Carrier, pose: Matrix, handle: Handle | None, start: QPointF
    ) -> None:
        super().__init__(hand, frame, pose, handle, start, f"the origin of {frame}")
        self._carrier, session = carrier, hand.session
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
        return f"{told_at(origin[:3, 3].tolist(), self._session.display)} in its parent"

    def finish(self) -> None:
        self._session.seal()

    def cancel(self) -> None:
        self._session.abandon()

    def _change(self, origin: Matrix) -> Change:
        placed = hand_origin(origin)
        if isinstance(self._carrier, Joint):
            # A turn that was not made keeps its digits.
            moved = placed if self.is_turn else replace(self._carrier.origin, xyz=placed.xyz)
            return SetJoint(self._carrier.name, replace(self._carrier, origin=moved))
        index, frame = self._carrier
        fixed = frame.fixed_transform
        wxyz = matrix_to_quaternion(origin[:3, :3]) if self.is_turn else fixed.orientation_wxyz
        return SetModifier(index, replace(frame, fixed_transform=FixedTransform(placed.xyz, wxyz)))
