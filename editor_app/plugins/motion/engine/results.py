"""Settings and results of a planner; values beyond the limits of a motion."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from editor_app.core.arrays import F64
from editor_app.core.model.coercion import Validated
from editor_app.core.model.counting import format_list
from editor_app.core.model.options import limited, option

Names = tuple[str, str]
#: Pairs that a sentence names.
_NAMED = 3
#: The note of every result that a mask was assumed for.
NO_MASK = (
    "The XRDF has no section self_collision: adjacent links and links of one rigid group are "
    "ignored, all "
    "other pairs are checked."
)


class Outcome(StrEnum):
    SOLVED = "solved"
    START_BLOCKED = "the start is in collision"
    GOAL_BLOCKED = "the goal is in collision"
    OUT_OF_RANGE = "a pose is outside the joint limits"
    APART = "no path exists: the spheres keep start and goal in separate pieces"
    TIMED_OUT = "no path was found within the time limit"
    STUCK = (
        "links that touch an obstacle at the start or goal do not separate within their distance"
    )
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class KeepAway(Validated):
    """The clearance that a path keeps: of the robot from obstacles, and of its links from each
    other; metres."""

    obstacles: float = limited(0.0, wanted="a length of 0 m or more")
    itself: float = limited(0.0, wanted="a length of 0 m or more")

    def __bool__(self) -> bool:
        return self.obstacles > 0.0 or self.itself > 0.0

    @property
    def told(self) -> str:
        """The distances as "20 mm from obstacles, 5 mm from itself"; "" without any."""
        sides = ((self.obstacles, "obstacles"), (self.itself, "itself"))
        return ", ".join(f"{value * 1e3:g} mm from {name}" for value, name in sides if value > 0.0)


NOTHING_KEPT = KeepAway()


@dataclass(frozen=True)
class PlannerSettings(Validated):
    """`seconds` of wall time at most; `shortcuts`: how often a part of the path is tried as a
    straight line.

    `keep_away`: proven along the whole path. Start and goal may be nearer: the way out of there and
    the way in are straight lines on which what is nearer keeps nine tenths of its clearance at the
    start or goal.
    """

    seconds: float = option(
        5.0,
        "time limit per query (default: 5)",
        "T",
        least=0.0,
        endless=True,
        wanted="a number of seconds, 0 or more",
    )
    shortcuts: int = limited(120)
    seed: int = option(0, "the same input and seed give the same result (default: 0)", "S")
    keep_away: KeepAway = KeepAway()


class Stretch(StrEnum):
    """A part of a path on which less is kept than was asked for."""

    START = "at the start"
    GOAL = "at the goal"
    WHOLE = "on the whole path"


@dataclass(frozen=True, slots=True)
class Nearer:
    """Two links, or a link and an obstacle, that keep less: `clearance` (metres) at the start or
    goal itself, below 0 where they may touch there."""

    names: Names
    clearance: float
    stretch: Stretch

    @property
    def told(self) -> str:
        if self.clearance <= 0.0:
            return (
                f"{self.names[0]} {-self.clearance * 1e3:.1f} mm in {self.names[1]} "
                f"{self.stretch}, as allowed"
            )
        return f"{' and '.join(self.names)} {self.clearance * 1e3:.1f} mm {self.stretch}"


@dataclass(frozen=True)
class PlannedPath:
    """`path` (n, variables): proven free between its points; None without one.

    `cpu_seconds` includes shortcutting and the proof of the whole path. `blocked`: row -> how many
    branches it stopped. `length` in the planner's metric (radians). `kept`: what the path keeps,
    but for `nearer`.
    """

    outcome: Outcome
    path: F64 | None
    cpu_seconds: float
    nodes: int
    length: float
    blocked: Mapping[int, int]
    kept: KeepAway = KeepAway()
    nearer: tuple[Nearer, ...] = ()


class Rate(StrEnum):
    VELOCITY = "velocity"
    ACCELERATION = "acceleration"
    JERK = "jerk"


@dataclass(frozen=True, slots=True)
class BeyondLimit:
    """A joint that is faster than its limit: the worst place, at `time` (s), with `value` and
    `limit` (`unit`).

    `count`: places at which it is. `value` is infinite where a position changes in no time.
    """

    joint: str
    rate: Rate
    time: float
    value: float
    limit: float
    slides: bool
    count: int

    @property
    def unit(self) -> str:
        return ("m" if self.slides else "rad") + {
            Rate.VELOCITY: "/s",
            Rate.ACCELERATION: "/s²",
            Rate.JERK: "/s³",
        }[self.rate]

    def record(self) -> dict[str, object]:
        """Return the record for JSON reports."""
        return {
            "joint": self.joint,
            "rate": self.rate.value,
            "time_s": self.time,
            "value": self.value,
            "limit": self.limit,
            "unit": self.unit,
            "places": self.count,
            "message": self.sentence,
        }

    @property
    def sentence(self) -> str:
        """The sentence of a finding: joint, time, and amount."""
        if not math.isfinite(self.value):
            return f"{self.joint} jumps at {self.time:.3f} s: two positions at the same time"
        more = f", {self.count} places" if self.count > 1 else ""
        return (
            f"{self.joint} has {self.rate} {self.value:.4g} {self.unit} at {self.time:.3f} s, "
            f"limit {self.limit:.4g} "
            f"({self.value / self.limit:.3g} times{more})"
        )


def told_missed(pairs: tuple[Names, ...], where: str) -> str:
    """Return the sentence about pairs whose meshes touch although nothing checks them; "" without
    any."""
    if not pairs:
        return ""
    names = format_list((f"{a} and {b}" for a, b in pairs), _NAMED)
    return f"unchecked meshes touch {where} (ignored pairs, or links without spheres): {names}"
