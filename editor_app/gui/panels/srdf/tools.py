"""Tools of the SRDF: tool centre points of Tesseract, and end effectors, which say what group is mounted on what."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtWidgets import QCheckBox

from editor_app.edit.commands.fields import OfEffector, OfTool
from editor_app.edit.commands.srdf import SetSrdf, SetTcp
from editor_app.edit.commands.srdf_parts import DeleteSrdfParts, SetEndEffector
from editor_app.edit.features import features_of
from editor_app.edit.selection import Selection
from editor_app.formats.srdf.places import group_base, group_tip
from editor_app.gui.bindings.forms import Choice, Field, Form, Number, Text, field_column
from editor_app.gui.bindings.panel import Entry, compact, heading, muted_label, row_of, tool_button
from editor_app.gui.bindings.quantity import ANGLE, LENGTH
from editor_app.gui.bindings.rows_model import Column
from editor_app.gui.panels.srdf.panel import SrdfPanel, group_names, link_names
from editor_app.model.change import Change
from editor_app.model.features import Feature, FeatureKind
from editor_app.model.robot import RobotDescription
from editor_app.model.srdf import EndEffector, ToolCenterPoint

#: What stands for "none" where a name can be chosen.
NONE = "none"
_EDIT = "Edit end effector {name}"


class ToolsPanel(SrdfPanel):
    """A row per point, the pose of the chosen one below.

    A rotation that stands as a quaternion becomes roll, pitch, yaw when it is edited.
    """

    purpose = "Tool centre points of Tesseract: named poses at the tip of a group."

    def build(self) -> None:
        name = Text("Tool", "name", title="Rename tool centre point to {value}")
        group = Choice("Group", "group", group_names, title="Move {name} to {value}")
        columns: list[Column[ToolCenterPoint]] = [
            field_column(name, _target, note=lambda t: f"of {t.group}", stretch=True),
            field_column(group, _target, robot=lambda: self.robot),
        ]
        self.view = self.table("Tool centre points", columns, lambda robot: self.srdf.tcps, delete=self._delete)
        self.view.rows_selected.connect(self._select)
        self.go_to = tool_button("corners-out", "Go to", tip="Look at the chosen tool in the 3D view", run=self.look_at)
        self.shown = compact(QCheckBox("Shown in the 3D view"))
        self.shown.toggled.connect(lambda on: self.session.set_display(tools=on))
        self.add = tool_button("plus", "Add", name="Add tool centre point")
        needs = "A tool centre point needs a name and a group."
        entries = (
            Entry("Name of a new tool centre point", "New tool…", missing=needs),
            Entry("Group of the new tool centre point", "Group…", "group", group_names, needs, stays=True, starts=True),
        )
        self.name, self.group = self.entries(entries, self._add, self.add)
        self.under(self.view, row_of(self.name, self.group, self.add))
        self.title = self.put(heading(""))
        Form(
            self,
            (
                Number("", "xyz", LENGTH, "xyz", name="Position", named=True),
                Number("", "rpy", ANGLE, ("roll", "pitch", "yaw"), named=True),
            ),
            lambda: _target(self._chosen) if self._chosen is not None else None,
            title="Set tool centre point {name}",
        )
        self.put(row_of(self.shown, self.go_to))
        self.put(muted_label("Relative to the tip of the group. MoveIt does not read them; Tesseract does."))
        self.follow_features(self.view, FeatureKind.TCP, _tool_feature)

    def update_view(self, robot: RobotDescription) -> None:
        self.shown.setChecked(self.session.display.tools)
        self.go_to.setEnabled(bool(self.view.selected_rows()))
        tool = self._chosen
        self.title.setVisible(tool is not None)
        if tool is not None:
            tip = group_tip(self.srdf, robot.urdf, tool.group)
            self.title.setText(f"Pose of {tool.name} on {tip}" if tip else f"Pose of {tool.name}")

    @property
    def _chosen(self) -> ToolCenterPoint | None:
        tool: ToolCenterPoint | None = self.view.last_chosen
        return tool

    def look_at(self) -> None:
        """The camera goes to the chosen tool."""
        self._select()
        placed = {p.feature: p for p in features_of(self.robot)}
        lost = [f.name for f in self.session.selection.features if f in placed and not placed[f].link]
        if lost:
            self.tell(f"{lost[0]}: its group has no tip, so there is no place to go to.")
            return
        self.session.fit_requested.emit()

    def _select(self, _: object = None) -> None:
        chosen = tuple(map(_tool_feature, self.view.chosen))
        self.refresh()
        if chosen and chosen != self.session.selection.features:
            self.session.select(Selection(features=chosen))

    def _add(self, name: str, group: str) -> bool:
        if any((t.name, t.group) == (name, group) for t in self.srdf.tcps):
            self.tell(f"{group} has a tool centre point {name} already.")
            return False
        return self.execute(SetTcp(ToolCenterPoint(name, group, wxyz=(1.0, 0.0, 0.0, 0.0))))

    def _delete(self, rows: list[ToolCenterPoint]) -> Change:
        kept = tuple(t for t in self.srdf.tcps if all(t is not row for row in rows))
        deleted = f"tool centre point {rows[0].name}" if len(rows) == 1 else f"{len(rows)} tool centre points"
        return SetSrdf(replace(self.srdf, tcps=kept), f"Delete {deleted}")


def _target(tool: ToolCenterPoint) -> OfTool:
    return OfTool(tool.name, tool.group)


def _tool_feature(tool: ToolCenterPoint) -> Feature:
    return Feature(FeatureKind.TCP, tool.name, tool.group)


class EffectorsPanel(SrdfPanel):
    """A row per end effector, every cell of which can be edited."""

    purpose = "End effectors: groups that are tools, such as a gripper, and the links that they sit on."

    def build(self) -> None:
        def column(row: Field, **looks: Any) -> Column[EndEffector]:
            return field_column(row, lambda e: OfEffector(e.name), robot=lambda: self.robot, **looks)

        columns = [
            column(Text("Name", "name", title=_EDIT), stretch=True),
            column(Choice("Group", "group", group_names, title=_EDIT), problem=lambda e: self.unknown_group(e.group)),
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
            delete=lambda rows: DeleteSrdfParts(end_effectors=tuple(e.name for e in rows)),
            chosen=lambda rows: Selection(features=tuple(map(_effector_feature, rows))),
        )
        self.adder(self.view, "Add end effector", "group", self._free, self._add, "Group of the effector…")
        self.put(muted_label("A group that is a tool, such as a gripper, and the link that it sits on."))
        self.follow_features(self.view, FeatureKind.END_EFFECTOR, _effector_feature)

    def _free(self, robot: RobotDescription) -> list[str]:
        taken = {e.group for e in self.srdf.end_effectors}
        return [name for name in group_names(robot) if name not in taken]

    def _add(self, group: str) -> Change:
        """What the group's uppermost link hangs on carries it."""
        urdf, srdf_group = self.robot.urdf, self.srdf.group(group)
        parent = group_base(self.srdf, urdf, group)
        if srdf_group is None or not srdf_group.chains:
            carrier = urdf.joint_to(parent) if parent is not None else None
            parent = carrier.parent if carrier is not None else parent
        names = {e.name for e in self.srdf.end_effectors}
        name = next(n for n in (group, *(f"{group}_{i}" for i in range(2, 1000))) if n not in names)
        return SetEndEffector(EndEffector(name, parent or urdf.links[0].name, group))


def _effector_feature(effector: EndEffector) -> Feature:
    return Feature(FeatureKind.END_EFFECTOR, effector.name)
