"""Which values of a robot description a draft guessed, or put in as placeholders, for lack of anything said."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from editor_app.model.frozen import FrozenDict
from editor_app.model.urdf import Joint
from editor_app.model.xrdf import PLACEHOLDER_ACCELERATION, PLACEHOLDER_JERK

#: A draft writes as many digits as tell apart.
_SAME = 1e-9
_PLACEHOLDERS = {"acceleration": PLACEHOLDER_ACCELERATION, "jerk": PLACEHOLDER_JERK}


@dataclass(frozen=True, slots=True)
class Guesses:
    """A guess holds as long as the value is the guessed one: another value has been given by the user.

    `entries`: keys of the XRDF whose value is guessed, in their order. `positions`: the guessed default positions of
    joints (rad or m). `limits`: whether the c-space has placeholders among its limits.
    """

    entries: tuple[str, ...] = ()
    positions: FrozenDict[str, float] = FrozenDict()
    limits: bool = False

    def is_position(self, joint: str, value: float) -> bool:
        """Whether this default position of a joint is a guess."""
        return joint in self.positions and abs(value - self.positions[joint]) < _SAME

    def is_limit(self, kind: Literal["acceleration", "jerk"], value: float | None, joint: Joint | None) -> bool:
        """Whether this limit of a joint is a placeholder; `joint` is None where the URDF does not have it."""
        if not self.limits or value != _PLACEHOLDERS[kind]:
            return False
        limit = joint.limit if joint is not None else None
        return limit is None or getattr(limit, kind) is None


NO_GUESSES = Guesses()
