"""Who undoes when a field has the focus: the field what is being typed in it, the document everything else."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QKeyCombination, QObject, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QLineEdit, QMenu, QPlainTextEdit, QWidget

_CTRL, _SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


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


class DocumentUndo(QObject):
    """Gives Undo and Redo to the window always: for a text whose every typed step is in the document's history."""

    def __init__(self, text: QPlainTextEdit) -> None:
        super().__init__(text)
        text.setUndoRedoEnabled(False)
        text.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # Qt's editors keep these keys for themselves, also when they have nothing to undo.
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and _is_undo_or_redo(event):
            event.ignore()
            return True
        return bool(super().eventFilter(watched, event))


def _is_undo_or_redo(event: QKeyEvent) -> bool:
    return (
        event.matches(QKeySequence.StandardKey.Undo)
        or event.matches(QKeySequence.StandardKey.Redo)
        or event.keyCombination()
        in (QKeyCombination(_CTRL, Qt.Key.Key_Y), QKeyCombination(_CTRL | _SHIFT, Qt.Key.Key_Z))
    )


def without_undo(menu: QMenu) -> QMenu:
    """Takes Undo and Redo out of the standard menu of a text: they are the window's."""
    for action in menu.actions():
        if action.objectName() in ("edit-undo", "edit-redo"):
            menu.removeAction(action)
    if menu.actions() and menu.actions()[0].isSeparator():
        menu.removeAction(menu.actions()[0])
    return menu
