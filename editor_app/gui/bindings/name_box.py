"""Boxes to choose a name in, with search (what does not exist is marked, not chosen), and fields for a new name."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QWheelEvent
from PySide6.QtWidgets import QComboBox, QCompleter, QLineEdit, QSizePolicy, QWidget

from editor_app.gui.bindings.choice_box import CutLine
from editor_app.gui.bindings.elision import DistinctNames
from editor_app.gui.bindings.typed_fields import UndoKeys, typed_fields
from editor_app.gui.widgets import plain, set_property, tell


class NameBox(QComboBox):
    """`chosen(name)` when the user picks or types an existing name that is not the present one."""

    chosen = Signal(str)
    rejected = Signal(str)

    def __init__(self, name: str, noun: str = "name", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._noun = noun
        #: What is chosen in the document (or, for a box that adds something, in the box).
        self.value: str | None = None
        self._choices: tuple[str, ...] = ()
        self.setEditable(True)
        self._names = DistinctNames(even=True)
        self.setLineEdit(CutLine(self._names))
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.setAccessibleName(name)
        # A long name is cut where it differs from the others, not a reason to be wider than the panel.
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(4)
        self.setMinimumWidth(72)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMaxVisibleItems(16)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        completer = QCompleter(self.model(), self)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        completer.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
        self.setCompleter(completer)
        line = self.lineEdit()
        assert isinstance(line, QLineEdit)
        self._line = line
        line.setAccessibleName(name)
        line.setClearButtonEnabled(False)
        line.editingFinished.connect(self.commit)
        line.textEdited.connect(lambda text: typed_fields().note(self, text.strip() not in ("", self.value)))
        UndoKeys(line, self)
        self.activated.connect(lambda index: self._take(self.itemText(index)))
        completer.activated.connect(self._take)

    def set_choices(self, choices: Sequence[str]) -> None:
        """The names that exist, in the order to show them."""
        if tuple(choices) == self._choices:
            self._update_mark()
            return
        self._choices = tuple(choices)
        self._names.set_names(choices)
        self.blockSignals(True)
        self.clear()
        self.addItems(list(self._choices))
        self.blockSignals(False)
        self._show()

    def set_value(self, value: str | None, placeholder: str = "") -> None:
        """Shows `value`, also when it is none of the choices (then it is marked)."""
        if value == self.value and placeholder == self._line.placeholderText() and self._line.text() == (value or ""):
            return
        self.value = value
        self._line.setPlaceholderText(placeholder)
        if not (self._line.hasFocus() and self._line.isModified()):
            self._show()

    def commit(self) -> bool:
        """Takes what is typed if it exists, with the spelling of the choice."""
        text = self._line.text().strip()
        if text == (self.value or ""):
            return True
        if not text:
            self._show()
            return True
        choice = text if text in self._choices else self._only_match(text)
        if choice is None:
            set_property(self, "invalid", True)
            reason = f"There is no {self._noun} “{text}” to choose here."
            self.setToolTip(plain(reason))
            self.rejected.emit(reason)
            return False
        self._take(choice)
        return True

    # The line is only the box's proxy: keys and focus come to the box.
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            # With nothing typed, Esc is for who is further out.
            event.setAccepted(self._line.isModified())
            self._show()
            return
        if event.key() == Qt.Key.Key_Down and event.modifiers() & Qt.KeyboardModifier.AltModifier:
            self.showPopup()
            return
        super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self._line.selectAll()

    def wheelEvent(self, event: QWheelEvent) -> None:
        # Scrolling past a box must not change the robot.
        event.ignore()

    def _only_match(self, text: str) -> str | None:
        matches = [name for name in self._choices if text.lower() in name.lower()]
        exact = [name for name in matches if name.lower() == text.lower()]
        return exact[0] if len(exact) == 1 else matches[0] if len(matches) == 1 else None

    def _take(self, name: str) -> None:
        if name == self.value:
            self._show()
            return
        self.value = name
        self._show()
        self.chosen.emit(name)

    def _show(self) -> None:
        text = self.value or ""
        self.blockSignals(True)
        self.setCurrentIndex(self._choices.index(text) if text in self._choices else -1)
        self.setEditText(text)
        self.blockSignals(False)
        self._line.setCursorPosition(0)
        self._line.setModified(False)
        typed_fields().note(self, False)
        self._update_mark()

    def _update_mark(self) -> None:
        unknown = bool(self.value) and self.value not in self._choices
        set_property(self, "invalid", unknown)
        tell(self, f"There is no {self._noun} “{self.value}”." if unknown else self.value or "")


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
