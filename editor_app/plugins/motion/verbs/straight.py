"""The verb plan_straight: a tool along a straight line, turned at a constant rate, proven free; or
what stops it."""

from __future__ import annotations

import math
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from editor_app.core.arrays import F64
from editor_app.core.model.counting import format_list
from editor_app.core.model.frozen import brief
from editor_app.core.model.scene import EMPTY_SCENE, Scene
from editor_app.core.model.trajectory import Trajectory
from editor_app.core.space.kinematics.inverse import ToolSolver, ToolTarget, rotation_vectors
from editor_app.core.space.kinematics.straight import LedLine, lead
from editor_app.core.space.kinematics.transforms import Matrix
from editor_app.core.space.kinematics.tree import get_tree
from editor_app.core.tasks.work import (
    Cancel,
    Cancelled,
    Described,
    PoseLike,
    Refused,
    check_arguments,
    describe_robot,
    locate_robot,
    never,
    read_pose,
)
from editor_app.core.verbs.pose import solver_of, told_rest
from editor_app.plugins.motion.engine.allowed_contacts import AllowedContacts
from editor_app.plugins.motion.engine.model import MotionModel
from editor_app.plugins.motion.engine.planner import OVER_LIMIT
from editor_app.plugins.motion.engine.results import NOTHING_KEPT, KeepAway, Stretch, told_missed
from editor_app.plugins.motion.verbs.collide import comparing_model, pose_variables, unchecked_pairs
from editor_app.plugins.motion.verbs.plan import ROUNDED


class LineEnd(StrEnum):
    """How a straight line ends."""

    WHOLE = "the line is free to its end"
    LIMIT = "a joint is at its limit"
    SINGULAR = "the joints cannot follow: a singularity"
    COLLISION = "a collision"


@dataclass(frozen=True)
class StraightLine:
    """`path`: of the whole line, proven free between its points; None without. `begun`: the part
    that is proven.

    `share` of the line (0 to 1) that `begun` goes; `length` (m) and `turn` (rad) of the whole line.
    Between the points joints go straight, and the tool leaves the line by `deviation` (m) and
    `turn_deviation` (rad) at most. What ends it: `limits` (joint, whether it is the upper one),
    `singular` joints that would have to race, or the `pair` that collides, or comes nearer than
    `margin` metres. `kept`: what the line keeps, metres; `nearer`: but for these pairs. `rest`: how
    near any posture comes to the end of the line, where none reaches it; "" otherwise.
    """

    end: LineEnd
    path: Trajectory | None
    begun: Trajectory
    share: float
    length: float
    turn: float
    deviation: float
    turn_deviation: float
    cpu_seconds: float
    limits: tuple[tuple[str, bool], ...] = ()
    singular: tuple[str, ...] = ()
    pair: tuple[str, str] | None = None
    margin: float = 0.0
    kept: KeepAway = NOTHING_KEPT
    nearer: tuple[tuple[str, str], ...] = ()
    rest: str = ""
    #: Pairs that nothing checks, and whose meshes are seen to touch along `begun`; what was assumed
    #: or left out.
    missed: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()

    __repr__ = brief

    @property
    def is_free(self) -> bool:
        """True if the whole line is proven free, and no meshes are seen to touch on it that nothing
        checks."""
        return self.path is not None and not self.missed

    @property
    def told(self) -> str:
        """The end of a sentence about the line: whether it is free, its distances, and what was
        missed or assumed."""
        away = f", at least {self.kept.told}" if self.kept else ""
        named = format_list((" and ".join(pair) for pair in self.nearer), 3)
        away += f", except {named}, which are closer in every pose" if named else ""
        proven = "not free" if self.missed else f"proven free{away}"
        return "; ".join(filter(None, (proven, told_missed(self.missed, "on it"), *self.notes)))

    @property
    def why(self) -> str:
        """The reason and place at which the line stops; "" for a whole one."""
        if self.path is not None:
            return ""
        if self.end is LineEnd.LIMIT:
            names = [
                f"{name} is at its {'upper' if is_upper else 'lower'} limit"
                for name, is_upper in self.limits
            ]
            reason = " and ".join(names)
        elif self.end is LineEnd.COLLISION:
            assert self.pair is not None
            reason = f"{self.pair[0]} and {self.pair[1]} {_met(self.margin)}"
        elif self.singular:
            reason = f"it is singular there: {', '.join(self.singular)} would have to move too fast"
        else:
            reason = "no controlled joint moves the frame"
        way = (
            f" ({self.share * self.length * 1e3:.1f} of {self.length * 1e3:.1f} mm)"
            if self.length > 1e-6
            else ""
        )
        turn = (
            f" ({math.degrees(self.share * self.turn):.1f} of {math.degrees(self.turn):.1f}°)"
            if not way
            else ""
        )
        rest = f"; the end is out of reach: {self.rest}" if self.rest else ""
        return f"it ends at {_percent(self.share)}{way or turn}, {reason}{rest}"


