"""Names beside other names: the one that was probably meant by a misspelt one, and one that is
free."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Container, Iterable
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import chain, count

from editor_app.core.model.counting import format_list

_WORDS = re.compile(r"[^\W_]+")
_LETTERS = re.compile(r"[^\W\d_]+")
_DIGITS = re.compile(r"\d+")
#: Names that a sentence lists.
_LISTED = 20


def find_free_name(wish: str, taken: Container[str]) -> str:
    """`wish`, or `wish_2`, `wish_3`, … when it is taken."""
    names = chain((wish,), (f"{wish}_{number}" for number in count(2)))
    return next(name for name in names if name not in taken)


def whether_meant(name: str, candidates: Iterable[str]) -> str:
    """The end of a sentence about a name that does not exist: the name that may be meant, or the
    full stop."""
    near = nearest(name, candidates)
    return "." if near is None else f"; did you mean {near!r}?"


def nearest(name: str, candidates: Iterable[str], cutoff: float = 0.6) -> str | None:
    """The candidate that looks most like `name`; None when none does, or several do equally.

    Names are compared without the words that both begin and end with: `left_finger_link` is no slip
    of the pen for `right_finger_link`, however much they share. `cutoff` is the least likeness,
    difflib's ratio from 0 to 1, of the rest and of the whole.
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
        left, right = _difference(_WORDS.findall(other), _WORDS.findall(wanted))
        # A word that one of them leaves out is a short name for the same.
        short = not left or not right
        if likeness >= cutoff and (short or SequenceMatcher(None, left, right).ratio() >= cutoff):
            scores.append((likeness, candidate))
    return _likest(scores)


def refuse_name(kind: str, name: str, candidates: Iterable[str]) -> str:
    """A sentence without a full stop that refuses a name: the nearest one, and those that exist.

    `kind`: what is named, in the singular ("link").
    """
    names = list(dict.fromkeys(candidates))
    present = (
        f"the {kind}s are: {format_list(names, _LISTED)}" if names else f"the robot has no {kind}s"
    )
    return f"no {kind} {name!r}{hint(name, names)}; {present}"


def hint(name: str, candidates: Iterable[str]) -> str:
    """The end of a sentence that refuses a name: "; the nearest name is …", or nothing."""
    near = nearest(name, candidates)
    return "" if near is None else f"; the nearest name is {near}"


def shared_prefix(
    names: Collection[str], candidates: Collection[str], least: int = 3
) -> tuple[str, str] | None:
    """(old prefix, new prefix), one of them empty, that makes candidates of most of the names, and
    of `least`."""
    counts = Counter(
        (name[: -len(candidate)], "")
        if len(name) > len(candidate)
        else ("", candidate[: -len(name)])
        for name in names
        for candidate in candidates
        if name
        and candidate
        and name != candidate
        and (name.endswith(candidate) or candidate.endswith(name))
    )
    best = counts.most_common(1)
    return best[0][0] if best and best[0][1] >= max(least, len(names) / 2) else None


def mapped_names(
    names: Collection[str], candidates: Collection[str]
) -> tuple[tuple[str, str], ...]:
    """(name, candidate) of names that lack a prefix, or have one too many, else of names that
    `paired` finds."""
    prefix = shared_prefix(names, candidates)
    if prefix is None:
        return paired(frozenset(names), frozenset(candidates))
    old, new = prefix
    pairs = ((name, new + name.removeprefix(old)) for name in names if name.startswith(old))
    return tuple(sorted((name, other) for name, other in pairs if other in candidates))


@lru_cache(maxsize=4)
def paired(
    names: frozenset[str], candidates: frozenset[str], cutoff: float = 0.5
) -> tuple[tuple[str, str], ...]:
    """(name, candidate) of names that another program or file spells otherwise, such as link_1 and
    panda_link1.

    Both end with the same numbers, and each is the other's likest, by `cutoff` at least: difflib's
    ratio from 0 to 1 of their words, and of the words in which they differ.
    """
    forward: dict[str, list[tuple[float, str]]] = {}
    backward: dict[str, list[tuple[float, str]]] = {}
    spelt = {candidate: _LETTERS.findall(candidate.casefold()) for candidate in candidates}
    for wanted in names:
        words = _LETTERS.findall(wanted.casefold())
        for candidate, others in spelt.items():
            # The last numbers of both are the same: ur10e_wrist_1 and wrist_01, or a name without a
            # number.
            numbers = zip(
                reversed(_DIGITS.findall(wanted)),
                reversed(_DIGITS.findall(candidate)),
                strict=False,
            )
            if any(int(one) != int(other) for one, other in numbers):
                continue
            left, right = _difference(words, others)
            likeness = SequenceMatcher(None, "".join(words), "".join(others)).ratio()
            if likeness >= cutoff and (
                not left or not right or SequenceMatcher(None, left, right).ratio() >= cutoff
            ):
                forward.setdefault(wanted, []).append((likeness, candidate))
                backward.setdefault(candidate, []).append((likeness, wanted))
    likest = {
        name: best for name, scores in forward.items() if (best := _likest(scores)) is not None
    }
    return tuple(sorted(pair for pair in likest.items() if _likest(backward[pair[1]]) == pair[0]))


def _likest(scores: list[tuple[float, str]]) -> str | None:
    """The name with the highest score, None where several have it."""
    best = sorted(scores, reverse=True)[:2]
    return None if not best or (len(best) > 1 and best[0][0] == best[1][0]) else best[0][1]


def _difference(one: list[str], other: list[str]) -> tuple[str, str]:
    words, others = [*one], [*other]
    while words and others and words[0] == others[0]:
        del words[0], others[0]
    while words and others and words[-1] == others[-1]:
        del words[-1], others[-1]
    return "_".join(words), "_".join(others)
