"""Texts that a number field accepts: `10 mm`, `45deg`, `1/3`, `0.1*2`, `pi/2`, `(1 + 2) cm`."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import Decimal

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[^\W\d_]+|°|\"|″)|(?P<sign>[-+*/()]))"
)
_CONSTANTS = {"pi": math.pi, "π": math.pi}


class ExpressionError(ValueError):
    """The text is no number; the message says why, for the user."""


@dataclass(frozen=True, slots=True)
class _Value:
    """A number, either plain or, when `has_unit`, already in the base unit; `unit` is then what it
    was given in."""

    number: float
    has_unit: bool = False
    unit: float = 1.0


def evaluate(text: str, units: dict[str, float], shown_unit: float) -> float:
    """The number that `text` means, in the base unit.

    `units` maps the names of units to how many base units they are; a number without a unit counts
    in `shown_unit` (again in base units). Raises ExpressionError.
    """
    return _Parser(text, units, shown_unit).result()


@dataclass(frozen=True, slots=True)
class Relative:
    """A change of a value: `value * factor + offset`, the offset in the base unit; one of the two
    changes nothing."""

    factor: float = 1.0
    offset: float = 0.0


def apply_relative(
    text: str, units: dict[str, float], shown_unit: float, *, signs: bool
) -> Relative | None:
    """Parse `+=1`, `-=5 mm`, `*1.1`, `/2`, `+10 %`, which change a value; None for a text that is a
    value itself.

    With `signs`, a text that begins with + or - is a change: in a field of many values. `=` in
    front makes it a value. Raises ExpressionError.
    """
    text = text.strip().replace("−", "-").replace("×", "*").replace("·", "*").replace("÷", "/")
    if text.endswith("%"):
        if text[0] not in "+-":
            raise ExpressionError("Write +10 % or -10 % for a change, *0.1 for a part.")
        return Relative(factor=1.0 + evaluate(text[:-1], {}, 1.0) / 100.0)
    if text[:1] in ("*", "/"):
        number = evaluate(text[1:], {}, 1.0)
        if text[0] == "/" and number == 0:
            raise ExpressionError("Division by zero.")
        return Relative(factor=number if text[0] == "*" else 1.0 / number)
    if text[:2] in ("+=", "-="):
        return Relative(
            offset=(1.0 if text[0] == "+" else -1.0) * evaluate(text[2:], units, shown_unit)
        )
    if signs and text[:1] in ("+", "-"):
        return Relative(offset=evaluate(text, units, shown_unit))
    return None


class _Parser:
    def __init__(self, text: str, units: dict[str, float], shown_unit: float) -> None:
        text = text.strip().removeprefix("=")
        # A comma alone is a decimal comma; beside a point it would be a guess.
        if text.count(",") == 1 and "." not in text:
            text = text.replace(",", ".")
        self._tokens = _tokens(
            text.replace("−", "-").replace("×", "*").replace("·", "*").replace("÷", "/")
        )
        self._place = 0
        self._units = units
        self._shown_unit = shown_unit

    def result(self) -> float:
        if not self._tokens:
            raise ExpressionError("A number is missing.")
        value = self._sum()
        if self._place < len(self._tokens):
            raise ExpressionError(f"“{self._tokens[self._place][1]}” is out of place.")
        number = self._in_base(value)
        if not math.isfinite(number):
            raise ExpressionError("The result is not a finite number.")
        return number

    def _in_base(self, value: _Value) -> float:
        if value.has_unit:
            return value.number
        return scaled(value.number, self._shown_unit)

    def _peek(self, *signs: str) -> bool:
        return self._place < len(self._tokens) and self._tokens[self._place] in [
            ("sign", s) for s in signs
        ]

    def _sum(self) -> _Value:
        value = self._product()
        while self._peek("+", "-"):
            sign = 1.0 if self._next()[1] == "+" else -1.0
            other = self._product()
            if value.has_unit != other.has_unit:
                value, other = (
                    _Value(self._in_base(value), True),
                    _Value(self._in_base(other), True),
                )
            value = _Value(value.number + sign * other.number, value.has_unit)
        return value

    def _product(self) -> _Value:
        value = self._signed()
        while self._peek("*", "/"):
            operator = self._next()[1]
            other = self._signed()
            if operator == "*":
                if value.has_unit and other.has_unit:
                    raise ExpressionError("Two units cannot be multiplied here.")
                unit = value.unit if value.has_unit else other.unit
                value = _Value(value.number * other.number, value.has_unit or other.has_unit, unit)
                continue
            if other.number == 0:
                raise ExpressionError("Division by zero.")
            if other.has_unit and not value.has_unit:
                # 1/3 mm is a third of a millimetre, not one over three millimetres.
                value = _Value(
                    scaled(value.number / scaled(other.number, 1 / other.unit), other.unit),
                    True,
                    other.unit,
                )
                continue
            value = _Value(
                value.number / other.number, value.has_unit and not other.has_unit, value.unit
            )
        return value

    def _signed(self) -> _Value:
        if self._peek("+", "-"):
            negative = self._next()[1] == "-"
            value = self._signed()
            return _Value(-value.number if negative else value.number, value.has_unit, value.unit)
        return self._with_unit()

    def _with_unit(self) -> _Value:
        value = self._atom()
        while self._place < len(self._tokens) and self._tokens[self._place][0] == "name":
            name = self._next()[1]
            unit = self._units.get(name, self._units.get(name.lower()))
            if unit is None:
                unit_names = ", ".join(self._units) or "none here"
                raise ExpressionError(f"“{name}” is not a suitable unit. Units: {unit_names}.")
            if value.has_unit:
                raise ExpressionError(f"“{name}” is a second unit.")
            value = _Value(scaled(value.number, unit), True, unit)
        return value

    def _atom(self) -> _Value:
        if self._place >= len(self._tokens):
            raise ExpressionError("A number is missing at the end.")
        kind, text = self._next()
        if kind == "number":
            return _Value(float(text))
        if kind == "name" and text.lower() in _CONSTANTS:
            return _Value(_CONSTANTS[text.lower()])
        if text == "(":
            value = self._sum()
            if not self._peek(")"):
                raise ExpressionError("A closing bracket is missing.")
            self._next()
            return value
        raise ExpressionError(
            f"“{text}” is {'not a number' if kind == 'name' else 'out of place'}."
        )

    def _next(self) -> tuple[str, str]:
        self._place += 1
        return self._tokens[self._place - 1]


def _tokens(text: str) -> list[tuple[str, str]]:
    tokens: list[tuple[str, str]] = []
    place, text = 0, text.rstrip()
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            raise ExpressionError(f"“{text[place:].strip()}” is not a number.")
        tokens.append((str(match.lastgroup), match.group(str(match.lastgroup))))
        place = match.end()
    return tokens


def scaled(number: float, unit: float) -> float:
    """number · unit; to the last bit what decimal arithmetic gives when the unit is a decimal
    fraction (0.001)."""
    factor = repr(unit)
    if len(factor) > 8:
        return number * unit
    # 4852.913 / 1000 is 4.852912999999999 in binary arithmetic: a file should not say so.
    return float(Decimal(repr(number)) * Decimal(factor))
