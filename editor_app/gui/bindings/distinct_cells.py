"""Cells and labels that cut names where they differ, so that two of them never look the same."""

from __future__ import annotations

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from editor_app.gui.bindings.elision import DistinctNames

_Index = QModelIndex | QPersistentModelIndex
#: Rows of a table whose texts are compared; a longer one is no list of names.
_MOST = 2000
#: What Qt writes between the lines of a cell.
_LINE = "\u2028"


class DistinctCells(QStyledItemDelegate):
    """Names of one column that are too long for it keep the part in which they differ, line by line."""

    def __init__(self, view: QAbstractItemView) -> None:
        super().__init__(view)
        self._columns: dict[tuple[int, int], DistinctNames] = {}
        self._model: QAbstractItemModel | None = None
        self._font = ""

    def initStyleOption(self, option: QStyleOptionViewItem, index: _Index) -> None:
        super().initStyleOption(option, index)
        if option.rect.width() <= 0 or not option.text or not index.isValid():
            return
        room = self.room(option)
        width_of = option.fontMetrics.horizontalAdvance
        lines = option.text.split(_LINE)
        if any(width_of(line) > room for line in lines):
            names = self._names(option, index)
            option.text = _LINE.join(names.cut(line, room, width_of) for line in lines)

    def room(self, option: QStyleOptionViewItem) -> int:
        """The pixels that a cell leaves for its text."""
        widget = option.widget
        style = widget.style()
        inner = style.subElementRect(QStyle.SubElement.SE_ItemViewItemText, option, widget)
        margin = style.pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin, option, widget) + 1
        return int(inner.width()) - 2 * margin

    def _names(self, option: QStyleOptionViewItem, index: _Index) -> DistinctNames:
        model = index.model()
        if model is not self._model:
            self._model = model
            for signal in (model.modelReset, model.layoutChanged, model.dataChanged, model.rowsInserted):
                signal.connect(self._forget)
            model.rowsRemoved.connect(self._forget)
            self._columns.clear()
        font = option.font.key()
        if font != self._font:
            self._font = font
            self._columns.clear()
        # Below one heading of a tree.
        place = (index.column(), index.parent().row())
        names = self._columns.get(place)
        if names is None:
            rows = range(min(model.rowCount(index.parent()), _MOST))
            texts = (model.index(row, index.column(), index.parent()).data(Qt.ItemDataRole.DisplayRole) for row in rows)
            lines = (line for text in texts if isinstance(text, str) for line in text.split("\n"))
            names = self._columns[place] = DistinctNames(lines)
        return names

    def _forget(self, *_: object) -> None:
        self._columns.clear()
