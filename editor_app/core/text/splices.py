"""Replacements in a text: every other character stays."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Splice(NamedTuple):
    """`text` in the place of [`start`, `end`) of an old text (offsets in code points)."""

    start: int
    end: int
    text: str


def apply_splices(
    text: str, splices: Iterable[Splice], start: int = 0, end: int | None = None
) -> str:
    """The part of `text` from `start` to `end` with all splices applied; insertions at one offset
    keep their order.

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


def longest_rising(origins: Sequence[int | None]) -> set[int]:
    """The origins of a longest subsequence in its old order: these items stay, the others move."""
    tails: list[int] = []
    chosen: list[int] = []
    before: dict[int, int | None] = {}
    for origin in origins:
        if origin is None:
            continue
        place = bisect_left(tails, origin)
        before[origin] = tails[place - 1] if place else None
        if place == len(tails):
            tails.append(origin)
        else:
            tails[place] = origin
    last = tails[-1] if tails else None
    while last is not None:
        chosen.append(last)
        last = before[last]
    return set(chosen)
