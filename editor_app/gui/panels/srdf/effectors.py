"""End effectors of the SRDF: which group is a tool, and what it is mounted on."""

from __future__ import annotations

from typing import Any

from editor_app.edit.commands.fields import OfEffector
from editor_app.edit.commands.srdf_parts import DeleteSrdfParts, SetEndEffector
from editor_app.edit.selection import Selection
from editor_app.formats.srdf.places import group_base
from editor_app.gui.bindings.forms import Choice, Field, Text, field_column
from editor_app.gui.bindings.panel import muted_label
from editor_app.gui.bindings.rows_model import Column
from editor_app.gui.panels.srdf.panel import SrdfPanel, group_names, link_names
from editor_app.model.change import Change
from editor_app.model.features import Feature, FeatureKind
from editor_app.model.robot import RobotDescription
from editor_app.model.srdf import EndEffector

#: What stands for "none" where a name can be chosen.
NONE = "none"
_EDIT = "Edit end effector {name}"


class EffectorsPanel(SrdfPanel):
    """A row per end effector, every cell of which can be edited."""

    purpose = "End effectors: groups that are tools, such as a gripper, and the links that they sit on."

    def build(self) -> None:
        def column(row: Field, **looks: Any) -> Column[EndEffector]:
            return field_column(row, lambda e: OfEffector(e.name), robot=lambda: self.session.robot, **looks)

        columns = [
            column(Text("Name", "name", title=_EDIT), stretch=True),
            column(
                Choice("Group", "group", group_names, title=_EDIT),
                problem=lambda e: self.unknown_group(e.group),
            ),
            column(
                Choice("On link", "parent_link", link_names, title=_EDIT),
                problem=lambda e: self.unknown_link(e.parent_link),
                stretch=True,
            ),
            column(
                Choice("Of group", "parent_group", group_names, none=NONE, title=_EDIT),
                problem=lambda e: self.unknown_group(e.parent_group) if e.parent_group else None,
                note=lambda e: "The group that carries it; MoveIt finds it by the link where none is given.",
            ),
        ]
        self.view = self.table(
            "End effectors",
            columns,
            lambda robot: self.srdf.end_effectors,
            delete=self._delete,
            chosen=lambda rows: Selection(features=tuple(map(_feature, rows))),
        )
        adder = self.adder("Add end effector", "group", self._free, self._add, "Group of the effector…")
        self.body.addWidget(self.under(self.view, adder))
        self.body.addWidget(muted_label("A group that is a tool, such as a gripper, and the link that it sits on."))
        self.follow(self.view, FeatureKind.END_EFFECTOR, _feature)

    def _free(self, robot: RobotDescription) -> list[str]:
        taken = {e.group for e in self.srdf.end_effectors}
        return [name for name in group_names(robot) if name not in taken]

    def _add(self, group: str) -> Change:
        """What the group's uppermost link hangs on carries it."""
        robot = self.session.robot
        assert robot is not None
        base = group_base(self.srdf, robot.urdf, group)
        srdf_group = self.srdf.group(group)
        if srdf_group is None or not srdf_group.chains:
            parent = next((j.parent for j in robot.urdf.joints if j.child == base), base)
        else:
            parent = base
        names = {e.name for e in self.srdf.end_effectors}
        name = next(n for n in (group, *(f"{group}_{i}" for i in range(2, 1000))) if n not in names)
        return SetEndEffector(EndEffector(name, parent or robot.urdf.links[0].name, group))

    def _delete(self, rows: list[EndEffector]) -> Change:
        return DeleteSrdfParts(end_effectors=tuple(e.name for e in rows))


def _feature(effector: EndEffector) -> Feature:
    return Feature(FeatureKind.END_EFFECTOR, effector.name)
