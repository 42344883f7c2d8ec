"""Spheres that add nothing because another one of the same link holds them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

#: A file has six digits: what is this much short of being inside (metres) may be inside once it is written.
WRITING = 6e-6


def without_superfluous(spheres: Floats, others: Floats | None = None) -> Floats:
    """The spheres (n,4: x, y, z, r in metres) without those that lie within another, or within one of `others`.

    A sphere that holds another but for rounding is grown by what is missing (at most `WRITING`), so that the union
    loses nothing. Of two equal ones the first stays.
    """
    if not len(spheres):
        return spheres
    kept = spheres.copy()
    held = np.zeros((0, 4)) if others is None else np.asarray(others, float).reshape(-1, 4)
    alive = np.ones(len(kept), bool)
    # From the smallest on: what is grown is larger, and comes later.
    for i in np.argsort(kept[:, 3], kind="stable"):
        center, radius = kept[i, :3], kept[i, 3]
        if len(held) and (np.linalg.norm(held[:, :3] - center, axis=1) + radius <= held[:, 3]).any():
            alive[i] = False
            continue
        needed = np.linalg.norm(kept[:, :3] - center, axis=1) + radius
        holds = alive & (needed <= kept[:, 3] + WRITING)
        holds[i] = False
        if holds.any():
            outer = int(np.flatnonzero(holds)[np.argmin((needed - kept[:, 3])[holds])])
            kept[outer, 3] = max(kept[outer, 3], needed[outer])
            alive[i] = False
    return kept[alive]
