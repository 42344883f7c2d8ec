"""Model for self-collision: spheres in moving bodies, joint variables, and the pairs of frames.

Plain arrays, picklable, in metres and radians. A *body* is what moves as one: frames joined by
fixed joints, and by joints that the options lock. Its frame is chosen so that the joint that moves
it turns about, or slides along, its z axis. A *variable* is a joint that one number moves and that
follows no other; mimic joints are a multiple of one.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from editor_app.core.arrays import F64, I32, I64, U8, Bools
from editor_app.core.model.counting import format_list
from editor_app.core.model.findings import SphereRef
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.kinematic_graph import LOOSE
from editor_app.core.model.pose import Pose
from editor_app.core.model.refusal import Refused
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.urdf import ENDLESS_SLIDE, FARTHEST, JointType, finite_range
from editor_app.core.model.xrdf import CollisionSphere, LinkPair, Xrdf
from editor_app.core.space.kinematics.tree import (
    KinematicTree,
    TreeJoint,
    adjacent_pairs,
    get_default_positions,
    get_tree,
)
from editor_app.features.masks.engine.options import Limits, ModelOptions, Uncontrolled


@dataclass(frozen=True)
class Way:
    """The common part of chains between the same two bodies. n joints, k variables: indices into
    the model's."""

    links: F64
    sliding: U8
    variable: I64
    gain: F64
    shift: F64
    alone: U8
    variables: tuple[int, ...]
    lower: F64
    upper: F64
    #: An upper bound of every length that occurs on the way from one frame to the other, metres.
    extent: float


class Relation(IntEnum):
    """How two frames hang together."""

    APART = 0
    #: Parent and child of a moving joint, as `model.kinematic_graph.adjacent_links` defines them.
    ADJACENT = 1
    #: In one rigid group: only fixed joints lie between them.
    RIGID = 2
    #: In different rigid groups, but only locked joints lie between them.
    LOCKED = 3
    #: Parent and child of a fixed joint: adjacent and in one rigid group.
    FIXED = 4
    #: A planar or floating joint lies between them, which nothing here moves.
    LOOSE = 5


#: Relations of frames in one rigid group, and of these and of adjacent frames.
RIGID_RELATIONS = frozenset({Relation.RIGID, Relation.FIXED})
JOINED_RELATIONS = RIGID_RELATIONS | {Relation.ADJACENT}


class BodyArrays(NamedTuple):
    """Parent first; index 0 is the root. The value of a body's joint is scale * variable[dof] +
    offset."""

    parent: I32
    dof: I32
    prismatic: U8
    scale: F64
    offset: F64
    #: (n, 3, 4): where the joint stands in the parent's body, its axis along z.
    origin: F64


