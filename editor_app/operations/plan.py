"""Can a planner get about with this model? One path, or a smoke test of many random queries.

Where a path is not there after a moment, start and goal are looked up in the pieces that spheres leave of the joints'
ranges (`operations.passages`): in different ones, no path exists, and that is told with joint, interval and pair.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from editor_app.kinematics.inverse import ToolTarget
from editor_app.kinematics.tree import tree_of
from editor_app.model.brief import brief
from editor_app.model.scene import EMPTY_SCENE, Scene
from editor_app.model.trajectory import Trajectory
from editor_app.motion.model import MotionModel
from editor_app.motion.passages import Barrier, Grid, Look, apart, barrier_between, grids_of
from editor_app.motion.planner import OVER_LIMIT, free_configurations, plan
from editor_app.motion.results import Outcome, Plan, PlannerSettings
from editor_app.operations.arguments import checked
from editor_app.operations.collide import motion_model_of, values_of
from editor_app.operations.described import Described, PoseLike, description_of, mesh_places, pose_of
from editor_app.operations.passages import meshes_to_ask
from editor_app.operations.pose import solver_of, targets_of, told_rest
from editor_app.operations.work import Cancel, Cancelled, Progress, Refused, never, silent, stoppable
from editor_app.self_collision.types import F64

#: Random configurations that the share of free ones is taken from.
SAMPLES = 20_000
#: Postures at a target of a tool that are tried one after the other.
POSTURES = 6


#: Seconds after which start and goal are looked up in the pieces that spheres leave.
QUICK = 0.25


@dataclass(frozen=True)
class Planned:
    """`path` (joints of the c-space) is None without a path. `blocking`: names of what is in the way, or was most.

    `barrier`: what keeps start and goal apart, where that is proven.
    """

    outcome: Outcome
    path: Trajectory | None
    cpu_seconds: float
    nodes: int
    length: float
    blocking: tuple[tuple[tuple[str, str], int], ...]
    barrier: Barrier | None = None
    #: Joints of start and goal outside their limits, and by how much.
    outside: str = ""

    __repr__ = brief

    @property
    def why(self) -> str:
        """Why there is no path, as far as that is known; "" with one."""
        if self.path is not None:
            return ""
        if self.barrier is not None:
            return self.barrier.sentence
        if self.outside:
            return self.outside
        return f"most often in the way: {' and '.join(self.blocking[0][0])}" if self.blocking else ""


@dataclass(frozen=True)
class SmokeTest:
    """`blocking`: pairs and the share of the random configurations in which they collide, most first.

    `milliseconds`: CPU time of each query, in order; `outcomes` likewise. `barriers`: what keeps start and goal apart,
    by the number of queries that it makes impossible.
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

    __repr__ = brief

    @property
    def solved(self) -> int:
        return sum(outcome is Outcome.SOLVED for outcome in self.outcomes)

    @property
    def median_ms(self) -> float | None:
        return float(np.median(self.milliseconds)) if self.milliseconds else None


@checked
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
    model = _usable(robot, scene, model)
    description = description_of(robot)
    one, other = values_of(model, description, pose_of(start))[0], values_of(model, description, pose_of(goal))[0]
    return _search(model, one, other, settings, cancel, _Pieces(robot, model))


@checked
def plan_to_random(
    robot: Described,
    start: PoseLike,
    *,
    scene: Scene = EMPTY_SCENE,
    settings: PlannerSettings | None = None,
    model: MotionModel | None = None,
    cancel: Cancel = never,
) -> Planned:
    """The same to a random free pose. Raises Refused when no random pose is free."""
    model = _usable(robot, scene, model)
    settings = settings or PlannerSettings()
    goals, drawn = free_configurations(model, 1, settings.seed)
    if not len(goals):
        raise Refused(f"none of {drawn:,} random configurations is free")
    start_values = values_of(model, description_of(robot), pose_of(start))[0]
    return _search(model, start_values, goals[0], settings, cancel, _Pieces(robot, model))


