"""Collisions in the SRDF: disabled pairs, pairs checked all the same, margins; spheres that stand
for links."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from PySide6.QtWidgets import QPushButton

from editor_app.core.document.commands import AddGroup, ReplaceSpheres
from editor_app.core.document.commands.field_paths import get_field, with_field
from editor_app.core.document.commands.fields import OfSrdf
from editor_app.core.document.commands.lists import SetItems, set_item
from editor_app.core.document.commands.srdf import (
    SrdfMask,
)
from editor_app.core.document.commands.srdf_parts import (
    SetMargins,
    SpheresFromGroup,
)
from editor_app.core.document.commands.tools import join_changes
from editor_app.core.document.selection import Selection
from editor_app.core.model.counting import format_count
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.robot import Change, RobotDescription
from editor_app.core.model.srdf import CollisionMargins, CollisionPair, PairMargin
from editor_app.core.model.xrdf import CollisionSphere, LinkPair
from editor_app.window.actions.actions import ActionRegistry
from editor_app.window.bindings.forms import Form, Number
from editor_app.window.bindings.lists import lead_down, search_line
from editor_app.window.bindings.panel import (
    flat_button,
    heading,
    link_pair,
    muted_label,
    row_of,
    tool_button,
)
from editor_app.window.bindings.quantity import LENGTH
from editor_app.window.bindings.rows_model import Column
from editor_app.window.session import Session
from editor_app.window.srdf.panel import SrdfPanel, list_link_names
from editor_app.window.widgets import dress, icon

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

    purpose = "Pairs of links that are never checked for collision."
    shows = "srdf urdf xrdf.self_collision"

    def __init__(self, session: Session, registry: ActionRegistry) -> None:
        self._registry = registry
        super().__init__(session)

    def build(self) -> None:
        self.filter = self.put(search_line("Filter disabled pairs", "Filter links and reasons"))
        self.filter.textChanged.connect(self.refresh)
        columns: list[Column[_Row]] = [
            # One above the other: names of links are long, and begin and end alike.
            Column(
                "Links",
                lambda row: f"{row.link1}\n{row.link2}",
                stretch=True,
                problem=lambda row: row.unknown,
            ),
            Column(
                "Reason",
                "reason",
                write=partial(_set_reasons, "srdf.disabled_pairs"),
                choices=lambda row: (
                    list(dict.fromkeys((*REASONS[:-1], row.reason))) if row.reason else REASONS[:-1]
                ),
            ),
            Column("XRDF", lambda row: "✓" if row.masked else "–", note=_in_xrdf),
        ]
        self.view = self.list_table(
            "srdf.disabled_pairs",
            "Disabled pairs",
            columns,
            self._rows,
            most_rows=6,
            chosen=self._selected,
        )
        self.view.set_lines(2)
        lead_down(self.filter, self.view)
        self.add = flat_button("plus", "Disable pair")
        needs = "Choose two links."
        entries = link_pair(("First link", "Second link"), list_link_names, needs)
        self.first, self.second = self.entries(
            entries,
            lambda *pair: self.execute(set_item("srdf.disabled_pairs", LinkPair.of(*pair), "User")),
            self.add,
        )
        self.under(self.view, row_of(self.first, self.second, self.add))
        self.differences = self.put(muted_label(""))
        self.to_xrdf = self._button("mask.from_srdf", "arrow-right", "Copy to XRDF…")
        self.from_xrdf = self._button("mask.to_srdf", "arrow-left", "Copy from XRDF…")
        self.bind(self._show_differences)

    def _button(self, action: str, icon_name: str, text: str) -> QPushButton:
        tip = "Preview the pairs that change with their evidence, then copy as one step"
        return self.put(
            dress(
                QPushButton(icon(icon_name), text),
                tip=tip,
                run=lambda: self._registry.trigger(action),
            )
        )

    # -- what is shown

    def _rows(self, robot: RobotDescription) -> list[_Row]:
        masked = robot.xrdf.ignored_pairs()
        links = {link.name for link in robot.urdf.links}
        rows = []
        for p in self.srdf.disabled_pairs:
            gone = [name for name in (p.link1, p.link2) if name not in links]
            unknown = f"The URDF has no link {gone[0]}." if gone else None
            rows.append(
                _Row(
                    p.link1,
                    p.link2,
                    p.reason or "",
                    LinkPair.of(p.link1, p.link2) in masked,
                    unknown,
                )
            )
        words = self.filter.text().lower().split()
        return [
            r for r in rows if all(w in f"{r.link1} {r.link2} {r.reason}".lower() for w in words)
        ]

    def _show_differences(self, robot: RobotDescription) -> None:
        links = [link.name for link in robot.urdf.links]
        mask = SrdfMask.of(self.srdf)
        # Pairs of links that are left out altogether count, too.
        srdf_pairs = mask.within(
            LinkPair.of(a, b) for a in mask.whole for b in links if a != b and a in links
        )
        xrdf_pairs = robot.xrdf.ignored_pairs()
        only_in_srdf, only_in_xrdf = len(srdf_pairs - xrdf_pairs), len(xrdf_pairs - srdf_pairs)
        differ = bool(only_in_srdf or only_in_xrdf)
        told = f"{format_count(only_in_srdf, 'pair')} only here, {only_in_xrdf} only in the XRDF."
        self.differences.setText(told if differ else "The XRDF ignores the same pairs.")
        # Either file may be the one that is right: the preview also tells which pairs the other one
        # checks.
        for button in (self.to_xrdf, self.from_xrdf):
            button.setEnabled(differ)

    def _selected(self, rows: list[_Row]) -> Selection:
        links = {rows[0].link1, rows[0].link2} if len(rows) == 1 else set()
        of_urdf = tuple(x for x in list_link_names(self.robot) if x in links)
        return Selection(links=of_urdf, pairs=tuple(row.pair for row in rows))


def _set_reasons(path: str, cells: list[tuple[Any, str]]) -> Change:
    return SetItems(
        path, FrozenDict(dict.fromkeys((row.pair for row, _ in cells), cells[0][1].strip() or None))
    )


def _in_xrdf(row: _Row) -> str:
    return "The XRDF also ignores this pair." if row.masked else "The XRDF checks this pair."


class DefaultsPanel(SrdfPanel):
    """Links that are left out altogether (`disable_default_collisions`) above; `enable_collisions`
    below."""

    purpose = "Links excluded from checks, and their pairs that are still checked."

    def build(self) -> None:
        self.put(heading("Excluded links"))
        self.links = self.list_table(
            "srdf.default_disabled_links",
            "Excluded links",
            [Column("Link", str, unknown=self.unknown_link, stretch=True)],
            chosen=lambda rows: Selection(links=self._urdf_links(rows)),
        )
        self.adder(
            self.links,
            "Exclude link",
            "link",
            list_link_names,
            "srdf.default_disabled_links",
            "Link to exclude…",
        )
        self.put(muted_label("They are only checked in these pairs:"))
        self.put(heading("Pairs still checked"))
        pairs: list[Column[CollisionPair]] = [
            Column("Links", lambda p: f"{p.link1}\n{p.link2}", problem=self._problem, stretch=True),
            Column(
                "Reason",
                lambda p: p.reason or "",
                write=partial(_set_reasons, "srdf.enabled_pairs"),
            ),
        ]
        self.pairs = self.list_table(
            "srdf.enabled_pairs",
            "Pairs still checked",
            pairs,
            most_rows=6,
            chosen=self._selected,
        )
        self.pairs.set_lines(2)
        self.add = flat_button("plus", "Check pair")
        entries = link_pair(
            ("First link to check", "Second link to check"),
            lambda robot: sorted(
                list_link_names(robot),
                key=lambda name: name not in self.srdf.default_disabled_links,
            ),
            "Choose two links to check.",
        )
        self.first, self.second = self.entries(entries, self._add, self.add)
        self.under(self.pairs, row_of(self.first, self.second, self.add))
        self.put(muted_label("Only MoveIt reads them. Disabled pairs have priority."))

    def _problem(self, pair: CollisionPair) -> str | None:
        """Why an exception is none."""
        mask = SrdfMask.of(self.srdf)
        unknown = self.unknown_link(pair.link1) or self.unknown_link(pair.link2)
        if unknown is not None:
            return unknown
        if pair.pair in mask.disabled:
            return "It is also a disabled pair, which has priority."
        if not {pair.link1, pair.link2} & mask.whole:
            return "Neither link is excluded, so the pair is checked anyway."
        return None

    def _add(self, first: str, second: str) -> bool:
        pair = LinkPair.of(first, second)
        if pair in {each.pair for each in self.srdf.enabled_pairs}:
            self.tell(f"{first} and {second} are already listed.")
            return False
        return self.execute(set_item("srdf.enabled_pairs", pair, None))

    def _selected(self, rows: list[CollisionPair]) -> Selection:
        links = (
            self._urdf_links(name for p in rows for name in (p.link1, p.link2))
            if len(rows) == 1
            else ()
        )
        return Selection(links=links, pairs=tuple(row.pair for row in rows))

    def _urdf_links(self, names: Iterable[str]) -> tuple[str, ...]:
        return tuple(name for name in dict.fromkeys(names) if self.unknown_link(name) is None)


class ContactMarginsPanel(SrdfPanel):
    """Margins of Tesseract, from which distance on a contact is told: the default above, 0 without
    the section."""

    purpose = "Smallest allowed distances between links (Tesseract)."

    def build(self) -> None:
        default = Number(
            "Default", "margins.default_margin", LENGTH, name="Default margin", empty="none"
        )
        Form(self, (default,), OfSrdf, title="Set default collision margin")
        columns: list[Column[PairMargin]] = [
            Column("Link", "link1", unknown=self.unknown_link, stretch=True),
            Column("and link", "link2", unknown=self.unknown_link, stretch=True),
            Column("Margin", "margin", write=self._write, quantity=LENGTH),
        ]
        self.view = self.list_table(
            "srdf.margins.pairs",
            "Margins of pairs",
            columns,
            chosen=self._selected,
        )
        add = tool_button("plus", "Add", name="Add margin of a pair")
        entries = link_pair(
            ("First link of the margin", "Second link"),
            list_link_names,
            "A margin needs two links.",
        )
        self.first, self.second = self.entries(entries, self._add, add)
        self.under(self.view, row_of(self.first, self.second, add))
        tip, removal = (
            "Remove the complete section from the SRDF",
            SetMargins(None, "Remove collision margins"),
        )
        self.remove = tool_button(
            "trash", "Remove margins", tip=tip, run=lambda: self.execute(removal)
        )
        self.put(self.remove, muted_label("Only Tesseract reads them."))

    @property
    def _margins(self) -> CollisionMargins:
        return self.srdf.margins or CollisionMargins()

    def _write(self, cells: list[tuple[PairMargin, Any]]) -> Change:
        return SetItems("srdf.margins.pairs", FrozenDict({p.pair: float(v) for p, v in cells}))

    def update_view(self, robot: RobotDescription) -> None:
        self.remove.setVisible(self.srdf.margins is not None)

    def _add(self, first: str, second: str) -> bool:
        pair = LinkPair.of(first, second)
        if pair in {each.pair for each in self._margins.pairs}:
            self.tell(f"{first} and {second} already have a margin.")
            return False
        if not self.execute(set_item("srdf.margins.pairs", pair, self._margins.default_margin)):
            return False
        self.view.select_row(len(self._margins.pairs) - 1, 2)
        return True

    def _selected(self, rows: list[PairMargin]) -> Selection:
        links = set(list_link_names(self.robot))
        return Selection(
            pairs=tuple(
                p for p in (row.pair for row in rows) if p.first in links and p.second in links
            )
        )


#: The geometry group that the spheres come into.
GROUP = "srdf_spheres"


@dataclass(frozen=True, slots=True)
class _SphereRow:
    link: str
    index: int
    sphere: CollisionSphere


class SpheresOfSrdfPanel(SrdfPanel):
    """A row per sphere, with the numbers in it; the spheres of the XRDF can be taken over, and
    these into the XRDF."""

    purpose = "Spheres that approximate links."
    shows = "srdf urdf xrdf.geometry"

    def build(self) -> None:
        columns: list[Column[_SphereRow]] = [
            Column("Link", "link", unknown=self.unknown_link, stretch=True),
            *(self._number(name, f"center.{axis}") for axis, name in enumerate("xyz")),
            self._number("Radius", "radius"),
        ]
        self.view = self.table(
            "Spheres of links",
            columns,
            self._rows,
            delete=lambda rows: self._changed({(r.link, r.index): None for r in rows}),
            chosen=lambda rows: Selection(links=tuple(dict.fromkeys(row.link for row in rows))),
        )
        self.adder(
            self.view,
            "Add sphere to link",
            "link",
            list_link_names,
            self._add,
            "Link for a sphere…",
        )
        tip = "Replace these by the spheres of the active geometry group"
        self.take = tool_button("arrow-down", "Copy from XRDF", tip=tip, run=self._take)
        tip = f"Copy these spheres to the geometry group {GROUP} of the XRDF, which the view shows"
        self.give = tool_button("arrow-up", "Copy to XRDF", tip=tip, run=self._give)
        self.put(
            row_of(self.take, self.give), muted_label("MoveIt uses them as coarse link shapes.")
        )

    def _number(self, title: str, path: str) -> Column[_SphereRow]:
        def write(cells: list[tuple[_SphereRow, Any]]) -> Change:
            return self._changed(
                {(r.link, r.index): with_field(r.sphere, path, float(v)) for r, v in cells}
            )

        return Column(title, lambda r: get_field(r.sphere, path), write=write, quantity=LENGTH)

    def _rows(self, robot: RobotDescription) -> list[_SphereRow]:
        approximations = self.srdf.sphere_approximations
        return [
            _SphereRow(link, i, s)
            for link, spheres in approximations.items()
            for i, s in enumerate(spheres)
        ]

    def _changed(self, changed: Mapping[tuple[str, int], CollisionSphere | None]) -> Change:
        present = self.srdf.sphere_approximations
        spheres = {
            link: tuple(
                filter(
                    None,
                    (changed.get((link, i), old) for i, old in enumerate(present.get(link, ()))),
                )
            )
            for link, _ in changed
        }
        return SetItems("srdf.sphere_approximations", FrozenDict(spheres))

    def _add(self, link: str) -> Change:
        present = self.srdf.sphere_approximations.get(link, ())
        return set_item(
            "srdf.sphere_approximations", link, (*present, CollisionSphere((0.0, 0.0, 0.0), 0.05))
        )

    def _take(self) -> None:
        group = self.session.active_group
        if group is None:
            self.tell("The XRDF has no geometry group yet.")
        else:
            self.execute(SpheresFromGroup(group))

    def _give(self) -> None:
        spheres = self.srdf.sphere_approximations
        if not spheres:
            self.tell("The SRDF has no spheres yet.")
            return
        replaced = ReplaceSpheres(GROUP, spheres, f"Copy spheres of the SRDF to {GROUP}")
        new_group = [AddGroup(GROUP)] if self.robot.xrdf.group(GROUP) is None else []
        if self.execute(join_changes([*new_group, replaced], replaced.label)):
            self.session.set_active_group(GROUP)
