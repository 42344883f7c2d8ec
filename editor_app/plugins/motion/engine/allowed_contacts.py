"""For how long links may touch obstacles on a motion: near its start, near its end.

A link that may touch an obstacle at the start does so until one of the centres of its spheres has
moved by the obstacle's `touch_distance`; from there on the two are checked, wherever the link goes.
At the end it is the same, seen backwards. Where that is on a path is bounded from below: no contact
is allowed farther away, and none is overlooked.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cached_property

import numpy as np

from editor_app.core.arrays import F64, I64
from editor_app.plugins.motion.engine import kernels
from editor_app.plugins.motion.engine.model import LineProof, MotionModel, WorstClearance
from editor_app.plugins.motion.engine.results import Stretch

#: Share of a straight line within which the place is told where a link has moved far enough.
FINEST = 1e-6


class AllowedContacts:
    """Which rows count where on the polyline through `values` (n, variables). Places are indices of
    points, and shares of the way to the next: 2.5 is half way from the third point to the fourth.
    `ends`: which of its ends end the motion, too."""

    def __init__(
        self,
        model: MotionModel,
        values: F64,
        ends: tuple[Stretch, ...] = (Stretch.START, Stretch.GOAL),
    ) -> None:
        self.model, self._values = model, values
        #: Rows that do not count all the way; each counts from `_begin` to `_end`, places.
        self._limited = model.limited
        self._begin, self._end = (
            np.zeros(len(self._limited)),
            np.full(len(self._limited), float(len(values) - 1)),
        )
        places: dict[tuple[int, float, bool], float] = {}
        for k, row in enumerate(self._limited.tolist()):
            touch = row - len(model.spheres.pairs)
            for side, limit in enumerate(model.contact[touch].tolist()):
                if limit <= 0.0 or (Stretch.START, Stretch.GOAL)[side] not in ends:
                    continue
                key = int(model.touches[touch, 0]), limit, bool(side)
                if key not in places:
                    places[key] = _moved_away(model, values[::-1] if side else values, row, limit)
                if side:
                    self._end[k] = len(values) - 1 - places[key]
                else:
                    self._begin[k] = places[key]
        is_limited = np.isin(model.rows, self._limited)
        #: Rows that count all the way.
        self._always = model.rows[~is_limited]

    def __bool__(self) -> bool:
        return len(self._limited) > 0

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name != "_row_index"}

    @cached_property
    def _row_index(self) -> dict[int, int]:
        return {int(row): k for k, row in enumerate(self._limited.tolist())}

    def counts(self, row: int, place: float) -> bool:
        """Return whether a row that is not masked is checked at a place."""
        k = self._row_index.get(row)
        return k is None or bool(self._begin[k] <= place <= self._end[k])

    def clearances(self, values: F64, places: F64, rows: I64 | None = None) -> tuple[F64, I64]:
        """Return `MotionModel.least_clearances` at configurations (m, variables) that are at these
        places (m,)."""
        always, limited = self._chosen(rows)
        clearance, spots = self.model.least_clearances(values, always)
        for begin, end, part in self._groups(limited):
            at = np.flatnonzero((places >= begin) & (places <= end))
            gaps, near = self.model.least_clearances(values[at], part)
            less = gaps < clearance[at]
            clearance[at[less]], spots[at[less]] = gaps[less], near[less]
        return clearance, spots

    def parts(self, index: int, rows: I64 | None = None) -> Iterator[tuple[float, float, I64]]:
        """Yield parts of the segment to the next point: from share, to share, rows that count; the
        whole segment first."""
        always, limited = self._chosen(rows)
        groups = [
            (max(0.0, begin - index), min(1.0, end - index), part)
            for begin, end, part in self._groups(limited)
        ]
        whole = [part for low, high, part in groups if low <= 0.0 and high >= 1.0]
        yield 0.0, 1.0, np.concatenate([always, *whole])
        for low, high, part in groups:
            if low < high and (low > 0.0 or high < 1.0):
                yield low, high, part

    def line(self, index: int, finest: float = 1e-7, rows: I64 | None = None) -> LineProof:
        """Return `MotionModel.line` for the segment from a point to the next."""
        start, goal = self._values[index], self._values[index + 1]
        for low, high, part in self.parts(index, rows):
            one, other = start + low * (goal - start), start + high * (goal - start)
            line = self.model.line(
                start if low == 0.0 else one, goal if high == 1.0 else other, finest, part
            )
            if not line.free:
                return LineProof(line.status, low + line.at * (high - low), line.row)
        return LineProof(kernels.FREE, 0.0, -1)

    def worst(self, index: int, tolerance: float = 1e-4, rows: I64 | None = None) -> WorstClearance:
        """Return `MotionModel.worst` for the segment from a point to the next."""
        start, goal = self._values[index], self._values[index + 1]
        parts = []
        for low, high, part in self.parts(index, rows):
            one, other = start + low * (goal - start), start + high * (goal - start)
            worst = self.model.worst(
                start if low == 0.0 else one, goal if high == 1.0 else other, tolerance, part
            )
            touching = {
                row: (low + at * (high - low), gap) for row, (at, gap) in worst.touching.items()
            }
            parts.append(
                WorstClearance(
                    worst.clearance,
                    low + worst.at * (high - low),
                    worst.row,
                    touching,
                    worst.decided,
                )
            )
        least = min(parts, key=lambda each: each.clearance)
        touching = {row: place for each in parts for row, place in each.touching.items()}
        return WorstClearance(
            least.clearance, least.at, least.row, touching, all(each.decided for each in parts)
        )

    def told(self, named: Callable[[float], str]) -> tuple[str, ...]:
        """Sentences about what may touch, and until where; `named`: a place in words."""
        sentences = []
        last = len(self._values) - 1
        for k, row in enumerate(self._limited.tolist()):
            link, obstacle = self.model.names(row)
            limits = self.model.contact[row - len(self.model.spheres.pairs)].tolist()
            parts = []
            if limits[0] > 0.0:
                until = named(self._begin[k]) if self._begin[k] <= last else "the end"
                parts.append(f"until {until}, within {limits[0] * 1e3:g} mm of its start")
            if limits[1] > 0.0:
                begin = named(self._end[k]) if self._end[k] >= 0.0 else "the start"
                parts.append(f"from {begin} on, within {limits[1] * 1e3:g} mm of its end")
            sentences.append(f"{link} may touch {obstacle} {' and '.join(parts)}")
        return tuple(sentences)

    @property
    def is_free(self) -> bool:
        """True if every way is proven to keep the margins of the model."""
        return all(self.line(k).free for k in range(len(self._values) - 1))

    def _chosen(self, rows: I64 | None) -> tuple[I64, I64]:
        """Rows that count all the way, and indices of limited ones."""
        if rows is None:
            return self._always, np.flatnonzero(np.isin(self._limited, self.model.rows))
        return rows[~np.isin(rows, self._limited)], np.flatnonzero(np.isin(self._limited, rows))

    def _groups(self, limited: I64) -> list[tuple[float, float, I64]]:
        """Begin, end and rows of those that count on the same part of the motion; none of those
        that nowhere do."""
        spans: dict[tuple[float, float], list[int]] = {}
        for k in limited.tolist():
            begin, end = float(self._begin[k]), float(self._end[k])
            if begin <= end:
                spans.setdefault((begin, end), []).append(int(self._limited[k]))
        return [(*span, np.array(part, np.int64)) for span, part in spans.items()]


def _moved_away(model: MotionModel, values: F64, row: int, limit: float) -> float:
    """The place from which on the link of a row counts: until there it is proven to be within
    `limit` metres of where it is at the first of `values`. Infinite where it stays within."""
    frame = int(model.touches[row - len(model.spheres.pairs), 0])
    body = int(model.world.frame_body[frame])
    first, last = model.world.starts[frame : frame + 2].tolist()
    centres = model.world.spheres[first:last, :3]

    def placed(table: F64) -> F64:
        poses = model.body_poses(np.ascontiguousarray(table))[:, body]
        return np.asarray(np.einsum("nij,kj->nki", poses[:, :, :3], centres) + poses[:, None, :, 3])

    home = placed(values[:1])[0]

    def moved(table: F64) -> F64:
        return np.asarray(np.linalg.norm(placed(table) - home, axis=2).max(axis=1))

    beyond = moved(values) > limit
    for k in range(int(np.argmax(beyond)) if beyond.any() else len(values) - 1):
        one, other = values[k], values[k + 1]
        todo = [(0.5, 0.5)]
        while todo:
            at, half = todo.pop()
            away = float(moved((one + at * (other - one))[None])[0])
            if (
                away + kernels.row_motion(one, other, at, half, row, model.fixed, model._room)
                <= limit
            ):
                continue
            if half < FINEST:
                return k + at - half
            # The earlier half is looked at first; what follows a place that is too far away need
            # not be looked at.
            todo = [(at - half / 2, half / 2)] if away > limit else [
                *todo, (at + half / 2, half / 2), (at - half / 2, half / 2)
            ]  # fmt: skip
    return math.inf
