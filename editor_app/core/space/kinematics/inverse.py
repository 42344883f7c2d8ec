"""Inverse kinematics: joint positions that bring frames to targets, by damped least squares within
the limits.

The damping is Levenberg and Marquardt's, grown with the error as in T. Sugihara,
Solvability-unconcerned inverse kinematics by the Levenberg–Marquardt method, IEEE Trans. Robotics
27(5), 2011: singular and unreachable targets end at the nearest place instead of swinging. Joints
that push against a limit leave the step (an active set).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from editor_app.core.arrays import Bools
from editor_app.core.model.coercion import Validated
from editor_app.core.model.pose import Pose
from editor_app.core.space.kinematics.structure import KinematicTree, complete_pose
from editor_app.core.space.kinematics.tool_chain import ToolChain, tool_chain
from editor_app.core.space.kinematics.transforms import Matrix, matrix_to_quaternion

Mask = Bools
#: Metres and radians within which frames are where they are to be.
EXACT = 1e-10
_NEWTON = 12
#: Of the largest singular value: what is less moves nothing.
_RANK = 1e-7


def exactly(
    problem: ReachProblem, start: Matrix, lower: Matrix, upper: Matrix
) -> tuple[Matrix | None, Mask]:
    """The nearest variables that are exactly there, None without; and which were held by a limit in
    the last step."""
    values = start
    blocked: Mask = np.zeros(len(start), bool)
    for _ in range(_NEWTON):
        errors, jacobian, weights = problem.linear(values)
        if float(np.abs(errors).max(initial=0.0)) <= EXACT:
            return values, blocked
        step, blocked = _least_step(errors, jacobian, weights, lower - values, upper - values)
        if float(np.abs(step).max(initial=0.0)) > 1.0:
            break
        values = np.clip(values + step, lower, upper)
    return None, blocked


def _least_step(
    errors: Matrix, jacobian: Matrix, weights: Matrix, lower: Matrix, upper: Matrix
) -> tuple[Matrix, Mask]:
    """The least step that takes the errors away, within its bounds; and which variables are at a
    bound."""
    blocked: Mask = np.zeros(len(lower), bool)
    step: Matrix = np.zeros(len(lower))
    for _ in range(len(lower)):
        weighted = np.where(blocked, 0.0, weights)
        rest = errors - jacobian @ np.where(blocked, step, 0.0)
        free = weighted * np.linalg.lstsq(jacobian * weighted, rest, rcond=_RANK)[0]
        step = np.where(blocked, step, free)
        beyond = ~blocked & ((step < lower) | (step > upper))
        if not beyond.any():
            break
        blocked = blocked | beyond
        step = np.where(beyond, np.clip(step, lower, upper), step)
    return step, blocked


#: What an unbounded prismatic joint is sampled within, in metres either way.
UNBOUNDED_SLIDE = 1.0
#: A target counts as reached within these: metres, radians.
CLOSE = 1e-4
CLOSE_ANGLE = math.radians(0.1)
#: The iteration ends below these.
_DONE = 1e-7
_DONE_ANGLE = 1e-7
#: A radian weighs as much as this share of the reach.
_ARM = 0.3
#: Radians or metres that a joint moves in one iteration at most.
_LONGEST = 0.6
#: Iterations of one step of a drag.
STEPS = 14
#: Seeds that are followed side by side, iterations of each.
_BATCH = 24
_STEPS = 60
_MOST_DAMPED = 1e7
_ROWS, _COLUMNS = np.array([2, 0, 1]), np.array([1, 2, 0])


@dataclass(frozen=True, eq=False)
class ToolTarget(Validated):
    """The target of a frame, in the base frame: `position` (3,) metres; `rotation` (3, 3), None for
    any.

    `upright`: of the rotation its tilt alone counts; a turn about the vertical, z of the base
    frame, is free.
    """

    frame: str
    position: Matrix
    rotation: Matrix | None = None
    upright: bool = False


@dataclass(frozen=True)
class Reach:
    """`pose`: a value for every movable joint. Per target `distances` (metres) and `angles`
    (radians, 0 if any do).

    `at_limits`: joints of the chain that stand at a limit.
    """

    pose: Pose
    distances: tuple[float, ...]
    angles: tuple[float, ...]
    at_limits: tuple[str, ...]

    @property
    def is_reached(self) -> bool:
        """Every target within 0.1 mm and 0.1°."""
        return all(d <= CLOSE for d in self.distances) and all(
            a <= CLOSE_ANGLE for a in self.angles
        )


class ToolSolver:
    """Solves for the same frames again and again: while one is dragged, or for many targets."""

    def __init__(
        self,
        tree: KinematicTree,
        frames: Sequence[str],
        pose: Mapping[str, float],
        locked: Collection[str] = (),
        weights: Mapping[str, float] | None = None,
    ) -> None:
        """Locked joints, and joints that carry none of the frames, stay as in `pose`. Raises
        KeyError for no frame.

        `weights`: joint -> how readily it moves where others could as well: 1 as usual, less later,
        0 not at all. A joint without a weight has 1, or less where it carries another limb (a
        waist).
        """
        self._tree = tree
        self._rest = complete_pose(tree, pose)
        weights = weights or {}
        chain = tool_chain(
            tree, frames, pose, {*locked, *(name for name, weight in weights.items() if not weight)}
        )
        readiness = [
            weights.get(name, usual)
            for name, usual in zip(chain.variables, chain.readiness, strict=True)
        ]
        self.chain = replace(chain, readiness=np.array(readiness, float))

    def follow(
        self, targets: Sequence[ToolTarget], pose: Mapping[str, float], steps: int = STEPS
    ) -> Reach:
        """The nearest way from `pose`: no jump to another posture; what cannot be reached is
        approached."""
        problem = ReachProblem(self.chain, targets)
        values = problem.run(self._values(pose)[None], steps)
        return self._reach(problem, values[0])

    def search(
        self,
        targets: Sequence[ToolTarget],
        pose: Mapping[str, float],
        tries: int = 96,
        seed: int = 0,
    ) -> list[Reach]:
        """Postures that reach all targets, the nearest to `pose` first; the best attempt alone
        where none does.

        Begins at `pose`, and goes on from random configurations within the limits until one batch
        reaches.
        """
        problem = ReachProblem(self.chain, targets)
        start = self._values(pose)
        configurations = [self._near(problem.run(start[None], _STEPS)[0], start)]
        rng = np.random.default_rng(seed)
        low, high = self._sampled_within(start)
        while (
            not any(problem.is_reached(values) for values in configurations)
            and tries > 0
            and len(start)
        ):
            seeds = low + rng.random((min(_BATCH, tries), len(start))) * (high - low)
            tries -= len(seeds)
            configurations.extend(
                self._near(values, start) for values in problem.run(seeds, _STEPS)
            )
        return self._best(problem, configurations, start)

    def postures(
        self,
        targets: Sequence[ToolTarget],
        pose: Mapping[str, float],
        tries: int = 96,
        seed: int = 0,
    ) -> list[Reach]:
        """Like `search`, but goes on through all tries: one entry for each posture that differs
        from the others.

        Joints that move last begin near where they are in every other try.
        """
        problem = ReachProblem(self.chain, targets)
        start = self._values(pose)
        low, high = self._sampled_within(start)
        seeds = low + np.random.default_rng(seed).random((tries, len(start))) * (high - low)
        seeds[::2] = start + (seeds[::2] - start) * self.chain.readiness
        ends = [
            problem.run(batch, _STEPS)
            for batch in np.split(seeds, range(_BATCH, tries, _BATCH))
            if len(batch)
        ]
        configurations = [
            self._near(values, start)
            for values in np.concatenate([problem.run(start[None], _STEPS), *ends])
        ]
        return self._best(problem, configurations, start)

    def settled(self, targets: Sequence[ToolTarget], reach: Reach) -> Reach:
        """Refine a posture to the last digits: within 1e-10 m and rad, where it reaches at all."""
        problem = ReachProblem(self.chain, targets)
        start = self._values(reach.pose)
        if not reach.is_reached or not len(start):
            return reach
        values, _ = exactly(problem, start, self.chain.lower, self.chain.upper)
        return reach if values is None else self._reach(problem, values)

    def _values(self, pose: Mapping[str, float]) -> Matrix:
        whole = complete_pose(self._tree, pose, self._rest)
        values = np.array([whole[name] for name in self.chain.variables], float)
        within: Matrix = np.clip(values, self.chain.lower, self.chain.upper)
        return within

    def _sampled_within(self, start: Matrix) -> tuple[Matrix, Matrix]:
        """Limits; about the start where there are none."""
        span = np.where(self.chain.turns_whole, math.pi, UNBOUNDED_SLIDE)
        low = np.where(np.isfinite(self.chain.lower), self.chain.lower, start - span)
        return low, np.where(np.isfinite(self.chain.upper), self.chain.upper, start + span)

    def _near(self, values: Matrix, start: Matrix) -> Matrix:
        """The same posture with whole turns taken off, towards `start` and within the limits."""
        turns = np.where(self.chain.turns_whole, np.round((values - start) / (2 * math.pi)), 0.0)
        nearer = values - 2 * math.pi * turns
        within = (nearer >= self.chain.lower) & (nearer <= self.chain.upper)
        result: Matrix = np.where(within, nearer, values)
        return result

    def _best(
        self, problem: ReachProblem, configurations: list[Matrix], start: Matrix
    ) -> list[Reach]:
        reaching = [values for values in configurations if problem.is_reached(values)]
        if not reaching:
            return [
                self._reach(
                    problem,
                    min(configurations, key=lambda values: float(problem.cost(values[None])[0])),
                )
            ]
        reaching = [problem.run(values[None], _STEPS)[0] for values in reaching]
        # A joint that moves last is farther away than it is far.
        reaching.sort(
            key=lambda values: float(np.linalg.norm((values - start) / self.chain.readiness))
        )
        different: list[Matrix] = []
        for values in reaching:
            if all(float(np.abs(values - other).max(initial=0.0)) > 1e-2 for other in different):
                different.append(values)
        return [self._reach(problem, values) for values in different]

    def _reach(self, problem: ReachProblem, values: Matrix) -> Reach:
        distances, angles = problem.distances(values)
        chain = self.chain
        near = (values - chain.lower < 1e-6) | (chain.upper - values < 1e-6)
        pose = {**self._rest, **dict(zip(chain.variables, values.tolist(), strict=True))}
        at_limits = tuple(
            name for name, is_near in zip(chain.variables, near.tolist(), strict=True) if is_near
        )
        return Reach(complete_pose(self._tree, pose), distances, angles, at_limits)


class ReachProblem:
    """Targets of a chain's frames as arrays, and the iteration."""

    def __init__(self, chain: ToolChain, targets: Sequence[ToolTarget]) -> None:
        self._chain = chain
        order = {target.frame: target for target in targets}
        chosen = [order[frame] for frame in chain.frames]
        self._position = np.array([target.position for target in chosen], float).reshape(-1, 3)
        self._rotation = np.array(
            [np.eye(3) if t.rotation is None else t.rotation for t in chosen], float
        )
        self._turns = np.array([target.rotation is not None for target in chosen], bool)
        #: (t, 3): which parts of the rotation vectors count.
        self._counts = np.repeat(self._turns[:, None], 3, axis=1)
        self._upright = np.array(
            [target.upright and target.rotation is not None for target in chosen], bool
        )
        self._counts[self._upright, 2] = False

    def _errors(self, tools: Matrix) -> tuple[Matrix, Matrix]:
        """(k, t, 3) metres and (k, t, 3) rotation vectors, from the frames to their targets."""
        away = self._position - tools[:, :, :3, 3]
        turn = rotation_vectors(self._rotation @ tools[:, :, :3, :3].swapaxes(-1, -2))
        if self._upright.any():
            # What is to point up, in the frames; from where it points now the shortest way.
            ups = self._rotation[self._upright, 2, :]
            turn[:, self._upright] = _to_vertical(
                np.einsum("ktij,tj->kti", tools[:, self._upright, :3, :3], ups)
            )
        return away, turn * self._counts

    def _residuals(self, tools: Matrix) -> Matrix:
        away, turn = self._errors(tools)
        return np.concatenate([away / self._chain.reach, _ARM * turn], axis=2).reshape(
            len(tools), -1
        )

    def cost(self, values: Matrix) -> Matrix:
        residuals = self._residuals(self._chain.poses(values)[1])
        result: Matrix = 0.5 * np.einsum("kr,kr->k", residuals, residuals)
        return result

    def distances(self, values: Matrix) -> tuple[tuple[float, ...], tuple[float, ...]]:
        away, turn = self._errors(self._chain.poses(values[None])[1])
        return tuple(np.linalg.norm(away[0], axis=1).tolist()), tuple(
            np.linalg.norm(turn[0], axis=1).tolist()
        )

    def is_reached(self, values: Matrix) -> bool:
        distances, angles = self.distances(values)
        return max(distances, default=0.0) <= CLOSE and max(angles, default=0.0) <= CLOSE_ANGLE

    def run(self, starts: Matrix, steps: int) -> Matrix:
        """(k, n) where the iteration ends from (k, n); rows do not know of each other."""
        chain = self._chain
        values = np.clip(starts, chain.lower, chain.upper)
        if not values.shape[1]:
            return values
        joints, tools = chain.poses(values)
        residuals = self._residuals(tools)
        cost = 0.5 * np.einsum("kr,kr->k", residuals, residuals)
        damping = np.ones(len(values))
        active = np.flatnonzero(cost > self._small)
        for _ in range(steps):
            if not len(active):
                break
            step = self._step(
                values[active],
                joints[active],
                tools[active],
                residuals[active],
                cost[active],
                damping[active],
            )
            tried = np.clip(values[active] + step, chain.lower, chain.upper)
            new_joints, new_tools = chain.poses(tried)
            new_residuals = self._residuals(new_tools)
            new_cost = 0.5 * np.einsum("kr,kr->k", new_residuals, new_residuals)
            better = new_cost < cost[active]
            gain = np.where(better, 1.0 - new_cost / cost[active], 1.0)
            taken = active[better]
            values[taken], joints[taken], tools[taken] = (
                tried[better],
                new_joints[better],
                new_tools[better],
            )
            residuals[taken], cost[taken] = new_residuals[better], new_cost[better]
            damping[active] *= np.where(better, 0.25, 8.0)
            damping[active] = np.maximum(damping[active], 1e-6)
            goes_on = (
                (cost[active] > self._small) & (gain > 1e-7) & (damping[active] < _MOST_DAMPED)
            )
            active = active[goes_on]
        return values

    def linear(self, values: Matrix) -> tuple[Matrix, Matrix, Matrix]:
        """Errors (r,) in metres and radians, Jacobian (r, n) of the frames, readiness (n,), at
        variables (n,)."""
        chain = self._chain
        joints, tools = chain.poses(values[None])
        away, turn = self._errors(tools)
        moved, turned = chain.jacobian(joints, tools)
        counts = np.concatenate([np.ones_like(self._counts), self._counts], axis=1).ravel()
        errors = np.concatenate([away[0], turn[0]], axis=1).ravel()
        jacobian = np.concatenate([moved[0], turned[0]], axis=1).reshape(len(errors), -1)
        return errors[counts], jacobian[counts], chain.readiness

    @property
    def _small(self) -> float:
        return 0.5 * min(_DONE / self._chain.reach, _ARM * _DONE_ANGLE) ** 2

    def _step(
        self,
        values: Matrix,
        joints: Matrix,
        tools: Matrix,
        residuals: Matrix,
        cost: Matrix,
        damping: Matrix,
    ) -> Matrix:
        chain = self._chain
        moved, turned = chain.jacobian(joints, tools)
        turned = turned * (_ARM * self._counts)[None, :, :, None]
        jacobian = np.concatenate([moved / chain.reach, turned], axis=2).reshape(
            len(values), -1, values.shape[1]
        )
        # In units of readiness: of all steps that bring the frames as near, the one that moves a
        # waist least.
        jacobian = jacobian * chain.readiness
        slope = np.einsum("krn,kr->kn", jacobian, residuals)
        pushes = ((values <= chain.lower) & (slope < 0.0)) | (
            (values >= chain.upper) & (slope > 0.0)
        )
        jacobian = np.where(pushes[:, None, :], 0.0, jacobian)
        slope = np.where(pushes, 0.0, slope)
        square = jacobian.swapaxes(1, 2) @ jacobian
        diagonal = np.arange(values.shape[1])
        square[:, diagonal, diagonal] += (damping * cost + 1e-12)[:, None]
        step = np.linalg.solve(square, slope[:, :, None])[:, :, 0] * chain.readiness
        longest = np.abs(step).max(axis=1, keepdims=True)
        result: Matrix = step * np.minimum(1.0, _LONGEST / np.maximum(longest, 1e-300))
        return result


