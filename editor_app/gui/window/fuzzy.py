"""Fuzzy search: the letters typed, in order, somewhere in the text; the better they sit, the higher the score."""

from __future__ import annotations

import re
from dataclasses import dataclass

_SEPARATORS = " _-./:"
_WORDS = re.compile(r"[^\W_]+")
#: What is added where every word of the query stands in the text as a whole word.
WHOLE_WORDS = 20.0


@dataclass(frozen=True, slots=True)
class Match:
    """`positions` are the indices of the matched letters in the text."""

    score: float
    positions: tuple[int, ...]


def match(query: str, text: str) -> Match | None:
    """How well `query` fits `text`, case-insensitive, its words in any order; None when it does not."""
    words = query.lower().split()
    if not words:
        return Match(0.0, ())
    score, positions = 0.0, set[int]()
    for word in words:
        hit = _word(word, text)
        if hit is None:
            return None
        score += hit.score
        positions.update(hit.positions)
    # Of equally good ones the shorter text is meant.
    return Match(score - 0.02 * len(text), tuple(sorted(positions)))


def has_words(query: str, text: str) -> bool:
    """Whether every word of the query is a whole word of the text."""
    words = query.lower().split()
    return bool(words) and set(words) <= set(_WORDS.findall(text.lower()))


def _word(word: str, text: str) -> Match | None:
    lowered = text.lower()
    best: Match | None = None
    start = lowered.find(word)
    while start >= 0:
        score = 12.0 + 3.0 * len(word) + (8.0 if _begins_word(text, start) else 0.0) + (4.0 if start == 0 else 0.0)
        if best is None or score > best.score:
            best = Match(score, tuple(range(start, start + len(word))))
        start = lowered.find(word, start + 1)
    return best or _scattered(word, text, lowered)


def _scattered(word: str, text: str, lowered: str) -> Match | None:
    """Letters apart from each other: initials of words count most, gaps cost."""
    # best[j] = (score, positions) of the letters so far, the last of them at j
    layer: dict[int, tuple[float, tuple[int, ...]]] = {}
    for i, letter in enumerate(word):
        following: dict[int, tuple[float, tuple[int, ...]]] = {}
        for j, candidate in enumerate(lowered):
            if candidate != letter:
                continue
            worth = 4.0 if _begins_word(text, j) else 1.0
            if i == 0:
                following[j] = (worth, (j,))
                continue
            ends = [
                (score + (2.0 if k == j - 1 else -0.15 * min(j - k, 10)), places)
                for k, (score, places) in layer.items()
                if k < j
            ]
            if ends:
                score, places = max(ends)
                following[j] = (score + worth, (*places, j))
        layer = following
        if not layer:
            return None
    score, positions = max(layer.values())
    # Letters strewn over a text by chance are noise, not a match.
    return Match(score, positions) if score >= 1.5 * len(word) else None


def _begins_word(text: str, index: int) -> bool:
    if index == 0 or text[index - 1] in _SEPARATORS:
        return True
    return (text[index].isupper() and text[index - 1].islower()) or (
        text[index].isdigit() and not text[index - 1].isdigit()
    )
