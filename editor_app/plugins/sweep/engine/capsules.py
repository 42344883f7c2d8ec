"""Capsules that contain what spheres sweep on straight lines in joint space.

A centre moves on a curve c(s), s from 0 to 1. It stays within max |c''| / 8 of the chord between
its ends, so that the sphere stays in the capsule around the chord whose radius is larger by that.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from editor_app.core.arrays import F64
from editor_app.plugins.margins.engine.bounds import BufferedSpheres, sphere_motion
from editor_app.plugins.margins.engine.columns import Columns

#: Pieces that are looked at together, and how often one is halved.
_TOGETHER, _DIVISIONS = 512, 20
#: Metres that rounding takes at most.
_SLACK = 1e-9


def swept_capsules(
    columns: Columns,
    spheres: BufferedSpheres,
    values: F64,
    steps: F64,
    excess: float,
    stop: Callable[[], object],
) -> tuple[F64, float]:
    """(m, 7) ends and radii of capsules that contain the spheres of a frame, and what they add to a
    radius at most.

    The frame moves on straight lines in joint space, from each of `values` (n, independent joints)
    along `steps` (n, independent joints). No capsule adds more than `excess` metres, if 20 halvings
    of a line suffice. `stop` is called between steps, and may raise.
    """
    chain = columns.chain(spheres.frame)
    index, begins, size = np.arange(len(steps)), np.zeros(len(steps)), 1.0
    parts: list[F64] = []
    most = 0.0
    for division in range(_DIVISIONS + 1):
        again: list[np.ndarray] = []
        for start in range(0, len(index), _TOGETHER):
            stop()
            some, at = index[start : start + _TOGETHER], begins[start : start + _TOGETHER]
            spans = 0.5 * size * steps[some]
            middle = values[some] + (at + 0.5 * size)[:, None] * steps[some]
            bound = sphere_motion(
                columns, spheres, chain, columns.state(middle), np.abs(spans @ columns.rates.T)
            )
            # The second derivative along half of the piece; along all of it four times as much.
            added = 0.5 * bound.second
            is_fine = (added <= excess).all(axis=1) | (division == _DIVISIONS)
            ends = [
                spheres.at(columns.state(middle[is_fine] + sign * spans[is_fine]).poses)
                for sign in (-1.0, 1.0)
            ]
            radii = spheres.radii + added[is_fine] + _SLACK
            parts.append(np.concatenate([*ends, radii[..., None]], axis=2).reshape(-1, 7))
            most = max(most, float(added[is_fine].max(initial=0.0)))
            again.append(np.flatnonzero(~is_fine) + start)
        open_pieces = np.concatenate(again)
        if not len(open_pieces):
            break
        size *= 0.5
        begins = np.concatenate([begins[open_pieces], begins[open_pieces] + size])
        index = np.concatenate([index[open_pieces], index[open_pieces]])
    capsules = np.concatenate(parts)
    # A link that stands still has the same capsule on every piece.
    return np.unique(np.round(capsules, 12), axis=0), most


def spheres_in(capsules: F64, excess: float) -> F64:
    """(s, 4) spheres that contain the capsules; none has a radius larger by more than `excess`
    metres.

    Spheres of radius R at distances d, from one end to the other, contain the capsule of radius r
    if R² >= r² + (d / 2)².
    """
    starts, ends, radii = capsules[:, :3], capsules[:, 3:6], capsules[:, 6]
    lengths = np.linalg.norm(ends - starts, axis=1)
    widest = 2.0 * np.sqrt(excess * (2.0 * radii + excess))
    steps = np.ceil(lengths / widest).astype(np.int64)
    counts = steps + 1
    rows = np.repeat(np.arange(len(capsules)), counts)
    place = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    share = place / np.maximum(1, steps)[rows]
    centres = starts[rows] + share[:, None] * (ends[rows] - starts[rows])
    grown = np.sqrt(radii**2 + (0.5 * lengths / np.maximum(1, steps)) ** 2)[rows]
    return np.unique(np.column_stack([centres, grown]), axis=0)
