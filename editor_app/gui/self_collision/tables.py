"""Plain lists beside the matrix: overlaps at this pose, spheres that block, differences of masks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QSizePolicy,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from editor_app.gui.panels.tree.link_model import Index
from editor_app.gui.plain_text import plain
from editor_app.gui.theme import tabular_font

_ROOT = QModelIndex()
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


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
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole and section in self._numbers:
            return RIGHT
        return self._titles[section] if role == Qt.ItemDataRole.DisplayRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        line = self.lines[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return line.texts[index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column() in self._numbers:
            return RIGHT
        if role == Qt.ItemDataRole.FontRole:
            return tabular_font()
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain(line.tip) if line.tip else None
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


def table_page(page: QWidget, head: Sequence[QWidget], table: QTableView) -> None:
    """Lays a page out: a row of widgets, of which the last takes the room that is left, above a table."""
    row = QHBoxLayout()
    for widget in head[:-1]:
        widget.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        row.addWidget(widget)
    row.addWidget(head[-1], 1)
    layout = QVBoxLayout(page)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(3)
    layout.addLayout(row)
    layout.addWidget(table, 1)
