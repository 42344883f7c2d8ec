"""Plain lists beside the matrix: overlaps at this pose, differences of masks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QSizePolicy,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from editor_app.gui.bindings.lists import DistinctCells, ReadTable, SortedHeader
from editor_app.gui.icons import icon
from editor_app.gui.plain_text import plain
from editor_app.gui.theme import tabular_font
from editor_app.gui.widgets import dress, fill


@dataclass(frozen=True, slots=True)
class Line:
    """A row of a plain list: its texts, its tooltip, and what it stands for."""

    texts: tuple[str, ...]
    value: Any
    tip: str = ""
    #: The name of a sign before the first text, which says that something is wrong; "" for none.
    sign: str = ""


class LinesModel(ReadTable[Line]):
    """A few columns of text."""

    def show(self, items: Sequence[Line], same: Callable[[Line, Line], bool] = lambda a, b: True) -> None:
        # While a joint is dragged, the same lines come again and again.
        if tuple(items) != self.items:
            super().show(items, same)

    def cell(self, item: Line, column: int, role: int) -> Any:
        if role == Qt.ItemDataRole.DisplayRole:
            return item.texts[column]
        if role == Qt.ItemDataRole.FontRole:
            return tabular_font()
        if role == Qt.ItemDataRole.DecorationRole and column == 0 and item.sign:
            return icon(item.sign, "error")
        return plain(item.tip) if role == Qt.ItemDataRole.ToolTipRole and item.tip else None


#: Columns of names share this part of the width at most, so that the sentence behind them has room.
_NAMES_SHARE = 0.5
_LEAST_NAME = 90


class _LinesView(QTableView):
    """Names in the first columns give way to the last column, which takes what is left and never scrolls aside."""

    def __init__(self, parent: QWidget, names: int) -> None:
        super().__init__(parent)
        self._names = names

    def resizeEvent(self, event: QResizeEvent) -> None:
        header = self.horizontalHeader()
        most = max(_LEAST_NAME, round(self.viewport().width() * _NAMES_SHARE / self._names))
        if most != header.maximumSectionSize():
            header.setMaximumSectionSize(most)
            header.resizeSections()
        super().resizeEvent(event)


def make_table(name: str, parent: QWidget, chosen: Callable[[int], object], names: int = 2) -> QTableView:
    """A table as all lists here have it; `chosen(row)` is called for a click or Enter.

    Its first `names` columns are names, which are cut so that no two look the same.
    """
    table = dress(_LinesView(parent, names), name=name)
    table.setHorizontalHeader(SortedHeader(table))
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    for column in range(names):
        table.setItemDelegateForColumn(column, DistinctCells(table))
    table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    table.setShowGrid(False)
    table.setFrameShape(QFrame.Shape.NoFrame)
    table.setWordWrap(False)
    table.verticalHeader().hide()
    table.verticalHeader().setDefaultSectionSize(22)
    header = table.horizontalHeader()
    header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    header.setHighlightSections(False)
    # Of a thousand pairs each would be asked whenever the fonts or colours change.
    header.setResizeContentsPrecision(50)
    header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    header.setStretchLastSection(True)
    table.clicked.connect(lambda index: chosen(index.row()))
    table.activated.connect(lambda index: chosen(index.row()))
    return table


def table_page(page: QWidget, head: Sequence[QWidget], table: QTableView) -> None:
    """Lays a page out: a row of widgets, of which the last takes the room that is left, above a table."""
    row = QHBoxLayout()
    if isinstance(head[-1], QLabel):
        # A long sentence takes a second line, and no room from what stands beside the page.
        head[-1].setWordWrap(True)
    for widget in head[:-1]:
        widget.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        row.addWidget(widget)
    row.addWidget(head[-1], 1)
    fill(QVBoxLayout(page), row, (table, 1), margins=0, spacing=3)
