"""The panel with every step since opening; a click goes there."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QModelIndex, QObject, Qt
from PySide6.QtGui import QColor, QFont
from PySide6.QtWidgets import QFrame, QListView, QVBoxLayout, QWidget

from editor_app.gui.bindings.lists import Index, ReadTable
from editor_app.gui.session import Session
from editor_app.gui.theme import colours
from editor_app.gui.widgets import PlainLabel, dress, fill, icon


class HistoryPanel(QWidget):
    """The present step is bold; those after it, which can be redone, are faint. What is on disk has a sign."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.model = _HistoryModel(self)
        self.list = dress(QListView(self), name="History")
        self.list.setModel(self.model)
        self.list.setUniformItemSizes(True)
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.clicked.connect(self._jump)
        self.list.activated.connect(self._jump)
        words = PlainLabel("Every step appears here; a click on one goes back to it.", self)
        self.empty = dress(words, look="muted", align=Qt.AlignmentFlag.AlignCenter)
        fill(QVBoxLayout(self), (self.list, 1), (self.empty, 1), margins=4)
        session.document_opened.connect(self.refresh)
        session.history_changed.connect(self.refresh)
        self.refresh()

    def refresh(self, *_: object) -> None:
        document = self._session.document
        labels = tuple(revision.label for revision in document.history) if document is not None else ()
        position = document.position if document is not None else -1
        saved = document.saved_position if document is not None and document.xrdf_path is not None else None
        if self.model.tell(labels, position, saved) and position >= 0:
            index = self.model.index(position, 0)
            self.list.setCurrentIndex(index)
            self.list.scrollTo(index)
        steps = len(labels) > 1
        self.list.setVisible(steps)
        self.empty.setVisible(not steps)

    def _jump(self, index: QModelIndex) -> None:
        document = self._session.document
        if document is not None and 0 <= index.row() < len(document.history):
            document.jump(index.row())


class _HistoryModel(ReadTable[str]):
    """One column of labels."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(("Step",), parent=parent)
        self._position = -1
        self._saved: int | None = None

    def tell(self, labels: tuple[str, ...], position: int, saved: int | None) -> bool:
        """False when nothing is different."""
        if (labels, position, saved) == (self.items, self._position, self._saved):
            return False
        self._position, self._saved = position, saved
        self.show(labels, lambda old, new: False)
        return True

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = index.row()
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{self.items[row]}  ·  saved" if row == self._saved else self.items[row]
        if role == Qt.ItemDataRole.DecorationRole:
            if row == self._position:
                return icon("caret-right", "accent")
            return icon("floppy-disk" if row == self._saved else "circle", "muted")
        if role == Qt.ItemDataRole.FontRole and row == self._position:
            font = QFont()
            font.setBold(True)
            return font
        if role == Qt.ItemDataRole.ForegroundRole and row > self._position:
            return QColor(colours().faint)
        if role == Qt.ItemDataRole.ToolTipRole:
            if row == self._position:
                return "The present step" + (", as it is on disk" if row == self._saved else "")
            return "Click to go back to this step" if row < self._position else "Click to go forward to this step"
        return None
