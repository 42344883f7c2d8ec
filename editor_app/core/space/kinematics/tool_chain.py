"""Joints that carry a few frames, as arrays: poses and Jacobians of these frames, for many
configurations at once."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from editor_app.core.model.urdf import JointType
from editor_app.core.space.kinematics.structure import KinematicTree, complete_pose
from editor_app.core.space.kinematics.transforms import Matrix

_NEXT, _LAST = np.array([1, 2, 0]), np.array([2, 0, 1])
#: A joint that carries another limb as well moves by this share (squared) of what a joint of the
#: limb itself moves.
_CARRIES_MORE = 0.2
#: What hangs beside the way to the frames is a limb when it has this share of the way's length.
#: Fingers have not.
_LIMB = 0.5


@dataclass(frozen=True, eq=False)
class ToolChain:
    """m moving joints between the root and t frames, n variables: independent joints that are not
    locked.

    `parent` (m,): the joint before, -1 for the root, in parent-first order. The local transform of
    joint i is constant + sin(q)·sine + (1 - cos(q))·cosine + q·linear, all (m, 4, 4). `axis` (m, 3)
    in the joint's own frame. q = `factors` (m, n) · variables + `offsets` (m,): mimic joints
    follow, locked ones stand. `tool_joint` (t,): the joint that carries each frame, -1 for none;
    `tool_place` (t, 4, 4): the frame in that joint. `carries` (t, m). `lower`, `upper` (n,): limits
    in radians or metres, infinite without; the joints that follow keep theirs too. `reach`: metres,
    an upper bound of the distance of a frame from the root while sliding joints stand at 0.
    """

    frames: tuple[str, ...]
    variables: tuple[str, ...]
    parent: tuple[int, ...]
    constant: Matrix
    sine: Matrix
    cosine: Matrix
    linear: Matrix
    axis: Matrix
    turning: np.ndarray
    factors: Matrix
    offsets: Matrix
    tool_joint: tuple[int, ...]
    tool_place: Matrix
    carries: np.ndarray
    lower: Matrix
    upper: Matrix
    reach: float
    #: (n,): a whole turn of the variable changes nothing.
    turns_whole: np.ndarray
    #: (n,): how readily a variable moves, 1 for most; less for a waist, with which the other arm
    #: would move.
    readiness: Matrix

    def poses(self, values: Matrix) -> tuple[Matrix, Matrix]:
        """(k, m, 4, 4) joints and (k, t, 4, 4) frames in the root frame, for variables (k, n)."""
        q = (values @ self.factors.T + self.offsets)[:, :, None, None]
        half = np.sin(0.5 * q)
        local = (
            self.constant
            + np.sin(q) * self.sine
            + (2.0 * half * half) * self.cosine
            + q * self.linear
        )
        for i, before in enumerate(self.parent):
            if before >= 0:
                local[:, i] = local[:, before] @ local[:, i]
        tools = np.empty((len(values), len(self.frames), 4, 4))
        for t, joint in enumerate(self.tool_joint):
            tools[:, t] = self.tool_place[t] if joint < 0 else local[:, joint] @ self.tool_place[t]
        return local, tools

    def jacobian(self, joints: Matrix, tools: Matrix) -> tuple[Matrix, Matrix]:
        """(k, t, 3, n) of position and of rotation (a rotation vector in the root frame), from
        `poses`."""
        axes = np.einsum("kmij,mj->kmi", joints[:, :, :3, :3], self.axis)
        arms = tools[:, :, None, :3, 3] - joints[:, None, :, :3, 3]
        carried = self.carries[None, :, :, None]
        moved = (
            np.where(self.turning[None, None, :, None], _cross(axes[:, None], arms), axes[:, None])
            * carried
        )
        turned = axes[:, None] * (carried & self.turning[None, None, :, None])
        return np.einsum("ktmi,mn->ktin", moved, self.factors), np.einsum(
            "ktmi,mn->ktin", turned, self.factors
        )


def tool_chain(
    tree: KinematicTree,
    frames: Sequence[str],
    pose: Mapping[str, float],
    locked: Collection[str] = (),
) -> ToolChain:
    """The chain of `frames` at `pose` (joint -> rad or m), where locked joints stay. Raises
    KeyError for no frame."""
    motion = tree.motion
    at = {int(frame): m for m, frame in enumerate(motion.moving)}
    paths = [_way(tree, tree.index[frame]) for frame in frames]
    bodies = sorted({i for way in paths for i in way if i in at})
    number = {frame: k for k, frame in enumerate(bodies)}
    before, between = (
        zip(*(_joint_before(tree, at, i) for i in bodies), strict=True) if bodies else ((), ())
    )
    fixed = np.array(between, float).reshape(-1, 4, 4)
    joints = [tree.joints[i - 1] for i in bodies]
    variables, factors, offsets = _driven(
        tree, [joint.name for joint in joints], complete_pose(tree, pose), locked
    )
    ends = [_joint_before(tree, at, tree.index[frame], whole=True) for frame in frames]
    tool_places = np.array([place for _, place in ends], float).reshape(-1, 4, 4)
    carries = np.array([[frame in way for frame in bodies] for way in paths], bool).reshape(
        len(frames), len(bodies)
    )
    lower, upper = (
        np.array([_range(tree, name) for name in variables], float).reshape(-1, 2).T.copy()
    )
    before_turn = fixed @ motion.constant[bodies]
    lengths = np.linalg.norm(before_turn[:, :3, 3], axis=1)
    reach = float(np.max(carries @ lengths + np.linalg.norm(tool_places[:, :3, 3], axis=1)))
    turning = np.array([joint.type is not JointType.PRISMATIC for joint in joints], bool)
    # A full turn of a variable brings every joint that it drives back where it was.
    whole = np.all((factors == 0.0) | turning[:, None], axis=0) & np.all(
        factors == np.round(factors), axis=0
    )
    return ToolChain(
        tuple(frames),
        variables,
        tuple(number.get(i, -1) for i in before),
        before_turn,
        fixed @ motion.sine[bodies],
        fixed @ motion.cosine[bodies],
        fixed @ motion.linear[bodies],
        np.array([joint.axis for joint in joints], float).reshape(-1, 3),
        turning,
        factors,
        offsets,
        tuple(number.get(joint, -1) for joint, _ in ends),
        tool_places,
        carries,
        lower,
        upper,
        max(reach, 1e-3),
        whole,
        _readiness(tree, paths, bodies, factors),
    )


def _readiness(
    tree: KinematicTree, paths: Sequence[Sequence[int]], bodies: Sequence[int], factors: Matrix
) -> Matrix:
    """(n,) for the factors (m, n) of the bodies: less than 1 where another limb hangs on what the
    variable moves."""
    lengths = np.linalg.norm(tree.motion.constant[:, :3, 3], axis=1)
    moving = {int(frame) for frame in tree.motion.moving}
    on_way = {frame for path in paths for frame in path}
    reach = np.zeros(len(lengths))
    #: Metres of the longest limb that hangs at or below a frame, beside the ways to the tools.
    limb = np.zeros(len(lengths))
    has_joint = np.zeros(len(lengths), bool)
    for frame in reversed(range(1, len(lengths))):
        before = tree.parent[frame]
        whole = reach[frame] + lengths[frame]
        has_joint[frame] |= frame in moving
        if frame in on_way:
            limb[before] = max(limb[before], limb[frame])
        else:
            reach[before] = max(reach[before], whole)
            has_joint[before] |= has_joint[frame]
            if has_joint[frame] and before in on_way:
                limb[before] = max(limb[before], whole)
    ways = [float(lengths[list(path)].sum()) for path in paths]
    carries_limb = limb[list(bodies)] >= _LIMB * max(ways, default=0.0)
    result: Matrix = np.where(
        ((factors != 0.0) & carries_limb[:, None]).any(axis=0), _CARRIES_MORE, 1.0
    )
    return result


def _driven(
    tree: KinematicTree,
    joints: Sequence[str],
    positions: Mapping[str, float],
    locked: Collection[str],
) -> tuple[tuple[str, ...], Matrix, Matrix]:
    """The free variables (n) of the m joints, and factors (m, n) and offsets (m): position =
    factors · q + offsets."""
    follows = [tree.follows[name] for name in joints]
    sources = {follow.source for follow in follows}
    variables = tuple(name for name in tree.independent if name in sources and name not in locked)
    factors = np.zeros((len(joints), len(variables)))
    offsets = np.array([positions[name] for name in joints], float)
    for k, follow in enumerate(follows):
        if follow.source in variables:
            factors[k, variables.index(follow.source)] = follow.multiplier
            offsets[k] = follow.offset
    return variables, factors, offsets


def _cross(a: Matrix, b: Matrix) -> Matrix:
    """numpy's `cross` over the last axis, without what it spends on checking axes."""
    result: Matrix = a[..., _NEXT] * b[..., _LAST] - a[..., _LAST] * b[..., _NEXT]
    return result


