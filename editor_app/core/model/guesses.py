"""Which values of a robot description a draft guessed, or put in as placeholders, for lack of anything said."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.urdf import Joint
from editor_app.core.model.xrdf import PLACEHOLDER_ACCELERATION, PLACEHOLDER_JERK, CSpace, Xrdf

#: A draft writes as many digits as tell apart.
_SAME = 1e-9
_PLACEHOLDERS = {"acceleration": PLACEHOLDER_ACCELERATION, "jerk": PLACEHOLDER_JERK}

#: The name of a joint or of an entry, and its value.
_Part = tuple[str, object]


@dataclass(frozen=True, slots=True)
class Guesses:
    """A guess holds as long as the value is the guessed one: another value has been given by the user.

    `entries`: keys of the XRDF whose value is guessed, in their order; `guessed`: the XRDF with these values.
    `positions`: the guessed default positions of joints (rad or m). `limits`: whether the c-space has placeholders
    among its limits.
    """

    entries: tuple[str, ...] = ()
    guessed: Xrdf = Xrdf()
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

    def left_in(self, xrdf: Xrdf) -> tuple[str, ...]:
        """The entries that still have something guessed; the value of one joint is enough."""
        return tuple(key for key in self.entries if self._guessed_parts(key) & _parts(xrdf, key))

    def _guessed_parts(self, key: str) -> frozenset[_Part]:
        parts, placeholder = _parts(self.guessed, key), _PLACEHOLDERS.get(key.removesuffix("_limits"))
        # Beside placeholders stand limits of the URDF; a file by other hands may use other placeholders.
        return frozenset(part for part in parts if part[1] == placeholder) or parts


def _parts(xrdf: Xrdf, key: str) -> frozenset[_Part]:
    """What can be given one by one in an entry, with its name; for an entry that is not known here, the key alone."""
    cspace = xrdf.cspace or CSpace()
    joints = cspace.joint_names or ()
    match key:
        case "default_joint_positions":
            return frozenset((xrdf.default_joint_positions or FrozenDict()).items())
        case "acceleration_limits":
            return frozenset(zip(joints, cspace.acceleration_limits or (), strict=False))
        case "jerk_limits":
            return frozenset(zip(joints, cspace.jerk_limits or (), strict=False))
        case "cspace":
            return frozenset({(key, joints)})
        case "tool_frames":
            return frozenset({(key, xrdf.tool_frames)})
        case _:
            return frozenset({(key, None)})


NO_GUESSES = Guesses()