@dataclass(frozen=True)
class SphereModel:
    """Frames that take part in self-collision, in tree order, with their spheres; see the module's
    docstring."""

    options: ModelOptions
    frames: tuple[str, ...]
    #: Body of each frame (n_frames,).
    frame_body: I32
    #: Spheres of frame i are rows starts[i]:starts[i + 1] (n_frames + 1,).
    starts: I32
    #: (n, 4): centre in the body, radius + self-collision buffer > 0.
    spheres: F64
    refs: tuple[SphereRef, ...]
    #: (n_frames, 4): a ball around all spheres of the frame, in its body.
    bounds: F64
    bodies: BodyArrays
    #: (n_frames, 3, 4): pose of each frame in its body.
    frame_pose: F64
    variables: tuple[str, ...]
    #: (n,) where configurations are looked for, radians or metres; finite: one turn where there are
    #: no limits.
    lower: F64
    upper: F64
    #: (n, 2) the limits themselves, infinite where there are none.
    limits: F64
    default: F64
    #: Whether the variable turns without end (its range is one full turn).
    continuous: tuple[bool, ...]
    #: Values of all independent movable joints at the default configuration, locked ones too.
    rest: Pose
    #: (n_pairs, 2): indices into `frames`, first < second.
    pairs: I32
    relation: U8
    buffers: FrozenDict[str, float]
    #: Variables that slide without end: they have no range, and their bounds are the default.
    endless: tuple[str, ...] = ()
    #: What was left out, and why.
    notes: tuple[str, ...] = field(default=(), compare=False)

    @cached_property
    def chain_ways(self) -> dict[tuple[int, int], Way]:
        """The results of chains.py for pairs of bodies; they stay with the model, but is not
        pickled."""
        return {}

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "chain_ways"}

    @cached_property
    def index(self) -> Mapping[str, int]:
        """Frame -> its place in `frames`."""
        return {name: i for i, name in enumerate(self.frames)}

    @cached_property
    def pair_index(self) -> Mapping[LinkPair, int]:
        """Pair -> its row in `pairs`."""
        return {pair: i for i, pair in enumerate(self.link_pairs)}

    @cached_property
    def link_pairs(self) -> tuple[LinkPair, ...]:
        """The pairs by name, in the order of `pairs`."""
        return tuple(LinkPair.of(self.frames[i], self.frames[j]) for i, j in self.pairs.tolist())

    def ordered(self, row: int) -> tuple[str, str]:
        """The names of a pair, that which comes first in the tree first."""
        i, j = self.pairs[row].tolist()
        return self.frames[i], self.frames[j]

    @cached_property
    def body_path(self) -> tuple[tuple[int, ...], ...]:
        """Per body: itself and its parents up to the root."""
        paths: list[tuple[int, ...]] = []
        for body, parent in enumerate(self.bodies.parent.tolist()):
            paths.append((body,) if parent < 0 else (body, *paths[parent]))
        return tuple(paths)

    def moves_like(self, other: SphereModel) -> bool:
        """Return whether frames, their bodies and the ranges of joints equal the other's: spheres
        alone may differ."""
        if (self.frames, self.variables) != (other.frames, other.variables):
            return False
        are_equal = (
            np.array_equal(getattr(self.bodies, n), getattr(other.bodies, n))
            for n in BodyArrays._fields
        )
        return self.has_equal(other, "frame_body", "frame_pose", "lower", "upper") and all(
            are_equal
        )

    def has_equal(self, other: SphereModel, *names: str) -> bool:
        """Return whether these arrays equal the other's."""
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in names)

    def path_variables(self, row: int) -> tuple[int, ...]:
        """Variables that move the frames of a pair against each other, ascending."""
        i, j = self.pairs[row].tolist()
        one = set(self.body_path[int(self.frame_body[i])])
        other = set(self.body_path[int(self.frame_body[j])])
        variables = {int(self.bodies.dof[body]) for body in one ^ other}
        return tuple(sorted(variables - {-1}))

    @cached_property
    def _farthest(self) -> float:
        """Metres: no coordinate of a body, a frame or a sphere's surface is larger."""
        with np.errstate(over="ignore"):
            reaches = np.abs(self.spheres[:, :3]).max(axis=1) + self.spheres[:, 3]
        places = [self.bodies.origin[..., 3], self.frame_pose[..., 3], reaches]
        return max((float(np.abs(each).max()) for each in places if each.size), default=0.0)

    def refuse_endless(self, variables: Iterable[str]) -> None:
        """Raise Refused where a variable that is about to vary slides without end, or the robot has
        no end itself."""
        if not self._farthest < FARTHEST:
            raise Refused(
                f"a joint, frame or sphere has a distance or size of {self._farthest:g} m; the "
                "limit is "
                f"{FARTHEST:,.0f} m. Correct the number (`check` shows the line: URDF070, XRDF315)"
            )
        endless = sorted(set(variables).intersection(self.endless)) if self.endless else ()
        if endless:
            raise Refused(
                f"joint {format_list(endless, 5)} slides without limits, so there is no range to "
                "sample: set lower and "
                f"upper in the URDF, both below {ENDLESS_SLIDE:,.0f} m (`check` shows the line: "
                "URDF025)"
            )

    def values(self, pose: Mapping[str, float]) -> F64:
        """Variables (n,) at a pose; those that the pose does not name stand at the default."""
        return np.array(
            [
                pose.get(name, rest)
                for name, rest in zip(self.variables, self.default.tolist(), strict=True)
            ]
        )

    def spread_values(self, count: int) -> F64:
        """Return (count, n_variables) values within the limits; a variable without finite limits is
        at the default.

        A Latin hypercube: each variable takes evenly spaced values, both limits among them, in a
        random order.
        """
        is_limited = np.isfinite(self.lower) & np.isfinite(self.upper)
        lower, upper = (
            np.where(is_limited, self.lower, self.default),
            np.where(is_limited, self.upper, self.default),
        )
        shares = np.linspace(np.zeros(len(lower)), np.ones(len(lower)), count)
        return np.asarray(
            lower + np.random.default_rng(0).permuted(shares, axis=0) * (upper - lower)
        )

    def pose_of(self, values: F64, row: int | None = None) -> Pose:
        """All independent joints; with `row`, those that do not matter to that pair stand at the
        default."""
        chosen = range(len(self.variables)) if row is None else self.path_variables(row)
        positions = {self.variables[k]: float(values[k]) for k in chosen}
        return FrozenDict({**self.rest, **positions})


