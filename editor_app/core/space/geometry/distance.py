"""Distances, angles and gaps between places and triangle meshes, in plain numpy: for a few points,
not for fields; and how much of what is seen of a link its collision shapes leave bare.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from editor_app.core.arrays import F64, I32
from editor_app.core.space.geometry.cache import digest, load_entry, store_entry
from editor_app.core.space.geometry.mesh import spread_mesh_points

#: Point-triangle pairs at a time, so that memory stays bounded.
_CHUNK = 2_000_000


def compute_mesh_distances(points: F64, vertices: F64, faces: I32) -> F64:
    """Unsigned distances (n,) in metres of points (n, 3) from a mesh (v, 3), (m, 3); inf for a mesh
    without faces.

    By regions of the closest feature: C. Ericson, Real-Time Collision Detection, 2005, section
    5.1.5.
    """
    if len(faces) == 0:
        return np.full(len(points), np.inf)
    corners = [vertices[faces[:, k]] for k in range(3)]
    step = max(1, _CHUNK // len(faces))
    chunks = (points[i : i + step, None] for i in range(0, len(points), step))
    distances = [to_triangles(chunk, *corners).min(axis=1) for chunk in chunks]
    return np.concatenate(distances) if distances else np.zeros(0)


def to_triangles(points: F64, a: F64, b: F64, c: F64) -> F64:
    """Distances (...) of points (..., 3) from triangles with these corners (..., 3), broadcast
    against each other."""
    ab, ac, bc = b - a, c - a, c - b
    normal = np.cross(ab, ac)
    area = _dot(normal, normal)
    squared = np.minimum(
        _to_segments(points, a, ab),
        np.minimum(_to_segments(points, a, ac), _to_segments(points, b, bc)),
    )
    ap = points - a
    # Barycentric coordinates of the foot of the perpendicular; degenerate triangles have only their
    # edges.
    safe = np.where(area > 0, area, 1.0)
    v, w = _dot(normal, np.cross(ap, ac)) / safe, _dot(normal, np.cross(ab, ap)) / safe
    inside = (v >= 0) & (w >= 0) & (v + w <= 1) & (area > 0)
    return np.asarray(np.sqrt(np.where(inside, _dot(ap, normal) ** 2 / safe, squared)))


def _to_segments(points: F64, start: F64, direction: F64) -> F64:
    length = _dot(direction, direction)
    offset = points - start
    t = _dot(offset, direction) / np.where(length > 0, length, 1.0)
    nearest = offset - np.clip(t, 0.0, 1.0)[..., None] * direction
    return _dot(nearest, nearest)


def _dot(one: F64, other: F64) -> F64:
    return np.asarray(np.einsum("...j,...j->...", one, other))


def winding_number(points: F64, vertices: F64, faces: I32) -> F64:
    """Generalised winding numbers (n,): about ±1 inside a closed mesh, 0 outside, between for an
    open one.

    Sum of the solid angles of A. Van Oosterom, J. Strackee, IEEE Trans. Biomed. Eng. 30(2), 1983.
    """
    if len(faces) == 0:
        return np.zeros(len(points))
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    step = max(1, _CHUNK // len(faces))
    parts = []
    for i in range(0, len(points), step):
        p = points[i : i + step, None, :]
        u, v, w = a - p, b - p, c - p
        lu, lv, lw = (np.linalg.norm(x, axis=2) for x in (u, v, w))
        top = _dot(u, np.cross(v, w))
        dots = [_dot(x, y) for x, y in ((u, v), (v, w), (w, u))]
        bottom = lu * lv * lw + dots[0] * lw + dots[1] * lu + dots[2] * lv
        parts.append(2.0 * np.arctan2(top, bottom).sum(axis=1))
    return np.concatenate(parts) / (4.0 * np.pi) if parts else np.zeros(0)


@dataclass(frozen=True)
class SurfacePoint:
    """A point (3,) in the base frame (metres); the outward `normal` (3,) of its face, the `radius`
    of its sphere."""

    point: F64
    normal: F64 | None = None
    radius: float | None = None


@dataclass(frozen=True, slots=True)
class Distance:
    """Between two places: `length` and its parts `along` the axes of the base (metres).

    `gap`: between the surfaces of two spheres, negative when they overlap. `faces`: the angle
    between two faces, 0 to pi/2 (radians). None where a place has no sphere, or no face.
    """

    length: float
    along: tuple[float, float, float]
    gap: float | None = None
    faces: float | None = None


def distance(one: SurfacePoint, other: SurfacePoint) -> Distance:
    """From `one` to `other`."""
    x, y, z = (other.point - one.point).tolist()
    length = math.hypot(x, y, z)
    gap = None
    if one.radius is not None and other.radius is not None:
        gap = length - one.radius - other.radius
    faces = None
    if one.normal is not None and other.normal is not None:
        faces = _between(one.normal, other.normal)
        # Faces have two sides: parallel ones that look at each other are 0 apart.
        faces = min(faces, math.pi - faces)
    return Distance(length, (x, y, z), gap, faces)


def angle_at(corner: SurfacePoint, one: SurfacePoint, other: SurfacePoint) -> float:
    """Radians, 0 to pi, between the ways from `corner` to two places. Raises ValueError where one
    is the corner."""
    arms = one.point - corner.point, other.point - corner.point
    if min(float(np.linalg.norm(arm)) for arm in arms) < 1e-9:
        raise ValueError("An angle needs three different points.")
    return _between(*arms)


def _between(one: F64, other: F64) -> float:
    # Exact near 0 and pi, where the arc cosine is not.
    return math.atan2(float(np.linalg.norm(np.cross(one, other))), float(one @ other))


#: Shapes that leave a larger share of the visual surface bare stand for a part of the link only.
PARTIAL = 0.25
#: What is nearer to a collision shape than this share of the diagonal is covered by it: shapes are
#: simplified.
_NEAR = 0.05
_POINTS = 400
_MARKS = 1000
#: Faces to measure with; of finer shapes, points spread over the surface stand for it.
_FACES = 3000


def bare_share(visual: tuple[F64, I32], collision: tuple[F64, I32]) -> float:
    """Share (0..1) of the visual surface that lies outside the collision shapes by more than 5 % of
    its diagonal.

    Both are (vertices (n, 3), faces (m, 3)), metres, in the same frame. 0 without a visual shape.
    """
    vertices, faces = visual
    if not len(faces) or not len(collision[1]):
        return 0.0
    points = spread_points(vertices, faces, _POINTS)
    diagonal = float(np.linalg.norm(np.ptp(vertices[np.unique(faces)], axis=0)))
    near = _NEAR * diagonal
    # A point of the shape that is near enough spares most points of the surface the search for the
    # nearest one.
    marks = spread_points(*collision, _MARKS)
    # Squares of the distances (n,) of points (n, 3) to the nearest of others (m, 3).
    products = points @ marks.T
    squares = np.einsum("ij,ij->i", marks, marks) - 2.0 * products
    apart = (
        np.asarray(squares.min(axis=1) + np.einsum("ij,ij->i", points, points))
        > (0.999 * near) ** 2
    )
    apart[apart] = _distances(points[apart], collision) > near
    if not apart.any():
        return 0.0
    far = points[apart]
    inside = (
        np.abs(winding_number(far, *collision)) > 0.5
        if len(collision[1]) <= 60_000
        else np.zeros(len(far), bool)
    )
    return float((~inside).sum() / len(points))


def kept_bare_share(visual: tuple[F64, I32], collision: tuple[F64, I32]) -> float:
    """Return `bare_share`, from disk if the same shapes were compared before: a humanoid takes
    seconds."""
    arrays = (np.ascontiguousarray(array) for array in (*visual, *collision))
    pieces = [piece for array in arrays for piece in (array.dtype.str.encode(), array.tobytes())]
    key = "bare-" + digest(_method().encode(), *pieces)
    entry = load_entry(key)
    share = entry[0].get("share") if entry is not None else None
    if not isinstance(share, float) or not 0.0 <= share <= 1.0:
        share = bare_share(visual, collision)
        store_entry(key, {"share": share}, {})
    return share


@functools.cache
def _method() -> str:
    """Of the text of the method: what another version of it has found is no answer of this one."""
    try:
        return digest(Path(__file__).read_bytes())
    except OSError:
        return "unknown"


def _distances(points: F64, mesh: tuple[F64, I32]) -> F64:
    if len(mesh[1]) <= _FACES:
        return compute_mesh_distances(points, *mesh)
    from scipy.spatial import cKDTree

    return np.asarray(cKDTree(spread_points(*mesh, 20_000)).query(points)[0])


@np.errstate(over="ignore", invalid="ignore")
def spheres_far_from(vertices: F64, faces: I32, spheres: F64) -> list[tuple[int, float]]:
    """Return (row, gap in metres) of the spheres (n, 4) whose surface is more than a diameter away
    from a mesh."""
    if not len(faces) or not len(spheres):
        return []
    centers, radii = spheres[:, :3], spheres[:, 3]
    # A vertex within reach settles most spheres without looking at a triangle.
    nearest = np.array(
        [np.sqrt(((vertices - center) ** 2).sum(axis=1).min()) for center in centers]
    )
    doubtful = np.flatnonzero(nearest - radii > 2 * radii)
    if len(doubtful) == 0:
        return []
    gaps = compute_mesh_distances(centers[doubtful], vertices, faces) - radii[doubtful]
    outside = np.abs(winding_number(centers[doubtful], vertices, faces)) < 0.5
    far = (gaps > 2 * radii[doubtful]) & outside
    return [(int(row), float(gap)) for row, gap in zip(doubtful[far], gaps[far], strict=True)]


@np.errstate(over="ignore", invalid="ignore")
def gaps_to_spheres(points: F64, spheres: F64) -> F64:
    """(n,) how far points (n, 3) lie outside the nearest of spheres (m, 4), metres; negative
    inside."""
    if not len(spheres):
        return np.full(len(points), np.inf)
    return np.asarray(
        (np.linalg.norm(points[:, None] - spheres[None, :, :3], axis=2) - spheres[:, 3]).min(axis=1)
    )


def spread_points(vertices: F64, faces: I32, count: int) -> F64:
    """Points (count, 3) spread evenly over a surface, the same ones each time."""
    return spread_mesh_points(vertices[faces], count)[0]
