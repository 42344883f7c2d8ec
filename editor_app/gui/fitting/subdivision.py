"""Finer triangles for the heat map: colours are interpolated between vertices."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Triangles are cut until their edges are this share of the link's size, as long as there are not too many.
_EDGE = 1 / 45
_MOST_VERTICES = 40_000


def subdivided(vertices: NDArray[Any], faces: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Finer triangles where edges are long, by halving edges."""
    v, f = np.asarray(vertices, float), np.asarray(faces, np.int64)
    if not len(f):
        return v, f.astype(np.int32)
    size = float(np.linalg.norm(np.ptp(v, axis=0)))
    for limit in (_EDGE, 2 * _EDGE, 4 * _EDGE):
        fine = _halved(v, f, limit * size)
        if len(fine[0]) <= max(_MOST_VERTICES, 2 * len(v)):
            return fine
    return v, f.astype(np.int32)


def _halved(v: NDArray[np.float64], f: NDArray[np.int64], edge: float) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    for _ in range(12):
        corners = v[f]
        lengths = np.linalg.norm(corners - np.roll(corners, -1, axis=1), axis=2)
        long = lengths.max(1) > edge
        if not long.any() or len(v) > 4 * _MOST_VERTICES:
            break
        # The longest edge is cut in the middle. Neighbours need not match: nothing moves, so there is no gap.
        first = lengths[long].argmax(1)
        rows = np.arange(len(first))
        t = f[long]
        a, b, c = t[rows, first], t[rows, (first + 1) % 3], t[rows, (first + 2) % 3]
        pairs = np.sort(np.stack([a, b], 1), axis=1)
        unique, inverse = np.unique(pairs, axis=0, return_inverse=True)
        middle = len(v) + inverse.ravel()
        v = np.vstack([v, v[unique].mean(1)])
        f = np.vstack([f[~long], np.stack([a, middle, c], 1), np.stack([middle, b, c], 1)])
    return v, f.astype(np.int32)
