"""The difference between two texts, line by line, for a diff view and for the command line."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from enum import Enum


class LineKind(Enum):
    SAME = " "
    ADDED = "+"
    DELETED = "-"
    GAP = "@"


@dataclass(frozen=True, slots=True)
class DiffLine:
    """`old` and `new` are line numbers from 1, None on the side where the line does not stand."""

    kind: LineKind
    text: str
    old: int | None = None
    new: int | None = None


def line_diff(old: str, new: str, context: int = 3) -> tuple[DiffLine, ...]:
    """The changed lines with `context` unchanged ones around them; empty when the texts are the
    same.

    Line breaks belong to the comparison, so that a change of CRLF to LF shows.
    """
    if old == new:
        return ()
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    lines: list[DiffLine] = []
    for group in matcher.get_grouped_opcodes(context):
        first, last = group[0], group[-1]
        where = f"@@ -{first[1] + 1},{last[2] - first[1]} +{first[3] + 1},{last[4] - first[3]} @@"
        lines.append(DiffLine(LineKind.GAP, where))
        for tag, a, b, c, d in group:
            if tag == "equal":
                pairs = zip(range(a, b), range(c, d), strict=True)
                lines.extend(
                    DiffLine(LineKind.SAME, _shown(before[i]), i + 1, j + 1) for i, j in pairs
                )
                continue
            lines.extend(
                DiffLine(LineKind.DELETED, _shown(before[i]), i + 1, None) for i in range(a, b)
            )
            lines.extend(
                DiffLine(LineKind.ADDED, _shown(after[j]), None, j + 1) for j in range(c, d)
            )
    return tuple(lines)


def counts(lines: tuple[DiffLine, ...]) -> tuple[int, int]:
    """(added, deleted) lines."""
    added = sum(line.kind is LineKind.ADDED for line in lines)
    return added, sum(line.kind is LineKind.DELETED for line in lines)


def _shown(line: str) -> str:
    text = line.rstrip("\r\n")
    if not line.endswith("\n"):
        return text + "  ⏎ no line break at the end"
    return text + "␍" if line.endswith("\r\n") else text
