"""Can a planner get about with this model? One path, or a smoke test of many random queries.

Where a path is not there after a moment, start and goal are looked up in the pieces that spheres
leave of the joints' ranges (`plugins.motion.verbs.passages`): in different ones, no path exists;
joint, interval and pair are reported.
"""

from __future__ import annotations

import itertools
import math
import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from editor_app.core.arrays import F64, Bools
from editor_app.core.model.counting import format_list
from editor_app.core.model.frozen import brief
from editor_app.core.model.scene import EMPTY_SCENE, Scene
from editor_app.core.model.trajectory import Trajectory
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.space.kinematics.inverse import ToolTarget
from editor_app.core.space.kinematics.tree import get_tree
from editor_app.core.tasks.work import (
    Cancel,
    Cancelled,
    Described,
    PlacedRobot,
    PoseLike,
    Progress,
    Refused,
    check_arguments,
    describe_robot,
    locate_robot,
    make_stoppable,
    make_trajectory,
    never,
    read_pose,
    silent,
)
from editor_app.core.verbs.pose import solver_of, targets_of, told_rest
from editor_app.plugins.motion.engine.mesh_motion import MeshMotion
from editor_app.plugins.motion.engine.model import SEEN, MotionModel
from editor_app.plugins.motion.engine.passages import (
    Barrier,
    Grid,
    MeshRows,
    barrier_between,
    find_separating_grid,
    grids_of,
)
from editor_app.plugins.motion.engine.planner import OVER_LIMIT, free_configurations, plan_path
from editor_app.plugins.motion.engine.results import (
    NOTHING_KEPT,
    KeepAway,
    Nearer,
    Outcome,
    PlannedPath,
    PlannerSettings,
    told_missed,
)
from editor_app.plugins.motion.engine.unchecked import UncheckedPairs
from editor_app.plugins.motion.verbs.collide import comparing_model, pose_variables, unchecked_pairs
from editor_app.plugins.motion.verbs.passages import meshes_to_ask

#: Random configurations that the share of free ones is taken from, and those in which pairs that
#: nothing checks are compared by their meshes.
SAMPLES = 20_000
MISSED_SAMPLES = 2_000
#: Postures at a target of a tool that are tried one after the other.
POSTURES = 6
#: Positions nearer to 0 than that (rad or m) are what rounding left of it.
ROUNDED = 1e-12


#: Seconds after which start and goal are looked up in the pieces that spheres leave.
QUICK = 0.25
#: Pairs and joints that a sentence names, worst first.
MOST_TOLD = 3


@dataclass(frozen=True)
class Planned:
    """`path` (joints of the c-space) is None without a path. `blocking`: names of what is in the
    way, or was most.

    `barrier`: what keeps start and goal apart, where that is proven. `kept`: what the path was
    asked to keep, metres; it is proven along all of it, but for the pairs and stretches of
    `nearer`.
    """

    outcome: Outcome
    path: Trajectory | None
    cpu_seconds: float
    nodes: int
    length: float
    blocking: tuple[tuple[tuple[str, str], int], ...]
    barrier: Barrier | None = None
    #: What start and goal have against them: joints outside limits and what overlaps, and by how
    #: much.
    refused: str = ""
    kept: KeepAway = KeepAway()
    nearer: tuple[Nearer, ...] = ()
    #: Without a path: what one that keeps nothing comes closest to, where such a path was found
    #: (metres).
    closest: tuple[tuple[tuple[str, str], float], ...] = ()
    #: Pairs that nothing checks, and whose meshes are seen to touch along the path.
    missed: tuple[tuple[str, str], ...] = ()
    #: What was assumed or left out.
    notes: tuple[str, ...] = ()

    __repr__ = brief

    @property
    def is_free(self) -> bool:
        """True if there is a path that is proven free, and on which no meshes are seen to touch
        that nothing checks."""
        return self.path is not None and not self.missed

    @property
    def why(self) -> str:
        """Why there is no path, as far as that is known; "" with one."""
        if self.path is not None:
            return ""
        if self.refused:
            return self.refused
        if self.barrier is not None:
            reasons = [self.barrier.sentence]
        else:
            reasons = (
                [f"most often blocking: {' and '.join(self.blocking[0][0])}"]
                if self.blocking
                else []
            )
        if self.closest:
            near = ", ".join(
                f"{' and '.join(names)} {gap * 1e3:.1f} mm" for names, gap in self.closest
            )
            reasons.append(f"a path with less distance exists: {near}")
        return "; ".join(reasons)

    @property
    def told(self) -> str:
        """The result as one sentence without a point: what was planned and is proven, or why there
        is no path."""
        if self.path is None:
            return "no motion: " + "; ".join(
                part for part in (self.outcome.value, self.why) if part
            )
        proven = "not free" if self.missed else "proven free"
        parts = [f"a motion of {len(self.path)} points, {proven}"]
        if self.kept:
            parts.append(f"at least {self.kept.told}")
        near = format_list((each.told for each in self.nearer), MOST_TOLD)
        more = [
            f"closer are {near}" if near else "",
            told_missed(self.missed, "on it"),
            *self.notes,
        ]
        return "; ".join([", ".join(parts), *filter(None, more)])


