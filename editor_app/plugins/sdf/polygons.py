"""Polygons of the plane as solids: triangles by cutting off ears (Meisters 1975)."""

from __future__ import annotations

import numpy as np

from editor_app.core.arrays import F64
from editor_app.core.space.geometry.mesh import Faces, Vertices

#: The time grows with the square of the corners.
MOST_CORNERS = 2000


def extruded(outline: F64, height: float) -> tuple[Vertices, Faces] | None:
    """A prism over (n, 2) corners in metres, from z = 0 to `height`.

    None for no polygon, or one that crosses itself.
    """
    corners = outline.reshape(-1, 2)
    if len(corners) > 1 and np.allclose(corners[0], corners[-1]):
        corners = corners[:-1]
    triangles = _triangles(corners)
    if triangles is None or not height > 0:
        return None
    n = len(corners)
    if _area(corners) < 0:
        triangles = triangles[:, ::-1]
    rows = np.arange(n)
    following = (rows + 1) % n
    sides = np.concatenate(
        [
            np.column_stack((rows, following, following + n)),
            np.column_stack((rows, following + n, rows + n)),
        ]
    )
    if _area(corners) < 0:
        sides = sides[:, ::-1]
    below = np.column_stack((corners, np.zeros(n)))
    above = np.column_stack((corners, np.full(n, height)))
    # The triangles are counter-clockwise seen from above.
    faces = np.concatenate((triangles[:, ::-1], triangles + n, sides)).astype(np.int32)
    return np.concatenate((below, above)), faces


def _area(corners: F64) -> float:
    x, y = corners.T
    return float(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) / 2


def _triangles(corners: F64) -> Faces | None:
    """Indices (m, 3) of triangles that fill a polygon, each in the order of its corners."""
    if not 3 <= len(corners) <= MOST_CORNERS or not abs(_area(corners)) > 0:
        return None
    sign = 1.0 if _area(corners) > 0 else -1.0
    left = list(range(len(corners)))
    triangles = []
    while len(left) > 3:
        ear = next((i for i in range(len(left)) if _is_ear(corners, left, i, sign)), None)
        if ear is None:
            return None
        triangles.append((left[ear - 1], left[ear], left[(ear + 1) % len(left)]))
        del left[ear]
    triangles.append((left[0], left[1], left[2]))
    return np.array(triangles, dtype=np.int32)


def _is_ear(corners: F64, left: list[int], at: int, sign: float) -> bool:
    before, here, after = left[at - 1], left[at], left[(at + 1) % len(left)]
    a, b, c = corners[before], corners[here], corners[after]
    if _turn(a, b, c) * sign <= 0:
        return False
    others = corners[[i for i in left if i not in (before, here, after)]]
    turns = [sign * _turn(start, end, others.T) for start, end in ((a, b), (b, c), (c, a))]
    return not bool(np.any((turns[0] >= 0) & (turns[1] >= 0) & (turns[2] >= 0)))


def _turn(a: F64, b: F64, c: F64) -> float:
    """Twice the area of triangles a, b, c; positive where they turn left. `c` may be (2, n)."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])  # type: ignore[no-any-return]
