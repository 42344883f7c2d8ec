"""Tables that are read, not edited: rows of anything, shown by a function of row, column and role."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

Index = QModelIndex | QPersistentModelIndex
Item = TypeVar("Item")

_ROOT = QModelIndex()
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_DISPLAY = Qt.ItemDataRole.DisplayRole


class ReadTable(QAbstractTableModel, Generic[Item]):
    """`items` in columns; `numbers` are aligned right. What derives from it says what a cell shows."""

    def __init__(self, titles: Sequence[str], numbers: Sequence[int] = (), parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._titles = tuple(titles)
        self._numbers = frozenset(numbers)
        self.items: tuple[Item, ...] = ()

    def cell(self, item: Item, column: int, role: int) -> Any:
        """What Qt asks of a cell, except how it is aligned."""
        raise NotImplementedError

    def title(self, column: int) -> str:
        return self._titles[column]

    def show(self, items: Sequence[Item], same: Callable[[Item, Item], bool] = lambda a, b: True) -> None:
        """Other items. Where they are as many, and each is the `same` row as before, the selection stays."""
        new = tuple(items)
        if len(new) == len(self.items) and all(map(same, new, self.items)):
            self.items = new
            if new:
                self.dataChanged.emit(self.index(0, 0), self.index(len(new) - 1, len(self._titles) - 1))
            return
        self.beginResetModel()
        self.items = new
        self.endResetModel()

    # -- QAbstractTableModel

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self.items)

    def columnCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._titles)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _DISPLAY) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole and section in self._numbers:
            return RIGHT
        return self.title(section) if role == _DISPLAY else None

    def data(self, index: Index, role: int = _DISPLAY) -> Any:
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if index.column() in self._numbers else None
        return self.cell(self.items[index.row()], index.column(), role)
