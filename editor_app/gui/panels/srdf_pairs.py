"""Disabled pairs of the SRDF with their reasons, and the way between them and the XRDF's `ignore`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from editor_app.edit.commands.self_collision import MaskPairs
from editor_app.edit.commands.several import AllOf
from editor_app.edit.commands.srdf import DisablePairs, EnablePairs
from editor_app.edit.commands.tools import count
from editor_app.edit.selection import Selection
from editor_app.gui.bindings.name_box import NameBox
from editor_app.gui.bindings.panel import flat_button, muted_label, row_of
from editor_app.gui.bindings.rows_model import Column
from editor_app.gui.icons import icon
from editor_app.gui.panels.srdf import SrdfPanel
from editor_app.model.change import Change
from editor_app.model.robot import RobotDescription
from editor_app.model.xrdf import LinkPair

#: What MoveIt's assistant and Tesseract write.
REASONS = ("Adjacent", "Never", "Default", "Always", "User", "")


@dataclass(frozen=True, slots=True)
class _Row:
    link1: str
    link2: str
    reason: str
    masked: bool
    unknown: str | None

    @property
    def pair(self) -> LinkPair:
        return LinkPair.of(self.link1, self.link2)


class PairsPanel(SrdfPanel):
    """A row per `disable_collisions`; choosing one selects the pair everywhere."""

    def build(self) -> None:
        columns: list[Column[_Row]] = [
            Column("Link", lambda row: row.link1, stretch=True, problem=lambda row: row.unknown),
            Column("Link", lambda row: row.link2, stretch=True, problem=lambda row: row.unknown),
            Column(
                "Reason",
                lambda row: row.reason,
                write=lambda cells: DisablePairs(tuple(row.pair for row, _ in cells), cells[0][1] or None),
                choices=lambda row: list(dict.fromkeys((*REASONS[:-1], row.reason))) if row.reason else REASONS[:-1],
            ),
            Column("XRDF", lambda row: "✓" if row.masked else "–", note=_in_xrdf),
        ]
        self.view = self.table("Disabled pairs", columns, self._rows, delete=self._delete, most_rows=12)
        # Names of links begin alike; what tells them apart is at their end.
        self.view.setTextElideMode(Qt.TextElideMode.ElideLeft)
        self.view.rows_selected.connect(self._select)
        self.body.addWidget(self.view)
        self.first, self.second = NameBox("First link", "link"), NameBox("Second link", "link")
        self.add = flat_button("plus", "Disable pair")
        self.add.clicked.connect(self._add)
        for box in (self.first, self.second):
            box.set_value(None, "Link…")
            box.rejected.connect(self.tell)
        self.body.addWidget(self.under(self.view, row_of(self.first, self.second, self.add)))
        self.differences = muted_label("")
        self.body.addWidget(self.differences)
        self.to_xrdf = QPushButton(icon("arrow-right"), "Take over into the XRDF")
        self.to_xrdf.setToolTip("Take the disabled pairs over into self_collision.ignore (the selected ones, else all)")
        self.to_xrdf.clicked.connect(self._to_xrdf)
        self.from_xrdf = QPushButton(icon("arrow-left"), "Take over from the XRDF")
        self.from_xrdf.setToolTip("Disable here, too, what the XRDF masks (reason: Adjacent for neighbours, else User)")
        self.from_xrdf.clicked.connect(self._from_xrdf)
        self.body.addWidget(self.to_xrdf)
        self.body.addWidget(self.from_xrdf)
        self.bind(self._show_differences)

    def watched(self, robot: RobotDescription) -> Sequence[object]:
        return robot.srdf, robot.urdf, robot.xrdf.self_collision

    # -- what is shown

    def _rows(self, robot: RobotDescription) -> list[_Row]:
        masked = _masked(robot)
        links = {link.name for link in robot.urdf.links}
        rows = []
        for p in self.srdf.disabled_pairs:
            gone = [name for name in (p.link1, p.link2) if name not in links]
            unknown = f"The URDF has no link {gone[0]}." if gone else None
            rows.append(_Row(p.link1, p.link2, p.reason or "", LinkPair.of(p.link1, p.link2) in masked, unknown))
        return rows

    def _show_differences(self, robot: RobotDescription) -> None:
        here, there = self.srdf.disabled(), _masked(robot)
        only_here, only_there = len(here - there), len(there - here)
        if not only_here and not only_there:
            self.differences.setText("The XRDF masks the same pairs.")
        else:
            self.differences.setText(f"{count(only_here, 'pair')} only here, {only_there} only in the XRDF.")
        self.to_xrdf.setEnabled(bool(only_here))
        self.from_xrdf.setEnabled(bool(only_there))
        links = [link.name for link in robot.urdf.links]
        for box in (self.first, self.second):
            box.set_choices(links)
            box.set_value(box.value if box.value in links else None, "Link…")

    def _select(self, rows: tuple[int, ...]) -> None:
        found = self.view.rows_model.rows
        pairs = tuple(found[i].pair for i in rows if i < len(found))
        if pairs:
            robot = self.session.robot
            links = {x for p in pairs for x in (p.first, p.second)} if len(pairs) == 1 else set()
            known = tuple(x.name for x in robot.urdf.links if x.name in links) if robot is not None else ()
            self.session.select(Selection(links=known, pairs=pairs))

    # -- changes

    def _delete(self, rows: list[_Row]) -> Change:
        return EnablePairs(tuple(dict.fromkeys(row.pair for row in rows)))

    def _add(self) -> None:
        first, second = self.first.value, self.second.value
        if first is None or second is None:
            self.tell("Choose the two links that need not be checked against each other.")
            return
        if self.execute(DisablePairs((LinkPair.of(first, second),))):
            for box in (self.first, self.second):
                box.set_value(None, "Link…")

    def _to_xrdf(self) -> None:
        robot = self.session.robot
        if robot is None:
            return
        found = self.view.rows_model.rows
        chosen = [found[i].pair for i in self.view.selected_rows() if not found[i].masked and found[i].unknown is None]
        if not chosen:
            masked = _masked(robot)
            chosen = [row.pair for row in found if row.pair not in masked and row.unknown is None]
        chosen = [pair for pair in dict.fromkeys(chosen) if pair.first != pair.second]
        if not chosen:
            self.tell("The links of these pairs are not in the URDF: there is nothing to take over.")
            return
        self.execute(_Labelled(MaskPairs(tuple(chosen)), f"Take {count(len(chosen), 'pair')} over into the XRDF"))

    def _from_xrdf(self) -> None:
        robot = self.session.robot
        if robot is None:
            return
        from editor_app.formats.conversion.structure import Structure

        structure = Structure(robot.urdf)
        missing = sorted(_masked(robot) - self.srdf.disabled(), key=lambda p: (p.first, p.second))
        links = {link.name for link in robot.urdf.links}
        fresh = [p for p in missing if p.first in links and p.second in links]
        if not fresh:
            self.tell("The XRDF masks only frames that it adds itself; an SRDF knows links of the URDF alone.")
            return
        adjacent = structure.adjacent()
        near, far = [p for p in fresh if p in adjacent], [p for p in fresh if p not in adjacent]
        changes = tuple(DisablePairs(tuple(ps), why) for ps, why in ((near, "Adjacent"), (far, "User")) if ps)
        done = self.execute(AllOf(changes, f"Take {count(len(fresh), 'pair')} over from the XRDF"))
        if done and len(fresh) < len(missing):
            self.tell(f"{count(len(missing) - len(fresh), 'pair')} of frames that the XRDF adds were left out.")


@dataclass(frozen=True, slots=True)
class _Labelled:
    """A change under another name for the undo menu."""

    change: Change
    label: str

    def apply(self, robot: RobotDescription) -> RobotDescription:
        return self.change.apply(robot)


def _masked(robot: RobotDescription) -> frozenset[LinkPair]:
    section = robot.xrdf.self_collision
    return section.ignored_pairs() if section is not None else frozenset()


def _in_xrdf(row: _Row) -> str:
    return "The XRDF leaves this pair out, too." if row.masked else "The XRDF checks this pair."
