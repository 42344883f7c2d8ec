"""A bidirectional RRT-Connect with shortcutting, on lines that are proven free; answers in
milliseconds on one core.

J. J. Kuffner, S. M. LaValle, RRT-Connect, ICRA 2000. An own one, because the wheels of OMPL leave
   Windows out.
"""

from __future__ import annotations

import itertools
import math
import time

import numpy as np

from editor_app.core.arrays import F64, I64
from editor_app.core.progress import Cancel, never
from editor_app.plugins.motion.engine import kernels
from editor_app.plugins.motion.engine.allowed_contacts import AllowedContacts
from editor_app.plugins.motion.engine.model import MotionModel
from editor_app.plugins.motion.engine.results import (
    Nearer,
    Outcome,
    PlannedPath,
    PlannerSettings,
    Stretch,
)
from editor_app.plugins.motion.engine.warmup import load_kernels

#: Branches that are tried between two looks at clock and cancel flag.
CHUNK = 200
#: Nodes per tree.
MOST = 20_000
#: A branch is at most this long: radians of a joint that turns as far as a whole turn.
LONGEST = 1.5
#: Pieces of a branch may be this short (share of it) before it counts as blocked.
FINEST = 1e-3
#: Of its clearance at the start or goal, what is nearer than its margin there keeps so much on the
#: way out.
LESS = 0.9
#: Lengths of ways out that are tried (radians), and random directions of each.
REACHES = (0.02, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6)
DIRECTIONS = 64
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


def plan_path(
    model: MotionModel,
    start: F64,
    goal: F64,
    settings: PlannerSettings | None = None,
    is_cancelled: Cancel = never,
) -> PlannedPath:
    """A path from start to goal (variables,), only if every line of it is proven to keep what the
    settings ask for.

    Variables outside the c-space keep the start's values. The same seed gives the same path.
    Raises Refused where a joint of the c-space slides without end.
    """
    model.spheres.refuse_endless(model.variables[k] for k in model.moving.tolist())
    settings = settings or PlannerSettings()
    # No clock counts it.
    load_kernels()
    cpu = time.process_time()
    start = np.array(start, float)
    fixed = np.setdiff1d(np.arange(len(model.variables)), model.moving)
    goal = np.array(goal, float)
    goal[fixed] = start[fixed]
    search = _Search(
        model.keeping(settings.keep_away), settings, is_cancelled, np.array([start, goal])
    )
    outcome, path = Outcome.SOLVED, None
    if (np.maximum(search.lower - (start, goal), (start, goal) - search.upper) > OVER_LIMIT).any():
        outcome = Outcome.OUT_OF_RANGE
    elif (blocked := [_is_blocked(model, end, k) for k, end in enumerate((start, goal))]) != [
        False,
        False,
    ]:
        outcome = Outcome.START_BLOCKED if blocked[0] else Outcome.GOAL_BLOCKED
    else:
        outcome, path = search.between(start, goal)
    length = 0.0
    if path is not None:
        length = float(np.linalg.norm(np.diff(path, axis=0) * search.weight, axis=1).sum())
    counts = {int(row): int(search.blocked[row]) for row in np.flatnonzero(search.blocked).tolist()}
    spent = time.process_time() - cpu
    kept = model.kept_of(settings.keep_away)
    return PlannedPath(
        outcome, path, spent, search.nodes, length, counts, kept, tuple(search.nearer)
    )


def _is_blocked(model: MotionModel, values: F64, end: int) -> bool:
    return bool(model.first_collisions(values[None], model.counting_at(end))[0] >= 0)


