"""Model for motion: the sphere model of self-collision, and the world's spheres against obstacles.

Rows: first the pairs of frames of `spheres`, then `touches`: frames of `world` against obstacles.
Everything is in metres and radians, in the frame of the robot's root. Variables are the sphere
model's: all joints that one number moves, whether the c-space names them or not; what does not move
keeps its value.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from editor_app.core.arrays import F64, I32, I64, U8, Bools
from editor_app.core.model.findings import SphereRef
from editor_app.core.model.pose import Pose
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.scene import EMPTY_SCENE, Scene
from editor_app.core.model.xrdf import LinkPair, SelfCollisionSection
from editor_app.features.masks.engine.certificate import SLACK_PER_METRE
from editor_app.features.masks.engine.model import JOINED_RELATIONS, SphereModel, build_sphere_model
from editor_app.features.masks.engine.options import ModelOptions
from editor_app.plugins.motion.engine import kernels
from editor_app.plugins.motion.engine.obstacles import Solids, move_solids, solids_of
from editor_app.plugins.motion.engine.results import NO_MASK, KeepAway

#: Pieces of a line that may be open at a time, and rows in them.
PIECES = 8192
POOL = 131072
#: Random configurations in which a row has to be nearer than what a planner shall keep, to be left
#: out of that.
SEEN = 256


class Fixed(NamedTuple):
    """The model as the kernels take it. Frames of the pairs come first, then the world's."""

    parent: I32
    dof: I32
    prismatic: U8
    scale: F64
    offset: F64
    origin: F64
    frame_body: I32
    starts: I32
    spheres: F64
    bounds: F64
    #: (p, 3): frame, frame, body that both hang on.
    pairs: I32
    #: (t, 2): frame, obstacle.
    touches: I32
    obstacle_kind: I32
    #: (k, 3, 4): from the root's frame to the obstacle's.
    obstacle_inverse: F64
    obstacle_size: F64
    obstacle_closed: U8
    obstacle_mesh: I32
    node_box: F64
    node_link: I32
    triangles: F64
    slack: float
    #: (rows,) metres: what is nearer counts as touching, where yes or no is asked.
    margin: F64


class KernelMemory(NamedTuple):
    """Working memory of the kernels; one per thread."""

    poses: F64
    q: F64
    turn: F64
    centres: F64
    balls: F64
    ball_tick: I64
    sphere_tick: I64
    tick: I64
    stack: I64
    spots: F64
    lists: I64
    pool: I64
    near: I64


@dataclass(frozen=True)
class LineProof:
    """The result of a proof about a straight line in joint space. `status` is FREE, HIT or OPEN of
    `kernels`.

    `at` (share of the line) and `row`: where it touches, or where the proof ended.
    """

    status: int
    at: float
    row: int

    @property
    def free(self) -> bool:
        return self.status == 1


@dataclass(frozen=True)
class WorstClearance:
    """The smallest clearance on a line (metres), its place, its row; rows that touch: row ->
    (place, clearance).

    `decided`: every other row is proven not to touch.
    """

    clearance: float
    at: float
    row: int
    touching: Mapping[int, tuple[float, float]]
    decided: bool


