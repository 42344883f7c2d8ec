"""A text editor for YAML and XML: highlighting, marked lines, folds, a margin with numbers. Knows
nothing of robots."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QColor,
    QContextMenuEvent,
    QFontDatabase,
    QIcon,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QResizeEvent,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from editor_app.window.bindings.typed_fields import UndoKeys, without_undo
from editor_app.window.source.folding import Folding, Highlighter, Indenting
from editor_app.window.theme import colours
from editor_app.window.widgets import icon, plain_text, popup

#: Pixels of a sign in the margin.
_SIGN = 15


@dataclass(frozen=True, slots=True)
class Mark:
    """A marked line (from 1): the icon of its sign and the icon's colour, and what its tooltip
    says.

    `column` (from 1): the word that is underlined; without it the whole line is.
    """

    line: int
    sign: tuple[str, str]
    message: str
    column: int | None = None


class SourceEditor(QPlainTextEdit):
    """Offsets of its methods are code points, as everywhere in the project; Qt's are UTF-16
    units."""

    #: The lamp in the margin was pressed.
    remedies_wanted = Signal()
    #: Offset (code points) of a place that was clicked with Ctrl.
    definition_wanted = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setTabChangesFocus(False)
        # The document's history has every typed step: there is one undo, wherever the focus is.
        UndoKeys(self)
        self.setAccessibleName("XRDF text")
        self.folding = Folding(self)
        self._indenting = Indenting(self)
        self.margin = Margin(self)
        self._highlighter = Highlighter(self.document(), self.palette())
        self._spans: list[QTextEdit.ExtraSelection] = []
        self._matches: list[QTextEdit.ExtraSelection] = []
        self._waves: list[QTextEdit.ExtraSelection] = []
        self._menu_actions: list[QAction] = []
        self.blockCountChanged.connect(self._fit_margin)
        self.updateRequest.connect(self._scroll_margin)
        self.cursorPositionChanged.connect(self._reveal_cursor)
        self._fit_margin()

    def set_language(self, name: str, *, is_xml: bool) -> None:
        """Set the language of the text, for colours and for screen readers."""
        self.setAccessibleName(f"{name} text")
        self._highlighter.set_xml(is_xml)
        self._indenting.is_yaml = not is_xml

    def set_text(self, text: str, *, follow: bool = False) -> None:
        """Shows `text`, touching only what differs, so that scroll position and cursor stay.

        With `follow`, the cursor goes to the end of what differs.
        """
        new, old = as_shown(text), self.toPlainText()
        if new == old:
            return
        start = common_start(new, old)
        end = common_start(new[start:][::-1], old[start:][::-1])
        cursor = selected(self.document(), _units(old, start), _units(old, len(old) - end))
        cursor.beginEditBlock()
        cursor.insertText(new[start : len(new) - end])
        cursor.endEditBlock()
        if follow:
            self.setTextCursor(cursor)
            self.ensureCursorVisible()

    def cursor_offset(self) -> int:
        """Code point offset of the cursor in the text with single-character line breaks."""
        return self._offset(self.textCursor().position())

    def _offset(self, position: int) -> int:
        text = self.toPlainText()
        if not has_wide(text):
            return position
        return len(text.encode("utf-16-le")[: position * 2].decode("utf-16-le", "ignore"))

    def offset_at(self, point: QPoint) -> int | None:
        """Code point offset of the character at a point of the viewport; None beside the text."""
        cursor = self.cursorForPosition(point)
        margin = self.fontMetrics().averageCharWidth()
        place = self.cursorRect(cursor).adjusted(-margin, 0, margin, 0)
        return self._offset(cursor.position()) if place.contains(point) else None

    def replace(self, start: int, end: int, text: str) -> None:
        """Writes `text` over a span (code points), with the cursor behind it, as if it was
        typed."""
        present = self.toPlainText()
        cursor = selected(self.document(), _units(present, start), _units(present, end))
        cursor.insertText(text)
        self.setTextCursor(cursor)

    def place_of(self, offset: int) -> QRect:
        """Return the rectangle of the character at an offset (code points) in the viewport."""
        cursor = QTextCursor(self.document())
        cursor.setPosition(_units(self.toPlainText(), offset))
        return self.cursorRect(cursor)

    def show_span(self, spans: Iterable[tuple[int, int]], *, scroll: bool = True) -> None:
        """Highlights spans (line breaks counted once each); scrolls to the first when it is out of
        sight."""
        text = self.toPlainText()
        selections = []
        colour = self._span_colour()
        first: QTextCursor | None = None
        most = max(0, self.document().characterCount() - 1)
        for start, end in spans:
            selection = QTextEdit.ExtraSelection()
            selection.cursor = selected(
                self.document(), *(min(_units(text, x), most) for x in (start, end))
            )
            selection.format.setBackground(colour)
            selection.format.setProperty(QTextFormat.Property.FullWidthSelection, False)
            selections.append(selection)
            if first is None:
                first = QTextCursor(self.document())
                first.setPosition(selection.cursor.selectionStart())
        self._spans = selections
        self._show_selections()
        if not scroll or first is None:
            return
        self.folding.reveal(first.blockNumber() + 1)
        if not self.viewport().rect().contains(self.cursorRect(first)):
            line = first.block().firstLineNumber()
            self.verticalScrollBar().setValue(max(0, line - self._lines_in_view() // 3))

    def _span_colour(self) -> QColor:
        colour = QColor(self.palette().color(QPalette.ColorRole.Highlight))
        colour.setAlpha(70)
        return colour

    def set_matches(self, matches: list[QTextEdit.ExtraSelection]) -> None:
        """Mark the matches of a search, next to the spans."""
        self._matches = matches
        self._show_selections()

    def _show_selections(self) -> None:
        self.setExtraSelections([*self._waves, *self._spans, *self._matches])

    def go_to(self, line: int, column: int = 1) -> None:
        """Puts the cursor at a line and column, both from 1, in the middle of the view."""
        block = self.document().findBlockByNumber(line - 1)
        if not block.isValid():
            return
        self._go_to_position(block.position() + min(column - 1, max(0, block.length() - 1)))

    def go_to_offset(self, offset: int) -> None:
        """Puts the cursor at an offset (code points), in the middle of the view."""
        self._go_to_position(_units(self.toPlainText(), offset))

    def _go_to_position(self, position: int) -> None:
        cursor = QTextCursor(self.document())
        cursor.setPosition(position)
        self.setTextCursor(cursor)
        self.centerCursor()

    def put_cursor(self, line: int) -> None:
        """The cursor at the beginning of a line (from 1), which has the focus then."""
        block = self.document().findBlockByNumber(line - 1)
        if block.isValid():
            self.setTextCursor(QTextCursor(block))
        self.setFocus()

    def set_marks(self, marks: Iterable[Mark]) -> None:
        """Signs in the margin; the first of a line wins."""
        self.margin.marks = {}
        for mark in marks:
            self.margin.marks.setdefault(mark.line, mark)
        self.margin.update()
        self._waves = underlines(self.document(), self.margin.marks.values())
        self._show_selections()

    def problem_at(self, point: QPoint | None = None) -> str:
        """Return the fault at a point of the viewport, or at the cursor; "" without one."""
        cursor = self.textCursor() if point is None else self.cursorForPosition(point)
        return words_at(self._waves, cursor.position())

    def set_lamp(self, line: int | None) -> None:
        """Shows at which line remedies are offered."""
        if line != self.margin.lamp:
            self.margin.lamp = line
            self.margin.update()

    def offer(self, actions: Iterable[QAction]) -> None:
        """Show actions in the context menu, below the usual actions of a text."""
        self._menu_actions = list(actions)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = without_undo(self.createStandardContextMenu(event.pos()))
        menu.addSeparator()
        folding = [action for action in self._menu_actions if "fold" in action.objectName()]
        menu.addActions([action for action in self._menu_actions if action not in folding])
        menu.addMenu("Fold").addActions(folding)
        popup(menu, event.globalPos())

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_highlighter"):
            self._highlighter.set_palette(self.palette())
            # The colours of another theme count from now on.
            for span in self._spans:
                span.format.setBackground(self._span_colour())
            self.set_marks(list(self.margin.marks.values()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        area = self.contentsRect()
        self.margin.setGeometry(
            QRect(area.left(), area.top(), self.margin.needed_width(), area.height())
        )

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self._indenting.take(event):
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        control = event.modifiers() == Qt.KeyboardModifier.ControlModifier
        if control and event.button() is Qt.MouseButton.LeftButton:
            offset = self.offset_at(event.position().toPoint())
            if offset is not None:
                self.definition_wanted.emit(offset)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        folded = self.folding.folded
        if not folded:
            return
        painter = QPainter(self.viewport())
        painter.setFont(self.font())
        painter.setPen(self.palette().color(QPalette.ColorRole.PlaceholderText))
        for line, top, height in self.lines_in_sight(event.rect().bottom()):
            count = self.folding.hidden_after(line)
            if count:
                end = QTextCursor(self.document().findBlockByNumber(line - 1))
                end.movePosition(QTextCursor.MoveOperation.EndOfBlock)
                x = self.cursorRect(end).right() + self.fontMetrics().averageCharWidth()
                words = f"⋯ {count} line{'s' if count > 1 else ''}"
                painter.drawText(
                    x, top, self.viewport().width(), height, Qt.AlignmentFlag.AlignLeft, words
                )
        painter.end()

    def lines_in_sight(self, bottom: int) -> Iterator[tuple[int, int, int]]:
        """Each shown line (from 1), its top and its height, down to a height of the viewport."""
        block = self.firstVisibleBlock()
        top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
        height = self.fontMetrics().height()
        while block.isValid() and top <= bottom:
            if block.isVisible():
                yield block.blockNumber() + 1, int(top), height
                top += self.blockBoundingRect(block).height()
            block = block.next()

    def _reveal_cursor(self) -> None:
        if not self.textCursor().block().isVisible():
            self.folding.reveal(self.textCursor().blockNumber() + 1)
        self.margin.update()

    def _fit_margin(self, _count: int = 0) -> None:
        self.setViewportMargins(self.margin.needed_width(), 0, 0, 0)

    def _scroll_margin(self, area: QRect, dy: int) -> None:
        if dy:
            self.margin.scroll(0, dy)
        else:
            self.margin.update(0, area.y(), self.margin.width(), area.height())

    def _lines_in_view(self) -> int:
        return max(1, self.viewport().height() // max(1, self.fontMetrics().lineSpacing()))

    def line_of(self, y: int) -> int:
        """Line (from 1) at a height in the margin."""
        return self.cursorForPosition(QRect(0, y, 1, 1).topLeft()).blockNumber() + 1


class Margin(QWidget):
    """Left to right: lamp, sign, number, triangle. Triangles of what is open are shown under the
    mouse alone."""

    def __init__(self, editor: SourceEditor) -> None:
        super().__init__(editor)
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
            role = (
                QPalette.ColorRole.Text if line == current else QPalette.ColorRole.PlaceholderText
            )
            painter.setPen(editor.palette().color(role))
            painter.drawText(
                0, top, self.width() - _SIGN - 4, height, Qt.AlignmentFlag.AlignRight, str(line)
            )
            if line == self.lamp:
                self._draw(painter, icon("lightbulb", "accent"), 1, top, height)
            mark = self.marks.get(line)
            if mark is not None:
                self._draw(painter, icon(*mark.sign), 1 + _SIGN, top, height)
            if editor.folding.is_folded(line):
                self._draw(
                    painter, icon("caret-right", "accent"), self.width() - _SIGN, top, height
                )
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
            return "Show fixes  (Ctrl+.)"
        mark = self.marks.get(line)
        return mark.message if mark is not None and part != "fold" else ""

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        line, part = self._part(event)
        self.setToolTip(plain_text(self._says(line, part)))
        can_press = (part == "fold" and self._editor.folding.can_fold(line)) or (
            part == "lamp" and line == self.lamp
        )
        self.setCursor(
            Qt.CursorShape.PointingHandCursor if can_press else Qt.CursorShape.ArrowCursor
        )

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


def has_wide(text: str) -> bool:
    """Return whether it has characters that are two to Qt: beyond the first plane."""
    return not text.isascii() and max(text) > "\uffff"


#: What `toPlainText` gives back as something else; a space without a break in it is a usual one.
_OTHERWISE = str.maketrans({**dict.fromkeys("\r\u2028\u2029\ufdd0\ufdd1", "\n"), "\u00a0": " "})


def as_shown(text: str) -> str:
    """`text` as an editor that shows it gives it back: Qt knows one kind of line break, and one of
    blanks."""
    return text.replace("\r\n", "\n").translate(_OTHERWISE)


def common_start(one: str, other: str) -> int:
    """How many characters at the beginning are the same, by halves: comparing slices is quick."""
    same, differs = 0, min(len(one), len(other)) + 1
    while differs - same > 1:
        middle = (same + differs) // 2
        if one[same:middle] == other[same:middle]:
            same = middle
        else:
            differs = middle
    return same


#: Where a wave keeps what it says.
_MESSAGE = QTextFormat.Property.UserProperty.value
_WORD = re.compile(r"""[^\s,:#\[\]{}<>="']+""")


def underlines(document: QTextDocument, marks: Iterable[Mark]) -> list[QTextEdit.ExtraSelection]:
    """A wave for each mark: under the word at its column, or under the whole line where it has no
    column."""
    waves = []
    for mark in marks:
        block = document.findBlockByNumber(mark.line - 1)
        if not block.isValid():
            continue
        start, end = _span(block, mark.column)
        wave = QTextEdit.ExtraSelection()
        wave.cursor = selected(document, block.position() + start, block.position() + end)
        wave.format.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
        wave.format.setUnderlineColor(QColor(getattr(colours(), mark.sign[1])))
        wave.format.setProperty(_MESSAGE, mark.message)
        waves.append(wave)
    return waves


def words_at(waves: Iterable[QTextEdit.ExtraSelection], position: int) -> str:
    """Return the messages of the waves at a position of the document, a line each."""
    return "\n".join(
        wave.format.stringProperty(_MESSAGE)
        for wave in waves
        if wave.cursor.selectionStart() <= position <= wave.cursor.selectionEnd()
    )


def _span(block: QTextBlock, column: int | None) -> tuple[int, int]:
    """Of a line, in UTF-16 units. Columns count code points."""
    text = block.text()
    if column is not None and text:
        word = _WORD.search(text, min(column, len(text)) - 1)
        if word is not None:
            return _units(text, word.start()), _units(text, word.end())
    return _units(text, len(text) - len(text.lstrip())), _units(text, len(text.rstrip()))


def _units(text: str, offset: int) -> int:
    """How Qt counts an offset: characters beyond the first plane are two units to it."""
    return offset if not has_wide(text) else len(text[:offset].encode("utf-16-le")) // 2


def selected(document: QTextDocument, start: int, end: int) -> QTextCursor:
    """A cursor that selects from one place to another, in UTF-16 units."""
    cursor = QTextCursor(document)
    cursor.setPosition(start)
    cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
    return cursor
