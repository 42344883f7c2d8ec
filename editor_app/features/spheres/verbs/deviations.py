"""The coverage heat map in numbers: how deep each spot of the links is uncovered, kept up while
spheres change."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from editor_app.core.arrays import F64, I32, I64
from editor_app.features.spheres.engine import deviation_map
from editor_app.features.spheres.engine.links import LinkMesh

#: Depths that scales end at (metres).
SCALES = (0.0005, 0.001, 0.002, 0.003, 0.005, 0.01, 0.015, 0.02, 0.03, 0.05, 0.1, 0.2, 0.5)
#: Triangles are cut until their edges are this share of the link's size, as long as there are not
#: too many.
_EDGE = 1 / 45
_MOST_VERTICES = 40_000


class SurfaceDeviations:
    """Signed depths (metres) at the vertices of links: positive uncovered, negative where spheres
    stand out."""

    def __init__(self) -> None:
        self._maps: dict[str, tuple[LinkMesh, deviation_map.DeviationMap]] = {}

    @staticmethod
    def load() -> None:
        """Compiles or loads the code, which takes a moment; to be called in a thread, before the
        first link."""
        spheres = np.array([[0.0, 0, 0, 1], [1, 0, 0, 1], [2, 0, 0, 1], [3, 0, 0, 1]])
        warm = deviation_map.DeviationMap(np.zeros((4, 3)), spheres)
        spheres[0, 0] = 0.1
        warm.update(spheres)

    @property
    def links(self) -> frozenset[str]:
        return frozenset(self._maps)

    def values(self, link: str) -> F64:
        """(n,) at the vertices that `add` gave. Raises KeyError."""
        return self._maps[link][1].values

    def has(self, mesh: LinkMesh) -> bool:
        """Return whether this very mesh of its link is known."""
        return mesh.link in self._maps and self._maps[mesh.link][0] is mesh

    def add(self, mesh: LinkMesh, spheres: F64) -> tuple[F64, I32]:
        """Vertices (n, 3) and faces (m, 3) of a link, fine enough for colours, with spheres (k, 4)
        of it."""
        vertices, faces = subdivided(mesh.vertices, mesh.faces)
        self._maps[mesh.link] = (mesh, deviation_map.DeviationMap(vertices, spheres))
        return vertices, faces

    def update(self, link: str, spheres: F64) -> None:
        """Other spheres (k, 4) of a link; quick where few of them differ."""
        self._maps[link][1].update(spheres)

    def drop(self, link: str) -> None:
        del self._maps[link]

    def clear(self) -> None:
        self._maps.clear()

    def scale(self) -> float:
        """The scale (metres) that nearly all depths are within."""
        depths = [np.abs(values[np.isfinite(values)]) for values in self._each()]
        finite = np.concatenate(depths) if depths else np.zeros(0)
        most = float(np.percentile(finite, 99)) if len(finite) else 0.0
        return next((s for s in SCALES if s >= most), SCALES[-1])

    def extremes(self) -> tuple[float, float]:
        """Smallest and greatest depth (metres); infinite where there is no sphere, 0 without
        links."""
        values = [v for v in self._each() if len(v)]
        if not values:
            return 0.0, 0.0
        return min(float(v.min()) for v in values), max(float(v.max()) for v in values)

    def _each(self) -> Iterator[F64]:
        return (deviation.values for _, deviation in self._maps.values())


def subdivided(vertices: NDArray[Any], faces: NDArray[Any]) -> tuple[F64, I32]:
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


def _halved(v: F64, f: I64, edge: float) -> tuple[F64, I32]:
    for _ in range(12):
        corners = v[f]
        lengths = np.linalg.norm(corners - np.roll(corners, -1, axis=1), axis=2)
        long = lengths.max(1) > edge
        if not long.any() or len(v) > 4 * _MOST_VERTICES:
            break
        # The longest edge is cut in the middle. Neighbours need not match: nothing moves, so there
        # is no gap.
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
