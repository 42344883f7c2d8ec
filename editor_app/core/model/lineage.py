"""The origin of each part of a value, followed from change to change, so that a part keeps its text
and comments.

Two snapshots alone do not say which item of a list is which when one was deleted and its neighbour
edited. From one change to the next there is hardly a doubt: most items are the same objects.
`Lineage.then` chains these steps.
"""

from __future__ import annotations

import operator
from collections import defaultdict, deque
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, Generic, TypeVar

from editor_app.core.model.frozen import FrozenDict

#: A field of a value, an index of a tuple, or a key of a mapping.
Step = str | int
Path = tuple[Step, ...]

T = TypeVar("T")
Value = TypeVar("Value")

#: Fields of a value that hold one entry for each entry of another one of its fields.
_PARALLEL = {"joint_names": ("acceleration_limits", "jerk_limits")}
#: Fields that name an item among others of its list.
_NAMES = ("name", "frame_name", "joint_name")
#: More comparisons than this are not worth it; items are then paired in order.
_MOST_COMPARISONS = 10_000


@dataclass(frozen=True, slots=True)
class Trace:
    """The origin of one part of a new value.

    `origin` is the path of the old part that it is or was edited from; None for a new part.
    `children` holds the traces of the parts below it. A part without a trace comes from the old
    part of the same name; if `is_complete`, it is new.
    """

    origin: Path | None = ()
    children: Mapping[Step, Trace] = field(default_factory=dict)
    is_complete: bool = False

    def child(self, step: Step) -> Trace:
        """The trace of a part directly below."""
        if (trace := self.children.get(step)) is not None:
            return trace
        return NEW if self.origin is None or self.is_complete else Trace((*self.origin, step))

    def at(self, path: Path) -> Trace:
        """The trace of a part further below."""
        trace = self
        for step in path:
            trace = trace.child(step)
        return trace

    def below(self, path: Path) -> Trace:
        """Return the trace of a value that is the part of another one at `path`."""
        children = {step: child.below(path) for step, child in self.children.items()}
        return Trace(
            None if self.origin is None else (*path, *self.origin), children, self.is_complete
        )

    def origins(self) -> Iterator[Path]:
        """The origins of all parts below that have a trace."""
        for child in self.children.values():
            if child.origin is not None:
                yield child.origin
            yield from child.origins()

    @property
    def is_plain(self) -> bool:
        """True if every part below comes from the part of the same name."""
        return not self.children and not self.is_complete

    @property
    def has_moves(self) -> bool:
        """True if a part below comes from another place than the part that it is in."""
        return any(
            (child.origin is not None and child.origin[:-1] != self.origin) or child.has_moves
            for child in self.children.values()
        )

    def steps(self, keys: Sequence[Step] | Mapping[Any, object]) -> list[Step | None]:
        """For each item of a list, or key of a mapping, its index or key in the old one; None for
        an item from elsewhere."""
        origins = (self.child(key).origin for key in keys)
        return [
            None if o is None or self.origin is None or o[:-1] != self.origin else o[-1]
            for o in origins
        ]


#: Of a part that is new, and of a value whose parts are where they were.
NEW, AS_READ = Trace(None), Trace()


def traced_items(items: Sequence[T], trace: Trace, name: Step) -> Iterator[tuple[T, Trace]]:
    """Each item of the list `name` below `trace`, with its own trace."""
    below = trace.child(name)
    return ((item, below.child(index)) for index, item in enumerate(items))


@dataclass(frozen=True, slots=True)
class Lineage(Generic[Value]):
    """The part of `old` that each part of `new` comes from. Both are frozen values."""

    old: Value
    new: Value
    trace: Trace = AS_READ

    @staticmethod
    def between(
        old: Value, new: Value, known_lineage: Lineage[Any] | None = None
    ) -> Lineage[Value]:
        """`known_lineage` if it leads from `old` to `new`, else the one that a comparison of the
        two gives."""
        if known_lineage is not None and known_lineage.old is old and known_lineage.new is new:
            return known_lineage
        return Lineage(old, old).then(new)

    def then(self, new: Value) -> Lineage[Value]:
        """The lineage of the value that a further change makes of `new`."""
        if new is self.new:
            return self
        return Lineage(self.old, new, _composed(self.trace, _Comparison().trace_of(self.new, new)))

    def settled(self) -> Trace:
        """The trace by which a text is edited: an item that was removed, and added again, is the
        old one."""
        taken = set(self.trace.origins())
        return _settled(self.trace, self.old, self.new, taken)