@checked
def plan_to_tool(
    robot: Described,
    start: PoseLike,
    targets: ToolTarget | Sequence[ToolTarget],
    *,
    near: PoseLike | None = None,
    locked: Collection[str] = (),
    scene: Scene = EMPTY_SCENE,
    settings: PlannerSettings | None = None,
    model: MotionModel | None = None,
    cancel: Cancel = never,
) -> Planned:
    """The same to where tools are at their targets, by inverse kinematics within the joints of the c-space.

    Postures that collide with the robot or the scene are passed over; the others are tried one after the other, the
    nearest to `near` (joint -> rad or m; default: the start) first. Raises Refused when the targets cannot be reached,
    or only in collision.
    """
    model = _usable(robot, scene, model)
    settings = settings or PlannerSettings()
    targets = targets_of(targets)
    description = description_of(robot)
    tree = tree_of(description)
    one = values_of(model, description, pose_of(start))[0]
    standing = {**model.pose(one), **pose_of(start)}
    controlled = {model.variables[k] for k in model.moving.tolist()}
    solver = solver_of(tree, targets, standing, {*locked, *(set(tree.independent) - controlled)})
    reaches = solver.postures(targets, {**standing, **(pose_of(near) if near is not None else {})}, seed=settings.seed)
    if not reaches[0].is_reached:
        raise Refused(f"the target is out of reach: {told_rest(reaches[0])}")
    goals = np.array([model.values({**standing, **reach.pose}) for reach in reaches])
    rows = model.first_collisions(goals)
    free = goals[rows < 0]
    if not len(free):
        (row, _), *_ = Counter(rows.tolist()).most_common(1)
        raise Refused(
            f"the target is reached only in collision; most often in the way: {' and '.join(model.names(row))}"
        )
    share = replace(settings, seconds=settings.seconds / min(len(free), POSTURES))
    pieces = _Pieces(robot, model)
    for goal in free[:POSTURES]:
        last = _search(model, one, goal, share, cancel, pieces)
        if last.path is not None or last.outcome in (Outcome.START_BLOCKED, Outcome.OUT_OF_RANGE):
            break
    return last


@checked
def smoke_test(
    robot: Described,
    queries: int = 100,
    *,
    urdf_path: Path | None = None,
    mappings: Mapping[str, Path] | None = None,
    scene: Scene = EMPTY_SCENE,
    seed: int = 0,
    seconds: float = 5.0,
    model: MotionModel | None = None,
    progress: Progress = silent,
    cancel: Cancel = never,
) -> SmokeTest:
    """Random pairs of free poses within the c-space's limits.

    `urdf_path`, `mappings` (package -> folder): how meshes are found when `robot` is no document.
    Raises Refused, SceneError, Cancelled.
    """
    if queries < 1:
        raise Refused("a smoke test wants one query or more")
    model = _usable(robot, scene, model)
    progress(0.0, "Looking for free poses")
    share, blocking = free_share(model, SAMPLES, seed)
    ends, drawn = free_configurations(model, 2 * queries, seed)
    if len(ends) < 2 * queries:
        raise Refused(
            f"only {len(ends)} of {drawn:,} random configurations are free; most often in the way: "
            + ", ".join(f"{a} and {b} ({100.0 * part:.0f} %)" for (a, b), part in blocking[:3])
        )
    pieces = _Pieces(robot, model, urdf_path, mappings)
    results: list[Planned] = []
    tick = stoppable(progress, cancel)
    for k in range(queries):
        tick(k / queries, f"Planning: query {k + 1} of {queries}")
        settings = PlannerSettings(seconds, seed=seed + k)
        results.append(_search(model, ends[2 * k], ends[2 * k + 1], settings, cancel, pieces))
    progress(1.0, "Done")
    barriers = {id(each.barrier): each.barrier for each in results if each.barrier is not None}
    counts = Counter(id(each.barrier) for each in results if each.barrier is not None)
    return SmokeTest(
        queries, seed, share, SAMPLES, tuple(each.outcome for each in results),
        tuple(each.cpu_seconds * 1e3 for each in results), tuple(each.length for each in results), blocking,
        tuple((barriers[key], count) for key, count in counts.most_common()),
    )  # fmt: skip


