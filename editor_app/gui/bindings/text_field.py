"""A field for a name that the user makes up."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from editor_app.gui.bindings.choice_box import CutLine
from editor_app.gui.bindings.typed_fields import typed_fields
from editor_app.gui.bindings.undo_keys import UndoKeys
from editor_app.gui.widgets import plain, set_property


class TextField(CutLine):
    """`edited(text)` when the user has typed another name: on Enter, or when the field is left. Esc takes it back."""

    edited = Signal(str)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self._value = ""
        self.setAccessibleName(name)
        self.setMinimumWidth(60)
        self.editingFinished.connect(self.commit)
        self.textEdited.connect(lambda _: typed_fields().note(self, self._is_unsaved()))
        typed_fields().watch(self, self.commit)
        UndoKeys(self)

    def set_value(self, value: str) -> None:
        """Shows `value`, unless something else is being typed."""
        self._value = value
        if not (self.hasFocus() and self.isModified()):
            self._show()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            event.setAccepted(self.isModified())
            self._show()
            return
        super().keyPressEvent(event)

    def commit(self) -> bool:
        text = self.text().strip()
        if not self.isModified() or text == self._value:
            self._show()
            return True
        self.setModified(False)
        self.edited.emit(text)
        # A name that was refused is not in the document: show what is.
        self._show()
        return True

    def _is_unsaved(self) -> bool:
        return self.text().strip() != self._value

    def _show(self) -> None:
        if self.text() != self._value:
            self.setText(self._value)
        self.setCursorPosition(0)
        self.setModified(False)
        typed_fields().note(self, False)
        set_property(self, "invalid", False)
        self.setToolTip(plain(self._value))


class EntryField(TextField):
    """For something new: what is typed stays when the field is left, until it is used or Esc takes it back."""

    def commit(self) -> bool:
        return True

    def _is_unsaved(self) -> bool:
        # It is no value of the document before it is used.
        return False
