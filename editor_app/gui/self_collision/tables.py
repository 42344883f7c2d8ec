"""The lists beside the matrix: all pairs, overlaps at this pose, spheres that block, differences of masks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QSortFilterProxyModel, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QTableView, QWidget

from editor_app.gui.icons import icon
from editor_app.gui.panels.link_model import Index
from editor_app.gui.self_collision.controller import MaskController
from editor_app.gui.self_collision.looks import (
    CLASS_NAMES,
    CLASS_ORDER,
    STATE_NAMES,
    STATE_ORDER,
    clearance_colour,
    number_mm,
    share,
)
from editor_app.gui.theme import colours, tabular_font
from editor_app.self_collision import MaskState, PairClass, PairEvidence
from editor_app.self_collision.results import explain

_ROOT = QModelIndex()
SORT = int(Qt.ItemDataRole.UserRole)
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class Column(IntEnum):
    STATE = 0
    FIRST = 1
    SECOND = 2
    CLASS = 3
    CLEARANCE = 4
    CERTIFIED = 5
    PROBABILITY = 6
    MESHES = 7


TITLES = ("Mask", "Link", "Link", "Class", "Clearance, mm", "Proven, mm", "Probability", "Meshes")


class PairTable(QAbstractTableModel):
    """All pairs, in the order of the matrix."""

    def __init__(self, controller: MaskController, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._controller = controller
        self.pairs: tuple[PairEvidence, ...] = ()
        controller.analysis_changed.connect(self.refresh)
        controller.mask_changed.connect(self.refresh)
        controller.opinion_changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        analysis = self._controller.analysis
        found = tuple(analysis) if analysis is not None else ()
        if len(found) == len(self.pairs) and all(a.pair == b.pair for a, b in zip(found, self.pairs, strict=True)):
            self.pairs = found
            if found:
                self.dataChanged.emit(self.index(0, 0), self.index(len(found) - 1, len(Column) - 1))
            return
        self.beginResetModel()
        self.pairs = found
        self.endResetModel()

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self.pairs)

    def columnCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(Column)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return TITLES[section]
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        e, column = self.pairs[index.row()], Column(index.column())
        state = self._controller.state(e)
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._text(e, state, column)
            case Qt.ItemDataRole.TextAlignmentRole:
                return RIGHT if column in (Column.CLEARANCE, Column.CERTIFIED, Column.PROBABILITY) else None
            case Qt.ItemDataRole.FontRole:
                return tabular_font()
            case Qt.ItemDataRole.DecorationRole if column is Column.STATE:
                if state in (MaskState.CONFLICT, MaskState.MISSING):
                    return icon("warning-circle", "error")
                return icon("eye-slash", "muted") if state is MaskState.IGNORED else icon("eye", "text")
            case Qt.ItemDataRole.DecorationRole if column is Column.CLEARANCE:
                return clearance_colour(e.clearance_min)
            case Qt.ItemDataRole.ForegroundRole if e.stale:
                return QColor(colours().faint)
            case Qt.ItemDataRole.ToolTipRole:
                analysis = self._controller.analysis
                return explain(e, analysis) if analysis is not None else None
            case _ if role == SORT:
                return self._key(e, state, column)
        return None

    def _text(self, e: PairEvidence, state: MaskState, column: Column) -> str:
        match column:
            case Column.STATE:
                return STATE_NAMES[state]
            case Column.FIRST:
                return e.first
            case Column.SECOND:
                return e.second
            case Column.CLASS:
                return CLASS_NAMES[e.kind] + (" (edited)" if e.stale else "")
            case Column.CLEARANCE:
                return number_mm(e.clearance_min)
            case Column.CERTIFIED:
                return "" if e.certified_clearance is None else f"{e.certified_clearance * 1e3:.2f}"
            case Column.PROBABILITY:
                return share(e.probability)
            case _:
                return self._opinion(e)

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


FILTER_NAMES = ("All pairs", "Conflicts", "To decide", "Can collide", "Sampled only", "Edited")


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
        names = f"{e.first} {e.second} {CLASS_NAMES[e.kind]}".lower()
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
            case _:
                return True


@dataclass(frozen=True, slots=True)
class Line:
    """A row of a plain list: its texts, its tooltip, and what it stands for."""

    texts: tuple[str, ...]
    value: Any
    tip: str = ""


class LinesModel(QAbstractTableModel):
    """A few columns of text; `numbers` are aligned right."""

    def __init__(self, titles: Sequence[str], numbers: Sequence[int] = (), parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._titles = tuple(titles)
        self._numbers = frozenset(numbers)
        self.lines: tuple[Line, ...] = ()

    def show(self, lines: Sequence[Line]) -> None:
        """Keeps the selection where the number of lines is the same."""
        lines = tuple(lines)
        if lines == self.lines:
            return
        if len(lines) == len(self.lines):
            self.lines = lines
            self.dataChanged.emit(self.index(0, 0), self.index(len(lines) - 1, len(self._titles) - 1))
            return
        self.beginResetModel()
        self.lines = lines
        self.endResetModel()

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self.lines)

    def columnCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._titles)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return self._titles[section]
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        line = self.lines[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return line.texts[index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column() in self._numbers:
            return RIGHT
        if role == Qt.ItemDataRole.FontRole:
            return tabular_font()
        if role == Qt.ItemDataRole.ToolTipRole:
            return line.tip or None
        return None


def make_table(name: str, parent: QWidget, chosen: Callable[[int], object]) -> QTableView:
    """A table as all lists here have it; `chosen(row)` is called for a click or Enter."""
    table = QTableView(parent)
    table.setAccessibleName(name)
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setShowGrid(False)
    table.setFrameShape(QFrame.Shape.NoFrame)
    table.setWordWrap(False)
    table.verticalHeader().hide()
    table.verticalHeader().setDefaultSectionSize(22)
    header = table.horizontalHeader()
    header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    header.setHighlightSections(False)
    header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    header.setMaximumSectionSize(320)
    header.setStretchLastSection(True)
    table.clicked.connect(lambda index: chosen(index.row()))
    table.activated.connect(lambda index: chosen(index.row()))
    return table