def free_share(model: MotionModel, samples: int, seed: int) -> tuple[float, tuple[tuple[tuple[str, str], float], ...]]:
    """Share of random configurations that are free, and the pairs by the share in which they collide."""
    rng = np.random.default_rng(seed)
    lower, upper = model.spheres.lower[model.moving], model.spheres.upper[model.moving]
    values: F64 = np.repeat(model.default[None, :], samples, axis=0)
    values[:, model.moving] = lower + rng.random((samples, len(lower))) * (upper - lower)
    free = float((model.first_collisions(values) < 0).mean())
    spots, _ = model.row_clearances(values[: samples // 4], 0.0, model.rows)
    counts = Counter(spots[:, 1].tolist())
    return free, tuple((model.names(row), n / (samples // 4)) for row, n in counts.most_common())


def _usable(robot: Described, scene: Scene, model: MotionModel | None) -> MotionModel:
    model = model or motion_model_of(description_of(robot), scene)
    if not model.row_count:
        raise Refused("there are no two frames with collision spheres: fit spheres first")
    if not len(model.variables):
        raise Refused("the robot has no joint that moves")
    return model


class _Pieces:
    """The pieces that spheres leave, and what lies between them: made when the first query asks."""

    def __init__(
        self,
        robot: Described,
        model: MotionModel,
        urdf_path: Path | None = None,
        mappings: Mapping[str, Path] | None = None,
    ) -> None:
        self._robot, self._model, self._urdf_path, self._mappings = robot, model, urdf_path, mappings
        self._grids: dict[bytes, list[Grid]] = {}
        self._barriers: dict[tuple[int, ...], Barrier] = {}

    def _of(self, start: F64, cancel: Cancel) -> list[Grid]:
        # Joints outside of the c-space stand where the start has them.
        held = start.copy()
        held[self._model.moving] = self._model.default[self._model.moving]
        if held.tobytes() not in self._grids:
            self._grids[held.tobytes()], _ = grids_of(self._model, stoppable(silent, cancel), held)
        return self._grids[held.tobytes()]

    def barrier(self, start: F64, goal: F64, cancel: Cancel) -> Barrier | None:
        """What is proven to keep them apart, if anything."""
        grids = self._of(start, cancel)
        grid = apart(grids, start, goal)
        if grid is None:
            return None
        key = (id(grid), *sorted((grid.cells.piece(start), grid.cells.piece(goal))))
        if key not in self._barriers:
            self._barriers[key] = barrier_between(self._model, grids, start, goal, self._look)
        return self._barriers[key]

    @cached_property
    def _look(self) -> Look | None:
        urdf_path, mappings = mesh_places(self._robot, self._urdf_path, self._mappings)
        return Look.of(meshes_to_ask(description_of(self._robot), urdf_path, mappings, []))


def _search(
    model: MotionModel, start: F64, goal: F64, settings: PlannerSettings | None, cancel: Cancel, pieces: _Pieces
) -> Planned:
    """A moment of planning; then, if a path is possible at all, the rest of the time."""
    settings = settings or PlannerSettings()
    cpu = time.process_time()
    result = plan(model, start, goal, replace(settings, seconds=min(QUICK, settings.seconds)), cancel)
    barrier = None
    if result.outcome is Outcome.TIMED_OUT:
        barrier = pieces.barrier(start, goal, cancel)
        if barrier is not None:
            result = replace(result, outcome=Outcome.APART)
        elif settings.seconds > QUICK:
            result = plan(model, start, goal, replace(settings, seconds=settings.seconds - QUICK), cancel)
        result = replace(result, cpu_seconds=time.process_time() - cpu)
    outside = _outside(model, start, goal) if result.outcome is Outcome.OUT_OF_RANGE else ""
    return replace(_planned(model, result), barrier=barrier, outside=outside)


def _outside(model: MotionModel, start: F64, goal: F64) -> str:
    """Which joints of start and goal (variables,) are outside their limits, as "goal: elbow by 4.0°"."""
    bodies = model.spheres.bodies
    sliding = set(bodies.dof[bodies.prismatic.astype(bool)].tolist())
    ends = []
    for name, values in (("start", start), ("goal", goal)):
        excess = np.maximum(model.spheres.lower - values, values - model.spheres.upper)
        joints = [
            f"{model.variables[k]} by "
            + (f"{excess[k] * 1e3:.1f} mm" if k in sliding else f"{math.degrees(excess[k]):.1f}°")
            for k in model.moving.tolist()
            if excess[k] > OVER_LIMIT
        ]
        if joints:
            ends.append(f"{name}: {', '.join(joints)}")
    return "; ".join(ends)


def _planned(model: MotionModel, result: Plan) -> Planned:
    if result.outcome is Outcome.CANCELLED:
        raise Cancelled
    joints = tuple(model.variables[k] for k in model.moving.tolist())
    path = None
    if result.path is not None:
        path = Trajectory(joints, tuple(map(tuple, result.path[:, model.moving].tolist())))
    if result.row >= 0:
        blocking: tuple[tuple[tuple[str, str], int], ...] = ((model.names(result.row), 1),)
    else:
        by_count = sorted((result.blocked or {}).items(), key=lambda entry: -entry[1])
        blocking = tuple((model.names(row), count) for row, count in by_count)
    return Planned(result.outcome, path, result.cpu_seconds, result.nodes, result.length, blocking)
