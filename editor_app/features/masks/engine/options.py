"""Which configurations count: limits, margins, joints outside the c-space."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from editor_app.core.model.coercion import Validated


class Limits(StrEnum):
    """Which joint limits hold: `<limit>`'s, or the narrower ones of `<safety_controller>` where given."""

    HARD = "hard"
    SOFT = "soft"


class Uncontrolled(StrEnum):
    """Joints outside the c-space: anywhere within their limits (safe), or locked at the default (as cuRobo does)."""

    OVER_LIMITS = "over their limits"
    LOCKED = "locked at the default"


@dataclass(frozen=True, slots=True)
class ModelOptions(Validated):
    """`margin` (radians) and `margin_linear` (metres) come off both ends of every range; negative ones widen it."""

    limits: Limits = Limits.HARD
    margin: float = 0.0
    margin_linear: float = 0.0
    uncontrolled: Uncontrolled = Uncontrolled.OVER_LIMITS

    def requirements(self) -> Iterable[tuple[str, bool, str]]:
        for name in ("margin", "margin_linear"):
            yield name, math.isfinite(getattr(self, name)), "a finite number"

    def sentence(self) -> str:
        """The choices in words, for "why" sentences."""
        words = "joint limits" if self.limits is Limits.HARD else "soft joint limits"
        if self.margin or self.margin_linear:
            words += f" less {math.degrees(self.margin):g}° and {self.margin_linear * 1e3:g} mm at each end"
        if self.uncontrolled is Uncontrolled.LOCKED:
            words += ", joints outside the c-space locked at the default"
        return words
