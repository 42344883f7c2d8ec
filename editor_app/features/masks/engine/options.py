"""Settings of masks: limits, margins and joints outside the c-space; pairs to ignore; samples and
proofs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from editor_app.core.model.coercion import Validated
from editor_app.core.model.old_arguments import keep_old_argument
from editor_app.core.model.options import (
    FINITE,
    SEEDS,
    from_degrees,
    from_millimetres,
    negated,
    option,
)


class Limits(StrEnum):
    """Which joint limits hold: `<limit>`'s, or the narrower ones of `<safety_controller>` where
    given."""

    HARD = "hard"
    SOFT = "soft"


class Uncontrolled(StrEnum):
    """Joints outside the c-space: anywhere within their limits (safe), or locked at the default (as
    cuRobo does)."""

    OVER_LIMITS = "over their limits"
    LOCKED = "locked at the default"


@dataclass(frozen=True, slots=True)
class ModelOptions(Validated):
    """`margin` (radians) and `margin_linear` (metres) come off both ends of every range; negative
    ones widen it."""

    limits: Limits = option(Limits.HARD, "joint limits: <limit>, or <safety_controller>")
    margin: float = option(
        0.0,
        "margin removed from both ends of every joint's range",
        "DEGREES",
        parse=from_degrees,
        **FINITE,
        ends=(-45.0, 45.0),
    )
    margin_linear: float = option(
        0.0,
        "the same for sliding joints",
        "MM",
        parse=from_millimetres,
        **FINITE,
        ends=(-500.0, 500.0),
    )
    uncontrolled: Uncontrolled = option(
        Uncontrolled.OVER_LIMITS,
        "joints outside the c-space are locked at the default configuration",
        flag="locked",
        action="store_const",
        const=Uncontrolled.LOCKED,
    )

    def sentence(self) -> str:
        """The choices in words, for "why" sentences."""
        words = "joint limits" if self.limits is Limits.HARD else "soft joint limits"
        if self.margin or self.margin_linear:
            words += (
                f" less {math.degrees(self.margin):g}° and {self.margin_linear * 1e3:g} mm at each "
                "end"
            )
        if self.uncontrolled is Uncontrolled.LOCKED:
            words += ", joints outside the c-space locked at the default"
        return words


@dataclass(frozen=True, slots=True)
class MaskRules(Validated):
    """Pairs that a mask ignores in addition to those that never collide.

    `keep`: pairs that are ignored now, even if they can collide. `mask_default`, `mask_always`:
    pairs that overlap at the default, or always; but no pair of separate branches if the default
    positions are guesses. `certified_only`: no pair that was only sampled. `compare_meshes`: pairs
    whose spheres often overlap but whose meshes never touch. Pairs whose meshes touch stay checked,
    even if their spheres never do. The result then lists collisions of meshes that the mask hides,
    and pairs that the manufacturer's mask ignores although the meshes touch. `reasons`: the reason
    of each pair is written as a comment; an SRDF has reasons in any case. `trust_srdf`: pairs that
    the SRDF next to the XRDF ignores, even if they can collide.
    """

    keep: bool = option(
        True,
        "with -o: remove ignored pairs that can collide (default: keep them)",
        flag="replace",
        parse=negated,
    )
    mask_default: bool = option(
        False, "with -o: ignore pairs that overlap at the default configuration"
    )
    mask_always: bool = option(False, "with -o: ignore pairs that always overlap")
    certified_only: bool = option(False, "with -o: add only proven pairs, no sampled ones")
    compare_meshes: bool = option(
        False,
        "with -o: also compare with the meshes. Ignores pairs whose spheres often overlap but "
        "whose meshes never "
        "touch; checks pairs whose meshes touch but whose spheres never do; lists ignored pairs "
        "whose meshes collide",
    )
    reasons: bool = option(False, "with -o: write the reason of each pair as a comment")
    trust_srdf: bool = option(
        False,
        "with -o OUT.xrdf: ignore what the SRDF ignores, even if meshes touch; --compare-meshes "
        "reports false and "
        "missed collisions",
    )


keep_old_argument(MaskRules, "ask_meshes", "compare_meshes")
#: What is kept and added where nobody says more.
USUAL_RULES = MaskRules()


@dataclass(frozen=True, slots=True)
class MaskRequest(Validated):
    """The arguments of the verb mask: which shapes it compares, in how many configurations, and the
    time for proofs."""

    geometry: Literal["spheres", "hulls", "meshes"] | None = option(
        None,
        "geometry to compare (default: spheres; mesh hulls if fewer than two links have spheres)",
    )
    samples: int | None = option(
        None,
        "number of sampled configurations (default: 100000; 4096 on meshes)",
        "N",
        least=0,
        ends=(0, 100_000_000),
    )
    certify: float = option(
        10.0,
        "CPU time for proofs, 0 for none (default: 10)",
        "SECONDS",
        least=0.0,
        wanted="a number of seconds, 0 or more",
        ends=(0.0, 3600.0),
    )
    seed: int = option(0, "the same input and seed give the same samples", "S", ends=SEEDS)
