"""What lies over the view, and the areas beside it: rectangles in pixels, y downwards."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

#: Share of the width and of the height that stays for the robot, also where cards lie over the rest.
LEAST = 0.5
#: Directions (2, n) in which a rectangle is told apart from what lies beside it.
_TURNS = np.linspace(0.0, np.pi, 24, endpoint=False)
_DIRECTIONS = np.stack([np.cos(_TURNS), np.sin(_TURNS)])
#: Pixels that roundings may cost.
_ROUNDING = 1.0


class Rectangle(NamedTuple):
    """Pixels of the view, from its upper left corner."""

    left: float
    top: float
    right: float
    bottom: float

    def holds(self, x: float, y: float) -> bool:
        return self.left <= x <= self.right and self.top <= y <= self.bottom

    @property
    def area(self) -> float:
        return (self.right - self.left) * (self.bottom - self.top)

    def meets(self, other: Rectangle) -> bool:
        """Whether the two have more than an edge in common."""
        across = min(self.right, other.right) - max(self.left, other.left)
        along = min(self.bottom, other.bottom) - max(self.top, other.top)
        return across > 0 and along > 0

    def over(self, margin: float) -> Rectangle:
        """`margin` times smaller, with the same middle."""
        x, y = (self.left + self.right) / 2, (self.top + self.bottom) / 2
        w, h = (self.right - self.left) / 2 / margin, (self.bottom - self.top) / 2 / margin
        return Rectangle(x - w, y - h, x + w, y + h)


def areas(covers: Iterable[Rectangle], width: float, height: float) -> set[Rectangle]:
    """Areas of the view to fit something into: the whole, and what is left when covers are kept out.

    A cover is kept out by one of its sides, or it may be that nothing comes to lie under it; each such choice of all
    covers is one area. At least `LEAST` of width and height are left.
    """
    insets = {(0.0, 0.0, 0.0, 0.0)}
    for cover in covers:
        insets |= {
            (max(a[0], b[0]), max(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3]))
            for a in insets
            for b in _ways_around(cover, width, height)
        }
    return {_without(inset, width, height) for inset in insets}


def _ways_around(cover: Rectangle, width: float, height: float) -> Iterator[tuple[float, float, float, float]]:
    """What is cut off (left, top, right, bottom) so that a cover is outside; ways that leave much come alone."""
    ways = [
        (cover.right / width, (cover.right, 0.0, 0.0, 0.0)),
        (cover.bottom / height, (0.0, cover.bottom, 0.0, 0.0)),
        (1.0 - cover.left / width, (0.0, 0.0, width - cover.left, 0.0)),
        (1.0 - cover.top / height, (0.0, 0.0, 0.0, height - cover.top)),
    ]
    cheap = [way for share, way in ways if share <= 1.0 - LEAST]
    yield from cheap or [min(ways)[1]]


def _without(inset: tuple[float, float, float, float], width: float, height: float) -> Rectangle:
    left, top, right, bottom = (max(pixels, 0.0) for pixels in inset)
    across = min(1.0, (1.0 - LEAST) * width / max(left + right, 1e-9))
    along = min(1.0, (1.0 - LEAST) * height / max(top + bottom, 1e-9))
    return Rectangle(left * across, top * along, width - right * across, height - bottom * along)


def are_clear(seen: Array, covers: Iterable[Rectangle]) -> bool:
    """Whether a line parts each cover from (n, 2) points: then nothing between the points lies under one either."""
    rectangles = list(covers)
    if not rectangles or not len(seen):
        return True
    along = seen @ _DIRECTIONS
    low, high = along.min(axis=0), along.max(axis=0)
    for left, top, right, bottom in rectangles:
        corners = np.array([[left, top], [right, top], [left, bottom], [right, bottom]]) @ _DIRECTIONS
        beside = (corners.min(axis=0) >= high - _ROUNDING) | (corners.max(axis=0) <= low + _ROUNDING)
        if not beside.any():
            return False
    return True