def build_sphere_model(robot: RobotDescription, options: ModelOptions | None = None) -> SphereModel:
    """The spheres of the group that `self_collision` names, on the tree after the modifiers.

    Lenient: spheres on unknown frames, and joints that one number does not move, are left out and
    noted.
    """
    options = options or ModelOptions()
    tree = get_tree(robot)
    xrdf = robot.xrdf
    notes: list[str] = []
    rest = get_default_positions(tree, xrdf)
    variables = _variables(tree, robot, options, rest, notes)
    frames_body, frames_pose, bodies = _bodies(tree, variables, rest, notes)
    by_frame = collect_self_spheres(xrdf)
    notes += _frames_left_out(by_frame, tree)
    frames = tuple(name for name in tree.frames if by_frame.get(name))
    rows: list[tuple[float, ...]] = []
    refs: list[SphereRef] = []
    starts = [0]
    poses = np.zeros((len(frames), 3, 4))
    for i, frame in enumerate(frames):
        poses[i] = frames_pose[tree.index[frame]][:3]
        for ref, sphere, radius in by_frame[frame]:
            rows.append((*sphere.center, radius))
            refs.append(ref)
        starts.append(len(rows))
    spheres = np.array(rows, float).reshape(-1, 4)
    counts = np.diff(starts)
    if len(rows):
        turn = np.repeat(poses, counts, axis=0)
        spheres[:, :3] = np.einsum("nij,nj->ni", turn[:, :, :3], spheres[:, :3]) + turn[:, :, 3]
    pairs = np.array(
        [(i, j) for i in range(len(frames)) for j in range(i + 1, len(frames))], np.int32
    ).reshape(-1, 2)
    frame_body = np.array([frames_body[tree.index[f]] for f in frames], np.int32)
    names = list(variables)
    return SphereModel(
        options=options,
        frames=frames,
        frame_body=frame_body,
        starts=np.array(starts, np.int32),
        spheres=spheres,
        refs=tuple(refs),
        bounds=_bounds(spheres, starts),
        bodies=bodies,
        frame_pose=poses,
        variables=tuple(names),
        lower=np.array([variables[n].lower for n in names], float),
        upper=np.array([variables[n].upper for n in names], float),
        limits=np.array([variables[n].limits for n in names], float).reshape(-1, 2),
        default=np.array([rest.get(n, 0.0) for n in names], float),
        continuous=tuple(variables[n].continuous for n in names),
        endless=tuple(n for n in names if variables[n].endless),
        rest=FrozenDict({n: rest.get(n, 0.0) for n in tree.independent}),
        pairs=pairs,
        relation=_relations(tree, robot, frames, frame_body, pairs),
        buffers=FrozenDict(
            {f: xrdf.self_collision.buffer(f) if xrdf.self_collision else 0.0 for f in frames}
        ),
        notes=tuple(notes),
    )


def _frames_left_out(frames: Iterable[str], tree: KinematicTree) -> Iterator[str]:
    """Yield a sentence for each frame with spheres that the tree does not have."""
    for frame in frames:
        if frame not in tree.index:
            why = (
                "removed with the base" if frame in tree.removed_frames else "unknown to the robot"
            )
            yield f"The spheres of {frame!r} do not count: the frame is {why}."


