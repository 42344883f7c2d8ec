"""Long lists in brackets over several lines, as a person would write them."""

from __future__ import annotations

from collections.abc import Sequence

#: Columns of a line in a list that is wrapped.
WIDTH = 110


def wrapped_list(start: str, items: Sequence[str], separator: str = ", ") -> list[str]:
    """`start` and a flow sequence in lines of a readable length, the later ones below the first item."""
    lines, line = [], f"{start}["
    indent = " " * len(line) if len(line) <= WIDTH // 2 else " " * (len(start) - len(start.lstrip()) + 2)
    for i, item in enumerate(items):
        piece = item + ("," if i + 1 < len(items) else "")
        if line.strip() and not line.endswith("[") and len(line) + len(piece) + 1 > WIDTH:
            lines.append(line)
            line = indent + piece
        else:
            line += piece if line.endswith("[") else f"{separator[1:]}{piece}"
    return [*lines, f"{line}]"]


def is_long(line: str) -> bool:
    """Whether a line is longer than lists are let grow."""
    return len(line) > WIDTH + 1
