"""A joint: origin, axis, limits, dynamics, mimic, safety and calibration."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from PySide6.QtWidgets import QLabel

from editor_app.edit.commands.urdf import RenameJoint, SetJoint
from editor_app.gui.bindings.panel import Reading, heading
from editor_app.gui.bindings.quantity import ANGLE, LENGTH, NUMBER, Quantity, joint_quantity
from editor_app.gui.bindings.text_field import TextField
from editor_app.gui.panels.urdf_properties import UrdfPanel
from editor_app.gui.panels.urdf_properties_link import moved, rpy_of, turned
from editor_app.model.change import Change
from editor_app.model.robot import RobotDescription
from editor_app.model.urdf import Calibration, Dynamics, Joint, JointType, Limit, SafetyController

#: Attribute of the joint -> (title, what a new one is, (field, label, unit of the position or not, per)).
_PARTS: tuple[tuple[str, str, Callable[[], Any], tuple[tuple[str, str, bool, str], ...]], ...] = (
    (
        "limit",
        "Limits",
        Limit,
        (
            ("lower", "Lower", True, ""),
            ("upper", "Upper", True, ""),
            ("velocity", "Velocity", True, "/s"),
            ("effort", "Effort", False, ""),
            ("acceleration", "Acceleration", True, "/s²"),
            ("deceleration", "Deceleration", True, "/s²"),
            ("jerk", "Jerk", True, "/s³"),
        ),
    ),
    ("dynamics", "Dynamics", Dynamics, (("damping", "Damping", False, ""), ("friction", "Friction", False, ""))),
    (
        "safety",
        "Safety controller",
        SafetyController,
        (
            ("soft_lower_limit", "Soft lower limit", True, ""),
            ("soft_upper_limit", "Soft upper limit", True, ""),
            ("k_position", "k position", False, ""),
            ("k_velocity", "k velocity", False, ""),
        ),
    ),
    (
        "calibration",
        "Calibration",
        Calibration,
        (
            ("reference_position", "Reference position", True, ""),
            ("rising", "Rising", True, ""),
            ("falling", "Falling", True, ""),
        ),
    ),
)


class JointPanel(UrdfPanel):
    """Numbers that the file does not give are empty; typing one adds it."""

    def build(self) -> None:
        form = self.form()
        self.name = TextField("Name of the joint")
        self.name.setToolTip("Renaming follows every reference in URDF, XRDF and SRDF")
        self.name.edited.connect(self._rename)
        form.addRow("Name", self.name)
        self.about = QLabel()
        self.about.setWordWrap(True)
        form.addRow("Type", self.about)
        self.xyz = self.vector(form, "Position", "xyz", LENGTH, lambda i: self._origin(i, False), self._move)
        self.rpy = self.vector(form, "Roll, pitch, yaw", "rpy", ANGLE, lambda i: self._origin(i, True), self._turn)
        self.axis = self.vector(form, "Axis", "xyz", NUMBER, self._axis, self._set_axis)
        self.fields: dict[str, Any] = {}
        for part, title, new, fields in _PARTS:
            self.body.addWidget(heading(title))
            form = self.form()
            for name, label, positional, per in fields:
                self.fields[f"{part}.{name}"] = self.number(
                    form,
                    label,
                    NUMBER,
                    self._reader(part, name, positional, per),
                    self._writer(part, name, new),
                )
        self.mimic_title = heading("Mimic")
        self.body.addWidget(self.mimic_title)
        form = self.form()
        self.mimic = QLabel()
        form.addRow("Follows", self.mimic)
        self.multiplier = self.number(
            form, "Multiplier", NUMBER, lambda: self._mimic("multiplier"), lambda v: self._set_mimic("multiplier", v)
        )
        self.offset = self.number(
            form, "Offset", NUMBER, lambda: self._mimic("offset"), lambda v: self._set_mimic("offset", v)
        )
        self.body.addWidget(self.place)
        self.bind(self._show)

    def nothing(self) -> str | None:
        if self.joint is None:
            link = self.link
            return f"No joint leads to {link.name}: it is the root." if link is not None else super().nothing()
        return None

    def _show(self, robot: RobotDescription) -> None:
        joint = self.joint
        if joint is None:
            return
        self.name.set_value(joint.name)
        self.about.setText(f"{joint.type.value}: {joint.parent} → {joint.child}")
        self.mimic.setText(joint.mimic.joint if joint.mimic is not None else "no other joint")
        for field in (self.multiplier, self.offset):
            field.setEnabled(joint.mimic is not None)
        for field in self.axis:
            field.setEnabled(joint.type not in (JointType.FIXED, JointType.FLOATING))
        source = self.source
        self.tell_place(source.joint_location(joint.name) if source is not None else None)

    # -- reading

    def _origin(self, axis: int, turned_: bool) -> Reading:
        joint = self.joint
        if joint is None:
            return Reading(None)
        return Reading((rpy_of(joint.origin) if turned_ else joint.origin.xyz)[axis])

    def _axis(self, axis: int) -> Reading:
        joint = self.joint
        return Reading(joint.axis[axis] if joint is not None else None)

    def _reader(self, part: str, name: str, positional: bool, per: str) -> Callable[[], Reading]:
        def read() -> Reading:
            joint = self.joint
            quantity = _quantity(joint, per) if positional else NUMBER
            found = getattr(joint, part) if joint is not None else None
            value = getattr(found, name) if found is not None else None
            return Reading(value, empty="–", quantity=quantity)

        return read

    def _mimic(self, name: str) -> Reading:
        joint = self.joint
        mimic = joint.mimic if joint is not None else None
        quantity = _quantity(joint, "") if name == "offset" else NUMBER
        return Reading(getattr(mimic, name) if mimic is not None else None, empty="–", quantity=quantity)

    # -- writing

    def _writer(self, part: str, name: str, new: Callable[[], Any]) -> Callable[[float], Change | None]:
        def write(value: float) -> Change | None:
            joint = self.joint
            if joint is None:
                return None
            there = getattr(joint, part)
            changed = replace(there if there is not None else new(), **{name: value})
            values: dict[str, Any] = {part: changed}
            return SetJoint(joint.name, replace(joint, **values), f"Set {part} of {joint.name}")

        return write

    def _set_mimic(self, name: str, value: float) -> Change | None:
        joint = self.joint
        if joint is None or joint.mimic is None:
            return None
        changed: dict[str, Any] = {name: value}
        values = replace(joint, mimic=replace(joint.mimic, **changed))
        return SetJoint(joint.name, values, f"Set mimic of {joint.name}")

    def _move(self, axis: int, value: float) -> Change | None:
        joint = self.joint
        if joint is None:
            return None
        return SetJoint(joint.name, replace(joint, origin=moved(joint.origin, axis, value)), f"Move {joint.name}")

    def _turn(self, axis: int, value: float) -> Change | None:
        joint = self.joint
        if joint is None:
            return None
        return SetJoint(joint.name, replace(joint, origin=turned(joint.origin, axis, value)), f"Turn {joint.name}")

    def _set_axis(self, axis: int, value: float) -> Change | None:
        joint = self.joint
        if joint is None:
            return None
        x, y, z = (value if i == axis else v for i, v in enumerate(joint.axis))
        return SetJoint(joint.name, replace(joint, axis=(x, y, z)), f"Set axis of {joint.name}")

    def _rename(self, name: str) -> None:
        joint = self.joint
        if joint is not None:
            selection = self.session.selection
            if selection.joints:
                selection = replace(selection, joints=(*selection.joints[:-1], name))
            self.execute(RenameJoint(joint.name, name), selection=selection)


def _quantity(joint: Joint | None, per: str) -> Quantity:
    return joint_quantity(joint is not None and joint.type is JointType.PRISMATIC, per)
