"""The verb `folds`: which lines of a robot's texts belong to the line above them, also while they
are being typed.

By indentation and tags alone, so that a text that cannot be read folds as well. Lines count from 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from editor_app.core.document.state import FileKind

_XML_PART = re.compile(
    r"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>"
    r"|<(?P<end>/)?(?P<name>[A-Za-z_][\w:.-]*)(?:\"[^\"<]*\"|'[^'<]*'|[^<>\"'/]|/(?!>))*+(?P<empty>/)?>",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Fold:
    """The lines after `first`, up to `last`, are hidden when it is folded."""

    first: int
    last: int


def folds(text: str, kind: FileKind = FileKind.XRDF) -> tuple[Fold, ...]:
    """Return the foldable blocks by their first line; a line begins one fold at most, the
    largest."""
    all_folds = _of_yaml(text) if kind.is_yaml else _of_xml(text)
    largest: dict[int, int] = {}
    for fold in all_folds:
        largest[fold.first] = max(fold.last, largest.get(fold.first, 0))
    return tuple(Fold(first, last) for first, last in sorted(largest.items()) if last > first)


def _of_yaml(text: str) -> Iterator[Fold]:
    """A line, and the lines below it that stand further in. Items of a list may stand as far out as
    its key."""
    above: list[tuple[int, int, bool]] = []
    last = 0
    for number, line in enumerate(text.split("\n"), 1):
        content = line.strip()
        if not content or content.startswith("#"):
            continue
        depth, is_item = (
            len(line) - len(line.lstrip(" ")),
            content.startswith("- ") or content == "-",
        )
        while above:
            first, other, opens = above[-1]
            if depth > other or (depth == other and is_item and opens):
                break
            above.pop()
            yield Fold(first, last)
        above.append((number, depth, content.endswith(":") and not is_item))
        last = number
    yield from (Fold(first, last) for first, _, _ in above)


def _of_xml(text: str) -> Iterator[Fold]:
    """An element to before its end tag, and a comment of several lines."""
    line, at = 1, 0
    above: list[tuple[str, int]] = []
    for part in _XML_PART.finditer(text):
        line += text.count("\n", at, part.start())
        at = part.start()
        name = part["name"]
        if name is None:
            yield Fold(line, line + part.group().count("\n"))
        elif part["end"]:
            index = next((i for i in reversed(range(len(above))) if above[i][0] == name), None)
            if index is not None:
                # What was left open inside it ends here, too.
                yield Fold(above[index][1], line - 1)
                del above[index:]
        elif not part["empty"]:
            above.append((name, line))
