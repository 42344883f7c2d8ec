"""The second opinion: the same pairs on collision meshes or their convex hulls, by python-fcl.

Every mesh is covered by a few balls that hold all its triangles. The covers make a `SphereModel` of
their own, so that sampling, search and proofs run on it as on spheres: where covers are apart,
meshes are; fcl decides the rest.
"""

from __future__ import annotations

import hashlib
import importlib.util
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from editor_app.core.arrays import F64, I32, I64
from editor_app.core.libraries import install_command
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.urdf import Link
from editor_app.core.model.xrdf import (
    CollisionSphere,
    GeometryGroup,
    LinkPair,
    SelfCollisionSection,
)
from editor_app.core.progress import Progress, silent
from editor_app.core.space.geometry import partial_shapes
from editor_app.core.space.geometry.link_geometry import (
    Kind,
    LinkGeometry,
    MeshStore,
    link_geometry,
)
from editor_app.core.space.geometry.mesh import convex_hull, merge_parts, weld_vertices
from editor_app.features.masks.engine.analysis import analyse
from editor_app.features.masks.engine.live import LiveDistances
from editor_app.features.masks.engine.model import (
    RIGID_RELATIONS,
    Relation,
    build_sphere_model,
    enclosing_ball,
)
from editor_app.features.masks.engine.options import ModelOptions
from editor_app.features.masks.engine.results import Analysis, AnalysisSettings, PairEvidence
from editor_app.features.masks.engine.sampling import Sampler

#: Frame -> (vertices (n, 3) in the frame in metres, faces (m, 3)).
Meshes = Mapping[str, tuple[F64, I32]]
#: Frame -> its visible shapes as one mesh; None without any.
Visible = Callable[[str], tuple[F64, I32] | None]

#: Balls per mesh at most.
COVER = 12
#: For a cover, triangles longer than this share of the mesh are cut, as long as there are not too
#: many.
CUT = 0.15
MANY = 20_000
#: Configurations in which a pair is compared that may always touch: 0.25 % of the range of a single
#: joint apart.
ALWAYS_LOOKS = 400
#: Surfaces so close to each other (metres) touch: where one slides on the other, rounding decides.
CONTACT = 1e-4
#: What the finding about links begins with that have nothing else to compare.
BY_SIGHT = "without a collision shape, so compared by visual geometry"
#: Single-precision error of a sampled distance, metres.
ROUNDING = 1e-5
#: Pairs that are counted at a time.
_PORTION = 16
#: Counts that are kept for each pair, of the last ways in which it moved.
KEPT_MOTIONS = 4


def meshes_available() -> bool:
    """Return whether python-fcl is installed."""
    return importlib.util.find_spec("fcl") is not None


