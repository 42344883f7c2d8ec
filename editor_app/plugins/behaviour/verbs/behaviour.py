"""The verb compare_behaviour: which configurations and motions two robots judge differently.

A configuration is free if all joints are within their limits and no two spheres of a checked pair
overlap: the verdict of a planner that uses spheres, mask and limits of the XRDF and URDF.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

import numpy as np

from editor_app.core.arrays import F64, I64, Bools
from editor_app.core.document import document
from editor_app.core.model.counting import format_list
from editor_app.core.model.frozen import FrozenDict, brief
from editor_app.core.model.pose import Pose
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.xrdf import Xrdf
from editor_app.core.tasks.work import (
    Cancel,
    Progress,
    Refused,
    check_arguments,
    make_stoppable,
    never,
    scale_progress,
    silent,
)
from editor_app.core.verbs.pairing import robot_beside
from editor_app.plugins.comparison.verbs.diff import RobotSide, read_side, rename_side
from editor_app.plugins.motion.engine.model import MotionModel
from editor_app.plugins.motion.engine.results import Outcome, PlannerSettings
from editor_app.plugins.motion.verbs.collide import motion_model_of
from editor_app.plugins.motion.verbs.plan import Planned, plan_between

#: Random configurations and queries, and seconds for a query.
SAMPLES, QUERIES, SECONDS = 10_000, 20, 2.0
#: How often the time is multiplied for a query that only one robot solves: a slow moment is no
#: difference.
_PATIENCE = 4.0
#: Metres, radians: smaller overlaps, gaps and distances from a limit are rounding.
_ROUNDING = 1e-9
#: Configurations that are judged at once.
_AT_ONCE = 2_000


class Cause(StrEnum):
    """Why the other robot judges a configuration as free."""

    LIMIT = "limit"
    IGNORED = "mask"
    NO_SPHERES = "spheres missing"
    APART = "distance"


@dataclass(frozen=True, slots=True)
class VerdictCase:
    """A configuration whose verdict changed. `index`: its number in the random sequence.

    `depth`: of the overlap in metres, or by how much the joint is outside its limits (rad or m).
    `gap`: metres between the two links in the robot that judges it as free; None if that robot does
    not compare them.
    """

    index: int
    pose: Pose
    depth: float
    gap: float | None = None


@dataclass(frozen=True)
class VerdictChange:
    """Configurations whose verdict changed for one reason, deepest first.

    `names`: the two links that overlap, or the joint outside its limits. `lacking`: links without
    spheres in the robot that judges the configurations as free.
    """

    is_blocked_now: bool
    names: tuple[str, ...]
    cause: Cause
    cases: tuple[VerdictCase, ...]
    lacking: tuple[str, ...] = ()
    is_angle: bool = False

    __repr__ = brief

    @property
    def sentence(self) -> str:
        """The change, its frequency, amount and reason; without a full stop."""
        count = f"{len(self.cases):,} configuration{'s' if len(self.cases) > 1 else ''}"
        deepest = self.cases[0].depth
        if self.cause is Cause.LIMIT:
            depth = f"{math.degrees(deepest):.2f}°" if self.is_angle else f"{deepest * 1e3:.2f} mm"
            if self.is_blocked_now:
                return f"{self.names[0]} is now outside its limits in {count}, by up to {depth}"
            return (
                f"{self.names[0]} is now within its limits in {count}, before outside by up to "
                f"{depth}"
            )
        verb = "now collide" if self.is_blocked_now else "no longer collide"
        depth = f"{'overlap' if self.is_blocked_now else 'before'} up to {deepest * 1e3:.2f} mm"
        return f"{' and '.join(self.names)} {verb} in {count} ({depth}): {self._reason}"

    @property
    def _reason(self) -> str:
        before = "before" if self.is_blocked_now else "now"
        if self.cause is Cause.IGNORED:
            return f"the {'old' if self.is_blocked_now else 'new'} mask ignores the pair"
        if self.cause is Cause.NO_SPHERES:
            return f"{before} without spheres: {format_list(self.lacking, 2)}"
        gaps = [case.gap for case in self.cases if case.gap is not None]
        return f"{before} up to {max(gaps, default=0.0) * 1e3:.2f} mm apart"


@dataclass(frozen=True)
class QueryChange:
    """A query that only one of the robots solves; `reason`: why the other does not, one sentence
    without a point.

    `is_proven`: no path exists; otherwise none was found within the time limit.
    """

    number: int
    start: Pose
    goal: Pose
    is_solved_now: bool
    reason: str
    is_proven: bool

    __repr__ = brief


@dataclass(frozen=True)
class BehaviourDiff:
    """`free`: free configurations of the old and the new robot, of `configurations`. `controlled`:
    the joints of their c-spaces, by the names of the new robot.

    `changes`: configurations whose verdict changed, by reason, most configurations first. `solved`:
    how many of `query_count` queries the old and the new robot solve; `queries`: those that only
    one of them solves.
    """

    configurations: int
    seed: int
    controlled: tuple[tuple[str, ...], tuple[str, ...]]
    free: tuple[int, int]
    changes: tuple[VerdictChange, ...]
    query_count: int
    solved: tuple[int, int]
    queries: tuple[QueryChange, ...]
    notes: tuple[str, ...] = ()

    __repr__ = brief

    @property
    def joints(self) -> tuple[str, ...]:
        """The moved joints: all joints of the new c-space, then the joints that only the old robot
        controls."""
        old, new = self.controlled
        return tuple(dict.fromkeys((*new, *old)))

    @property
    def changed(self) -> int:
        """The number of configurations whose verdict changed."""
        return sum(len(change.cases) for change in self.changes)

    @property
    def is_same(self) -> bool:
        """True if no verdict changed, of configurations and of queries."""
        return not self.changes and not self.queries

    @property
    def told(self) -> tuple[str, str]:
        """One sentence about the configurations, one about the queries; without points."""
        count = f"{self.configurations:,} configurations"
        verdicts = (
            f"{self.changed:,} of {count} changed their verdict; free {self.free[0]:,} before, "
            f"{self.free[1]:,} now"
            if self.changes
            else f"no verdict of {count} changed; {self.free[1]:,} are free"
        )
        solved = f"{self.solved[0]} of {self.query_count} solved before, {self.solved[1]} now"
        return (
            verdicts,
            solved if self.query_count else "no queries: no two configurations are free",
        )


@check_arguments
def compare_behaviour(
    old: str | Path | document.Document | RobotSide,
    new: str | Path | document.Document | RobotSide,
    *,
    names: Sequence[str] = (),
    samples: int = SAMPLES,
    queries: int = QUERIES,
    seconds: float = SECONDS,
    seed: int = 0,
    packages: Mapping[str, Path] | None = None,
    xacro_arguments: Mapping[str, str] | None = None,
    allow_xacro: bool = False,
    progress: Progress = silent,
    cancel: Cancel = never,
) -> BehaviourDiff:
    """Judge `samples` random configurations and plan `queries` motions with two robots, and return
    what differs.

    `old`, `new`, `names`, `packages`, `xacro_arguments`, `allow_xacro`: as for `diff`. An XRDF is
    used with the URDF of its name in its folder, else with the URDF of the other side. Joints move
    within the limits of either robot; joints that a robot does not control have its default.
    `seconds`: time limit of a query. The same robots and `seed` give the same configurations.

    Raises Refused, FormatError, OSError, Cancelled.
    """
    tick = make_stoppable(progress, cancel)
    tick(0.0, "Reading")
    before, after = (
        _with_urdf(
            read_side(
                each, packages=packages, xacro_arguments=xacro_arguments, allow_xacro=allow_xacro
            ),
            allow_xacro,
        )
        for each in (old, new)
    )
    before = rename_side(before, names)
    judges = _Judge.of(before, after), _Judge.of(after, before)
    joints = tuple(dict.fromkeys(name for judge in reversed(judges) for name in judge.moving))
    table = _draw(judges, joints, samples, seed)
    blocked = [
        judge.blocked(joints, table, scale_progress(tick, 0.05 + 0.3 * number, 0.35 + 0.3 * number))
        for number, judge in enumerate(judges)
    ]
    changes = [
        change
        for is_blocked_now, (first, second) in ((True, judges[::-1]), (False, judges))
        for change in _changes(
            first,
            second,
            joints,
            table,
            np.flatnonzero(blocked[is_blocked_now] & ~blocked[1 - is_blocked_now]),
            is_blocked_now,
        )
    ]
    free = [np.flatnonzero(~each) for each in blocked]
    ends = list(_query_ends(free, queries))
    planned = []
    for number, (start, goal) in enumerate(ends):
        tick(0.65 + 0.35 * number / len(ends), f"Planning query {number + 1} of {len(ends)}")
        poses = [FrozenDict(zip(joints, table[row].tolist(), strict=True)) for row in (start, goal)]
        planned.append((poses, _plan_both(judges, (poses[0], poses[1]), seconds, seed, cancel)))
    tick(1.0, "Done")
    return BehaviourDiff(
        configurations=samples,
        seed=seed,
        controlled=(judges[0].moving, judges[1].moving),
        free=(len(free[0]), len(free[1])),
        changes=tuple(sorted(changes, key=lambda change: (-len(change.cases), change.names))),
        query_count=len(ends),
        solved=(
            sum(old.path is not None for _, (old, _) in planned),
            sum(n.path is not None for _, (_, n) in planned),
        ),
        queries=tuple(_query_changes(planned)),
        notes=tuple(_notes(judges, joints)),
    )


def _with_urdf(side: RobotSide, allow_xacro: bool) -> RobotSide:
    """Return a side with the URDF of its name in its folder, where it has none itself."""
    if "urdf" in side.documents:
        return side
    urdf = robot_beside(side.path)
    if urdf is None:
        return side
    robot = read_side(urdf, allow_xacro=allow_xacro)
    return replace(robot, path=side.path, documents={**robot.documents, **side.documents})


@dataclass(frozen=True)
class _Judge:
    """One of the robots with its motion model."""

    side: RobotSide
    robot: RobotDescription
    model: MotionModel

    @classmethod
    def of(cls, side: RobotSide, other: RobotSide) -> _Judge:
        """Raises Refused for a robot without a URDF on either side, or without spheres."""
        urdf = side.documents.get("urdf", other.documents.get("urdf"))
        if urdf is None:
            raise Refused(
                f"{side.path} has no URDF of its name next to it: compare the URDFs of the two "
                "robots"
            )
        robot = RobotDescription(
            urdf, side.documents.get("xrdf", Xrdf()), side.documents.get("srdf")
        )
        model = motion_model_of(robot)
        if not model.row_count:
            lacks = (
                "fewer than two frames with collision spheres"
                if "xrdf" in side.documents
                else "no XRDF next to it"
            )
            raise Refused(
                f"{side.path} has {lacks}, so its verdicts cannot be compared. Fit spheres first"
            )
        model.spheres.refuse_endless(model.variables[k] for k in model.moving.tolist())
        return cls(side, robot, model)

    @property
    def moving(self) -> tuple[str, ...]:
        return tuple(self.model.variables[k] for k in self.model.moving.tolist())

    def values(self, joints: Sequence[str], table: F64) -> F64:
        """(n, variables): the configurations for this robot; joints that it does not control have
        its default."""
        result = np.repeat(self.model.default[None, :], len(table), axis=0)
        column = {name: k for k, name in enumerate(joints)}
        for k in self.model.moving.tolist():
            result[:, k] = table[:, column[self.model.variables[k]]]
        return result

    def excess(self, values: F64) -> F64:
        """(n, variables): radians or metres by which joints are outside their limits; 0 or less
        within them."""
        lower, upper = self.model.spheres.limits.T
        excess: F64 = np.maximum(lower - values, values - upper)[:, self.model.moving]
        return excess

    def blocked(self, joints: Sequence[str], table: F64, tick: Progress) -> Bools:
        """(n,): whether a joint is outside its limits, or a checked pair overlaps."""
        values = self.values(joints, table)
        blocked: Bools = np.any(self.excess(values) > _ROUNDING, axis=1)
        for first in range(0, len(values), _AT_ONCE):
            tick(first / len(values), "Judging configurations")
            inside = first + np.flatnonzero(~blocked[first : first + _AT_ONCE])
            blocked[inside] = self.model.first_collisions(values[inside]) >= 0
        return blocked


def _draw(judges: Sequence[_Judge], joints: Sequence[str], samples: int, seed: int) -> F64:
    """(samples, joints): random positions within the limits of either robot."""
    ranges = []
    for name in joints:
        spans = [
            (judge.model.spheres.lower[k], judge.model.spheres.upper[k])
            for judge in judges
            for k in judge.model.moving.tolist()
            if judge.model.variables[k] == name
        ]
        ranges.append((min(low for low, _ in spans), max(high for _, high in spans)))
    lower, upper = np.array(ranges).reshape(-1, 2).T
    shares = np.random.default_rng(seed).random((samples, len(joints)))
    return np.asarray(lower + (upper - lower) * shares)


def _changes(
    blocks: _Judge,
    frees: _Judge,
    joints: Sequence[str],
    table: F64,
    rows: I64,
    is_blocked_now: bool,
) -> Iterator[VerdictChange]:
    """Yield the configurations `rows` that one robot refuses and the other accepts, by reason."""
    values, others = (judge.values(joints, table[rows]) for judge in (blocks, frees))

    def cases(chosen: I64, depths: F64, gaps: F64 | None = None) -> tuple[VerdictCase, ...]:
        deepest = np.argsort(-depths, kind="stable").tolist()
        return tuple(
            VerdictCase(
                int(rows[chosen[k]]),
                FrozenDict(zip(joints, table[rows[chosen[k]]].tolist(), strict=True)),
                float(depths[k]),
                None if gaps is None else float(gaps[k]),
            )
            for k in deepest
        )

    excess = blocks.excess(values)
    worst = excess.argmax(axis=1) if excess.size else np.zeros(0, np.int64)
    beyond = excess.max(axis=1, initial=-np.inf)
    outside = beyond > _ROUNDING
    bodies = blocks.model.spheres.bodies
    sliding = set(bodies.dof[bodies.prismatic.astype(bool)].tolist())
    for k in np.unique(worst[outside]).tolist():
        chosen, variable = np.flatnonzero(outside & (worst == k)), int(blocks.model.moving[k])
        name = blocks.model.variables[variable]
        yield VerdictChange(
            is_blocked_now,
            (name,),
            Cause.LIMIT,
            cases(chosen, beyond[chosen]),
            is_angle=variable not in sliding,
        )
    inside = np.flatnonzero(~outside)
    clearance, spots = blocks.model.least_clearances(values[inside])
    for row in np.unique(spots[:, 0]).tolist() if len(inside) else ():
        at = spots[:, 0] == row
        chosen, depths = inside[at], -clearance[at]
        cause, lacking, gaps = _cause(blocks, frees, row, others[chosen])
        if gaps is not None:
            seen = depths + gaps > _ROUNDING
            chosen, depths, gaps = chosen[seen], depths[seen], gaps[seen]
        if len(chosen):
            names = blocks.model.names(row)
            yield VerdictChange(is_blocked_now, names, cause, cases(chosen, depths, gaps), lacking)


def _cause(
    blocks: _Judge, frees: _Judge, row: int, values: F64
) -> tuple[Cause, tuple[str, ...], F64 | None]:
    """Return why the second robot accepts what overlaps in the first, links without spheres, and
    gaps in metres."""
    spheres = frees.model.spheres
    other = spheres.pair_index.get(blocks.model.spheres.link_pairs[row])
    if other is None:
        lacking = tuple(name for name in blocks.model.names(row) if name not in spheres.frames)
        return Cause.NO_SPHERES, lacking, None
    if not frees.model.checked[other]:
        return Cause.IGNORED, (), None
    return Cause.APART, (), frees.model.least_clearances(values, np.array([other]))[0]


def _query_ends(free: Sequence[I64], queries: int) -> Iterator[tuple[int, int]]:
    """Yield start and goal of each query, free in the old robot and in the new one by turns."""
    for number in range(queries):
        rows, first = free[number % 2], 2 * (number // 2)
        if first + 1 < len(rows):
            yield int(rows[first]), int(rows[first + 1])


def _plan_both(
    judges: tuple[_Judge, _Judge],
    ends: tuple[Pose, Pose],
    seconds: float,
    seed: int,
    cancel: Cancel,
) -> tuple[Planned, Planned]:
    def search(judge: _Judge, time: float) -> Planned:
        joints = tuple(ends[0])
        start, goal = (
            judge.model.pose(
                _turned(judge.model, judge.values(joints, np.array([[*end.values()]]))[0])
            )
            for end in ends
        )
        settings = PlannerSettings(seconds=time, seed=seed)
        return plan_between(
            judge.robot, start, goal, settings=settings, model=judge.model, cancel=cancel
        )

    old, new = (search(judge, seconds) for judge in judges)
    if (old.path is None) != (new.path is None):
        if old.outcome is Outcome.TIMED_OUT:
            old = search(judges[0], seconds * _PATIENCE)
        if new.outcome is Outcome.TIMED_OUT:
            new = search(judges[1], seconds * _PATIENCE)
    return old, new


def _turned(model: MotionModel, values: F64) -> F64:
    """Return a configuration with joints that turn without end within one turn, as the planner has
    them."""
    spheres = model.spheres
    span = spheres.upper - spheres.lower
    is_endless = np.array(spheres.continuous, bool) & (span > 0.0)
    turned = spheres.lower + np.mod(values - spheres.lower, np.where(is_endless, span, 1.0))
    return np.where(
        is_endless & ((values < spheres.lower) | (values > spheres.upper)), turned, values
    )


def _query_changes(
    planned: Iterable[tuple[list[Pose], tuple[Planned, Planned]]],
) -> Iterator[QueryChange]:
    for number, ((start, goal), (old, new)) in enumerate(planned, 1):
        if (old.path is None) == (new.path is None):
            continue
        failed = old if old.path is None else new
        reason = (
            failed.why
            if failed.refused
            else "; ".join(filter(None, (failed.outcome.value, failed.why)))
        )
        is_proven = failed.outcome is not Outcome.TIMED_OUT
        yield QueryChange(number, start, goal, new.path is not None, reason, is_proven)


def _notes(judges: tuple[_Judge, _Judge], joints: Iterable[str]) -> Iterator[str]:
    for title, judge in zip(("old", "new"), judges, strict=True):
        yield from (
            f"The {title} robot: {note}" for note in (*judge.side.notes, *judge.model.notes)
        )
        missing = [name for name in joints if name not in judge.moving]
        if missing:
            yield (
                f"The {title} robot does not control {format_list(missing, 5)}: there, these "
                "joints have their default."
            )
