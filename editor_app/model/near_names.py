"""The name that was probably meant by one that is misspelt."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import SequenceMatcher

_WORDS = re.compile(r"[^\W_]+")


def nearest(name: str, candidates: Iterable[str], cutoff: float = 0.6) -> str | None:
    """The candidate that looks most like `name`; None when none does, or several do equally.

    Names are compared without the words that both begin and end with: `left_finger_link` is no slip of the pen for
    `right_finger_link`, however much they share. `cutoff` is the least likeness, difflib's ratio from 0 to 1, of the
    rest and of the whole.
    """
    names = list(dict.fromkeys(candidates))
    folded = {candidate.casefold(): candidate for candidate in names}
    wanted = name.casefold()
    if wanted in folded:
        return folded[wanted]
    # SequenceMatcher prepares its second text, which is the same for all.
    whole = SequenceMatcher(b=wanted)
    scores: list[tuple[float, str]] = []
    for other, candidate in folded.items():
        whole.set_seq1(other)
        if whole.real_quick_ratio() < cutoff or whole.quick_ratio() < cutoff:
            continue
        likeness = whole.ratio()
        left, right = _where_they_differ(other, wanted)
        # A word that one of them leaves out is a short name for the same.
        short = not left or not right
        if likeness >= cutoff and (short or SequenceMatcher(None, left, right).ratio() >= cutoff):
            scores.append((likeness, candidate))
    scores.sort(reverse=True)
    if not scores or (len(scores) > 1 and scores[0][0] == scores[1][0]):
        return None
    return scores[0][1]


def _where_they_differ(one: str, other: str) -> tuple[str, str]:
    words, others = _WORDS.findall(one), _WORDS.findall(other)
    while words and others and words[0] == others[0]:
        del words[0], others[0]
    while words and others and words[-1] == others[-1]:
        del words[-1], others[-1]
    return "_".join(words), "_".join(others)
