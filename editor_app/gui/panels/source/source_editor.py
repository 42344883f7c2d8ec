"""A text editor for YAML and XML: line numbers, highlighting, marked lines. Knows nothing of robots."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFontDatabase,
    QPainter,
    QPaintEvent,
    QPalette,
    QResizeEvent,
    QSyntaxHighlighter,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from editor_app.gui.bindings.undo_keys import DocumentUndo, without_undo
from editor_app.gui.plain_text import plain

_KEY = re.compile(r"""^\s*(?:-\s+)*("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s#'"\[{][^#]*?)\s*:(?=\s|$)""")
_FLOW_KEY = re.compile(r"""([A-Za-z_][\w.-]*|"[^"]*")\s*:(?=\s)""")
_NUMBER = re.compile(r"(?<![\w.\"'/-])[-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.\"'/])")
_STRING = re.compile(r"""(?<!\w)"(?:[^"\\]|\\.)*"|(?<!\w)'(?:[^']|'')*'""")
_TAG = re.compile(r"</?([\w:.-]+)|<\?(\w+)")
_ATTRIBUTE = re.compile(r"""([\w:.-]+)\s*=\s*("[^"]*"|'[^']*')""")
_NUMBERS = re.compile(r"[-+\d.eE\s]+")
_COMMENT = re.compile(r"(?:^|(?<=\s))#.*$")
_MARK = re.compile(r"(?<!\S)(?:[&*][\w.-]+|!\S*|<<(?=:)|---|\.\.\.)")


@dataclass(frozen=True, slots=True)
class Colours:
    """For light and for dark backgrounds; each reads at 4.5:1 or better."""

    key: str
    number: str
    string: str
    comment: str
    mark: str

    @staticmethod
    def for_palette(palette: QPalette) -> Colours:
        dark = palette.color(QPalette.ColorRole.Base).lightness() < 128
        if dark:
            return Colours("#7cc4ff", "#f2b880", "#a5d6a0", "#8b949e", "#d2a8ff")
        return Colours("#0b5cad", "#8a4500", "#1a6b2d", "#5f6873", "#7a2fb5")


class Highlighter(QSyntaxHighlighter):
    """Line by line: keys, numbers, strings, comments, anchors of YAML, or tags, attributes, values of XML."""

    def __init__(self, document: QTextDocument, palette: QPalette) -> None:
        super().__init__(document)
        self._formats: dict[str, QTextCharFormat] = {}
        self.is_xml = False
        self.set_palette(palette)

    def set_palette(self, palette: QPalette) -> None:
        colours = Colours.for_palette(palette)
        for name in Colours.__slots__:
            style = QTextCharFormat()
            style.setForeground(QColor(getattr(colours, name)))
            if name == "comment":
                style.setFontItalic(True)
            self._formats[name] = style
        self.rehighlight()

    def set_xml(self, is_xml: bool) -> None:
        if is_xml != self.is_xml:
            self.is_xml = is_xml
            self.rehighlight()

    def highlightBlock(self, text: str) -> None:
        if self.is_xml:
            self._highlight_xml(text)
            return
        for match in _NUMBER.finditer(text):
            self._paint(match.span(), "number")
        for match in _FLOW_KEY.finditer(text):
            self._paint(match.span(1), "key")
        key = _KEY.match(text)
        if key is not None:
            self._paint(key.span(1), "key")
        for match in _MARK.finditer(text):
            self._paint(match.span(), "mark")
        for match in _STRING.finditer(text):
            if key is None or match.start() >= key.end():
                self._paint(match.span(), "string")
        for match in _COMMENT.finditer(text):
            if text.count('"', 0, match.start()) % 2 == 0 and text.count("'", 0, match.start()) % 2 == 0:
                self._paint((match.start(), len(text)), "comment")

    def _highlight_xml(self, text: str) -> None:
        for match in _TAG.finditer(text):
            self._paint(match.span(1), "key")
        for match in _ATTRIBUTE.finditer(text):
            self._paint(match.span(1), "mark")
            self._paint(match.span(2), "number" if _NUMBERS.fullmatch(match.group(2)[1:-1]) else "string")
        # Comments go over lines: the state of a line says whether it ends inside one.
        self.setCurrentBlockState(0)
        start = 0 if self.previousBlockState() == 1 else text.find("<!--")
        while start >= 0:
            end = text.find("-->", start)
            stop = len(text) if end < 0 else end + 3
            self._paint((start, stop), "comment")
            if end < 0:
                self.setCurrentBlockState(1)
                return
            start = text.find("<!--", stop)

    def _paint(self, span: tuple[int, int], name: str) -> None:
        self.setFormat(span[0], span[1] - span[0], self._formats[name])


@dataclass(frozen=True, slots=True)
class Mark:
    """A marked line (from 1): the colour of its sign in the margin, and what its tooltip says."""

    line: int
    colour: QColor
    message: str


class SourceEditor(QPlainTextEdit):
    """Offsets of its methods are code points, as everywhere in the project; Qt's are UTF-16 units."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setTabChangesFocus(False)
        # The document's history has every typed step: there is one undo, wherever the focus is.
        DocumentUndo(self)
        self.setAccessibleName("XRDF text")
        self._margin = _Margin(self)
        self._highlighter = Highlighter(self.document(), self.palette())
        self._marks: dict[int, Mark] = {}
        self._spans: list[QTextEdit.ExtraSelection] = []
        self._matches: list[QTextEdit.ExtraSelection] = []
        self._wide = False
        self.blockCountChanged.connect(self._fit_margin)
        self.updateRequest.connect(self._scroll_margin)
        self._fit_margin()

    def set_language(self, name: str, *, is_xml: bool) -> None:
        """What the text is: for colours and for screen readers."""
        self.setAccessibleName(f"{name} text")
        self._highlighter.set_xml(is_xml)

    def set_text(self, text: str, *, follow: bool = False) -> None:
        """Shows `text`, touching only what differs, so that scroll position and cursor stay.

        With `follow`, the cursor goes to the end of what differs.
        """
        self._wide = any(ord(c) > 0xFFFF for c in text)
        # A QTextDocument knows one kind of line break; the reader of `text` puts the break itself back.
        new, old = text.replace("\r\n", "\n").replace("\r", "\n"), self.toPlainText()
        if new == old:
            return
        start = 0
        limit = min(len(new), len(old))
        while start < limit and new[start] == old[start]:
            start += 1
        end = 0
        while end < limit - start and new[-1 - end] == old[-1 - end]:
            end += 1
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        cursor.setPosition(self._units(old, start))
        cursor.setPosition(self._units(old, len(old) - end), QTextCursor.MoveMode.KeepAnchor)
        cursor.insertText(new[start : len(new) - end])
        cursor.endEditBlock()
        if follow:
            self.setTextCursor(cursor)
            self.ensureCursorVisible()

    def _units(self, text: str, offset: int) -> int:
        return len(text[:offset].encode("utf-16-le")) // 2

    def cursor_offset(self) -> int:
        """Code point offset of the cursor in the text with single-character line breaks."""
        position = self.textCursor().position()
        text = self.toPlainText()
        if not any(ord(c) > 0xFFFF for c in text):
            return position
        return len(text.encode("utf-16-le")[: position * 2].decode("utf-16-le", "ignore"))

    def show_span(self, spans: Iterable[tuple[int, int]], *, scroll: bool = True) -> None:
        """Highlights spans (line breaks counted once each); scrolls to the first when it is out of sight."""
        text = self.toPlainText()
        selections = []
        colour = QColor(self.palette().color(QPalette.ColorRole.Highlight))
        colour.setAlpha(70)
        first: QTextCursor | None = None
        for start, end in spans:
            cursor = QTextCursor(self.document())
            cursor.setPosition(min(self._units(text, start), max(0, self.document().characterCount() - 1)))
            last = min(self._units(text, end), max(0, self.document().characterCount() - 1))
            cursor.setPosition(last, QTextCursor.MoveMode.KeepAnchor)
            selection = QTextEdit.ExtraSelection()
            selection.cursor = cursor
            selection.format.setBackground(colour)
            selection.format.setProperty(QTextFormat.Property.FullWidthSelection, False)
            selections.append(selection)
            if first is None:
                first = QTextCursor(self.document())
                first.setPosition(cursor.selectionStart())
        self._spans = selections
        self._show_selections()
        if scroll and first is not None and not self.viewport().rect().contains(self.cursorRect(first)):
            line = first.block().firstLineNumber()
            self.verticalScrollBar().setValue(max(0, line - self._lines_in_view() // 3))

    def set_matches(self, matches: list[QTextEdit.ExtraSelection]) -> None:
        """What was searched for, marked beside the spans."""
        self._matches = matches
        self._show_selections()

    def _show_selections(self) -> None:
        self.setExtraSelections([*self._spans, *self._matches])

    def go_to(self, line: int, column: int = 1) -> None:
        """Puts the cursor at a line and column, both from 1, in the middle of the view."""
        block = self.document().findBlockByNumber(line - 1)
        if not block.isValid():
            return
        cursor = QTextCursor(block)
        cursor.movePosition(
            QTextCursor.MoveOperation.Right,
            QTextCursor.MoveMode.MoveAnchor,
            min(column - 1, max(0, block.length() - 1)),
        )
        self.setTextCursor(cursor)
        self.centerCursor()

    def set_marks(self, marks: Iterable[Mark]) -> None:
        """Signs in the margin; the first of a line wins."""
        self._marks = {}
        for mark in marks:
            self._marks.setdefault(mark.line, mark)
        self._margin.update()

    def mark_at(self, line: int) -> Mark | None:
        return self._marks.get(line)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = without_undo(self.createStandardContextMenu(event.pos()))
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(event.globalPos())

    def changeEvent(self, event: object) -> None:
        super().changeEvent(event)  # type: ignore[arg-type]
        if getattr(event, "type", lambda: None)() == event.Type.PaletteChange and hasattr(self, "_highlighter"):  # type: ignore[attr-defined]
            self._highlighter.set_palette(self.palette())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        area = self.contentsRect()
        self._margin.setGeometry(QRect(area.left(), area.top(), self.margin_width(), area.height()))

    def margin_width(self) -> int:
        digits = max(3, len(str(self.blockCount())))
        return 22 + self.fontMetrics().horizontalAdvance("9") * digits

    def paint_margin(self, event: QPaintEvent) -> None:
        painter = QPainter(self._margin)
        painter.fillRect(event.rect(), self.palette().color(QPalette.ColorRole.AlternateBase))
        block = self.firstVisibleBlock()
        top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
        height = self.fontMetrics().height()
        current = self.textCursor().blockNumber()
        width = self._margin.width()
        while block.isValid() and top <= event.rect().bottom():
            bottom = top + self.blockBoundingRect(block).height()
            if block.isVisible() and bottom >= event.rect().top():
                number = block.blockNumber()
                role = QPalette.ColorRole.Text if number == current else QPalette.ColorRole.PlaceholderText
                painter.setPen(self.palette().color(role))
                painter.drawText(0, int(top), width - 6, height, Qt.AlignmentFlag.AlignRight, str(number + 1))
                mark = self._marks.get(number + 1)
                if mark is not None:
                    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                    painter.setPen(Qt.PenStyle.NoPen)
                    painter.setBrush(mark.colour)
                    painter.drawEllipse(4, int(top) + height // 2 - 4, 8, 8)
            block = block.next()
            top = bottom

    def _fit_margin(self, _count: int = 0) -> None:
        self.setViewportMargins(self.margin_width(), 0, 0, 0)

    def _scroll_margin(self, area: QRect, dy: int) -> None:
        if dy:
            self._margin.scroll(0, dy)
        else:
            self._margin.update(0, area.y(), self._margin.width(), area.height())

    def _lines_in_view(self) -> int:
        return max(1, self.viewport().height() // max(1, self.fontMetrics().lineSpacing()))

    def line_of(self, y: int) -> int:
        """Line (from 1) at a height in the margin."""
        return self.cursorForPosition(QRect(0, y, 1, 1).topLeft()).blockNumber() + 1


class _Margin(QWidget):
    def __init__(self, editor: SourceEditor) -> None:
        super().__init__(editor)
        self._editor = editor
        self.setMouseTracking(True)

    def sizeHint(self) -> QSize:
        return QSize(self._editor.margin_width(), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        self._editor.paint_margin(event)

    def mouseMoveEvent(self, event: object) -> None:
        mark = self._editor.mark_at(self._editor.line_of(int(event.position().y())))  # type: ignore[attr-defined]
        self.setToolTip(plain(mark.message if mark else ""))
