"""The coverage heat map: how deep each vertex is uncovered, or how far the union stands out
there."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from editor_app.core.arrays import F64
from editor_app.features.spheres.engine.compiled import compile_cached


class DeviationMap:
    """Per vertex (n) a signed distance in metres: positive how deep it is uncovered, negative how
    far the union of the spheres (k,4) stands out there (its depth inside the union). It follows a
    drag: ``update`` after a few spheres changed costs a fraction of a fresh map.

    Keeps for every vertex the nearest and the second nearest sphere; only vertices that lose their
    nearest ones are looked at again.
    """

    def __init__(self, vertices: npt.ArrayLike, spheres: npt.ArrayLike) -> None:
        self._points = np.ascontiguousarray(np.asarray(vertices, float).reshape(-1, 3).T)
        self.spheres: F64 = np.asarray(spheres, float).reshape(-1, 4).copy()
        n = self._points.shape[1]
        self.values: F64 = np.full(n, np.inf)
        self._nearest = np.full(n, -1, np.int32)
        self._all()

    def _all(self) -> None:
        if len(self.spheres):
            _fresh(self._points, self.spheres, self.values, self._nearest)
        else:
            self.values[:] = np.inf
            self._nearest[:] = -1

    def update(self, spheres: npt.ArrayLike) -> F64:
        """New values (n) for spheres (k,4); quick when only a few rows differ from before."""
        new = np.asarray(spheres, float).reshape(-1, 4).copy()
        if new.shape != self.spheres.shape:
            self.spheres = new
            self._all()
            return self.values
        changed = np.flatnonzero((new != self.spheres).any(1)).astype(np.int32)
        self.spheres = new
        if len(changed) == 0:
            return self.values
        if len(changed) > max(3, len(new) // 3):
            self._all()
        else:
            _patch(self._points, new, changed, self.values, self._nearest)
        return self.values


@compile_cached(fastmath=True)
def _fresh(points: np.ndarray, s: np.ndarray, values: np.ndarray, nearest: np.ndarray) -> None:
    n = points.shape[1]
    px, py, pz = points[0], points[1], points[2]
    for k in range(n):
        values[k] = 1e300
    for i in range(len(s)):
        cx, cy, cz, r = s[i, 0], s[i, 1], s[i, 2], s[i, 3]
        ii = np.int32(i)
        for k in range(n):
            dx, dy, dz = px[k] - cx, py[k] - cy, pz[k] - cz
            d = np.sqrt(dx * dx + dy * dy + dz * dz) - r
            less = d < values[k]
            values[k] = d if less else values[k]
            nearest[k] = ii if less else nearest[k]


@compile_cached(fastmath=True)
def _patch(
    points: np.ndarray, s: np.ndarray, changed: np.ndarray, values: np.ndarray, nearest: np.ndarray
) -> None:
    lost = np.zeros(len(s), np.bool_)
    for i in changed:
        lost[i] = True
    for k in range(points.shape[1]):
        if lost[nearest[k]]:
            best, arg = 1e300, np.int32(-1)
            for i in range(len(s)):
                dx, dy, dz = points[0, k] - s[i, 0], points[1, k] - s[i, 1], points[2, k] - s[i, 2]
                d = np.sqrt(dx * dx + dy * dy + dz * dz) - s[i, 3]
                if d < best:
                    best, arg = d, np.int32(i)
            values[k] = best
            nearest[k] = arg
        else:
            for i in changed:
                dx, dy, dz = points[0, k] - s[i, 0], points[1, k] - s[i, 1], points[2, k] - s[i, 2]
                d = np.sqrt(dx * dx + dy * dy + dz * dz) - s[i, 3]
                if d < values[k]:
                    values[k] = d
                    nearest[k] = i
