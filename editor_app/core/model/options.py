"""Options of settings: help, unit and limits, declared once at the field of the frozen dataclass
that holds the value.

The command line (`editor_app.cli._options`), the check of settings (`Validated`) and the window
read them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import Field, field, fields
from typing import Any

#: The seeds that the window offers.
SEEDS = (0, 2**31 - 1)
#: Of a number that may be negative.
FINITE: dict[str, Any] = {"least": -math.inf, "wanted": "a finite number"}


def option(value: Any, help_text: str, metavar: str | None = None, **more: Any) -> Any:
    """Return a dataclass field with this default that is an option of the command line.

    `more`: `flag`, the option's name where it is not the field's; one that turns a switch off has
    the parser `negated`. `parse(typed, flag)` returns the value of the field from the value that
    was typed; it raises Refused. `least`: the smallest value; `wanted`: the words for it;
    `endless`: infinity is allowed. `ends`: the least and the greatest value that the window offers,
    in the unit of the command line. All else goes to argparse.
    """
    if metavar is not None:
        more["metavar"] = metavar
    return field(default=value, metadata={"help": help_text, **more})


def limited(value: Any, least: float = 0, **more: Any) -> Any:
    """Return a dataclass field with this default that is no option, but has a smallest value, as in
    `option`."""
    return field(default=value, metadata={"least": least, **more})


def attribute_record(value: Any, *names: str, **renamed: str) -> dict[str, Any]:
    """Return attributes of a value by name for a report: `names`, then `renamed`, from key to
    attribute."""
    keys = dict(zip(names, names, strict=True), **renamed)
    return {key: getattr(value, name) for key, name in keys.items()}


def comma_separated(text: str) -> tuple[str, ...]:
    """Return the names of an option whose value is A,B."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


def ends_of(settings: type, name: str) -> tuple[Any, Any]:
    """Return the least and the greatest value that the window offers for a field. Raises
    KeyError."""
    ends: tuple[Any, Any] = {each.name: each for each in fields(settings)}[name].metadata["ends"]
    return ends


def outside_limits(settings: Any) -> Iterator[tuple[str, bool, str]]:
    """Yield (field, whether its value is within its limits, the words for them) for each field with
    a limit."""
    for each in fields(settings):
        if "least" in each.metadata:
            yield each.name, is_allowed(each, getattr(settings, each.name)), limit_text(each)


def is_allowed(option_field: Field[Any], value: float | None) -> bool:
    """Return whether a value is finite and not below the limit of its field; None means the
    default."""
    limits = option_field.metadata
    if value is None or "least" not in limits:
        return True
    return value >= limits["least"] and (abs(value) < math.inf or "endless" in limits)


def limit_text(option_field: Field[Any]) -> str:
    return option_field.metadata.get("wanted") or f"{option_field.metadata['least']} or more"


def from_millimetres(value: float, flag: str = "") -> float:
    """Return metres."""
    return value / 1000


def from_degrees(value: float, flag: str = "") -> float:
    """Return radians."""
    return math.radians(value)


def from_percent(value: float, flag: str = "") -> float:
    """Return a share."""
    return value / 100


def negated(value: bool, flag: str = "") -> bool:
    return not value


def none_for_zero(value: int, flag: str = "") -> int | None:
    return value or None
