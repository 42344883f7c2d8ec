"""Spheres that stand out evenly where links meet, so that self-collision buffers can take it off
again.

Two frames may shrink together by the least overlap of their spheres while their meshes touch. One
thin place sets that bound for all others. A linear program lets single spheres grow by a few
millimetres where this frees more configurations than it refuses: spheres i of frame a and j of
frame b that meet deepest in a configuration in which the meshes touch ask for ``shrink[a] +
shrink[b] - growth[i] - growth[j] <= overlap - margin``.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from editor_app.core.arrays import F64, I64
from editor_app.plugins.motion.engine.buffer_program import BAND, SHARE
from editor_app.plugins.motion.engine.model import MotionModel
from editor_app.plugins.motion.engine.self_buffers import Thresholds

#: A sphere grows by no more than this, metres.
GROWTH = 0.008
#: Kept free of each overlap, metres: among many thin places that are made even, some were not seen.
_MARGIN = 0.003
#: Overlaps deeper than this bound nothing, metres.
_DEEP = 0.03
#: What a sphere's growth costs beside the configurations that it refuses: obstacles meet the
#: sphere, too.
_COST = 0.3
_ROUNDS = 3


def even_growth(
    model: MotionModel, thresholds: Thresholds, rows: Collection[int], fixed: Collection[str]
) -> F64:
    """By how much each sphere of the model (n,) grows, metres; all 0 where growth frees nothing.

    `rows`: pairs that count. `fixed`: frames whose spheres stay as they are.
    """
    from scipy.optimize import linprog
    from scipy.sparse import csr_matrix

    spheres = model.spheres
    frames, count = len(spheres.frames), len(spheres.spheres)
    growth = np.zeros(count)
    pairs = np.asarray(spheres.pairs, np.int64)
    spots, gaps = thresholds.near(model, rows)
    touching = _touch(thresholds, model, spots) & (gaps < 0.0) & (gaps > -_DEEP)
    free = ~thresholds.collides[spots[:, 0]]
    # Of two spheres the least overlap alone binds.
    least_first = np.flatnonzero(touching)[np.argsort(-gaps[touching], kind="stable")]
    binding = least_first[np.unique(spots[least_first, 2:], axis=0, return_index=True)[1]]
    bound, overlaps = spots[binding], -gaps[binding]
    spots, gaps = spots[free], gaps[free]
    if not len(bound) or not len(spots):
        return growth
    columns = np.column_stack([pairs[bound[:, 1]], frames + bound[:, 2:]]).ravel()
    signs = np.tile([1.0, 1.0, -1.0, -1.0], len(bound))
    # A frame shrinks by a share of its smallest radius: small spheres grow, so that their frame
    # can.
    owner = np.repeat(np.arange(frames), np.diff(spheres.starts))
    small = np.flatnonzero(spheres.spheres[:, 3] < _DEEP / SHARE)
    columns = np.concatenate([columns, np.column_stack([owner[small], frames + small]).ravel()])
    signs = np.concatenate([signs, np.tile([1.0, -SHARE], len(small))])
    lines = np.concatenate(
        [np.repeat(np.arange(len(bound)), 4), len(bound) + np.repeat(np.arange(len(small)), 2)]
    )
    room = np.concatenate([np.maximum(overlaps - _MARGIN, 0.0), SHARE * spheres.spheres[small, 3]])
    matrix: Any = csr_matrix((signs, (lines, columns)), shape=(len(room), frames + count))
    grows = np.repeat([frame not in fixed for frame in spheres.frames], np.diff(spheres.starts))
    limits = [
        *((0.0, _DEEP) for _ in range(frames)),
        *((0.0, GROWTH if each else 0.0) for each in grows.tolist()),
    ]
    shrink = np.zeros(frames)
    least = _refused(spots, gaps)
    trial = growth
    # What a millimetre is worth depends on where the thresholds come to lie: looked at again there.
    for _ in range(_ROUNDS):
        moved = gaps + shrink[pairs[spots[:, 1]]].sum(axis=1) - trial[spots[:, 2:]].sum(axis=1)
        near = spots[np.abs(moved) < BAND]
        gain = np.bincount(pairs[near[:, 1]].ravel(), minlength=frames) + 1e-3
        loss = np.bincount(near[:, 2:].ravel(), minlength=count) + _COST
        solution = linprog(np.concatenate([-gain, loss]), A_ub=matrix, b_ub=room, bounds=limits)
        if not solution.success:
            break
        shrink, trial = np.split(np.asarray(solution.x, float), [frames])
        refused = _refused(
            spots, gaps + shrink[pairs[spots[:, 1]]].sum(axis=1) - trial[spots[:, 2:]].sum(axis=1)
        )
        if refused < least:
            growth, least = trial, refused
    return growth


def _refused(spots: I64, gaps: F64) -> int:
    """Configurations in which any gap is negative."""
    return len(np.unique(spots[gaps < 0.0, 0]))


def _touch(
    thresholds: Thresholds, model: MotionModel, spots: I64
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """(m,) whether the meshes of a spot's own pair touch in its configuration."""
    touch = np.zeros((len(thresholds.values), model.row_count), bool)
    for pair, configurations in thresholds.touched.items():
        if pair in model.spheres.pair_index:
            touch[configurations, model.spheres.pair_index[pair]] = True
    return np.asarray(touch[spots[:, 0], spots[:, 1]])