def collect_self_spheres(
    xrdf: Xrdf, frames: Collection[str] | None = None
) -> dict[str, list[tuple[SphereRef, CollisionSphere, float]]]:
    """Frame -> (where it stands, sphere, radius with the self-collision buffer) for radii > 0; of
    all, or of `frames`.

    In the order of `Xrdf.spheres_of(self_group)`: clones resolved, own spheres first.
    """
    by_frame: dict[str, list[tuple[SphereRef, CollisionSphere, float]]] = {}
    todo: list[str] = [xrdf.self_group] if xrdf.self_group is not None else []
    seen: set[str] = set()
    while todo:
        name = todo.pop(0)
        group = xrdf.group(name)
        if name in seen or group is None:
            continue
        seen.add(name)
        for frame, spheres in group.spheres.items():
            if frames is not None and frame not in frames:
                continue
            for index, sphere in enumerate(spheres):
                radius = xrdf.self_radius(frame, sphere)
                if (
                    radius > 0.0
                    and math.isfinite(radius)
                    and all(map(math.isfinite, sphere.center))
                ):
                    by_frame.setdefault(frame, []).append(
                        (SphereRef(name, frame, index), sphere, radius)
                    )
        todo.extend(group.clone or ())
    return by_frame


@dataclass(frozen=True, slots=True)
class _Variable:
    lower: float
    upper: float
    limits: tuple[float, float]
    continuous: bool = False
    endless: bool = False


def _variables(
    tree: KinematicTree,
    robot: RobotDescription,
    options: ModelOptions,
    rest: Mapping[str, float],
    notes: list[str],
) -> dict[str, _Variable]:
    """The joints that vary, with their ranges; locked ones are missing."""
    controlled = set(robot.xrdf.controlled)
    joints = {joint.name: joint for joint in tree.joints}
    result: dict[str, _Variable] = {}
    for name in tree.independent:
        joint = joints[name]
        if options.uncontrolled is Uncontrolled.LOCKED and name not in controlled:
            continue
        variable = _range(joint, options, rest.get(name, 0.0))
        if variable.lower > variable.upper:
            held = rest.get(name, 0.0)
            notes.append(
                f"Joint {name!r} has no range ({variable.lower:g} to {variable.upper:g}); held at "
                f"{held:g}."
            )
            variable = _Variable(held, held, (held, held))
        result[name] = variable
    return result


def _range(joint: TreeJoint, options: ModelOptions, rest: float) -> _Variable:
    slides = joint.type is JointType.PRISMATIC
    lower, upper = joint.limits or (-math.inf, math.inf)
    safety = (
        joint.urdf.safety
        if joint.urdf is not None and joint.type is not JointType.CONTINUOUS
        else None
    )
    if options.limits is Limits.SOFT and safety is not None:
        if safety.soft_lower_limit is not None:
            lower = max(lower, safety.soft_lower_limit)
        if safety.soft_upper_limit is not None:
            upper = min(upper, safety.soft_upper_limit)
    limits = lower, upper
    if math.isinf(lower) or math.isinf(upper):
        if slides:
            return _Variable(rest, rest, limits, endless=True)
        return _Variable(*finite_range(*limits, 2.0 * math.pi), limits, continuous=True)
    if upper > lower:
        margin = options.margin_linear if slides else options.margin
        limits = lower + margin, upper - margin
    return _Variable(*limits, limits)


def _bodies(
    tree: KinematicTree,
    variables: Mapping[str, _Variable],
    rest: Mapping[str, float],
    notes: list[str],
) -> tuple[list[int], list[F64], BodyArrays]:
    """Per frame its body and its pose in it, and the bodies."""
    dofs = {name: k for k, name in enumerate(variables)}
    body_of, pose_of = [0], [np.eye(4)]
    rows: list[tuple[int, int, int, float, float, F64]] = [(-1, -1, 0, 0.0, 0.0, np.eye(4))]
    for joint in tree.joints:
        parent = tree.index[joint.parent]
        place = pose_of[parent] @ joint.origin
        prismatic = joint.type is JointType.PRISMATIC
        if joint.type in LOOSE:
            notes.append(
                f"The {joint.type.value} joint {joint.name!r} is held fixed: nothing is proven for "
                "pairs of "
                "links that it moves relative to each other."
            )
        follow = tree.follows.get(joint.name)
        if follow is not None and follow.source in dofs and follow.multiplier != 0.0:
            align = _axis_to_z(joint.axis)
            dof = dofs[follow.source]
            rows.append(
                (
                    body_of[parent],
                    dof,
                    int(prismatic),
                    follow.multiplier,
                    follow.offset,
                    place @ align,
                )
            )
            body_of.append(len(rows) - 1)
            pose_of.append(align.T)
            continue
        if follow is not None:
            leader = rest.get(follow.source, 0.0) if follow.source is not None else 0.0
            place = place @ _motion(joint, follow.multiplier * leader + follow.offset)
        body_of.append(body_of[parent])
        pose_of.append(place)
    return (
        body_of,
        pose_of,
        BodyArrays(
            np.array([r[0] for r in rows], np.int32),
            np.array([r[1] for r in rows], np.int32),
            np.array([r[2] for r in rows], np.uint8),
            np.array([r[3] for r in rows]),
            np.array([r[4] for r in rows]),
            np.array([r[5][:3] for r in rows]),
        ),
    )


