"""A bidirectional RRT-Connect with shortcutting, on lines that are proven free; answers in milliseconds on one core.

J. J. Kuffner, S. M. LaValle, RRT-Connect, ICRA 2000. An own one, because the wheels of OMPL leave Windows out.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable

import numpy as np

from editor_app.motion import kernels
from editor_app.motion.model import MotionModel
from editor_app.motion.results import Outcome, Plan, PlannerSettings
from editor_app.motion.warmup import load
from editor_app.self_collision.types import F64, I64

Cancelled = Callable[[], bool]

#: Branches that are tried between two looks at clock and cancel flag.
CHUNK = 200
#: Nodes per tree.
MOST = 20_000
#: A branch is at most this long: radians of a joint that turns as far as a whole turn.
LONGEST = 1.5
#: Pieces of a branch may be this short (share of it) before it counts as blocked.
FINEST = 1e-3
#: What rounding may put a position outside its limits (rad or m).
OVER_LIMIT = 1e-9


def weights(model: MotionModel) -> F64:
    """(variables,): 1 for joints that turn; a sliding joint's whole range counts as half a turn."""
    result = np.ones(len(model.variables))
    bodies = model.spheres.bodies
    for body, dof in enumerate(bodies.dof.tolist()):
        if dof >= 0 and bodies.prismatic[body]:
            span = float(model.spheres.upper[dof] - model.spheres.lower[dof])
            result[dof] = np.pi / span if span > 0.0 else 1.0
    return result


def plan(
    model: MotionModel,
    start: F64,
    goal: F64,
    settings: PlannerSettings | None = None,
    is_cancelled: Cancelled | None = None,
) -> Plan:
    """A path from start to goal (variables,), only if every line of it is proven free.

    Variables outside the c-space keep the start's values. The same seed gives the same path.
    """

    settings = settings or PlannerSettings()
    # No clock counts it.
    load()
    cpu = time.process_time()
    start = np.array(start, float)
    fixed = np.setdiff1d(np.arange(len(model.variables)), model.moving)
    goal = np.array(goal, float)
    goal[fixed] = start[fixed]
    blocked = np.zeros(max(1, model.row_count), np.int64)

    def ended(outcome: Outcome, path: F64 | None = None, nodes: int = 0, row: int = -1) -> Plan:
        length = 0.0 if path is None else float(np.linalg.norm(np.diff(path, axis=0) * weight, axis=1).sum())
        blocked_rows = {int(r): int(blocked[r]) for r in np.flatnonzero(blocked).tolist()}
        return Plan(outcome, path, time.process_time() - cpu, nodes, length, row, blocked_rows)

    weight = weights(model)
    lower, upper = start.copy(), start.copy()
    lower[model.moving] = model.spheres.lower[model.moving]
    upper[model.moving] = model.spheres.upper[model.moving]
    if any(((q < lower - OVER_LIMIT) | (q > upper + OVER_LIMIT)).any() for q in (start, goal)):
        return ended(Outcome.OUT_OF_RANGE)
    ends = model.first_collisions(np.array([start, goal]))
    for row, outcome in zip(ends.tolist(), (Outcome.START_BLOCKED, Outcome.GOAL_BLOCKED), strict=True):
        if row >= 0:
            return ended(outcome, row=row)
    if model.line(start, goal, FINEST).free:
        return ended(Outcome.SOLVED, np.array([start, goal]), 2)
    nodes = np.empty((2, MOST, len(start)))
    nodes[0, 0], nodes[1, 0] = start, goal
    parents = np.full((2, MOST), -1, np.int64)
    counts = np.ones(2, np.int64)
    rng = np.array([settings.seed * 2 + 1], np.uint64)
    room, f, rows = model._room, model.fixed, model.rows
    until = time.monotonic() + settings.seconds
    meet = (-1, -1)
    while meet[0] == -1:
        if is_cancelled is not None and is_cancelled():
            return ended(Outcome.CANCELLED, None, int(counts.sum()))
        if time.monotonic() > until:
            break
        meet = kernels.grow_trees(
            nodes, parents, counts, lower, upper, weight, LONGEST, f, room, rows, FINEST, rng, CHUNK, blocked
        )
    if meet[0] < 0:
        return ended(Outcome.TIMED_OUT, None, int(counts.sum()))
    path = np.concatenate([_branch(nodes[0], parents[0], meet[0])[::-1], _branch(nodes[1], parents[1], meet[1])])
    path = _distinct(path)
    space = np.empty((len(path) + settings.shortcuts + 4, len(start)))
    space[: len(path)] = path
    count = kernels.shortcut(space, len(path), weight, f, room, rows, FINEST, rng, settings.shortcuts)
    shorter = _distinct(space[:count])
    # Each line was proven on its own; the path that is given out is proven again as it is, to rounding.
    for candidate in (shorter, path):
        if proven(model, candidate):
            return ended(Outcome.SOLVED, candidate, int(counts.sum()))
    return ended(Outcome.TIMED_OUT, None, int(counts.sum()))


def proven(model: MotionModel, path: F64) -> bool:
    """Whether every straight line of a path (n, variables) is proven free."""
    return all(model.line(a, b).free for a, b in itertools.pairwise(path))


def _branch(nodes: F64, parents: I64, node: int) -> F64:
    """From a node to the root of its tree."""
    order = []
    while node >= 0:
        order.append(node)
        node = int(parents[node])
    return nodes[order]


def _distinct(path: F64) -> F64:
    """Without points that equal the one before."""
    keep = np.ones(len(path), bool)
    keep[1:] = (np.diff(path, axis=0) != 0.0).any(axis=1)
    return path[keep].copy()


def free_configurations(model: MotionModel, count: int, seed: int = 0, most: int = 200) -> tuple[F64, int]:
    """(count, variables) random free configurations (fewer when hardly any is), and how many were drawn for them.

    Variables outside the c-space stand at the default.
    """
    rng = np.random.default_rng(seed)
    lower, upper = model.spheres.lower[model.moving], model.spheres.upper[model.moving]
    batches: list[F64] = []
    drawn = 0
    while sum(map(len, batches)) < count and drawn < most * max(count, 100):
        values = np.repeat(model.default[None, :], max(64, count), axis=0)
        values[:, model.moving] = lower + rng.random((len(values), len(lower))) * (upper - lower)
        batches.append(values[model.first_collisions(values) < 0])
        drawn += len(values)
    table = np.concatenate(batches) if batches else np.zeros((0, len(model.variables)))
    return table[:count], drawn
