"""All pairs as a table model, and its filter."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from PySide6.QtCore import QModelIndex, QObject, QSortFilterProxyModel, Qt
from PySide6.QtGui import QColor

from editor_app.gui.bindings.lists import Index, ReadTable
from editor_app.gui.icons import icon
from editor_app.gui.plain_text import plain
from editor_app.gui.self_collision.controller import MaskController
from editor_app.gui.self_collision.looks import (
    CLASS_ORDER,
    SHORT_STATE_NAMES,
    STATE_ORDER,
    class_name,
    clearance_colour,
    number_mm,
    share,
)
from editor_app.gui.theme import colours, tabular_font
from editor_app.model.xrdf import LinkPair
from editor_app.operations.mask_changes import MaskFile
from editor_app.self_collision.masks import MaskState
from editor_app.self_collision.results import PairClass, PairEvidence, explain, proven_mm

_ROOT = QModelIndex()
SORT = int(Qt.ItemDataRole.UserRole)


class Column(IntEnum):
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


TITLES = ("Mask", "Link", "Link", "Class", "Clearance\nmm", "Proven\nmm", "Probability", "", "Meshes")
_NUMBERS = (Column.CLEARANCE, Column.CERTIFIED, Column.PROBABILITY)


class PairTable(ReadTable[PairEvidence]):
    """All pairs, in the order of the matrix."""

    def __init__(self, controller: MaskController, parent: QObject | None = None) -> None:
        super().__init__(TITLES, _NUMBERS, parent)
        self._controller = controller
        self.refresh()

    @property
    def pairs(self) -> tuple[PairEvidence, ...]:
        return self.items

    def refresh(self) -> None:
        """Takes over what the controller knows now; the page that shows the table calls it."""
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, Column.BESIDE, Column.MESHES)
        self.show(self._controller.pairs, lambda a, b: a.pair == b.pair)

    def title(self, column: int) -> str:
        if column == Column.BESIDE:
            return str(self._controller.file.other)
        return self._controller.opinion_of.capitalize() if column == Column.MESHES else TITLES[column]

    def cell(self, item: PairEvidence, column: int, role: int) -> Any:
        if role == Qt.ItemDataRole.FontRole:
            return tabular_font()
        e, column = item, Column(column)
        state = self._controller.state(e)
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._text(e, state, column)
            case Qt.ItemDataRole.DecorationRole if column is Column.STATE:
                if state in (MaskState.CONFLICT, MaskState.MISSING):
                    return icon("warning-circle", "error")
                return icon("eye-slash", "muted") if state is MaskState.IGNORED else icon("eye", "text")
            case Qt.ItemDataRole.DecorationRole if column is Column.CLEARANCE:
                return clearance_colour(e.clearance_min)
            case Qt.ItemDataRole.ForegroundRole if e.stale:
                return QColor(colours().faint)
            case Qt.ItemDataRole.ForegroundRole if column is Column.BESIDE and not self._differs(e.pair):
                return QColor(colours().muted)
            case Qt.ItemDataRole.ToolTipRole:
                analysis = self._controller.grounds
                return plain(explain(e, analysis)) if analysis is not None else None
            case _ if role == SORT:
                return self._key(e, state, column)
        return None

    def _text(self, e: PairEvidence, state: MaskState, column: Column) -> str:
        match column:
            case Column.STATE:
                return SHORT_STATE_NAMES[state]
            case Column.FIRST:
                return e.first
            case Column.SECOND:
                return e.second
            case Column.CLASS:
                return class_name(e) + (" (edited)" if e.stale else "")
            case Column.CLEARANCE:
                return number_mm(e.clearance_min)
            case Column.CERTIFIED:
                return "" if e.certified_clearance is None else proven_mm(e.certified_clearance, 1)
            case Column.PROBABILITY:
                return share(e.probability)
            case Column.BESIDE:
                return self._beside(e.pair)
            case _:
                return self._opinion(e)

    def _differs(self, pair: LinkPair) -> bool:
        beside = self._controller.beside
        return beside is not None and (pair in beside) is not (pair in self._controller.ignored)

    def _beside(self, pair: LinkPair) -> str:
        controller = self._controller
        if controller.beside is None or pair not in controller.beside:
            return "" if controller.beside is None else "checked"
        reason = controller.srdf_mask.reason(pair) if controller.file.other is MaskFile.SRDF else ""
        return f"ignored, {reason}" if reason else "ignored"

    def _opinion(self, e: PairEvidence) -> str:
        opinion = self._controller.opinion
        other = opinion.get(e.pair) if opinion is not None else None
        if other is None or (not other.samples and other.kind is PairClass.UNKNOWN):
            return ""
        if other.clearance_min <= 0.0:
            return f"collide, {share(other.probability)}"
        return f"{number_mm(other.clearance_min)} mm apart"

    def _key(self, e: PairEvidence, state: MaskState, column: Column) -> Any:
        match column:
            case Column.STATE:
                return STATE_ORDER.index(state)
            case Column.CLASS:
                return CLASS_ORDER.index(e.kind)
            case Column.CLEARANCE:
                return e.clearance_min
            case Column.CERTIFIED:
                return -1.0 if e.certified_clearance is None else e.certified_clearance
            case Column.PROBABILITY:
                return -1.0 if e.probability is None else e.probability
            case _:
                return self._text(e, state, column)


class Filter(IntEnum):
    """What the list shows."""

    ALL = 0
    CONFLICTS = 1
    TO_DECIDE = 2
    CAN_COLLIDE = 3
    SAMPLED = 4
    STALE = 5
    IGNORED = 6
    #: What XRDF and SRDF do differently.
    DIFFERENT = 7


FILTER_NAMES = (
    "All pairs", "Conflicts", "To decide", "Can collide", "Sampled only", "Edited", "Ignored", "XRDF ≠ SRDF",
)  # fmt: skip


class PairFilter(QSortFilterProxyModel):
    """By words in the names of the links, and by what the pair is."""

    def __init__(self, table: PairTable, controller: MaskController, parent: QObject | None = None) -> None:
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
        e = self._table.pairs[row]
        names = f"{e.first} {e.second} {class_name(e)}".lower()
        if not all(word in names for word in self._words):
            return False
        state = self._controller.state(e)
        match self._kind:
            case Filter.CONFLICTS:
                return state in (MaskState.CONFLICT, MaskState.MISSING)
            case Filter.TO_DECIDE:
                return e.kind in (PairClass.DEFAULT, PairClass.ALWAYS) and state is MaskState.MISSING
            case Filter.CAN_COLLIDE:
                return e.kind is PairClass.CAN_COLLIDE
            case Filter.SAMPLED:
                return e.kind is PairClass.NEVER_SAMPLED
            case Filter.STALE:
                return e.stale
            case Filter.IGNORED:
                return e.pair in self._controller.ignored
            case Filter.DIFFERENT:
                beside = self._controller.beside
                return beside is not None and (e.pair in beside) is not (e.pair in self._controller.ignored)
            case _:
                return True