def _axis_to_z(axis: F64) -> F64:
    """A rotation (4, 4) whose third column is the unit vector `axis`."""
    ax, ay, az = axis.tolist()
    small = min(range(3), key=lambda k: abs(axis[k]))
    # The cross product of the unit vector along the axis's smallest component with the axis.
    x = np.array([(0.0, -az, ay), (az, 0.0, -ax), (-ay, ax, 0.0)][small])
    x /= math.sqrt(float(x @ x))
    px, py, pz = x.tolist()
    result = np.eye(4)
    result[:3, 0] = x
    result[:3, 1] = ay * pz - az * py, az * px - ax * pz, ax * py - ay * px
    result[:3, 2] = axis
    return result


def _motion(joint: TreeJoint, value: float) -> F64:
    align = _axis_to_z(joint.axis)
    move = np.eye(4)
    if joint.type is JointType.PRISMATIC:
        move[2, 3] = value
    else:
        move[:2, :2] = [[math.cos(value), -math.sin(value)], [math.sin(value), math.cos(value)]]
    return np.asarray(align @ move @ align.T)


def _bounds(spheres: F64, starts: Sequence[int]) -> F64:
    """Balls around the spheres of each frame: around the middle of their box (not the smallest, but
    quick)."""
    result = np.zeros((len(starts) - 1, 4))
    for i, (first, last) in enumerate(pairwise(starts)):
        # An edit changes one frame of many, in its own body: the others' balls are known.
        result[i] = ball_around(spheres[first:last])
    return result


def ball_around(spheres: F64) -> tuple[float, ...]:
    """`enclosing_ball`, remembered."""
    return _known_ball(spheres.tobytes())


@lru_cache(maxsize=4096)
def _known_ball(spheres: bytes) -> tuple[float, ...]:
    return tuple(enclosing_ball(np.frombuffer(spheres).reshape(-1, 4)).tolist())


@np.errstate(over="ignore", invalid="ignore")
def enclosing_ball(spheres: F64) -> F64:
    """(4,): a ball around spheres (n, 4), n >= 1, a little larger than the smallest (steps towards
    the farthest).

    Spheres beyond `FARTHEST` may give a ball without numbers: `refuse_endless` refuses them before
    it is used.
    """
    centres, radii = spheres[:, :3], spheres[:, 3]
    centre = ((centres - radii[:, None]).min(axis=0) + (centres + radii[:, None]).max(axis=0)) / 2.0
    best, best_radius = centre, math.inf
    for step in range(12):
        reach = np.linalg.norm(centres - centre, axis=1) + radii
        far = int(np.argmax(reach))
        if reach[far] < best_radius:
            best, best_radius = centre, float(reach[far])
        centre = centre + (centres[far] - centre) / (step + 2.0)
    return np.array([*best, best_radius * (1.0 + 1e-12) + 1e-12])


def _relations(
    tree: KinematicTree, robot: RobotDescription, frames: Sequence[str], frame_body: I32, pairs: I32
) -> U8:
    """`Relation` of each pair."""
    first, second = pairs[:, 0], pairs[:, 1]

    def share(groups: Mapping[str, int]) -> Bools:
        of_frame = np.array([groups[frame] for frame in frames], np.int64)
        return np.asarray(of_frame[first] == of_frame[second])

    adjacent = adjacent_pairs(robot)
    is_adjacent = np.array(
        [LinkPair.of(frames[i], frames[j]) in adjacent for i, j in pairs.tolist()], bool
    )
    is_rigid = share(tree.rigid_groups())
    result = np.where(
        frame_body[first] == frame_body[second], Relation.LOCKED, Relation.APART
    ).astype(np.uint8)
    result[~share(tree.held_groups())] = Relation.LOOSE
    result[is_adjacent] = Relation.ADJACENT
    result[is_rigid] = Relation.RIGID
    result[is_rigid & is_adjacent] = Relation.FIXED
    return result
