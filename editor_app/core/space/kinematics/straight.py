"""A frame led along a straight line by its joints, from where they stand: no jump to another
posture.

Each point is solved by Newton's method with the least movement of the joints, from the point
before; limits hold as an active set. Points lie so near to each other that straight lines of the
joints between them keep to the line: with constant rates q' of joints 1…n the frame's acceleration
is Σ_j ω_j × (ω_j × r_j) + 2 Σ_{i<j} ω_i × (ω_j × r_j), so it leaves its chord by an eighth of that
at most (r_j: from joint j to the frame, no longer than the links between them).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from editor_app.core.space.kinematics.inverse import (
    Mask,
    ReachProblem,
    ToolSolver,
    ToolTarget,
    exactly,
    rotation_vectors,
)
from editor_app.core.space.kinematics.tool_chain import ToolChain
from editor_app.core.space.kinematics.transforms import NO_DIRECTION, Matrix, build_axis_rotation

#: What the frame may leave the line by between two points: metres, radians.
TOLERANCE = 1e-4
TURN_TOLERANCE = math.radians(0.1)
#: The first step, and the shortest: below it the joints would have to race, or cannot follow at
#: all.
_FIRST, _SHORTEST = 1.0 / 64.0, 1.0 / 5000.0
#: Share of the joint that a singularity turns most, from which another one is named too.
_NAMED = 0.4


@dataclass(frozen=True, eq=False)
class LedLine:
    """`values` (n, variables of the chain) at `shares` (n,) of the line, 0 first; 1 is last when it
    comes to the end.

    Between the points joints go straight; the frame leaves the line by `deviation` (m) and
    `turn_deviation` (rad) at most. Where the line ends before: `limits`, joints that stand at one
    and would have to go on (joint, whether it is the upper one), or else `singular`, joints that
    would have to race; neither where nothing carries the frame.
    """

    variables: tuple[str, ...]
    values: Matrix
    shares: Matrix
    deviation: float
    turn_deviation: float
    limits: tuple[tuple[str, bool], ...] = ()
    singular: tuple[str, ...] = ()

    @property
    def is_whole(self) -> bool:
        return bool(self.shares[-1] == 1.0)


class _Line:
    def __init__(self, chain: ToolChain, start: Matrix, target: ToolTarget) -> None:
        self._chain, self._target = chain, target
        pose = chain.poses(start[None])[1][0, 0]
        self._from = pose
        self.way = np.asarray(target.position, float) - pose[:3, 3]
        rotation = pose[:3, :3] if target.rotation is None else np.asarray(target.rotation, float)
        self.turn = rotation_vectors(rotation @ pose[:3, :3].T)

    def problem(self, share: float) -> ReachProblem:
        angle = float(np.linalg.norm(self.turn))
        turned = (
            build_axis_rotation(self.turn.tolist(), share * angle)
            if angle > NO_DIRECTION
            else np.eye(3)
        )
        has_turn = self._target.rotation is not None
        goal = ToolTarget(
            self._target.frame,
            self._from[:3, 3] + share * self.way,
            turned @ self._from[:3, :3] if has_turn else None,
            self._target.upright,
        )
        return ReachProblem(self._chain, [goal])


def lead(solver: ToolSolver, target: ToolTarget, start: Matrix) -> LedLine:
    """From the variables `start` (n,), within their limits, to `target`: straight, turned at a
    constant rate."""
    chain = solver.chain
    line = _Line(chain, start, target)
    lengths = _lengths(chain)
    points, shares = [start], [0.0]
    deviation = turn_deviation = 0.0
    step = _FIRST
    blocked: Mask = np.zeros(len(start), bool)
    while shares[-1] < 1.0:
        share = min(1.0, shares[-1] + step)
        values, blocked = exactly(line.problem(share), points[-1], chain.lower, chain.upper)
        left, turned = (
            _deviations(chain, lengths, points[-1], values)
            if values is not None
            else (math.inf, math.inf)
        )
        excess = max(left / TOLERANCE, turned / TURN_TOLERANCE)
        if values is not None and excess <= 1.0:
            points.append(values)
            shares.append(share)
            deviation, turn_deviation = max(deviation, left), max(turn_deviation, turned)
            step *= min(2.0, 0.9 / math.sqrt(max(excess, 1e-6)))
        elif step <= _SHORTEST:
            break
        else:
            step = max(
                _SHORTEST, step * (0.5 if math.isinf(excess) else max(0.1, 0.9 / math.sqrt(excess)))
            )
    led = (chain.variables, np.array(points), np.array(shares), deviation, turn_deviation)
    if shares[-1] == 1.0:
        return LedLine(*led)
    share = min(1.0, shares[-1] + _SHORTEST)
    return LedLine(*led, *_reason(chain, line.problem(share), points[-1], blocked))


def _reason(
    chain: ToolChain, problem: ReachProblem, values: Matrix, blocked: Mask
) -> tuple[tuple[tuple[str, bool], ...], tuple[str, ...]]:
    """Joints at limits, if it goes on without these; else what is singular."""
    if not len(values):
        return (), ()
    free, _ = exactly(problem, values, np.full(len(values), -np.inf), np.full(len(values), np.inf))
    if blocked.any() and free is not None:
        beyond = (free < chain.lower) | (free > chain.upper)
        held = np.flatnonzero(blocked & beyond if (blocked & beyond).any() else blocked).tolist()
        return tuple((chain.variables[k], bool(free[k] > values[k])) for k in held), ()
    _, jacobian, weights = problem.linear(values)
    _, sizes, rows = np.linalg.svd(jacobian * weights, full_matrices=False)
    least = np.abs(rows[int(np.argmin(sizes))])
    order = np.argsort(-least)
    return (), tuple(chain.variables[k] for k in order.tolist() if least[k] >= _NAMED * least.max())


def _lengths(chain: ToolChain) -> Matrix:
    """(m,) metres of the links from each joint that carries the frame to the frame, without what
    slides."""
    lengths = np.zeros(len(chain.parent))
    joint, rest = chain.tool_joint[0], float(np.linalg.norm(chain.tool_place[0, :3, 3]))
    while joint >= 0:
        lengths[joint] = rest
        rest += float(np.linalg.norm(chain.constant[joint, :3, 3]))
        joint = chain.parent[joint]
    return lengths


def _deviations(
    chain: ToolChain, lengths: Matrix, one: Matrix, other: Matrix
) -> tuple[float, float]:
    """Metres and radians by which the frame leaves its line at most, while joints go straight from
    `one` to `other`."""
    carries = chain.carries[0]
    moved = np.abs(chain.factors @ (other - one)) * carries
    turned = np.where(chain.turning, moved, 0.0)
    slid = np.where(
        chain.turning | ~carries,
        0.0,
        np.maximum(*(np.abs(chain.factors @ q + chain.offsets) for q in (one, other))),
    )
    # Parent-first: what slides beyond a joint makes its arm longer.
    arms = lengths + slid.sum() - np.cumsum(slid)
    before = np.cumsum(turned) - turned
    speed = np.where(chain.turning, turned * arms, moved)
    acceleration = float((speed * (np.where(chain.turning, turned, 0.0) + 2.0 * before)).sum())
    return acceleration / 8.0, float((turned * before).sum())