def _composed(first: Trace, second: Trace) -> Trace:
    """The trace over two changes. `second` leads to the value in between, `first` from there to the
    oldest."""
    base = NEW if second.origin is None else first.at(second.origin)
    if second.is_plain:
        return base
    children = {step: _composed(first, child) for step, child in second.children.items()}
    if second.is_complete:
        return Trace(base.origin, children, True)
    return Trace(base.origin, {**base.children, **children}, base.is_complete)


def _settled(trace: Trace, root: object, new: Any, taken: set[Path]) -> Trace:
    """`root`: the whole of the old value. `taken`: paths of old parts that new parts come from."""
    if trace.is_plain:
        return trace
    inner = dict(_steps(new))
    children = {
        step: _settled(child, root, inner[step], taken) for step, child in trace.children.items()
    }
    if trace.is_complete and trace.origin is not None:
        free: dict[Hashable, deque[tuple[Step, Any]]] = defaultdict(deque)
        for step, part in _steps(_part_at(root, trace.origin)):
            if (*trace.origin, step) not in taken:
                free[part if isinstance(new, tuple) else step].append((step, part))
        for step, part in inner.items() if free else ():
            if trace.child(step).origin is None and (
                same := free.get(part if isinstance(new, tuple) else step)
            ):
                old_step, old_part = same.popleft()
                path = (*trace.origin, old_step)
                taken.add(path)
                children[step] = _Comparison().trace_of(old_part, part).below(path)
    return Trace(trace.origin, children, trace.is_complete)


def _steps(value: object) -> Collection[tuple[Step, Any]]:
    if isinstance(value, tuple):
        return tuple(enumerate(value))
    if isinstance(value, FrozenDict):
        return value.items()
    return (
        [(each.name, getattr(value, each.name)) for each in fields(value)]
        if is_dataclass(value)
        else ()
    )


def _part_at(value: Any, path: Path) -> Any:
    for step in path:
        value = (
            getattr(value, step) if is_dataclass(value) and isinstance(step, str) else value[step]
        )
    return value


class _Comparison:
    """Compares the values before and after one change."""

    def __init__(self) -> None:
        self._gone: list[tuple[Path, Any]] = []
        #: The traces that an added item is one of, its place among them, and the item.
        self._added: list[tuple[dict[Step, Trace], Step, Any]] = []

    def trace_of(self, old: object, new: object) -> Trace:
        trace = self._trace((), old, new) or AS_READ
        self._follow_moves()
        return trace

    def _trace(self, path: Path, old: Any, new: Any) -> Trace | None:
        """None where every part comes from the part of the same name."""
        if old is new:
            return None
        if isinstance(old, tuple) and isinstance(new, tuple):
            return self._list(path, old, new)
        if isinstance(old, FrozenDict) and isinstance(new, FrozenDict):
            return self._mapping(path, old, new)
        if is_dataclass(old) and type(old) is type(new):
            return self._fields(path, old, new)
        self._lose(path, old)
        # Without parts of its own it still ends what an earlier change said about the parts of the
        # old one.
        return self._gained(new, path) if _steps(old) or _steps(new) else None

    def _list(self, path: Path, old: tuple[Any, ...], new: tuple[Any, ...]) -> Trace | None:
        if len(old) == len(new):
            if _are_numbers(old) and _are_numbers(new):
                return None
            changed = [index for index, item in enumerate(new) if item is not old[index]]
            if len(changed) == 1:
                return self._in_place(path, old, new, changed)
        return self._paired(path, dict(enumerate(old)), dict(enumerate(new)), _aligned(old, new))

    def _mapping(
        self, path: Path, old: FrozenDict[Any, Any], new: FrozenDict[Any, Any]
    ) -> Trace | None:
        if old.keys() == new.keys():
            changed = [key for key, item in new.items() if item is not old[key]]
            if not _exchanged(old, new, changed):
                return self._in_place(path, old, new, changed)
        renamed = _renamed(old, new)
        return self._paired(
            path, old, new, [renamed.get(key, key if key in old else None) for key in new]
        )

    def _fields(self, path: Path, old: Any, new: Any) -> Trace | None:
        children: dict[Step, Trace] = {}
        for name in (each.name for each in fields(old)):
            if name in children:
                continue
            before, after = getattr(old, name), getattr(new, name)
            if (trace := self._trace((*path, name), before, after)) is not None:
                children[name] = trace
            for other in _PARALLEL.get(name, ()):
                was, shall = getattr(old, other, None), getattr(new, other, None)
                if trace is None or not (was and shall and before and after):
                    continue
                if (len(was), len(shall)) == (len(before), len(after)):
                    steps = enumerate(trace.steps(range(len(after))))
                    moved: dict[Step, Trace] = {
                        index: Trace((*path, other, step))
                        for index, step in steps
                        if step is not None
                    }
                    children[other] = Trace((*path, other), moved, True)
        return Trace(path, children) if children else None

    def _in_place(self, path: Path, old: Any, new: Any, changed: Sequence[Any]) -> Trace | None:
        """The trace of a list or mapping of which these items alone changed, where they are."""
        traces = {step: self._trace((*path, step), old[step], new[step]) for step in changed}
        children = {step: trace for step, trace in traces.items() if trace is not None}
        return Trace(path, children) if children else None

    def _paired(
        self,
        path: Path,
        old: Mapping[Any, Any],
        new: Mapping[Any, Any],
        origins: Sequence[Step | None],
    ) -> Trace | None:
        """The trace of a list or mapping whose items come from these items of the old one."""
        children: dict[Step, Trace] = {}
        is_complete = len(old) != len(new) or any(a != b for a, b in zip(new, origins, strict=True))
        for (key, item), origin in zip(new.items(), origins, strict=True):
            if origin is None:
                children[key] = self._gained(item)
                self._added.append((children, key, item))
            elif (
                trace := self._trace((*path, origin), old[origin], item)
            ) is not None or is_complete:
                children[key] = trace or Trace((*path, origin))
        if is_complete:
            kept = set(origins)
            for key, item in old.items():
                if key not in kept:
                    self._lose((*path, key), item)
        return Trace(path, children, is_complete) if children or is_complete else None

    def _gained(self, value: object, path: Path | None = None) -> Trace:
        """The trace of a new value. Items in it may come from elsewhere."""
        children: dict[Step, Trace] = {}
        for step, part in _parts(value):
            children[step] = self._gained(part)
            self._added.append((children, step, part))
        return Trace(path, children, True)

    def _lose(self, path: Path, value: object) -> None:
        self._gone.append((path, value))
        for step, part in _parts(value):
            self._lose((*path, step), part)

    def _follow_moves(self) -> None:
        """Items that were removed at one place and added at another moved there."""
        gone = {path: item for path, item in self._gone if is_dataclass(item)}
        added = [each for each in self._added if is_dataclass(each[2])]
        for same in (id, _value_key, _shape_key):
            paths: dict[Hashable, deque[Path]] = defaultdict(deque)
            for path, item in gone.items() if added else ():
                paths[same(item)].append(path)
            waiting, added = added, []
            for children, step, item in waiting:
                if candidates := paths.get(same(item)):
                    path = candidates.popleft()
                    children[step] = self._trace(path, gone.pop(path), item) or Trace(path)
                else:
                    added.append((children, step, item))


