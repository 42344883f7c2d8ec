"""Plain lists beside the matrix: overlaps at this pose, spheres that block, differences of masks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import Qt
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

from editor_app.gui.bindings.distinct_cells import DistinctCells
from editor_app.gui.bindings.read_table import ReadTable
from editor_app.gui.icons import icon
from editor_app.gui.plain_text import plain
from editor_app.gui.theme import tabular_font


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


def make_table(name: str, parent: QWidget, chosen: Callable[[int], object]) -> QTableView:
    """A table as all lists here have it; `chosen(row)` is called for a click or Enter."""
    table = QTableView(parent)
    table.setAccessibleName(name)
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setItemDelegate(DistinctCells(table))
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
