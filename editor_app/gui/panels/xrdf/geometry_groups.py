"""Geometry groups: add, rename, copy, delete, clone, and which one is drawn and edited."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtWidgets import QMenu, QToolButton

from editor_app.edit import commands
from editor_app.edit.commands.several import together
from editor_app.gui.bindings.panel import ByValue, Panel, muted_label, row_of, tool_button
from editor_app.gui.bindings.rows_model import Column
from editor_app.gui.panels.xrdf.frames import sphere_counts
from editor_app.gui.widgets import STRETCH, no_mnemonic
from editor_app.model.change import Change
from editor_app.model.robot import RobotDescription
from editor_app.model.xrdf import GeometryGroup, Xrdf


@dataclass(frozen=True, slots=True)
class _Row:
    name: str
    direct: int
    all: int
    used: str


class GeometryGroupsPanel(Panel):
    section = "geometry"
    purpose = "Named groups of spheres that stand for the robot's shape. The collision sections say which one they use."
    add_text = "Add a geometry group"

    def build(self) -> None:
        columns: list[Column[_Row]] = [
            Column(
                "Group",
                lambda row: row.name,
                write=lambda cells: commands.RenameGroup(cells[0][0].name, cells[0][1].strip()),
                note=lambda row: "Double-click to rename it everywhere.",
                below=self._state,
                stretch=True,
            ),
            Column(
                "Spheres",
                lambda row: str(row.direct) if row.direct == row.all else f"{row.direct} + {row.all - row.direct}",
                note=lambda row: (
                    "Spheres of the group, and of the groups that it is cloned from." if row.direct != row.all else ""
                ),
                right=True,
            ),
        ]
        self.view = self.table("Geometry groups", columns, self._rows, delete=self._delete, most_rows=5)
        self.view.set_lines(2)
        self.view.rows_selected.connect(self._on_row)
        self.add = tool_button("plus", "Add", tip="Add an empty group", run=self._add)
        self.copy = tool_button("copy", "Copy", tip="Add a group with the same spheres", run=self._copy)
        self.clone = tool_button("", "Clone", tip="The groups whose spheres this one has, too (clone, format 2.0)")
        self.clone.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._menu = QMenu(self.clone)
        self._menu.aboutToShow.connect(self._fill_menu)
        self.clone.setMenu(self._menu)
        # Qt leaves no room for the sign of the menu.
        self.clone.setMinimumWidth(self.clone.sizeHint().width() + self.clone.fontMetrics().height())
        self.under(self.view, row_of(self.add, self.copy, self.clone, STRETCH, stretch=-1))
        self.details = self.put(muted_label(""))
        self.session.active_group_changed.connect(self._on_active)

    def watched(self, robot: RobotDescription) -> tuple[object, ...]:
        xrdf = robot.xrdf
        uses = ByValue((xrdf.geometry is None, xrdf.world_group, xrdf.self_group))
        return sphere_counts(robot), uses, xrdf.format_version

    def add_change(self, robot: RobotDescription) -> Change:
        return _with_uses(robot.xrdf, commands.AddGroup("collision_spheres"))

    def update_view(self, robot: RobotDescription) -> None:
        group = robot.xrdf.group(self.session.active_group)
        several = len(robot.xrdf.geometry or ()) > 1
        self.copy.setEnabled(group is not None)
        self.clone.setEnabled(
            several and group is not None and (robot.xrdf.format_version == "2.0" or bool(group.clone))
        )
        sentences = []
        if several:
            sentences.append("● is drawn and edited: select a row to change it.")
        if group is not None and group.clone:
            sentences.append(f"{group.name} has the spheres of {', '.join(group.clone)}, too.")
        self.details.setText(" ".join(sentences))
        self.details.setVisible(bool(sentences))

    def _state(self, row: _Row) -> str:
        """What uses the group, and whether it is the one that is drawn."""
        several = len(self.robot.xrdf.geometry or ()) > 1
        drawn = "● " if several and row.name == self.session.active_group else ""
        return f"{drawn}used by {row.used}" if row.used else f"{drawn}not used"

    def _rows(self, robot: RobotDescription) -> list[_Row]:
        rows = []
        for group in robot.xrdf.geometry or ():
            uses = [("world", robot.xrdf.world_group), ("self", robot.xrdf.self_group)]
            used = [use for use, name in uses if name == group.name]
            clones = [g.name for g in robot.xrdf.geometry or () if group.name in (g.clone or ())]
            used += [f"clone {clone}" for clone in clones]
            direct = sum(map(len, group.spheres.values()))
            every = sum(map(len, robot.xrdf.spheres_of(group.name).values())) if group.clone else direct
            rows.append(_Row(group.name, direct, every, ", ".join(used)))
        return rows

    def _on_active(self, name: object) -> None:
        self.refresh()
        names = [row.name for row in self.view.rows_model.rows]
        if name in names and names.index(name) not in self.view.selected_rows():
            self.view.select_row(names.index(name))

    def _on_row(self, rows: tuple[int, ...]) -> None:
        if len(self.view.chosen) == 1:
            self.session.set_active_group(self.view.chosen[0].name)

    def _active(self) -> GeometryGroup | None:
        return self.robot.xrdf.group(self.session.active_group)

    def _add(self) -> None:
        name = commands.free_group_name(self.robot.xrdf, "collision_spheres")
        if self.execute(commands.AddGroup(name)):
            self.session.set_active_group(name)

    def _copy(self) -> None:
        group = self._active()
        if group is not None:
            name = commands.free_group_name(self.robot.xrdf, f"{group.name}_copy")
            if self.execute(commands.CopyGroup(group.name, name)):
                self.session.set_active_group(name)

    def _delete(self, rows: list[_Row]) -> Change:
        return together([commands.DeleteGroup(row.name) for row in rows], f"Delete {len(rows)} geometry groups")

    def _fill_menu(self) -> None:
        self._menu.clear()
        group = self._active()
        if group is None:
            return
        for other in self.robot.xrdf.geometry or ():
            if other.name != group.name:
                action = self._menu.addAction(no_mnemonic(other.name))
                action.setCheckable(True)
                action.setChecked(other.name in (group.clone or ()))
                action.toggled.connect(lambda on, name=other.name: self._set_clone(name, on))

    def _set_clone(self, name: str, on: bool) -> None:
        group = self._active()
        if group is not None:
            others = tuple(other for other in group.clone or () if other != name)
            self.execute(commands.SetClone(group.name, (*others, name) if on else others))


def _with_uses(xrdf: Xrdf, add: commands.AddGroup) -> Change:
    """The first group is the one that sections without geometry were waiting for."""
    changes: list[Change] = [add] if xrdf.geometry is not None else [commands.AddSection("geometry"), add]
    if xrdf.world_collision is not None and xrdf.world_collision.geometry is None:
        changes.append(commands.SetCollisionGeometry("world_collision", add.name))
    if xrdf.self_collision is not None and xrdf.self_collision.geometry is None:
        changes.append(commands.SetCollisionGeometry("self_collision", add.name))
    return commands.AllOf(tuple(changes), add.label)
