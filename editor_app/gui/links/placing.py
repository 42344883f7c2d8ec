"""Handles at the selected link: dragging them moves the origin of its joint, or the transform of an added frame."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, Qt

from editor_app.edit.commands import SetJoint, SetModifier
from editor_app.gui.bindings.quantity import LENGTH
from editor_app.gui.files.expansions import read_only
from editor_app.gui.session import Session
from editor_app.gui.signed_text import turned_by
from editor_app.gui.workbench import Workbench
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

if TYPE_CHECKING:
    from editor_app.gui.viewport.gizmo import Grip, Handle
    from editor_app.gui.viewport.view import Viewport

#: Digits behind the point, of metres and radians: what a hand places is no finer than a micrometre.
_DIGITS = 6


class LinkPlacing:
    """Whether the handles are shown; off at the start, since a drag of a link selects or orbits otherwise."""

    def __init__(self, workbench: Workbench) -> None:
        self._session: Session = workbench.session
        self._view: Viewport | None = None
        self.is_on = False
        workbench.viewport_ready.connect(self._set_view)

    def flip(self) -> None:
        """Shows the handles, or hides them."""
        self.is_on = not self.is_on
        if self._view is not None:
            self._view.scene.place_gizmo()

    def _set_view(self, view: Viewport) -> None:
        self._view = view
        view.scene.grips.append(self._grip)
        view.scene.place_gizmo()

    def _grip(self) -> Grip | None:
        selection, tree = self._session.selection, self._session.tree
        if not self.is_on or self._view is None or tree is None or len(selection.links) != 1 or selection.spheres:
            return None
        (frame,) = selection.links
        carrier = carrier_of(self._session, frame)
        if carrier is None or frame not in tree.index:
            return None
        # It takes VTK along, which the window does not wait for.
        from editor_app.gui.viewport.gizmo import Grip

        pose = self._session.transforms[tree.index[frame]]
        return Grip(frame, pose, partial(LinkDrag, self._session, self._view, frame, carrier, pose.copy()))


def carrier_of(session: Session, frame: str) -> Joint | tuple[int, AddFrame] | None:
    """The joint that carries a link, or the modifier that adds a frame with its place; None for others."""
    robot = session.robot
    if robot is None:
        return None
    for place, each in enumerate(robot.xrdf.modifiers or ()):
        if isinstance(each, AddFrame) and each.frame_name == frame:
            return place, each
    return robot.urdf.joint_to(frame) if read_only(session) is None else None


class LinkDrag:
    """By a handle, or by itself in the view plane: one step; Esc puts it back. What hangs on the link moves along."""

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
        from editor_app.gui.viewport.posing.pointer import Pull

        self._session, self._view, self._frame, self._carrier = session, view, frame, carrier
        self._pose, self._handle = pose, handle
        gizmo = view.scene.gizmo
        self._pull = Pull(view.scene.camera, gizmo.position, gizmo.axes, handle, start)
        way = "in the view plane" if handle is None else f"{'about' if handle.is_ring else 'along'} {handle.name}"
        self.hint = f"Moves the origin of {frame} {way} · Shift: fine · Ctrl: steps · Esc puts it back"
        assert session.tree is not None
        parent = carrier.parent if isinstance(carrier, Joint) else carrier[1].parent_frame_name
        self._parent: Matrix = session.transforms[session.tree.index[parent]].copy()
        self._origin = origin_matrix(carrier.origin) if isinstance(carrier, Joint) else _matrix_of(carrier[1])
        #: What the joint's position does, which stays.
        self._moved_by: Matrix = invert(self._parent @ self._origin) @ pose

    def move(self, at: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        shift, turn = self._pull.to(at, modifiers)
        place = self._pose.copy()
        place[:3, 3] += shift
        if self._handle is not None and self._handle.is_ring:
            place[:3, :3] = turn @ place[:3, :3]
        origin = invert(self._parent) @ place @ invert(self._moved_by)
        self._view.scene.pace.moved()
        self._session.execute(self._change(origin), merge=("place", self._frame))
        self._view.interaction.label_changed.emit(self._describe(origin), at)

    def finish(self) -> None:
        """It stays where it is."""
        self._session.seal()

    def cancel(self) -> None:
        self._session.abandon()

    def _change(self, origin: Matrix) -> Change:
        placed = matrix_origin(origin)
        x, y, z, *rpy = (round(value, _DIGITS) + 0.0 for value in (*placed.xyz, *placed.rpy))
        if isinstance(self._carrier, Joint):
            turned = self._handle is not None and self._handle.is_ring
            # A turn that was not made keeps its digits.
            moved = (
                Origin((x, y, z), (rpy[0], rpy[1], rpy[2])) if turned else replace(self._carrier.origin, xyz=(x, y, z))
            )
            return SetJoint(self._carrier.name, replace(self._carrier, origin=moved))
        index, frame = self._carrier
        fixed = frame.fixed_transform
        is_ring = self._handle is not None and self._handle.is_ring
        wxyz = matrix_to_quaternion(origin[:3, :3]) if is_ring else fixed.orientation_wxyz
        return SetModifier(index, replace(frame, fixed_transform=FixedTransform((x, y, z), wxyz)))

    def _describe(self, origin: Matrix) -> str:
        if self._handle is not None and self._handle.is_ring:
            return f"{self._frame}\n{self._handle.name} {turned_by(self._pull.angle)}"
        display = self._session.display
        place = "   ".join(LENGTH.column(float(value), display) for value in origin[:3, 3])
        return f"{self._frame}\nat {place} {display.length_unit} in its parent"


def _matrix_of(frame: AddFrame) -> Matrix:
    return fixed_transform_matrix(frame.fixed_transform)
