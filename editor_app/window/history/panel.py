"""The panel with every step since opening; a click goes there."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QModelIndex
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QFrame, QListView, QVBoxLayout, QWidget

from editor_app.window.bindings.lists import CellLook, EmptyWords, ReadTable
from editor_app.window.session import Session
from editor_app.window.widgets import dress, fill_layout, icon


class HistoryPanel(QWidget):
    """The present step is bold; those after it, which can be redone, are faint. What is on disk has
    a sign."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.model = _HistoryModel(("Step",), parent=self)
        self.list = dress(QListView(self), name="History")
        self.list.setModel(self.model)
        self.list.setUniformItemSizes(True)
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.clicked.connect(self._jump)
        self.list.activated.connect(self._jump)
        self.empty = EmptyWords(self.list, "Steps appear here. Click one to return to it.")
        fill_layout(QVBoxLayout(self), self.list, margins=4)
        session.document_opened.connect(self.refresh)
        session.history_changed.connect(self.refresh)
        self.refresh()

    def refresh(self, *_: object) -> None:
        document = self._session.document
        present = document.position
        saved = document.saved_position if document.xrdf_path is not None else None
        # To have opened the robot is no step to go to.
        revisions = document.history if len(document.history) > 1 else ()
        steps = tuple(
            _Step(revision.label, i - present, i == saved) for i, revision in enumerate(revisions)
        )
        if steps != self.model.items:
            self.model.show(steps)
            index = self.model.index(present, 0)
            self.list.setCurrentIndex(index)
            self.list.scrollTo(index)

    def _jump(self, index: QModelIndex) -> None:
        document = self._session.document
        if 0 <= index.row() < len(document.history):
            document.jump(index.row())


class _Step(NamedTuple):
    label: str
    #: Steps after the present one; below 0: before it.
    after: int
    is_saved: bool


class _HistoryModel(ReadTable[_Step]):
    """One column of labels."""

    def look(self, item: _Step, column: int) -> CellLook:
        text = f"{item.label}  ·  saved" if item.is_saved else item.label
        if item.after == 0:
            font = QFont()
            font.setBold(True)
            tip = "Current step" + (", same as on disk" if item.is_saved else "")
            return CellLook(text, icon("caret-right", "accent"), font=font, tip=tip)
        way, colour = ("forward", "faint") if item.after > 0 else ("back", "")
        sign = icon("floppy-disk" if item.is_saved else "circle", "muted")
        return CellLook(text, sign, colour, tip=f"Click to go {way} to this step")
