"""Self-collision buffers with which spheres decide as the meshes do.

Spheres that cover a link stand out from it, and refuse configurations in which no meshes touch. The buffer of a frame
changes the radii of its spheres for self-collision alone, so the spheres that obstacles meet keep their coverage. Two
frames a and b may shrink together by the least overlap that their spheres have while their meshes touch:
``shrink[a] + shrink[b] <= overlap[a, b]`` for each pair that touches. Among these shrinks a linear program finds those
that free the most configurations; a frame that refuses little may grow, so that its neighbours can shrink.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from editor_app.model.xrdf import LinkPair
from editor_app.motion.mesh_motion import MeshMotion
from editor_app.motion.model import MotionModel
from editor_app.motion.verdicts import CHUNK, colliding_rows
from editor_app.self_collision.types import F64, I64

#: Kept free of the least overlap that was seen, metres: the sample and the search do not see the very least.
MARGIN = 0.001
#: A frame grows by no more than this, metres.
GROWTH = 0.015
#: Of the smallest radius of a frame, the share that may be taken away: XRDF wants radius + buffer > 0.
SHARE = 0.5
#: Buffers are written in steps of this, metres.
STEP = 1e-4
#: Refusals within this of a pair's threshold tell what a shrink is worth, metres.
_BAND = 0.006
#: A least overlap below this is the edge of a place where spheres miss what the meshes touch, metres.
_EDGE = 5e-4
#: Spheres of a pair that overlap in this share of the free configurations overlap most of the time.
_USUAL = 0.4
#: How many of the touching configurations with the least overlap the search starts from, and its rounds.
_STARTS, _TRIES, _ROUNDS = 12, 16, 7

Tick = Callable[[float, str], None]
Pairing = Mapping[int, int]


@dataclass(frozen=True, slots=True)
class Bound:
    """What a pair allows: `frames`, and the least overlap of their spheres while their meshes touch, metres."""

    frames: tuple[str, str]
    overlap: float


def _quiet(fraction: float, sentence: str) -> None:
    pass


@dataclass(frozen=True)
class Thresholds:
    """What the meshes of a robot do in random configurations, and what spheres make of these.

    `values` (n, variables); `rows`: pair of links -> its row of meshes, for pairs that count; `touched`: pair ->
    the configurations in which its meshes touch.
    """

    values: F64
    rows: Mapping[LinkPair, int]
    touched: Mapping[LinkPair, I64]

    @classmethod
    def of(cls, model: MotionModel, meshes: MeshMotion, values: F64, tick: Tick = _quiet) -> Thresholds:
        """`model`: spheres and mask; `meshes`: the same robot. `tick` hears how far it is, and may raise."""
        rows = _paired(model, meshes)
        return cls(values, rows, _touched(meshes, values, rows, tick))

    @property
    def collides(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """(n,) whether the meshes of any pair touch."""
        collides = np.zeros(len(self.values), bool)
        for each in self.touched.values():
            collides[each] = True
        return collides

    def rows_of(self, model: MotionModel) -> dict[int, LinkPair]:
        """Rows of spheres whose meshes were seen to touch: other pairs are for the mask."""
        index = model.spheres.pair_index
        return {index[pair]: pair for pair in self.rows if len(self.touched[pair]) and pair in index}

    def needless(self, model: MotionModel, shrink: Mapping[str, float]) -> float:
        """Of the configurations without touching meshes, the share that spheres with `shrink` refuse."""
        less = np.array([shrink.get(frame, 0.0) for frame in model.spheres.frames])
        rows = np.array(sorted(self.rows_of(model)), np.int64)
        spots, gaps = model.row_clearances(self.values, max(0.0, -2 * float(less.min(initial=0.0))), rows)
        gaps = gaps + less[np.asarray(model.spheres.pairs, np.int64)[spots[:, 1]]].sum(axis=1)
        refused = np.zeros(len(self.values), bool)
        refused[spots[gaps < 0.0, 0]] = True
        free = ~self.collides
        return float((refused & free).sum() / max(1, free.sum()))

    def shrink(
        self,
        model: MotionModel,
        meshes: MeshMotion,
        *,
        seed: int = 0,
        growth: float = GROWTH,
        margin: float = MARGIN,
        search: bool = True,
    ) -> tuple[dict[str, float], tuple[Bound, ...]]:
        """Frame -> what to take off the radii of its spheres for self-collision (metres, multiples of STEP, none is 0;
        negative: what to add), and the bounds of the pairs that touch, the tightest first.

        Frames whose spheres do not belong to a mesh stay as they are. `search`: whether smaller overlaps are looked for
        around the sample's least.
        """
        index = model.spheres.pair_index
        rows = {index[pair]: row for pair, row in self.rows.items() if pair in index}
        touched = {index[pair]: each for pair, each in self.touched.items() if pair in index}
        bounds = {
            row: _least_overlap(model, meshes, self.values, rows, row, touched[row], seed if search else None)
            for row in rows
        }
        shrink = _solved(model, self.values, rows, touched, bounds, growth, margin)
        told = (Bound(model.spheres.ordered(row), overlap) for row, overlap in bounds.items() if overlap is not None)
        return shrink, tuple(sorted(told, key=lambda bound: (bound.overlap, bound.frames)))


def _paired(model: MotionModel, meshes: MeshMotion) -> dict[LinkPair, int]:
    """Pair -> row of meshes, for pairs that count."""
    rows = {}
    for row in colliding_rows(meshes).tolist():
        pair = meshes.motion.pair(row)
        sphere_row = None if pair is None else model.spheres.pair_index.get(pair)
        if pair is not None and sphere_row is not None and model.checked[sphere_row]:
            rows[pair] = row
    return rows


def _touched(meshes: MeshMotion, values: F64, rows: Mapping[LinkPair, int], tick: Tick) -> dict[LinkPair, I64]:
    """Pair -> configurations in which its meshes touch."""
    pair_of = {row: pair for pair, row in rows.items()}
    touched: dict[LinkPair, list[int]] = {pair: [] for pair in rows}
    mesh_rows = np.array(sorted(pair_of), np.int64)
    for first in range(0, len(values), CHUNK):
        tick(first / len(values), f"Comparing meshes: configuration {first + 1} of {len(values)}")
        for n, row in meshes.touching(values[first : first + CHUNK], mesh_rows):
            touched[pair_of[row]].append(first + n)
    return {pair: np.array(each, np.int64) for pair, each in touched.items()}


def _overlaps(model: MotionModel, values: F64, row: int) -> F64:
    """(n,) how deep the spheres of a row overlap, metres; 0 where they are apart."""
    spots, gaps = model.row_clearances(values, 0.0, np.array([row], np.int64))
    overlaps = np.zeros(len(values))
    overlaps[spots[:, 0]] = -gaps
    return overlaps


def _least_overlap(
    model: MotionModel, meshes: MeshMotion, values: F64, rows: Pairing, row: int, touched: I64, seed: int | None
) -> float | None:
    """The least overlap of spheres in the configurations in which the meshes touch, searched from the least of the
    sample; None where the meshes were not seen to touch. Configurations that the spheres miss already do not count: no
    buffer makes these worse. The search would end at their edge: a pair that has some is bound by the sample alone."""
    overlaps = _overlaps(model, values[touched], row)
    missed = overlaps <= 0.0
    touched, overlaps = touched[~missed], overlaps[~missed]
    if not len(touched):
        return None
    if missed.any() or seed is None:
        return float(overlaps.min())
    order = np.argsort(overlaps, kind="stable")[:_STARTS]
    best, least = values[touched[order]], overlaps[order]
    rng = np.random.default_rng((seed, row))
    path = np.array(model.spheres.path_variables(row), np.int64)
    lower, upper = model.spheres.lower[path], model.spheres.upper[path]
    reach = 0.05 * (upper - lower)
    for _ in range(_ROUNDS):
        tried = np.repeat(best, _TRIES, axis=0)
        moved = tried[:, path] + reach * rng.standard_normal((len(tried), len(path)))
        tried[:, path] = np.clip(moved, lower, upper)
        depth = _overlaps(model, tried, row)
        # Only what would be a new least is worth a look at the meshes.
        promising = np.flatnonzero((depth > 0.0) & (depth < np.repeat(least, _TRIES)))
        touching = {n for n, _ in meshes.touching(tried[promising], np.array([rows[row]], np.int64))}
        for k, n in enumerate(promising.tolist()):
            start = n // _TRIES
            if k in touching and depth[n] < least[start]:
                best[start], least[start] = tried[n], depth[n]
        reach *= 0.6
    # An edge that the sample did not see: what is missed there is missed with any buffer.
    return float(least.min()) if least.min() > _EDGE else float(overlaps.min())


def _solved(
    model: MotionModel,
    values: F64,
    rows: Pairing,
    touched: Mapping[int, I64],
    bounds: Mapping[int, float | None],
    growth: float,
    margin: float,
) -> dict[str, float]:
    """Frame -> shrink in metres; a negative one grows."""
    from scipy.optimize import linprog

    frames = sorted({int(frame) for row in rows for frame in model.spheres.pairs[row]})
    column = {frame: k for k, frame in enumerate(frames)}
    if not frames:
        return {}
    incidence = np.zeros((len(rows), len(frames)))
    for k, row in enumerate(rows):
        incidence[k, [column[int(frame)] for frame in model.spheres.pairs[row]]] = 1.0
    gaps = _free_gaps(model, values, rows, touched, 2 * growth)
    limited = [k for k, row in enumerate(rows) if bounds[row] is not None]
    room = np.array([max(0.0, (bounds[row] or 0.0) - margin) for row in rows])[limited]
    starts = model.spheres.starts
    most = [SHARE * float(model.spheres.spheres[starts[f] : starts[f + 1], 3].min(initial=np.inf)) for f in frames]
    shrink = best = np.zeros(len(frames), float)
    least = gaps.refused(incidence @ best)
    # What a millimetre is worth depends on where the thresholds come to lie: looked at again there.
    for grows in (growth, growth, 0.0, 0.0):
        value = gaps.near(incidence @ shrink) @ incidence + 1e-3
        solution = linprog(
            np.concatenate([-value, value + 1.0]),
            A_ub=np.hstack([incidence[limited], -incidence[limited]]),
            b_ub=room,
            bounds=[*((0.0, limit) for limit in most), *((0.0, grows) for _ in frames)],
        )
        if not solution.success:
            continue
        halves = np.asarray(solution.x, float)
        shrink = halves[: len(frames)] - halves[len(frames) :]
        refused = gaps.refused(incidence @ shrink)
        if refused < least:
            best, least = shrink, refused
    return _in_steps({model.spheres.frames[f]: by for f, by in zip(frames, best.tolist(), strict=True)})


def _in_steps(shrink: Mapping[str, float]) -> dict[str, float]:
    """Downwards: a shrink is never more than the sample allows."""
    steps = {frame: round(float(np.floor(by / STEP + 1e-6) * STEP), 6) for frame, by in shrink.items()}
    return {frame: by for frame, by in steps.items() if abs(by) >= STEP}


@dataclass(frozen=True)
class _Gaps:
    """Clearances (m,) in metres of rows (m,) in configurations (m,) in which no meshes touch; the number of rows."""

    clearances: F64
    rows: I64
    configurations: I64
    count: int

    def refused(self, moved: F64) -> int:
        """Configurations in which spheres overlap when row k has `moved[k]` metres more between them."""
        refused = self.clearances + np.ravel(moved)[self.rows] < 0.0
        return len(np.unique(self.configurations[refused]))

    def near(self, moved: F64) -> F64:
        """(rows,) how many clearances come to lie about the threshold."""
        near = np.abs(self.clearances + moved[self.rows]) < _BAND
        return np.bincount(self.rows[near], minlength=self.count).astype(float)


def _free_gaps(model: MotionModel, values: F64, rows: Pairing, touched: Mapping[int, I64], limit: float) -> _Gaps:
    collides = np.zeros(len(values), bool)
    for each in touched.values():
        collides[each] = True
    order = np.array(list(rows), np.int64)
    spots, gaps = model.row_clearances(values, limit, order)
    free = ~collides[spots[:, 0]]
    place = np.zeros(int(order.max(initial=0)) + 1, np.int64)
    place[order] = np.arange(len(order))
    seen = _Gaps(gaps[free], place[spots[free, 1]], spots[free, 0], len(order))
    # Pairs whose meshes never touch, while their spheres do most of the time, are for the mask.
    overlaps = np.bincount(seen.rows[seen.clearances < 0.0], minlength=len(order))
    are_usual = overlaps < _USUAL * max(1, int((~collides).sum()))
    kept = (np.array([len(touched[row]) > 0 for row in rows], bool) | are_usual)[seen.rows]
    return _Gaps(seen.clearances[kept], seen.rows[kept], seen.configurations[kept], len(order))
