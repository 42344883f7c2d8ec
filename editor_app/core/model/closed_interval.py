"""An interval of a joint that spheres close."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ClosedInterval:
    """Values of a joint (radians or metres) at which spheres overlap wherever the other joints
    stand.

    `by_meshes`: whether meshes touch there too, as far as seen; None where meshes were not
    compared. `pairs`: whose spheres overlap in parts of it.
    """

    lower: float
    upper: float
    by_meshes: bool | None
    pairs: tuple[tuple[str, str], ...]