@dataclass(frozen=True)
class MotionModel:
    """`checked` (rows,): rows that count; the others are masked. Not picklable while kernels use
    it: send the robot."""

    spheres: SphereModel
    world: SphereModel
    scene: Scene
    solids: Solids
    checked: Bools
    #: (t, 2): frame of `world`, obstacle.
    touches: I32
    #: Why the mask is what it is, and what was left out.
    notes: tuple[str, ...] = ()
    controlled: tuple[str, ...] = ()
    #: (rows,) metres, 0 or more, or 0 for all: nearer rows count as touching in `first_collisions`
    #: and `line`.
    margins: F64 | float = 0.0
    #: (t, 2) metres by which the frame of a touch may be away from where a motion starts, and from
    #: where it ends, and not count; 0 where it always does. The kernels know nothing of it: see
    #: `allowed_contacts`.
    contact: F64 = field(default_factory=lambda: np.zeros((0, 2)))

    def __getstate__(self) -> dict[str, Any]:
        return {
            name: value
            for name, value in self.__dict__.items()
            if name not in ("fixed", "_room", "_kept")
        }

    def with_margins(self, margins: F64) -> MotionModel:
        """With other margins; arrays and working memory are shared, so both are of one thread."""
        other = replace(self, margins=margins)
        shared = {
            "fixed": self.fixed._replace(margin=np.ascontiguousarray(margins, float)),
            "_room": self._room,
        }
        other.__dict__.update(shared)
        return other

    def keeping(self, keep_away: KeepAway) -> MotionModel:
        """The model with these margins; rows that are nearer in every one of `SEEN` random
        configurations have none."""
        if keep_away not in self._kept:
            is_touch = np.arange(self.row_count) >= len(self.spheres.pairs)
            margins = np.where(is_touch, keep_away.obstacles, keep_away.itself)
            asked, rows = self.with_margins(margins), self.rows[margins[self.rows] > 0.0]
            for values in np.split(self.random_values(SEEN, 0), (1, 4, 16, 64)):
                spots, _ = asked.nearer(values, rows)
                rows = np.flatnonzero(
                    np.bincount(spots[:, 1], minlength=self.row_count) == len(values)
                )
            self._kept[keep_away] = asked.with_margins(
                np.where(np.isin(np.arange(self.row_count), rows), 0.0, margins)
            )
        return self._kept[keep_away]

    def kept_of(self, keep_away: KeepAway) -> KeepAway:
        """Return what can be said to be kept: nothing of obstacles without any, nothing of itself
        without pairs."""
        is_touch = self.rows >= len(self.spheres.pairs)
        return KeepAway(
            keep_away.obstacles if is_touch.any() else 0.0,
            keep_away.itself if not is_touch.all() else 0.0,
        )

    @cached_property
    def _kept(self) -> dict[KeepAway, MotionModel]:
        return {}

    def random_values(self, count: int, seed: int | np.random.Generator) -> F64:
        """(count, variables): random values of the c-space's joints, the others at the default.

        Raises Refused where a joint of the c-space slides without end.
        """
        self.spheres.refuse_endless(self.variables[k] for k in self.moving.tolist())
        rng = np.random.default_rng(seed)
        lower, upper = self.spheres.lower[self.moving], self.spheres.upper[self.moving]
        values = np.repeat(self.default[None, :], count, axis=0)
        values[:, self.moving] = lower + rng.random((count, len(lower))) * (upper - lower)
        return np.asarray(values)

    @property
    def variables(self) -> tuple[str, ...]:
        return self.spheres.variables

    @property
    def default(self) -> F64:
        return self.spheres.default

    @property
    def row_count(self) -> int:
        return len(self.spheres.pairs) + len(self.touches)

    @cached_property
    def rows(self) -> I64:
        """The rows that count."""
        return np.flatnonzero(self.checked)

    @cached_property
    def limited(self) -> I64:
        """Rows that do not count near the start of a motion, or near its end."""
        return len(self.spheres.pairs) + np.flatnonzero(self.contact.any(axis=1))

    def counting_at(self, end: int) -> I64:
        """The rows that count where a motion starts (0), or where it ends (1)."""
        if not len(self.limited):
            return self.rows
        return self.rows[
            ~np.isin(self.rows, len(self.spheres.pairs) + np.flatnonzero(self.contact[:, end]))
        ]

    @cached_property
    def moving(self) -> I64:
        """Variables that the c-space names; all of them where it names none."""
        controlled_indices = [k for k, name in enumerate(self.variables) if name in self.controlled]
        return np.array(controlled_indices or range(len(self.variables)), np.int64)

    def values(self, pose: Mapping[str, float]) -> F64:
        """Variables (n,) at a pose; what it does not name stands at the default."""
        return self.spheres.values(pose)

    def pose(self, values: F64) -> Pose:
        return self.spheres.pose_of(values)

    def is_touch(self, row: int) -> bool:
        """Return whether the row is a frame against an obstacle."""
        return row >= len(self.spheres.pairs)

    def names(self, row: int) -> tuple[str, str]:
        """The two frames, the first in the tree first; or the frame and the obstacle."""
        if not self.is_touch(row):
            return self.spheres.ordered(row)
        frame, obstacle = self.touches[row - len(self.spheres.pairs)].tolist()
        return self.world.frames[frame], self.scene.obstacles[obstacle].name

    def pair(self, row: int) -> LinkPair | None:
        """The pair of frames; None for an obstacle."""
        return None if self.is_touch(row) else self.spheres.link_pairs[row]

    def refs(self, row: int, one: int, other: int) -> tuple[SphereRef, ...]:
        """The spheres that the kernels number `one` and `other` (-1: none)."""
        if self.is_touch(row):
            return (self.world.refs[one - len(self.spheres.spheres)],)
        return self.spheres.refs[one], self.spheres.refs[other]

    @cached_property
    def fixed(self) -> Fixed:
        """The arrays for the kernels."""
        one, other = self.spheres, self.world
        count, frames = len(one.spheres), len(one.frames)
        body_of = np.concatenate([one.frame_body, other.frame_body]).astype(np.int32)
        common = [_common(one, i, j) for i, j in one.pairs.tolist()]
        touches = self.touches.copy()
        touches[:, 0] += frames
        spheres = np.concatenate([one.spheres, other.spheres])
        s = self.solids
        bodies = one.bodies
        return Fixed(
            bodies.parent,
            bodies.dof,
            bodies.prismatic,
            bodies.scale,
            bodies.offset,
            np.ascontiguousarray(bodies.origin),
            body_of,
            np.concatenate([one.starts, other.starts[1:] + count]).astype(np.int32),
            np.ascontiguousarray(spheres),
            np.ascontiguousarray(np.concatenate([one.bounds, other.bounds])),
            np.column_stack(
                [one.pairs.reshape(-1, 2), np.array(common, np.int32).reshape(-1, 1)]
            ).astype(np.int32),
            np.ascontiguousarray(touches, np.int32),
            s.kind,
            s.inverse,
            s.size,
            s.closed,
            s.mesh,
            s.node_box,
            s.node_link,
            s.triangles,
            SLACK_PER_METRE * max(1.0, self.extent),
            np.zeros(self.row_count) + self.margins,
        )

    @cached_property
    def extent(self) -> float:
        """An upper bound of every length that occurs, metres. Raises Refused beyond `FARTHEST`."""
        m = self.spheres
        m.refuse_endless(())
        reach = float(np.linalg.norm(m.bodies.origin[:, :, 3], axis=1).sum())
        for body, dof in enumerate(m.bodies.dof.tolist()):
            if dof >= 0 and m.bodies.prismatic[body]:
                ends = m.bodies.scale[body] * np.array([m.lower[dof], m.upper[dof], m.default[dof]])
                reach += float(np.abs(ends + m.bodies.offset[body]).max())
        for spheres in (m.spheres, self.world.spheres):
            if len(spheres):
                reach += float((np.linalg.norm(spheres[:, :3], axis=1) + spheres[:, 3]).max())
        return reach + self.solids.reach

    def room(self) -> KernelMemory:
        """New working memory."""
        f = self.fixed
        frames = len(f.frame_body)
        return KernelMemory(
            np.zeros((len(f.parent), 3, 4)),
            np.zeros(max(1, len(self.variables))),
            np.zeros(len(f.parent)),
            np.zeros((len(f.spheres), 3)),
            np.zeros((frames, 3)),
            np.zeros(frames, np.int64),
            np.zeros(frames, np.int64),
            np.zeros(1, np.int64),
            np.zeros(256, np.int64),
            np.zeros((2, PIECES)),
            np.zeros((2, PIECES, 2), np.int64),
            np.zeros((2, max(POOL, self.row_count)), np.int64),
            np.zeros(len(f.spheres), np.int64),
        )

    @cached_property
    def _room(self) -> KernelMemory:
        return self.room()

    def first_collisions(self, values: F64, rows: I64 | None = None) -> I64:
        """(n,): for each configuration (n, variables) one of `rows` (default: those that count)
        that is within its margin, -1 where none is."""
        values = _table(values, self)
        collision_rows = np.empty(len(values), np.int64)
        rows = (self.rows if rows is None else rows).copy()
        kernels.first_collisions(values, self.fixed, self._room, rows, collision_rows)
        return collision_rows

    def least_clearances(self, values: F64, rows: I64 | None = None) -> tuple[F64, I64]:
        """(n,) smallest clearance in metres of `rows` (default: those that count), (n, 3) row,
        sphere, sphere."""
        values = _table(values, self)
        clearance, spot = np.empty(len(values)), np.full((len(values), 3), -1, np.int64)
        kernels.least_clearances(
            values, self.fixed, self._room, self.rows if rows is None else rows, clearance, spot
        )  # fmt: skip
        return clearance, spot

    def row_clearances(
        self, values: F64, limit: float = 0.0, rows: I64 | None = None
    ) -> tuple[I64, F64]:
        """Rows closer than `limit` (default: all rows, masked ones too): (m, 4) configuration, row,
        sphere, sphere; (m,) clearance in metres. Ordered by configuration."""
        rows = np.arange(self.row_count) if rows is None else rows
        spots, gaps = kernels.row_clearances(
            _table(values, self), self.fixed, self._room, rows, float(limit)
        )
        return spots, gaps

    def nearer(self, values: F64, rows: I64 | None = None) -> tuple[I64, F64]:
        """Return rows within their margin as `row_clearances` does, of `rows` (default: those that
        count)."""
        limits = self.fixed.margin
        spots, gaps = self.row_clearances(
            values, float(limits.max(initial=0.0)), self.rows if rows is None else rows
        )
        near = gaps <= limits[spots[:, 1]]
        return spots[near], gaps[near]

    def body_poses(self, values: F64) -> F64:
        """(n, bodies, 3, 4) at configurations (n, variables): where the bodies stand in the root's
        frame."""
        poses = np.empty((len(values), *self._room.poses.shape))
        kernels.body_poses(_table(values, self), self.fixed, self._room, poses)
        return poses

    def balls(self, spheres: I64) -> F64:
        """(n, 4): where the last look found these spheres (rows), in the root's frame, and their
        radii in metres."""
        if not len(spheres):
            return np.zeros((0, 4))
        return np.column_stack([self._room.centres[spheres], self.fixed.spheres[spheres, 3]])

    def line(
        self, start: F64, goal: F64, finest: float = 1e-7, rows: I64 | None = None
    ) -> LineProof:
        """Proves that `rows` (default: those that count) keep more than their margins on the
        straight line between two configurations.

        Never says FREE wrongly; OPEN when pieces shorter than `finest` of the line would be needed.
        The ends belong to it.
        """
        one, other = _table(start[None], self)[0], _table(goal[None], self)[0]
        rows = self.rows if rows is None else rows
        return LineProof(
            *kernels.line_is_free(one, other, self.fixed, self._room, rows, float(finest))
        )

    def worst(
        self, start: F64, goal: F64, tolerance: float = 1e-4, rows: I64 | None = None
    ) -> WorstClearance:
        """The smallest clearance between two configurations, within `tolerance` metres, and all
        rows that touch."""
        one, other = _table(start[None], self)[0], _table(goal[None], self)[0]
        rows = self.rows if rows is None else rows
        least, at = np.full(self.row_count, np.inf), np.zeros(self.row_count)
        clearance, place, row, decided = kernels.worst_on_line(
            one, other, self.fixed, self._room, rows, 1e-7, float(tolerance), least, at
        )
        touching = {
            int(r): (float(at[r]), float(least[r])) for r in rows[least[rows] <= 0.0].tolist()
        }
        return WorstClearance(float(clearance), float(place), int(row), touching, bool(decided))


