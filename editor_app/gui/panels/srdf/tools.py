"""Tool centre points of Tesseract, and the way between them and the XRDF's tool frames."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import QCheckBox, QSizePolicy

from editor_app.edit.commands.fields import OfTool
from editor_app.edit.commands.srdf import SetSrdf, SetTcp
from editor_app.edit.features import features_of
from editor_app.edit.selection import Selection
from editor_app.formats.srdf.places import group_tip
from editor_app.gui.bindings.forms import Choice, Form, Number, Text, field_column
from editor_app.gui.bindings.name_box import NameBox
from editor_app.gui.bindings.panel import heading, muted_label, row_of, tool_button
from editor_app.gui.bindings.quantity import ANGLE, LENGTH
from editor_app.gui.bindings.rows_model import Column
from editor_app.gui.bindings.text_field import EntryField
from editor_app.gui.panels.srdf.panel import SrdfPanel, group_names
from editor_app.gui.widgets import dress
from editor_app.model.change import Change
from editor_app.model.features import Feature, FeatureKind
from editor_app.model.robot import RobotDescription
from editor_app.model.srdf import ToolCenterPoint


class ToolsPanel(SrdfPanel):
    """A row per point, the pose of the chosen one below.

    A rotation that stands as a quaternion becomes roll, pitch, yaw when it is edited.
    """

    purpose = "Tool centre points of Tesseract: named poses at the tip of a group."

    def build(self) -> None:
        group = Choice("Group", "group", group_names, title="Move {name} to {value}")
        columns: list[Column[ToolCenterPoint]] = [
            field_column(
                Text("Tool", "name", title="Rename tool centre point to {value}"),
                _target,
                note=lambda t: f"of {t.group}",
                stretch=True,
            ),
            field_column(group, _target, robot=lambda: self.session.robot),
        ]
        self.view = self.table("Tool centre points", columns, lambda robot: self.srdf.tcps, delete=self._delete)
        self.view.rows_selected.connect(self._select)
        self.go_to = tool_button("corners-out", "Go to")
        self.go_to.setToolTip("Look at the chosen tool in the 3D view")
        self.go_to.clicked.connect(self.look_at)
        self.shown = QCheckBox("Shown in the 3D view")
        self.shown.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.shown.toggled.connect(lambda on: self.session.set_display(tools=on))
        self.name = dress(EntryField("Name of a new tool centre point"), hint="New tool…")
        self.group = NameBox("Group of the new tool centre point", "group")
        self.group.rejected.connect(self.tell)
        self.add = dress(tool_button("plus", "Add"), name="Add tool centre point", run=self._add)
        self.body.addWidget(self.under(self.view, row_of(self.name, self.group, self.add)))
        self.title = heading("")
        self.body.addWidget(self.title)
        Form(
            self,
            (
                Number("", "xyz", LENGTH, "xyz", name="Position", named=True),
                Number("", "rpy", ANGLE, ("roll", "pitch", "yaw"), named=True),
            ),
            lambda: _target(self._chosen) if self._chosen is not None else None,
            title="Set tool centre point {name}",
        )
        self.body.addWidget(row_of(self.shown, self.go_to))
        self.body.addWidget(muted_label("Relative to the tip of the group. MoveIt does not read them; Tesseract does."))
        self.bind(self._show_groups)
        self.follow(self.view, FeatureKind.TCP, lambda t: Feature(FeatureKind.TCP, t.name, t.group))

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
        rows, tools = self.view.selected_rows(), self.srdf.tcps
        return tools[rows[-1]] if rows and rows[-1] < len(tools) else None

    def look_at(self) -> None:
        """The camera goes to the chosen tool."""
        self._select(self.view.selected_rows())
        placed = {p.feature: p for p in features_of(self.session.robot)} if self.session.robot is not None else {}
        lost = [f.name for f in self.session.selection.features if f in placed and not placed[f].link]
        if lost:
            self.tell(f"{lost[0]}: its group has no tip, so there is no place to go to.")
            return
        self.session.fit_requested.emit()

    def _select(self, rows: tuple[int, ...]) -> None:
        items = self.view.rows_model.rows
        chosen = tuple(Feature(FeatureKind.TCP, items[i].name, items[i].group) for i in rows if i < len(items))
        self.refresh()
        if chosen and chosen != self.session.selection.features:
            self.session.select(Selection(features=chosen))

    def _show_groups(self, robot: RobotDescription) -> None:
        names = group_names(robot)
        self.group.set_choices(names)
        self.group.set_value(self.group.value if self.group.value in names else names[0] if names else None, "Group…")

    def _add(self) -> None:
        name, group = self.name.text().strip(), self.group.value
        if not name or group is None:
            self.tell("A tool centre point needs a name and a group.")
            return
        if any((t.name, t.group) == (name, group) for t in self.srdf.tcps):
            self.tell(f"{group} has a tool centre point {name} already.")
            return
        if self.execute(SetTcp(ToolCenterPoint(name, group, wxyz=(1.0, 0.0, 0.0, 0.0)))):
            self.name.clear()

    def _delete(self, rows: list[ToolCenterPoint]) -> Change:
        deleted_ids = {id(t) for t in rows}
        kept = tuple(t for t in self.srdf.tcps if id(t) not in deleted_ids)
        deleted = f"tool centre point {rows[0].name}" if len(rows) == 1 else f"{len(rows)} tool centre points"
        return SetSrdf(replace(self.srdf, tcps=kept), f"Delete {deleted}")


def _target(tool: ToolCenterPoint) -> OfTool:
    return OfTool(tool.name, tool.group)
