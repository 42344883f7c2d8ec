"""Spheres that add nothing: those within another one, and those that cover nothing that others do
not cover."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from editor_app.core.arrays import F64, Bools
from editor_app.features.spheres.engine import optimiser
from editor_app.features.spheres.engine.certificate import prove
from editor_app.features.spheres.engine.field import sample_field
from editor_app.features.spheres.engine.solid import ROUNDING, Solid
from editor_app.features.spheres.engine.surface import surface_distance

#: A file has six digits: what is this much short of being inside (metres) may be inside once it is
#: written.
WRITING = 6e-6
#: Pieces of triangles that the proof cuts no further, canonical frame.
_LEAF = 1e-3
#: Points within a sphere, by their share of its radius.
_WITHIN = (0.0, 0.6, 0.98)
_DIRECTIONS = optimiser.directions(32, 1)[0]


def without_contained(spheres: F64, others: F64 | None = None) -> F64:
    """The spheres (n,4: x, y, z, r in metres) without those that lie within another, or within one
    of `others`.

    A sphere that holds another but for rounding is grown by what is missing (at most `WRITING`), so
    that the union loses nothing. Of two equal ones the first stays.
    """
    if not len(spheres):
        return spheres
    kept = spheres.copy()
    held = np.zeros((0, 4)) if others is None else np.asarray(others, float).reshape(-1, 4)
    alive = np.ones(len(kept), bool)
    # From the smallest on: what is grown is larger, and comes later.
    for i in np.argsort(kept[:, 3], kind="stable"):
        center, radius = kept[i, :3], kept[i, 3]
        if (
            len(held)
            and (np.linalg.norm(held[:, :3] - center, axis=1) + radius <= held[:, 3]).any()
        ):
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


def superfluous(solid: Solid, spheres: npt.ArrayLike, *, allowed_depth: float = 0.0) -> list[int]:
    """Return rows of spheres (n,4, metres) that can be deleted, one after another, without
    uncovering surface or volume deeper than ``allowed_depth`` (m) that is covered now. The smallest
    first; at least one stays."""
    rows = np.asarray(spheres, float).reshape(-1, 4)
    return _superfluous([solid], rows, max(allowed_depth, 1e-7 * solid.diagonal), len(rows))


def _superfluous(solids: Sequence[Solid], s: F64, limit: float, count: int) -> list[int]:
    """As `superfluous`, of several solids, and of spheres (n,4) of which the first ``count`` may
    go. Metres."""
    points = np.concatenate([_points(solid, s) for solid in solids])
    holds = np.zeros((len(s), len(points)), bool)
    is_covered = np.zeros(len(points), bool)
    for row, (x, y, z, radius) in zip(holds, s, strict=True):
        gap = np.linalg.norm(points - (x, y, z), axis=1) - radius
        row[:] = gap <= limit
        is_covered |= gap <= 0
    holds = holds[:, is_covered]
    covers = holds.sum(0)
    out: list[int] = []
    # What is needed now is needed when others are gone.
    for i in np.argsort(s[:count, 3], kind="stable").tolist():
        if len(out) + 1 < len(s) and (covers[holds[i]] > 1).all():
            out.append(i)
            covers -= holds[i]
    return out


def _points(solid: Solid, spheres: F64) -> F64:
    """Points (n,3) of the surface of a solid, and of its volume as far as spheres (k,4) reach it.
    Metres."""
    s = solid.spheres_to_canonical(spheres)
    turns = [_DIRECTIONS[: len(_DIRECTIONS) if share else 1] * share for share in _WITHIN]
    volume = (s[:, None, :3] + s[:, None, 3:] * np.concatenate(turns)).reshape(-1, 3)
    is_inside = np.asarray(sample_field(solid.phi, solid.origin, solid.h, volume)) < 0
    points = np.vstack([solid.corners(), solid.samples[::2], volume[is_inside]])
    return np.asarray(points @ solid.turn * solid.diagonal + solid.centre)


def covers_alone(
    solid: Solid,
    spheres: F64,
    others: F64,
    triangles: F64 | None = None,
    parts: Sequence[Solid] = (),
) -> Bools:
    """Which of spheres (n,4) cover something of the solid, or of its parts, that none of the others
    does, nor of `others` (m,4), which stay. Metres.

    triangles (k,3,3; canonical frame): without the rest, no more of them are left without proof
    than with it.
    """
    every = np.vstack([spheres, others])
    shapes = solid.spheres_to_canonical(every)
    shapes[:, 3] += 2 * ROUNDING
    kept = np.ones(len(every), bool)
    for i in _superfluous(parts or (solid,), every, 1e-7 * solid.diagonal, len(spheres)):
        kept[i] = False
        if triangles is None:
            continue
        size = np.sqrt(((triangles[:, 1:] - triangles[:, :1]) ** 2).sum(2).max(1))
        far = np.sqrt(((triangles[:, 0] - shapes[i, :3]) ** 2).sum(1)) > shapes[i, 3] + size
        near = np.ascontiguousarray(triangles[~far])
        without = prove(near, shapes[kept], _LEAF)[0]
        kept[i] = True
        kept[i] = without > prove(near, shapes[kept], _LEAF)[0]
    return kept[: len(spheres)]


def has_contact(solid: Solid, spheres: F64) -> Bools:
    """Which of spheres (n,4) touch the solid or lie in it. Canonical frame."""
    centres = np.ascontiguousarray(spheres[:, :3])
    is_inside = np.asarray(sample_field(solid.phi, solid.origin, solid.h, centres)) < 0
    return is_inside | (surface_distance(solid, centres) <= spheres[:, 3])
