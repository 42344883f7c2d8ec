"""Who undoes when a field has the focus: the field what is being typed in it, the document everything else."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QLineEdit, QWidget


class UndoKeys(QObject):
    """Lets Undo and Redo through to the window while a field has nothing of its own to undo.

    QLineEdit keeps both keys for itself always: after a value was entered, Ctrl+Z would do nothing at all. `around` is
    the box that the field is part of: it gets the keys, and passes them to the field without asking filters.
    """

    def __init__(self, field: QLineEdit, around: QWidget | None = None) -> None:
        super().__init__(field)
        self._field = field
        (around or field).installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            field = self._field
            typing = field.isModified() and not field.isReadOnly()
            undo = event.matches(QKeySequence.StandardKey.Undo) and not (typing and field.isUndoAvailable())
            redo = event.matches(QKeySequence.StandardKey.Redo) and not (typing and field.isRedoAvailable())
            if undo or redo:
                event.ignore()
                return True
        return bool(super().eventFilter(watched, event))
