"""Meshes that are the same or each other's mirror image, by geometry: the order of vertices and
faces does not count.

Area moments of the surface (exact, whatever its triangulation) tell different shapes apart at once
and give the frames in which two shapes can coincide; then every vertex has to lie on a vertex of
the other mesh, and the triangles on its surface.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import cached_property

import numpy as np
import numpy.typing as npt

from editor_app.core.arrays import F64
from editor_app.core.space.geometry.distance import to_triangles
from editor_app.features.spheres.engine.results import Placement

#: How far vertices may lie apart: in diagonals, and in metres (files with six digits).
_TOLERANCE, _DIGITS = 1e-5, 2e-6
_FEW = 64
#: Triangles without a twin whose centres are measured, and to how many around them.
_MEASURED, _AROUND = 400, 48


IDENTITY = Placement(np.eye(3), np.zeros(3))


class ComparedMesh:
    """A mesh (vertices (n,3), faces (m,3), metres) and what of it does not depend on where it
    lies."""

    def __init__(self, vertices: npt.ArrayLike, faces: npt.ArrayLike) -> None:
        v = np.asarray(vertices, float).reshape(-1, 3)
        f = np.asarray(faces, np.int64).reshape(-1, 3)
        bad = len(f) > 0 and (int(f.min()) < 0 or int(f.max()) >= len(v))
        self.triangles: F64 = np.zeros((0, 3, 3)) if bad or not np.isfinite(v).all() else v[f]
        used = np.zeros(len(v), bool)
        if len(self.triangles):
            used[f.ravel()] = True
        #: Corners of triangles (k,3).
        self.points: F64 = v[used]
        t = self.triangles
        twice = np.linalg.norm(np.cross(t[:, 1] - t[:, 0], t[:, 2] - t[:, 0]), axis=1)
        self.area = float(twice.sum()) / 2
        self.centre: F64 = np.zeros(3)
        self.values: F64 = np.zeros(3)
        self.axes: F64 = np.eye(3)
        self.size = 0.0
        if self.area <= 0:
            return
        self.size = float(np.linalg.norm(np.ptp(self.points, axis=0)))
        share = twice / twice.sum()
        self.centre = share @ t.mean(1)
        c = t - self.centre
        total = c.sum(1)
        second = np.einsum("i,ija,ijb->ab", share, c, c) + np.einsum(
            "i,ia,ib->ab", share, total, total
        )
        self.values, axes = np.linalg.eigh(second / 12)
        self.axes = axes.T

    @cached_property
    def tree(self):  # type: ignore[no-untyped-def]
        from scipy.spatial import cKDTree

        return cKDTree(self.points)


def find_placement(first: ComparedMesh, second: ComparedMesh) -> Placement | None:
    """How the first mesh becomes the second, None when it does not; of several ways the simplest.

    Simple: the axes stay; then one is mirrored, two, three; then any turn or mirror image.
    """
    if first.area <= 0 or second.area <= 0:
        return None
    scale = float(first.values.sum())
    if (
        abs(first.area - second.area) > 1e-4 * first.area
        or np.abs(first.values - second.values).max() > 1e-4 * scale
    ):
        return None
    limit = min(max(_TOLERANCE * first.size, _DIGITS), 1e-3 * first.size)
    few = first.points[:: max(1, len(first.points) // _FEW)]
    for turn in _turns(first, second):
        shift = second.centre - turn @ first.centre
        # Frames that agree but for rounding agree.
        shift = np.where(np.abs(shift) <= limit, 0.0, shift)
        if second.tree.query(few @ turn.T + shift)[0].max() > limit:
            continue
        image = first.points @ turn.T + shift
        error = float(second.tree.query(image)[0].max())
        if error > limit:
            continue
        back = float(first.tree.query((second.points - shift) @ turn)[0].max())
        if back <= limit and _same_surface(
            first.triangles @ turn.T + shift, second.triangles, limit
        ):
            return Placement(turn, shift, max(error, back) if max(error, back) > 1e-9 else 0.0)
    return None


def _turns(first: ComparedMesh, second: ComparedMesh) -> Iterator[F64]:
    signs = sorted(
        itertools.product((1.0, -1.0), repeat=3),
        key=lambda axis_signs: sum(x < 0 for x in axis_signs),
    )
    for axis_signs in signs:
        yield np.diag(axis_signs)
    # In general: principal axes onto principal axes, first without mirroring. Round bodies have no
    # axes of their own.
    turns = [second.axes.T @ np.diag(axis_signs) @ first.axes for axis_signs in signs]
    for turn in sorted(turns, key=lambda turn: -np.linalg.det(turn).round()):
        near = np.round(turn)
        yield near if np.abs(turn - near).max() < 1e-3 else turn


def _same_surface(image: F64, triangles: F64, limit: float) -> bool:
    """Whether the centres of the triangles ``image`` lie on the surface of the others: on a twin's
    centre or, where flat faces were cut up in another way, at least on some triangle."""
    from scipy.spatial import cKDTree

    centres = image.mean(1)
    tree = cKDTree(triangles.mean(1))
    alone = centres[tree.query(centres)[0] > limit]
    if len(alone) == 0:
        return True
    alone = alone[:: max(1, len(alone) // _MEASURED)]
    around = tree.query(alone, k=list(range(1, min(_AROUND, len(triangles)) + 1)))[1]
    distances = to_triangles(alone[:, None], *np.moveaxis(triangles[around], 2, 0))
    return bool(distances.min(axis=1).max() <= 2 * limit)
