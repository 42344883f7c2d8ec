"""Geometry groups, and the two collision sections that use them: buffer distances, and pairs that
are ignored."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from operator import attrgetter

from PySide6.QtWidgets import QMenu, QPushButton, QToolButton

from editor_app.core.document import commands
from editor_app.core.document.commands.collision import Section
from editor_app.core.document.selection import Selection
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.robot import Change, RobotDescription
from editor_app.core.model.xrdf import CollisionSection, GeometryGroup, LinkPair
from editor_app.window.bindings.forms import ChoiceField, Form, Number
from editor_app.window.bindings.panel import (
    ByValue,
    NewItemField,
    Panel,
    heading,
    muted_label,
    row_of,
    tool_button,
)
from editor_app.window.bindings.quantity import LENGTH
from editor_app.window.bindings.rows_model import Column
from editor_app.window.session import Hover
from editor_app.window.widgets import STRETCH, dress, icon, no_mnemonic
from editor_app.window.xrdf.frames import frames_of, sphere_counts, unknown_frame


@dataclass(frozen=True, slots=True)
class _Row:
    name: str
    direct: int
    all: int
    used: str


class GeometryGroupsPanel(Panel):
    section = "geometry"
    purpose = "Named groups of collision spheres. The collision sections select the group they use."
    add_text = "Add a geometry group"

    def build(self) -> None:
        columns: list[Column[_Row]] = [
            Column(
                "Group",
                "name",
                write=lambda cells: commands.RenameItem(
                    "xrdf.geometry", cells[0][0].name, cells[0][1].strip()
                ),
                note=lambda row: "Double-click to rename.",
                below=self._state,
                stretch=True,
            ),
            Column(
                "Spheres",
                lambda row: (
                    str(row.direct)
                    if row.direct == row.all
                    else f"{row.direct} + {row.all - row.direct}"
                ),
                note=lambda row: (
                    "Spheres of the group + spheres of its cloned groups."
                    if row.direct != row.all
                    else ""
                ),
                right=True,
            ),
        ]
        self.view = self.list_table(
            "xrdf.geometry",
            "Geometry groups",
            columns,
            self._rows,
            key=attrgetter("name"),
            most_rows=5,
        )
        self.view.set_lines(2)
        self.view.rows_selected.connect(self._on_row)
        self.add = tool_button("plus", "Add", tip="Add an empty group", run=self._add)
        self.copy = tool_button("copy", "Copy", tip="Duplicate the group", run=self._copy)
        self.clone = tool_button(
            "", "Clone", tip="Groups whose spheres this group includes (clone, format 2.0)"
        )
        self.clone.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._menu = QMenu(self.clone)
        self._menu.aboutToShow.connect(self._fill_menu)
        self.clone.setMenu(self._menu)
        # Qt leaves no room for the sign of the menu.
        self.clone.setMinimumWidth(
            self.clone.sizeHint().width() + self.clone.fontMetrics().height()
        )
        self.under(self.view, row_of(self.add, self.copy, self.clone, STRETCH, stretch=-1))
        self.details = self.put(muted_label(""))
        self.session.active_group_changed.connect(self._on_active)

    def watched(self, robot: RobotDescription) -> tuple[object, ...]:
        xrdf = robot.xrdf
        uses = ByValue((xrdf.geometry is None, xrdf.world_group, xrdf.self_group))
        return sphere_counts(robot), uses, xrdf.format_version

    def add_change(self, robot: RobotDescription) -> Change:
        # The first group is the one that sections without geometry were waiting for.
        add = commands.AddGroup("collision_spheres")
        changes: list[Change] = (
            [add] if robot.xrdf.geometry is not None else [commands.AddSection("geometry"), add]
        )
        if robot.xrdf.world_collision is not None and robot.xrdf.world_collision.geometry is None:
            changes.append(commands.SetCollisionGeometry("world_collision", add.name))
        if robot.xrdf.self_collision is not None and robot.xrdf.self_collision.geometry is None:
            changes.append(commands.SetCollisionGeometry("self_collision", add.name))
        return commands.AllOf(tuple(changes), add.label)

    def update_view(self, robot: RobotDescription) -> None:
        group = robot.xrdf.group(self.session.active_group)
        several = len(robot.xrdf.geometry or ()) > 1
        self.copy.setEnabled(group is not None)
        self.clone.setEnabled(
            several
            and group is not None
            and (robot.xrdf.format_version == "2.0" or bool(group.clone))
        )
        sentences = []
        if several:
            sentences.append("● is shown and edited. Select a row to change it.")
        if group is not None and group.clone:
            sentences.append(f"{group.name} also includes the spheres of {', '.join(group.clone)}.")
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
            every = (
                sum(map(len, robot.xrdf.spheres_of(group.name).values())) if group.clone else direct
            )
            rows.append(_Row(group.name, direct, every, ", ".join(used)))
        return rows

    def _on_active(self, name: object) -> None:
        self.refresh()
        names = [row.name for row in self.view.rows_model.items]
        if name in names and names.index(name) not in self.view.selected_rows():
            self.view.select_row(names.index(name))

    def _on_row(self, rows: list[_Row]) -> None:
        if len(rows) == 1:
            self.session.set_active_group(rows[0].name)

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


@dataclass(frozen=True, slots=True)
class _Buffer:
    frame: str
    distance: float
    spheres: int


class CollisionPanel(Panel):
    """Shared by both sections."""

    section: Section

    def build(self) -> None:
        geometry = ChoiceField(
            "Geometry",
            "geometry",
            lambda robot, _: [group.name for group in robot.xrdf.geometry or ()],
            noun="geometry group",
            name="Geometry group",
            write=lambda name: commands.SetCollisionGeometry(self.section, name),
        )
        self.group_box = Form(self, (geometry,), lambda: None, thing=self._section).fields[
            "geometry"
        ]
        self.put(heading("Buffer distances"))
        self._build_buffers()

    def _build_buffers(self) -> None:
        self.expand = dress(
            QPushButton("Write per frame"),
            run=lambda: self.execute(commands.ExpandBuffer(self.section)),
        )
        single = Number(
            "All frames",
            "single_buffer",
            LENGTH,
            name="Buffer of all frames",
            shown=lambda section: section.single_buffer is not None,
            write=lambda value: commands.SetAllBuffers(self.section, value),
            beside=(self.expand,),
        )
        self.single_buffer = Form(self, (single,), lambda: None, thing=self._section).fields[
            "single_buffer"
        ]
        path = f"xrdf.{self.section}.buffer_distance"
        columns: list[Column[_Buffer]] = [
            Column(
                "Frame",
                "frame",
                write=lambda cells: commands.RenameItem(path, cells[0][0].frame, cells[0][1]),
                choices=lambda row: frames_of(self.session),
                unknown=partial(unknown_frame, self.session),
                note=lambda row: (
                    "" if row.spheres else "This frame has no spheres, so its buffer has no effect."
                ),
                stretch=True,
            ),
            Column("Spheres", lambda row: str(row.spheres) if row.spheres else "none", right=True),
            Column(
                "Buffer",
                "distance",
                write=lambda cells: commands.SetItems(
                    path, FrozenDict({row.frame: value for row, value in cells})
                ),
                quantity=LENGTH,
            ),
        ]
        self.no_buffers = self.put(muted_label("No buffers."))
        self.buffers = self.list_table(
            path,
            "Buffer distances",
            columns,
            self._rows,
            key=attrgetter("frame"),
            hovered=lambda row: Hover(link=row.frame),
        )
        self._under_buffers = self.adder(
            self.buffers,
            "Add buffer distance",
            "frame",
            self._free,
            lambda frame: commands.set_item(path, frame, 0.01),
            "Frame to add…",
        )

    def watched(self, robot: RobotDescription) -> tuple[object, ...]:
        return getattr(robot.xrdf, self.section), sphere_counts(robot), robot.urdf

    def add_change(self, robot: RobotDescription) -> Change:
        groups = robot.xrdf.geometry or ()
        other = robot.xrdf.world_group or robot.xrdf.self_group
        name = other if robot.xrdf.group(other) is not None else groups[0].name if groups else None
        return commands.AddCollisionSection(self.section, name)

    def update_view(self, robot: RobotDescription) -> None:
        distances = self._section().buffer_distance
        is_single = self._section().single_buffer is not None
        self.buffers.setVisible(not is_single and bool(distances))
        self.no_buffers.setVisible(not is_single and not distances)
        self._under_buffers.setVisible(not is_single)

    def _section(self) -> CollisionSection:
        """An empty one when there is none."""
        return getattr(self.robot.xrdf, self.section) or CollisionSection()

    def _rows(self, robot: RobotDescription) -> list[_Buffer]:
        section = self._section()
        if not isinstance(section.buffer_distance, FrozenDict):
            return []
        spheres = robot.xrdf.spheres_of(section.geometry)
        return [_Buffer(f, d, len(spheres.get(f, ()))) for f, d in section.buffer_distance.items()]

    def _free(self, robot: RobotDescription) -> list[str]:
        section = self._section()
        taken = section.buffer_distance if isinstance(section.buffer_distance, FrozenDict) else ()
        spheres = robot.xrdf.spheres_of(section.geometry)
        # Those that carry spheres in front: a buffer has no effect on the others.
        return sorted(
            (f for f in frames_of(self.session) if f not in taken),
            key=lambda frame: frame not in spheres,
        )


class WorldCollisionPanel(CollisionPanel):
    section = "world_collision"
    purpose = (
        "Spheres and buffers for obstacle avoidance. Without this section, planners ignore "
        "obstacles."
    )
    add_text = "Add world collision"


class SelfCollisionSectionPanel(CollisionPanel):
    section = "self_collision"
    purpose = (
        "Spheres, buffers and ignored pairs for self-collision. Without this section, the robot "
        "may hit itself."
    )
    add_text = "Add self-collision"

    def build(self) -> None:
        super().build()
        self.put(heading("Ignored pairs"))
        columns: list[Column[tuple[str, str]]] = [
            Column("Frame", "0", unknown=partial(unknown_frame, self.session), stretch=True),
            Column("and", "1", unknown=partial(unknown_frame, self.session), stretch=True),
        ]
        self.no_pairs = self.put(muted_label("No pair is ignored."))
        self.pairs = self.table(
            "Ignored pairs",
            columns,
            self._pairs,
            delete=lambda rows: commands.SetMask(checked=tuple(LinkPair.of(*row) for row in rows)),
            chosen=self._selected,
        )
        self.mask_button = tool_button("", "Ignore", tip="Ignore self-collision of this pair")
        needs = "Choose two frames first."
        entries = (
            NewItemField(
                "First frame of the pair",
                "Frame…",
                "frame",
                lambda _: frames_of(self.session),
                needs,
                stays=True,
            ),
            NewItemField("Second frame of the pair", "Frame…", "frame", self._partners, needs),
        )
        self.first, self.second = self.entries(entries, self._mask, self.mask_button)
        for box in (self.first, self.second):
            box.chosen.connect(self.refresh)
        self.under(self.pairs, row_of(self.first, self.second, self.mask_button, stretch=(0, 1)))
        tip = "Remove redundant entries; the ignored pairs stay the same"
        tidy = QPushButton(icon("paint-brush-household"), "")
        self.tidy = self.put(dress(tidy, tip=tip, run=lambda: self.execute(commands.TidyIgnore())))

    def update_view(self, robot: RobotDescription) -> None:
        super().update_view(robot)
        has_pairs = self.pairs.rows_model.rowCount() > 0
        self.pairs.setVisible(has_pairs)
        self.no_pairs.setVisible(not has_pairs)
        redundant = commands.redundant_entries(robot)
        self.tidy.setVisible(redundant > 0)
        self.tidy.setText(f"Tidy {redundant} redundant entr{'y' if redundant == 1 else 'ies'}")

    def _pairs(self, robot: RobotDescription) -> list[tuple[str, str]]:
        section = robot.xrdf.self_collision
        if section is None:
            return []
        rank = commands.frame_rank(robot)
        ordered = (sorted((pair.first, pair.second), key=rank) for pair in section.ignored_pairs())
        return sorted(((a, b) for a, b in ordered), key=lambda ab: (rank(ab[0]), rank(ab[1])))

    def _partners(self, robot: RobotDescription) -> list[str]:
        """As the second frame, those that are not masked against the first one yet."""
        masked, first = robot.xrdf.ignored_pairs(), self.first.value
        frames = [f for f in frames_of(self.session) if f != first]
        return [f for f in frames if first is None or LinkPair.of(first, f) not in masked]

    def _mask(self, first: str, second: str) -> bool:
        self.second.setFocus()
        return self.execute(commands.SetMask(pairs=(LinkPair.of(first, second),)))

    def _selected(self, rows: list[tuple[str, str]]) -> Selection | None:
        # Only when the user selects: rows also vanish by undo.
        return (
            Selection(pairs=tuple(LinkPair.of(*row) for row in rows))
            if self.pairs.hasFocus()
            else None
        )
