"""Wavy lines under what findings are about, and what is said of the place under the mouse or the cursor."""

from __future__ import annotations

import re
from collections.abc import Iterable

from PySide6.QtGui import QColor, QTextBlock, QTextCharFormat, QTextCursor, QTextDocument, QTextFormat
from PySide6.QtWidgets import QTextEdit

from editor_app.gui.panels.source.margin import Mark
from editor_app.gui.theme import colours

#: Where a wave keeps what it says.
_MESSAGE = QTextFormat.Property.UserProperty.value
_WORD = re.compile(r"""[^\s,:#\[\]{}<>="']+""")


def underlines(document: QTextDocument, marks: Iterable[Mark]) -> list[QTextEdit.ExtraSelection]:
    """A wave for each mark: under the word at its column, or under the whole line where it has no column."""
    waves = []
    for mark in marks:
        block = document.findBlockByNumber(mark.line - 1)
        if not block.isValid():
            continue
        start, end = _span(block, mark.column)
        wave = QTextEdit.ExtraSelection()
        wave.cursor = QTextCursor(block)
        wave.cursor.setPosition(block.position() + start)
        wave.cursor.setPosition(block.position() + end, QTextCursor.MoveMode.KeepAnchor)
        wave.format.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
        wave.format.setUnderlineColor(QColor(getattr(colours(), mark.sign[1])))
        wave.format.setProperty(_MESSAGE, mark.message)
        waves.append(wave)
    return waves


def words_at(waves: Iterable[QTextEdit.ExtraSelection], position: int) -> str:
    """What the waves at a position of the document say, a line each."""
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
    """Characters beyond the first plane are two units to Qt."""
    return len(text[:offset].encode("utf-16-le")) // 2
