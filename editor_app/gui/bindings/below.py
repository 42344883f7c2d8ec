"""From a search field, Down leads into the rows below it, and Esc takes what is searched for away."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QAbstractItemView, QLineEdit, QTableView, QTreeView


def lead_down(line: QLineEdit, view: QAbstractItemView) -> None:
    """Down in `line` gives `view` the focus, at its current row or else at the first one that can be selected.

    Esc empties the line before it goes a step back elsewhere.
    """
    empty = QShortcut(QKeySequence(Qt.Key.Key_Escape), line, context=Qt.ShortcutContext.WidgetShortcut)
    empty.activated.connect(line.clear)
    empty.setEnabled(bool(line.text()))
    line.textChanged.connect(lambda text: empty.setEnabled(bool(text)))
    down = QShortcut(QKeySequence(Qt.Key.Key_Down), line, context=Qt.ShortcutContext.WidgetShortcut)
    down.activated.connect(partial(_enter, view))


def _enter(view: QAbstractItemView) -> None:
    if not view.isVisible():
        return
    selection = view.selectionModel()
    if not selection.isSelected(selection.currentIndex()):
        model = view.model()
        first = next((i for row in range(model.rowCount()) if _can_be_current(view, i := model.index(row, 0))), None)
        if first is None:
            return
        view.setCurrentIndex(first)
    view.setFocus()


def _can_be_current(view: QAbstractItemView, index: QModelIndex) -> bool:
    hidden = isinstance(view, QTableView) and view.isRowHidden(index.row())
    hidden = hidden or (isinstance(view, QTreeView) and view.isRowHidden(index.row(), QModelIndex()))
    wanted = Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled
    return not hidden and index.flags() & wanted == wanted
