"""Time laws along a polyline of configurations, within limits of velocity, acceleration and jerk.

`StoppingLaw` rests at every corner: the path stays what it is, and no law is faster on exactly this
path. `SmoothLaw` does not: the fastest law along the polyline that bounds acceleration goes through
two moving averages (boxes of time), which keep velocity and acceleration within their bounds, bound
the jerk, and round corners. Filters of that kind: L. Biagiotti, C. Melchiorri, FIR filters for
online trajectory planning with time- and frequency-domain specifications, Control Engineering
Practice 20(12), 2012. Where it leaves the polyline it has to be proven free again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from editor_app.core.arrays import F64, I64
from editor_app.plugins.motion.engine.limits import JointLimits
from editor_app.plugins.motion.engine.ramps import Ramp, fastest_ramp

#: Cells of the smooth law's speed, at least and at most.
CELLS = (300, 3000)
#: Rounds in which speeds are lowered until the averages keep to the limits.
ROUNDS = 40
#: Shares of a limit beyond it for which the whole law is slowed down.
CLOSE = 0.01
#: Seconds by which a look is taken beside a bend, where values jump.
_ASIDE = 1e-9


class TimeLaw(Protocol):
    @property
    def duration(self) -> float: ...

    def at(self, seconds: F64) -> F64:
        """(4, n, joints): positions, velocities, accelerations, jerks at times (n,)."""


@dataclass(frozen=True)
class StoppingLaw:
    """`path` (k + 1, joints); `starts` (k,): when the ramp along each of its lines begins."""

    path: F64
    ramps: tuple[Ramp, ...]
    starts: F64
    #: Times by which each ramp is slower than the fastest.
    stretch: F64

    @property
    def duration(self) -> float:
        return float(self.starts[-1] + self.ramps[-1].duration * self.stretch[-1])

    def at(self, seconds: F64) -> F64:
        k = np.clip(np.searchsorted(self.starts, seconds, side="right") - 1, 0, len(self.ramps) - 1)
        result = np.empty((4, len(seconds), self.path.shape[1]))
        for line in np.unique(k).tolist():
            mine = k == line
            slow = float(self.stretch[line])
            states = self.ramps[line].at(
                (seconds[mine] - self.starts[line]) / slow
            ) / slow ** np.arange(4)
            way = self.path[line + 1] - self.path[line]
            result[:, mine] = states.T[:, :, None] * way
            result[0, mine] += self.path[line]
        return result


def stopping_law(path: F64, limits: JointLimits, step: float) -> StoppingLaw:
    """The fastest one, but for this: each line takes a whole number of `step` seconds, so that
    corners are samples."""
    ways = np.diff(path, axis=0)
    ramps = tuple(fastest_ramp(1.0, *_along(way, limits)) for way in ways)
    durations = np.array([ramp.duration for ramp in ramps])
    whole = step * np.maximum(1.0, np.ceil(durations / step - 1e-9))
    return StoppingLaw(
        path, ramps, np.concatenate([[0.0], np.cumsum(whole)[:-1]]), whole / durations
    )


def _along(way: F64, limits: JointLimits) -> tuple[float, float, float]:
    """Limits of the share of a line that is covered, by its strictest joints."""
    moves = np.abs(way) > 0.0
    velocity, acceleration, jerk = (
        float(np.min(bound[moves] / np.abs(way[moves])))
        for bound in (limits.velocity, limits.acceleration, limits.jerk)
    )
    return velocity, acceleration, jerk


@dataclass(frozen=True)
class SmoothLaw:
    """The average over `boxes` seconds of a motion along the polyline, slowed down by `slow`.

    In the interval that begins at `times` (n,) the motion runs from `places` (n, joints, from the
    start) in `direction` (n, joints) with `speed` and its change `push` (n,). `first`, `second`:
    integrals of the places.
    """

    start: F64
    goal: F64
    times: F64
    places: F64
    direction: F64
    speed: F64
    push: F64
    first: F64
    second: F64
    boxes: tuple[float, float]
    slow: float = 1.0

    @property
    def duration(self) -> float:
        return float(self.times[-1] + sum(self.boxes)) * self.slow

    def at(self, seconds: F64) -> F64:
        one, other = self.boxes
        result = np.zeros((4, len(seconds), len(self.start)))
        for back, sign in ((0.0, 1.0), (one, -1.0), (other, -1.0), (one + other, 1.0)):
            result += sign * self._integrals(seconds / self.slow - back)
        result *= (1.0 / (one * other)) / self.slow ** np.arange(4)[:, None, None]
        result[0] += self.start
        result[0, seconds <= 0.0] = self.start
        result[0, seconds >= self.duration] = self.goal
        result[1:, (seconds <= 0.0) | (seconds >= self.duration)] = 0.0
        return np.asarray(result)

    def _integrals(self, t: F64) -> F64:
        """(4, n, joints): second integral of the places, first one, places, velocities."""
        k = np.clip(np.searchsorted(self.times, t, side="right") - 1, 0, len(self.times) - 1)
        s = np.maximum(t - self.times[k], 0.0)[:, None]
        e, c, p = self.direction[k], self.speed[k][:, None], self.push[k][:, None]
        place = self.places[k]
        return np.stack(
            [
                self.second[k]
                + s * (self.first[k] + s * (place / 2.0 + s * e * (c / 6.0 + s * p / 24.0))),
                self.first[k] + s * (place + s * e * (c / 2.0 + s * p / 6.0)),
                place + s * e * (c + s * p / 2.0),
                e * (c + s * p),
            ]
        )

    def raw_time(self, seconds: F64) -> tuple[F64, F64]:
        """Between which times of the motion along the polyline the average is taken."""
        t = seconds / self.slow
        return t - sum(self.boxes), t

    def corner_times(self) -> F64:
        """When the motion along the polyline changes its direction without a stop: after them
        averages leave it."""
        one, other = self.direction[:-2], self.direction[1:-1]
        turned = (one != other).any(axis=1) & one.any(axis=1) & other.any(axis=1)
        return np.asarray(self.times[1:-1][turned])


@dataclass
class Speeds:
    """The speed limits of the smooth law along the polyline, lowered where averages go beyond
    limits.

    `lengths` (n,): of the cells, seconds at the limits of velocity; `directions` (n, joints):
    velocity at the limit. `most` (n,): speed, 1 at the limit; `push` (n,): its change. `corners` (n
    - 1): most speed between two cells.
    """

    lengths: F64
    directions: F64
    #: (n,): the line of the path that a cell belongs to.
    line: I64
    most: F64
    push: F64
    corners: F64

    def profile(self) -> F64:
        """(n + 1,): the greatest speeds at the ends of the cells, at rest at both ends (two
        passes)."""
        caps = np.concatenate(
            [[0.0], np.minimum(np.minimum(self.most[1:], self.most[:-1]), self.corners), [0.0]]
        )
        squares = (caps**2).tolist()
        gain = (2.0 * self.push * self.lengths).tolist()
        for k in range(len(gain)):
            squares[k + 1] = min(squares[k + 1], squares[k] + gain[k])
        for k in range(len(gain) - 1, -1, -1):
            squares[k] = min(squares[k], squares[k + 1] + gain[k])
        return np.asarray(np.sqrt(squares))


def speeds_of(path: F64, limits: JointLimits, box: float) -> Speeds:
    """Cells of a path, with the limits of straight lines; corners as fast as the average over `box`
    seconds allows."""
    ways = np.diff(path, axis=0)
    seconds = np.max(np.abs(ways) / limits.velocity, axis=1)
    count = float(np.clip(10.0 * seconds.sum() / box, *CELLS))
    parts = np.maximum(1, np.ceil(count * seconds / seconds.sum())).astype(int)
    line = np.repeat(np.arange(len(ways)), parts)
    directions = (ways / seconds[:, None])[line]
    with np.errstate(divide="ignore"):
        push = np.min(
            np.where(directions != 0.0, limits.acceleration / np.abs(directions), np.inf), axis=1
        )
        turn = np.abs(np.diff(directions, axis=0))
        corners = np.min(
            np.where(turn > 0.0, limits.acceleration * box / turn, np.inf), axis=1, initial=np.inf
        )
    return Speeds(
        (seconds / parts)[line],
        directions,
        line,
        np.ones(len(line)),
        push,
        np.minimum(corners, 1.0),
    )


def smooth_law(
    path: F64, limits: JointLimits, boxes: tuple[float, float], caps: F64 | None = None
) -> SmoothLaw:
    """`caps` (corners,): shares of the speed at which a corner may be passed; 0 for a stop."""
    speeds = speeds_of(path, limits, max(boxes))
    if caps is not None:
        at = np.flatnonzero(np.diff(speeds.line))
        speeds.corners[at] *= caps
    for _ in range(ROUNDS):
        law = _law(path, speeds, boxes)
        excess, t = _excess(law, limits)
        if excess.max() <= 1.0 + CLOSE:
            break
        _lower(speeds, law, t, excess)
    slow = float(max(1.0, _slow(law, limits)))
    return SmoothLaw(
        law.start,
        law.goal,
        law.times,
        law.places,
        law.direction,
        law.speed,
        law.push,
        law.first,
        law.second,
        boxes,
        slow,
    )


def _law(path: F64, speeds: Speeds, boxes: tuple[float, float]) -> SmoothLaw:
    ends = speeds.profile()
    spans = 2.0 * speeds.lengths / np.maximum(ends[1:] + ends[:-1], 1e-12)
    push = np.diff(ends) / spans
    pause = np.zeros(len(spans))
    # At a stop, averages have to come to rest as well.
    pause[1:][ends[1:-1] == 0.0] = sum(boxes)
    rows = []
    for k in range(len(spans)):
        if pause[k]:
            rows.append((pause[k], k, 0.0, 0.0, 0.0))
        rows.append((spans[k], k, ends[k], push[k], 1.0))
    span, cell, speed, change, moves = np.array(rows).T
    direction = speeds.directions[cell.astype(int)] * moves[:, None]
    steps = direction * (span * (speed + span * change / 2.0))[:, None]
    places = np.concatenate([np.zeros((1, path.shape[1])), np.cumsum(steps, axis=0)])
    s, e = span[:, None], direction
    c, p = speed[:, None], change[:, None]
    grown = s * (places[:-1] + s * e * (c / 2.0 + s * p / 6.0))
    first = np.concatenate([np.zeros((1, path.shape[1])), np.cumsum(grown, axis=0)])
    grown = s * (first[:-1] + s * (places[:-1] / 2.0 + s * e * (c / 6.0 + s * p / 24.0)))
    second = np.concatenate([np.zeros((1, path.shape[1])), np.cumsum(grown, axis=0)])
    zero = np.zeros((1, path.shape[1]))
    return SmoothLaw(
        path[0],
        path[-1],
        np.concatenate([[0.0], np.cumsum(span)]),
        places,
        np.concatenate([direction, zero]),
        np.append(speed, 0.0),
        np.append(change, 0.0),
        first,
        second,
        boxes,
    )


def _peaks(law: SmoothLaw) -> tuple[F64, F64]:
    """(3, n, joints): the greatest velocity, acceleration and jerk in each interval between two
    bends of the averages; (n,): the middles of the intervals.

    The jerk is linear there, the acceleration a parabola. No average of velocities is above all of
    them.
    """
    one, other = law.boxes
    bends = np.unique(np.concatenate([law.times + back for back in (0.0, one, other, one + other)]))
    whole = np.diff(bends) > 4.0 * _ASIDE
    begin, end = (bends[:-1][whole] + _ASIDE) * law.slow, (bends[1:][whole] - _ASIDE) * law.slow
    first, last = law.at(begin), law.at(end)
    peaks = np.maximum(np.abs(first[1:]), np.abs(last[1:]))
    rise = last[3] - first[3]
    turns = first[3] * last[3] < 0.0
    top = first[2] - np.divide(
        first[3] ** 2 * (end - begin)[:, None], 2.0 * rise, out=np.zeros_like(rise), where=turns
    )
    peaks[1] = np.maximum(peaks[1], np.abs(top))
    return peaks, 0.5 * (begin + end)


def _excess(law: SmoothLaw, limits: JointLimits) -> tuple[F64, F64]:
    """(n,) the strictest of acceleration and jerk as shares of the limits, at times (n,)."""
    peaks, t = _peaks(law)
    share = np.maximum(
        np.max(peaks[1] / limits.acceleration, axis=1), np.max(peaks[2] / limits.jerk, axis=1)
    )
    return share, t


def _slow(law: SmoothLaw, limits: JointLimits) -> float:
    """By how much a law has to be slower to keep to the limits."""
    peaks, _ = _peaks(law)
    shares = [
        float(np.max(peaks[order - 1] / bound)) ** (1.0 / order)
        for order, bound in enumerate((limits.velocity, limits.acceleration, limits.jerk), 1)
    ]
    return float(max(shares)) * (1.0 + 1e-6)


def _lower(speeds: Speeds, law: SmoothLaw, t: F64, excess: F64) -> None:
    """Lowers speed and its change where the averages that go beyond limits are taken."""
    ends = speeds.profile()
    spans = 2.0 * speeds.lengths / np.maximum(ends[1:] + ends[:-1], 1e-12)
    begin = np.concatenate([[0.0], np.cumsum(spans)])
    worst = np.ones(len(spans))
    far = excess > 1.0
    early, late = law.raw_time(t[far])
    first = np.clip(np.searchsorted(begin, early, side="right") - 1, 0, len(spans) - 1)
    last = np.clip(np.searchsorted(begin, late, side="left"), 1, len(spans))
    for a, b, e in zip(first.tolist(), last.tolist(), excess[far].tolist(), strict=True):
        np.maximum(worst[a:b], e, out=worst[a:b])
    speeds.most *= worst**-0.5
    speeds.push /= worst
    speeds.corners *= np.maximum(worst[1:], worst[:-1]) ** -0.5
