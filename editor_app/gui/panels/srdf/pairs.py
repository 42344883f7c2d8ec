"""Disabled pairs of the SRDF with their reasons, and the way between them and the XRDF's `ignore`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtWidgets import QLineEdit, QPushButton, QWidget

from editor_app.edit.commands.srdf import DisablePairs, EnablePairs
from editor_app.edit.commands.srdf_pairs import SrdfMask
from editor_app.edit.selection import Selection
from editor_app.gui.actions import ActionRegistry
from editor_app.gui.bindings.below import lead_down
from editor_app.gui.bindings.panel import flat_button, muted_label
from editor_app.gui.bindings.rows_model import Column
from editor_app.gui.bindings.undo_keys import UndoKeys
from editor_app.gui.icons import icon
from editor_app.gui.panels.srdf.panel import SrdfPanel, link_names
from editor_app.gui.session import Session
from editor_app.model.change import Change
from editor_app.model.counting import counted
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
    """A row per `disable_collisions`; choosing one selects the pair everywhere.

    `registry` has the actions that take pairs over between the files, after a look.
    """

    purpose = "Disabled pairs: links that are never checked against each other."

    def __init__(self, session: Session, registry: ActionRegistry, parent: QWidget | None = None) -> None:
        self._registry = registry
        super().__init__(session, parent)

    def build(self) -> None:
        self.filter = QLineEdit()
        UndoKeys(self.filter)
        self.filter.setAccessibleName("Filter disabled pairs")
        self.filter.setPlaceholderText("Filter links and reasons")
        self.filter.setClearButtonEnabled(True)
        self.filter.addAction(icon("magnifying-glass", "muted"), QLineEdit.ActionPosition.LeadingPosition)
        self.filter.textChanged.connect(lambda _: self.refresh())
        self.body.addWidget(self.filter)
        columns: list[Column[_Row]] = [
            # One above the other: names of links are long, and begin and end alike.
            Column("Links", lambda row: f"{row.link1}\n{row.link2}", stretch=True, problem=lambda row: row.unknown),
            Column(
                "Reason",
                lambda row: row.reason,
                write=lambda cells: DisablePairs(tuple(row.pair for row, _ in cells), cells[0][1] or None),
                choices=lambda row: list(dict.fromkeys((*REASONS[:-1], row.reason))) if row.reason else REASONS[:-1],
            ),
            Column("XRDF", lambda row: "✓" if row.masked else "–", note=_in_xrdf),
        ]
        self.view = self.table(
            "Disabled pairs", columns, self._rows, delete=self._delete, most_rows=6, chosen=self._selected
        )
        self.view.set_lines(2)
        lead_down(self.filter, self.view)
        self.add = flat_button("plus", "Disable pair")
        self.first, self.second, line = self.pair_adder(
            ("First link", "Second link"),
            link_names,
            lambda first, second: self.execute(DisablePairs((LinkPair.of(first, second),))),
            self.add,
            "Choose the two links that need not be checked against each other.",
        )
        self.body.addWidget(self.under(self.view, line))
        self.differences = muted_label("")
        self.body.addWidget(self.differences)
        self.to_xrdf = self._button("mask.from_srdf", "arrow-right", "Take over into the XRDF…")
        self.from_xrdf = self._button("mask.to_srdf", "arrow-left", "Take over from the XRDF…")
        self.bind(self._show_differences)

    def _button(self, action: str, icon_name: str, text: str) -> QPushButton:
        button = QPushButton(icon(icon_name), text)
        button.setToolTip("See which pairs would change, and what speaks for and against, then do it as one step")
        button.clicked.connect(lambda: self._registry.trigger(action))
        self.body.addWidget(button)
        return button

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
        words = self.filter.text().lower().split()
        return [r for r in rows if all(w in f"{r.link1} {r.link2} {r.reason}".lower() for w in words)]

    def _show_differences(self, robot: RobotDescription) -> None:
        links = [link.name for link in robot.urdf.links]
        mask = SrdfMask.of(self.srdf)
        # Pairs of links that are left out altogether count, too.
        srdf_pairs = mask.within(LinkPair.of(a, b) for a in mask.whole for b in links if a != b and a in links)
        xrdf_pairs = _masked(robot)
        only_in_srdf, only_in_xrdf = len(srdf_pairs - xrdf_pairs), len(xrdf_pairs - srdf_pairs)
        if not only_in_srdf and not only_in_xrdf:
            self.differences.setText("The XRDF ignores the same pairs.")
        else:
            self.differences.setText(f"{counted(only_in_srdf, 'pair')} only here, {only_in_xrdf} only in the XRDF.")
        # Either file may be the one that is right: the preview also tells which pairs the other one checks.
        for button in (self.to_xrdf, self.from_xrdf):
            button.setEnabled(bool(only_in_srdf or only_in_xrdf))

    def _selected(self, rows: list[_Row]) -> Selection:
        robot = self.session.robot
        links = {rows[0].link1, rows[0].link2} if len(rows) == 1 else set()
        of_urdf = tuple(x for x in link_names(robot) if x in links) if robot is not None else ()
        return Selection(links=of_urdf, pairs=tuple(row.pair for row in rows))

    # -- changes

    def _delete(self, rows: list[_Row]) -> Change:
        return EnablePairs(tuple(dict.fromkeys(row.pair for row in rows)))


def _masked(robot: RobotDescription) -> frozenset[LinkPair]:
    section = robot.xrdf.self_collision
    return section.ignored_pairs() if section is not None else frozenset()


def _in_xrdf(row: _Row) -> str:
    return "The XRDF leaves this pair out, too." if row.masked else "The XRDF checks this pair."
