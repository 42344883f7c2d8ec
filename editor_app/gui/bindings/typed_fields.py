"""Fields with something typed that is not entered yet: entered before saving; who undoes while they have the focus."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from weakref import WeakKeyDictionary, WeakSet, ref

import shiboken6
from PySide6.QtCore import QEvent, QKeyCombination, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QLineEdit, QMenu, QPlainTextEdit, QWidget

#: Enters what is typed; False, and a mark, when it is no value.
Commit = Callable[[], bool]


class TypedFields(QObject):
    """One for the program. Only fields for values of the document are watched: the others hold no unsaved work."""

    #: A watched field has something typed now, or nothing any more.
    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._commits: WeakKeyDictionary[QWidget, Callable[[], Commit | None]] = WeakKeyDictionary()
        self._typed: WeakSet[QWidget] = WeakSet()

    def watch(self, field: QWidget, commit: Commit) -> None:
        """`commit` enters what is typed in `field`; it must not keep the field alive, unless as a method of it."""
        method_of = getattr(commit, "__self__", None)
        if method_of is field:
            weak, name = ref(field), commit.__name__
            self._commits[field] = lambda: getattr(weak(), name, None)
        else:
            self._commits[field] = lambda: commit

    def watch_line(self, line: QLineEdit, commit: Commit) -> None:
        """As `watch`, for a plain line that tells nothing of itself: whatever is typed in it counts."""
        self.watch(line, commit)
        weak = ref(line)
        line.textEdited.connect(lambda _: self.note(weak(), True))

    def note(self, field: QWidget | None, typed: bool) -> None:
        """`field` has something typed that is not entered yet, or has not any more."""
        if field is None or field not in self._commits or typed == (field in self._typed):
            return
        if typed:
            self._typed.add(field)
            field.destroyed.connect(self.changed)
        else:
            self._typed.discard(field)
            field.destroyed.disconnect(self.changed)
        self.changed.emit()

    def of(self, window: QWidget) -> list[QWidget]:
        """The fields of a window that can be seen and have something typed."""
        fields = [field for field in self._typed if shiboken6.isValid(field)]
        return [field for field in fields if field.isVisible() and _belongs_to(field, window)]

    def commit(self, window: QWidget) -> QWidget | None:
        """Enters what is typed in the fields of a window; the first that holds no value, or None."""
        for field in self.of(window):
            commit = self._commits[field]()
            if commit is not None and not commit():
                return field
        return None


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
