"""Links that the SRDF leaves out of collision checking altogether, and the pairs that are checked all the same."""

from __future__ import annotations

from collections.abc import Iterable

from editor_app.edit.commands.several import AllOf
from editor_app.edit.commands.srdf_pairs import CheckAllTheSame, DeleteExceptions, LeaveLinkOut, SrdfMask
from editor_app.edit.selection import Selection
from editor_app.gui.bindings.panel import flat_button, heading, muted_label
from editor_app.gui.bindings.rows_model import Column
from editor_app.gui.panels.srdf.panel import SrdfPanel, link_names
from editor_app.model.change import Change
from editor_app.model.robot import RobotDescription
from editor_app.model.srdf import CollisionPair
from editor_app.model.xrdf import LinkPair


class DefaultsPanel(SrdfPanel):
    """`disable_default_collisions` above, `enable_collisions` below."""

    purpose = "Links that nothing is checked against, and pairs of them that are checked all the same."

    def build(self) -> None:
        self.body.addWidget(heading("Links left out"))
        links: list[Column[str]] = [Column("Link", lambda name: name, problem=self._unknown, stretch=True)]
        self.links = self.table(
            "Links left out",
            links,
            lambda robot: self.srdf.default_disabled_links,
            delete=lambda rows: AllOf(
                tuple(LeaveLinkOut(name, False) for name in dict.fromkeys(rows)),
                LeaveLinkOut(rows[0], False).label if len(rows) == 1 else f"Check {len(rows)} links by default",
            ),
            chosen=lambda rows: Selection(links=self._urdf_links(rows)),
        )
        adder = self.adder("Leave link out", "link", self._free, LeaveLinkOut, "Link to leave out…")
        self.body.addWidget(self.under(self.links, adder))
        self.body.addWidget(muted_label("They are checked against nothing, but in these pairs:"))
        self.body.addWidget(heading("Pairs checked all the same"))
        pairs: list[Column[CollisionPair]] = [
            Column("Links", lambda p: f"{p.link1}\n{p.link2}", problem=self._problem, stretch=True),
            Column("Reason", lambda p: p.reason or "", write=self._write_reason),
        ]
        self.pairs = self.table(
            "Pairs checked all the same",
            pairs,
            lambda robot: self.srdf.enabled_pairs,
            delete=lambda rows: DeleteExceptions(tuple(dict.fromkeys(map(_pair, rows)))),
            most_rows=6,
            chosen=self._selected,
        )
        self.pairs.set_lines(2)
        self.add = flat_button("plus", "Check pair all the same")
        self.first, self.second, line = self.pair_adder(
            ("First link to check", "Second link to check"),
            lambda robot: sorted(link_names(robot), key=lambda name: name not in self.srdf.default_disabled_links),
            self._add,
            self.add,
            "Choose the two links that are to be checked against each other.",
        )
        self.body.addWidget(self.under(self.pairs, line))
        self.body.addWidget(muted_label("MoveIt reads them; a disabled pair has the last word. Tesseract does not."))

    def _free(self, robot: RobotDescription) -> list[str]:
        return [link.name for link in robot.urdf.links if link.name not in self.srdf.default_disabled_links]

    def _unknown(self, link: str) -> str | None:
        robot = self.session.robot
        return None if robot is None or robot.urdf.link(link) is not None else f"The URDF has no link {link}."

    def _problem(self, pair: CollisionPair) -> str | None:
        """Why an exception is none."""
        mask = SrdfMask.of(self.srdf)
        unknown = self._unknown(pair.link1) or self._unknown(pair.link2)
        if unknown is not None:
            return unknown
        if _pair(pair) in mask.disabled:
            return "It is a disabled pair, too, and that has the last word."
        if not {pair.link1, pair.link2} & mask.whole:
            return "Neither link is left out: the pair is checked anyway."
        return None

    def _write_reason(self, cells: list[tuple[CollisionPair, str]]) -> Change:
        return CheckAllTheSame(tuple(_pair(p) for p, _ in cells), cells[0][1].strip() or None)

    def _add(self, first: str, second: str) -> bool:
        pair = LinkPair.of(first, second)
        if pair in set(map(_pair, self.srdf.enabled_pairs)):
            self.tell(f"{first} and {second} stand here already.")
            return False
        return self.execute(CheckAllTheSame((pair,)))

    def _selected(self, rows: list[CollisionPair]) -> Selection:
        links = self._urdf_links(name for p in rows for name in (p.link1, p.link2)) if len(rows) == 1 else ()
        return Selection(links=links, pairs=tuple(map(_pair, rows)))

    def _urdf_links(self, names: Iterable[str]) -> tuple[str, ...]:
        return tuple(name for name in dict.fromkeys(names) if self._unknown(name) is None)


def _pair(pair: CollisionPair) -> LinkPair:
    return LinkPair.of(pair.link1, pair.link2)
