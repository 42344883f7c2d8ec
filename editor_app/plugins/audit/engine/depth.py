"""How deep two triangle meshes are in each other."""

from __future__ import annotations

import numpy as np

from editor_app.core.arrays import F64, I32
from editor_app.core.space.geometry.distance import compute_mesh_distances, winding_number
from editor_app.core.space.geometry.mesh import spread_mesh_points

#: Points of each surface that are compared, and triangles that they are compared with.
_POINTS, _NEAR_FACES = 400, 4000
#: A point is inside a mesh from this winding number on; an open mesh has no clear inside.
_INSIDE = 0.5

#: Vertices (n, 3) in metres, faces (m, 3).
Mesh = tuple[F64, I32]


def depth_of(first: Mesh, second: Mesh) -> float:
    """Return metres: the largest distance of a compared point of one surface, inside the other
    mesh, from its surface.

    Both meshes are in one frame. Vertices and points spread over the surface are compared, so the
    result is a lower bound; 0 where no such point is inside.
    """
    return max(_depth_in(first, second), _depth_in(second, first))


def _depth_in(body: Mesh, other: Mesh) -> float:
    vertices, faces = other
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    points = np.concatenate(
        [body[0][np.unique(body[1])], spread_mesh_points(body[0][body[1]], _POINTS)[0]]
    )
    points = points[((points > low) & (points < high)).all(axis=1)]
    if len(points) > _POINTS:
        points = points[:: len(points) // _POINTS + 1]
    if not len(points):
        return 0.0
    inside = points[np.abs(winding_number(points, vertices, faces)) > _INSIDE]
    return float(compute_mesh_distances(inside, vertices, faces).max(initial=0.0))
