"""Indentation while it is typed: Return keeps the line's, Tab and Shift+Tab move lines; blanks alone, as YAML asks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QTextBlock, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit

#: Blanks of one level, in XRDF and in most URDFs.
LEVEL = 2
#: The head of a mapping or list: what follows stands one level deeper. Colons in comments and values open nothing.
_OPENS = re.compile(r"\s*(?:-\s+)*[^\s#'\"][^#'\"]*:\s*(?:#.*)?\Z|\s*(?:-\s+)*(['\"])[^'\"]*\1:\s*(?:#.*)?\Z")


class Indenting:
    """For one text. `take` is asked about each key before the text is."""

    def __init__(self, text: QPlainTextEdit) -> None:
        self._text = text
        self.is_yaml = True

    def take(self, event: QKeyEvent) -> bool:
        """Whether the key was one of indentation, and is done with."""
        modifiers = event.modifiers() & ~(Qt.KeyboardModifier.KeypadModifier | Qt.KeyboardModifier.ShiftModifier)
        if modifiers or self._text.isReadOnly():
            return False
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._break_line()
        elif event.key() == Qt.Key.Key_Backtab:
            self._move_lines(-1)
        elif event.key() == Qt.Key.Key_Tab:
            self._on_tab()
        else:
            return False
        return True

    def _break_line(self) -> None:
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
        first, last = document.findBlock(cursor.selectionStart()), document.findBlock(cursor.selectionEnd())
        # A selection that ends before the first character of a line has nothing of it.
        if last != first and cursor.selectionEnd() == last.position():
            last = last.previous()
        block = first
        while block.isValid():
            yield block
            if block == last:
                return
            block = block.next()
