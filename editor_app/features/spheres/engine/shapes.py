"""Simple solids around a mesh, for the collision elements of a link: box, cylinder, capsule,
sphere, hull, parts.

Every solid holds what it is made around: sizes are computed in the frame as it is written, and
rounded up.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from editor_app.core.arrays import F64, I32
from editor_app.core.model.origin import IDENTITY, Origin
from editor_app.core.model.urdf import Ball, Box, Capsule, Cylinder
from editor_app.core.space.geometry.mesh import build_primitive, convex_hull, transform_part
from editor_app.core.space.kinematics.transforms import build_origin_matrix, matrix_to_rpy
from editor_app.features.spheres.engine import pieces
from editor_app.features.spheres.engine.settings import (
    LEAST_FACES,
    USUAL_PARTS,
    FittingError,
    ShapeKind,
)

#: A hull may stand out of the exact one by so much; metres.
_NEAR = 5e-4
#: Places and sizes are written to the micrometre, angles to the microradian.
_STEP = 1e-6
#: A link's own axis is taken where it costs less than this share of the volume.
_NEAT = 1.01
#: No solid is thinner, metres.
_THINNEST = 1e-3
#: CoACD's concavity at which a part is convex enough, and the seed of its search.
_CONCAVITY, _SEED = 0.06, 0
#: Of the surface that parts are grown to hold, no edge is longer than this share of the whole.
_SHORT = 0.04
#: Corners of the circles of what is drawn and measured of round solids.
_SEGMENTS = 64


@dataclass(frozen=True, eq=False)
class ConvexShape:
    """One convex solid in the frame of the link, metres. `geometry` is None for a hull, which needs
    a mesh file.

    `vertices` (n, 3), `faces` (m, 3): its surface, of round solids a polygon with its corners on
    it.
    """

    kind: ShapeKind
    geometry: Box | Cylinder | Capsule | Ball | None
    origin: Origin
    vertices: F64
    faces: I32

    @cached_property
    def planes(self) -> F64:
        """(k, 4) outward normals and offsets of a hull or a box: n · x <= d holds within."""
        a, b, c = (self.vertices[self.faces[:, k]] for k in range(3))
        normals = np.cross(b - a, c - a)
        lengths = np.linalg.norm(normals, axis=1)
        flat = lengths > 1e-18
        normals = normals[flat] / lengths[flat, None]
        rows = np.column_stack([normals, np.einsum("ij,ij->i", normals, a[flat])])
        return np.asarray(np.unique(np.round(rows, 9), axis=0))

    @cached_property
    def volume(self) -> float:
        """Cubic metres."""
        match self.geometry:
            case Ball(r):
                return float(4 / 3 * np.pi * r**3)
            case Cylinder(r, length):
                return float(np.pi * r * r * length)
            case Capsule(r, length):
                return float(np.pi * r * r * (length + 4 / 3 * r))
        # Cubic metres within a closed surface, by the divergence theorem.
        a, b, c = (self.vertices[self.faces[:, k]] - self.vertices.mean(axis=0) for k in range(3))
        return abs(float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum())) / 6

    def depths(self, points: F64) -> F64:
        """(n,) signed distances of points (n, 3), negative within; outside a hull or a box no more
        than the distance (exact next to a face)."""
        geometry = self.geometry
        if geometry is None or isinstance(geometry, Box):
            planes = self.planes
            step = max(1, 4_000_000 // max(len(planes), 1))
            blocks = [
                (points[i : i + step] @ planes[:, :3].T - planes[:, 3]).max(axis=1)
                for i in range(0, len(points), step)
            ]
            return np.concatenate(blocks) if blocks else np.zeros(0)
        matrix = build_origin_matrix(self.origin)
        local = (points - matrix[:3, 3]) @ matrix[:3, :3]
        radial, along = np.hypot(local[:, 0], local[:, 1]), np.abs(local[:, 2])
        if isinstance(geometry, Ball):
            return np.asarray(np.linalg.norm(local, axis=1) - geometry.radius)
        beyond = along - geometry.length / 2
        if isinstance(geometry, Capsule):
            return np.asarray(np.hypot(radial, np.maximum(beyond, 0.0)) - geometry.radius)
        out = np.column_stack([radial - geometry.radius, beyond])
        return np.asarray(
            np.minimum(out.max(axis=1), 0.0) + np.linalg.norm(np.maximum(out, 0.0), axis=1)
        )


def made_shapes(
    kind: ShapeKind,
    vertices: F64,
    faces: I32,
    *,
    most_faces: int | None = None,
    most_parts: int = USUAL_PARTS,
) -> tuple[ConvexShape, ...]:
    """The solids of that kind around a mesh (n, 3), (m, 3), metres. `most_faces`: see `hull_shape`.

    Raises FittingError for a mesh without extent, and ImportError where CoACD, the extra `parts`,
    is missing.
    """
    points = np.asarray(vertices, float)[np.unique(faces)]
    if len(points) < 3 or np.ptp(points, axis=0).max() < 1e-9:
        raise FittingError("The mesh has no triangle with an area.")
    corners = _corners(points)
    if kind == "hull":
        return (hull_shape(corners, most_faces),)
    if kind == "parts":
        return _parts(
            np.asarray(vertices, float), np.asarray(faces, np.int32), most_faces, most_parts
        )
    make: dict[str, Callable[[F64], ConvexShape]] = {
        "sphere": _ball, "capsule": _capsule, "cylinder": _cylinder, "box": _box
    }  # fmt: skip
    return (make[kind](corners),)


# -- hulls


def hull_shape(points: F64, most_faces: int | None = None, kind: ShapeKind = "hull") -> ConvexShape:
    """A polytope around the convex hull of points (n, 3), which stands out of it by half a
    millimetre at most, or by 0.2 % of its size. With `most_faces` it has so many triangles at most
    (but 12), and may stand out farther."""
    hull = convex_hull(points)
    if hull is None:
        box = _box(points)
        return ConvexShape(kind, None, IDENTITY, box.vertices, box.faces)
    vertices, faces = _coarse(*hull, most_faces)
    # As files have them, in single precision: corners that are one there are one here.
    written = np.unique(np.round(vertices, 7).astype(np.float32) + np.float32(0.0), axis=0).astype(
        float
    )
    return ConvexShape(kind, None, IDENTITY, *(convex_hull(written) or (vertices, faces)))


def _coarse(vertices: F64, faces: I32, most_faces: int | None) -> tuple[F64, I32]:
    """Begins as the best box, and is cut by planes of those faces of the hull that its corners
    stand out of most: it never cuts the hull."""
    from scipy.spatial import HalfspaceIntersection, QhullError

    near = min(_NEAR, 0.002 * float(np.linalg.norm(np.ptp(vertices, axis=0))))
    most = len(faces) if most_faces is None else min(max(most_faces, LEAST_FACES), len(faces))
    every = ConvexShape("hull", None, IDENTITY, vertices, faces).planes
    # A plane that was rounded still has the hull below it.
    every[:, 3] = (vertices @ every[:, :3].T).max(axis=0)
    inside = vertices.mean(axis=0)
    box = _box(vertices)
    best, chosen = (box.vertices, box.faces), box.planes
    while True:
        above = best[0] @ every[:, :3].T - every[:, 3]
        worst = above.max(axis=1)
        # Each plane adds four triangles.
        count = max(1, min((most - len(best[1])) // 4, len(chosen) // 4))
        corners = np.argsort(-worst, kind="stable")[:count]
        planes = np.unique(above[corners[worst[corners] > near]].argmax(axis=1))
        if not len(planes):
            return best
        chosen = np.vstack([chosen, every[planes]])
        try:
            cut = HalfspaceIntersection(np.column_stack([chosen[:, :3], -chosen[:, 3]]), inside)
            polytope = convex_hull(cut.intersections)
        except QhullError:
            polytope = None
        if polytope is None or len(polytope[1]) > most:
            # The hull itself, where it may have all of its triangles.
            return (vertices, faces) if most == len(faces) else best
        best = polytope


def _corners(points: F64) -> F64:
    """The corners of the hull; of points in a plane, all of them."""
    hull = convex_hull(points)
    return points if hull is None else hull[0]


# -- convex parts


def _parts(
    vertices: F64, faces: I32, most_faces: int | None, most_parts: int
) -> tuple[ConvexShape, ...]:
    """CoACD's parts, each grown to hold the surface that is nearest to it: alone they leave a
    little out.

    X. Wei, M. Liu, Z. Ling, H. Su, Approximate Convex Decomposition, ACM Trans. Graphics 41(4),
       2022.
    """
    import coacd  # an extra

    coacd.set_log_level("error")
    longest = _SHORT * float(np.linalg.norm(np.ptp(vertices[faces].reshape(-1, 3), axis=0)))
    triangles, _ = pieces.split_large(np.ascontiguousarray(vertices[faces], np.float64), longest)
    mesh = coacd.Mesh(vertices, faces)
    made = coacd.run_coacd(
        mesh,
        threshold=_CONCAVITY,
        max_convex_hull=most_parts,
        seed=_SEED,
        preprocess_resolution=40,
        mcts_nodes=10,
        mcts_iterations=60,
    )
    hulls = [
        hull for points, _ in made if (hull := convex_hull(np.asarray(points, float))) is not None
    ]
    if not hulls:
        return (hull_shape(vertices[np.unique(faces)], most_faces, "parts"),)
    solids = [ConvexShape("parts", None, IDENTITY, *hull) for hull in hulls]
    corners = triangles.reshape(-1, 3)
    out = np.stack([solid.depths(corners).reshape(-1, 3).max(axis=1) for solid in solids])
    nearest = out.argmin(axis=0)
    return tuple(
        hull_shape(
            np.vstack([hull[0], triangles[nearest == k].reshape(-1, 3)]), most_faces, "parts"
        )
        for k, hull in enumerate(hulls)
    )


# -- primitives


def _ball(points: F64) -> ConvexShape:
    centre = np.round(enclosing(points)[0], 6) + 0.0
    radius = _up(float(np.linalg.norm(points - centre, axis=1).max()))
    return _placed("sphere", Ball(radius), centre, (0.0, 0.0, 0.0))


def _box(points: F64) -> ConvexShape:
    """The smallest of the boxes with a face of the hull on one side, by trimesh; the link's own
    axes where they do."""
    turn = np.eye(3)
    if convex_hull(points) is not None:
        import trimesh

        to_box, extents = trimesh.bounds.oriented_bounds(points)
        if float(np.prod(extents)) * _NEAT < float(np.prod(np.ptp(points, axis=0))):
            turn = _nearest_turn(np.asarray(to_box)[:3, :3].T)
    rpy = _angles(matrix_to_rpy(turn))
    turn = build_origin_matrix(Origin((0.0, 0.0, 0.0), rpy))[:3, :3]
    local = points @ turn
    centre = np.round(turn @ ((local.min(axis=0) + local.max(axis=0)) / 2), 6) + 0.0
    half = np.abs((points - centre) @ turn).max(axis=0)
    x, y, z = (_up(max(2 * side, _THINNEST)) for side in half.tolist())
    return _placed("box", Box((x, y, z)), centre, rpy)


def _nearest_turn(axes: F64) -> F64:
    """The same box with its axes (columns) named so that it is turned least."""
    best, turn = -np.inf, axes
    for order in itertools.permutations(range(3)):
        columns = axes[:, order] * np.where(np.diag(axes[:, order]) < 0, -1.0, 1.0)
        if np.linalg.det(columns) < 0:
            weakest = int(np.abs(np.diag(columns)).argmin())
            columns[:, weakest] *= -1
        if np.trace(columns) > best + 1e-9:
            best, turn = float(np.trace(columns)), columns
    return np.asarray(turn)


def _cylinder(points: F64) -> ConvexShape:
    axis = _best_axis(points, _cylinder_volume)
    rpy, turn = _along(axis)
    local = points @ turn
    middle, _ = enclosing(local[:, :2])
    low, high = local[:, 2].min(), local[:, 2].max()
    centre = np.round(turn @ np.array([*middle, (low + high) / 2]), 6) + 0.0
    local = (points - centre) @ turn
    radius = _up(max(float(np.hypot(local[:, 0], local[:, 1]).max()), _THINNEST / 2))
    length = _up(max(2 * float(np.abs(local[:, 2]).max()), _THINNEST))
    return _placed("cylinder", Cylinder(radius, length), centre, rpy)


def _capsule(points: F64) -> ConvexShape:
    axis = _best_axis(points, lambda local: _best_capsule(local)[0])
    rpy, turn = _along(axis)
    _, radius, low, high, middle = _best_capsule(points @ turn)
    centre = np.round(turn @ np.array([*middle, (low + high) / 2]), 6) + 0.0
    local = (points - centre) @ turn
    length = _up(high - low)
    beyond = np.maximum(np.abs(local[:, 2]) - length / 2, 0.0)
    radius = _up(float(np.sqrt(local[:, 0] ** 2 + local[:, 1] ** 2 + beyond**2).max()))
    if length < 2 * _STEP:
        return _placed("capsule", Capsule(radius, 2 * _STEP), centre, rpy)
    return _placed("capsule", Capsule(radius, length), centre, rpy)


def _cylinder_volume(local: F64) -> float:
    return enclosing(local[:, :2])[1] ** 2 * float(np.ptp(local[:, 2]))


def _best_capsule(local: F64) -> tuple[float, float, float, float, F64]:
    """(volume by pi, radius, lower and upper end of the middle line, its place (2,)) along z.

    For each radius, the ends are as near to each other as the points allow.
    """
    middle, least = enclosing(local[:, :2])
    square = ((local[:, :2] - middle) ** 2).sum(axis=1)
    z = local[:, 2]
    radii = least * np.concatenate([[1.0 + 1e-9], np.geomspace(1.005, 3.0, 40)])
    caps = np.sqrt(np.maximum(radii[:, None] ** 2 - square, 0.0))
    upper, lower = (z - caps).max(axis=1), (z + caps).min(axis=1)
    centre = (upper + lower) / 2
    # A ball holds everything where the ends would pass each other.
    upper, lower = np.where(upper < lower, centre, upper), np.where(upper < lower, centre, lower)
    volumes = radii**2 * (upper - lower + 4 / 3 * radii)
    k = int(volumes.argmin())
    return float(volumes[k]), float(radii[k]), float(lower[k]), float(upper[k]), middle


def _best_axis(points: F64, volume: Callable[[F64], float]) -> F64:
    """The direction (3,) along which `volume` of the points, turned to have it as z, is least.

    Tried are the axes of the link and of the best box, and the principal ones; the best of them is
    refined.
    """
    from scipy.optimize import minimize

    box = build_origin_matrix(_box(points).origin)[:3, :3]
    principal = np.linalg.svd(points - points.mean(axis=0), full_matrices=True)[2]
    axes = [*np.eye(3), *box.T, *principal]
    volumes = [volume(points @ _along(axis)[1]) for axis in axes]
    start = int(np.argmin(volumes))
    turn = _along(axes[start])[1]

    def tilted(by: F64) -> F64:
        axis = turn @ np.array([by[0], by[1], 1.0])
        return np.asarray(axis / np.linalg.norm(axis))

    def cost(by: F64) -> float:
        return volume(points @ _along(tilted(by))[1])

    first = np.array([[0.0, 0.0], [0.06, 0.0], [0.0, 0.06]])
    options: Any = {"initial_simplex": first, "maxfev": 60, "xatol": 1e-4, "fatol": 1e-9}
    refined = minimize(cost, np.zeros(2), method="Nelder-Mead", options=options)
    neat = int(np.argmin(volumes[:3]))
    if volumes[neat] <= _NEAT * min(volumes[start], float(refined.fun)):
        return np.asarray(axes[neat])
    return tilted(refined.x) if refined.fun < volumes[start] else np.asarray(axes[start])


def enclosing(points: F64) -> tuple[F64, float]:
    """Centre (d,) and radius of the smallest ball around points (n, d): the farthest point joins
    those that it rests on, until none is farther; the radius grows with each step, so this ends (B.
    Gärtner, ESA 1999)."""
    support = points[:1]
    centre, radius = points[0], 0.0
    for _ in range(1000):
        distances = np.linalg.norm(points - centre, axis=1)
        far = int(distances.argmax())
        if distances[far] <= radius * (1 + 1e-10) + 1e-12:
            break
        centre, radius, support = _smallest_of(np.vstack([support, points[far]]))
    return centre, float(np.linalg.norm(points - centre, axis=1).max())


def _smallest_of(points: F64) -> tuple[F64, float, F64]:
    """The smallest ball around a few points, and those that it rests on."""
    best: tuple[F64, float, F64] | None = None
    for count in range(1, min(len(points), points.shape[1] + 1) + 1):
        for chosen in itertools.combinations(range(len(points)), count):
            rest = points[list(chosen)]
            sides = rest[1:] - rest[0]
            shift = (
                np.linalg.lstsq(2 * sides, (sides**2).sum(axis=1), rcond=None)[0]
                if count > 1
                else np.zeros(points.shape[1])
            )
            centre = rest[0] + shift
            radius = float(np.linalg.norm(rest - centre, axis=1).max())
            if best is not None and radius >= best[1]:
                continue
            if (np.linalg.norm(points - centre, axis=1) <= radius * (1 + 1e-11) + 1e-13).all():
                best = centre, radius, rest
    assert best is not None, "the ball on all of its points holds them"
    return best


def _along(axis: F64) -> tuple[tuple[float, float, float], F64]:
    """Angles of a frame, as they are written, whose z is along an axis, and its turn (3, 3)."""
    x, y, z = (axis if axis[2] >= 0 else -axis).tolist()
    pitch, yaw = (
        float(np.arctan2(np.hypot(x, y), z)),
        float(np.arctan2(y, x)) if np.hypot(x, y) > 1e-7 else 0.0,
    )
    rpy = _angles((0.0, pitch, yaw))
    return rpy, build_origin_matrix(Origin((0.0, 0.0, 0.0), rpy))[:3, :3]


def _angles(rpy: tuple[float, float, float]) -> tuple[float, float, float]:
    roll, pitch, yaw = (round(angle, 6) + 0.0 for angle in rpy)
    return roll, pitch, yaw


def _up(size: float) -> float:
    """Rounded up to the micrometre."""
    return round(float(np.ceil(size / _STEP - 1e-4)) * _STEP, 6)


def _placed(
    kind: ShapeKind,
    geometry: Box | Cylinder | Capsule | Ball,
    centre: F64,
    rpy: tuple[float, float, float],
) -> ConvexShape:
    x, y, z = centre.tolist()
    origin = Origin((x, y, z), rpy)
    [part] = build_primitive(geometry, _SEGMENTS).parts
    placed = transform_part(part, build_origin_matrix(origin))
    return ConvexShape(kind, geometry, origin, placed.vertices, placed.faces)
