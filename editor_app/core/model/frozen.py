"""An immutable, insertion-ordered mapping: the dict of the frozen model; functions that remember
what they made of frozen values; the parts that two equal values share; and one line for a value
that holds much."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import (
    Callable,
    Collection,
    ItemsView,
    Iterable,
    Iterator,
    KeysView,
    Mapping,
    ValuesView,
)
from functools import wraps
from operator import is_
from typing import Any, TypeVar, TypeVarTuple

K = TypeVar("K")
V = TypeVar("V")
Arguments = TypeVarTuple("Arguments")


class FrozenDict(Mapping[K, V]):
    """A mapping that cannot change. `set`, `without` and `renamed` give copies that share the
    values.

    Two mappings are equal as two `dict`s are: order does not count. Iteration follows insertion. A
    mapping can be pickled for a worker process. It can be hashed when its values can, and so can be
    the key of a cache.
    """

    __slots__ = ("_data", "_hash")

    def __init__(self, items: Mapping[K, V] | Iterable[tuple[K, V]] = ()) -> None:
        self._data: dict[K, V] = dict(items)
        self._hash: int | None = None

    def __getitem__(self, key: K) -> V:
        return self._data[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def __contains__(self, key: object) -> bool:
        return key in self._data

    # The views of the dict: the views of Mapping call `__iter__` and `__getitem__` for each entry.
    def keys(self) -> KeysView[K]:
        return self._data.keys()

    def values(self) -> ValuesView[V]:
        return self._data.values()

    def items(self) -> ItemsView[K, V]:
        return self._data.items()

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if isinstance(other, FrozenDict):
            return self._data == other._data
        return self._data == other

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self._data.items()))
        return self._hash

    def __repr__(self) -> str:
        return f"FrozenDict({self._data!r})"

    def __reduce__(self) -> tuple[type[FrozenDict[Any, Any]], tuple[dict[K, V]]]:
        return FrozenDict, (self._data,)

    def set(self, key: K, value: V) -> FrozenDict[K, V]:
        """A copy in which `key` has `value`. A new key comes last; an old one keeps its place."""
        data = dict(self._data)
        data[key] = value
        return FrozenDict(data)

    def without(self, *keys: K) -> FrozenDict[K, V]:
        """A copy without `keys`. Missing keys are ignored."""
        return FrozenDict({k: v for k, v in self._data.items() if k not in keys})

    def renamed(self, old: K, new: K) -> FrozenDict[K, V]:
        """A copy in which the key `old` has the name `new`, in the same place.

        Raises KeyError if `old` is missing, ValueError if `new` is taken by another entry.
        """
        if old not in self._data:
            raise KeyError(old)
        if new != old and new in self._data:
            raise ValueError(f"{new!r} is already in use")
        return FrozenDict({(new if k == old else k): v for k, v in self._data.items()})


def remembers(count: int) -> Callable[[Callable[[*Arguments], V]], Callable[[*Arguments], V]]:
    """Decorator: the last `count` results are kept for the same arguments, compared by `is`.

    Frozen values that are equal are mostly one object, and hashing 2,000 spheres would cost more
    than it saves. Threads may call it; two of them that ask at once may both compute.
    """

    def decorated(compute: Callable[[*Arguments], V]) -> Callable[[*Arguments], V]:
        kept: tuple[tuple[tuple[*Arguments], V], ...] = ()

        @wraps(compute)
        def remembered(*arguments: *Arguments) -> V:
            nonlocal kept
            entries = kept
            entry = next((each for each in entries if all(map(is_, each[0], arguments))), None)
            if entry is None:
                entry = arguments, compute(*arguments)
            if not entries or entry is not entries[0]:
                kept = (entry, *(each for each in entries if each is not entry))[:count]
            return entry[1]

        return remembered

    return decorated


def reuse_parts(value: Any, old: Any) -> Any:
    """Return a value equal to `value` that has the objects of `old` wherever these are equal.

    Parts of a tuple are compared by their names where all have one, else by their places: what is
    inserted or deleted leaves the others as they are. Values keep their types and the sign of a
    zero.
    """
    if value is old or type(value) is not type(old):
        return value
    result: Any
    if isinstance(value, FrozenDict):
        items = {key: reuse_parts(part, old.get(key)) for key, part in value.items()}
        result = FrozenDict(items)
        is_old = list(items) == list(old) and all(map(is_, items.values(), old.values()))
    elif type(value) is tuple:
        before = _by_name(value, old)
        result = tuple(reuse_parts(part, before(i, part)) for i, part in enumerate(value))
        is_old = len(value) == len(old) and all(map(is_, result, old))
    elif dataclasses.is_dataclass(value):
        names = [field.name for field in dataclasses.fields(value)]
        parts = {name: reuse_parts(getattr(value, name), getattr(old, name)) for name in names}
        is_old = all(part is getattr(old, name) for name, part in parts.items())
        if not is_old:
            result = copy.copy(value)
            for name, part in parts.items():
                object.__setattr__(result, name, part)
    else:
        result, is_old = value, value == old and repr(value) == repr(old)
    return old if is_old else result


def _by_name(parts: tuple[Any, ...], old: tuple[Any, ...]) -> Callable[[int, Any], Any]:
    """Return a function from the place of a part, and the part, to the part of `old` that it is
    compared with."""
    names = [getattr(part, "name", None) for part in old]
    if None in names or len(set(names)) < len(names):
        return lambda i, _: old[i] if i < len(old) else None
    by_name = dict(zip(names, old, strict=True))
    return lambda _, part: by_name.get(getattr(part, "name", None))


_LONGEST = 60
_FIELDS = 12


def brief(value: Any) -> str:
    """`Name(field=…, …)` of a dataclass: numbers and short texts as they are, of all else how many
    there are.

    Stands in the class as its `__repr__`.
    """
    names = [field.name for field in dataclasses.fields(value) if not field.name.startswith("_")]
    shown = [f"{name}={_shown(getattr(value, name))}" for name in names[:_FIELDS]]
    return f"{type(value).__name__}({', '.join(shown + ['…'] * (len(names) > _FIELDS))})"


def _shown(value: Any) -> str:
    if value is None or isinstance(value, bool | int | float | str):
        text = repr(value)
        return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple):
        return f"<array {' × '.join(map(str, shape))}>"
    if isinstance(value, Collection):
        return f"<{len(value)}>"
    return f"<{type(value).__name__}>"