@dataclass(frozen=True)
class SmokeTest:
    """`blocking`: pairs and the share of the random configurations in which they collide, most
    first.

    `milliseconds`: CPU time of each query, in order; `outcomes` likewise. `barriers`: what keeps
    start and goal apart, by the number of queries that it makes impossible. `kept`: what free poses
    and paths keep, metres.
    """

    queries: int
    seed: int
    free_share: float
    samples: int
    outcomes: tuple[Outcome, ...]
    milliseconds: tuple[float, ...]
    lengths: tuple[float, ...]
    blocking: tuple[tuple[tuple[str, str], float], ...]
    barriers: tuple[tuple[Barrier, int], ...] = ()
    kept: KeepAway = KeepAway()
    #: `Planned.told` of the queries without a motion, and of how many; most first.
    reasons: tuple[tuple[str, int], ...] = ()
    #: Pairs that nothing checks, with the share of the random configurations in which their meshes
    #: touch, most first.
    missed: tuple[tuple[tuple[str, str], float], ...] = ()
    #: How many of the planned motions are not free, because such meshes touch on them.
    not_free: int = 0
    #: What was assumed or left out.
    notes: tuple[str, ...] = ()

    __repr__ = brief

    @property
    def told(self) -> str:
        """The result as one sentence without a point: how many queries were solved, and why the
        others were not."""
        text = f"{self.solved} of {self.queries} queries planned"
        if self.not_free:
            text += f", {self.not_free} not free"
        parts = [f"{count}: {reason}" for reason, count in self.reasons[:MOST_TOLD]]
        rest = sum(count for _, count in self.reasons[MOST_TOLD:])
        missed = told_missed(tuple(names for names, _ in self.missed), "in random poses")
        more = (f"{rest} for other reasons" if rest else "", missed, *self.notes)
        return "; ".join([text, *parts, *filter(None, more)])

    @property
    def solved(self) -> int:
        return sum(outcome is Outcome.SOLVED for outcome in self.outcomes)

    @property
    def median_ms(self) -> float | None:
        return float(np.median(self.milliseconds)) if self.milliseconds else None


@check_arguments
def plan_between(
    robot: Described,
    start: PoseLike,
    goal: PoseLike,
    *,
    scene: Scene = EMPTY_SCENE,
    settings: PlannerSettings | None = None,
    model: MotionModel | None = None,
    cancel: Cancel = never,
) -> Planned:
    """A path between two poses (joint -> rad or m, or trajectories of one point), proven free.

    Raises Refused, SceneError, Cancelled.
    """
    settings = settings or PlannerSettings()
    model = _usable(robot, scene, model)
    description = describe_robot(robot)
    one, other = (
        pose_variables(model, description, read_pose(start))[0],
        pose_variables(model, description, read_pose(goal))[0],
    )
    names = _named("start", start), _named("goal", goal)
    return _search(model, one, other, settings, cancel, _Pieces(locate_robot(robot), model), names)


@check_arguments
def plan_to_random(
    robot: Described,
    start: PoseLike,
    *,
    scene: Scene = EMPTY_SCENE,
    settings: PlannerSettings | None = None,
    model: MotionModel | None = None,
    cancel: Cancel = never,
) -> Planned:
    """Plan a path to a random free pose. Raises Refused if no random pose is free."""
    settings = settings or PlannerSettings()
    model = _usable(robot, scene, model)
    goals, drawn = free_configurations(_keeping(model, settings.keep_away), 1, settings.seed)
    if not len(goals):
        raise Refused(f"none of {drawn:,} random configurations {_keeps(settings.keep_away, 'is')}")
    start_values = pose_variables(model, describe_robot(robot), read_pose(start))[0]
    names = _named("start", start), "goal"
    return _search(
        model, start_values, goals[0], settings, cancel, _Pieces(locate_robot(robot), model), names
    )


