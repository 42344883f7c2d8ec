"""Plain lists beside the matrix: overlaps at this pose, differences of masks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QTableView, QVBoxLayout, QWidget

from editor_app.gui.bindings.lists import ReadTable
from editor_app.gui.theme import tabular_font
from editor_app.gui.widgets import fill, icon, plain


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


def table_page(page: QWidget, head: Sequence[QWidget], table: QTableView) -> None:
    """Lays a page out: a row of widgets, of which the last takes the room that is left, above a table."""
    if isinstance(head[-1], QLabel):
        # A long sentence takes a second line, and no room from what stands beside the page.
        head[-1].setWordWrap(True)
    for widget in head[:-1]:
        widget.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
    row = fill(QHBoxLayout(), *head[:-1], (head[-1], 1))
    fill(QVBoxLayout(page), row, (table, 1), margins=0, spacing=3)
