"""A closed surface around capsules: a distance on a grid, and marching tetrahedra.

The distance f from the capsules changes by at most one metre per metre. Interpolated in a
tetrahedron of a cell of width h, it differs from f by at most sqrt(3) / 2 h, the radius of the
sphere through the corners of the cell. So the surface where it is `LEVEL` h contains every point
with f <= 0, and no point of it is farther away than `EXCESS` h. Corners of the surface keep a
hundredth of an edge away from the grid's, which `LEVEL` counts, so that no triangle vanishes.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np

from editor_app.core.arrays import F64, I64

#: In cells: the value of the surface, and how far it is from the capsules at most.
LEVEL = 0.91
EXCESS = LEVEL + 0.88
#: In cells: how far from the capsules the distance is computed. A neighbour of a corner inside is
#: nearer.
_FAR = LEVEL + 1.74
_EDGE = 0.01


def grid_of(capsules: F64, cell: float) -> tuple[F64, tuple[int, int, int]]:
    """The corner (3,) and the number of points along each axis of a grid around capsules (m, 7)."""
    radii = capsules[:, 6:7]
    lower = (
        np.minimum(capsules[:, :3] - radii, capsules[:, 3:6] - radii).min(axis=0)
        - (_FAR + 1.0) * cell
    )
    upper = (
        np.maximum(capsules[:, :3] + radii, capsules[:, 3:6] + radii).max(axis=0)
        + (_FAR + 1.0) * cell
    )
    nx, ny, nz = (np.ceil((upper - lower) / cell).astype(int) + 1).tolist()
    return lower, (nx, ny, nz)


def distance_grid(
    capsules: F64,
    corner: F64,
    shape: tuple[int, int, int],
    cell: float,
    tick: Callable[[float], object],
) -> np.ndarray:
    """(nx, ny, nz) distances in cells from the nearest capsule, where they are less than a few
    cells."""
    field = np.full(shape, _FAR, np.float32)
    for number, (ax, ay, az, bx, by, bz, radius) in enumerate(capsules.tolist()):
        if number % 256 == 0:
            tick(number / len(capsules))
        a, b = np.array([ax, ay, az]), np.array([bx, by, bz])
        reach = radius + _FAR * cell
        first = np.maximum(0, np.floor((np.minimum(a, b) - reach - corner) / cell).astype(int))
        last = np.minimum(
            np.array(shape), np.ceil((np.maximum(a, b) + reach - corner) / cell).astype(int) + 1
        )
        x, y, z = (corner[k] + cell * np.arange(first[k], last[k]) - a[k] for k in range(3))
        x, y, z = x[:, None, None], y[None, :, None], z[None, None, :]
        axis = b - a
        square = float(axis @ axis)
        along = np.zeros((1, 1, 1))
        if square > 0.0:
            along = np.clip((x * axis[0] + y * axis[1] + z * axis[2]) / square, 0.0, 1.0)
        gap = (
            np.sqrt(
                (x - along * axis[0]) ** 2 + (y - along * axis[1]) ** 2 + (z - along * axis[2]) ** 2
            )
            - radius
        )
        block = field[first[0] : last[0], first[1] : last[1], first[2] : last[2]]
        np.minimum(block, gap / cell, out=block, casting="same_kind")
    return field


def closed_surface(field: np.ndarray, corner: F64, cell: float) -> tuple[F64, I64]:
    """Vertices (n, 3) in metres and faces (m, 3), outwards, of the surface where `field` is
    LEVEL."""
    is_inside = field < LEVEL
    strides = np.array([field.shape[1] * field.shape[2], field.shape[2], 1])
    low = is_inside[:-1, :-1, :-1].copy()
    high = low.copy()
    for x, y, z in itertools.product((0, 1), repeat=3):
        part = is_inside[
            x : field.shape[0] - 1 + x, y : field.shape[1] - 1 + y, z : field.shape[2] - 1 + z
        ]
        low &= part
        high |= part
    cells = np.argwhere(high & ~low) @ strides
    flat, inside = field.ravel(), is_inside.ravel()
    triangles: list[np.ndarray] = []
    for order in itertools.permutations(range(3)):
        steps = np.cumsum([0, *strides[list(order)]])
        corners = cells[:, None] + steps
        # A tetrahedron of an odd order is the mirror image of one of an even order.
        is_odd = order in ((0, 2, 1), (1, 0, 2), (2, 1, 0))
        triangles += _cut(corners, inside[corners], is_odd=is_odd)
    edges = np.concatenate(triangles) if triangles else np.zeros((0, 3, 2), np.int64)
    edges = np.sort(edges, axis=2)
    keys, faces = np.unique(edges[..., 0] * flat.size + edges[..., 1], return_inverse=True)
    ends = np.stack([keys // flat.size, keys % flat.size], axis=1)
    values = flat[ends].astype(float)
    share = np.clip((LEVEL - values[:, 0]) / (values[:, 1] - values[:, 0]), _EDGE, 1.0 - _EDGE)
    places = np.stack(np.unravel_index(ends, field.shape), axis=-1).astype(float)
    points = places[:, 0] + share[:, None] * (places[:, 1] - places[:, 0])
    return corner + cell * points, np.asarray(faces.reshape(-1, 3), np.int64)


def _cut(corners: I64, inside: np.ndarray, *, is_odd: bool) -> list[np.ndarray]:
    """Triangles (n, 3, 2), each corner an edge (corner, corner) of a tetrahedron (t, 4) that the
    surface cuts."""
    result: list[np.ndarray] = []
    code = inside @ np.array([1, 2, 4, 8])
    for case in range(1, 15):
        rows = corners[code == case]
        if not len(rows):
            continue
        chosen = [k for k in range(4) if case >> k & 1]
        others = [k for k in range(4) if not case >> k & 1]
        if len(chosen) == 2:
            (a, b), (c, d) = chosen, others
            polygons = [((a, c), (a, d), (b, d)), ((a, c), (b, d), (b, c))]
            is_even = _is_even((a, b, c, d))
        elif len(chosen) == 1:
            a, (b, c, d) = chosen[0], others
            polygons = [((a, b), (a, c), (a, d))]
            is_even = _is_even((a, b, c, d))
        else:
            a, (b, c, d) = others[0], chosen
            polygons = [((a, b), (a, d), (a, c))]
            is_even = _is_even((a, b, c, d))
        for polygon in polygons:
            turned = polygon if is_even != is_odd else polygon[::-1]
            result.append(np.stack([rows[:, list(edge)] for edge in turned], axis=1))
    return result


def _is_even(order: tuple[int, ...]) -> bool:
    return sum(a > b for k, a in enumerate(order) for b in order[k + 1 :]) % 2 == 0
