"""One line for a value that holds much: what Python shows of the results of verbs."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection
from typing import Any

_LONGEST = 60
_FIELDS = 12


def brief(value: Any) -> str:
    """`Name(field=…, …)` of a dataclass: numbers and short texts as they are, of all else how many there are.

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
