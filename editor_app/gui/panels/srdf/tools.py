"""Tool centre points of Tesseract, and the way between them and the XRDF's tool frames."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtWidgets import QCheckBox, QSizePolicy

from editor_app.edit.commands.srdf import SetSrdf, SetTcp
from editor_app.edit.features import features_of
from editor_app.edit.selection import Selection
from editor_app.formats.srdf.places import group_tip
from editor_app.gui.bindings.forms import beside
from editor_app.gui.bindings.name_box import NameBox
from editor_app.gui.bindings.number_field import NumberField
from editor_app.gui.bindings.panel import Reading, heading, muted_label, row_of, tool_button
from editor_app.gui.bindings.quantity import ANGLE, LENGTH, Quantity
from editor_app.gui.bindings.rows_model import Column
from editor_app.gui.bindings.text_field import EntryField
from editor_app.gui.panels.srdf.panel import SrdfPanel
from editor_app.kinematics.transforms import matrix_to_rpy, quaternion_matrix
from editor_app.model.change import CannotApply, Change
from editor_app.model.features import Feature, FeatureKind
from editor_app.model.robot import RobotDescription
from editor_app.model.srdf import ToolCenterPoint
from editor_app.model.urdf import Vector3


class ToolsPanel(SrdfPanel):
    """A row per point, the pose of the chosen one below.

    A rotation that stands as a quaternion becomes roll, pitch, yaw when it is edited.
    """

    def build(self) -> None:
        columns: list[Column[ToolCenterPoint]] = [
            Column("Tool", lambda t: t.name, write=self._rename, stretch=True, note=lambda t: f"of {t.group}"),
            Column(
                "Group", lambda t: t.group, write=self._regroup, choices=lambda t: [g.name for g in self.srdf.groups]
            ),
        ]
        self.view = self.table("Tool centre points", columns, lambda robot: self.srdf.tcps, delete=self._delete)
        self.view.rows_selected.connect(self._select)
        self.body.addWidget(self.view)
        self.go_to = tool_button("corners-out", "Go to")
        self.go_to.setToolTip("Look at the chosen tool in the 3D view")
        self.go_to.clicked.connect(self.look_at)
        self.shown = QCheckBox("Shown in the 3D view")
        self.shown.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.shown.toggled.connect(lambda on: self.session.set_display(tools=on))
        self.name = EntryField("Name of a new tool centre point")
        self.name.setPlaceholderText("New tool…")
        self.group = NameBox("Group of the new tool centre point", "group")
        self.group.rejected.connect(self.tell)
        self.add = tool_button("plus", "Add")
        self.add.setAccessibleName("Add tool centre point")
        self.add.clicked.connect(self._add)
        self.body.addWidget(self.under(self.view, row_of(self.name, self.group, self.add)))
        self.title = heading("")
        self.body.addWidget(self.title)
        angles = ("Roll", "Pitch", "Yaw")
        self.position = [self._number(f"Position {axis}", LENGTH, i) for i, axis in enumerate("xyz")]
        self.rotation = [self._number(angle, ANGLE, 3 + i) for i, angle in enumerate(angles)]
        self._numbers = (beside("xyz", self.position), beside([a.lower() for a in angles], self.rotation))
        for line in self._numbers:
            self.body.addWidget(line)
        self.body.addWidget(row_of(self.shown, self.go_to))
        self.body.addWidget(muted_label("Relative to the tip of the group. MoveIt does not read them; Tesseract does."))
        self.bind(self._show_groups)
        self.follow(self.view, FeatureKind.TCP, lambda t: Feature(FeatureKind.TCP, t.name, t.group))

    def update_view(self, robot: RobotDescription) -> None:
        self.shown.setChecked(self.session.display.tools)
        self.go_to.setEnabled(bool(self.view.selected_rows()))
        tool = self._chosen
        for widget in (self.title, *self._numbers):
            widget.setVisible(tool is not None)
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
        found = self.view.rows_model.rows
        chosen = tuple(Feature(FeatureKind.TCP, found[i].name, found[i].group) for i in rows if i < len(found))
        self.refresh()
        if chosen and chosen != self.session.selection.features:
            self.session.select(Selection(features=chosen))

    def _number(self, name: str, quantity: Quantity, place: int) -> NumberField:
        """The field of x, y, z, roll, pitch or yaw (0 to 5) of the chosen tool."""

        def read(robot: RobotDescription) -> Reading:
            tool = self._chosen
            return Reading(None if tool is None else (*tool.xyz, *_rpy(tool))[place])

        def write(value: float) -> Change | None:
            tool = self._chosen
            if tool is None:
                return None
            if place < 3:
                return SetTcp(replace(tool, xyz=_with(tool.xyz, place, value)))
            return SetTcp(replace(tool, rpy=_with(_rpy(tool), place - 3, value), wxyz=None))

        return self.number_field(name, quantity, read, write)

    def _rename(self, cells: list[tuple[ToolCenterPoint, Any]]) -> Change:
        tool, name = cells[0][0], str(cells[0][1]).strip()
        if not name:
            raise CannotApply("A tool centre point needs a name.")
        return self._replaced(tool, replace(tool, name=name), f"Rename tool centre point to {name}")

    def _regroup(self, cells: list[tuple[ToolCenterPoint, Any]]) -> Change:
        tool, group = cells[0][0], str(cells[0][1])
        return self._replaced(tool, replace(tool, group=group), f"Move {tool.name} to {group}")

    def _replaced(self, old: ToolCenterPoint, new: ToolCenterPoint, label: str) -> Change:
        if any((t.name, t.group) == (new.name, new.group) for t in self.srdf.tcps if t is not old):
            raise CannotApply(f"{new.group} has a tool centre point {new.name} already.")
        tcps = tuple(new if t is old else t for t in self.srdf.tcps)
        return SetSrdf(replace(self.srdf, tcps=tcps), label)

    def _show_groups(self, robot: RobotDescription) -> None:
        names = [g.name for g in self.srdf.groups]
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
        gone = {id(t) for t in rows}
        kept = tuple(t for t in self.srdf.tcps if id(t) not in gone)
        what = f"tool centre point {rows[0].name}" if len(rows) == 1 else f"{len(rows)} tool centre points"
        return SetSrdf(replace(self.srdf, tcps=kept), f"Delete {what}")


def _rpy(tcp: ToolCenterPoint) -> Vector3:
    if tcp.wxyz is not None:
        roll, pitch, yaw = matrix_to_rpy(quaternion_matrix(tcp.wxyz))
        return float(roll), float(pitch), float(yaw)
    return tcp.rpy or (0.0, 0.0, 0.0)


def _with(vector: Vector3, axis: int, value: float) -> Vector3:
    x, y, z = (value if i == axis else v for i, v in enumerate(vector))
    return x, y, z
