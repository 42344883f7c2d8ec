"""Fields of a window in which something was typed that is not entered yet, and entering it before saving."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from weakref import WeakKeyDictionary, WeakSet, ref

import shiboken6
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QLineEdit, QWidget

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
