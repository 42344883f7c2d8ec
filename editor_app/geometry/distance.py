"""Distances, angles and gaps between places and triangle meshes, in plain numpy: for a few points, not for fields."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]

#: Point-triangle pairs at a time, so that memory stays bounded.
_CHUNK = 2_000_000


def distance_to_mesh(points: F64, vertices: F64, faces: NDArray[np.int32]) -> F64:
    """Unsigned distances (n,) in metres of points (n, 3) from a mesh (v, 3), (m, 3); inf for a mesh without faces.

    By regions of the closest feature: C. Ericson, Real-Time Collision Detection, 2005, section 5.1.5.
    """
    if len(faces) == 0:
        return np.full(len(points), np.inf)
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    step = max(1, _CHUNK // len(faces))
    distances = [_to_triangles(points[i : i + step], a, b, c) for i in range(0, len(points), step)]
    return np.concatenate(distances) if distances else np.zeros(0)


def _to_triangles(points: F64, a: F64, b: F64, c: F64) -> F64:
    ab, ac, bc = b - a, c - a, c - b
    normal = np.cross(ab, ac)
    area = np.einsum("ij,ij->i", normal, normal)
    p = points[:, None, :]
    squared = np.minimum(_to_segments(p, a, ab), np.minimum(_to_segments(p, a, ac), _to_segments(p, b, bc)))
    ap = p - a
    # Barycentric coordinates of the foot of the perpendicular; degenerate triangles have only their edges.
    safe = np.where(area > 0, area, 1.0)
    v = np.einsum("mj,nmj->nm", normal, np.cross(ap, ac[None])) / safe
    w = np.einsum("mj,nmj->nm", normal, np.cross(ab[None], ap)) / safe
    inside = (v >= 0) & (w >= 0) & (v + w <= 1) & (area > 0)
    plane = np.einsum("nmj,mj->nm", ap, normal) ** 2 / safe
    return np.asarray(np.sqrt(np.where(inside, plane, squared).min(axis=1)))


def _to_segments(p: F64, start: F64, direction: F64) -> F64:
    length = np.einsum("mj,mj->m", direction, direction)
    offset = p - start
    t = np.einsum("nmj,mj->nm", offset, direction) / np.where(length > 0, length, 1.0)
    nearest = offset - np.clip(t, 0.0, 1.0)[..., None] * direction
    return np.asarray(np.einsum("nmj,nmj->nm", nearest, nearest))


def winding_number(points: F64, vertices: F64, faces: NDArray[np.int32]) -> F64:
    """Generalised winding numbers (n,): about ±1 inside a closed mesh, 0 outside, between for an open one.

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
        top = np.einsum("nmj,nmj->nm", u, np.cross(v, w))
        dots = [np.einsum("nmj,nmj->nm", x, y) for x, y in ((u, v), (v, w), (w, u))]
        bottom = lu * lv * lw + dots[0] * lw + dots[1] * lu + dots[2] * lv
        parts.append(2.0 * np.arctan2(top, bottom).sum(axis=1))
    return np.concatenate(parts) / (4.0 * np.pi) if parts else np.zeros(0)


Array = NDArray[np.float64]


@dataclass(frozen=True)
class Place:
    """A point (3,) in the base frame (metres); the outward `normal` (3,) of its face, the `radius` of its sphere."""

    point: Array
    normal: Array | None = None
    radius: float | None = None


@dataclass(frozen=True, slots=True)
class Distance:
    """Between two places: `length` and its parts `along` the axes of the base (metres).

    `gap`: between the surfaces of two spheres, negative when they overlap. `faces`: the angle between two faces, 0 to
    pi/2 (radians). None where a place has no sphere, or no face.
    """

    length: float
    along: tuple[float, float, float]
    gap: float | None = None
    faces: float | None = None


def distance(one: Place, other: Place) -> Distance:
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


def angle_at(corner: Place, one: Place, other: Place) -> float:
    """Radians, 0 to pi, between the ways from `corner` to two places. Raises ValueError where one is the corner."""
    arms = one.point - corner.point, other.point - corner.point
    if min(float(np.linalg.norm(arm)) for arm in arms) < 1e-9:
        raise ValueError("An angle needs three places that differ.")
    return _between(*arms)


def _between(one: Array, other: Array) -> float:
    # Exact near 0 and pi, where the arc cosine is not.
    return math.atan2(float(np.linalg.norm(np.cross(one, other))), float(one @ other))
