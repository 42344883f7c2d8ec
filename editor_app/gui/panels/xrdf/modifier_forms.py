"""The values of one modifier. An orientation is edited as a quaternion or as roll, pitch and yaw."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QButtonGroup, QFormLayout, QHBoxLayout, QPushButton, QToolButton, QWidget

from editor_app.edit.commands import RenameAddedFrame
from editor_app.gui.bindings.name_box import NameBox
from editor_app.gui.bindings.number_field import NumberField, ScrubLabel
from editor_app.gui.bindings.quantity import ANGLE, LENGTH, NUMBER, Quantity
from editor_app.gui.bindings.text_field import TextField
from editor_app.gui.bindings.typed_fields import typed_fields
from editor_app.gui.panels.xrdf.frames import frames_of, quantity_of_joint
from editor_app.gui.plain_text import PlainLabel
from editor_app.kinematics.transforms import quaternion_to_rpy, rpy_to_quaternion
from editor_app.model.robot import RobotDescription
from editor_app.model.xrdf import AddFrame, FixedTransform, RemoveMimicAttributes, SetBaseFrame

if TYPE_CHECKING:
    from editor_app.gui.panels.xrdf.modifiers import ModifiersPanel


class _Form(QWidget):
    def __init__(self, panel: ModifiersPanel) -> None:
        super().__init__()
        self.panel = panel
        self.form = QFormLayout(self)
        self.form.setContentsMargins(0, 0, 0, 0)
        self.form.setHorizontalSpacing(8)
        self.form.setVerticalSpacing(4)

    def number(self, name: str, quantity: Quantity, edit: Callable[[float, bool], None]) -> NumberField:
        session = self.panel.session
        field = NumberField(quantity, name)
        field.set_display(session.display)
        field.edited.connect(edit)
        field.finished.connect(session.seal)
        field.abandoned.connect(session.abandon)
        field.rejected.connect(self.panel.tell)
        typed_fields().watch(field, field.commit)
        session.display_changed.connect(field.set_display)
        return field

    def choice(self, name: str, what: str, edit: Callable[[str], None]) -> NameBox:
        box = NameBox(name, what)
        box.chosen.connect(edit)
        box.rejected.connect(self.panel.tell)
        typed_fields().watch(box, box.commit)
        return box


class AddFrameForm(_Form):
    def __init__(self, panel: ModifiersPanel) -> None:
        super().__init__(panel)
        self._index = 0
        self._modifier = AddFrame("", "", "")
        self._rpy = (0.0, 0.0, 0.0)
        self.frame_name = TextField("Name of the frame")
        self.frame_name.edited.connect(lambda text: self._rename(text))
        self.parent_frame = self.choice("Parent frame", "frame", lambda text: self._set(parent_frame_name=text))
        self.joint_name = TextField("Name of the joint")
        self.joint_name.edited.connect(lambda text: self._set(joint_name=text))
        self.position = [
            self.number(f"Position {axis}", LENGTH, self._position_edit(i)) for i, axis in enumerate("xyz")
        ]
        self.rpy = [self.number(name, ANGLE, self._rpy_edit(i)) for i, name in enumerate(("Roll", "Pitch", "Yaw"))]
        self.quaternion = [
            self.number(f"Quaternion {axis}", NUMBER, self._quaternion_edit(i)) for i, axis in enumerate("wxyz")
        ]
        for field in self.quaternion:
            field.set_step(0.01)
        self.form.addRow("Frame", self.frame_name)
        self.form.addRow("Parent", self.parent_frame)
        self.form.addRow("Joint", self.joint_name)
        self.form.addRow(PlainLabel("Position"))
        self.form.addRow(beside("xyz", self.position))
        self.form.addRow(self._orientation_switch())
        self._rpy_row = beside(("roll", "pitch", "yaw"), self.rpy)
        self._quaternion_row = beside("wxyz", self.quaternion)
        self.form.addRow(self._rpy_row)
        self.form.addRow(self._quaternion_row)
        self.normalise = QPushButton("Normalise the quaternion")
        self.normalise.clicked.connect(self._normalise)
        self.form.addRow(self.normalise)
        self._show_orientation(False)

    def _orientation_switch(self) -> QWidget:
        line = QWidget()
        layout = QHBoxLayout(line)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(PlainLabel("Orientation"))
        layout.addStretch(1)
        group = QButtonGroup(line)
        self.as_rpy, self.as_quaternion = QToolButton(), QToolButton()
        for button, text in ((self.as_rpy, "RPY"), (self.as_quaternion, "Quaternion")):
            button.setText(text)
            button.setCheckable(True)
            button.setAccessibleName(f"Orientation as {text}")
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            group.addButton(button)
            layout.addWidget(button)
        self.as_rpy.setChecked(True)
        self.as_quaternion.toggled.connect(self._show_orientation)
        return line

    def show_modifier(self, index: int, modifier: AddFrame, robot: RobotDescription) -> None:
        self._index, self._modifier = index, modifier
        self.frame_name.set_value(modifier.frame_name)
        self.parent_frame.set_choices([f for f in frames_of(self.panel.session) if f != modifier.frame_name])
        self.parent_frame.set_value(modifier.parent_frame_name)
        self.joint_name.set_value(modifier.joint_name)
        transform = modifier.fixed_transform
        for field, value in zip(self.position, transform.position, strict=True):
            field.set_value(value)
        for field, value in zip(self.quaternion, transform.orientation_wxyz, strict=True):
            field.set_value(value)
        # The angles that were typed stay as long as they mean this orientation: many angles mean the same one.
        if not _same_rotation(rpy_to_quaternion(*self._rpy), transform.orientation_wxyz):
            norm = math.hypot(*transform.orientation_wxyz)
            self._rpy = quaternion_to_rpy(transform.orientation_wxyz) if norm > 1e-9 else (0.0, 0.0, 0.0)
        for field, angle in zip(self.rpy, self._rpy, strict=True):
            field.set_value(angle)
        off = abs(math.hypot(*transform.orientation_wxyz) - 1.0)
        self.normalise.setVisible(off > 1e-6)

    def _show_orientation(self, as_quaternion: bool) -> None:
        self._rpy_row.setVisible(not as_quaternion)
        self._quaternion_row.setVisible(as_quaternion)

    def _rename(self, text: str) -> None:
        self.panel.execute(RenameAddedFrame(self._index, text))

    def _set(self, **values: str) -> None:
        self.panel.set_modifier(replace(self._modifier, **values))  # type: ignore[arg-type]

    def _set_transform(self, transform: FixedTransform, live: bool) -> None:
        self.panel.set_modifier(replace(self._modifier, fixed_transform=transform), live)

    def _position_edit(self, place: int) -> Callable[[float, bool], None]:
        def edit(value: float, live: bool) -> None:
            transform = self._modifier.fixed_transform
            x, y, z = (value if i == place else v for i, v in enumerate(transform.position))
            self._set_transform(replace(transform, position=(x, y, z)), live)

        return edit

    def _rpy_edit(self, place: int) -> Callable[[float, bool], None]:
        def edit(value: float, live: bool) -> None:
            roll, pitch, yaw = (value if i == place else v for i, v in enumerate(self._rpy))
            self._rpy = (roll, pitch, yaw)
            transform = self._modifier.fixed_transform
            self._set_transform(replace(transform, orientation_wxyz=rpy_to_quaternion(roll, pitch, yaw)), live)

        return edit

    def _quaternion_edit(self, place: int) -> Callable[[float, bool], None]:
        def edit(value: float, live: bool) -> None:
            transform = self._modifier.fixed_transform
            w, x, y, z = (value if i == place else v for i, v in enumerate(transform.orientation_wxyz))
            self._set_transform(replace(transform, orientation_wxyz=(w, x, y, z)), live)

        return edit

    def _normalise(self) -> None:
        transform = self._modifier.fixed_transform
        norm = math.hypot(*transform.orientation_wxyz)
        if norm > 1e-9:
            w, x, y, z = (v / norm for v in transform.orientation_wxyz)
            self._set_transform(replace(transform, orientation_wxyz=(w, x, y, z)), False)


class BaseFrameForm(_Form):
    def __init__(self, panel: ModifiersPanel) -> None:
        super().__init__(panel)
        self.frame = self.choice("Base frame", "frame", lambda text: panel.set_modifier(SetBaseFrame(text)))
        self.form.addRow("Base frame", self.frame)

    def show_modifier(self, modifier: SetBaseFrame, robot: RobotDescription) -> None:
        # Also what the present base cuts off: it is there to be chosen again.
        added = [m.frame_name for m in robot.xrdf.modifiers or () if isinstance(m, AddFrame)]
        self.frame.set_choices([*(link.name for link in robot.urdf.links), *added])
        self.frame.set_value(modifier.frame)


class FreeJointForm(_Form):
    def __init__(self, panel: ModifiersPanel) -> None:
        super().__init__(panel)
        self._modifier = RemoveMimicAttributes("", (0.0, 0.0))
        self.joint = self.choice("Mimic joint", "mimic joint", lambda text: self._set(joint_name=text))
        self.lower_limit = self.number(
            "Lower limit", ANGLE, lambda v, live: self._limits((v, self._modifier.position_limits[1]), live)
        )
        self.upper_limit = self.number(
            "Upper limit", ANGLE, lambda v, live: self._limits((self._modifier.position_limits[0], v), live)
        )
        self.velocity_limit = self.number("Velocity limit", ANGLE, lambda v, live: self._set(live, velocity_limit=v))
        self.velocity_limit.set_limits(0.0, None)
        self.form.addRow("Joint", self.joint)
        for text, field in (
            ("Lower limit", self.lower_limit),
            ("Upper limit", self.upper_limit),
            ("Velocity", self.velocity_limit),
        ):
            self.form.addRow(ScrubLabel(text, field), field)

    def show_modifier(self, modifier: RemoveMimicAttributes, robot: RobotDescription) -> None:
        self._modifier = modifier
        self.joint.set_choices([joint.name for joint in robot.urdf.joints if joint.mimic is not None])
        self.joint.set_value(modifier.joint_name)
        for field, value, per in (
            (self.lower_limit, modifier.position_limits[0], ""),
            (self.upper_limit, modifier.position_limits[1], ""),
            (self.velocity_limit, modifier.velocity_limit, "/s"),
        ):
            field.set_quantity(quantity_of_joint(robot, modifier.joint_name, per))
            field.set_value(value, empty="required")

    def _limits(self, limits: tuple[float, float], live: bool) -> None:
        self.panel.set_modifier(replace(self._modifier, position_limits=limits), live)

    def _set(self, live: bool = False, **values: object) -> None:
        self.panel.set_modifier(replace(self._modifier, **values), live)  # type: ignore[arg-type]


def beside(names: Sequence[str], fields: Sequence[NumberField]) -> QWidget:
    """Fields in one line, each with its name in front."""
    line = QWidget()
    layout = QHBoxLayout(line)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(3)
    for name, field in zip(names, fields, strict=True):
        field.setMinimumWidth(44)
        layout.addWidget(ScrubLabel(name, field))
        layout.addWidget(field, 1)
    return line


def _same_rotation(a: Sequence[float], b: Sequence[float]) -> bool:
    norm = math.hypot(*a) * math.hypot(*b)
    return norm > 0 and abs(abs(sum(x * y for x, y in zip(a, b, strict=True))) / norm - 1.0) < 1e-14
