"""How much of a surface lies outside spheres, and where it does so deepest: plain numpy, for links
one by one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from editor_app.core.arrays import F64, I32
from editor_app.core.model.counting import format_percent
from editor_app.core.model.origin import Vector3
from editor_app.core.space.geometry.distance import winding_number
from editor_app.core.space.geometry.mesh import spread_mesh_points

Triangles = tuple[F64, I32]

#: Points spread over the surface, corners of its triangles that are looked at, and how many at a
#: time are asked whether they can be seen.
_POINTS, _CORNERS, _AT_A_TIME, _ASKED = 400, 20_000, 32, 320
#: What is this near to a sphere is covered: files have six digits (metres).
_NEAR = 2e-6
#: A closed shape of more faces hides what is in it, but is not asked.
_FACES = 60_000
#: How far from the surface its sides are looked at, in diagonals.
_ASIDE = 1e-4


@dataclass(frozen=True)
class Uncovered:
    """`share` (0..1) of a surface that lies outside the spheres, its greatest distance to them,
    `deepest` (metres), and the `spot` (metres, in the frame of the link) where that is; None where
    all is covered."""

    share: float
    deepest: float
    spot: Vector3 | None = None

    @property
    def is_worth_telling(self) -> bool:
        """True if it is deeper than what meshes are simplified by."""
        return self.deepest > WORTH_TELLING

    def text(self, surface: str) -> str:
        """A clause for people, such as "12 % of its visible surface is outside its spheres, up to
        3.1 mm at (…)"."""
        place = "" if self.spot is None else " at ({:.3f}, {:.3f}, {:.3f})".format(*self.spot)
        return (
            f"{format_percent(self.share)} of {surface} is outside its spheres, up to "
            f"{1000 * self.deepest:.1f} mm{place}"
        )


#: Metres.
WORTH_TELLING = 1e-3


def uncovered(surface: Triangles, spheres: F64, hidden_in: Triangles | None = None) -> Uncovered:
    """Return what of a surface (vertices (n, 3), faces (m, 3)) lies outside spheres (k, 4; all
    metres, in one frame).

    hidden_in: a shape that the spheres cover: what lies within it cannot be seen, and does not
    count.
    """
    vertices, faces = surface
    if not len(faces) or not len(spheres):
        return Uncovered(float(bool(len(faces))), float("inf") if len(faces) else 0.0)
    _, first = np.unique(faces, return_index=True)
    first = first[:: max(1, len(first) // _CORNERS)]
    triangles = vertices[faces]
    spread, owner = spread_mesh_points(triangles, _POINTS)
    points = np.concatenate([spread, vertices[faces.ravel()[first]]])
    owner = np.concatenate([owner, first // 3])
    normals = np.cross(
        triangles[owner, 1] - triangles[owner, 0], triangles[owner, 2] - triangles[owner, 0]
    )
    normals *= (
        _ASIDE
        * np.linalg.norm(np.ptp(points, axis=0))
        / np.maximum(np.linalg.norm(normals, axis=1), 1e-12)[:, None]
    )
    gaps = np.full(len(points), np.inf)
    for x, y, z, radius in spheres:
        np.minimum(gaps, np.sqrt(((points - (x, y, z)) ** 2).sum(axis=1)) - radius, out=gaps)
    is_open = gaps > _NEAR
    rows = np.flatnonzero(is_open[:_POINTS])
    share = len(rows) - np.count_nonzero(_is_within(points[rows], normals[rows], hidden_in))
    deepest = np.argsort(-gaps, kind="stable")[: min(_ASKED, int(is_open.sum()))]
    for start in range(0, len(deepest), _AT_A_TIME):
        rows = deepest[start : start + _AT_A_TIME]
        seen = rows[~_is_within(points[rows], normals[rows], hidden_in)]
        if len(seen):
            x, y, z = points[seen[0]].tolist()
            return Uncovered(float(share / _POINTS), float(gaps[seen[0]]), (x, y, z))
    return Uncovered(float(share / _POINTS), 0.0)


def _is_within(points: F64, normals: F64, shape: Triangles | None) -> np.ndarray:
    """Which points (n, 3) of a surface lie in a closed shape with both sides of it, which `normals`
    (n, 3) lead to."""
    if shape is None or not len(points) or not 0 < len(shape[1]) <= _FACES:
        return np.zeros(len(points), bool)
    turns = [np.abs(winding_number(points + side * normals, *shape)) for side in (-1, 1)]
    return np.asarray(np.minimum(*turns) > 0.5)