class MeshModel:
    """Meshes or hulls of a robot's frames. Not picklable; build it where it is used.

    `model`: the covers; all results here have its frames, pairs and variables.
    """

    def __init__(
        self,
        robot: RobotDescription,
        meshes: Meshes,
        hulls: bool = False,
        options: ModelOptions | None = None,
        convex: Collection[str] = (),
        seen: Collection[str] = (),
        visible: Visible | None = None,
    ) -> None:
        """`convex`: frames whose meshes are hulls as they are. `seen`: frames whose meshes are the
        visible shapes; with others they touch only where `visible` of these do so, too: a maker's
        rough box, made for other rough boxes, says nothing of what is seen. Meshes without faces
        are left out.

        Raises ImportError, with the remedy, when python-fcl is missing.
        """
        if not meshes_available():
            raise ImportError(
                f"The comparison with meshes needs python-fcl: {install_command('compute')}"
            )
        # Kept: an import statement in what is called a hundred thousand times would take longer
        # than the rest of it.
        self._fcl: Any = importlib.import_module("fcl")
        used = {frame: mesh for frame, mesh in meshes.items() if len(mesh[1])}
        if hulls:
            used = {frame: hull_of(*mesh) for frame, mesh in used.items()}
        self.hulls = hulls
        self.model = build_sphere_model(_covered(robot, used), options)
        self._live = LiveDistances(self.model)
        solid = {*used} if hulls else {*convex}
        self._solids = [_place(_shape(*used[frame], frame in solid)) for frame in self.model.frames]
        #: Frame -> (vertices, faces).
        self.shapes: Meshes = {frame: used[frame] for frame in self.model.frames}
        self._corners: dict[int, F64] = {}
        #: Frames with collision shapes that are compared by what is visible of them.
        self.seen = frozenset(seen) & {*self.model.frames}
        self._seen = np.array([visible is None or frame in seen for frame in self.model.frames])
        self._visible = visible or (lambda frame: None)
        self._twins: dict[int, Any] = {}
        #: What was counted of pairs: those that are asked again, and move as before, are not
        #: sampled again.
        self.counted: dict[tuple[int, int, LinkPair, bytes], PairEvidence] = {}
        #: Whether pairs were seen apart, with keys as of `counted`.
        self.apart: dict[tuple[int, int, LinkPair, bytes], bool] = {}
        # fcl's distance of two convex solids can be that of a corner where faces are parallel;
        # triangles are exact.
        self._surfaces = (
            [_place(_shape(*used[frame], False)) for frame in self.model.frames]
            if solid
            else self._solids
        )

    @classmethod
    def of_robot(
        cls,
        robot: RobotDescription,
        urdf_path: Path | None,
        mappings: Mapping[str, Path],
        *,
        hulls: bool = False,
        options: ModelOptions | None = None,
        seen: Collection[str] | None = None,
        links: Collection[str] | None = None,
        on_finding: Callable[[str], None] | None = None,
    ) -> MeshModel | None:
        """The shapes by which spheres are judged, everywhere: `collision_meshes`; None where none
        can be loaded.

        `seen`: links that are compared by what is visible of them (default:
        `find_partial_robot_links`). `links`: only these. Raises ImportError as above.
        """
        if seen is None:
            seen = find_partial_robot_links(robot, urdf_path, mappings, links)
        meshes = collision_meshes(robot, urdf_path, mappings, on_finding, seen, links)
        visible = visible_meshes(robot, urdf_path, mappings) if seen else None
        return cls(robot, meshes, hulls, options, seen=seen, visible=visible) if meshes else None

    @cached_property
    def always(self) -> I64:
        """Return the rows of the pairs that always touch: of one rigid group, or in every
        configuration looked at.

        One configuration in which the meshes are apart shows that a pair does not always touch,
        however rare it is. What a planar or floating joint moves is not known to touch always.
        """
        relation, values = self.model.relation, self.model.spread_values(ALWAYS_LOOKS)
        is_rigid = np.isin(relation, list(RIGID_RELATIONS))
        moving = np.flatnonzero(~is_rigid & (relation != Relation.LOOSE)).tolist()
        always = []
        for row in moving:
            key = 0, 0, self.model.link_pairs[row], self.motion_key(row, self.ranges)
            if key not in self.apart:
                self.apart[key] = any(self._is_apart(row, each) for each in values)
            if not self.apart[key]:
                always.append(row)
        return np.sort([*np.flatnonzero(is_rigid).tolist(), *always]).astype(np.int64)

    @property
    def ranges(self) -> list[tuple[float, ...]]:
        """Return what tells the values of each variable in a sequence of configurations: its
        number, how many there are (each has a dimension of the sequence), its limits and its
        default."""
        model, count = self.model, len(self.model.variables)
        limits = zip(
            model.lower.tolist(), model.upper.tolist(), model.default.tolist(), strict=True
        )
        return [(k, count, *each) for k, each in enumerate(limits)]

    def motion_key(self, row: int, columns: Sequence[object]) -> bytes:
        """Return a key of how the frames of a pair move against each other.

        `columns`: for each variable, what tells its values. Equal keys of a pair have equal poses
        at equal values.
        """
        bodies, frames = self.model.bodies, self.model.pairs[row]
        one, other = (self.model.body_path[body] for body in self.model.frame_body[frames].tolist())
        parts: list[object] = [self.model.frame_pose[frame].tobytes() for frame in frames.tolist()]
        for path, shared in ((one, other), (other, one)):
            for body in path:
                if body not in shared:
                    dof = int(bodies.dof[body])
                    numbers = bodies.origin[body].tobytes(), bodies.scale[body], bodies.offset[body]
                    parts.append(
                        (*numbers, int(bodies.prismatic[body]), columns[dof] if dof >= 0 else None)
                    )
            parts.append("")
        return hashlib.sha256(repr(parts).encode()).digest()

    def _is_apart(self, row: int, values: F64) -> bool:
        self._live.set_values(values, np.array([row]))
        return bool(self._live.clearance[row] > CONTACT) or self.distance(row, values) > CONTACT

    def collides(self, row: int, values: F64) -> bool:
        """Return whether the meshes of a pair (row of `model.pairs`) intersect at variables
        (n,)."""
        self._live.set_values(values, np.array([row]))
        if self._live.clearance[row] > 0.0:
            return False
        return self._meet(row)

    def collide_at(self, row: int, poses: F64) -> list[bool]:
        """Return whether the meshes of a pair intersect where the bodies of `model` stand at poses
        (n, bodies, 3, 4)."""
        one, other = self.model.pairs[row].tolist()
        local = self.model.frame_pose
        first, second = (
            poses[:, self.model.frame_body[k], :, :3] @ local[k]
            + poses[:, self.model.frame_body[k], :, 3:] * (0.0, 0.0, 0.0, 1.0)
            for k in (one, other)
        )
        # One stands still, so that a single object is moved for each configuration.
        back = np.swapaxes(first[:, :, :3], 1, 2)
        turns, places = (
            back @ second[:, :, :3],
            (back @ (second[:, :, 3:] - first[:, :, 3:]))[:, :, 0],
        )
        transform, collide = self._fcl.Transform, self._fcl.collide
        request, result = self._fcl.CollisionRequest(), self._fcl.CollisionResult
        still, moved = self._solids[one], self._solids[other]
        still.setTransform(transform())
        colliding = []
        twins = self._twins_of(row)
        for turn, place in zip(turns, places, strict=True):
            moved.setTransform(transform(turn, place))
            meets = collide(still, moved, request, result()) > 0
            if meets and twins is not None:
                twins[0].setTransform(transform())
                twins[1].setTransform(transform(turn, place))
                meets = collide(*twins, request, result()) > 0
                still.setTransform(transform())
            colliding.append(meets)
        return colliding

    def _twins_of(self, row: int) -> tuple[Any, Any] | None:
        """What has to touch, too, where one frame of a pair is seen and the other is not: what is
        visible of both."""
        ends = self.model.pairs[row].tolist()
        if self._seen[ends[0]] == self._seen[ends[1]]:
            return None
        hidden = ends[int(self._seen[ends[0]])]
        if hidden not in self._twins:
            mesh = self._visible(self.model.frames[hidden])
            self._twins[hidden] = None if mesh is None else _place(_shape(*mesh, False))
        if self._twins[hidden] is None:
            return None
        one, other = (self._twins[k] if k == hidden else self._solids[k] for k in ends)
        return one, other

    def distance(self, row: int, values: F64) -> float:
        """Distance of the meshes of a pair in metres, 0 when they intersect: the larger one of two,
        where what is visible of both has to touch, too."""
        self._live.set_values(values, np.array([row]))
        if self._meet(row):
            return 0.0
        pairs = [self._posed(row, self._surfaces)]
        if (twins := self._twins_of(row)) is not None:
            for twin, posed in zip(twins, pairs[0], strict=True):
                twin.setTransform(posed.getTransform())
            pairs.append(twins)
        distance, request, result = (
            self._fcl.distance,
            self._fcl.DistanceRequest(),
            self._fcl.DistanceResult,
        )
        return max(0.0, *(float(distance(one, other, request, result())) for one, other in pairs))

    def solid(self, frame: int, values: F64) -> Any:
        """The fcl object of one frame of `model`, moved to where it stands at variables (n,): a
        hull is filled."""
        self._live.set_values(values, np.zeros(0, np.int64))
        return self._moved(frame, self._solids)

    def surface(self, frame: int, values: F64) -> Any:
        """Return the surface as triangles, whose distances are exact."""
        self._live.set_values(values, np.zeros(0, np.int64))
        return self._moved(frame, self._surfaces)

    def corners(self, frame: int, values: F64) -> F64:
        """(n, 3) one vertex of every connected piece of a frame's mesh, in the root frame at
        variables (n,)."""
        if frame not in self._corners:
            self._corners[frame] = corners_of(*self.shapes[self.model.frames[frame]])
        place = self.surface(frame, values).getTransform()
        corners: F64 = self._corners[frame] @ place.getRotation().T + place.getTranslation()
        return corners

    def _meet(self, row: int) -> bool:
        fcl = self._fcl
        one, other = self._posed(row, self._solids)
        meets = bool(fcl.collide(one, other, fcl.CollisionRequest(), fcl.CollisionResult()))
        twins = self._twins_of(row) if meets else None
        if twins is None:
            return meets
        for twin, posed in zip(twins, (one, other), strict=True):
            twin.setTransform(posed.getTransform())
        return bool(fcl.collide(*twins, fcl.CollisionRequest(), fcl.CollisionResult()))

    def _posed(self, row: int, objects: list[Any]) -> tuple[Any, Any]:
        one, other = self.model.pairs[row].tolist()
        return self._moved(one, objects), self._moved(other, objects)

    def _moved(self, frame: int, objects: list[Any]) -> Any:
        pose = self._live.body_pose(int(self.model.frame_body[frame]))
        local = self.model.frame_pose[frame]
        rotation = pose[:, :3] @ local[:, :3]
        place = pose[:, :3] @ local[:, 3] + pose[:, 3]
        objects[frame].setTransform(self._fcl.Transform(rotation, place))
        return objects[frame]


