"""Tool centre points of Tesseract, and the way between them and the XRDF's tool frames."""

from __future__ import annotations

from dataclasses import replace

from editor_app.edit.commands.srdf import SetSrdf, SetTcp
from editor_app.gui.bindings.name_box import NameBox
from editor_app.gui.bindings.panel import muted_label, row_of, tool_button
from editor_app.gui.bindings.quantity import ANGLE, LENGTH
from editor_app.gui.bindings.rows_model import Column
from editor_app.gui.bindings.text_field import TextField
from editor_app.gui.panels.srdf import SrdfPanel
from editor_app.kinematics.transforms import matrix_to_rpy, quaternion_matrix
from editor_app.model.change import Change
from editor_app.model.robot import RobotDescription
from editor_app.model.srdf import ToolCenterPoint
from editor_app.model.urdf import Vector3


class ToolsPanel(SrdfPanel):
    """Numbers of each point; a rotation that stands as a quaternion becomes roll, pitch, yaw when it is edited."""

    def build(self) -> None:
        columns: list[Column[ToolCenterPoint]] = [
            Column("Tool", lambda t: t.name, stretch=True, note=lambda t: f"of {t.group}"),
            Column("Group", lambda t: t.group),
        ]
        for axis, name in enumerate("xyz"):
            columns.append(self._position(axis, name))
        for axis, name in enumerate(("roll", "pitch", "yaw")):
            columns.append(self._angle(axis, name))
        self.view = self.table("Tool centre points", columns, lambda robot: self.srdf.tcps, delete=self._delete)
        self.body.addWidget(self.view)
        self.name = TextField("Name of a new tool centre point")
        self.name.setPlaceholderText("New tool…")
        self.group = NameBox("Group of the new tool centre point", "group")
        self.group.rejected.connect(self.tell)
        self.add = tool_button("plus", "Add")
        self.add.setAccessibleName("Add tool centre point")
        self.add.clicked.connect(self._add)
        self.body.addWidget(self.under(self.view, row_of(self.name, self.group, self.add)))
        self.body.addWidget(muted_label("Relative to the tip of the group. MoveIt does not read them; Tesseract does."))
        self.bind(self._show_groups)

    def _position(self, axis: int, name: str) -> Column[ToolCenterPoint]:
        def write(cells: list[tuple[ToolCenterPoint, float]]) -> Change:
            changed = {id(t): replace(t, xyz=_with(t.xyz, axis, v)) for t, v in cells}
            return self._changed(changed)

        return Column(name, lambda t: t.xyz[axis], write=write, quantity=LENGTH)

    def _angle(self, axis: int, name: str) -> Column[ToolCenterPoint]:
        def write(cells: list[tuple[ToolCenterPoint, float]]) -> Change:
            changed = {id(t): replace(t, rpy=_with(_rpy(t), axis, v), wxyz=None) for t, v in cells}
            return self._changed(changed)

        return Column(name, lambda t: _rpy(t)[axis], write=write, quantity=ANGLE)

    def _changed(self, changed: dict[int, ToolCenterPoint]) -> Change:
        if len(changed) == 1:
            return SetTcp(next(iter(changed.values())))
        tcps = tuple(changed.get(id(t), t) for t in self.srdf.tcps)
        return SetSrdf(replace(self.srdf, tcps=tcps), f"Move {len(changed)} tool centre points")

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
