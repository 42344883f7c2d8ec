"""How far the eye has to stand, and where it has to look, so that points come to lie in an area of the view."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from editor_app.gui.viewport.free_area import Rectangle

Array = NDArray[np.float64]


class Room(NamedTuple):
    """(n, 3) points and what stands out from each of them: (m, 3) arms, in pixels, as they are seen from in front."""

    points: Array
    arms: Array


class Bounds(NamedTuple):
    """Where the eye may be, along one axis, for each distance; offsets are counted from the middle of the first points.

    Two planes through the eye bound an area of the view; `low` and `high` are the tangents of their angles. A point at
    offset x and height z is between the planes of an eye at c and d: low (d - z) <= x - c <= high (d - z). Of each area
    `above` has the greatest x + high z of its points and `high`, `below` the least x + low z and `low`.
    """

    above: list[tuple[float, float]]
    below: list[tuple[float, float]]

    def nearest(self) -> float:
        """The least distance at which there is a place for the eye."""
        return max((a - b) / max(high - low, 1e-6) for a, high in self.above for b, low in self.below)

    def middle(self, distance: float) -> float:
        """Where the middle of the first points is seen in the middle of their area, or as near to that as all let."""
        least, most = ([a - slope * distance for a, slope in side] for side in (self.above, self.below))
        wanted = -distance * (self.above[0][1] + self.below[0][1]) / 2
        return min(max(wanted, *least), *most)


def bounds_of(
    rooms: Sequence[tuple[Array, Array, Rectangle]],
    half: tuple[float, float],
    size: tuple[float, float],
    *,
    parallel: bool,
) -> tuple[Bounds, Bounds]:
    """For points (n, 3), their arms (m, 3) in pixels, and the areas for them; `half`: tangents at the view's edges.

    Both in the axes of the view. An arm is as long on the screen from everywhere, so its end is at x + a (d - z), where
    a is a tangent: for the end to be below a plane the point has to be below one that is steeper.
    """
    bounds = Bounds([], []), Bounds([], [])
    for points, arms, area in rooms:
        heights = np.zeros(len(points)) if parallel else points[:, 2]
        left, right = ((2.0 * x / size[0] - 1.0) * half[0] for x in (area.left, area.right))
        top, bottom = ((1.0 - 2.0 * y / size[1]) * half[1] for y in (area.top, area.bottom))
        for x, y, z in arms * (2.0 * half[1] / size[1]):
            nearer = 1.0 if parallel else 1.0 - z
            for axis, low, high in (
                (0, left * nearer - x, right * nearer - x),
                (1, bottom * nearer - y, top * nearer - y),
            ):
                bounds[axis].above.append((float((points[:, axis] + high * heights).max()), high))
                bounds[axis].below.append((float((points[:, axis] + low * heights).min()), low))
    return bounds
