"""The kinematic tree: frames, joints, which joint follows which, and the arrays for forward
kinematics."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from editor_app.core.model.findings import Finding, FindingSubject, Severity
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.kinematic_graph import LOOSE, on_loops
from editor_app.core.model.pose import EMPTY_POSE, Pose
from editor_app.core.model.urdf import MOVABLE, Joint, JointType, Mimic, finite_range
from editor_app.core.model.xrdf import Xrdf
from editor_app.core.space.kinematics.transforms import Matrix, skew


@dataclass(frozen=True, slots=True, eq=False)
class TreeJoint:
    """A joint as it takes part in the tree.

    `origin` (4, 4): pose of the joint frame in the parent frame at zero. `axis` (3,): unit, in the
    joint frame. `limits`: (lower, upper) in rad or m with lower <= upper, one of them perhaps
    infinite; None when both bounds are missing or no number moves the joint. `velocity`: rad/s or
    m/s. `mimic`: None when the joint moves by itself, also where a modifier freed it or where it
    names a joint that it cannot follow. `urdf`: None for a joint of `add_frame`.
    """

    name: str
    type: JointType
    parent: str
    child: str
    origin: Matrix
    axis: Matrix
    limits: tuple[float, float] | None = None
    velocity: float | None = None
    mimic: Mimic | None = None
    urdf: Joint | None = None

    @property
    def is_movable(self) -> bool:
        """True if one number moves it (revolute, continuous or prismatic)."""
        return self.type in MOVABLE

    @property
    def span(self) -> tuple[float, float]:
        """(lower, upper), finite, rad or m: the limits; one turn or two metres where a bound is
        missing."""
        lower, upper = self.limits or (-math.inf, math.inf)
        return finite_range(
            lower, upper, 2.0 if self.type is JointType.PRISMATIC else 2.0 * math.pi
        )


@dataclass(frozen=True, slots=True)
class Follow:
    """The position of a movable joint: multiplier · position(source) + offset, chains of mimic
    joints resolved.

    `source` is an independent joint; None when the position is `offset` whatever the pose is,
    because the chain ends at a joint that does not move or was cut off by the new base.
    """

    source: str | None
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, eq=False)
class KinematicTree:
    """Frames in parent-first order (depth first, children in the order of the URDF), and how they
    hang together.

    `parent[i]` is the index of the parent of `frames[i]`, -1 for the root; `joints[i - 1]` leads to
    `frames[i]`. Without any frame the root is "". Immutable, picklable; compared by identity.
    """

    root: str
    frames: tuple[str, ...]
    parent: tuple[int, ...]
    joints: tuple[TreeJoint, ...]
    #: Movable joint -> how its position follows; an independent joint follows itself.
    follows: Mapping[str, Follow] = field(default_factory=dict)
    #: Frames and joints that the new base cut off, and frames that `add_frame` added (and that are
    #: still there).
    removed_frames: frozenset[str] = frozenset()
    removed_joints: frozenset[str] = frozenset()
    added_frames: frozenset[str] = frozenset()
    #: Links that hang on nothing because the URDF is broken: they are not in the tree.
    detached_frames: frozenset[str] = frozenset()
    #: What is wrong with the URDF's structure and how it was taken (codes TREE001…, see `tree.py`).
    problems: tuple[Finding, ...] = ()
    #: Index in `modifiers` -> why that modifier could not be applied.
    skipped_modifiers: Mapping[int, str] = field(default_factory=dict)

    @cached_property
    def index(self) -> Mapping[str, int]:
        """Frame -> its place in `frames`."""
        return {name: i for i, name in enumerate(self.frames)}

    @cached_property
    def joint_index(self) -> Mapping[str, int]:
        """Joint name -> its place in `joints`."""
        return {joint.name: i for i, joint in enumerate(self.joints)}

    @cached_property
    def movable(self) -> tuple[str, ...]:
        """Names of the joints that one number moves, in tree order, those that mimic included."""
        return tuple(joint.name for joint in self.joints if joint.is_movable)

    @cached_property
    def independent(self) -> tuple[str, ...]:
        """Names of the movable joints that do not mimic, in tree order."""
        return tuple(
            joint.name for joint in self.joints if joint.is_movable and joint.mimic is None
        )

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """Per frame index, the indices of its children."""
        lists: list[list[int]] = [[] for _ in self.frames]
        for i, parent in enumerate(self.parent):
            if parent >= 0:
                lists[parent].append(i)
        return tuple(tuple(entry) for entry in lists)

    @cached_property
    def depth(self) -> tuple[int, ...]:
        """Per frame index, the number of joints to the root."""
        depths: list[int] = []
        for parent in self.parent:
            depths.append(0 if parent < 0 else depths[parent] + 1)
        return tuple(depths)

    def joint(self, name: str) -> TreeJoint | None:
        """The joint of that name."""
        i = self.joint_index.get(name)
        return None if i is None else self.joints[i]

    def joint_to(self, frame: str) -> TreeJoint | None:
        """The joint that leads to `frame`; None for the root. Raises KeyError if there is no such
        frame."""
        i = self.index[frame]
        return self.joints[i - 1] if i else None

    def subtree(self, frame: str) -> tuple[str, ...]:
        """`frame` and everything below it, in tree order. Raises KeyError if there is no such
        frame."""
        start = self.index[frame]
        return self.frames[start : self._ends[start]]

    @cached_property
    def _ends(self) -> tuple[int, ...]:
        """Per frame index, where its subtree ends: in depth-first order a subtree is one run."""
        ends = list(range(1, len(self.frames) + 1))
        for i in range(len(self.frames) - 1, 0, -1):
            ends[self.parent[i]] = max(ends[self.parent[i]], ends[i])
        return tuple(ends)

    def path(self, a: str, b: str) -> tuple[TreeJoint, ...]:
        """The joints between two frames, from `a` up to the common ancestor and down to `b`. Raises
        KeyError."""
        i, j = self.index[a], self.index[b]
        up: list[TreeJoint] = []
        down: list[TreeJoint] = []
        while i != j:
            if self.depth[i] >= self.depth[j]:
                up.append(self.joints[i - 1])
                i = self.parent[i]
            else:
                down.append(self.joints[j - 1])
                j = self.parent[j]
        return (*up, *reversed(down))

    def movers(self, frame: str) -> tuple[str, ...]:
        """The independent joints that move a frame against the root, from the root on; of
        followers, their leaders.

        Raises KeyError if there is no such frame.
        """
        follows = (self.follows.get(joint.name) for joint in self.path(self.root, frame))
        return tuple(
            dict.fromkeys(f.source for f in follows if f is not None and f.source is not None)
        )

    def movers_of(self, frames: Iterable[str]) -> set[str]:
        """Return the `movers` of any of the frames; each joint is looked at once. Raises KeyError
        as `movers`."""
        passed: set[int] = set()
        for frame in frames:
            i = self.index[frame]
            while i > 0 and i not in passed:
                passed.add(i)
                i = self.parent[i]
        follows = (self.follows.get(self.joints[i - 1].name) for i in passed)
        return {f.source for f in follows if f is not None and f.source is not None}

    def rigid_groups(self) -> dict[str, int]:
        """Frame -> number of the group of frames that fixed joints hold together; groups are
        counted in tree order."""
        return self._groups(frozenset({JointType.FIXED}))

    def held_groups(self) -> dict[str, int]:
        """Frame -> number of the group of frames between which no planar or floating joint lies."""
        return self._groups(frozenset(JointType) - LOOSE)

    def _groups(self, holding: Collection[JointType]) -> dict[str, int]:
        groups: list[int] = []
        count = 0
        for i, parent in enumerate(self.parent):
            if parent >= 0 and self.joints[i - 1].type in holding:
                groups.append(groups[parent])
            else:
                groups.append(count)
                count += 1
        return dict(zip(self.frames, groups, strict=True))

    @cached_property
    def motion(self) -> TransformTerms:
        """Arrays for forward kinematics, computed once."""
        return TransformTerms.of(self)


@dataclass(frozen=True, slots=True, eq=False)
class TransformTerms:
    """The local transform of frame i as a sum: constant + sin(q)·sine + (1 - cos(q))·cosine +
    q·linear.

    All four are (n_frames, 4, 4), by Rodrigues' formula R = 1 + sin(q) K + (1 - cos(q)) K²
    multiplied by the joint's origin beforehand, so that a whole robot is four array operations and
    one product per frame. `moving` (m,): frame index of each joint of `tree.movable`; `source`
    (m,): which of `tree.independent` it follows, -1 for none; `multiplier`, `offset` (m,).
    """

    constant: Matrix
    sine: Matrix
    cosine: Matrix
    linear: Matrix
    moving: np.ndarray
    turning: np.ndarray
    source: np.ndarray
    multiplier: Matrix
    offset: Matrix

    @staticmethod
    def of(tree: KinematicTree) -> TransformTerms:
        n = len(tree.frames)
        constant = np.zeros((n, 4, 4))
        constant[:] = np.eye(4)
        sine, cosine, linear = (np.zeros((n, 4, 4)) for _ in range(3))
        for i, joint in enumerate(tree.joints, start=1):
            constant[i] = joint.origin
            rotation = joint.origin[:3, :3]
            if joint.type is JointType.PRISMATIC:
                linear[i, :3, 3] = rotation @ joint.axis
            elif joint.is_movable:
                k = skew(joint.axis)
                sine[i, :3, :3] = rotation @ k
                cosine[i, :3, :3] = rotation @ k @ k
        independent = {name: i for i, name in enumerate(tree.independent)}
        follows = [tree.follows[name] for name in tree.movable]
        moving = [tree.joint_index[name] + 1 for name in tree.movable]
        turning = [tree.joints[i - 1].type is not JointType.PRISMATIC for i in moving]
        return TransformTerms(
            constant,
            sine,
            cosine,
            linear,
            np.array(moving, dtype=np.intp),
            np.array(turning, dtype=np.bool_),
            np.array(
                [-1 if f.source is None else independent[f.source] for f in follows], dtype=np.intp
            ),
            np.array([f.multiplier for f in follows], dtype=np.float64),
            np.array([f.offset for f in follows], dtype=np.float64),
        )


def resolve_follows(
    joints: dict[str, TreeJoint], kept: Collection[str]
) -> tuple[dict[str, Follow], tuple[Finding, ...]]:
    """Follow of every movable joint, and what was wrong. `kept` names the joints that the new base
    leaves.

    A mimic that cannot be followed (unknown joint, loop) is taken away in `joints`, which is
    changed in place. A chain that ends at a joint outside `kept`, or at one that no number moves,
    gives a constant.
    """
    problems = [*_drop_unknown(joints), *_drop_loops(joints)]
    follows: dict[str, Follow] = {}
    for name, joint in joints.items():
        if not joint.is_movable:
            continue
        chain: list[TreeJoint] = []
        end = joint
        while end.name not in follows and end.mimic is not None:
            chain.append(end)
            end = joints[end.mimic.joint]
        if end.name not in follows and end.name in kept and end.is_movable:
            follows[end.name] = Follow(end.name)
        follow = follows.get(end.name) or Follow(None, 0.0, resting_position(end))
        for step in reversed(chain):
            assert step.mimic is not None
            follow = Follow(
                follow.source,
                step.mimic.multiplier * follow.multiplier,
                step.mimic.multiplier * follow.offset + step.mimic.offset,
            )
            follows[step.name] = follow
        follows.setdefault(name, follow)
    return follows, tuple(problems)


def resting_position(joint: TreeJoint) -> float:
    """Return the position of a joint without a default: 0 clamped to its limits; 0 for a joint that
    does not move."""
    if joint.limits is None:
        return 0.0
    return min(max(0.0, joint.limits[0]), joint.limits[1])


def _drop_unknown(joints: dict[str, TreeJoint]) -> list[Finding]:
    problems = []
    for name, joint in joints.items():
        if joint.mimic is not None and joint.mimic.joint not in joints:
            problems.append(
                _problem(name, f"joint {name!r} mimics {joint.mimic.joint!r}, which does not exist")
            )
            joints[name] = replace(joint, mimic=None)
    return problems


def _drop_loops(joints: dict[str, TreeJoint]) -> list[Finding]:
    loops = on_loops(
        {name: joint.mimic.joint for name, joint in joints.items() if joint.mimic is not None}
    )
    for name in loops:
        joints[name] = replace(joints[name], mimic=None)
    return [
        _problem(name, f"joint {name!r} mimics itself, directly or through other joints")
        for name in joints
        if name in loops
    ]


def _problem(joint: str, message: str) -> Finding:
    return Finding(
        "TREE007",
        Severity.ERROR,
        f"{message}; it is treated as independent",
        subject=FindingSubject(joints=(joint,), section="urdf"),
    )


def get_default_positions(tree: KinematicTree, xrdf: Xrdf | None = None) -> Pose:
    """A value for every movable joint in tree order: `default_joint_positions`, else 0 clamped to
    the limits.

    Mimic joints follow; a default that is given for one of them has no effect (rule XRDF603).
    """
    given = xrdf.default_joint_positions if xrdf is not None else None
    return complete_pose(tree, given or EMPTY_POSE)


def complete_pose(
    tree: KinematicTree, pose: Mapping[str, float], rest: Mapping[str, float] | None = None
) -> Pose:
    """A value for every movable joint in tree order: mimic joints follow (chains too), names that
    are not movable go.

    An independent joint that `pose` lacks stands as in `rest`, else at 0 clamped to its limits.
    Values are not clamped: a pose may show what lies outside the limits.
    """
    independent: dict[str, float] = {}
    for name in tree.independent:
        value = pose.get(name)
        if value is None and rest is not None:
            value = rest.get(name)
        independent[name] = (
            resting_position(tree.joints[tree.joint_index[name]]) if value is None else float(value)
        )
    result: dict[str, float] = {}
    for name in tree.movable:
        follow = tree.follows[name]
        result[name] = follow.offset
        if follow.source is not None:
            result[name] += follow.multiplier * independent[follow.source]
    return FrozenDict(result)
