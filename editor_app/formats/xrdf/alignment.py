"""Which item of an old list each item of a new one comes from."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from typing import TypeVar

from editor_app.model.frozen import FrozenDict

T = TypeVar("T")
#: More comparisons than this are not worth it; items are then paired in order.
_MANY = 10_000


def alignment(old: Sequence[T], new: Sequence[T], likeness: Callable[[T, T], int]) -> list[int | None]:
    """For each new item the index of the old one that it is, or was edited from; None for one that is added.

    Unchanged ends first, then the same object anywhere, then an equal one; what is left between two items that
    stayed is paired in order, by `likeness` (0: nothing in common) when the numbers differ.
    """
    start = 0
    while start < len(old) and start < len(new) and _same(old[start], new[start]):
        start += 1
    stop_old, stop_new = len(old), len(new)
    while stop_old > start and stop_new > start and _same(old[stop_old - 1], new[stop_new - 1]):
        stop_old -= 1
        stop_new -= 1
    aligned: list[int | None] = [None] * len(new)
    aligned[:start] = range(start)
    aligned[stop_new:] = range(stop_old, len(old))
    _match(old, new, range(start, stop_old), range(start, stop_new), aligned)
    _pair(old, new, start, stop_old, start, stop_new, aligned, likeness)
    return aligned


def _same(a: object, b: object) -> bool:
    return a is b or a == b


def _match(old: Sequence[T], new: Sequence[T], olds: range, news: range, aligned: list[int | None]) -> None:
    free: set[int] = set(olds)
    by_identity: dict[int, deque[int]] = defaultdict(deque)
    by_value: dict[T, deque[int]] = defaultdict(deque)
    for index in olds:
        by_identity[id(old[index])].append(index)
        by_value[old[index]].append(index)
    for exactly in (True, False):
        for place in news:
            if aligned[place] is not None:
                continue
            item = new[place]
            candidates = by_identity.get(id(item)) if exactly else by_value.get(item)
            while candidates:
                index = candidates.popleft()
                if index in free:
                    free.discard(index)
                    aligned[place] = index
                    break


def _pair(
    old: Sequence[T],
    new: Sequence[T],
    low_old: int,
    high_old: int,
    low_new: int,
    high_new: int,
    aligned: list[int | None],
    likeness: Callable[[T, T], int],
) -> None:
    taken = {index for index in aligned if index is not None}
    previous, place = low_old - 1, low_new
    while place < high_new:
        if aligned[place] is not None:
            previous = max(previous, aligned[place] or 0)
            place += 1
            continue
        end = place
        while end < high_new and aligned[end] is None:
            end += 1
        following = aligned[end] if end < high_new else high_old
        limit = following if following is not None and following > previous else high_old
        free = [index for index in range(previous + 1, limit) if index not in taken]
        for slot, index in _pairs(old, new, list(range(place, end)), free, likeness):
            aligned[slot] = index
            taken.add(index)
        place = end


def _pairs(
    old: Sequence[T], new: Sequence[T], added: list[int], free: list[int], likeness: Callable[[T, T], int]
) -> list[tuple[int, int]]:
    """(new, old) of items that were edited: in order, and where their numbers differ, by likeness."""
    if len(free) == len(added) or len(free) * len(added) > _MANY:
        return list(zip(added, free, strict=False))
    pairs = []
    for slot in added:
        best, place = max(((likeness(old[index], new[slot]), -index) for index in free), default=(0, 0))
        if best > 0:
            pairs.append((slot, -place))
            free = [index for index in free if index > -place]
    return pairs or list(zip(added, free, strict=False))


def _relation(old: object, new: object) -> int:
    """2: the same or sharing something, 1: one of them is empty, 0: nothing in common."""
    if isinstance(old, tuple) and isinstance(new, tuple):
        return 2 if old == new or not set(old).isdisjoint(new) else 0
    if isinstance(old, FrozenDict) and isinstance(new, FrozenDict):
        if old == new or any(key in new and new[key] == value for key, value in old.items()):
            return 2
        return 0 if old and new else 1
    return 2 if old == new else 0


def renames(old: FrozenDict[str, T], new: FrozenDict[str, T]) -> dict[str, str]:
    """New key -> old key, for keys that look renamed: in the same place with a value like it, or the same object."""
    if old is new:
        return {}
    gone = _behind(old, new)
    added = _behind(new, old)
    new_names: dict[str, str] = {}
    for strength in (2, 1):
        for key, anchor in added.items():
            value = new[key]
            for candidate, place in gone.items():
                same_object = old[candidate] is value and isinstance(value, (tuple, FrozenDict)) and len(value) > 0
                if key not in new_names and (
                    same_object or (place == anchor and _relation(old[candidate], value) >= strength)
                ):
                    new_names[key] = candidate
                    del gone[candidate]
                    break
    return new_names


def _behind(keys: FrozenDict[str, T], other: FrozenDict[str, T]) -> dict[str, str | None]:
    """Each key that `other` does not have -> the nearest key before it that both have."""
    anchors: dict[str, str | None] = {}
    anchor: str | None = None
    for key in keys:
        if key in other:
            anchor = key
        else:
            anchors[key] = anchor
    return anchors