def collision_meshes(
    robot: RobotDescription,
    urdf_path: Path | None,
    mappings: Mapping[str, Path],
    on_finding: Callable[[str], None] | None = None,
    seen: Collection[str] = (),
    links: Collection[str] | None = None,
) -> Meshes:
    """Frame -> (vertices, faces) of its collision shapes; of the visible ones where it has none,
    and of links `seen`.

    `links`: only these. `on_finding` hears of meshes that are missing, and which links are compared
    by what is visible of them.
    """
    store = MeshStore(urdf_path, dict(mappings))
    meshes: dict[str, tuple[F64, I32]] = {}
    bare: list[str] = []
    for link in _links(robot, links):
        kind: Kind = "visual" if link.name in seen or not link.collisions else "collision"
        if not (link.visuals if kind == "visual" else link.collisions):
            continue
        geometry = link_geometry(robot.urdf, urdf_path, link, kind, store=store)
        if on_finding is not None:
            for finding in geometry.findings:
                on_finding(f"{link.name}: {finding.message}")
        if geometry.triangles:
            meshes[link.name] = merge_parts(geometry.parts)
            bare += [] if link.collisions else [link.name]
    if bare and on_finding is not None:
        on_finding(f"{BY_SIGHT}: {', '.join(sorted(bare))}")
    return meshes


