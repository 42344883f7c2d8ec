"""Boxes to choose in, whose texts end in an ellipsis where they do not fit: Qt cuts them in the middle of a letter."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable
from typing import Any

from PySide6.QtCore import QEvent, QRect, Qt
from PySide6.QtGui import QHelpEvent, QPaintEvent, QPalette
from PySide6.QtWidgets import (
    QComboBox,
    QLineEdit,
    QStyle,
    QStyleOptionComboBox,
    QStyleOptionFrame,
    QStylePainter,
    QToolTip,
    QWidget,
)

from editor_app.gui.bindings.elision import DistinctNames
from editor_app.gui.widgets import plain

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
                whole = f"<qt>{html.escape(text)}{tip}</qt>" if tip.startswith("<qt>") else plain(f"{text}\n{tip}")
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
    """A box with a text for each value; `choose` gets the value that the user picks. It begins at `current`."""
    box = ChoiceBox(parent)
    box.setAccessibleName(name)
    for text, value in items:
        box.addItem(text, value)
    box.setCurrentIndex(max(0, box.findData(current)))
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

    def paint_instead(self, shown: str) -> None:
        """Draws the line with `shown` as its text."""
        option = QStyleOptionFrame()
        self.initStyleOption(option)
        painter = QStylePainter(self)
        painter.drawPrimitive(QStyle.PrimitiveElement.PE_PanelLineEdit, option)
        group = QPalette.ColorGroup.Normal if self.isEnabled() else QPalette.ColorGroup.Disabled
        painter.setPen(self.palette().color(group, self.foregroundRole()))
        painter.drawText(self._place(option), int(self.alignment() | Qt.AlignmentFlag.AlignVCenter), shown)


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

    def paintEvent(self, event: QPaintEvent) -> None:
        shown = self.shown_text()
        if shown == self.text():
            super().paintEvent(event)
        else:
            self.paint_instead(shown)
