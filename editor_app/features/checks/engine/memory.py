"""Results that rules keep from one check to the next, by the identity of the frozen parts that they
were computed from.

An edit leaves most parts of a robot as they are. Rules ask for a result by the parts that it
depends on, and only results of parts that are other objects now are computed again.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from editor_app.core.model.frozen import reuse_parts

Value = TypeVar("Value")
#: Results that were not needed by so many complete checks are dropped: the edit after an undo needs
#: older ones.
KEPT_CHECKS = 2
#: Values that are compared with the next one: an undo returns to the value before.
KEPT_VALUES = 2
#: Large results that are kept: of the shapes as they are compared, and of the robot before.
KEPT_LARGE = 3
_Key = tuple[Hashable, ...]


@dataclass
class _Result:
    #: Held so that the identities in the key are not given to other objects.
    parts: tuple[object, ...]
    value: Any = None
    #: The complete checks before it was last needed.
    check: int = 0
    is_large: bool = False
    #: Results that it was computed from: they are needed as long as it is.
    sources: set[_Key] = field(default_factory=set)


class RuleMemory:
    """Results of the last checks. Not for several threads at once."""

    def __init__(self) -> None:
        self._results: dict[_Key, _Result] = {}
        self._files: object = None
        #: Name -> the last values, the latest first.
        self._shared: dict[str, tuple[Any, ...]] = {}
        self._check = 0
        #: The results that are being computed, the innermost last.
        self._computing: list[_Result] = []

    def __len__(self) -> int:
        return len(self._results)

    def begin(self, files: object) -> None:
        """Begin a check. `files`: state of the mesh files; with another one all results are
        dropped."""
        if self._files != files:
            self._results.clear()
            self._shared.clear()
            self._files = files
        self._computing.clear()

    def end(self) -> None:
        """End a complete check: results that the last ones did not need are dropped."""
        self._results = {
            k: each for k, each in self._results.items() if self._check - each.check < KEPT_CHECKS
        }
        self._check += 1

    def same(self, name: str, value: Value) -> Value:
        """Return the last value of this name that is equal; else an equal value that shares the
        parts of the last."""
        last = self._shared.get(name, ())
        shared = [reuse_parts(value, each) for each in last]
        same: Value = next(
            (one for one, other in zip(shared, last, strict=True) if one is other),
            (shared or [value])[0],
        )
        self._shared[name] = (same, *(each for each in last if each is not same))[:KEPT_VALUES]
        return same

    def recall(
        self,
        name: str,
        parts: tuple[object, ...],
        compute: Callable[[], Value],
        *,
        is_large: bool = False,
    ) -> Value:
        """Return what `compute` returned for the same `parts`: the same objects, or equal texts and
        numbers.

        `is_large`: few of them are kept. Nothing is kept of a `compute` that raises.
        """
        key: _Key = (
            name,
            *(part if isinstance(part, str | float | int) else (id(part),) for part in parts),
        )
        for outer in self._computing[-1:]:
            outer.sources.add(key)
        result = self._results.get(key)
        if result is None:
            result = _Result(parts, is_large=is_large)
            self._computing.append(result)
            try:
                result.value = compute()
            finally:
                self._computing.pop()
            self._results[key] = result
            large = [each for each, other in self._results.items() if other.is_large]
            for each in large[:-KEPT_LARGE]:
                del self._results[each]
        self._need(key)
        return result.value  # type: ignore[no-any-return]

    def drop_large(self) -> None:
        """Drop the large results, which are computed again when they are needed."""
        self._results = {key: each for key, each in self._results.items() if not each.is_large}

    def _need(self, key: _Key) -> None:
        result = self._results.get(key)
        if result is not None and result.check != self._check:
            result.check = self._check
            for source in result.sources:
                self._need(source)