class _Search:
    """One query. `model` has the margins that are kept, and fewer where the ends of the query leave
    no other way."""

    def __init__(
        self, model: MotionModel, settings: PlannerSettings, is_cancelled: Cancel, ends: F64
    ) -> None:
        """`ends` (2, variables): start and goal."""
        self.model, self._settings, self._is_cancelled = model, settings, is_cancelled
        self.weight = weights(model)
        self.lower, self.upper = ends[0].copy(), ends[0].copy()
        spheres, moving = model.spheres, model.moving
        # A joint without limits may begin or end turns away.
        low, high = np.where(
            np.isinf(spheres.limits.T),
            (ends.min(axis=0), ends.max(axis=0)),
            (spheres.lower, spheres.upper),
        )
        self.lower[moving] = np.minimum(low, spheres.lower)[moving]
        self.upper[moving] = np.maximum(high, spheres.upper)[moving]
        #: How often each row stopped a branch; nodes of both trees.
        self.blocked = np.zeros(max(1, model.row_count), np.int64)
        self.nodes = 0
        self.nearer: list[Nearer] = []

    def between(self, start: F64, goal: F64) -> tuple[Outcome, F64 | None]:
        """A path between two free configurations; it leaves and reaches what is nearer than its
        margin first of all."""
        out: F64 | None = start[None]
        back: F64 | None = goal[None]
        # Free ends keep all that is asked, where nothing else is asked.
        if self._settings.keep_away or len(self.model.limited):
            self._tell_exempt(np.array([start, goal]))
            out, back = self._way_out(start, Stretch.START), self._way_out(goal, Stretch.GOAL)
        if out is None or back is None:
            return Outcome.STUCK, None
        outcome, path = self._connect(out, back[::-1])
        if path is None:
            return outcome, None
        return outcome, _distinct(np.concatenate([start[None], path, goal[None]]))

    def _tell_exempt(self, ends: F64) -> None:
        keep = self._settings.keep_away
        rows = self.model.rows
        asked = np.where(rows >= len(self.model.spheres.pairs), keep.obstacles, keep.itself)
        exempt = rows[(asked > 0.0) & (self.model.fixed.margin[rows] == 0.0)]
        spots, gaps = self.model.row_clearances(ends, math.inf, exempt)
        for row in exempt.tolist():
            self._tell(row, float(gaps[spots[:, 1] == row].min()), Stretch.WHOLE)

    def _tell(self, row: int, clearance: float, stretch: Stretch) -> None:
        self.nearer.append(Nearer(self.model.names(row), clearance, stretch))

    def _way_out(self, end: F64, stretch: Stretch) -> F64 | None:
        """(1 or 2, variables): where the margins are kept first, on a line from `end` on which what
        is nearer stays about as near, and what may touch there has come free within its distance;
        then how far they are kept.

        Where none is found, margins are lowered to what is possible at `end`, which is returned;
        None where something touches there.
        """
        spots, gaps = self.model.nearer(end[None])
        rows = spots[:, 1]
        if not len(rows):
            return end[None]
        margins = self.model.fixed.margin.copy()
        margins[rows] = LESS * np.maximum(gaps, 0.0)
        leaving = self.model.with_margins(margins)
        contacts = rows[gaps <= 0.0]
        way = self._line_out(end, leaving, contacts, stretch)
        for row, gap in zip(rows.tolist(), gaps.tolist(), strict=True):
            self._tell(row, gap, Stretch.WHOLE if way is None else stretch)
        if way is None and len(contacts):
            self.blocked[contacts] += 1
            return None
        if way is None:
            self.model = leaving
            return end[None]
        return way

    def _line_out(
        self, end: F64, leaving: MotionModel, contacts: I64, stretch: Stretch
    ) -> F64 | None:
        rng = np.random.default_rng(self._settings.seed)
        moving = self.model.moving
        single = np.concatenate(
            [np.eye(len(moving)), -np.eye(len(moving)), *self._straight_ways(end, contacts)]
        )

        def is_left(place: F64, finest: float = 1e-7) -> bool:
            if not len(contacts):
                return leaving.line(end, place, finest).free
            way = np.array([end, place] if stretch is Stretch.START else [place, end])
            return AllowedContacts(leaving, way, (stretch,)).line(0, finest).free

        # What held something has to come out of it as a whole, and so goes as far as it can.
        for reach in REACHES[::-1] if len(contacts) else REACHES:
            directions = np.concatenate([single, rng.standard_normal((DIRECTIONS, len(moving)))])
            steps = (
                directions
                * reach
                / np.linalg.norm(directions, axis=1)[:, None]
                / self.weight[moving]
            )
            places = np.repeat(end[None], len(steps), axis=0)
            places[:, moving] = np.clip(end[moving] + steps, self.lower[moving], self.upper[moving])
            for place in places[self.model.first_collisions(places) < 0]:
                if not is_left(place, FINEST):
                    continue
                # As soon as the margins are kept, the rest of the path keeps them.
                line = end + np.linspace(0.0, 1.0, 33)[1:, None] * (place - end)
                first = line[int(np.argmax(self.model.first_collisions(line) < 0))]
                if is_left(first):
                    return np.array(
                        [first, place]
                        if len(contacts) and self.model.line(first, place).free
                        else [first]
                    )
        return None

    def _straight_ways(self, end: F64, contacts: I64) -> list[F64]:
        """(12, moving) each: directions of the joints that lead a link that touches along axes of
        the root's frame, and along its own: away from a table, out of a gap."""
        model, moving, step = self.model, self.model.moving, 1e-5
        ways = []
        for frame in np.unique(model.touches[contacts - len(model.spheres.pairs), 0]).tolist():
            first, last = model.world.starts[frame : frame + 2].tolist()
            centre = model.world.spheres[first:last, :3].mean(axis=0)
            table = np.repeat(end[None], len(moving) + 1, axis=0)
            table[np.arange(len(moving)) + 1, moving] += step
            poses = model.body_poses(table)[:, model.world.frame_body[frame]]
            rotations = poses[:, :, :3]
            moved = (rotations @ centre + poses[:, :, 3])[1:] - (
                rotations[0] @ centre + poses[0, :, 3]
            )
            turned = rotations[1:] @ rotations[0].T
            # (moving, 6): metres along and radians about the axes of the root, per rad or m of each
            # joint.
            jacobian = (
                np.column_stack([moved, turned[:, 2, 1], turned[:, 0, 2], turned[:, 1, 0]]) / step
            )
            axes = np.concatenate([np.eye(3), rotations[0].T])
            wishes = np.column_stack([np.concatenate([axes, -axes]), np.zeros((12, 3))])
            steps = wishes @ np.linalg.pinv(jacobian, rcond=1e-3)
            ways.append(steps[np.linalg.norm(steps, axis=1) > 0.0] * self.weight[moving])
        return ways

    def _connect(self, out: F64, back: F64) -> tuple[Outcome, F64 | None]:
        """A path within the margins from the first of `out` to the last of `back`, along lines that
        keep them."""
        model, settings, weight = self.model, self._settings, self.weight
        if model.line(out[0], back[-1], FINEST).free:
            self.nodes = 2
            return Outcome.SOLVED, np.array([out[0], back[-1]])
        start, goal = out[-1], back[0]
        nodes = np.empty((2, MOST, len(start)))
        nodes[0, 0], nodes[1, 0] = start, goal
        parents = np.full((2, MOST), -1, np.int64)
        counts = np.ones(2, np.int64)
        rng = np.array([settings.seed * 2 + 1], np.uint64)
        room, f, rows = model._room, model.fixed, model.rows
        until = time.monotonic() + settings.seconds
        meet = (-1, -1)
        while meet[0] == -1 and time.monotonic() <= until:
            if self._is_cancelled():
                return Outcome.CANCELLED, None
            meet = kernels.grow_trees(
                nodes,
                parents,
                counts,
                self.lower,
                self.upper,
                weight,
                LONGEST,
                f,
                room,
                rows,
                FINEST,
                rng,
                CHUNK,
                self.blocked,
            )
            self.nodes = int(counts.sum())
        if meet[0] < 0:
            return Outcome.TIMED_OUT, None
        way, onwards = (
            _branch(nodes[0], parents[0], meet[0])[::-1],
            _branch(nodes[1], parents[1], meet[1]),
        )
        path = _distinct(np.concatenate([out[:1], way, onwards, back[-1:]]))
        space = np.empty((len(path) + settings.shortcuts + 4, len(start)))
        space[: len(path)] = path
        count = kernels.shortcut(
            space, len(path), weight, f, room, rows, FINEST, rng, settings.shortcuts
        )
        shorter = _distinct(space[:count])
        # Each line was proven on its own; the path that is given out is proven again as it is, to
        # rounding.
        for candidate in (shorter, path):
            if is_path_proven(model, candidate):
                return Outcome.SOLVED, candidate
        return Outcome.TIMED_OUT, None


def is_path_proven(model: MotionModel, path: F64) -> bool:
    """Return whether every straight line of a path (n, variables) is proven to keep the margins of
    the model."""
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


def free_configurations(
    model: MotionModel, count: int, seed: int = 0, most: int = 200
) -> tuple[F64, int]:
    """(count, variables) random configurations that keep the margins, fewer when hardly any does;
    how many were drawn.

    Variables outside the c-space stand at the default.
    """
    rng = np.random.default_rng(seed)
    batches: list[F64] = []
    drawn = 0
    while sum(map(len, batches)) < count and drawn < most * max(count, 100):
        values = model.random_values(max(64, count), rng)
        batches.append(values[model.first_collisions(values) < 0])
        drawn += len(values)
    table = np.concatenate(batches) if batches else np.zeros((0, len(model.variables)))
    return table[:count], drawn
