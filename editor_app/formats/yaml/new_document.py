"""A new YAML document out of values: lists and mappings in blocks, or on one line where `Flow` says so, with comments.

What was read is never written this way: it is patched in its own text (`formats.yaml.splices`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from editor_app.formats.source import FormatError
from editor_app.formats.yaml.plan import Flow, FlowMap
from editor_app.formats.yaml.scalars import format_scalar, format_string
from editor_app.model.findings import Location


@dataclass(frozen=True, slots=True)
class Noted:
    """An entry of a list in a block, with a comment behind it. `note` begins with the spaces before its #."""

    value: str
    note: str


def yaml_text(document: Mapping[str, Any], name: str, blank_before: Iterable[str] = ()) -> str:
    """The text of a document; an empty line stands before the keys `blank_before`.

    Values are mappings, lists, `Flow`, `FlowMap`, `Noted`, texts and numbers; a float is written as the shortest text
    that reads back as the same number. Raises FormatError for a number that is not finite; `name` is its place.
    """
    lines: list[str] = []
    for key, value in document.items():
        lines += [""] if key in blank_before else []
        lines += _lines({key: value}, 0, name)
    return "\n".join(lines or ["{}"]) + "\n"


def _lines(value: Any, column: int, name: str) -> list[str]:
    """A mapping or list that is not empty, as a block whose keys or dashes stand in `column`."""
    pad, lines = " " * column, []
    for key, inner in value.items() if isinstance(value, Mapping) else ((None, item) for item in value):
        if key is not None:
            lead, step = f"{pad}{_key(key)}:", 2
        else:
            # Lists stand two columns deeper than what they are in, also in lists.
            lead, step = f"{pad}-", 4 if isinstance(inner, (list, tuple)) else 2
        if not _is_block(inner):
            lines.append(f"{lead} {_inline(inner, name)}")
            continue
        below = _lines(inner, column + step, name)
        lines += [lead, *below] if key is not None else [lead + below[0][len(lead) :], *below[1:]]
    return lines


def _is_block(value: Any) -> bool:
    return isinstance(value, (Mapping, list, tuple)) and bool(value) and not isinstance(value, (Flow, FlowMap))


def _key(key: object) -> str:
    return format_string(str(key), "")


def _inline(value: Any, name: str) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(key)}: {_inline(inner, name)}" for key, inner in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_inline(inner, name) for inner in value) + "]"
    if isinstance(value, Noted):
        return format_string(value.value) + value.note
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise FormatError("A value is not a finite number", Location(name))
    return format_scalar(value)