def _table(values: F64, model: MotionModel) -> F64:
    table = np.ascontiguousarray(values, float)
    if table.ndim != 2 or table.shape[1] != len(model.variables):
        raise ValueError(
            f"configurations are {table.shape}, but the robot has {len(model.variables)} variables"
        )
    return table


def _common(model: SphereModel, i: int, j: int) -> int:
    up, down = (
        model.body_path[int(model.frame_body[i])],
        set(model.body_path[int(model.frame_body[j])]),
    )
    return next(body for body in up if body in down)


def build_motion_model(
    robot: RobotDescription,
    scene: Scene = EMPTY_SCENE,
    masked: Collection[LinkPair] | None = None,
    options: ModelOptions | None = None,
) -> MotionModel:
    """`masked`: pairs that do not count; default: the pairs of `xrdf_mask`.

    Raises SceneError when a mesh of the scene cannot be read.
    """
    return motion_model(
        robot,
        build_sphere_model(robot, options),
        build_sphere_model(_as_world(robot), options),
        scene,
        masked,
    )


def motion_model(
    robot: RobotDescription,
    spheres: SphereModel,
    world: SphereModel,
    scene: Scene = EMPTY_SCENE,
    masked: Collection[LinkPair] | None = None,
) -> MotionModel:
    """Build the motion model from existing sphere models with the same bodies."""
    pairs, notes = (masked, ()) if masked is not None else xrdf_mask(robot, spheres)
    solids = solids_of(scene)
    touches, contact = _touches(scene, world)
    return MotionModel(
        spheres,
        world,
        scene,
        solids,
        np.concatenate(
            [
                np.array([pair not in pairs for pair in spheres.link_pairs], bool),
                np.ones(len(touches), bool),
            ]
        ),
        touches,
        (*spheres.notes, *notes),
        robot.xrdf.controlled,
        contact=contact,
    )


