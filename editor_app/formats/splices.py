"""What is written into an old text: every other character of it stays."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Splice(NamedTuple):
    """`text` in the place of [`start`, `end`) of an old text (offsets in code points)."""

    start: int
    end: int
    text: str


def apply_splices(text: str, splices: Iterable[Splice], start: int = 0, end: int | None = None) -> str:
    """The part of `text` from `start` to `end` with all splices applied; insertions at one offset keep their order.

    Raises ValueError when two overlap, or one lies outside the part.
    """
    end = len(text) if end is None else end
    pieces: list[str] = []
    for splice in sorted(splices, key=lambda each: (each.start, each.end)):
        if splice.start < start or splice.end < splice.start or splice.end > end:
            raise ValueError(f"splice {splice} overlaps another one or the end")
        pieces += (text[start : splice.start], splice.text)
        start = splice.end
    return "".join((*pieces, text[start:end]))
