"""Joints that the SRDF adds or qualifies: virtual and passive ones, and their properties."""

from __future__ import annotations

from typing import Any

from editor_app.edit.commands.fields import OfVirtualJoint
from editor_app.edit.commands.several import AllOf
from editor_app.edit.commands.srdf_parts import (
    VIRTUAL_TYPES,
    DeleteSrdfParts,
    SetJointProperty,
    SetPassiveJoint,
    SetVirtualJoint,
)
from editor_app.edit.selection import Selection
from editor_app.gui.bindings.forms import Choice, Field, Text, field_column
from editor_app.gui.bindings.name_box import NameBox
from editor_app.gui.bindings.panel import heading, muted_label, row_of, tool_button
from editor_app.gui.bindings.rows_model import Column
from editor_app.gui.bindings.text_field import EntryField
from editor_app.gui.panels.srdf.panel import SrdfPanel, link_names
from editor_app.gui.widgets import dress
from editor_app.model.change import Change
from editor_app.model.robot import RobotDescription
from editor_app.model.srdf import JointProperty, VirtualJoint

_EDIT = "Edit virtual joint {name}"


class JointsOfSrdfPanel(SrdfPanel):
    """Three tables under each other."""

    purpose = "Virtual joints to the world, joints that nothing drives, and properties of joints."

    def build(self) -> None:
        self._build_virtual()
        self._build_passive()
        self._build_properties()

    # -- virtual joints

    def _build_virtual(self) -> None:
        self.body.addWidget(heading("Virtual joints"))

        def column(row: Field, **looks: Any) -> Column[VirtualJoint]:
            return field_column(row, lambda v: OfVirtualJoint(v.name), robot=lambda: self.session.robot, **looks)

        columns = [
            column(Text("Joint", "name", title=_EDIT), stretch=True),
            column(
                Choice("Type", "type", lambda robot, v: VIRTUAL_TYPES, title=_EDIT),
                problem=lambda v: None if v.type in VIRTUAL_TYPES else "MoveIt does not know this type.",
            ),
            column(Text("From frame", "parent_frame", title=_EDIT), stretch=True),
            column(
                Choice("To link", "child_link", link_names, title=_EDIT),
                problem=lambda v: self.unknown_link(v.child_link),
                stretch=True,
            ),
        ]
        self.virtual = self.table(
            "Virtual joints",
            columns,
            lambda robot: self.srdf.virtual_joints,
            delete=lambda rows: DeleteSrdfParts(virtual_joints=tuple(v.name for v in rows)),
            chosen=lambda rows: Selection(links=tuple(v.child_link for v in rows)),
        )
        adder = self.adder("Add virtual joint", "link", link_names, self._add_virtual, "To link…")
        self.body.addWidget(self.under(self.virtual, adder))
        self.body.addWidget(muted_label("Says how the robot stands in the world: from a frame outside to a link."))

    def _add_virtual(self, link: str) -> Change:
        robot = self.session.robot
        taken = {v.name for v in self.srdf.virtual_joints}
        taken |= {j.name for j in robot.urdf.joints} if robot is not None else set()
        names = ("virtual_joint", *(f"virtual_joint_{i}" for i in range(2, 1000)))
        name = next(n for n in names if n not in taken)
        return SetVirtualJoint(VirtualJoint(name, "fixed", "world", link))

    # -- passive joints

    def _build_passive(self) -> None:
        self.body.addWidget(heading("Passive joints"))
        columns: list[Column[str]] = [
            Column("Joint", lambda name: name, problem=self._unknown_joint, stretch=True),
        ]
        self.passive = self.table(
            "Passive joints",
            columns,
            lambda robot: self.srdf.passive_joints,
            delete=lambda rows: DeleteSrdfParts(passive_joints=tuple(rows)),
            chosen=lambda rows: Selection(joints=tuple(rows)),
        )
        adder = self.adder("Add passive joint", "joint", self._active, SetPassiveJoint, "Joint that nothing drives…")
        self.body.addWidget(self.under(self.passive, adder))

    def _unknown_joint(self, name: str) -> str | None:
        robot = self.session.robot
        is_joint = robot is not None and robot.urdf.joint(name) is not None
        return None if is_joint or any(v.name == name for v in self.srdf.virtual_joints) else "There is no such joint."

    def _active(self, robot: RobotDescription) -> list[str]:
        return [j.name for j in robot.urdf.joints if j.is_movable and j.name not in self.srdf.passive_joints]

    # -- properties

    def _build_properties(self) -> None:
        self.body.addWidget(heading("Properties of joints"))
        columns: list[Column[JointProperty]] = [
            Column("Joint", lambda p: p.joint, problem=lambda p: self._unknown_joint(p.joint), stretch=True),
            Column("Property", lambda p: p.name, stretch=True),
            Column("Value", lambda p: p.value, write=self._write_value),
        ]
        self.properties = self.table(
            "Properties of joints",
            columns,
            lambda robot: self.srdf.joint_properties,
            delete=lambda rows: DeleteSrdfParts(joint_properties=tuple((p.joint, p.name) for p in rows)),
        )
        self.joint, self.property_name = (
            NameBox("Joint of a new property", "joint"),
            EntryField("Name of a new property"),
        )
        self.value = EntryField("Value of a new property")
        self.joint.set_value(None, "Joint…")
        self.property_name.setPlaceholderText("Property…")
        self.value.setPlaceholderText("Value…")
        self.joint.rejected.connect(self.tell)
        add = dress(tool_button("plus", "Add"), name="Add property of a joint", run=self._add_property)
        self.value.returnPressed.connect(self._add_property)
        self.body.addWidget(self.under(self.properties, row_of(self.joint, self.property_name)))
        self.body.addWidget(row_of(self.value, add))
        self.bind(self._show_joints)

    def _show_joints(self, robot: RobotDescription) -> None:
        names = [*(v.name for v in self.srdf.virtual_joints), *(j.name for j in robot.urdf.joints)]
        self.joint.set_choices(names)
        self.joint.set_value(self.joint.value if self.joint.value in names else None, "Joint…")

    def _add_property(self) -> None:
        name, value = self.property_name.text().strip(), self.value.text().strip()
        if not self.joint.commit():
            return
        joint = self.joint.value
        if joint is None or not name:
            self.tell("A property needs a joint and a name, such as angular_distance_weight.")
            return
        if self.execute(SetJointProperty(joint, name, value)):
            self.property_name.clear()
            self.value.clear()

    def _write_value(self, cells: list[tuple[JointProperty, Any]]) -> Change:
        changes = tuple(SetJointProperty(p.joint, p.name, str(value)) for p, value in cells)
        return changes[0] if len(changes) == 1 else AllOf(changes, f"Set {len(changes)} properties")
