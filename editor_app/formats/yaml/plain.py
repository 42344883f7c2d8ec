"""Plain values of YAML and JSON: numbers as readers of YAML 1.1 mean them, lists of numbers and of names."""

from __future__ import annotations

import json
import math
from typing import Any

from editor_app.formats.source import FormatError, SourceText
from editor_app.formats.yaml.compose import compose
from editor_app.formats.yaml.regular import regular_value
from editor_app.formats.yaml.scalars import to_value


def load_plain(source: SourceText) -> Any:
    """The value of a YAML or JSON file. Raises FormatError with the place."""
    if source.text.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(source.text)
        except (json.JSONDecodeError, RecursionError):
            # Flow YAML begins like JSON; if it is neither, the YAML reader knows the place.
            pass
    value = regular_value(source.text)
    if value is not None:
        return value
    tree = compose(source)
    return None if tree.root is None else to_value(tree.root)


def number(value: object) -> float | None:
    """A finite number, also one that YAML 1.1 takes for text (`1e-4`)."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    if isinstance(value, (int, float)):
        try:
            finite = float(value)
        except OverflowError:
            return None
        return finite if math.isfinite(finite) else None
    return None


def numbers(value: object, count: int | None = None) -> tuple[float, ...] | None:
    """A list of finite numbers, of that length if one is given."""
    if not isinstance(value, list):
        return None
    floats = [number(v) for v in value]
    if None in floats or (count is not None and len(floats) != count):
        return None
    return tuple(v for v in floats if v is not None)


def names(value: object) -> tuple[str, ...] | None:
    """A list of texts; None when it is none."""
    if not isinstance(value, list):
        return None
    return tuple(str(v) for v in value if isinstance(v, (str, int)) and not isinstance(v, bool))


def fail(source: SourceText, message: str, remedy: str | None = None) -> FormatError:
    return FormatError(message, source.location(0), remedy)