def _touches(scene: Scene, world: SphereModel) -> tuple[I32, F64]:
    """(t, 2) frame and obstacle of what is compared, obstacle by obstacle; (t, 2) as
    `MotionModel.contact`."""
    frames, count = len(world.frames), len(scene.obstacles)
    row_of = {name: k for k, name in enumerate(world.frames)}
    kept = np.ones((count, frames), bool)
    contact = np.zeros((count, frames, 2))
    for k, obstacle in enumerate(scene.obstacles):
        sides = obstacle.may_touch_at_start, obstacle.may_touch_at_end
        if obstacle.may_touch:
            kept[k, [row_of[name] for name in obstacle.may_touch if name in row_of]] = False
        for side, names in enumerate(sides):
            if names:
                contact[k, [row_of[name] for name in names if name in row_of], side] = (
                    obstacle.touch_distance
                )
    pairs = np.argwhere(kept)
    return np.ascontiguousarray(pairs[:, ::-1], np.int32), contact[kept]


def with_obstacles(model: MotionModel, scene: Scene) -> MotionModel:
    """The model with another scene. Raises SceneError."""
    touches, contact = _touches(scene, model.world)
    pairs = model.checked[: len(model.spheres.pairs)]
    return MotionModel(
        model.spheres,
        model.world,
        scene,
        solids_of(scene),
        np.concatenate([pairs, np.ones(len(touches), bool)]),
        touches,
        model.notes,
        model.controlled,
        contact=contact,
    )