def find_partial_robot_links(
    robot: RobotDescription,
    urdf_path: Path | None,
    mappings: Mapping[str, Path],
    links: Collection[str] | None = None,
) -> frozenset[str]:
    """Links whose collision shapes do not stand for them, so that spheres are fitted to what is
    visible.

    `links`: only these.
    """
    store = MeshStore(urdf_path, dict(mappings))

    @cache
    def shapes(link: str, kind: Kind) -> LinkGeometry:
        return link_geometry(robot.urdf, urdf_path, link, kind, store=store)

    return frozenset(partial_shapes.find_partial_links(robot.urdf, shapes, links))


def _links(robot: RobotDescription, names: Collection[str] | None) -> list[Link]:
    return [link for link in robot.urdf.links if names is None or link.name in names]


def visible_meshes(
    robot: RobotDescription, urdf_path: Path | None, mappings: Mapping[str, Path]
) -> Visible:
    """Return the visible shapes of links, loaded on demand."""
    store = MeshStore(urdf_path, dict(mappings))
    links = {link.name: link for link in robot.urdf.links}

    def visible(frame: str) -> tuple[F64, I32] | None:
        link = links.get(frame)
        if link is None or not link.visuals:
            return None
        geometry = link_geometry(robot.urdf, urdf_path, link, "visual", store=store)
        return merge_parts(geometry.parts) if geometry.triangles else None

    return visible