def _to_vertical(directions: Matrix) -> Matrix:
    """(..., 3) rotation vectors of the least turns that bring unit vectors (..., 3) to z."""
    axes = np.zeros_like(directions)
    axes[..., 0], axes[..., 1] = directions[..., 1], -directions[..., 0]
    sine = np.linalg.norm(axes, axis=-1)
    # Upside down every way is as short.
    axes[sine == 0.0, 0] = 1.0
    angle = np.arctan2(sine, directions[..., 2])
    result: Matrix = axes * (angle / np.where(sine == 0.0, 1.0, sine))[..., None]
    return result


def rotation_vectors(rotations: Matrix) -> Matrix:
    """(..., 3) axis times angle (0 to π radians) of rotations (..., 3, 3)."""
    skew = rotations[..., _ROWS, _COLUMNS] - rotations[..., _COLUMNS, _ROWS]
    sine = np.sqrt(np.einsum("...i,...i->...", skew, skew))
    cosine = rotations[..., 0, 0] + rotations[..., 1, 1] + rotations[..., 2, 2] - 1.0
    angle = np.arctan2(sine, cosine)
    vectors: Matrix = skew * np.where(sine > 1e-9, angle / np.maximum(sine, 1e-300), 0.5)[..., None]
    # Near half a turn the difference of off-diagonal entries vanishes; a quaternion still knows the
    # axis.
    for place in np.argwhere((cosine < 0.0) & (sine < 1e-3)):
        w, x, y, z = matrix_to_quaternion(rotations[tuple(place)])
        norm = math.hypot(x, y, z)
        vectors[tuple(place)] = np.array([x, y, z]) / norm * (2.0 * math.atan2(norm, w))
    return vectors