def _met(margin: float) -> str:
    return f"come nearer than {margin * 1e3:g} mm" if margin > 0.0 else "collide"


def _percent(share: float) -> str:
    """Never 100 % of a line that is not whole."""
    return f"{math.floor(share * 1000.0) / 10.0:.1f} %"


@check_arguments
def plan_straight(
    robot: Described,
    start: PoseLike,
    target: ToolTarget,
    *,
    locked: Collection[str] = (),
    weights: Mapping[str, float] | None = None,
    scene: Scene = EMPTY_SCENE,
    keep_away: KeepAway = NOTHING_KEPT,
    model: MotionModel | None = None,
    cancel: Cancel = never,
) -> StraightLine:
    """From `start` (joint -> rad or m), straight to where `target` (see `tool_target`) has its
    frame.

    The frame goes in a straight line and turns about one axis at a constant rate (spherical
    interpolation); a target without a rotation leaves that free, one that is `upright` the turn
    about the vertical. Joints of the c-space alone move, without jumps: the same posture from the
    first point to the last. `locked`, `weights`: as in `reach`. `keep_away`: metres that are proven
    to be kept along the whole line; it ends where they are not. Raises Refused for unknown names,
    and a start beyond the limits, in collision or nearer than that; SceneError, Cancelled.
    """
    cpu = time.process_time()
    description = describe_robot(robot)
    model = comparing_model(description, scene, model=model).keeping(keep_away)
    tree = get_tree(description)
    one = pose_variables(model, description, read_pose(start))[0]
    standing = {**model.pose(one), **read_pose(start)}
    held = set(tree.independent) - (set(model.controlled) or set(tree.independent))
    solver = solver_of(tree, [target], standing, {*locked, *held}, weights)
    values = _first_values(solver, standing)
    _refuse_start(model, one)
    led = lead(solver, target, values)
    table = _whole_configurations(model, led, one)
    share, pair, margin, count = led.shares[-1], None, 0.0, len(table)
    contacts = AllowedContacts(
        model, table, (Stretch.START, Stretch.GOAL) if led.is_whole else (Stretch.START,)
    )
    for k in range(len(table) - 1):
        if cancel():
            raise Cancelled
        line = contacts.line(k)
        if not line.free:
            share = led.shares[k] + line.at * (led.shares[k + 1] - led.shares[k])
            pair, margin, count = model.names(line.row), _margin(model, line.row), k + 1
            break
    end = (
        LineEnd.COLLISION if pair is not None else LineEnd.LIMIT if led.limits else LineEnd.SINGULAR
    )
    is_whole = led.is_whole and pair is None
    rest = ""
    if not led.is_whole and pair is None:
        best = solver.search([target], standing)[0]
        rest = "" if best.is_reached else told_rest(best)
    begun, notes = _trajectory(model, led, table, count), [*model.notes]
    unchecked = unchecked_pairs(locate_robot(robot), model, notes)
    missed = () if unchecked is None else unchecked.along(table[:count])
    length, turn = _extent(solver.chain.poses(values[None])[1][0, 0], target)
    return StraightLine(
        LineEnd.WHOLE if is_whole else end,
        begun if is_whole else None,
        begun,
        float(share),
        length,
        turn,
        led.deviation,
        led.turn_deviation,
        time.process_time() - cpu,
        () if pair is not None else led.limits,
        () if pair is not None else led.singular,
        pair,
        margin,
        model.kept_of(keep_away),
        _nearer(model, keep_away, table[[0, count - 1]]),
        rest,
        missed,
        tuple(notes),
    )