def analyse_meshes(
    meshes: MeshModel,
    settings: AnalysisSettings | None = None,
    on_progress: Progress = silent,
    only: Collection[LinkPair] | None = None,
    until_hit: bool = False,
) -> Analysis:
    """Analyse meshes as `analyse` does spheres: classes, probabilities, proofs. Clearances are 0
    where meshes intersect.

    Slower than spheres (10 to 100 µs per near pair and configuration): settings of some thousand
    samples suit it. `only`: pairs to look at. `until_hit`: a pair is sampled up to the first
    configuration in which it intersects, for those who ask whether it ever does; its hits and
    samples then say no share. Proofs are made for the covers, and hold for the meshes; where covers
    collide and meshes were not seen to, "sampled only" stands. `nearest` and `spheres` of the
    result are balls of the covers.
    """
    settings = settings or AnalysisSettings(samples=4096)
    began, cpu = time.monotonic(), time.process_time()
    model = meshes.model
    rows = (
        np.arange(len(model.pairs))
        if only is None
        else np.array([model.pair_index[p] for p in sorted(only)])
    )
    covers = analyse(model, settings, _part(on_progress, 0.0, 0.3), rows=rows)
    clearance, default = np.full(len(model.pairs), np.inf), np.full(len(model.pairs), np.inf)
    hits, samples = np.zeros(len(model.pairs), np.int64), np.zeros(len(model.pairs), np.int64)
    witness = covers.witness.copy()
    sampler = Sampler(model, settings.samples, settings.seed) if settings.samples else None
    for k, row in enumerate(rows.tolist()):
        on_progress(0.3 + 0.7 * k / len(rows), f"Comparing meshes: pair {k} of {len(rows)}")
        default[row] = clearance[row] = meshes.distance(row, model.default)
        witness[row] = model.default
        bodies = model.frame_body[model.pairs[row]]
        if bodies[0] == bodies[1]:
            continue
        count = 0
        if sampler is not None:
            count = _sample_pair(meshes, sampler, row, clearance, witness, hits, until_hit)
        samples[row] = count
        near = covers.witness[row]
        mesh_clearance = meshes.distance(row, near)
        if mesh_clearance < clearance[row]:
            clearance[row], witness[row] = mesh_clearance, near
    certified = covers.certified.copy()
    certified[clearance <= 0.0] = np.nan
    # Where the covers collide their proof does not exist; a pair in which nothing moves is settled
    # by its distance.
    still = model.frame_body[model.pairs[:, 0]] == model.frame_body[model.pairs[:, 1]]
    settled = still & (model.relation != Relation.LOOSE) & (default > 0.0) & np.isfinite(default)
    certified[settled] = default[settled]
    return replace(
        covers,
        clearance_min=clearance,
        clearance_default=default,
        certified=certified,
        hits=hits,
        samples=samples,
        witness=witness,
        wall_seconds=time.monotonic() - began,
        cpu_seconds=time.process_time() - cpu,
    )


def count_touches(
    meshes: MeshModel,
    pairs: Collection[LinkPair],
    samples: int,
    seed: int = 0,
    on_progress: Progress = silent,
) -> Mapping[LinkPair, PairEvidence]:
    """Count in how many of `samples` random configurations each of `pairs` touches; `meshes`
    remembers its pairs."""
    model, columns = meshes.model, meshes.ranges
    keys = {p: (samples, seed, p, meshes.motion_key(model.pair_index[p], columns)) for p in pairs}
    new = sorted(pair for pair, key in keys.items() if key not in meshes.counted)
    # In portions: what is counted stays, also when `on_progress` ends it by raising.
    for first in range(0, len(new), _PORTION):
        portion = new[first : first + _PORTION]
        progress = _part(on_progress, first / len(new), len(portion) / len(new))
        analysis = analyse_meshes(meshes, AnalysisSettings(samples, seed, 0.0), progress, portion)
        meshes.counted.update((keys[pair], analysis[pair]) for pair in portion)
    if len(meshes.counted) > KEPT_MOTIONS * len(model.pairs):
        for key in meshes.counted.keys() - set(keys.values()):
            del meshes.counted[key]
    return {pair: meshes.counted[key] for pair, key in keys.items()}


def _sample_pair(
    meshes: MeshModel,
    sampler: Sampler,
    row: int,
    clearance: F64,
    witness: F64,
    hits: I64,
    until_hit: bool,
) -> int:
    """Counts the intersections of one pair; returns how many configurations are settled by that."""
    gaps = sampler.clearances(row, sampler.count)
    near = np.flatnonzero(gaps <= ROUNDING)
    values = sampler.values_of(near)
    for k, number in enumerate(near.tolist()):
        if meshes.collides(row, values[k]):
            hits[row] += 1
            if clearance[row] > 0.0:
                clearance[row], witness[row] = 0.0, values[k]
            if until_hit:
                return int(number) + 1
    if clearance[row] > 0.0:
        for number in np.argsort(gaps, kind="stable")[:4].tolist():
            configuration = sampler.values(number)
            mesh_clearance = meshes.distance(row, configuration)
            if mesh_clearance < clearance[row]:
                clearance[row], witness[row] = mesh_clearance, configuration
    return sampler.count


def hull_of(vertices: F64, faces: I32) -> tuple[F64, I32]:
    """The convex hull with outward faces; a flat or tiny mesh is returned as it is."""
    return convex_hull(vertices) or (vertices, faces)


