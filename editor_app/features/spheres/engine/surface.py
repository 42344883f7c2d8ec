"""Exact distances to the surface of a prepared solid, near and far: its field knows those near the
solid alone.

The triangles are the leaves of a binary tree of boxes: a point looks at few of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from editor_app.core.arrays import F64, I64
from editor_app.features.spheres.engine.compiled import compile_cached
from editor_app.features.spheres.engine.field import _closest_on_triangle, sample_field
from editor_app.features.spheres.engine.solid import Solid

#: Triangles of a leaf.
_LEAF = 8


def surface_distance(solid: Solid, points: F64) -> F64:
    """Return the distances (n) of points (n,3) to the outer triangles of a solid. Canonical
    frame."""
    return nearest_points(solid, points)[0]


def nearest_points(solid: Solid, points: F64) -> tuple[F64, F64]:
    """Return the distances (n) of points (n,3) to the outer triangles of a solid, and the nearest
    points (n,3) there.

    Canonical frame.
    """
    tree: Any = solid.cache.get("tree")
    if tree is None:
        tree = solid.cache["tree"] = _tree_of(solid.pieces[solid.outer])
    triangles, boxes = tree
    distances, places = _nearest(triangles, boxes, np.ascontiguousarray(points))
    return np.asarray(distances), np.asarray(places)


def outside_distance(solid: Solid, points: F64) -> F64:
    """Return how far points (n,3) lie outside a solid (n), 0 within. Canonical frame.

    The field decides on which side a point is. Next to an opening or a gap that was closed, which
    has no triangles, it gives the distance, too: as far as the grid reaches, and beyond it by way
    of the nearest cell of the grid.
    """
    field = np.asarray(sample_field(solid.phi, solid.origin, solid.h, np.ascontiguousarray(points)))
    distances, is_outside = np.zeros(len(points)), field > 0
    exact, field = surface_distance(solid, points[is_outside]), field[is_outside]
    distances[is_outside] = np.where(field < exact - 0.5 * solid.h, field, exact)
    return distances


def _tree_of(triangles: F64) -> tuple[F64, F64]:
    """Triangles (n,3,3) sorted so that neighbours are together, and boxes (k,6: low and high
    corners): the first is around all of them, and the halves of box i have boxes 2 i + 1 and 2 i +
    2."""
    middles = triangles.mean(1)
    low = middles.min(0)
    cells = ((middles - low) / max(float((middles.max(0) - low).max()), 1e-12) * 1023).astype(
        np.int64
    )
    triangles = np.ascontiguousarray(triangles[np.argsort(_interleaved(cells), kind="stable")])
    leaves = 1
    while leaves * _LEAF < len(triangles):
        leaves *= 2
    boxes = np.full((2 * leaves - 1, 6), np.inf)
    boxes[:, 3:] = -np.inf
    first = np.arange(0, len(triangles), _LEAF)
    filled = slice(leaves - 1, leaves - 1 + len(first))
    boxes[filled, :3] = np.minimum.reduceat(triangles.min(1), first)
    boxes[filled, 3:] = np.maximum.reduceat(triangles.max(1), first)
    while leaves > 1:
        halves = boxes[leaves - 1 : 2 * leaves - 1]
        leaves //= 2
        boxes[leaves - 1 : 2 * leaves - 1, :3] = np.minimum(halves[::2, :3], halves[1::2, :3])
        boxes[leaves - 1 : 2 * leaves - 1, 3:] = np.maximum(halves[::2, 3:], halves[1::2, 3:])
    return triangles, boxes


def _interleaved(cells: I64) -> I64:
    """Morton codes (n) of cells (n,3) below 1024."""
    code = np.zeros(len(cells), np.int64)
    for bit in range(10):
        for axis in range(3):
            code |= ((cells[:, axis] >> bit) & 1) << (3 * bit + axis)
    return code


@compile_cached(inline=True)
def _to_box(box: np.ndarray, p: np.ndarray) -> float:
    """Square of the distance of a point to a box."""
    square = 0.0
    for a in range(3):
        out = max(box[a] - p[a], p[a] - box[3 + a], 0.0)
        square += out * out
    return square


@compile_cached()
def _nearest(
    triangles: np.ndarray, boxes: np.ndarray, points: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    out = np.empty(len(points))
    places = np.empty((len(points), 3))
    inner = len(boxes) // 2
    stack = np.empty(64, np.int64)
    for i in range(len(points)):
        p = points[i]
        best = 1e30
        stack[0] = 0
        top = 1
        while top > 0:
            top -= 1
            k = stack[top]
            if _to_box(boxes[k], p) >= best:
                continue
            if k >= inner:
                first = (k - inner) * _LEAF
                for t in range(first, min(len(triangles), first + _LEAF)):
                    x, y, z = _closest_on_triangle(p[0], p[1], p[2], triangles[t])
                    square = (p[0] - x) ** 2 + (p[1] - y) ** 2 + (p[2] - z) ** 2
                    if square < best:
                        best = square
                        places[i, 0], places[i, 1], places[i, 2] = x, y, z
                continue
            near, far = 2 * k + 1, 2 * k + 2
            if _to_box(boxes[far], p) < _to_box(boxes[near], p):
                near, far = far, near
            stack[top], stack[top + 1] = far, near
            top += 2
        out[i] = np.sqrt(best)
    return out, places