@check_arguments
def plan_to_tool(
    robot: Described,
    start: PoseLike,
    targets: ToolTarget | Sequence[ToolTarget],
    *,
    near: PoseLike | None = None,
    locked: Collection[str] = (),
    weights: Mapping[str, float] | None = None,
    scene: Scene = EMPTY_SCENE,
    settings: PlannerSettings | None = None,
    model: MotionModel | None = None,
    cancel: Cancel = never,
) -> Planned:
    """Plan a path to a pose with the tools at their targets, by inverse kinematics of the c-space
    joints.

    Postures that collide with the robot or the scene are passed over; the others are tried one
    after the other, the nearest to `near` (joint -> rad or m; default: the start) first. `locked`,
    `weights`: as in `reach`; what joints of less weight move counts as so much farther. Raises
    Refused when the targets cannot be reached, or only in collision.
    """
    settings = settings or PlannerSettings()
    model = _usable(robot, scene, model)
    targets = targets_of(targets)
    description = describe_robot(robot)
    tree = get_tree(description)
    one = pose_variables(model, description, read_pose(start))[0]
    standing = {**model.pose(one), **read_pose(start)}
    controlled = {model.variables[k] for k in model.moving.tolist()}
    solver = solver_of(
        tree, targets, standing, {*locked, *(set(tree.independent) - controlled)}, weights
    )
    reaches = solver.postures(
        targets, {**standing, **(read_pose(near) if near is not None else {})}, seed=settings.seed
    )
    if not reaches[0].is_reached:
        raise Refused(f"the target is out of reach: {told_rest(reaches[0])}")
    goals = np.array([model.values({**standing, **reach.pose}) for reach in reaches])
    goals[np.abs(goals) < ROUNDED] = 0.0
    rows = model.first_collisions(goals, model.counting_at(1))
    free = goals[rows < 0]
    if not len(free):
        (row, _), *_ = Counter(rows.tolist()).most_common(1)
        raise Refused(
            "the target is reached only in collision; most often blocking: "
            f"{' and '.join(model.names(row))}"
        )
    # Postures that keep the clearance come first.
    free = free[
        np.argsort(model.keeping(settings.keep_away).first_collisions(free) >= 0, kind="stable")
    ]
    share = replace(settings, seconds=settings.seconds / min(len(free), POSTURES))
    pieces, names = _Pieces(locate_robot(robot), model), (_named("start", start), "goal")
    for goal in free[:POSTURES]:
        last = _search(model, one, goal, share, cancel, pieces, names)
        if last.path is not None or last.outcome in (Outcome.START_BLOCKED, Outcome.OUT_OF_RANGE):
            break
    return last


@check_arguments
def smoke_test(
    robot: Described,
    queries: int = 100,
    *,
    scene: Scene = EMPTY_SCENE,
    seed: int = 0,
    seconds: float = 5.0,
    keep_away: KeepAway = NOTHING_KEPT,
    ends: PoseLike | None = None,
    model: MotionModel | None = None,
    progress: Progress = silent,
    cancel: Cancel = never,
) -> SmokeTest:
    """Random pairs of free poses within the c-space's limits. `keep_away`: what poses and paths
    keep, metres.

    `ends`: these poses instead, start and goal of the first query, then of the second; `queries`
    does not count then. Raises Refused, SceneError, Cancelled.
    """
    if queries < 1:
        raise Refused("a smoke test needs one query or more")
    model = _usable(robot, scene, model)
    progress(0.0, "Finding free poses")
    kept = _keeping(model, keep_away)
    share, blocking = free_share(kept, SAMPLES, seed)
    if ends is not None:
        values, names = _given_ends(robot, model, ends)
        queries = len(names)
    else:
        values, drawn = free_configurations(kept, 2 * queries, seed)
        names = [("start", "goal")] * queries
        if len(values) < 2 * queries:
            raise Refused(
                f"{f'only {len(values)}' if len(values) else 'none'} of {drawn:,} random "
                "configurations "
                f"{_keeps(keep_away, 'are')}; most often blocking: "
                + ", ".join(f"{a} and {b} ({100.0 * part:.0f} %)" for (a, b), part in blocking[:3])
            )
    pieces = _Pieces(locate_robot(robot), model)
    drawn_values = model.random_values(MISSED_SAMPLES, seed)
    touched, missed = pieces.touched(drawn_values)
    if missed:
        # A pose in which ignored meshes touch is not free.
        share = float(((kept.first_collisions(drawn_values) < 0) & ~touched).mean())
    results: list[Planned] = []
    tick = make_stoppable(progress, cancel)
    for k in range(queries):
        tick(k / queries, f"Planning: query {k + 1} of {queries}")
        settings = PlannerSettings(seconds, seed=seed + k, keep_away=keep_away)
        results.append(
            _search(model, values[2 * k], values[2 * k + 1], settings, cancel, pieces, names[k])
        )
    progress(1.0, "Done")
    barriers = {each.barrier.sentence: each.barrier for each in results if each.barrier is not None}
    counts = Counter(each.barrier.sentence for each in results if each.barrier is not None)
    reasons = Counter(each.told for each in results if each.path is None)
    return SmokeTest(
        queries,
        seed,
        share,
        MISSED_SAMPLES if missed else SAMPLES,
        tuple(each.outcome for each in results),
        tuple(each.cpu_seconds * 1e3 for each in results),
        tuple(each.length for each in results),
        blocking,
        tuple((barriers[key], count) for key, count in counts.most_common()),
        keep_away,
        tuple(reasons.most_common()),
        missed,
        sum(bool(each.missed) for each in results),
        pieces.notes,
    )


