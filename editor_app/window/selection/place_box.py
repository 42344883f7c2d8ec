"""Pose of the selected frame in another one: live while the robot moves; typed values move the
frame there."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from editor_app.core.model.pose import Pose
from editor_app.core.space.kinematics.frame_deviations import FramePose
from editor_app.core.space.kinematics.transforms import Matrix, invert, rpy_matrix
from editor_app.window.actions.actions import ActionRegistry
from editor_app.window.bindings.choice_box import NameBox
from editor_app.window.bindings.elision import WrappedLabel
from editor_app.window.bindings.number_field import NumberInput, ScrubLabel
from editor_app.window.bindings.panel import flat_button, row_of, tool_button
from editor_app.window.bindings.quantity import ANGLE, LENGTH, Quantity
from editor_app.window.poses import told_short
from editor_app.window.session import AngleUnit, Session
from editor_app.window.theme import tabular_font
from editor_app.window.timers import after
from editor_app.window.widgets import (
    PlainLabel,
    action_button,
    dress,
    fill_layout,
    grid,
    plain_text,
)
from editor_app.window.xrdf.frames import frames_of

#: Decimals of metres, degrees and radians that a focused field has: the solver's last digits are
#: noise.
_METRES, _DEGREES, _RADIANS = 7, 6, 8
COPIES = ("place.copy_urdf", "place.copy_xrdf", "place.copy_ros")
TRIES = (("motion.to_tool", "path", "Plan"), ("motion.straight", "line-segment", "Straight"))


class PlaceBox(QWidget):
    """Six numbers, each typed, stepped or dragged by inverse kinematics, in a frame that is
    chosen."""

    def __init__(self, session: Session, registry: ActionRegistry | None = None) -> None:
        super().__init__()
        self._session, self._reaching = session, session.reaching
        self._frame = ""
        #: The pose before a gesture.
        self._before: Pose | None = None
        self._moving = False
        self.reference = NameBox("Reference frame of the position", "frame")
        self.reference.chosen.connect(self._choose_reference)
        self.copy = dress(
            flat_button("copy", "Copy the position"), tip="Copy position and rotation as text"
        )
        self.position = [
            self._field(f"Position {axis}", LENGTH, k, turned=False) for k, axis in enumerate("xyz")
        ]
        names = ("Roll", "Pitch", "Yaw")
        self.rotation = [self._field(name, ANGLE, k, turned=True) for k, name in enumerate(names)]
        self.quaternion = self._line("Quaternion x y z w, in the order of ROS")
        self.axis = self._line("Rotation axis and angle")
        #: Quaternion and axis, on demand, and the button that shows them.
        self.forms, self.more = QWidget(self), list[QToolButton]()
        self.short = WrappedLabel("")
        self.short.setProperty("warning", True)
        self.tries: list[QToolButton] = []
        self._arrange(registry)
        # A pose that comes many times a second is shown once.
        after(
            self,
            self._follow,
            on=(session.pose_changed, session.tree_changed, session.document_opened),
        )
        session.display_changed.connect(self._on_display)
        self._reaching.changed.connect(self._on_reaching)
        self._on_display(session.display)

    def _arrange(self, registry: ActionRegistry | None) -> None:
        numbers = grid()
        for line, fields in enumerate((self.position, self.rotation)):
            for k, (text, field) in enumerate(zip(("xyz", "rpy")[line], fields, strict=True)):
                label = ScrubLabel(text, field)
                label.setToolTip(plain_text(f"{field.accessibleName()}. {label.toolTip()}"))
                numbers.addWidget(label, line, 2 * k)
                numbers.addWidget(field, line, 2 * k + 1)
                numbers.setColumnStretch(2 * k + 1, 1)
        self._units = [dress(PlainLabel(), look="muted") for _ in range(2)]
        for line, unit in enumerate(self._units):
            numbers.addWidget(unit, line, 6)
        forms = (("xyzw", self.quaternion), ("axis", self.axis))
        rows = (
            row_of(dress(PlainLabel(text), look="muted"), line, stretch=1) for text, line in forms
        )
        fill_layout(QVBoxLayout(self.forms), *rows, margins=0, spacing=4)
        if registry is not None:
            self.more.append(action_button(registry["place.forms"], self, is_icon_alone=True))
            menu = QMenu(self)
            menu.addActions([registry[name] for name in COPIES])
            self.copy.setMenu(menu)
            self.copy.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
            for name, icon, text in (each for each in TRIES if each[0] in registry):
                button = tool_button(icon, text, run=partial(registry.trigger, name))
                button.setProperty("action", name)
                self.tries.append(button)
        fill_layout(
            QVBoxLayout(self),
            row_of(PlainLabel("Position in"), self.reference, self.copy, *self.more, stretch=1),
            numbers,
            self.forms,
            self.short,
            fill_layout(QHBoxLayout(), *((button, 1) for button in self.tries), spacing=4),
            margins=0,
            spacing=4,
        )
        self._on_reaching()

    def _line(self, name: str) -> PlainLabel:
        """Numbers that can be marked and copied, and make no panel wider."""
        label = dress(PlainLabel(), name=name, tip=name, font=tabular_font(self.font()))
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        return label

    def _field(self, name: str, quantity: Quantity, axis: int, *, turned: bool) -> NumberInput:
        field = NumberInput(self._session, quantity, name, partial(self._move, axis, turned))
        field.setMinimumWidth(44)
        field.hide_unit()
        field.finished.connect(partial(self._end_gesture, False))
        field.abandoned.connect(partial(self._end_gesture, True))
        field.rejected.connect(self._tell_short)
        return field

    # -- what is shown

    def show_frame(self, frame: str | None) -> None:
        """Show another frame; hide the box if the structure lacks it."""
        if frame is None or frame not in self._session.tree.index:
            frame = ""
        if frame != self._frame:
            self._frame = frame
            self._tell_short("")
        self.setVisible(bool(frame))
        if frame:
            self._follow()
            self._on_reaching()

    def place(self) -> FramePose | None:
        """Return the place of the frame at the present pose."""
        tree = self._session.tree
        if self._frame not in tree.index:
            return None
        reference = (
            self._reaching.reference if self._reaching.reference in tree.index else tree.root
        )
        worlds = [self._session.transform(name) for name in (reference, self._frame)]
        assert worlds[0] is not None
        assert worlds[1] is not None
        return FramePose(self._frame, reference, invert(worlds[0]) @ worlds[1])

    def _follow(self) -> None:
        place, tree = self.place(), self._session.tree
        if place is None or self.isHidden():
            return
        self.reference.set_choices(
            [tree.root, *(name for name in frames_of(self._session) if name != tree.root)]
        )
        self.reference.set_value(place.reference)
        is_moved = any(joint.is_movable for joint in tree.path(tree.root, self._frame))
        note = "" if is_moved else "No joint moves this frame."
        if is_moved and place.reference == self._frame:
            note = "Along the axes of the frame itself: a typed number moves it by that amount."
        numbers = (
            *(round(value, _METRES) for value in place.position),
            *map(self._angle, place.rpy),
        )
        for field, value in zip((*self.position, *self.rotation), numbers, strict=True):
            if field.isReadOnly() == is_moved:
                field.setReadOnly(not is_moved)
                # The style sheet asks for it.
                field.style().unpolish(field)
                field.style().polish(field)
            field.set_value(value + 0.0, note=note)
        axis, angle = place.axis_angle
        self.quaternion.setText(_row(place.quaternion_xyzw))
        self.axis.setText(f"{_row(axis, 3)}  by {ANGLE.described(angle, self._session.display)}")
        if not self._moving:
            self._tell_short("")

    def _angle(self, value: float) -> float:
        """Without noise in the unit in which it is shown."""
        if self._session.display.angle_unit is AngleUnit.RADIAN:
            return round(value, _RADIANS)
        return math.radians(round(math.degrees(value), _DEGREES))

    def _tell_short(self, sentence: str) -> None:
        self.short.setText(sentence)
        self.short.setVisible(bool(sentence))

    def _on_display(self, display: object) -> None:
        for unit, quantity in zip(self._units, (LENGTH, ANGLE), strict=True):
            unit.setText(quantity.unit(self._session.display))
        self.forms.setVisible(self._session.display.rotation_forms)
        self._follow()

    def _on_reaching(self) -> None:
        put = self._reaching.put
        is_put = put is not None and put.targets[0].frame == self._frame
        tips = (
            "Plan a motion from the previous pose to the tool target",
            "Move the tool to its target in a straight line from the previous pose",
        )
        for button, tip in zip(self.tries, tips, strict=False):
            button.setEnabled(is_put)
            button.setToolTip(
                plain_text(tip if is_put else "Type or drag a target for the tool first.")
            )
        self._follow()

    # -- what the user does

    def _choose_reference(self, name: str) -> None:
        self._reaching.set_reference("" if name == self._session.tree.root else name)

    def _move(self, axis: int, turned: bool, value: float, live: bool) -> None:
        place = self.place()
        if place is None:
            return
        if live and self._before is None:
            self._before = self._session.pose
        goal: Matrix = place.matrix.copy()
        if turned:
            rpy = [*place.rpy]
            rpy[axis] = value
            goal[:3, :3] = rpy_matrix(*rpy)
        else:
            goal[axis, 3] = value
        base = self._session.transform(place.reference)
        assert base is not None
        self._moving = True
        try:
            reach, solver = self._reaching.go(
                self._frame, np.asarray(base @ goal), turned=turned, live=live
            )
            self._follow()
        finally:
            self._moving = False
        short = (
            "" if reach.is_reached else f"Stops {told_short(reach, solver, self._session.display)}."
        )
        self._tell_short(short)

    def _end_gesture(self, is_abandoned: bool) -> None:
        if is_abandoned and self._before is not None:
            self._session.move_joints(self._before)
        self._before = None


def _row(values: tuple[float, ...], decimals: int = 4) -> str:
    """As many decimals each, with a real minus, and no minus before zero."""
    return "  ".join(
        f"{round(value, decimals) + 0.0:.{decimals}f}".replace("-", "\N{MINUS SIGN}")
        for value in values
    )
