"""What a section leaves: one side of a plane, and the part of a ray that lies there."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from editor_app.gui.viewport.camera import Array, Ray


@dataclass(frozen=True, slots=True, eq=False)
class HalfSpace:
    """Points p with `normal` (3,) of length 1 and normal @ p >= `offset` (metres), in the base frame."""

    normal: Array
    offset: float

    def heights(self, points: Array) -> NDArray[np.float64]:
        """(n, 3) points -> (n,) metres above the plane; below zero is cut away."""
        above: NDArray[np.float64] = points @ self.normal - self.offset
        return above

    def seen_from(self, view: Array) -> tuple[list[float], float]:
        """Normal (3,) and offset in the coordinates of a camera; `view` (4, 4) leads there from the base frame."""
        normal = view[:3, :3] @ self.normal
        return normal.tolist(), self.offset + float(normal @ view[:3, 3])

    def span(self, ray: Ray) -> tuple[float, float] | None:
        """Distances between which the ray lies on this side; None when it never does."""
        slope = float(self.normal @ ray.direction)
        height = float(self.normal @ ray.origin) - self.offset
        if abs(slope) < 1e-12:
            return (0.0, math.inf) if height >= 0.0 else None
        crossing = -height / slope
        if slope > 0.0:
            return max(0.0, crossing), math.inf
        return (0.0, crossing) if crossing > 0.0 else None
