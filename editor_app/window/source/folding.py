"""Folding, indentation and colours of lines of YAML and XML in a text editor."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QPalette,
    QSyntaxHighlighter,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import QPlainTextDocumentLayout, QPlainTextEdit

from editor_app.core.verbs.text_folds import Fold
from editor_app.window.timers import after


class Folding(QObject):
    """The folded blocks of an editor's text; lines count from 1. A folded place keeps folded while
    the text changes."""

    changed = Signal()

    def __init__(self, editor: QPlainTextEdit) -> None:
        super().__init__(editor)
        self._editor = editor
        self._last: dict[int, int] = {}
        #: The first lines of what is folded, moved with the text.
        self._folded: list[QTextCursor] = []

    def set_folds(self, folds: Iterable[Fold]) -> None:
        """Set the blocks that can be folded."""
        self._last = {fold.first: fold.last for fold in folds}
        if self._folded:
            self._show_blocks()
        self.changed.emit()

    def forget(self) -> None:
        """Another text comes: nothing of it is folded."""
        self._folded.clear()
        self._show_blocks()
        self._last = {}

    @property
    def folded(self) -> tuple[int, ...]:
        return tuple(sorted({line for line in self._lines() if line in self._last}))

    def can_fold(self, line: int) -> bool:
        return line in self._last

    def is_folded(self, line: int) -> bool:
        return line in self._last and line in self._lines()

    def hidden_after(self, line: int) -> int:
        """How many lines are hidden below a line."""
        return self._last[line] - line if self.is_folded(line) else 0

    def around(self, line: int) -> int | None:
        """The first line of the innermost place around a line that is not folded yet."""
        inside = (
            first
            for first, last in self._last.items()
            if first <= line <= last and not self.is_folded(first)
        )
        return max(inside, default=None)

    def toggle(self, line: int) -> None:
        if self.is_folded(line):
            self.unfold(line)
        else:
            self.fold(line)

    def fold(self, line: int) -> None:
        """Hides what belongs to a line; the cursor comes to it when it is inside."""
        if line not in self._last or self.is_folded(line):
            return
        self._add(line)
        self._bring_cursor_out()
        self._show_blocks()

    def unfold(self, line: int) -> None:
        self._unfold({line})

    def fold_all(self) -> None:
        """Every section: what is outermost. In XML, what is right inside the outermost element."""
        outer = self._outermost(0, self._editor.blockCount() + 1)
        if len(outer) == 1:
            outer = self._outermost(outer[0], self._last[outer[0]]) or outer
        for line in outer:
            if not self.is_folded(line):
                self._add(line)
        self._bring_cursor_out()
        self._show_blocks()

    def unfold_all(self) -> None:
        self._folded.clear()
        self._show_blocks()

    def reveal(self, line: int) -> None:
        """Unfolds what hides a line."""
        hiding = self._hiding(line)
        if hiding:
            self._unfold(hiding)

    # -- inside

    def _lines(self) -> set[int]:
        return {cursor.blockNumber() + 1 for cursor in self._folded}

    def _hiding(self, line: int) -> set[int]:
        return {first for first in self.folded if first < line <= self._last[first]}

    def _unfold(self, lines: set[int]) -> None:
        self._folded = [cursor for cursor in self._folded if cursor.blockNumber() + 1 not in lines]
        self._show_blocks()

    def _add(self, line: int) -> None:
        self._folded.append(QTextCursor(self._editor.document().findBlockByNumber(line - 1)))

    def _outermost(self, after: int, end: int) -> list[int]:
        outermost, reached = [], after
        for first, last in sorted(self._last.items()):
            if first > reached and first <= end:
                outermost.append(first)
                reached = last
        return outermost

    def _bring_cursor_out(self) -> None:
        hiding = self._hiding(self._editor.textCursor().blockNumber() + 1)
        if hiding:
            self._editor.setTextCursor(
                QTextCursor(self._editor.document().findBlockByNumber(min(hiding) - 1))
            )

    def _show_blocks(self) -> None:
        document = self._editor.document()
        hidden: set[int] = set()
        for first in self.folded:
            hidden.update(range(first + 1, self._last[first] + 1))
        block = document.begin()
        is_changed = False
        number = 0
        while block.isValid():
            number += 1
            is_visible = number not in hidden
            if block.isVisible() != is_visible:
                block.setVisible(is_visible)
                block.setLineCount(1 if is_visible else 0)
                is_changed = True
            block = block.next()
        if is_changed:
            # Not marked as dirty: nothing of the text is to be coloured anew.
            layout = document.documentLayout()
            if isinstance(layout, QPlainTextDocumentLayout):
                layout.requestUpdate()
                layout.documentSizeChanged.emit(layout.documentSize())
            self._editor.viewport().update()
        self.changed.emit()


#: Blanks of one level, in XRDF and in most URDFs.
LEVEL = 2
#: The head of a mapping or list: what follows stands one level deeper. Colons in comments and
#: values open nothing.
_OPENS = re.compile(
    r"\s*(?:-\s+)*[^\s#'\"][^#'\"]*:\s*(?:#.*)?\Z|\s*(?:-\s+)*(['\"])[^'\"]*\1:\s*(?:#.*)?\Z"
)


class Indenting:
    """For one text. `take` is asked about each key before the text is."""

    def __init__(self, text: QPlainTextEdit) -> None:
        self._text = text
        self.is_yaml = True

    def take(self, event: QKeyEvent) -> bool:
        """Return whether the key was one of indentation, and is done with."""
        modifiers = event.modifiers() & ~(
            Qt.KeyboardModifier.KeypadModifier | Qt.KeyboardModifier.ShiftModifier
        )
        if modifiers or self._text.isReadOnly():
            return False
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            cursor = self._text.textCursor()
            start = QTextCursor(cursor)
            start.setPosition(cursor.selectionStart())
            before = start.block().text()[: start.positionInBlock()]
            depth = len(before) - len(before.lstrip(" "))
            if self.is_yaml and _OPENS.match(before):
                depth += LEVEL
            cursor.insertText("\n" + " " * depth)
            self._text.setTextCursor(cursor)
            self._text.ensureCursorVisible()
        elif event.key() == Qt.Key.Key_Backtab:
            self._move_lines(-1)
        elif event.key() == Qt.Key.Key_Tab:
            self._on_tab()
        else:
            return False
        return True

    def _on_tab(self) -> None:
        cursor = self._text.textCursor()
        if cursor.hasSelection() and len(list(self._blocks(cursor))) > 1:
            self._move_lines(1)
            return
        start = QTextCursor(cursor)
        start.setPosition(cursor.selectionStart())
        cursor.insertText(" " * (LEVEL - start.positionInBlock() % LEVEL))
        self._text.setTextCursor(cursor)

    def _move_lines(self, by: int) -> None:
        """All lines that the selection touches, one level in or out."""
        cursor = self._text.textCursor()
        edit = QTextCursor(cursor)
        edit.beginEditBlock()
        for block in self._blocks(cursor):
            text = block.text()
            edit.setPosition(block.position())
            if by > 0:
                edit.insertText(" " * LEVEL if text.strip() else "")
            else:
                out = min(LEVEL, len(text) - len(text.lstrip(" ")))
                edit.setPosition(block.position() + out, QTextCursor.MoveMode.KeepAnchor)
                edit.removeSelectedText()
        edit.endEditBlock()

    def _blocks(self, cursor: QTextCursor) -> Iterator[QTextBlock]:
        document = self._text.document()
        first, last = (
            document.findBlock(cursor.selectionStart()),
            document.findBlock(cursor.selectionEnd()),
        )
        # A selection that ends before the first character of a line has nothing of it.
        if last != first and cursor.selectionEnd() == last.position():
            last = last.previous()
        block = first
        while block.isValid():
            yield block
            if block == last:
                return
            block = block.next()


#: So many lines take a few milliseconds.
_AT_ONCE = 300
#: States of a line: 0, or 1 when it ends in a comment; with this added, it is not coloured yet.
_WAITS = 2
_IN_COMMENT = (1, 1 + _WAITS)
_KEY = re.compile(
    r"""^\s*(?:-\s+)*("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s#'"\[{][^#]*?)\s*:(?=\s|$)"""
)
_FLOW_KEY = re.compile(r"""([A-Za-z_][\w.-]*|"[^"]*")\s*:(?=\s)""")
_NUMBER = re.compile(r"(?<![\w.\"'/-])[-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.\"'/])")
_STRING = re.compile(r"""(?<!\w)"(?:[^"\\]|\\.)*"|(?<!\w)'(?:[^']|'')*'""")
_TAG = re.compile(r"</?([\w:.-]+)|<\?(\w+)")
_ATTRIBUTE = re.compile(r"""([\w:.-]+)\s*=\s*("[^"]*"|'[^']*')""")
_NUMBERS = re.compile(r"[-+\d.eE\s]+")
_COMMENT = re.compile(r"(?:^|(?<=\s))#.*$")
_MARK = re.compile(r"(?<!\S)(?:[&*][\w.-]+|!\S*|<<(?=:)|---|\.\.\.)")


@dataclass(frozen=True, slots=True)
class SyntaxColours:
    """For light and for dark backgrounds; each reads at 4.5:1 or better."""

    key: str
    number: str
    string: str
    comment: str
    mark: str

    @staticmethod
    def for_palette(palette: QPalette) -> SyntaxColours:
        dark = palette.color(QPalette.ColorRole.Base).lightness() < 128
        if dark:
            return SyntaxColours("#7cc4ff", "#f2b880", "#a5d6a0", "#8b949e", "#d2a8ff")
        return SyntaxColours("#0b5cad", "#8a4500", "#1a6b2d", "#5f6873", "#7a2fb5")


class Highlighter(QSyntaxHighlighter):
    """Line by line, a long text in parts. YAML: keys, numbers, strings, comments; XML: tags,
    attributes, values."""

    def __init__(self, document: QTextDocument, palette: QPalette) -> None:
        super().__init__(document)
        self._formats: dict[str, QTextCharFormat] = {}
        self.is_xml = False
        #: How many lines more are coloured before the window has drawn again.
        self._room = _AT_ONCE
        self._next = 0
        self._rest = after(self, self._go_on)
        document.blockCountChanged.connect(self._look_again)
        self.set_palette(palette)

    def set_palette(self, palette: QPalette) -> None:
        colours = SyntaxColours.for_palette(palette)
        for name in SyntaxColours.__slots__:
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

    @property
    def is_behind(self) -> bool:
        """True if lines are left to be coloured."""
        return self._rest.isActive()

    def _look_again(self) -> None:
        self._next = 0

    def _go_on(self) -> None:
        self._room = _AT_ONCE
        block = self.document().findBlockByNumber(self._next)
        while block.isValid() and block.userState() < _WAITS:
            block = block.next()
        if block.isValid():
            self._next = block.blockNumber()
            # What follows has another state then, and is coloured as well, as far as there is room.
            self.rehighlightBlock(block)

    def highlightBlock(self, text: str) -> None:
        self._rest.start()
        if self._room <= 0:
            in_comment = self.is_xml and self._ends_in_comment(text)
            self.setCurrentBlockState(_WAITS + in_comment)
            return
        self._room -= 1
        if self.is_xml:
            self._highlight_xml(text)
            return
        self.setCurrentBlockState(0)
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
            if (
                text.count('"', 0, match.start()) % 2 == 0
                and text.count("'", 0, match.start()) % 2 == 0
            ):
                self._paint((match.start(), len(text)), "comment")

    def _highlight_xml(self, text: str) -> None:
        for match in _TAG.finditer(text):
            self._paint(match.span(1), "key")
        for match in _ATTRIBUTE.finditer(text):
            self._paint(match.span(1), "mark")
            self._paint(
                match.span(2), "number" if _NUMBERS.fullmatch(match.group(2)[1:-1]) else "string"
            )
        # Comments go over lines: the state of a line says whether it ends inside one.
        self.setCurrentBlockState(0)
        start = 0 if self.previousBlockState() in _IN_COMMENT else text.find("<!--")
        while start >= 0:
            end = text.find("-->", start)
            stop = len(text) if end < 0 else end + 3
            self._paint((start, stop), "comment")
            if end < 0:
                self.setCurrentBlockState(1)
                return
            start = text.find("<!--", stop)

    def _ends_in_comment(self, text: str) -> bool:
        if text.rfind("<!--") > text.rfind("-->"):
            return True
        return "-->" not in text and self.previousBlockState() in _IN_COMMENT

    def _paint(self, span: tuple[int, int], name: str) -> None:
        self.setFormat(span[0], span[1] - span[0], self._formats[name])
