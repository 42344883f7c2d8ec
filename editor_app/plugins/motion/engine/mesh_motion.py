"""Motion model of meshes or hulls: their covers clear most rows, python-fcl decides the rest.

Between two configurations a row is cleared where its distance exceeds what the covers can move by.
python-fcl's distances are good to about a micrometre, which is taken off.

Meshes are the truth that a mask is judged by: pairs that a mask leaves out collide as others do.
Only pairs that touch in every configuration do not: they are built that way
(`MeshMotion.colliding`).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from editor_app.core.arrays import F64, I64, Bools
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.scene import BoxShape, CylinderShape, MeshShape, Scene, SphereShape
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.space.geometry.distance import spread_points
from editor_app.features.masks.engine.meshes import MeshModel
from editor_app.features.masks.engine.model import JOINED_RELATIONS
from editor_app.plugins.motion.engine import kernels
from editor_app.plugins.motion.engine.model import MotionModel, motion_model, xrdf_mask
from editor_app.plugins.motion.engine.obstacles import obstacle_mesh, obstacle_pose

#: Distances of python-fcl are trusted to this many metres.
ROUNDING = 1e-6
#: A piece of a line that is shorter (share of it) is left undecided.
SHORTEST = 1e-5
#: Of a pair that one joint moves, so many configurations are compared, in the order of the joint;
#: between two with the same answer all others have it, too.
ALONG_ONE_JOINT = 512
#: Points of a surface that show how much of it spheres leave uncovered.
_POINTS = 1_000
#: Between two configurations, pairs that are not proven are compared at places so far apart
#: (radians, metres).
STEP_ANGULAR, STEP_LINEAR = 0.01, 0.002


@dataclass(frozen=True)
class MeshLine:
    """Rows that touch between two configurations: row -> place (share of the line); rows that stay
    undecided."""

    touching: dict[int, float]
    undecided: tuple[int, ...]


class MeshMotion:
    """Meshes or hulls of a robot's frames, and obstacles. Rows as in `motion`, whose spheres are
    the covers.

    `motion.checked`: rows that are compared and proven: neither ignored nor joined. `ignored`
    (rows,): pairs that the mask leaves out. `colliding`: rows whose touching is a collision,
    whatever any mask says.
    """

    def __init__(
        self,
        robot: RobotDescription,
        meshes: MeshModel,
        scene: Scene,
        masked: Collection[LinkPair] | None,
    ) -> None:
        self.meshes = meshes
        if masked is None:
            masked, _ = xrdf_mask(robot, meshes.model)
        # Links that a joint holds together overlap in its bearing, whatever mask the spheres have.
        relations = zip(meshes.model.link_pairs, meshes.model.relation.tolist(), strict=True)
        joined = {pair for pair, how in relations if how in JOINED_RELATIONS}
        self.motion: MotionModel = motion_model(
            robot, meshes.model, meshes.model, scene, joined | set(masked)
        )
        self.ignored = np.zeros(self.motion.row_count, bool)
        self.ignored[: len(meshes.model.pairs)] = [
            pair in masked for pair in meshes.model.link_pairs
        ]
        self._obstacles = [_solid(scene, k) for k in range(len(scene.obstacles))]
        #: (m, 3, 3) triangles in the root frame of obstacles that are closed meshes, which fcl
        #: takes for surfaces.
        self._closed = [
            _triangles(scene, k) if self.motion.solids.closed[k] else None
            for k in range(len(self._obstacles))
        ]

    @cached_property
    def surface_points(self) -> dict[str, F64]:
        """Return points of each frame's mesh, (k, 3) metres in the frame."""
        return {frame: spread_points(*mesh, _POINTS) for frame, mesh in self.meshes.shapes.items()}

    @cached_property
    def colliding(self) -> I64:
        """Return the rows of pairs that do not always touch."""
        return np.setdiff1d(np.arange(len(self.meshes.model.pairs)), self.meshes.always)

    @cached_property
    def moved(self) -> I64:
        """Return the rows of `colliding` that a joint of the c-space moves: motions say nothing of
        the others."""
        moving = {*self.motion.moving.tolist()}
        paths = map(self.meshes.model.path_variables, self.colliding.tolist())
        return self.colliding[[not moving.isdisjoint(path) for path in paths]]

    @property
    def provable(self) -> I64:
        """Return the rows of `moved` whose links are not adjacent."""
        relation = self.meshes.model.relation[self.moved]
        return self.moved[~np.isin(relation, list(JOINED_RELATIONS))]

    def distance(self, row: int, values: F64) -> float:
        """Distance in metres at variables (n,), 0 where the meshes intersect."""
        import fcl

        if not self.motion.is_touch(row):
            return self.meshes.distance(row, values)
        if self._meets(row, values):
            return 0.0
        frame, obstacle = self._ends(row)
        one, other = self.meshes.surface(frame, values), self._obstacles[obstacle]
        return max(
            0.0, float(fcl.distance(one, other, fcl.DistanceRequest(), fcl.DistanceResult()))
        )

    def least_distance(self, rows: I64, values: F64, limit: float) -> float:
        """The smallest distance of any of the rows (metres) at variables (n,), `limit` at most."""
        spots, bounds = self.motion.row_clearances(values[None], limit, rows)
        least = limit
        # Covers stand no farther apart than the meshes within them.
        for row, bound in sorted(
            zip(spots[:, 1].tolist(), bounds.tolist(), strict=True), key=lambda each: each[1]
        ):
            if bound < least:
                least = min(least, self.distance(row, values))
        return least

    def touches(self, row: int, values: F64) -> bool:
        if not self.motion.is_touch(row):
            return self.meshes.collides(row, values)
        return self._meets(row, values)

    def _ends(self, row: int) -> tuple[int, int]:
        frame, obstacle = self.motion.touches[row - len(self.meshes.model.pairs)].tolist()
        return frame, obstacle

    def _meets(self, row: int, values: F64) -> bool:
        """A hull and an obstacle are solid: one within the other touches it. A mesh of the robot is
        its surface."""
        import fcl

        frame, obstacle = self._ends(row)
        one, other = self.meshes.solid(frame, values), self._obstacles[obstacle]
        if fcl.collide(one, other, fcl.CollisionRequest(), fcl.CollisionResult()):
            return True
        triangles = self._closed[obstacle]
        if triangles is None:
            return False
        return any(is_inside(corner, triangles) for corner in self.meshes.corners(frame, values))

    def touching(self, values: F64, rows: I64 | None = None) -> list[tuple[int, int]]:
        """(configuration, row) of what touches at configurations (n, variables), in order; `rows`:
        default all rows, masked ones too."""
        spots, _ = self.motion.row_clearances(values, ROUNDING, rows)
        pairs = len(self.meshes.model.pairs)
        touching = []
        for row in np.unique(spots[:, 1]).tolist():
            near = spots[spots[:, 1] == row, 0]
            if row < pairs:
                touching += [(n, row) for n in near[self._collide(row, values[near])].tolist()]
            else:
                touching += [(n, row) for n in near.tolist() if self._meets(row, values[n])]
        return sorted(touching)

    def _collide(self, row: int, values: F64) -> Bools:
        """Return whether the meshes of a pair intersect at each of the configurations (n,
        variables)."""

        def look(numbers: I64) -> Bools:
            return np.array(
                self.meshes.collide_at(row, self.motion.body_poses(values[numbers])), bool
            )

        variables = self.meshes.model.path_variables(row)
        every = np.arange(len(values))
        if len(variables) > 1 or len(values) <= 2 * ALONG_ONE_JOINT:
            return look(every)
        if not variables:
            return np.repeat(look(every[:1]), len(values))
        order = np.argsort(values[:, variables[0]], kind="stable")
        places = np.unique(np.linspace(0, len(order) - 1, ALONG_ONE_JOINT).astype(np.int64))
        answers = np.zeros(len(order), bool)
        answers[places] = look(order[places])
        # Where the answer changes, everything in between is compared.
        change = np.flatnonzero(answers[places[:-1]] != answers[places[1:]])
        for first, last in zip(places[:-1].tolist(), places[1:].tolist(), strict=True):
            answers[first + 1 : last] = answers[first]
        between = [np.arange(places[k] + 1, places[k + 1]) for k in change.tolist()]
        if between:
            numbers = np.concatenate(between)
            answers[numbers] = look(order[numbers])
        collides = np.zeros(len(values), bool)
        collides[order] = answers
        return collides

    def seen_along(self, path: F64, rows: I64) -> dict[int, dict[int, float]]:
        """Return which `rows` are seen to touch along the polyline through configurations (n,
        variables).

        Number of the configuration -> row -> first place on the way to the next (share). They are
        compared at places that are a step of a joint apart; nothing is proven.
        """
        bodies = self.meshes.model.bodies
        is_sliding = np.isin(np.arange(path.shape[1]), bodies.dof[bodies.prismatic > 0])
        steps = np.abs(np.diff(path, axis=0)) / np.where(is_sliding, STEP_LINEAR, STEP_ANGULAR)
        counts = np.maximum(1, np.ceil(steps.max(axis=1, initial=0.0))).astype(np.int64)
        numbers = np.repeat(np.arange(len(counts)), counts)
        shares = np.concatenate(
            [np.arange(count) / count for count in counts.tolist()] or [np.zeros(0)]
        )
        values = path[numbers] + shares[:, None] * (path[numbers + 1] - path[numbers])
        seen: dict[int, dict[int, float]] = {}
        for place, row in self.touching(np.concatenate([values, path[-1:]]), rows):
            number, share = (
                (numbers[place], shares[place]) if place < len(numbers) else (len(counts) - 1, 1.0)
            )
            seen.setdefault(int(number), {}).setdefault(row, float(share))
        return seen

    def line(self, start: F64, goal: F64, rows: I64 | None = None) -> MeshLine:
        """`rows` (default: those that count), between two configurations."""
        covers = self.motion.worst(start, goal, 1.0, rows)
        rows = self.motion.rows if rows is None else rows
        unsure = list(covers.touching) if covers.decided else rows.tolist()
        touched_at: dict[int, float] = {}
        open_rows = []
        for row in unsure:
            at = self._first(row, start, goal)
            if at is not None and at >= 0.0:
                touched_at[row] = at
            elif at is not None:
                open_rows.append(row)
        return MeshLine(touched_at, tuple(open_rows))

    def _first(self, row: int, start: F64, goal: F64) -> float | None:
        """A place where the row touches; -1 when it cannot be decided; None when it stays apart."""

        model = self.motion
        todo = [(0.5, 0.5)]
        undecided = False
        while todo:
            t, half = todo.pop(0)
            distance = self.distance(row, start + t * (goal - start))
            if distance <= 0.0:
                return t
            moved = kernels.row_motion(start, goal, t, half, row, model.fixed, model._room)
            if distance - ROUNDING > moved:
                continue
            if half < SHORTEST:
                undecided = True
                continue
            todo += [(t - half / 2, half / 2), (t + half / 2, half / 2)]
        return -1.0 if undecided else None


