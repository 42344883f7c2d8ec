"""All pairs as a list: sorted, filtered, on the same selection as the matrix."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, QPoint, QSortFilterProxyModel, Qt, Signal
from PySide6.QtGui import QColor, QIcon
from PySide6.QtWidgets import QHeaderView, QTableView, QVBoxLayout, QWidget

from editor_app.core.document.commands.self_collision import MaskFile
from editor_app.core.document.selection import Selection
from editor_app.core.model.xrdf import LinkPair
from editor_app.features.masks.engine.masks import MaskState
from editor_app.features.masks.engine.results import (
    PairClass,
    PairEvidence,
    explain_evidence,
    proven_mm,
)
from editor_app.features.masks.verbs.mask_session import PairsState
from editor_app.features.masks.window import looks
from editor_app.features.masks.window.controller import MaskController
from editor_app.window.bindings.lists import CellLook, Index, ReadTable, read_table
from editor_app.window.theme import tabular_font
from editor_app.window.widgets import WhenSeen, fill_layout, icon

SORT = int(Qt.ItemDataRole.UserRole)


class PairColumn(IntEnum):
    STATE = 0
    FIRST = 1
    SECOND = 2
    CLASS = 3
    CLEARANCE = 4
    CERTIFIED = 5
    PROBABILITY = 6
    #: What the other file (SRDF or XRDF) does with the pair.
    BESIDE = 7
    MESHES = 8


_NUMBERS = (PairColumn.CLEARANCE, PairColumn.CERTIFIED, PairColumn.PROBABILITY)


@dataclass(frozen=True, slots=True)
class _Look:
    """What a column is called and shows; `key`: what it sorts by, where that is not the text."""

    title: str
    text: Callable[[PairsState, PairEvidence], str]
    key: Callable[[PairsState, PairEvidence], Any] | None = None


#: In the order of Column.
_LOOKS = (
    _Look(
        "Mask",
        lambda c, e: looks.SHORT_STATE_NAMES[c.mask_state(e)],
        lambda c, e: looks.STATE_ORDER.index(c.mask_state(e)),
    ),
    _Look("Link", lambda c, e: e.first),
    _Look("Link", lambda c, e: e.second),
    _Look(
        "Class",
        lambda c, e: looks.CLASS_NAMES[e.kind] + (" (edited)" if e.stale else ""),
        lambda c, e: looks.CLASS_ORDER.index(e.kind),
    ),
    _Look(
        "Clearance\nmm", lambda c, e: looks.number_mm(e.clearance_min), lambda c, e: e.clearance_min
    ),
    _Look(
        "Proven\nmm",
        lambda c, e: "" if e.certified_clearance is None else proven_mm(e.certified_clearance, 1),
        lambda c, e: -1.0 if e.certified_clearance is None else e.certified_clearance,
    ),
    _Look(
        "Probability",
        lambda c, e: looks.share(e.probability),
        lambda c, e: -1.0 if e.probability is None else e.probability,
    ),
    _Look("", lambda c, e: _beside(c, e.pair)),
    _Look("Meshes", lambda c, e: _opinion(c, e)),
)


class PairTable(ReadTable[PairEvidence]):
    """All pairs, in the order of the matrix."""

    def __init__(self, controller: MaskController, parent: QObject | None = None) -> None:
        super().__init__([look.title for look in _LOOKS], _NUMBERS, parent)
        self._controller = controller

    def refresh(self) -> None:
        """Takes over what the controller knows now; the page that shows the table calls it."""
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, PairColumn.BESIDE, PairColumn.MESHES)
        self.show(self._controller.state.pairs, lambda a, b: a.pair == b.pair)

    def title(self, column: int) -> str:
        if column == PairColumn.BESIDE:
            return str(self._controller.state.file.other)
        return (
            self._controller.state.opinion_of.capitalize()
            if column == PairColumn.MESHES
            else super().title(column)
        )

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == SORT:
            look = _LOOKS[index.column()]
            return (look.key or look.text)(self._controller.state, self.items[index.row()])
        return super().data(index, role)

    def look(self, item: PairEvidence, column: int) -> CellLook:
        sign: QIcon | QColor | None = None
        colour, grounds = "faint" if item.stale else "", self._controller.state.grounds
        if column == PairColumn.STATE:
            state = self._controller.state.mask_state(item)
            sign = icon("eye-slash", "muted") if state is MaskState.IGNORED else icon("eye", "text")
            if state.is_conflict:
                sign = icon("warning-circle", "error")
        elif column == PairColumn.CLEARANCE:
            sign = looks.clearance_colour(item.clearance_min)
        elif (
            column == PairColumn.BESIDE
            and not item.stale
            and not _differs(self._controller.state, item.pair)
        ):
            colour = "muted"
        tip = "" if grounds is None else partial(explain_evidence, item, grounds)
        return CellLook(
            partial(_LOOKS[column].text, self._controller.state, item),
            sign,
            colour,
            tabular_font(),
            tip,
        )


def _differs(state: PairsState, pair: LinkPair) -> bool:
    """Whether the other file does something else with the pair."""
    beside = state.beside
    return beside is not None and (pair in beside) is not (pair in state.ignored)


def _beside(state: PairsState, pair: LinkPair) -> str:
    if state.beside is None or pair not in state.beside:
        return "" if state.beside is None else "checked"
    reason = state.srdf_mask.reason(pair) if state.file.other is MaskFile.SRDF else ""
    return f"ignored, {reason}" if reason else "ignored"


def _opinion(state: PairsState, e: PairEvidence) -> str:
    other = state.opinion.get(e.pair) if state.opinion is not None else None
    if other is None or (not other.samples and other.kind is PairClass.UNKNOWN):
        return ""
    if other.clearance_min <= 0.0:
        return f"collide, {looks.share(other.probability)}"
    return f"{looks.number_mm(other.clearance_min)} mm apart"


class Filter(StrEnum):
    """The pairs that the list shows, by label."""

    ALL = "All pairs"
    CONFLICTS = "Conflicts"
    TO_DECIDE = "To decide"
    CAN_COLLIDE = "Can collide"
    SAMPLED = "Sampled only"
    STALE = "Edited"
    IGNORED = "Ignored"
    DIFFERENT = "XRDF ≠ SRDF"


_DECIDED_BY_HAND = (PairClass.DEFAULT, PairClass.ALWAYS)
#: What the filters let through.
_FILTERS: dict[Filter, Callable[[PairsState, PairEvidence], bool]] = {
    Filter.ALL: lambda c, e: True,
    Filter.CONFLICTS: lambda c, e: c.mask_state(e).is_conflict,
    Filter.TO_DECIDE: lambda c, e: (
        e.kind in _DECIDED_BY_HAND and c.mask_state(e) is MaskState.MISSING
    ),
    Filter.CAN_COLLIDE: lambda c, e: e.kind is PairClass.CAN_COLLIDE,
    Filter.SAMPLED: lambda c, e: e.kind is PairClass.NEVER_SAMPLED,
    Filter.STALE: lambda c, e: e.stale,
    Filter.IGNORED: lambda c, e: e.pair in c.ignored,
    Filter.DIFFERENT: lambda c, e: _differs(c, e.pair),
}


class PairFilter(QSortFilterProxyModel):
    """By words in the names of the links, and by what the pair is."""

    def __init__(
        self, table: PairTable, controller: MaskController, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._controller = controller
        self._table = table
        self._words: tuple[str, ...] = ()
        self._kind = Filter.ALL
        self.setSourceModel(table)
        self.setSortRole(SORT)

    def set_text(self, text: str) -> None:
        self._words = tuple(text.lower().split())
        self.invalidate()

    def set_kind(self, kind: Filter) -> None:
        self._kind = kind
        self.invalidate()

    def filterAcceptsRow(self, row: int, parent: Index) -> bool:
        e = self._table.items[row]
        names = f"{e.first} {e.second} {looks.CLASS_NAMES[e.kind]}".lower()
        if not all(word in names for word in self._words):
            return False
        return _FILTERS[self._kind](self._controller.state, e)


class PairListPage(QWidget):
    """A click shows the pair on the robot."""

    menu_requested = Signal(QPoint)

    def __init__(self, controller: MaskController, parent: QWidget) -> None:
        super().__init__(parent)
        self._controller = controller
        self._mine = False
        self.pairs = PairTable(controller, self)
        self.filter = PairFilter(self.pairs, controller, self)
        self.table = read_table("Link pairs", self, self.filter, self._choose)
        self.table.horizontalHeader().setStretchLastSection(False)
        # Long names give way, so that the numbers are seen without scrolling.
        for column in (PairColumn.FIRST, PairColumn.SECOND):
            self.table.horizontalHeader().setSectionResizeMode(
                column, QHeaderView.ResizeMode.Stretch
            )
        self.table.setSortingEnabled(True)
        self.table.sortByColumn(PairColumn.STATE, Qt.SortOrder.AscendingOrder)
        self.table.setSelectionMode(QTableView.SelectionMode.ExtendedSelection)
        self.table.selectionModel().selectionChanged.connect(self._take_selection)
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.table.customContextMenuRequested.connect(
            lambda point: self.menu_requested.emit(self.table.viewport().mapToGlobal(point))
        )
        fill_layout(QVBoxLayout(self), self.table, margins=0)
        controller.session.selection_changed.connect(self._follow)
        told_by = (controller.mask_changed, controller.analysis_changed, controller.opinion_changed)
        self._seen = WhenSeen(self, self._catch_up, told_by)
        # A thousand pairs are sorted when the list is seen for the first time.
        self._seen.is_due = True

    def _catch_up(self) -> None:
        self.refresh()
        self._follow(self._controller.session.selection)

    def refresh(self) -> None:
        """Takes over what is known; columns that would be empty are not there."""
        self.pairs.refresh()
        self.table.setColumnHidden(PairColumn.BESIDE, self._controller.state.beside is None)
        self.table.setColumnHidden(PairColumn.MESHES, self._controller.state.opinion is None)
        pairs = self.pairs.items
        self.table.setColumnHidden(
            PairColumn.CERTIFIED, all(e.certified_clearance is None for e in pairs)
        )
        self.table.setColumnHidden(
            PairColumn.PROBABILITY, all(e.probability is None for e in pairs)
        )
        self.filter.invalidate()

    def _pair_of(self, row: int) -> LinkPair:
        source = self.filter.mapToSource(self.filter.index(row, 0))
        return self.pairs.items[source.row()].pair

    def _choose(self, row: int) -> None:
        self._controller.show_witness(self._pair_of(row))

    def _take_selection(self, *_: object) -> None:
        if self._mine:
            return
        rows = [index.row() for index in self.table.selectionModel().selectedRows()]
        current = self.table.currentIndex().row()
        rows.sort(key=lambda row: row == current)
        self._mine = True
        try:
            self._controller.select(self._pair_of(row) for row in rows)
        finally:
            self._mine = False

    def _follow(self, selection: Selection) -> None:
        if self._mine or self._seen.is_due or not selection.pairs:
            return
        for row in range(self.filter.rowCount()):
            if self._pair_of(row) == selection.pairs[-1]:
                self._mine = True
                try:
                    self.table.selectRow(row)
                    self.table.scrollTo(self.filter.index(row, 0))
                finally:
                    self._mine = False
                return