def _refuse_start(model: MotionModel, start: F64) -> None:
    """Raises Refused where the start collides, or is nearer than the line shall keep away."""
    row = int(model.first_collisions(start[None], model.counting_at(0))[0])
    if row >= 0:
        margin = _margin(model, row)
        why = "closer than the minimum distance" if margin > 0.0 else "in collision"
        raise Refused(f"the start is {why}: {' and '.join(model.names(row))} {_met(margin)}")


def _nearer(model: MotionModel, keep_away: KeepAway, ends: F64) -> tuple[tuple[str, str], ...]:
    """The pairs that are nearer at an end, and for which nothing is kept since they are in every
    pose."""
    asked = np.where(model.rows >= len(model.spheres.pairs), keep_away.obstacles, keep_away.itself)
    exempt = (asked > 0.0) & (model.fixed.margin[model.rows] == 0.0)
    spots, gaps = model.row_clearances(ends, float(asked.max(initial=0.0)), model.rows[exempt])
    limits = dict(zip(model.rows.tolist(), asked.tolist(), strict=True))
    near = dict.fromkeys(
        row
        for row, gap in zip(spots[:, 1].tolist(), gaps.tolist(), strict=True)
        if gap < limits[row]
    )
    return tuple(model.names(row) for row in near)


def _margin(model: MotionModel, row: int) -> float:
    return float(model.fixed.margin[row])


def _first_values(solver: ToolSolver, standing: Mapping[str, float]) -> F64:
    """The variables at the start. Raises Refused beyond the limits."""
    chain = solver.chain
    values = np.array([standing[name] for name in chain.variables], float)
    beyond = (values < chain.lower - OVER_LIMIT) | (values > chain.upper + OVER_LIMIT)
    if beyond.any():
        names = [
            name
            for name, is_beyond in zip(chain.variables, beyond.tolist(), strict=True)
            if is_beyond
        ]
        raise Refused(f"the start is outside the limits of {', '.join(names)}")
    within: F64 = np.clip(values, chain.lower, chain.upper)
    return within


def _whole_configurations(model: MotionModel, led: LedLine, start: F64) -> F64:
    """(n, variables of the model) for the points of the line; the other variables stay as at the
    start."""
    table = np.repeat(start[None, :], len(led.values), axis=0)
    for k, name in enumerate(led.variables):
        if name in model.variables:
            table[:, model.variables.index(name)] = led.values[:, k]
    table[1:][np.abs(table[1:]) < ROUNDED] = 0.0
    return table


def _trajectory(model: MotionModel, led: LedLine, table: F64, count: int) -> Trajectory:
    """The first points, for the joints of the c-space and the joints of the line that carry no
    spheres."""
    moving = model.moving.tolist()
    more = [k for k, name in enumerate(led.variables) if name not in model.variables]
    joints = (*(model.variables[k] for k in moving), *(led.variables[k] for k in more))
    carried = np.where(np.abs(led.values) < ROUNDED, 0.0, led.values)
    rows = np.concatenate([table[:count, moving], carried[:count, more]], axis=1)
    return Trajectory(joints, tuple(map(tuple, rows.tolist())))


def _extent(first: Matrix, target: ToolTarget) -> tuple[float, float]:
    """Metres and radians of the whole line."""
    length = float(np.linalg.norm(np.asarray(target.position, float) - first[:3, 3]))
    if target.rotation is None:
        return length, 0.0
    return length, float(
        np.linalg.norm(rotation_vectors(np.asarray(target.rotation, float) @ first[:3, :3].T))
    )
