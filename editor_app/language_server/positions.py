"""Offsets in a text, and positions as editors count them: lines from 0, and UTF-16 units in a line."""

from __future__ import annotations

import re
from bisect import bisect_right

_BREAK = re.compile(r"\r\n|\n|\r")


class Positions:
    """Of one text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = [0, *(match.end() for match in _BREAK.finditer(text))]

    def offset(self, line: int, character: int) -> int:
        """Offset in code points; a position beyond a line is its end, one beyond the text the text's."""
        if line >= len(self._starts):
            return len(self._text)
        start = self._starts[line]
        last = self._starts[line + 1] if line + 1 < len(self._starts) else len(self._text)
        units, offset = 0, start
        while offset < last and units < character and self._text[offset] not in "\r\n":
            units += 2 if ord(self._text[offset]) > 0xFFFF else 1
            offset += 1
        return offset

    def position(self, offset: int) -> tuple[int, int]:
        """(line, character) of an offset in code points."""
        offset = min(max(offset, 0), len(self._text))
        line = bisect_right(self._starts, offset) - 1
        part = self._text[self._starts[line] : offset]
        return line, len(part) + sum(ord(character) > 0xFFFF for character in part)
