"""The row above the text: which file, text or difference, what is to be said, and what to do with typed text."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QToolButton, QWidget

from editor_app.edit.state import FileKind
from editor_app.gui.bindings.choice_box import ChoiceBox
from editor_app.gui.bindings.elided_label import ElidedLabel
from editor_app.gui.widgets import dress, fill


class SourceBar(QWidget):
    """Widgets alone."""

    #: FileKind
    file_chosen = Signal(object)
    #: 0: the text, 1: the difference.
    page_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.file_box = dress(ChoiceBox(), name="File", tip="Which file's text is shown")
        for kind in FileKind:
            self.file_box.addItem(kind.upper(), kind)
        self.file_box.activated.connect(lambda index: self.file_chosen.emit(self.file_box.itemData(index)))
        self.text_button = self._switch("Text", 0)
        self.difference_button = self._switch("Difference to disk", 1)
        # What does not fit is cut: the buttons beside it are the way out.
        self.status = ElidedLabel()
        self.apply_button = QPushButton("Apply")
        self.apply_button.setToolTip("Make the edited text the document, as one step (Ctrl+Return)")
        self.discard_button = dress(QPushButton("Discard"), tip="Forget what was typed; undo brings it back")
        row = fill(QHBoxLayout(self), self.file_box, self.text_button, self.difference_button, margins=(4, 2, 4, 2))
        row.addSpacing(8)
        fill(row, (self.status, 1), self.discard_button, self.apply_button)

    def _switch(self, text: str, page: int) -> QToolButton:
        button = QToolButton()
        button.setText(text)
        button.setCheckable(True)
        button.setAutoRaise(True)
        button.clicked.connect(lambda: self.page_chosen.emit(page))
        return button
