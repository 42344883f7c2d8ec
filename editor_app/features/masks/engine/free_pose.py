"""A configuration to begin from: within limits, free of self-collision, away from limits and
singular poses.

Left and right limbs that are mirror images get mirrored positions, limbs of one kind the same. The
same robot gets the same pose.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from editor_app.core.arrays import F64
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.urdf import JointType
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.space.kinematics.forward import compute_forward, compute_forward_batch
from editor_app.core.space.kinematics.structure import KinematicTree
from editor_app.core.space.kinematics.tree import get_default_positions, get_tree
from editor_app.features.masks.engine.live import LiveDistances
from editor_app.features.masks.engine.model import build_sphere_model
from editor_app.features.masks.engine.results import FreePose

#: A joint this share of its range away from its limits is free to move both ways.
_MARGIN = 0.1
#: The smallest singular value of the Jacobian, as a share of its median over all configurations,
#: that is good enough.
_DEXTROUS = 0.5
#: Spheres further apart than this (metres) are free: a planner keeps away by less.
CLEAR = 0.02
#: An arm whose tool is further from its shoulder than this share of its length is stretched.
_STRETCHED = 0.7
#: An elbow is this share of its arm's length above the line from the shoulder to the tool.
_RAISED = 0.11
#: Arms of so many joints have an elbow.
_ARM = 5
#: What it costs to move a joint over its whole range: as much as this share of being dextrous.
_PRICE = 0.08
_SWEEPS, _STEPS, _REFERENCE = 3, 8, 192
#: Poses all over the range that are looked at, and how many of them the search begins from.
_SPREAD, _STARTS = 200, 4
#: What a search may cost: poses that are looked at, times the frames and joints of chains that each
#: of them moves. Beyond it there are fewer starts and rounds; without room for one round, each
#: joint goes where it is best by itself.
_WORK = 1_500_000
#: A tool at home is this share of its arm's length above the floor.
_ABOVE = 0.1
#: How far mirrored frames may lie apart (metres), and their axes.
_SAME_PLACE, _SAME_AXIS = 2e-3, 1e-3
_SAME_LIMITS = 0.05
_MIRRORS = (np.array([1.0, -1.0, 1.0]), np.array([1.0, 1.0, -1.0]), np.array([-1.0, 1.0, 1.0]))


def find_free_pose(
    robot: RobotDescription,
    *,
    joints: Sequence[str] | None = None,
    tools: Sequence[str] | None = None,
    ignored: Collection[LinkPair] | None = None,
    start: Mapping[str, float] | None = None,
    keep_start: bool = False,
    floor: float | None = None,
) -> FreePose:
    """The pose for a robot whose c-space and tool frames are `joints` and `tools` (default: its
    XRDF's).

    It stays at `start` (default: the XRDF's default positions) where that is good already;
    `keep_start`: where that is free of overlaps. `ignored`: default the XRDF's mask. Joints outside
    the c-space move only where overlaps need it. `floor`: z (m) in the root's frame below which no
    arm reaches where that can be; None: there is no floor.
    """
    tree = get_tree(robot)
    positions = {**get_default_positions(tree, robot.xrdf), **(start or {})}
    named = robot.xrdf.controlled if joints is None else joints
    independent = set(tree.independent)
    controlled = [name for name in dict.fromkeys(named) if name in independent]
    masked = robot.xrdf.ignored_pairs() if ignored is None else ignored
    frames = [
        f for f in (tools if tools is not None else robot.xrdf.tool_frames or ()) if f in tree.index
    ]
    home = {name: positions[name] for name in tree.independent}
    judge = _Judge(robot, tree, controlled, frames, home, frozenset(masked), floor)
    pose = judge.home
    if not judge.is_good(pose, keep_start=keep_start):
        pose = judge.best()
        near = judge.others(pose)
        if near:
            pose = judge.improved(pose, near)
    margin, dexterity, clearance = judge.figures(pose)
    below = judge.depth(judge.world(pose[None]))[0]
    positions = dict(zip(tree.independent, pose.tolist(), strict=True))
    changed = tuple(name for name in tree.independent if abs(positions[name] - home[name]) > 1e-9)
    return FreePose(
        FrozenDict(positions),
        changed,
        margin,
        dexterity,
        clearance,
        judge.overlaps(pose),
        float(below),
    )


class _Judge:
    """Says how good a pose is; poses (n) are positions of all independent joints, in the order of
    the tree."""

    def __init__(
        self,
        robot: RobotDescription,
        tree: KinematicTree,
        joints: Sequence[str],
        tools: Sequence[str],
        home: Mapping[str, float],
        ignored: frozenset[LinkPair],
        floor: float | None,
    ) -> None:
        self.tree, self.joints, self.start, self.ignored = tree, tuple(joints), home, ignored
        self.floor = floor
        self.column = {name: i for i, name in enumerate(tree.independent)}
        self.columns = np.array([self.column[name] for name in self.joints], np.intp)
        self.home = np.array([home[name] for name in tree.independent], float)
        self.limits = {name: _limits(tree, name) for name in tree.independent}
        self.low, self.high = np.array(list(self.limits.values()), float).reshape(-1, 2).T
        limits = [
            tree.joints[tree.joint_index[name]].limits or (-np.inf, np.inf)
            for name in tree.independent
        ]
        self.bounded = np.isfinite(limits).all(axis=-1) & (self.high > self.low)
        self.chains, self.poses = self._affordable(tools)
        self.mirrored = _mirrored(tree, [chain.joints for chain in self.chains])
        self._images: dict[str, list[tuple[str, float]]] = {}
        for other, (source, sign) in self.mirrored.items():
            self._images.setdefault(source, []).append((other, sign))
        self.reference = self._reference()
        model = build_sphere_model(robot)
        self.distances: LiveDistances | None = (
            LiveDistances(model, home) if len(model.pairs) else None
        )
        self._checked = (
            np.array([pair not in ignored for pair in model.link_pairs], bool)
            if self.distances is not None
            else None
        )

    def _affordable(self, tools: Sequence[str]) -> tuple[list[_Chain], int]:
        """The chains to judge, and in how many poses; no chain when there are too many to look at a
        pose of each."""
        depth = self.tree.depth
        work = len(self.tree.frames) + sum(depth[self.tree.index[tool]] for tool in tools)
        poses = _WORK // max(work, 1) - _REFERENCE - _SPREAD
        if poses < len(self.joints) * _STEPS:
            return [], 0
        chains = [_Chain.of(self.tree, tool, self.joints) for tool in tools]
        return [chain for chain in chains if len(chain.columns) >= 2], poses

    # -- figures

    def _reference(self) -> F64:
        """(chains, 6): medians of each chain's singular values over its configurations."""
        if not self.chains:
            return np.ones((0, 6))
        share = _spread(_REFERENCE, len(self.joints))
        low, high = np.array([self.limits[name] for name in self.joints]).T
        values = self.singular(
            compute_forward_batch(self.tree, self.joints, low + share * (high - low), self.start)
        )
        return np.maximum(np.median(values, axis=0), 1e-9)

    def world(self, poses: F64) -> F64:
        """(k, frames, 4, 4): where all frames are; joints outside the c-space stand where they
        began."""
        return np.asarray(
            compute_forward_batch(self.tree, self.joints, poses[:, self.columns], self.start)
        )

    def singular(self, world: F64) -> F64:
        """(k, chains, 6): singular values where frames are at `world` (k, frames, 4, 4)."""
        if not self.chains:
            return np.ones((len(world), 0, 6))
        return np.stack([chain.singular(world) for chain in self.chains], axis=1)

    def depth(self, world: F64) -> F64:
        """(k): how far (m) tools are too low and other frames of their arms below the floor, the
        deepest."""
        depths = np.zeros(len(world))
        if self.floor is None:
            return depths
        for chain in self.chains:
            heights = world[:, [*chain.frames, chain.tool], 2, 3] - self.floor
            heights[:, -1] -= _ABOVE * 3 * chain.length
            depths = np.maximum(depths, -heights.min(axis=1))
        return np.asarray(np.where(depths > 1e-3, depths, 0.0))

    def strain(self, world: F64) -> F64:
        """(k): how far arms are stretched, and elbows hang, the worst; 0 for a posture that an
        engineer would keep."""
        strains = np.zeros(len(world))
        for chain in self.chains:
            if len(chain.frames) < _ARM or self.floor is None:
                continue
            places = world[..., :3, 3][:, [*chain.frames, chain.tool]]
            span = np.linalg.norm(places[:, -1] - places[:, 0], axis=1) / chain.reach
            # The elbow is the frame that lies furthest beside the line from the shoulder to the
            # tool.
            line = places[:, -1] - places[:, 0]
            beside = places[:, 1:-1] - places[:, :1]
            along = (beside @ line[:, :, None])[..., 0] / np.maximum((line**2).sum(axis=1), 1e-9)[
                :, None
            ]
            beside = beside - np.clip(along, 0.0, 1.0)[..., None] * line[:, None]
            elbow = np.linalg.norm(beside, axis=2).argmax(axis=1)
            hangs = np.maximum(_RAISED - beside[np.arange(len(world)), elbow, 2] / chain.reach, 0.0)
            strains = np.maximum(
                strains, np.maximum(span - _STRETCHED, 0.0) / (1.0 - _STRETCHED) + 2.0 * hangs
            )
        return np.asarray(np.where(strains > 0.02, strains, 0.0))

    def margins(self, poses: F64) -> F64:
        """(k, joints): distances of the controlled joints to their nearest limits, as shares of
        their ranges; 0.5 without limits."""
        low, high, q = self.low[self.columns], self.high[self.columns], poses[:, self.columns]
        shares = np.minimum(q - low, high - q) / np.where(high > low, high - low, 1.0)
        return np.asarray(np.where(self.bounded[self.columns], shares, 0.5))

    def clearances(self, pose: F64) -> F64:
        if self.distances is None or self._checked is None:
            return np.zeros(0)
        self._go(self.distances, pose)
        return np.asarray(self.distances.clearance[self._checked])

    def _go(self, distances: LiveDistances, pose: F64) -> None:
        distances.set_pose(dict(zip(self.column, pose.tolist(), strict=True)))

    def overlaps(self, pose: F64) -> tuple[LinkPair, ...]:
        """Pairs that overlap and are not ignored, deepest first."""
        if self.distances is None:
            return ()
        self._go(self.distances, pose)
        rows = self.distances.overlapping(self.ignored).tolist()
        return tuple(self.distances.model.link_pairs[row] for row in rows)

    def figures(self, pose: F64) -> tuple[float, float, float | None]:
        dexterity = 1.0
        if self.chains:
            dexterity = float(
                (self.singular(self.world(pose[None]))[0] / self.reference)[:, -1].min()
            )
        gaps = self.clearances(pose)
        margin = float(self.margins(pose[None]).min(initial=0.5))
        return margin, dexterity, float(gaps.min()) if len(gaps) else None

    def is_good(self, pose: F64, *, keep_start: bool) -> bool:
        margin, dexterity, clearance = self.figures(pose)
        if clearance is not None and clearance < 0:
            return False
        world = self.world(pose[None])
        is_free = clearance is None or clearance >= CLEAR
        is_at_ease = is_free and not self.strain(world).any() and not self.depth(world).any()
        return keep_start or (margin >= _MARGIN and dexterity >= _DEXTROUS and is_at_ease)

    # -- search

    def scores(self, poses: F64) -> F64:
        """(k): higher is better; every part is satisfied at some point, so that no joint moves for
        nothing."""
        totals = -0.5 * (1.0 - np.minimum(self.margins(poses) / _MARGIN, 1.0)).sum(axis=1)
        totals -= _PRICE * (np.abs(poses - self.home) / np.maximum(self.high - self.low, 1e-9)).sum(
            axis=1
        )
        if self.chains:
            world = self.world(poses)
            ratios = np.minimum(self.singular(world) / self.reference, 1.0)
            last = ratios[:, :, -1]
            # All singular values count a little: a pose that is singular in two ways gets better by
            # mending one.
            totals += 2.0 * last.mean(axis=1) + last.min(axis=1) + 0.5 * ratios.mean(axis=(1, 2))
            totals -= 2.0 * self.strain(world)
            depth = self.depth(world)
            totals -= np.where(
                depth > 0, 1.0 + depth / max(chain.length for chain in self.chains), 0.0
            )
        if self.distances is not None:
            totals += [self._room(pose) for pose in poses]
        return np.asarray(totals)

    def _room(self, pose: F64) -> float:
        gaps = self.clearances(pose)
        deep = -gaps[gaps < 0]
        if len(deep):
            return -2.0 * len(deep) - 20.0 * float(deep.sum())
        return min(float(gaps.min()) / CLEAR, 1.0) if len(gaps) else 0.0

    def best(self) -> F64:
        """The best pose of a search from home and some other poses; where that costs too much,
        joint by joint."""
        if not self.poses:
            return self._each_by_itself()
        rounds = self.poses // max(len(self.joints) * (_STEPS + 2), 1)
        begin = (self.home, *self.starts())[: max(rounds // _SWEEPS, 1)]
        improved = [self.improved(pose, self.joints, min(rounds, _SWEEPS)) for pose in begin]
        return improved[int(np.argmax(self.scores(np.stack(improved))))]

    def _each_by_itself(self) -> F64:
        pose = self.home.copy()
        for i in self.columns[self.bounded[self.columns]].tolist():
            low, high = self.low[i], self.high[i]
            room = _MARGIN * (high - low)
            pose[i] = min(max(pose[i], low + room), high - room)
        return pose

    def starts(self) -> list[F64]:
        """Other poses that the search begins from: joint by joint it does not fold an arm that is
        stretched."""
        if not self.chains:
            return []
        share = _spread(_SPREAD, len(self.joints))
        spread = np.repeat(self.home[None], _SPREAD, axis=0)
        for k, name in enumerate(self.joints):
            values = np.sort(self._values(name))
            if name not in self.mirrored:
                place = np.minimum((share[:, k] * len(values)).astype(int), len(values) - 1)
                self._put(spread, name, values[place])
        order = np.argsort(self.scores(spread))[::-1][:_STARTS]
        return [spread[k] for k in order]

    def improved(self, pose: F64, joints: Sequence[str], sweeps: int = _SWEEPS) -> F64:
        """The pose after some rounds in which each joint goes where the score is best."""
        best = pose
        best_score = self.scores(best[None])[0]
        for _ in range(sweeps):
            before = best_score
            for name in joints:
                if name in self.mirrored:
                    continue
                values = self._values(name)
                candidates = np.repeat(best[None], len(values), axis=0)
                self._put(candidates, name, values)
                scores = self.scores(candidates)
                k = int(np.argmax(scores))
                if scores[k] > best_score + 1e-6:
                    best, best_score = candidates[k], scores[k]
            if best_score <= before + 1e-6:
                break
        return best

    def others(self, pose: F64) -> list[str]:
        """The joints between bodies nearer than `CLEAR`, those outside the c-space included."""
        names: dict[str, None] = {}
        if self.distances is None or self._checked is None:
            return []
        self._go(self.distances, pose)
        for row in np.flatnonzero(self._checked & (self.distances.clearance < CLEAR)).tolist():
            pair = self.distances.model.link_pairs[row]
            names.update(
                (j.name, None)
                for j in self.tree.path(pair.first, pair.second)
                if j.name in self.column
            )
        return list(names)

    def _put(self, poses: F64, name: str, values: F64) -> None:
        """Moves a joint of poses (k, n) to values (k), and those that mirror it."""
        poses[:, self.column[name]] = values
        for other, sign in self._images.get(name, ()):
            poses[:, self.column[other]] = np.clip(sign * values, *self.limits[other])

    def _values(self, name: str) -> F64:
        low, high = self.limits[name]
        joint = self.tree.joint(name)
        turning = joint is not None and joint.type is not JointType.PRISMATIC
        inner = _MARGIN * (high - low)
        grid = np.linspace(low + inner, high - inner, _STEPS)
        # Round numbers are what a person would write.
        rounded = np.round(grid, 1 if turning and high - low > 1 else 3)
        values = np.array([0.0, self.start[name], *rounded.tolist()])
        return np.asarray(values[(values >= low) & (values <= high)])


@dataclass(frozen=True, slots=True, eq=False)
class _Chain:
    """A tool and the controlled joints that move it: their columns, child frames, axes, and which
    of them turn."""

    tool: int
    joints: tuple[str, ...]
    columns: tuple[int, ...]
    frames: tuple[int, ...]
    axes: F64
    turning: F64
    length: float
    #: From the first joint to the tool when it is stretched, metres.
    reach: float

    @classmethod
    def of(cls, tree: KinematicTree, tool: str, joints: Sequence[str]) -> _Chain:
        column = {name: i for i, name in enumerate(joints)}
        path = [joint for joint in tree.path(tree.root, tool) if joint.name in column]
        steps = [float(np.linalg.norm(joint.origin[:3, 3])) for joint in tree.path(tree.root, tool)]
        return cls(
            tree.index[tool],
            tuple(joint.name for joint in path),
            tuple(column[joint.name] for joint in path),
            tuple(tree.index[joint.child] for joint in path),
            np.array([joint.axis for joint in path]).reshape(-1, 3),
            np.array([joint.type is not JointType.PRISMATIC for joint in path], float),
            max(sum(steps) / 3, 1e-3),
            _reach(tree, tree.index[tool], tree.index[path[0].child]) if path else 1e-3,
        )

    def singular(self, world: F64) -> F64:
        """(k, 6) singular values of the Jacobian, falling; angles count by a third of the arm's
        length.

        An arm of fewer joints has fewer: the first place is filled with 1.
        """
        frames = world[:, list(self.frames)]
        direction = np.einsum("knij,nj->kni", frames[..., :3, :3], self.axes)
        lever = world[:, self.tool, None, :3, 3] - frames[..., :3, 3]
        turning = self.turning[None, :, None]
        moves = turning * np.cross(direction, lever) + (1 - turning) * direction * self.length
        jacobian = np.concatenate([moves, turning * direction * self.length], axis=2)
        values = np.linalg.svd(jacobian, compute_uv=False)
        return np.hstack([np.ones((len(values), 6 - values.shape[1])), values])


def _spread(count: int, dimensions: int) -> F64:
    """(count, dimensions) points in a box of side 1, evenly: an additive recurrence by square roots
    of primes."""
    primes = np.array(_PRIMES[:dimensions])
    return np.asarray(
        (np.arange(1, count + 1)[:, None] * np.sqrt(np.resize(primes, dimensions))) % 1.0
    )


def _reach(tree: KinematicTree, tool: int, first: int) -> float:
    """Metres along the origins of the joints between two frames; offsets along an axis that turns
    stay as they are."""
    names = tree.frames
    steps = [
        float(np.linalg.norm(joint.origin[:3, 3])) for joint in tree.path(names[first], names[tool])
    ]
    return max(sum(steps), 1e-3)


def _mirrored(
    tree: KinematicTree, chains: Sequence[tuple[str, ...]]
) -> dict[str, tuple[str, float]]:
    """Joint of a limb -> (joint of the limb whose mirror image or copy it is, sign of the
    position)."""
    world = compute_forward(tree, dict.fromkeys(tree.independent, 0.0))
    result: dict[str, tuple[str, float]] = {}
    taken: set[str] = set()
    for first, second in combinations(chains, 2):
        first_only = [name for name in first if name not in second]
        other = [name for name in second if name not in first]
        if not first_only or len(first_only) != len(other) or taken & {*first_only, *other}:
            continue
        # About y = 0 for most robots, about another plane for those whose y points up.
        for mirror in _MIRRORS:
            signs = [
                _sign(tree, world, a, b, mirror) for a, b in zip(first_only, other, strict=True)
            ]
            clear_signs = [sign for sign in signs if sign is not None]
            if len(clear_signs) == len(first_only):
                result.update(
                    (b, (a, sign))
                    for a, b, sign in zip(first_only, other, clear_signs, strict=True)
                )
                taken.update(first_only, other)
                break
        else:
            if _are_copies(tree, world, first_only, other):
                result.update((b, (a, 1.0)) for a, b in zip(first_only, other, strict=True))
                taken.update(first_only, other)
    return result


def _are_copies(
    tree: KinematicTree, world: F64, first: Sequence[str], second: Sequence[str]
) -> bool:
    """Whether two limbs are of one kind, and stand upright alike: what is good for one is good for
    the other."""
    shapes, limits, turns = [], [], []
    for names in (first, second):
        joints = [joint for name in names if (joint := tree.joint(name)) is not None]
        frames = world[[tree.index[joint.child] for joint in joints]]
        # From each joint to the next, and where up is for the first one.
        steps = np.linalg.inv(frames[:-1]) @ frames[1:]
        axes = np.array([joint.axis for joint in joints])
        shapes.append(np.concatenate([frames[0, 2, :3], steps.ravel(), axes.ravel()]))
        limits.append(np.array([_limits(tree, joint.name) for joint in joints]))
        turns.append([joint.type for joint in joints])
    if turns[0] != turns[1] or not bool(
        np.allclose(shapes[0], shapes[1], rtol=0.0, atol=_SAME_AXIS)
    ):
        return False
    return bool(
        np.abs(limits[0] - limits[1]).max() <= _SAME_LIMITS * np.ptp(limits[0], axis=1).max() + 1e-6
    )


def _sign(tree: KinematicTree, world: F64, first: str, second: str, mirror: F64) -> float | None:
    """1 or -1 when the second joint is the mirror image of the first, None when it is not."""
    a, b = tree.joint(first), tree.joint(second)
    if a is None or b is None or a.type is not b.type:
        return None
    one, two = world[tree.index[a.child]], world[tree.index[b.child]]
    if np.abs(one[:3, 3] * mirror - two[:3, 3]).max() > _SAME_PLACE:
        return None
    axis, second_axis = one[:3, :3] @ a.axis, two[:3, :3] @ b.axis
    # The mirror image of a turn turns the other way.
    image = mirror * axis if a.type is JointType.PRISMATIC else -mirror * axis
    for sign in (1.0, -1.0):
        low, high = sorted(sign * limit for limit in _limits(tree, first))
        # A limb that bends the other way, as hind legs may, is no mirror image.
        alike = (
            np.abs(np.subtract(_limits(tree, second), (low, high))).max()
            <= _SAME_LIMITS * (high - low) + 1e-6
        )
        if alike and np.abs(image - sign * second_axis).max() <= _SAME_AXIS:
            return sign
    return None


def _limits(tree: KinematicTree, name: str) -> tuple[float, float]:
    joint = tree.joints[tree.joint_index[name]]
    low, high = joint.span
    # Several turns are one: people begin near the middle.
    if joint.type is not JointType.PRISMATIC and high - low > 2 * np.pi:
        low, high = max(low, -np.pi), min(high, np.pi)
    return (low, high) if low < high else joint.span


_PRIMES = tuple(n for n in range(2, 108) if all(n % divisor for divisor in range(2, n)))
