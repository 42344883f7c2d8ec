"""Distances, angles and gaps between places: points of surfaces, centres of spheres, origins of frames."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Place:
    """A point (3,) in the base frame (metres); the outward `normal` (3,) of its face, the `radius` of its sphere."""

    point: Array
    normal: Array | None = None
    radius: float | None = None


@dataclass(frozen=True, slots=True)
class Distance:
    """Between two places: `length` and its parts `along` the axes of the base (metres).

    `gap`: between the surfaces of two spheres, negative when they overlap. `faces`: the angle between two faces, 0 to
    pi/2 (radians). None where a place has no sphere, or no face.
    """

    length: float
    along: tuple[float, float, float]
    gap: float | None = None
    faces: float | None = None


def distance(one: Place, other: Place) -> Distance:
    """From `one` to `other`."""
    x, y, z = (other.point - one.point).tolist()
    length = math.hypot(x, y, z)
    gap = None
    if one.radius is not None and other.radius is not None:
        gap = length - one.radius - other.radius
    faces = None
    if one.normal is not None and other.normal is not None:
        faces = _between(one.normal, other.normal)
        # Faces have two sides: parallel ones that look at each other are 0 apart.
        faces = min(faces, math.pi - faces)
    return Distance(length, (x, y, z), gap, faces)


def angle_at(corner: Place, one: Place, other: Place) -> float:
    """Radians, 0 to pi, between the ways from `corner` to two places. Raises ValueError where one is the corner."""
    arms = one.point - corner.point, other.point - corner.point
    if min(float(np.linalg.norm(arm)) for arm in arms) < 1e-9:
        raise ValueError("An angle needs three places that differ.")
    return _between(*arms)


def _between(one: Array, other: Array) -> float:
    # Exact near 0 and pi, where the arc cosine is not.
    return math.atan2(float(np.linalg.norm(np.cross(one, other))), float(one @ other))
