"""Proof of how far spheres protrude at most: branch and bound over their surfaces.

The distance to a solid changes by no more than a point moves, and is no larger than the distance to
any one point of the solid. Both bound it on a whole patch of a sphere. Patches whose bound is above
the largest distance seen are cut in four until the rest is within the tolerance.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from editor_app.core.arrays import F64, I64, Bools
from editor_app.features.spheres.engine.field import sample_field
from editor_app.features.spheres.engine.quality import lie_within
from editor_app.features.spheres.engine.solid import Solid
from editor_app.features.spheres.engine.surface import nearest_points

#: The proof ends when the bound is this close to a distance that was seen: metres, or share of the
#: diagonal.
TOLERANCE_M, TOLERANCE = 5e-5, 1e-4
#: Patches that are looked at at most; the bound stays valid, and is less close.
_MOST_PATCHES = 400_000
#: Voxels from its zero from which on the field knows the side of a point: half of a voxel's
#: diagonal.
_UNSURE = 0.9
#: The interpolated field changes by no more than this per distance.
_FIELD_SLOPE = 3.0**0.5


class ProtrusionBound(NamedTuple):
    """`most`: no exposed point of the spheres is farther outside the solid, metres. `seen`: one is
    so far."""

    most: float
    seen: float


class _Patches(NamedTuple):
    """Spherical triangles: sphere of each (k), and unit directions of its corners (k, 3, 3)."""

    owner: I64
    corners: F64

    def only(self, kept: Bools) -> _Patches:
        return _Patches(self.owner[kept], self.corners[kept])

    def quartered(self) -> _Patches:
        a, b, c = (self.corners[:, k] for k in range(3))
        ab, bc, ca = (_unit(p + q) for p, q in ((a, b), (b, c), (c, a)))
        parts = [np.stack(t, axis=1) for t in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))]
        return _Patches(np.tile(self.owner, 4), np.concatenate(parts))


def bound_protrusion(
    solid: Solid, spheres: npt.ArrayLike, parts: Sequence[Solid] = ()
) -> ProtrusionBound:
    """Bound how far spheres (n, 4; metres) protrude from a solid. `parts`: as of
    `measure_solid`."""
    s = np.asarray(spheres, float).reshape(-1, 4)
    s = s[np.isfinite(s).all(axis=1) & (s[:, 3] > 0)]
    bodies = parts if len(parts) > 1 else (solid,)
    exposed = (
        ~np.any([lie_within(each, s) for each in bodies], axis=0) if len(s) else np.zeros(0, bool)
    )
    if not exposed.any():
        return ProtrusionBound(0.0, 0.0)
    tolerance = max(TOLERANCE_M, TOLERANCE * solid.diagonal)
    patches = _icosahedron(np.flatnonzero(exposed))
    most = seen = 0.0
    looked = 0
    while len(patches.owner):
        looked += len(patches.owner)
        centre = _unit(patches.corners.sum(axis=1))
        angle = np.arccos(
            np.clip(np.einsum("ij,ikj->ik", centre, patches.corners), -1.0, 1.0).min(axis=1)
        )
        sphere = s[patches.owner]
        points = sphere[:, :3] + sphere[:, 3:] * centre
        chord = 2.0 * sphere[:, 3] * np.sin(0.5 * angle)
        is_hidden, is_visible = _hiding(s, patches.owner, points, chord)
        distance, bound = _look(bodies, sphere, centre, points, angle, chord)
        seen = max(seen, float(distance[is_visible].max(initial=0.0)))
        bound[is_hidden] = 0.0
        is_open = bound > seen + tolerance
        most = max(most, float(bound[~is_open].max(initial=0.0)))
        if looked + 4 * int(is_open.sum()) > _MOST_PATCHES:
            most = max(most, float(bound.max()))
            break
        patches = patches.only(is_open).quartered()
    return ProtrusionBound(max(most, seen), seen)


def _look(
    bodies: Sequence[Solid], sphere: F64, centre: F64, points: F64, angle: F64, chord: F64
) -> tuple[F64, F64]:
    """Return the distances (k) of the middles of patches from the nearest body, and bounds (k) on
    the whole patches."""
    distance, bound = np.full(len(points), np.inf), np.full(len(points), np.inf)
    for solid in bodies:
        at = np.ascontiguousarray(solid.to_canonical(points))
        exact, nearest = nearest_points(solid, at)
        exact *= solid.diagonal
        field = (
            np.asarray(sample_field(solid.phi, solid.origin, solid.h, at), float) * solid.diagonal
        )
        voxel = solid.h * solid.diagonal
        is_outside = field > 0.0
        # Next to an opening that was closed there are no triangles: the field is nearer.
        is_closed = is_outside & (field < exact - 0.5 * voxel)
        far = _farthest(sphere, centre, nearest @ solid.turn * solid.diagonal + solid.centre, angle)
        outer = np.minimum(exact + chord, far)
        outer[is_closed] = np.minimum(outer, field + _FIELD_SLOPE * chord)[is_closed]
        is_inside = field < -_UNSURE * voxel
        if solid.closed_off:
            # The patch may reach out where no triangle is.
            is_inside &= field < -_UNSURE * voxel - _FIELD_SLOPE * chord
        outer[is_inside] = np.maximum(chord - exact, 0.0)[is_inside]
        bound = np.minimum(bound, outer)
        distance = np.minimum(
            distance, np.where(is_outside, np.where(is_closed, field, exact), 0.0)
        )
    return distance, bound


def _farthest(sphere: F64, centre: F64, places: F64, angle: F64) -> F64:
    """Return the largest distances (k) of places (k, 3) from points of a sphere within an angle of
    a direction."""
    offset = places - sphere[:, :3]
    length = np.linalg.norm(offset, axis=1)
    cosine = np.einsum("ij,ij->i", offset, centre) / np.maximum(length, 1e-300)
    turned = np.minimum(np.arccos(np.clip(cosine, -1.0, 1.0)) + angle, np.pi)
    square = sphere[:, 3] ** 2 + length**2 - 2.0 * sphere[:, 3] * length * np.cos(turned)
    return np.asarray(np.sqrt(np.maximum(square, 0.0)) * (1.0 + 1e-9))


def _hiding(spheres: F64, owner: I64, points: F64, chord: F64) -> tuple[Bools, Bools]:
    """Return which patches another sphere hides, and the middles of which none hides."""
    is_hidden, is_visible = np.zeros(len(points), bool), np.ones(len(points), bool)
    for number, (x, y, z, radius) in enumerate(spheres.tolist()):
        gap = np.linalg.norm(points - (x, y, z), axis=1) - radius
        gap[owner == number] = np.inf
        is_hidden |= gap + chord < 0.0
        is_visible &= gap >= 0.0
    return is_hidden, is_visible


def _icosahedron(owners: I64) -> _Patches:
    """Return the faces of an icosahedron around each sphere."""
    golden = (1.0 + 5.0**0.5) / 2.0
    corners = _unit(
        np.array([
            (-1, golden, 0), (1, golden, 0), (-1, -golden, 0), (1, -golden, 0),
            (0, -1, golden), (0, 1, golden), (0, -1, -golden), (0, 1, -golden),
            (golden, 0, -1), (golden, 0, 1), (-golden, 0, -1), (-golden, 0, 1),
        ])
    )  # fmt: skip
    faces = corners[_FACES]
    return _Patches(np.repeat(owners, len(faces)), np.tile(faces, (len(owners), 1, 1)))


_FACES = np.array(
    [
        (0, 11, 5),
        (0, 5, 1),
        (0, 1, 7),
        (0, 7, 10),
        (0, 10, 11),
        (1, 5, 9),
        (5, 11, 4),
        (11, 10, 2),
        (10, 7, 6),
        (7, 1, 8),
        (3, 9, 4),
        (3, 4, 2),
        (3, 2, 6),
        (3, 6, 8),
        (3, 8, 9),
        (4, 9, 5),
        (2, 4, 11),
        (6, 2, 10),
        (8, 6, 7),
        (9, 8, 1),
    ]
)


def _unit(vectors: F64) -> F64:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=-1, keepdims=True))