def _value_key(item: Any) -> Hashable:
    return type(item), item


def _shape_key(item: Any) -> Hashable:
    """Of a shape that moved to another link, the geometry stays the same object, and its place
    changes."""
    return type(item), id(getattr(item, "geometry", item))


def _parts(value: object) -> list[tuple[Step, object]]:
    """The parts of a value that may come from elsewhere, or hold such parts."""
    if isinstance(value, tuple):
        return [] if _are_numbers(value) else list(enumerate(value))
    if isinstance(value, FrozenDict):
        return list(value.items())
    if is_dataclass(value):
        parts = ((each.name, getattr(value, each.name)) for each in fields(value))
        return [
            (name, part) for name, part in parts if isinstance(part, (tuple, FrozenDict)) and part
        ]
    return []


def _are_numbers(items: Sequence[object]) -> bool:
    """Whether it is a vector, whose numbers have places and no identity."""
    return all(isinstance(item, (int, float)) for item in items)


# -- lists


def _aligned(old: Sequence[Any], new: Sequence[Any]) -> list[Step | None]:
    """For each new item the index of the old one that it is, or was edited from; None for one that
    is added.

    The same object first (in a list of numbers an equal number), then an equal one, then one of the
    same name. What is left between two items that stayed is paired in order where the numbers
    agree, else by likeness.
    """
    origins: list[int | None] = [None] * len(new)
    start, tail = 0, 0
    is_same = operator.eq if _are_numbers(old) and _are_numbers(new) else operator.is_
    while start < min(len(old), len(new)) and is_same(old[start], new[start]):
        origins[start] = start
        start += 1
    while tail < min(len(old), len(new)) - start and is_same(old[-1 - tail], new[-1 - tail]):
        tail += 1
        origins[-tail] = len(old) - tail
    free = set(range(start, len(old) - tail))
    keys: tuple[Callable[[Any], Hashable], ...] = (id, lambda item: item, _name)
    for key in keys:
        places = [place for place, origin in enumerate(origins) if origin is None]
        if not free or not places:
            break
        by_key: dict[Hashable, deque[int]] = defaultdict(deque)
        for index in sorted(free):
            by_key[key(old[index])].append(index)
        by_key.pop(None, None)
        for place in places:
            if candidates := by_key.get(key(new[place])):
                origins[place] = candidates.popleft()
                free.discard(origins[place])
    _pair_rest(old, new, origins, free)
    return list(origins)