def is_inside(point: F64, triangles: F64) -> bool:
    """Return whether a closed surface of triangles (m, 3, 3) has a point (3,) within, by the solid
    angle that it fills.

    A. van Oosterom, J. Strackee, The solid angle of a plane triangle, IEEE Trans. Biomedical
       Engineering 30(2), 1983.
    """
    a, b, c = (triangles[:, k] - point for k in range(3))
    la, lb, lc = (np.linalg.norm(side, axis=1) for side in (a, b, c))
    above = np.einsum("ij,ij->i", a, np.cross(b, c))
    below = (
        la * lb * lc
        + np.einsum("ij,ij->i", a, b) * lc
        + np.einsum("ij,ij->i", a, c) * lb
        + np.einsum("ij,ij->i", b, c) * la
    )
    return bool(abs(2.0 * np.arctan2(above, below).sum()) > 2.0 * np.pi)


def _triangles(scene: Scene, index: int) -> F64:
    obstacle = scene.obstacles[index]
    vertices, faces = obstacle_mesh(obstacle, scene)
    pose = obstacle_pose(obstacle)
    return (vertices @ pose[:3, :3].T + pose[:3, 3])[faces]


def _solid(scene: Scene, index: int) -> Any:
    import fcl

    obstacle = scene.obstacles[index]
    match obstacle.shape:
        case BoxShape(size):
            shape = fcl.Box(*size)
        case SphereShape(radius):
            shape = fcl.Sphere(radius)
        case CylinderShape(radius, length):
            shape = fcl.Cylinder(radius, length)
        case MeshShape():
            vertices, faces = obstacle_mesh(obstacle, scene)
            shape = fcl.BVHModel()
            shape.beginModel(len(vertices), len(faces))
            shape.addSubModel(np.ascontiguousarray(vertices), np.ascontiguousarray(faces))
            shape.endModel()
    pose = obstacle_pose(obstacle)
    return fcl.CollisionObject(shape, fcl.Transform(pose[:3, :3], pose[:3, 3]))
