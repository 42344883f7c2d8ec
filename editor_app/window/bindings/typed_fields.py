"""Fields with something typed that is not entered yet: entered before saving; who undoes while they
have the focus."""

from __future__ import annotations

from functools import cache
from typing import Any
from weakref import WeakSet

import shiboken6
from PySide6.QtCore import QEvent, QKeyCombination, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QLineEdit, QMenu, QPlainTextEdit, QWidget


class TypedFields(QObject):
    """One for the program. Only fields for values of the document are watched: the others hold no
    unsaved work."""

    #: A watched field has something typed now, or nothing any more.
    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._watched: WeakSet[QWidget] = WeakSet()
        self._typed: WeakSet[QWidget] = WeakSet()

    def watch(self, field: QWidget) -> None:
        """`field.commit()` enters what is typed in it, or gives False and marks it when it is no
        value."""
        self._watched.add(field)

    def note(self, field: QWidget, typed: bool) -> None:
        """`field` has something typed that is not entered yet, or has not any more."""
        if field not in self._watched or typed == (field in self._typed):
            return
        if typed:
            self._typed.add(field)
            field.destroyed.connect(self.changed)
        else:
            self._typed.discard(field)
            field.destroyed.disconnect(self.changed)
        self.changed.emit()

    def of(self, window: QWidget) -> list[Any]:
        """The fields of a window that can be seen and have something typed."""
        fields = [field for field in self._typed if shiboken6.isValid(field)]
        return [field for field in fields if field.isVisible() and _belongs_to(field, window)]

    def commit(self, window: QWidget) -> QWidget | None:
        """Enters what is typed in the fields of a window; the first that holds no value, or
        None."""
        return next((field for field in self.of(window) if not field.commit()), None)


def _belongs_to(field: QWidget, window: QWidget) -> bool:
    # Not by its window: a panel that floats is one of its own.
    widget: QWidget | None = field
    while widget is not None and widget is not window:
        widget = widget.parentWidget()
    return widget is window


@cache
def typed_fields() -> TypedFields:
    """The one of the program."""
    return TypedFields()


_CTRL, _SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


class UndoKeys(QObject):
    """Lets Undo and Redo through to the window while a field has nothing of its own to undo.

    Qt's editors keep both keys for themselves always: after a value was entered, Ctrl+Z would do
    nothing at all. `around` is the box that a line is part of: it gets the keys, and passes them to
    the line without asking filters. A text has nothing of its own ever: each typed step is in the
    document's history.
    """

    def __init__(self, field: QLineEdit | QPlainTextEdit, around: QWidget | None = None) -> None:
        super().__init__(field)
        self._field = field
        if isinstance(field, QPlainTextEdit):
            field.setUndoRedoEnabled(False)
        (around or field).installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        is_press = event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent)
        if isinstance(event, QKeyEvent) and is_press and self._passes(event):
            event.ignore()
            return True
        return bool(super().eventFilter(watched, event))

    def _passes(self, event: QKeyEvent) -> bool:
        field = self._field
        if isinstance(field, QPlainTextEdit) or not field.isModified() or field.isReadOnly():
            return _is_undo_or_redo(event)
        undo = event.matches(QKeySequence.StandardKey.Undo) and not field.isUndoAvailable()
        return undo or (
            event.matches(QKeySequence.StandardKey.Redo) and not field.isRedoAvailable()
        )


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
