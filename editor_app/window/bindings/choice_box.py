"""Boxes to choose in and to choose a name in (what does not exist is marked, not chosen), and
fields for a new name."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from PySide6.QtCore import QEvent, QRect, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QFocusEvent, QHelpEvent, QKeyEvent, QPaintEvent, QPalette, QWheelEvent
from PySide6.QtWidgets import (
    QComboBox,
    QCompleter,
    QLineEdit,
    QSizePolicy,
    QStyle,
    QStyleOptionComboBox,
    QStyleOptionFrame,
    QStylePainter,
    QToolTip,
    QWidget,
)

from editor_app.window.bindings.elision import DistinctNames
from editor_app.window.bindings.typed_fields import UndoKeys, typed_fields
from editor_app.window.widgets import plain_text, set_property, set_tooltip

#: What Fusion leaves free on either side of a box's text, and a line of its own text.
_BOX_MARGIN = 1
_LINE_MARGIN = 2


class ChoiceBox(QComboBox):
    """A list to choose from; a text that is cut stands in full before what the tooltip says.

    An entry's value comes back as it was given: Qt makes a bare `str` of a StrEnum that is not in a
    tuple.
    """

    def addItem(self, text: str, value: Any = None) -> None:  # type: ignore[override]
        super().addItem(text, (value,))

    def itemData(self, index: int, role: int = Qt.ItemDataRole.UserRole) -> Any:
        data = super().itemData(index, role)
        return data[0] if role == Qt.ItemDataRole.UserRole and data else data

    def currentData(self, role: int = Qt.ItemDataRole.UserRole) -> Any:
        return self.itemData(self.currentIndex(), role)

    def findData(self, value: object) -> int:  # type: ignore[override]
        return next((i for i in range(self.count()) if self.itemData(i) == value), -1)

    def offer(self, items: Iterable[tuple[str, object]]) -> None:
        """Other entries, a text for each value; the choice stays where it is one of them. Nobody is
        told."""
        chosen, items = self.currentData(), list(items)
        if items == [(self.itemText(i), self.itemData(i)) for i in range(self.count())]:
            return
        with QSignalBlocker(self):
            self.clear()
            for text, value in items:
                self.addItem(text, value)
        self.choose(chosen)

    def choose(self, value: object) -> None:
        """Shows the entry of a value, the first one for a value that has none. Nobody is told."""
        with QSignalBlocker(self):
            self.setCurrentIndex(max(0, self.findData(value)))

    def shown_text(self) -> str:
        """The present choice as it is drawn; without one, the placeholder."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        field = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, self
        )
        room = field.width() - 2 * _BOX_MARGIN
        if not option.currentIcon.isNull():
            room -= option.iconSize.width() + 4
        text = option.currentText if self.currentIndex() >= 0 else self.placeholderText()
        return self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, max(0, room))

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.isEditable():
            super().paintEvent(event)
            return
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        option.currentText = self.shown_text()
        if self.currentIndex() < 0:
            option.palette.setBrush(QPalette.ColorRole.ButtonText, option.palette.placeholderText())
        painter = QStylePainter(self)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            text = self.currentText()
            if text and not self.isEditable() and self.shown_text() != text:
                tip = self.toolTip()
                # The tooltip may be escaped already, which a text beside it would undo.
                whole = (
                    f"<qt>{html.escape(text)}{tip}</qt>"
                    if tip.startswith("<qt>")
                    else plain_text(f"{text}\n{tip}")
                )
                QToolTip.showText(event.globalPos(), whole.rstrip(), self)
                return True
        return super().event(event)


def choice_box(
    name: str,
    items: Iterable[tuple[str, object]],
    choose: Callable[[Any], object],
    current: object = None,
    parent: QWidget | None = None,
) -> ChoiceBox:
    """A box with a text for each value; `choose` gets the value that the user picks. It begins at
    `current`."""
    box = ChoiceBox(parent)
    box.setAccessibleName(name)
    box.offer(items)
    box.choose(current)
    box.activated.connect(lambda index: choose(box.itemData(index)))
    return box


class PaintedLine(QLineEdit):
    """A line that may be drawn with another text than it has, which does not fit."""

    def _place(self, option: QStyleOptionFrame) -> QRect:
        inner = self.style().subElementRect(QStyle.SubElement.SE_LineEditContents, option, self)
        return inner.marginsRemoved(self.textMargins()).adjusted(_LINE_MARGIN, 0, -_LINE_MARGIN, 0)

    @property
    def room(self) -> int:
        """Pixels for its text."""
        option = QStyleOptionFrame()
        self.initStyleOption(option)
        return self._place(option).width()

    def shown_text(self) -> str:
        """The text that is drawn."""
        return self.text()

    def paintEvent(self, event: QPaintEvent) -> None:
        shown = self.shown_text()
        if shown == self.text():
            super().paintEvent(event)
            return
        option = QStyleOptionFrame()
        self.initStyleOption(option)
        painter = QStylePainter(self)
        painter.drawPrimitive(QStyle.PrimitiveElement.PE_PanelLineEdit, option)
        group = QPalette.ColorGroup.Normal if self.isEnabled() else QPalette.ColorGroup.Disabled
        painter.setPen(self.palette().color(group, self.foregroundRole()))
        painter.drawText(
            self._place(option), int(self.alignment() | Qt.AlignmentFlag.AlignVCenter), shown
        )


class CutLine(PaintedLine):
    """A line whose text ends in an ellipsis where it does not fit, while nobody types in it.

    With `names`, it is one of these, and keeps the part in which they differ.
    """

    def __init__(self, names: DistinctNames | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._names = names or DistinctNames(even=True)

    def shown_text(self) -> str:
        text = self.text()
        if self.hasFocus():
            return text
        room, width_of = self.room, self.fontMetrics().horizontalAdvance
        return text if width_of(text) <= room else self._names.cut(text, max(0, room), width_of)


class NameBox(QComboBox):
    """`chosen(name)` when the user picks or types an existing name that is not the present one."""

    chosen = Signal(str)
    rejected = Signal(str)
    #: Enter was pressed.
    entered = Signal()

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
        # A long name is cut where it differs from the others, not a reason to be wider than the
        # panel.
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
        line.returnPressed.connect(self.entered)
        line.textEdited.connect(
            lambda text: typed_fields().note(self, text.strip() not in ("", self.value))
        )
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
        if (
            value == self.value
            and placeholder == self._line.placeholderText()
            and self._line.text() == (value or "")
        ):
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
            reason = f"No {self._noun} named “{text}” here."
            self.setToolTip(plain_text(reason))
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
        set_tooltip(self, f"No {self._noun} named “{self.value}”." if unknown else self.value or "")


class TextField(CutLine):
    """`edited(text)` when the user has typed another name: on Enter, or when the field is left. Esc
    takes it back."""

    edited = Signal(str)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(None, parent)
        self._value = ""
        self.setAccessibleName(name)
        self.setMinimumWidth(60)
        self.editingFinished.connect(self.commit)
        self.textEdited.connect(lambda _: typed_fields().note(self, self._is_unsaved()))
        typed_fields().watch(self)
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
        self.setToolTip(plain_text(self._value))


class EntryField(TextField):
    """For something new: what is typed stays when the field is left, until it is used or Esc takes
    it back."""

    def commit(self) -> bool:
        return True

    def _is_unsaved(self) -> bool:
        # It is no value of the document before it is used.
        return False