def _way(tree: KinematicTree, frame: int) -> list[int]:
    way = []
    while frame >= 0:
        way.append(frame)
        frame = tree.parent[frame]
    return way


def _joint_before(
    tree: KinematicTree, moving: Mapping[int, int], frame: int, *, whole: bool = False
) -> tuple[int, Matrix]:
    """The moving joint before a frame (-1: the root), and the fixed transform from there; `whole`:
    the frame's too."""
    between = np.eye(4)
    if not whole:
        frame = tree.parent[frame]
    while frame >= 0 and frame not in moving:
        between = tree.motion.constant[frame] @ between
        frame = tree.parent[frame]
    return frame, between


def _range(tree: KinematicTree, variable: str) -> tuple[float, float]:
    """Limits of an independent joint and of the joints that follow it; its own alone where they
    exclude each other."""
    joint = tree.joints[tree.joint_index[variable]]
    joint_limits = joint.limits or (-np.inf, np.inf)
    lower, upper = joint_limits
    for name, follow in tree.follows.items():
        limits = tree.joints[tree.joint_index[name]].limits
        if (
            name == variable
            or follow.source != variable
            or limits is None
            or follow.multiplier == 0.0
        ):
            continue
        ends = sorted((limit - follow.offset) / follow.multiplier for limit in limits)
        lower, upper = max(lower, ends[0]), min(upper, ends[1])
    return (lower, upper) if lower <= upper else joint_limits
