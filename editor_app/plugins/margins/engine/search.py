"""The least clearance of two links over configurations, or over a path, and over all deviations:
branch and bound.

A box is a piece of the path with a part of each tolerance. Boxes whose bound is far below a
clearance that occurs are halved across what moves the links most.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from editor_app.core.arrays import F64, I64, Bools
from editor_app.plugins.margins.engine.bounds import (
    BufferedSpheres,
    ClearanceBound,
    attack,
    pair_bound,
)
from editor_app.plugins.margins.engine.columns import Columns

#: A bound is close enough if it takes so many metres, at a configuration and on a path, or so much
#: of the loss, more than a clearance that occurs.
_FINE, _FINE_ON_PATH, _EXCESS = 1e-6, 1e-4, 0.3
#: How often boxes are halved, how many there are at most, and how many are looked at together.
_DIVISIONS, _MOST_BOXES, _TOGETHER = 40, 2048, 1024


@dataclass(frozen=True, eq=False)
class Least:
    """`margin`: no deviation leaves less clearance anywhere. `reached`: clearance that the
    `deviations` (v,), in -1..1, leave at the point `index`, `share` of the way to the next one,
    where it is `clearance` without them. Metres."""

    margin: float
    reached: float
    clearance: float
    index: int
    share: float
    deviations: F64


@dataclass(frozen=True, eq=False)
class _Boxes:
    """(b,) point, middle and half of the piece of the way to the next; (b, v) middles and halves of
    the deviations."""

    index: I64
    middle: F64
    half: F64
    centres: F64
    shares: F64

    def only(self, chosen: Bools | slice) -> _Boxes:
        return _Boxes(
            *(
                getattr(self, name)[chosen]
                for name in ("index", "middle", "half", "centres", "shares")
            )
        )

    def halved(self, influence: F64) -> _Boxes:
        """Cut each box across the variable, or the way, that moves most."""
        rows, cut = np.arange(len(self.index)), influence.argmax(axis=1)
        halves = np.column_stack([self.shares, self.half])
        halves[rows, cut] *= 0.5
        step = np.zeros_like(halves)
        step[rows, cut] = halves[rows, cut]
        middles = np.column_stack([self.centres, self.middle])
        both = np.concatenate([middles - step, middles + step])
        halves = np.concatenate([halves, halves])
        index = np.concatenate([self.index, self.index])
        return _Boxes(index, both[:, -1], halves[:, -1], both[:, :-1], halves[:, :-1])


def least_margin(
    columns: Columns,
    one: BufferedSpheres,
    other: BufferedSpheres,
    values: F64,
    *,
    is_path: bool,
    stop: Callable[[], object],
) -> Least:
    """Bound the clearance at (n, independent joints), n >= 1; on the straight lines between them if
    `is_path`.

    `stop` is called between steps, and may raise.
    """
    steps = np.diff(values, axis=0) if is_path else np.zeros_like(values)
    count, variables = len(steps), len(columns.labels)
    half = np.full(count, 0.5 if is_path else 0.0)
    boxes = _Boxes(
        np.arange(count),
        half.copy(),
        half,
        np.zeros((count, variables)),
        np.ones((count, variables)),
    )
    best = Least(math.inf, math.inf, math.inf, 0, 0.0, np.zeros(variables))
    fine, kept = _FINE_ON_PATH if is_path else _FINE, math.inf
    for _ in range(_DIVISIONS):
        parts = []
        for start in range(0, len(boxes.index), _TOGETHER):
            stop()
            parts.append(
                _bound_of(
                    columns, one, other, values, steps, boxes.only(slice(start, start + _TOGETHER))
                )
            )
        bound = ClearanceBound(
            *(
                np.concatenate([getattr(part, n) for part in parts])
                for n in ClearanceBound.__dataclass_fields__
            )
        )
        best = min(
            best,
            _attacked(columns, one, other, values, steps, boxes, bound),
            key=lambda least: least.reached,
        )
        wanted = best.reached - max(fine, _EXCESS * (best.clearance - best.reached))
        is_open = bound.margin < wanted
        kept = min(kept, float(bound.margin[~is_open].min(initial=math.inf)))
        best = replace(best, margin=min(kept, float(bound.margin[is_open].min(initial=math.inf))))
        if not is_open.any() or is_open.sum() > _MOST_BOXES:
            break
        boxes = boxes.only(is_open).halved(bound.influence[is_open])
    return best


def _bound_of(
    columns: Columns,
    one: BufferedSpheres,
    other: BufferedSpheres,
    values: F64,
    steps: F64,
    boxes: _Boxes,
) -> ClearanceBound:
    at = values[boxes.index] + boxes.middle[:, None] * steps[boxes.index]
    state = columns.state(at, boxes.centres if boxes.centres.any() else None)
    spans = boxes.half[:, None] * steps[boxes.index]
    return pair_bound(columns, one, other, state, spans=spans, shares=boxes.shares)


def _attacked(
    columns: Columns,
    one: BufferedSpheres,
    other: BufferedSpheres,
    values: F64,
    steps: F64,
    boxes: _Boxes,
    bound: ClearanceBound,
) -> Least:
    """The clearance that a search finds in the middle of the box with the least bound."""
    k = int(bound.margin.argmin())
    index, share = int(boxes.index[k]), float(boxes.middle[k])
    at = values[index] + share * steps[index]
    nominal, _ = attack(columns, one, other, at, np.zeros(len(columns.labels)))
    start = boxes.centres[k] + boxes.shares[k] * bound.worst[k]
    reached, deviations = attack(columns, one, other, at, start)
    return Least(math.inf, reached, nominal, index, share, deviations)
