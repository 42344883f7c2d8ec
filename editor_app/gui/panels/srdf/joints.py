"""Joints that the SRDF adds or qualifies: virtual and passive ones, and their properties."""

from __future__ import annotations

from typing import Any

from editor_app.edit.commands import srdf_parts
from editor_app.edit.commands.fields import OfVirtualJoint
from editor_app.edit.commands.several import together
from editor_app.edit.selection import Selection
from editor_app.gui.bindings.forms import Choice, Field, Text, field_column
from editor_app.gui.bindings.panel import Entry, heading, muted_label, row_of, tool_button
from editor_app.gui.bindings.rows_model import Column
from editor_app.gui.panels.srdf.panel import SrdfPanel, link_names
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
        self.put(heading("Virtual joints"))

        def column(row: Field, **looks: Any) -> Column[VirtualJoint]:
            return field_column(row, lambda v: OfVirtualJoint(v.name), robot=lambda: self.robot, **looks)

        columns = [
            column(Text("Joint", "name", title=_EDIT), stretch=True),
            column(
                Choice("Type", "type", lambda robot, v: srdf_parts.VIRTUAL_TYPES, title=_EDIT),
                problem=lambda v: None if v.type in srdf_parts.VIRTUAL_TYPES else "MoveIt does not know this type.",
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
            delete=lambda rows: srdf_parts.DeleteSrdfParts(virtual_joints=tuple(v.name for v in rows)),
            chosen=lambda rows: Selection(links=tuple(v.child_link for v in rows)),
        )
        self.adder(self.virtual, "Add virtual joint", "link", link_names, self._add_virtual, "To link…")
        self.put(muted_label("Says how the robot stands in the world: from a frame outside to a link."))

    def _add_virtual(self, link: str) -> Change:
        taken = {v.name for v in self.srdf.virtual_joints} | {j.name for j in self.robot.urdf.joints}
        names = ("virtual_joint", *(f"virtual_joint_{i}" for i in range(2, 1000)))
        name = next(n for n in names if n not in taken)
        return srdf_parts.SetVirtualJoint(VirtualJoint(name, "fixed", "world", link))

    # -- passive joints

    def _build_passive(self) -> None:
        self.put(heading("Passive joints"))
        self.passive = self.table(
            "Passive joints",
            [Column("Joint", str, problem=self._unknown_joint, stretch=True)],
            lambda robot: self.srdf.passive_joints,
            delete=lambda rows: srdf_parts.DeleteSrdfParts(passive_joints=tuple(rows)),
            chosen=lambda rows: Selection(joints=tuple(rows)),
        )
        self.adder(
            self.passive,
            "Add passive joint",
            "joint",
            self._active,
            srdf_parts.SetPassiveJoint,
            "Joint that nothing drives…",
        )

    def _unknown_joint(self, name: str) -> str | None:
        is_joint = self.robot.urdf.joint(name) is not None
        return None if is_joint or any(v.name == name for v in self.srdf.virtual_joints) else "There is no such joint."

    def _joints(self, robot: RobotDescription) -> list[str]:
        return [*(v.name for v in self.srdf.virtual_joints), *(j.name for j in robot.urdf.joints)]

    def _active(self, robot: RobotDescription) -> list[str]:
        return [j.name for j in robot.urdf.joints if j.is_movable and j.name not in self.srdf.passive_joints]

    # -- properties

    def _build_properties(self) -> None:
        self.put(heading("Properties of joints"))
        columns: list[Column[JointProperty]] = [
            Column("Joint", lambda p: p.joint, problem=lambda p: self._unknown_joint(p.joint), stretch=True),
            Column("Property", lambda p: p.name, stretch=True),
            Column("Value", lambda p: p.value, write=self._write_value),
        ]
        self.properties = self.table(
            "Properties of joints",
            columns,
            lambda robot: self.srdf.joint_properties,
            delete=lambda rows: srdf_parts.DeleteSrdfParts(joint_properties=tuple((p.joint, p.name) for p in rows)),
        )
        needs = "A property needs a joint and a name, such as angular_distance_weight."
        entries = (
            Entry("Joint of a new property", "Joint…", "joint", self._joints, needs, stays=True),
            Entry("Name of a new property", "Property…", missing=needs),
            Entry("Value of a new property", "Value…"),
        )
        add = tool_button("plus", "Add", name="Add property of a joint")
        self.joint, self.property_name, self.value = self.entries(
            entries, lambda *property: self.execute(srdf_parts.SetJointProperty(*property)), add
        )
        self.under(self.properties, row_of(self.joint, self.property_name))
        self.put(row_of(self.value, add))

    def _write_value(self, cells: list[tuple[JointProperty, Any]]) -> Change:
        changes = [srdf_parts.SetJointProperty(p.joint, p.name, str(value)) for p, value in cells]
        return together(changes, f"Set {len(changes)} properties")
