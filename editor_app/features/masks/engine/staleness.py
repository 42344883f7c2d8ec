"""Effect of an edit of the robot on an analysis: the pairs that it concerns, and the proofs that
still hold."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from editor_app.core.arrays import F64
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.progress import Progress, silent
from editor_app.features.masks.engine.analysis import analyse, taken_over
from editor_app.features.masks.engine.chains import Chain, build_chain
from editor_app.features.masks.engine.live import LiveDistances
from editor_app.features.masks.engine.model import SphereModel
from editor_app.features.masks.engine.results import Analysis

#: Differences of chains (metres, radians) that do not count as a change: rounding of the same
#: numbers.
SAME = 1e-12


class Effect(StrEnum):
    """The effect of a change on a pair."""

    UNCHANGED = "unchanged"
    #: The numbers are out of date, but the proof holds, with `margin` metres of its clearance left.
    STILL_PROVEN = "still proven"
    STALE = "stale"
    #: The pair was not there before.
    NEW = "new"


@dataclass(frozen=True, slots=True)
class PairEffect:
    """`growth`: by how much the spheres of both frames reach further than before, metres (0:
    nowhere), together."""

    effect: Effect
    growth: float = 0.0
    margin: float | None = None


def affected_pairs(
    old: SphereModel, new: SphereModel, certified: Mapping[LinkPair, float] | None = None
) -> dict[LinkPair, PairEffect]:
    """The effect of going from `old` to `new` on every pair of `new`; `certified`: proven
    clearances in metres.

    A pair is unchanged when its spheres, the chain of joints between its frames and their limits
    are. A proof survives when every new sphere lies within an old one of its frame that is inflated
    by g, the g of both frames together are less than the proven clearance, and joints, which may
    only have lost range, move as before.
    """
    proven = certified or {}
    growths = {name: _growth(old, new, name) for name in new.frames if name in old.index}
    chains: dict[tuple[int, int, int, int], _Motion] = {}
    still = old.moves_like(new)
    untouched = PairEffect(Effect.UNCHANGED)
    # All pairs of two quiet frames, when nothing but spheres differs: most pairs of most edits.
    quiet_frames = np.array([name in growths and growths[name].same for name in new.frames], bool)
    same = still and np.array_equal(old.relation, new.relation)
    settled: list[bool] = (np.all(quiet_frames[new.pairs], axis=1) & same).tolist()
    effects: dict[LinkPair, PairEffect] = {}
    for row, (pair, is_settled) in enumerate(zip(new.link_pairs, settled, strict=True)):
        if is_settled:
            effects[pair] = untouched
            continue
        before = old.pair_index.get(pair)
        if before is None:
            effects[pair] = PairEffect(Effect.NEW)
            continue
        motion = _Motion.SAME if still else _motion(old, before, new, row, chains)
        one, other = growths[pair.first], growths[pair.second]
        quiet = one.same and other.same and old.relation[before] == new.relation[row]
        if motion is _Motion.SAME and quiet:
            effects[pair] = untouched
            continue
        growth = max(0.0, one.reach) + max(0.0, other.reach)
        clearance = proven.get(pair)
        if motion is not _Motion.OTHER and clearance is not None and growth < clearance:
            effects[pair] = PairEffect(Effect.STILL_PROVEN, growth, clearance - growth)
        else:
            effects[pair] = PairEffect(Effect.STALE, growth)
    return effects


def carry_over(analysis: Analysis, model: SphereModel) -> Analysis:
    """Carry `analysis` over to an edited robot: quick (milliseconds), so that the window can follow
    a drag.

    Untouched pairs keep everything. Others are marked stale, keep a surviving proof with what is
    left of its clearance, and have their clearance at the default and at their witness computed
    anew.
    """
    old = analysis.model
    proven = {
        pair: float(value)
        for pair, value in zip(old.link_pairs, analysis.certified.tolist(), strict=True)
        if not math.isnan(value)
    }
    effects = affected_pairs(old, model, proven)
    changed = [
        row
        for row, pair in enumerate(model.link_pairs)
        if effects[pair].effect is not Effect.UNCHANGED
    ]
    fresh = taken_over(analysis, model, np.zeros(0, np.int64))
    live = LiveDistances(model)
    clearance, nearest = live.clearance.copy(), live.nearest.copy()
    for row in changed:
        margin = effects[model.link_pairs[row]].margin
        live.set_values(fresh.witness[row], np.array([row]))
        fresh.clearance_min[row], fresh.nearest[row] = live.clearance[row], live.nearest[row]
        fresh.certified[row] = np.nan if margin is None else margin
        fresh.stale[row] = True
    # The default configuration may be another one, whatever else changed.
    fresh.clearance_default[:] = clearance
    worse = clearance < fresh.clearance_min
    fresh.clearance_min[worse], fresh.nearest[worse] = clearance[worse], nearest[worse]
    fresh.witness[worse] = model.default
    return replace(fresh, complete=analysis.complete)


def refresh(analysis: Analysis, model: SphereModel, on_progress: Progress = silent) -> Analysis:
    """`analysis` brought up to date with an edited robot: only the pairs that the edit concerns are
    examined again."""
    carried = carry_over(analysis, model)
    rows = np.flatnonzero(carried.stale)
    if not len(rows):
        return carried
    return analyse(model, analysis.settings, on_progress, previous=carried, rows=rows)


class _Motion(StrEnum):
    SAME = "same"
    #: The same joints with less range.
    LESS = "less"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class _Growth:
    same: bool
    reach: float


def _growth(old: SphereModel, new: SphereModel, name: str) -> _Growth:
    """By how much the spheres of a frame (in the frame itself) must be inflated to hold the new
    ones."""
    one, other = _local(old, name), _local(new, name)
    if one.shape == other.shape and np.array_equal(one, other):
        return _Growth(True, 0.0)
    gaps = (
        np.linalg.norm(other[:, None, :3] - one[None, :, :3], axis=2)
        + other[:, None, 3]
        - one[None, :, 3]
    )
    return _Growth(False, float(gaps.min(axis=1).max()) + 1e-12)


def _local(model: SphereModel, name: str) -> F64:
    i = model.index[name]
    spheres = model.spheres[model.starts[i] : model.starts[i + 1]].copy()
    pose = model.frame_pose[i]
    spheres[:, :3] = (spheres[:, :3] - pose[:, 3]) @ pose[:, :3]
    return np.round(spheres, 12)


def _motion(
    old: SphereModel,
    before: int,
    new: SphereModel,
    row: int,
    motions: dict[tuple[int, int, int, int], _Motion],
) -> _Motion:
    """How the relative motion of two frames changed."""
    i, j = new.pairs[row].tolist()
    m, n = (old.index[new.frames[i]], old.index[new.frames[j]])
    if not (
        np.allclose(old.frame_pose[m], new.frame_pose[i], rtol=0.0, atol=SAME)
        and np.allclose(old.frame_pose[n], new.frame_pose[j], rtol=0.0, atol=SAME)
    ):
        return _Motion.OTHER
    key = (
        int(old.frame_body[m]),
        int(old.frame_body[n]),
        int(new.frame_body[i]),
        int(new.frame_body[j]),
    )
    if key not in motions:
        motions[key] = _compare(
            old, build_chain(old, before), new, build_chain(new, row), old.pairs[before][0] == m
        )
    return motions[key]


def _compare(
    old: SphereModel, one: Chain | None, new: SphereModel, other: Chain | None, same_order: bool
) -> _Motion:
    if one is None or other is None:
        return _Motion.SAME if one is other else _Motion.OTHER
    if not same_order or one.links.shape != other.links.shape:
        return _Motion.OTHER
    if [old.variables[k] for k in one.variables] != [new.variables[k] for k in other.variables]:
        return _Motion.OTHER
    alike = all(
        np.allclose(a, b, rtol=0.0, atol=SAME)
        for a, b in (
            (one.links, other.links),
            (one.gain, other.gain),
            (one.shift, other.shift),
            (one.sliding, other.sliding),
            (one.variable, other.variable),
        )
    )
    if not alike:
        return _Motion.OTHER
    ranges_old = old.lower[list(one.variables)], old.upper[list(one.variables)]
    ranges_new = new.lower[list(other.variables)], new.upper[list(other.variables)]
    if np.array_equal(ranges_old[0], ranges_new[0]) and np.array_equal(
        ranges_old[1], ranges_new[1]
    ):
        return _Motion.SAME
    if (ranges_new[0] >= ranges_old[0]).all() and (ranges_new[1] <= ranges_old[1]).all():
        return _Motion.LESS
    return _Motion.OTHER
