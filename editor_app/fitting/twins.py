"""Meshes that are each other's mirror image but for small differences, as left and right links that were drawn apart.

Such twins get one fit, to both surfaces laid over each other, so that their spheres are mirror images, too. What is
exactly alike is found by `alike`.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from editor_app.fitting.alike import Shape
from editor_app.fitting.results import Placement

Floats = npt.NDArray[np.float64]

#: How far the surfaces of twins may lie apart, in diagonals; and how much area and extent may differ.
_APART, _DIFFERENCE = 0.025, 0.08
#: Points on a surface that stand for it, and of them those that are measured.
_POINTS, _MEASURED = 30_000, 500


@dataclass(frozen=True, eq=False)
class Surface:
    """A mesh with points that are spread evenly over it (the same ones each time)."""

    shape: Shape

    @cached_property
    def points(self) -> Floats:
        triangles = self.shape.triangles
        twice = np.linalg.norm(np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]), axis=1)
        steps = np.cumsum(twice) / twice.sum()
        # The points of an additive recurrence (R2 sequence) leave no gaps as random ones do.
        n = np.arange(_POINTS)
        owner = np.minimum(np.searchsorted(steps, (n + 0.5) / _POINTS), len(triangles) - 1)
        u, v = (n * 0.7548776662466927) % 1.0, (n * 0.5698402909980532) % 1.0
        over = u + v > 1
        u, v = np.where(over, 1 - u, u), np.where(over, 1 - v, v)
        a, b, c = triangles[owner, 0], triangles[owner, 1], triangles[owner, 2]
        return np.asarray(a + u[:, None] * (b - a) + v[:, None] * (c - a))

    @cached_property
    def tree(self):  # type: ignore[no-untyped-def]
        from scipy.spatial import cKDTree

        return cKDTree(self.points)


def twin_placement(first: Surface, second: Surface) -> Placement | None:
    """The mirroring or half turn about the axes of the frame that lays the first mesh nearly onto the second; or None.

    Only what keeps the frame's origin counts: left and right links hang on joints that are mirror images.
    """
    a, b = first.shape, second.shape
    if a.area <= 0 or b.area <= 0 or abs(a.area - b.area) > _DIFFERENCE * max(a.area, b.area):
        return None
    if np.abs(a.values - b.values).max() > _DIFFERENCE * float(a.values.sum()):
        return None
    size = max(a.size, b.size)
    best: tuple[float, Placement] | None = None
    few = slice(None, None, max(1, _POINTS // _MEASURED))
    for signs in itertools.product((1.0, -1.0), repeat=3):
        turn = np.diag(signs)
        if np.abs(turn @ a.centre - b.centre).max() > _APART * size:
            continue
        # The points themselves lie apart by as much as they are spread.
        spread = 2 * np.sqrt(max(a.area, b.area) / _POINTS)
        to_second = second.tree.query(first.points[few] @ turn.T)[0]
        to_first = first.tree.query(second.points[few] @ turn)[0]
        apart = float(max(to_second.max(), to_first.max()))
        if apart > _APART * size + spread:
            continue
        mean = float(to_second.mean() + to_first.mean())
        if best is None or mean < best[0]:
            best = mean, Placement(turn, np.zeros(3))
    return best[1] if best is not None else None


def composed(first: Placement, second: Placement) -> Placement:
    """`first`, and then `second`."""
    return Placement(second.turn @ first.turn, second.turn @ first.shift + second.shift, first.error + second.error)


def laid_over(
    vertices: Floats, faces: npt.NDArray[np.int32], more: Floats, others: npt.NDArray[np.int32], place: Placement
) -> tuple[Floats, npt.NDArray[np.int32]]:
    """One mesh of a mesh and its twin `more`, `others`, which is moved back by `place` (first to second)."""
    back = (np.asarray(more, float) - place.shift) @ place.turn
    turned = np.asarray(others)
    if place.mirrored:
        turned = turned[:, ::-1]
    both = np.vstack([np.asarray(vertices, float), back])
    return both, np.vstack([np.asarray(faces), turned + len(vertices)]).astype(np.int32)
