"""The two collision sections: geometry, buffer distances, and the pairs that self-collision leaves out."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from editor_app.edit.commands import (
    AddCollisionSection,
    DeleteBuffers,
    ExpandBuffer,
    MaskPairs,
    RenameBufferFrame,
    SetAllBuffers,
    SetBuffer,
    SetCollisionGeometry,
    TidyIgnore,
    UnmaskPairs,
    frame_rank,
    redundant_entries,
)
from editor_app.edit.commands.collision import Section
from editor_app.edit.selection import Selection
from editor_app.gui.bindings.forms import Choice, Form, Number
from editor_app.gui.bindings.name_box import NameBox
from editor_app.gui.bindings.panel import Panel, heading, muted_label, tool_button
from editor_app.gui.bindings.quantity import LENGTH
from editor_app.gui.bindings.rows_model import Column
from editor_app.gui.icons import icon
from editor_app.gui.panels.xrdf.frames import frames_of, frames_with_spheres_first, sphere_counts, unknown_frame
from editor_app.gui.session import Hover
from editor_app.gui.widgets import fill
from editor_app.model.change import Change
from editor_app.model.frozen import FrozenDict
from editor_app.model.robot import RobotDescription
from editor_app.model.xrdf import CollisionSection, LinkPair


@dataclass(frozen=True, slots=True)
class _Buffer:
    frame: str
    distance: float
    spheres: int


class CollisionPanel(Panel):
    """Shared by both sections."""

    kind: Section = "world_collision"

    def build(self) -> None:
        geometry = Choice(
            "Geometry",
            "geometry",
            lambda robot, _: [group.name for group in robot.xrdf.geometry or ()],
            noun="geometry group",
            name="Geometry group",
            write=lambda name: SetCollisionGeometry(self.kind, name),
        )
        self.group_box = Form(self, (geometry,), lambda: None, thing=self._present).fields["geometry"]
        self.body.addWidget(heading("Buffer distances"))
        self._build_buffers()

    def _build_buffers(self) -> None:
        self.expand = QPushButton("Write per frame")
        self.expand.clicked.connect(lambda: self.execute(ExpandBuffer(self.kind)))
        single = Number(
            "All frames",
            "single_buffer",
            LENGTH,
            name="Buffer of all frames",
            shown=lambda section: section.single_buffer is not None,
            write=lambda value: SetAllBuffers(self.kind, value),
            beside=(self.expand,),
        )
        self.single_buffer = Form(self, (single,), lambda: None, thing=self._present).fields["single_buffer"]
        columns: list[Column[_Buffer]] = [
            Column(
                "Frame",
                lambda row: row.frame,
                write=lambda cells: RenameBufferFrame(self.kind, cells[0][0].frame, cells[0][1]),
                choices=lambda row: frames_of(self.session),
                problem=lambda row: unknown_frame(self.session, row.frame),
                note=lambda row: "" if row.spheres else "This frame has no spheres: its buffer has no effect.",
                stretch=True,
            ),
            Column("Spheres", lambda row: str(row.spheres) if row.spheres else "none", right=True),
            Column(
                "Buffer",
                lambda row: row.distance,
                write=lambda cells: SetBuffer(self.kind, FrozenDict({row.frame: value for row, value in cells})),
                quantity=LENGTH,
            ),
        ]
        self.no_buffers = muted_label("No buffers: spheres count as they are.")
        self.body.addWidget(self.no_buffers)
        self.buffers = self.table(
            "Buffer distances",
            columns,
            self._rows,
            delete=lambda rows: DeleteBuffers(self.kind, tuple(row.frame for row in rows)),
            hovered=lambda row: Hover(link=row.frame),
        )
        adder = self.adder(
            "Add buffer distance",
            "frame",
            self._free,
            lambda frame: SetBuffer(self.kind, FrozenDict({frame: 0.01})),
            "Frame to add…",
        )
        self._under_buffers = self.under(self.buffers, adder)
        self.body.addWidget(self._under_buffers)

    def watched(self, robot: RobotDescription) -> tuple[object, ...]:
        return getattr(robot.xrdf, self.kind), sphere_counts(robot), robot.urdf

    def add_change(self, robot: RobotDescription) -> Change:
        groups = robot.xrdf.geometry or ()
        other = robot.xrdf.world_group or robot.xrdf.self_group
        name = other if robot.xrdf.group(other) is not None else groups[0].name if groups else None
        return AddCollisionSection(self.kind, name)

    def update_view(self, robot: RobotDescription) -> None:
        distances = self._section(robot).buffer_distance
        is_single = self._section(robot).single_buffer is not None
        self.buffers.setVisible(not is_single and bool(distances))
        self.no_buffers.setVisible(not is_single and not distances)
        self._under_buffers.setVisible(not is_single)

    def _section(self, robot: RobotDescription) -> CollisionSection:
        return getattr(robot.xrdf, self.kind) or CollisionSection()

    def _present(self) -> CollisionSection | None:
        return self._section(self.session.robot) if self.session.robot is not None else None

    def _rows(self, robot: RobotDescription) -> list[_Buffer]:
        section = self._section(robot)
        if not isinstance(section.buffer_distance, FrozenDict):
            return []
        spheres = robot.xrdf.spheres_of(section.geometry)
        return [_Buffer(f, d, len(spheres.get(f, ()))) for f, d in section.buffer_distance.items()]

    def _free(self, robot: RobotDescription) -> list[str]:
        section = self._section(robot)
        taken = section.buffer_distance if isinstance(section.buffer_distance, FrozenDict) else ()
        return [f for f in frames_with_spheres_first(self.session, robot, section.geometry) if f not in taken]


class WorldCollisionPanel(CollisionPanel):
    section = "world_collision"
    kind = "world_collision"
    purpose = "Which spheres keep clear of obstacles, and by how much. Without it, obstacles are not avoided."
    add_text = "Add world collision"


@dataclass(frozen=True, slots=True)
class _Pair:
    first: str
    second: str

    @property
    def pair(self) -> LinkPair:
        return LinkPair.of(self.first, self.second)


class SelfCollisionPanel(CollisionPanel):
    section = "self_collision"
    kind = "self_collision"
    purpose = "Which spheres keep clear of each other. Without it, the robot may run into itself."
    add_text = "Add self-collision"

    def build(self) -> None:
        super().build()
        self.body.addWidget(heading("Ignored pairs"))
        columns: list[Column[_Pair]] = [
            Column("Frame", lambda r: r.first, problem=lambda r: unknown_frame(self.session, r.first), stretch=True),
            Column("and", lambda r: r.second, problem=lambda r: unknown_frame(self.session, r.second), stretch=True),
        ]
        self.no_pairs = muted_label("No pair is ignored: each frame is checked against every other one.")
        self.body.addWidget(self.no_pairs)
        self.pairs = self.table(
            "Ignored pairs",
            columns,
            self._pairs,
            delete=lambda rows: UnmaskPairs(tuple(row.pair for row in rows)),
        )
        self.pairs.rows_selected.connect(self._select_pairs)
        self.first = NameBox("First frame of the pair", "frame")
        self.second = NameBox("Second frame of the pair", "frame")
        self.mask_button = tool_button("", "Ignore")
        self.mask_button.setToolTip("Leave this pair out of the check for self-collision")
        self.mask_button.clicked.connect(self._mask)
        for box in (self.first, self.second):
            box.rejected.connect(self.tell)
            box.chosen.connect(lambda _: self._offer_partners())
        self.bind(self._offer)
        line = QWidget()
        fill(QHBoxLayout(line), (self.first, 1), (self.second, 1), self.mask_button, margins=0, spacing=2)
        self.body.addWidget(self.under(self.pairs, line))
        self.tidy = QPushButton(icon("paint-brush-household"), "")
        self.tidy.setToolTip("Take out entries that change nothing; the ignored pairs stay the same")
        self.tidy.clicked.connect(lambda: self.execute(TidyIgnore()))
        self.body.addWidget(self.tidy)

    def update_view(self, robot: RobotDescription) -> None:
        super().update_view(robot)
        has_pairs = self.pairs.rows_model.rowCount() > 0
        self.pairs.setVisible(has_pairs)
        self.no_pairs.setVisible(not has_pairs)
        redundant = redundant_entries(robot)
        self.tidy.setVisible(redundant > 0)
        self.tidy.setText(f"Tidy {redundant} redundant entr{'y' if redundant == 1 else 'ies'}")

    def _pairs(self, robot: RobotDescription) -> list[_Pair]:
        section = robot.xrdf.self_collision
        if section is None:
            return []
        rank = frame_rank(robot)
        ordered = [sorted((pair.first, pair.second), key=rank) for pair in section.ignored_pairs()]
        return [_Pair(a, b) for a, b in sorted(ordered, key=lambda ab: (rank(ab[0]), rank(ab[1])))]

    def _offer(self, robot: RobotDescription) -> None:
        frames = frames_of(self.session)
        self.first.set_choices(frames)
        if self.first.value not in frames:
            self.first.set_value(None, "Frame…")
        self._offer_partners()

    def _offer_partners(self) -> None:
        """As the second frame, those that are not masked against the first one yet."""
        robot = self.session.robot
        section = robot.xrdf.self_collision if robot is not None else None
        masked = section.ignored_pairs() if section is not None else frozenset()
        first = self.first.value
        frames = [f for f in frames_of(self.session) if first is None or LinkPair.of(first, f) not in masked]
        self.second.set_choices([f for f in frames if f != first])
        if self.second.value not in frames or self.second.value == first:
            self.second.set_value(None, "Frame…")

    def _mask(self) -> None:
        if not (self.first.commit() and self.second.commit()):
            return
        if self.first.value is None or self.second.value is None:
            self.tell("Choose the two frames of the pair first.")
            return
        if self.execute(MaskPairs((LinkPair.of(self.first.value, self.second.value),))):
            self.second.set_value(None, "Frame…")
            self._offer_partners()
            self.second.setFocus()

    def _select_pairs(self, rows: tuple[int, ...]) -> None:
        # Only when the user selects: rows also vanish by undo.
        if rows and self.pairs.hasFocus():
            pairs = tuple(self.pairs.rows_model.rows[i].pair for i in rows)
            self.session.select(Selection(pairs=pairs))
