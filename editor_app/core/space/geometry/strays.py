"""Small parts of a mesh far away from the rest: triangles, screws and markers that a drawing left
behind."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from editor_app.core.arrays import F64, I32, I64
from editor_app.core.space.geometry.distance import compute_mesh_distances

#: A part is small, and far away, by these shares of the size of the largest part.
_SMALL, _FAR = 0.05, 0.25
#: Vertices of one place differ by less than this share of the size of the mesh.
_SAME_PLACE = 1e-6
#: Parts whose distance is computed, those with the farthest vertices.
_MOST_PARTS = 64


@dataclass(frozen=True, slots=True)
class Strays:
    """Small parts far from the rest. Metres.

    size: of the largest; distance: of the nearest; spot (3): where the farthest is.
    """

    count: int
    size: float
    distance: float
    spot: tuple[float, float, float]


def stray_parts(vertices: F64, faces: I32) -> Strays | None:
    """Return the stray parts of a mesh (v, 3; metres), (m, 3); None for a mesh without any."""
    if len(faces) < 2:
        return None
    owner = _part_of_faces(vertices, faces)
    order = np.argsort(owner, kind="stable")
    first = np.flatnonzero(np.diff(owner[order], prepend=-1))
    if len(first) < 2:
        return None
    corners = vertices[faces[order]]
    low = np.minimum.reduceat(corners.min(1), first)
    sizes = np.linalg.norm(np.maximum.reduceat(corners.max(1), first) - low, axis=1)
    is_small = sizes < _SMALL * sizes.max()
    rest = np.ascontiguousarray(faces[~is_small[owner]])
    limit = _FAR * float(sizes.max())
    places = corners[first, 0]
    # Here, because commands that merely name this module work without scipy.
    from scipy.spatial import cKDTree

    about = np.where(is_small, cKDTree(vertices[np.unique(rest)]).query(places)[0], 0.0)
    far = np.argsort(-about, kind="stable")[:_MOST_PARTS]
    far = far[about[far] > limit]
    distances = compute_mesh_distances(np.ascontiguousarray(places[far]), vertices, rest)
    far, distances = far[distances > limit], distances[distances > limit]
    if not len(far):
        return None
    x, y, z = places[far[0]].tolist()
    return Strays(len(far), float(sizes[far].max()), float(distances.min()), (x, y, z))


def _part_of_faces(vertices: F64, faces: I32) -> I64:
    """The number (m,) of the connected part of each face, from 0 on; vertices at one place are
    joined."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    low = vertices.min(0)
    step = float(np.linalg.norm(vertices.max(0) - low)) * _SAME_PLACE or 1.0
    cells = np.round((vertices - low) / step).astype(np.int64)
    joined = np.unique(
        (cells[:, 0] << 42) + (cells[:, 1] << 21) + cells[:, 2], return_inverse=True
    )[1]
    corners = joined.reshape(-1)[faces]
    count = int(corners.max()) + 1
    starts, ends = corners[:, :2].ravel(), corners[:, 1:].ravel()
    graph = coo_array((np.ones(len(starts), np.int8), (starts, ends)), shape=(count, count))
    labels = connected_components(graph, directed=False)[1]
    return np.unique(labels[corners[:, 0]], return_inverse=True)[1].reshape(-1).astype(np.int64)
