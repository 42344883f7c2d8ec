"""The values of one modifier. An orientation is edited as a quaternion or as roll, pitch and yaw."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QButtonGroup, QFormLayout, QHBoxLayout, QPushButton, QToolButton, QWidget

from editor_app.edit.commands import modifier_title
from editor_app.edit.commands.fields import OfModifier, SetField
from editor_app.gui.bindings.forms import Choice, Field, Form, Number, Text
from editor_app.gui.bindings.panel import Panel
from editor_app.gui.bindings.quantity import ANGLE, LENGTH, NUMBER, Quantity
from editor_app.gui.panels.xrdf.frames import frames_of, quantity_of_joint
from editor_app.gui.widgets import STRETCH, fill
from editor_app.kinematics.transforms import quaternion_to_rpy, rpy_to_quaternion
from editor_app.model.origin import Vector3
from editor_app.model.robot import RobotDescription
from editor_app.model.xrdf import AddFrame, Modifier, RemoveMimicAttributes, SetBaseFrame

#: The one modifier that is selected, with its place.
Selected = Callable[[], tuple[int, Modifier] | None]


class ModifierForm(QWidget):
    """The rows for one kind of modifier; they are of the selected one when it is of this kind."""

    def __init__(self, panel: Panel, selected: Selected, kind: type, rows: Sequence[Field]) -> None:
        super().__init__()
        self.panel = panel
        self.selected = selected
        self.kind = kind
        layout = QFormLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setHorizontalSpacing(8)
        layout.setVerticalSpacing(4)
        self.form = Form(panel, rows, self.target, title="Change {name}", layout=layout)
        self.fields = self.form.fields

    def target(self) -> OfModifier | None:
        """The selected modifier, for what edits it."""
        selected = self.selected()
        if selected is None or not isinstance(selected[1], self.kind):
            return None
        return OfModifier(selected[0], modifier_title(selected[1]))


class AddFrameForm(ModifierForm):
    """A frame that the XRDF adds, with its orientation as angles or as a quaternion."""

    def __init__(self, panel: Panel, selected: Selected) -> None:
        self._rpy: Vector3 = (0.0, 0.0, 0.0)
        self.normalise = QPushButton("Normalise the quaternion")
        self.normalise.clicked.connect(self._normalise)
        switch = self._orientation_switch()
        rows = (
            Text("Frame", "frame_name", name="Name of the frame", title="Rename frame to {value}"),
            Choice("Parent", "parent_frame_name", self._parents, name="Parent frame", noun="frame"),
            Text("Joint", "joint_name", name="Name of the joint"),
            Number("Position", "fixed_transform.position", LENGTH, "xyz", named=True),
            Field("Orientation", beside=(switch,)),
            Number(
                "",
                "rpy",
                ANGLE,
                ("roll", "pitch", "yaw"),
                named=True,
                read=self._angles,
                write=self._turn,
                shown=lambda modifier: self.as_rpy.isChecked(),
            ),
            Number(
                "",
                "fixed_transform.orientation_wxyz",
                NUMBER,
                "wxyz",
                name="Quaternion",
                named=True,
                step=0.01,
                shown=lambda modifier: self.as_quaternion.isChecked(),
            ),
            Field("", beside=(self.normalise,), shown=_is_off),
        )
        super().__init__(panel, selected, AddFrame, rows)
        self.as_quaternion.toggled.connect(self.form.show)

    def _orientation_switch(self) -> QWidget:
        line = QWidget()
        layout = fill(QHBoxLayout(line), STRETCH, margins=0, spacing=2)
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
        return line

    def _parents(self, robot: RobotDescription, modifier: AddFrame) -> list[str]:
        return [frame for frame in frames_of(self.panel.session) if frame != modifier.frame_name]

    def _angles(self, modifier: AddFrame) -> Vector3:
        """The angles as they were typed, as long as they mean this orientation: many angles mean the same one."""
        wxyz = modifier.fixed_transform.orientation_wxyz
        if not _same_rotation(rpy_to_quaternion(*self._rpy), wxyz):
            self._rpy = quaternion_to_rpy(wxyz) if math.hypot(*wxyz) > 1e-9 else (0.0, 0.0, 0.0)
        return self._rpy

    def _turn(self, rpy: Vector3) -> SetField | None:
        self._rpy = rpy
        return self._oriented(rpy_to_quaternion(*rpy))

    def _oriented(self, wxyz: Sequence[float]) -> SetField | None:
        target = self.target()
        if target is None:
            return None
        return SetField(target, "fixed_transform.orientation_wxyz", tuple(wxyz), f"Change {target.title}")

    def _normalise(self) -> None:
        modifier = self.form.thing()
        wxyz = modifier.fixed_transform.orientation_wxyz if modifier is not None else (0.0,)
        norm = math.hypot(*wxyz)
        change = self._oriented([v / norm for v in wxyz]) if norm > 1e-9 else None
        if change is not None:
            self.panel.execute(change)


def base_frame_form(panel: Panel, selected: Selected) -> ModifierForm:
    """Which frame is the base."""
    return ModifierForm(panel, selected, SetBaseFrame, (Choice("Base frame", "frame", _all_frames, noun="frame"),))


def free_joint_form(panel: Panel, selected: Selected) -> ModifierForm:
    """A mimic joint that is moved by itself, and its limits."""

    def limit(per: str = "") -> Callable[[Any], Quantity]:
        def quantity(modifier: RemoveMimicAttributes) -> Quantity:
            robot = panel.session.robot
            return quantity_of_joint(robot, modifier.joint_name, per) if robot is not None else NUMBER

        return quantity

    rows = (
        Choice("Joint", "joint_name", _mimics, name="Mimic joint", noun="mimic joint"),
        Number("Lower limit", "position_limits.0", limit(), empty="required"),
        Number("Upper limit", "position_limits.1", limit(), empty="required"),
        Number("Velocity", "velocity_limit", limit("/s"), limits=(0.0, None), empty="required"),
    )
    return ModifierForm(panel, selected, RemoveMimicAttributes, rows)


def _all_frames(robot: RobotDescription, modifier: SetBaseFrame) -> list[str]:
    """Also what the present base cuts off: it is there to be chosen again."""
    added = [m.frame_name for m in robot.xrdf.modifiers or () if isinstance(m, AddFrame)]
    return [*(link.name for link in robot.urdf.links), *added]


def _mimics(robot: RobotDescription, modifier: RemoveMimicAttributes) -> list[str]:
    return [joint.name for joint in robot.urdf.joints if joint.mimic is not None]


def _is_off(modifier: AddFrame) -> bool:
    """Whether the quaternion is not of length 1."""
    return abs(math.hypot(*modifier.fixed_transform.orientation_wxyz) - 1.0) > 1e-6


def _same_rotation(a: Sequence[float], b: Sequence[float]) -> bool:
    norm = math.hypot(*a) * math.hypot(*b)
    return norm > 0 and abs(abs(sum(x * y for x, y in zip(a, b, strict=True))) / norm - 1.0) < 1e-14