def _given_ends(
    robot: Described, model: MotionModel, ends: PoseLike
) -> tuple[F64, list[tuple[str, str]]]:
    """Return the configurations (2n, joints) and the names of start and goal of each query. Raises
    Refused."""
    values = pose_variables(model, describe_robot(robot), ends)
    labels = make_trajectory(ends).labels or tuple(map(str, range(1, len(values) + 1)))
    if not len(values) or len(values) % 2:
        raise Refused(
            f"start and goal alternate: the number of poses must be even, not {len(values)}"
        )
    return values, list(zip(labels[::2], labels[1::2], strict=True))


def free_share(
    model: MotionModel, samples: int, seed: int
) -> tuple[float, tuple[tuple[tuple[str, str], float], ...]]:
    """Share of random configurations that keep the model's margins, and the pairs by the share in
    which they do not."""
    values = model.random_values(samples, seed)
    free = float((model.first_collisions(values) < 0).mean())
    spots, _ = model.nearer(values[: samples // 4])
    counts = Counter(spots[:, 1].tolist())
    return free, tuple((model.names(row), n / (samples // 4)) for row, n in counts.most_common())


def _usable(robot: Described, scene: Scene, model: MotionModel | None) -> MotionModel:
    model = comparing_model(describe_robot(robot), scene, model=model)
    if not len(model.variables):
        raise Refused("the robot has no movable joint")
    return model


def _keeping(model: MotionModel, keep_away: KeepAway) -> MotionModel:
    """The model that keeps this. Raises Refused where nothing ever does."""
    kept = model.keeping(keep_away)
    margins, count = kept.fixed.margin[kept.rows], int((kept.rows < len(kept.spheres.pairs)).sum())
    for asked, part, told in (
        (keep_away.itself, margins[:count], KeepAway(itself=keep_away.itself).told),
        (keep_away.obstacles, margins[count:], KeepAway(keep_away.obstacles).told),
    ):
        if asked > 0.0 and len(part) and not part.any():
            raise Refused(f"no link is {told} in any of {SEEN} random configurations")
    return kept


def _keeps(keep_away: KeepAway, verb: str) -> str:
    """ "is free", "is 20 mm from obstacles"."""
    return f"{verb} {keep_away.told or 'free'}"


def _named(place: str, pose: PoseLike) -> str:
    """ "goal", "goal (Pose 1)"."""
    labels = make_trajectory(pose).labels
    return f"{place} ({labels[0]})" if labels and labels[0] not in ("", place) else place


class _Pieces:
    """What keeps a query from its path: the pieces that spheres leave, what lies between them, what
    overlaps at its ends. Pieces and meshes are made when the first query asks."""

    def __init__(
        self,
        placed: PlacedRobot,
        model: MotionModel,
    ) -> None:
        self._placed, self._model = placed, model
        self._grids: dict[tuple[KeepAway, bytes], list[Grid]] = {}
        self._barriers: dict[tuple[int, ...], Barrier] = {}

    def _of(self, keep_away: KeepAway, start: F64, cancel: Cancel) -> list[Grid]:
        # Joints outside of the c-space stand where the start has them.
        held = start.copy()
        held[self._model.moving] = self._model.default[self._model.moving]
        key = keep_away, held.tobytes()
        if key not in self._grids:
            self._grids[key], _ = grids_of(
                self._model.keeping(keep_away), make_stoppable(silent, cancel), held
            )
        return self._grids[key]

    def barrier(self, start: F64, goal: F64, keep_away: KeepAway, cancel: Cancel) -> Barrier | None:
        """What is proven to keep them apart, if anything: spheres that overlap, else what has to be
        kept."""
        return self._barrier(start, goal, NOTHING_KEPT, cancel) or (
            self._barrier(start, goal, keep_away, cancel) if keep_away.itself else None
        )

    def _barrier(
        self, start: F64, goal: F64, keep_away: KeepAway, cancel: Cancel
    ) -> Barrier | None:
        model = self._model.keeping(keep_away)
        if (model.first_collisions(np.array([start, goal])) >= 0).any():
            # What is nearer at an end may stay so for a stretch.
            return None
        grids = self._of(keep_away, start, cancel)
        grid = find_separating_grid(grids, start, goal)
        if grid is None:
            return None
        key = id(grid), grid.cells.piece(start), grid.cells.piece(goal)
        if key not in self._barriers:
            look = None if keep_away else self._look
            self._barriers[key] = barrier_between(model, grids, start, goal, look)
        return self._barriers[key]

    def overlaps(self, values: F64, end: int) -> list[tuple[tuple[str, str], str]]:
        """What counts and overlaps at the start (`end` 0) or goal (1), deepest first: names, and
        how deep, with what the meshes say of the pair at this configuration (variables,)."""
        model = self._model
        spots, gaps = model.row_clearances(values[None], 0.0, model.counting_at(end))
        rows = [
            (int(spots[k, 1]), -float(gaps[k])) for k in np.argsort(gaps, kind="stable").tolist()
        ]
        return [
            (model.names(row), f"{depth * 1e3:.1f} mm{self._by_meshes(model.pair(row), values)}")
            for row, depth in rows
        ]

    def _by_meshes(self, pair: LinkPair | None, values: F64) -> str:
        row = (
            None
            if pair is None or self._meshes is None
            else self._meshes.motion.spheres.pair_index.get(pair)
        )
        if row is None or self._meshes is None:
            return ""
        return (
            " (their meshes "
            f"{'touch too' if self._meshes.touches(row, values) else 'are apart there'})"
        )

    @cached_property
    def _unchecked(self) -> tuple[UncheckedPairs | None, tuple[str, ...]]:
        notes = [*self._model.notes]
        return unchecked_pairs(self._placed, self._model, notes), tuple(notes)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was assumed or left out."""
        return self._unchecked[1]

    def missed(self, path: F64) -> tuple[tuple[str, str], ...]:
        """The pairs that nothing checks whose meshes touch along a path (n, variables)."""
        unchecked, _ = self._unchecked
        return () if unchecked is None else unchecked.along(path)

    def touched(self, values: F64) -> tuple[Bools, tuple[tuple[tuple[str, str], float], ...]]:
        """The same in configurations (n, variables): in which of them, and the share of each pair,
        most first."""
        unchecked, _ = self._unchecked
        return (np.zeros(len(values), bool), ()) if unchecked is None else unchecked.touched(values)

    @cached_property
    def _look(self) -> MeshRows | None:
        return MeshRows.of(self._meshes)

    @cached_property
    def _meshes(self) -> MeshMotion | None:
        return meshes_to_ask(self._placed, [])


def _search(
    model: MotionModel,
    start: F64,
    goal: F64,
    settings: PlannerSettings,
    cancel: Cancel,
    pieces: _Pieces,
    names: tuple[str, str] = ("start", "goal"),
) -> Planned:
    """A moment of planning; then, if a path is possible at all, the rest of the time. `names` of
    start and goal."""
    cpu = time.process_time()
    result = plan_path(
        model, start, goal, replace(settings, seconds=min(QUICK, settings.seconds)), cancel
    )
    if result.outcome in (Outcome.SOLVED, Outcome.TIMED_OUT):
        _keeping(model, settings.keep_away)
    barrier: Barrier | None = None
    closest: tuple[tuple[tuple[str, str], float], ...] = ()
    if result.outcome is Outcome.TIMED_OUT:
        barrier = pieces.barrier(start, goal, settings.keep_away, cancel)
        if barrier is not None:
            result = replace(result, outcome=Outcome.APART)
        elif settings.seconds > QUICK:
            result = plan_path(
                model, start, goal, replace(settings, seconds=settings.seconds - QUICK), cancel
            )
        if settings.keep_away and result.path is None:
            closest = _closest(model, start, goal, settings, cancel)
        result = replace(result, cpu_seconds=time.process_time() - cpu)
    missed = () if result.path is None else pieces.missed(result.path)
    planned = replace(
        _planned(model, result), barrier=barrier, closest=closest, missed=missed, notes=pieces.notes
    )
    if result.outcome is Outcome.OUT_OF_RANGE:
        return replace(
            planned, refused=_of_both(names, (_outside(model, start), _outside(model, goal)))
        )
    if result.outcome in (Outcome.START_BLOCKED, Outcome.GOAL_BLOCKED):
        overlaps = pieces.overlaps(start, 0), pieces.overlaps(goal, 1)
        pairs = tuple((pair, 1) for each in overlaps for pair, _ in each)
        deep = [
            [f"{' and '.join(pair)} overlap by {told}" for pair, told in each] for each in overlaps
        ]
        return replace(planned, refused=_of_both(names, (deep[0], deep[1])), blocking=pairs)
    return planned


def _closest(
    model: MotionModel, start: F64, goal: F64, settings: PlannerSettings, cancel: Cancel
) -> tuple[tuple[tuple[str, str], float], ...]:
    """What a path that keeps nothing comes closest to, obstacle and link of its own, as far as that
    is less than asked for; nothing where a moment finds no such path."""
    bare = plan_path(
        model, start, goal, replace(settings, seconds=QUICK, keep_away=NOTHING_KEPT), cancel
    )
    if bare.path is None:
        return ()
    count = len(model.spheres.pairs)
    closest = []
    for rows, asked in (
        (model.rows[model.rows >= count], settings.keep_away.obstacles),
        (model.rows[model.rows < count], settings.keep_away.itself),
    ):
        lines = (
            [model.worst(a, b, rows=rows) for a, b in itertools.pairwise(bare.path)]
            if len(rows)
            else []
        )
        worst = min(lines, key=lambda line: line.clearance, default=None)
        if worst is not None and worst.clearance < asked:
            closest.append((model.names(worst.row), worst.clearance))
    return tuple(closest)


def _of_both(names: tuple[str, str], reasons: tuple[list[str], list[str]]) -> str:
    """As "goal (Pose 1): elbow at 401.0°, 41.0° above its upper limit 360.0°"."""
    return "; ".join(
        f"{name}: {format_list(each, MOST_TOLD)}"
        for name, each in zip(names, reasons, strict=True)
        if each
    )


def _outside(model: MotionModel, values: F64) -> list[str]:
    """Which joints of a configuration (variables,) are outside their limits, the farthest first."""
    bodies = model.spheres.bodies
    sliding = set(bodies.dof[bodies.prismatic.astype(bool)].tolist())
    lower, upper = model.spheres.limits.T
    excess = np.maximum(lower - values, values - upper)

    def told(k: int, value: float) -> str:
        return f"{value * 1e3:.1f} mm" if k in sliding else f"{math.degrees(value):.1f}°"

    joints = [k for k in model.moving.tolist() if excess[k] > OVER_LIMIT]
    return [
        f"{model.variables[k]} at {told(k, values[k])}, {told(k, excess[k])} "
        + (
            f"above its upper limit {told(k, upper[k])}"
            if values[k] > upper[k]
            else f"below its lower limit {told(k, lower[k])}"
        )
        for k in sorted(joints, key=lambda k: -float(excess[k]))
    ]


def _planned(model: MotionModel, result: PlannedPath) -> Planned:
    if result.outcome is Outcome.CANCELLED:
        raise Cancelled
    joints = tuple(model.variables[k] for k in model.moving.tolist())
    path = None
    if result.path is not None:
        path = Trajectory(joints, tuple(map(tuple, result.path[:, model.moving].tolist())))
    by_count = sorted(result.blocked.items(), key=lambda entry: -entry[1])
    blocking = tuple((model.names(row), count) for row, count in by_count)
    return Planned(
        result.outcome,
        path,
        result.cpu_seconds,
        result.nodes,
        result.length,
        blocking,
        kept=result.kept,
        nearer=result.nearer,
    )
