"""End effectors of the SRDF: which group is a tool, and what it is mounted on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from editor_app.edit.commands.srdf_parts import DeleteSrdfParts, SetEndEffector
from editor_app.edit.selection import Selection
from editor_app.formats.srdf.places import group_base
from editor_app.gui.bindings.panel import muted_label
from editor_app.gui.bindings.rows_model import Column
from editor_app.gui.panels.srdf.panel import SrdfPanel
from editor_app.model.change import Change
from editor_app.model.features import Feature, FeatureKind
from editor_app.model.robot import RobotDescription
from editor_app.model.srdf import EndEffector

#: What stands for "none" where a name can be chosen.
NONE = "none"


class EffectorsPanel(SrdfPanel):
    """A row per end effector, every cell of which can be edited."""

    def build(self) -> None:
        columns: list[Column[EndEffector]] = [
            Column("Name", lambda e: e.name, write=lambda c: self._set(c, "name"), stretch=True),
            Column(
                "Group",
                lambda e: e.group,
                write=lambda c: self._set(c, "group"),
                choices=lambda e: self._groups(),
                problem=lambda e: self._unknown_group(e.group),
            ),
            Column(
                "On link",
                lambda e: e.parent_link,
                write=lambda c: self._set(c, "parent_link"),
                choices=lambda e: self._links(),
                problem=lambda e: None if e.parent_link in self._links() else "There is no such link.",
                stretch=True,
            ),
            Column(
                "Of group",
                lambda e: e.parent_group or NONE,
                write=lambda c: self._set(c, "parent_group"),
                choices=lambda e: [NONE, *self._groups()],
                problem=lambda e: self._unknown_group(e.parent_group) if e.parent_group else None,
                note=lambda e: "The group that carries it; MoveIt finds it by the link where none is given.",
            ),
        ]
        self.view = self.table("End effectors", columns, lambda robot: self.srdf.end_effectors, delete=self._delete)
        self.view.rows_selected.connect(self._select)
        self.body.addWidget(self.view)
        adder = self.adder("Add end effector", "group", self._free, self._add, "Group of the effector…")
        self.body.addWidget(self.under(self.view, adder))
        self.body.addWidget(muted_label("A group that is a tool, such as a gripper, and the link that it sits on."))
        self.follow(self.view, FeatureKind.END_EFFECTOR, lambda e: Feature(FeatureKind.END_EFFECTOR, e.name))

    def _groups(self) -> list[str]:
        return [g.name for g in self.srdf.groups]

    def _links(self) -> list[str]:
        robot = self.session.robot
        return [link.name for link in robot.urdf.links] if robot is not None else []

    def _unknown_group(self, name: str) -> str | None:
        return None if self.srdf.group(name) is not None else f"There is no group {name!r}."

    def _set(self, cells: list[tuple[EndEffector, Any]], field: str) -> Change:
        old, value = cells[0]
        changes: dict[str, Any] = {field: None if field == "parent_group" and value == NONE else value}
        return SetEndEffector(replace(old, **changes), old.name)

    def _free(self, robot: RobotDescription) -> list[str]:
        taken = {e.group for e in self.srdf.end_effectors}
        return [name for name in self._groups() if name not in taken]

    def _add(self, group: str) -> Change:
        """What the group's uppermost link hangs on carries it."""
        robot = self.session.robot
        assert robot is not None
        base = group_base(self.srdf, robot.urdf, group)
        found = self.srdf.group(group)
        if found is None or not found.chains:
            parent = next((j.parent for j in robot.urdf.joints if j.child == base), base)
        else:
            parent = base
        names = {e.name for e in self.srdf.end_effectors}
        name = next(n for n in (group, *(f"{group}_{i}" for i in range(2, 1000))) if n not in names)
        return SetEndEffector(EndEffector(name, parent or robot.urdf.links[0].name, group))

    def _delete(self, rows: list[EndEffector]) -> Change:
        return DeleteSrdfParts(end_effectors=tuple(e.name for e in rows))

    def _select(self, rows: tuple[int, ...]) -> None:
        found = self.view.rows_model.rows
        features = tuple(Feature(FeatureKind.END_EFFECTOR, found[i].name) for i in rows if i < len(found))
        if features:
            self.session.select(Selection(features=features))