def corners_of(vertices: F64, faces: I32) -> F64:
    """(n, 3) one vertex of every connected piece of a mesh."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    points, joined = weld_vertices(np.asarray(vertices, float), faces)
    one, other = joined[:, [0, 1, 2]].ravel(), joined[:, [1, 2, 0]].ravel()
    graph = coo_array((np.ones(len(one), bool), (one, other)), shape=(len(points), len(points)))
    _, labels = connected_components(graph, directed=False)
    used = np.unique(joined)
    _, first = np.unique(labels[used], return_index=True)
    return np.asarray(points[used[first]], np.float64)


def cover_of(vertices: F64, faces: I32, count: int = COVER) -> F64:
    """(k, 4) balls, k <= count, that hold every triangle: clusters of triangles by halving along
    the longest side.

    Large triangles are cut first, so that they do not make large balls.
    """
    corners = _cut_small(vertices[faces])
    middles, low, high = corners.mean(axis=1), corners.min(axis=1), corners.max(axis=1)

    def sides_of(cluster: npt.NDArray[np.intp]) -> F64:
        """The sides of a cluster's box; none for a single triangle, which cannot be halved."""
        return (
            high[cluster].max(axis=0) - low[cluster].min(axis=0)
            if len(cluster) > 1
            else np.zeros(3)
        )

    clusters = [np.arange(len(corners))]
    boxes = [sides_of(clusters[0])]
    while len(clusters) < count:
        worst = int(np.argmax([box.max() for box in boxes]))
        if boxes[worst].max() <= 0.0:
            break
        box, chosen = boxes.pop(worst), clusters.pop(worst)
        order = chosen[np.argsort(middles[chosen, int(np.argmax(box))], kind="stable")]
        halves = [order[: len(order) // 2], order[len(order) // 2 :]]
        clusters += halves
        boxes += [sides_of(half) for half in halves]
    balls = []
    for cluster in clusters:
        points = np.unique(corners[cluster].reshape(-1, 3), axis=0)
        balls.append(enclosing_ball(np.c_[points, np.full(len(points), 1e-9)]))
    return np.array(balls)


def _cut_small(triangles: F64) -> F64:
    """Triangles (n, 3, 3) cut in four until none is long against the whole, or there are many."""
    size = float(np.ptp(triangles.reshape(-1, 3), axis=0).max()) if len(triangles) else 0.0
    for _ in range(8):
        sides = np.linalg.norm(triangles - np.roll(triangles, 1, axis=1), axis=2).max(axis=1)
        large = sides > CUT * size
        if not large.any() or len(triangles) > MANY:
            break
        a, b, c = (triangles[large, k] for k in range(3))
        ab, bc, ca = (a + b) / 2, (b + c) / 2, (c + a) / 2
        parts = [np.stack(t, axis=1) for t in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))]
        triangles = np.concatenate([triangles[~large], *parts])
    return triangles


def _covered(robot: RobotDescription, meshes: Meshes) -> RobotDescription:
    spheres = {}
    for frame, (vertices, faces) in meshes.items():
        balls: tuple[CollisionSphere, ...] = tuple(
            CollisionSphere((x, y, z), r) for x, y, z, r in cover_of(vertices, faces).tolist()
        )
        spheres[frame] = balls
    section = SelfCollisionSection("mesh covers")
    group = GeometryGroup("mesh covers", FrozenDict(spheres))
    # The robot's own groups stay: frames with spheres are solid, which decides what is adjacent.
    geometry = (group, *(each for each in robot.xrdf.geometry or () if each.name != group.name))
    return robot.with_xrdf(replace(robot.xrdf, self_collision=section, geometry=geometry))


def _shape(vertices: F64, faces: I32, hull: bool) -> Any:
    import fcl

    if hull:
        flat = np.concatenate([np.full((len(faces), 1), 3), faces], axis=1).astype(np.int32).ravel()
        return fcl.Convex(np.ascontiguousarray(vertices, float), len(faces), flat)
    shape = fcl.BVHModel()
    shape.beginModel(len(vertices), len(faces))
    shape.addSubModel(np.ascontiguousarray(vertices, float), np.ascontiguousarray(faces))
    shape.endModel()
    return shape


def _place(shape: Any) -> Any:
    import fcl

    return fcl.CollisionObject(shape, fcl.Transform())


def _part(on_progress: Progress, start: float, share: float) -> Progress:
    return lambda fraction, sentence: (
        on_progress(start + share * fraction, sentence) if fraction < 1.0 else None
    )