def with_obstacles_moved(model: MotionModel, scene: Scene) -> MotionModel | None:
    """The model with obstacles at other places; None when more than their places changed. Raises
    SceneError."""
    solids = move_solids(model.solids, model.scene, scene)
    return None if solids is None else replace(model, scene=scene, solids=solids)


def xrdf_mask(
    robot: RobotDescription, spheres: SphereModel
) -> tuple[Collection[LinkPair], tuple[str, ...]]:
    """Return the pairs that are not checked, and a note where no file says which.

    A section `self_collision` is literal: without a pair in it, everything is checked. A draft
    without the section is judged as if it ignored what every mask does: adjacent links, and links
    of one rigid group.
    """
    if robot.xrdf.self_collision is not None:
        return robot.xrdf.ignored_pairs(), ()
    relations = zip(spheres.link_pairs, spheres.relation.tolist(), strict=True)
    return {pair for pair, how in relations if how in JOINED_RELATIONS}, (NO_MASK,)


def _as_world(robot: RobotDescription) -> RobotDescription:
    """The robot whose self-collision spheres are those that obstacles are checked with."""
    section = robot.xrdf.world_collision
    if section is None:
        # A file that says nothing about the world is checked with the spheres that it has.
        self_section = robot.xrdf.self_collision
        shown = SelfCollisionSection(self_section.geometry) if self_section is not None else None
        return robot.with_xrdf(replace(robot.xrdf, self_collision=shown))
    shown = SelfCollisionSection(section.geometry, section.buffer_distance)
    return robot.with_xrdf(replace(robot.xrdf, self_collision=shown))
