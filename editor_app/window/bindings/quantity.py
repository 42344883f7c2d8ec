"""Quantities of numbers: the units it may be typed in, the one it is shown in, and how it is
written.

Derivatives (12 rad/s²) are shown in the unit of the files, also where positions are shown in
degrees or millimetres: data sheets and planners give them so, and 687.549°/s² helps nobody. They
may be typed in any unit.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from enum import Enum

from editor_app.core.model.expressions import Relative, apply_relative, evaluate, scaled
from editor_app.window.session import AngleUnit, DisplayOptions, LengthUnit


class Dimension(Enum):
    """The symbol of the unit that files hold, and the units that may be typed."""

    LENGTH = (
        "m",
        {
            "mm": 1e-3,
            "cm": 1e-2,
            "m": 1.0,
            "µm": 1e-6,
            "μm": 1e-6,
            "um": 1e-6,
            "in": 0.0254,
            '"': 0.0254,
        },
    )
    ANGLE = "rad", {"deg": math.pi / 180, "°": math.pi / 180, "rad": 1.0, "mrad": 1e-3}
    #: What joints apply: in the unit of the files.
    TORQUE = "Nm", {"Nm": 1.0}
    FORCE = "N", {"N": 1.0}
    NONE = "", dict[str, float]()

    def __init__(self, base: str, units: dict[str, float]) -> None:
        self.base, self.units = base, units


_PER_SECOND = re.compile(r"\s*/\s*s\s*(?:\^?[23]|²|³)?\s*$")


@dataclass(frozen=True, slots=True)
class Quantity:
    """`per` is appended to the unit ("/s²"). Values are in metres or radians; positions are shown
    in the session's."""

    dimension: Dimension
    per: str = ""

    def unit(self, display: DisplayOptions) -> str:
        """The symbol of the unit that is shown, "" for plain numbers."""
        return f"{self._symbol(display)}{self.per}"

    def base_unit(self) -> str:
        """The symbol of the unit that files hold."""
        return f"{self.dimension.base}{self.per}"

    def shown(self, value: float, display: DisplayOptions) -> float:
        """`value` in the unit that is shown."""
        factor = self._factor(display)
        if factor == 1.0:
            return value
        # 0.0951667 m is 95.1667 mm; in degrees nothing comes out even: twelve digits are coarser
        # than the noise. Sums such as 0.06 + 0.01 are off in the sixteenth digit.
        return (
            float(f"{scaled(value, 1000.0):.15g}")
            if factor == 1e-3
            else float(f"{value / factor:.12g}")
        )

    def stored(self, shown: float, display: DisplayOptions) -> float:
        """The inverse of `shown`."""
        return evaluate(repr(shown), {}, self._factor(display))

    def parse(self, text: str, display: DisplayOptions) -> float:
        """Parse a typed text; the result is in the base unit. Raises ExpressionError."""
        if self.per:
            text = _PER_SECOND.sub("", text)
        return evaluate(text, self.dimension.units, self._factor(display))

    def relative(self, text: str, display: DisplayOptions, *, signs: bool) -> Relative | None:
        """The change that was typed (`*1.1`, `+10 %`, with `signs` also `+1`), or None. Raises
        ExpressionError."""
        if self.per:
            text = _PER_SECOND.sub("", text)
        return apply_relative(text, self.dimension.units, self._factor(display), signs=signs)

    def changed(self, value: float, change: Relative, display: DisplayOptions) -> float:
        """`value` after `change`, without the noise of binary fractions."""
        if change.factor != 1.0:
            return float(f"{value * change.factor:.12g}")
        total = self.shown(value, display) + self.shown(change.offset, display)
        return self.stored(float(f"{total:.12g}"), display)

    def told(self, change: Relative | float, number: int, display: DisplayOptions) -> str:
        """Describe the effect of an entry on `number` values in a sentence."""
        each = f"each of the {number} values" if number > 1 else "the value"
        if not isinstance(change, Relative):
            whom = f"all {number} values" if number > 1 else "the value"
            return f"Sets {whom} to {self.described(change, display)}."
        if change.factor != 1.0 or not change.offset:
            return f"Multiplies {each} by {_plain(f'{change.factor:.12g}')}."
        amount = self.described(abs(change.offset), display)
        return (
            f"Adds {amount} to {each}." if change.offset > 0 else f"Subtracts {amount} from {each}."
        )

    def exact(self, value: float, display: DisplayOptions) -> str:
        """Every digit that counts, for editing."""
        return _plain(repr(self.shown(value, display)))

    def rounded(self, value: float, display: DisplayOptions, *, zeros: bool = False) -> str:
        """For reading: rounded, without trailing zeros, unless they are asked for: numbers below
        each other."""
        if self._is_plain:
            return _plain(f"{value:.6g}")
        text = f"{self.shown(value, display):.{self._decimals(display) + 2}f}"
        return _plain(text if zeros else text.rstrip("0").rstrip("."))

    def column(self, value: float, display: DisplayOptions) -> str:
        """For columns of numbers: as many decimals in each row."""
        if self._is_plain:
            return _plain(f"{self.shown(value, display):.6g}")
        text = f"{self.shown(value, display):.{self._decimals(display)}f}"
        return text[1:] if text.startswith("-") and not text.strip("-0.") else text

    def signed(self, value: float, display: DisplayOptions) -> str:
        """A change, as in a column: with a plus or a real minus, but for zero."""
        text = self.column(value, display)
        return with_minus(text) if text.startswith("-") or not text.strip("0.") else f"+{text}"

    def described_range(self, limits: tuple[float, float], display: DisplayOptions) -> str:
        """Limits with their unit, of which one may be infinite."""
        lower, upper = (
            self.described(limit, display) if math.isfinite(limit) else "" for limit in limits
        )
        return (
            f"{lower} to {upper}"
            if lower and upper
            else f"{lower} and more"
            if lower
            else f"{upper} and less"
        )

    def described(self, value: float, display: DisplayOptions) -> str:
        """With its unit and a real minus, for sentences and labels; `parse` reads it."""
        unit = self.unit(display)
        return f"{with_minus(self.rounded(value, display))}{'' if unit.startswith('°') or not unit else ' '}{unit}"

    def step(self, display: DisplayOptions) -> float:
        """Return the step of an arrow key, in the base unit."""
        if self.per:
            return 1.0
        if self.dimension is Dimension.LENGTH:
            return 1e-3
        if self.dimension is Dimension.ANGLE:
            return math.radians(1.0) if display.angle_unit is AngleUnit.DEGREE else 0.01
        return 0.1

    def stepped(
        self, value: float, steps: float, display: DisplayOptions, step: float | None = None
    ) -> float:
        """`value` and so many steps, without the noise of adding binary fractions."""
        size = self.shown(step if step is not None else self.step(display), display)
        # The step's own last decimal is kept, and as many digits as the value itself has.
        return self.stored(float(f"{self.shown(value, display) + steps * size:.12g}"), display)

    def _decimals(self, display: DisplayOptions) -> int:
        if self.dimension is Dimension.LENGTH:
            return 1 if display.length_unit is LengthUnit.MILLIMETRE else 4
        return 1 if display.angle_unit is AngleUnit.DEGREE else 4

    @property
    def _is_plain(self) -> bool:
        """Whether it is shown in the unit of the files, with the digits that it has."""
        return bool(self.per) or self.dimension not in (Dimension.LENGTH, Dimension.ANGLE)

    def _symbol(self, display: DisplayOptions) -> str:
        if self._is_plain:
            return self.dimension.base
        if self.dimension is Dimension.LENGTH:
            return display.length_unit.value
        return "°" if display.angle_unit is AngleUnit.DEGREE else "rad"

    def _factor(self, display: DisplayOptions) -> float:
        if self._is_plain:
            return 1.0
        if self.dimension is Dimension.LENGTH and display.length_unit is LengthUnit.MILLIMETRE:
            return 1e-3
        if self.dimension is Dimension.ANGLE and display.angle_unit is AngleUnit.DEGREE:
            return math.pi / 180
        return 1.0


def with_minus(number: str) -> str:
    """A number that begins with a hyphen, as `-3.5 mm`, with the sign for minus, which is as wide
    as a plus."""
    return f"−{number[1:]}" if number.startswith("-") else number


def turned_by(angle: float) -> str:
    """Radians as degrees with their sign, as a handle that is turned tells them."""
    return with_minus(f"{math.degrees(angle):+.1f}°")


def _plain(text: str) -> str:
    """Without "-0" and a trailing ".0"."""
    text = text.removesuffix(".0")
    return text[1:] if text.startswith("-") and not text.strip("-0.") else text


LENGTH = Quantity(Dimension.LENGTH)
ANGLE = Quantity(Dimension.ANGLE)
NUMBER = Quantity(Dimension.NONE)


def joint_quantity(prismatic: bool, per: str = "") -> Quantity:
    """Return the quantity of a joint's position (or, with `per`, of a derivative of it)."""
    return Quantity(Dimension.LENGTH if prismatic else Dimension.ANGLE, per)
