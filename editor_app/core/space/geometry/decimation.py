"""Coarse copies of meshes, for drawing while something moves."""

from __future__ import annotations

import numpy as np

from editor_app.core.arrays import F64, I32
from editor_app.core.space.geometry.distance import spread_points
from editor_app.core.space.geometry.mesh import weld_vertices

#: A coarse copy may leave out nothing that is further away from it than this share of the mesh's
#: diagonal.
FARTHEST = 0.03
#: Cells along the longest side where points are clustered, at least.
_CELLS = 28
#: Points on the mesh whose distance from the copy is looked at, and points that stand for the copy.
_PROBES, _SAMPLES = 1000, 12000
#: Fewer triangles than this do not look like anything.
_LEAST = 40


def decimated(vertices: F64, faces: I32, share: float) -> tuple[F64, I32]:
    """About `share` of the triangles of a mesh (n, 3), (m, 3) in metres, as vertices and faces.

    Edges are collapsed by quadric errors (Garland and Heckbert, 1997, in fast-simplification).
    Where a mesh is made of many loose pieces (pedestals and grippers out of CAD), this eats whole
    pieces, or cannot collapse them: then its points are clustered in a grid (Rossignac and Borrel,
    1993), which is rougher but leaves nothing out.
    """
    points, faces = weld_vertices(vertices, np.asarray(faces, np.int32))
    vertices = points.astype(float)
    wanted = max(int(len(faces) * share), _LEAST)
    if wanted >= len(faces) or not np.ptp(vertices, axis=0).any():
        return vertices, faces
    collapsed = _collapsed(vertices, faces, wanted)
    if len(collapsed[1]) < 1.5 * wanted and _holds(vertices, faces, *collapsed):
        return collapsed
    clustered = _clustered(vertices, faces, _CELLS)
    number = len(clustered[1])
    if number < 0.6 * wanted:
        # The triangles of a surface grow with the square of the cells.
        clustered = _clustered(
            vertices, faces, int(_CELLS * min(np.sqrt(wanted / max(number, 1)), 3.0))
        )
    return clustered if len(clustered[1]) else (vertices, faces)


def _collapsed(vertices: F64, faces: I32, wanted: int) -> tuple[F64, I32]:
    from fast_simplification import simplify  # not for the start of the window

    points, triangles = simplify(
        np.ascontiguousarray(vertices, np.float32),
        np.ascontiguousarray(faces),
        target_count=wanted,
        agg=6.0,
    )
    return points.astype(float), triangles.astype(np.int32)


def _holds(vertices: F64, faces: I32, points: F64, triangles: I32) -> bool:
    """Whether no part of the mesh is far from its copy (points, triangles), as far as points on
    both tell."""
    if not len(triangles):
        return False
    samples = spread_points(points, triangles, _SAMPLES)
    # Here, because the view imports this module before its first frame, and coarsens meshes later.
    from scipy.spatial import cKDTree

    distances = np.asarray(cKDTree(samples).query(spread_points(vertices, faces, _PROBES))[0])
    return bool(distances.max(initial=0.0) <= FARTHEST * np.linalg.norm(np.ptp(vertices, axis=0)))


def _clustered(vertices: F64, faces: I32, cells_along: int) -> tuple[F64, I32]:
    """All points of a cell of a grid as their mean; triangles that keep three corners, each
    once."""
    low = vertices.min(axis=0)
    side = np.ptp(vertices, axis=0).max() / cells_along
    cells = np.floor((vertices - low) / side).astype(np.int64)
    _, cell = np.unique(cells @ np.array((1, 1 << 20, 1 << 40)), return_inverse=True)
    count = np.bincount(cell)
    points = np.column_stack([np.bincount(cell, vertices[:, k]) / count for k in range(3)])
    triangles = cell[faces]
    a, b, c = triangles.T
    triangles = triangles[(a != b) & (b != c) & (c != a)]
    # From the smallest corner on: the same triangle may stand there several times, turned.
    turned = np.take_along_axis(
        triangles, (triangles.argmin(axis=1)[:, None] + np.arange(3)) % 3, axis=1
    )
    return points, np.unique(turned, axis=0).astype(np.int32)