def _name(item: Any) -> Hashable:
    """None for an item without a name."""
    return next(((type(item), name) for key in _NAMES if (name := getattr(item, key, None))), None)


def _pair_rest(
    old: Sequence[Any], new: Sequence[Any], origins: list[int | None], free: set[int]
) -> None:
    """Pairs items that were edited with each other, each run of them between two items that
    stayed."""
    place, previous = 0, -1
    while place < len(new) and free:
        end = place
        while end < len(new) and origins[end] is None:
            end += 1
        if end > place:
            following = origins[end] if end < len(new) else None
            limit = following if following is not None and following > previous else len(old)
            between = [index for index in range(previous + 1, limit) if index in free]
            for slot, index in _pairs(old, new, list(range(place, end)), between):
                origins[slot] = index
                free.discard(index)
        if end < len(new):
            previous = max(previous, origins[end] or 0)
        place = end + 1


def _pairs(
    old: Sequence[Any], new: Sequence[Any], added: list[int], free: list[int]
) -> list[tuple[int, int]]:
    """(new, old) of edited items."""
    is_named = any(isinstance(new[slot], str) for slot in added)
    if len(free) == len(added) or is_named or len(free) * len(added) > _MOST_COMPARISONS:
        return list(zip(added, free, strict=False))
    pairs = []
    for slot in added:
        best, place = max(
            ((_likeness(old[index], new[slot]), -index) for index in free), default=(0, 0)
        )
        if best > 0:
            pairs.append((slot, -place))
            free = [index for index in free if index > -place]
    return pairs


def _likeness(a: Any, b: Any) -> int:
    """The number of equal values in two items."""
    if type(a) is not type(b):
        return 0
    if is_dataclass(a):
        return sum(_likeness(getattr(a, each.name), getattr(b, each.name)) for each in fields(a))
    if isinstance(a, tuple):
        return sum(map(_likeness, a, b)) + (1 if a == b else 0)
    return 1 if a is not None and a == b else 0


# -- mappings


def _renamed(old: FrozenDict[Any, Any], new: FrozenDict[Any, Any]) -> dict[Any, Any]:
    """New key -> old key: in the same place with a value like it, or with the same object."""
    renamed = _exchanged(
        old, new, [key for key, value in new.items() if key in old and old[key] is not value]
    )
    gone = _behind(old, new)
    added = _behind(new, old)
    for strength in (2, 1):
        for key, anchor in added.items():
            value = new[key]
            for candidate, place in gone.items():
                is_same_object = (
                    old[candidate] is value
                    and isinstance(value, (tuple, FrozenDict))
                    and len(value) > 0
                )
                if key not in renamed and (
                    is_same_object
                    or (place == anchor and _relation(old[candidate], value) >= strength)
                ):
                    renamed[key] = candidate
                    del gone[candidate]
                    break
    return renamed


def _exchanged(
    old: FrozenDict[Any, Any], new: FrozenDict[Any, Any], changed: Sequence[Any]
) -> dict[Any, Any]:
    """New key -> old key, for the `changed` keys that exchanged their values."""
    by_value = {
        id(old[key]): key
        for key in changed
        if isinstance(old[key], (tuple, FrozenDict)) and old[key]
    }
    exchanged = {key: by_value[id(new[key])] for key in changed if id(new[key]) in by_value}
    return exchanged if set(exchanged) == set(exchanged.values()) else {}


def _relation(old: object, new: object) -> int:
    """2: the same or sharing something, 1: one of them is empty, 0: nothing in common."""
    if isinstance(old, tuple) and isinstance(new, tuple):
        return 2 if old == new or not set(old).isdisjoint(new) else 0
    if isinstance(old, FrozenDict) and isinstance(new, FrozenDict):
        if old == new or any(key in new and new[key] == value for key, value in old.items()):
            return 2
        return 0 if old and new else 1
    return 2 if old == new else 0


def _behind(keys: FrozenDict[Any, Any], other: FrozenDict[Any, Any]) -> dict[Any, Any]:
    """Each key that `other` does not have -> the nearest key before it that both have."""
    anchors: dict[Any, Any] = {}
    anchor: Any = None
    for key in keys:
        if key in other:
            anchor = key
        else:
            anchors[key] = anchor
    return anchors
