"""The margin of a text: the lamp of remedies, signs of findings, line numbers, triangles of folds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from PySide6.QtCore import QEvent, QRect, QSize, Qt, SignalInstance
from PySide6.QtGui import QFont, QFontMetrics, QIcon, QMouseEvent, QPainter, QPaintEvent, QPalette, QTextCursor
from PySide6.QtWidgets import QWidget

from editor_app.gui.icons import icon
from editor_app.gui.panels.source.folding import Folding
from editor_app.gui.plain_text import plain

_SIGN = 15


@dataclass(frozen=True, slots=True)
class Mark:
    """A marked line (from 1): the icon of its sign and the icon's colour, and what its tooltip says.

    `column` (from 1): the word that is underlined; without it the whole line is.
    """

    line: int
    sign: tuple[str, str]
    message: str
    column: int | None = None


class NumberedText(Protocol):
    """A text editor as its margin knows it; lines count from 1."""

    folding: Folding

    @property
    def remedies_wanted(self) -> SignalInstance: ...
    def lines_in_sight(self, bottom: int) -> Iterator[tuple[int, int, int]]: ...
    def line_of(self, y: int) -> int: ...
    def put_cursor(self, line: int) -> None: ...
    def blockCount(self) -> int: ...
    def textCursor(self) -> QTextCursor: ...
    def font(self) -> QFont: ...
    def fontMetrics(self) -> QFontMetrics: ...
    def palette(self) -> QPalette: ...


class Margin(QWidget):
    """Left to right: lamp, sign, number, triangle. Triangles of what is open are shown under the mouse alone."""

    def __init__(self, editor: NumberedText, parent: QWidget) -> None:
        super().__init__(parent)
        self._editor = editor
        self._is_under_mouse = False
        self.marks: dict[int, Mark] = {}
        #: The line at which remedies are offered.
        self.lamp: int | None = None
        self.setMouseTracking(True)
        editor.folding.changed.connect(self.update)

    def needed_width(self) -> int:
        digits = max(3, len(str(self._editor.blockCount())))
        return 3 * _SIGN + 8 + self._editor.fontMetrics().horizontalAdvance("9") * digits

    def sizeHint(self) -> QSize:
        return QSize(self.needed_width(), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        editor, painter = self._editor, QPainter(self)
        painter.fillRect(event.rect(), editor.palette().color(QPalette.ColorRole.AlternateBase))
        painter.setFont(editor.font())
        current = editor.textCursor().blockNumber() + 1
        for line, top, height in editor.lines_in_sight(event.rect().bottom()):
            role = QPalette.ColorRole.Text if line == current else QPalette.ColorRole.PlaceholderText
            painter.setPen(editor.palette().color(role))
            painter.drawText(0, top, self.width() - _SIGN - 4, height, Qt.AlignmentFlag.AlignRight, str(line))
            if line == self.lamp:
                self._draw(painter, icon("lightbulb", "accent"), 1, top, height)
            mark = self.marks.get(line)
            if mark is not None:
                self._draw(painter, icon(*mark.sign), 1 + _SIGN, top, height)
            if editor.folding.is_folded(line):
                self._draw(painter, icon("caret-right", "accent"), self.width() - _SIGN, top, height)
            elif self._is_under_mouse and editor.folding.can_fold(line):
                self._draw(painter, icon("caret-down", "muted"), self.width() - _SIGN, top, height)
        painter.end()

    def _draw(self, painter: QPainter, sign: QIcon, x: int, top: int, height: int) -> None:
        side = min(_SIGN - 1, height)
        sign.paint(painter, QRect(x, top + (height - side) // 2, side, side))

    def _part(self, event: QMouseEvent) -> tuple[int, str]:
        """The line, and what of it: lamp, sign, number or fold."""
        x, line = int(event.position().x()), self._editor.line_of(int(event.position().y()))
        if x >= self.width() - _SIGN:
            return line, "fold"
        return line, "lamp" if x <= _SIGN else "sign" if x <= 2 * _SIGN else "number"

    def _says(self, line: int, part: str) -> str:
        if part == "fold" and self._editor.folding.can_fold(line):
            return "Unfold" if self._editor.folding.is_folded(line) else "Fold"
        if part == "lamp" and line == self.lamp:
            return "Remedies  (Ctrl+.)"
        mark = self.marks.get(line)
        return mark.message if mark is not None and part != "fold" else ""

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        line, part = self._part(event)
        self.setToolTip(plain(self._says(line, part)))
        can_press = (part == "fold" and self._editor.folding.can_fold(line)) or (part == "lamp" and line == self.lamp)
        self.setCursor(Qt.CursorShape.PointingHandCursor if can_press else Qt.CursorShape.ArrowCursor)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        line, part = self._part(event)
        if part == "fold":
            self._editor.folding.toggle(line)
        elif part == "lamp" and line == self.lamp:
            self._editor.remedies_wanted.emit()
        else:
            self._editor.put_cursor(line)

    def enterEvent(self, event: QEvent) -> None:
        self._is_under_mouse = True
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self._is_under_mouse = False
        self.update()
