"""Times for a path: the fastest of the time laws whose curve is proven free, and samples of it."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from editor_app.core.arrays import F64, I64
from editor_app.core.model.refusal import Refused
from editor_app.plugins.motion.engine.allowed_contacts import AllowedContacts
from editor_app.plugins.motion.engine.limits import JointLimits
from editor_app.plugins.motion.engine.model import MotionModel
from editor_app.plugins.motion.engine.time_laws import SmoothLaw, TimeLaw, smooth_law, stopping_law

#: Seconds of the shorter average at least.
SHORTEST_BOX = 0.01
#: The longer average, in shorter ones: short ones cost little time, long ones pass sharp corners
#: faster.
BOXES = (2.0, 4.0)
#: Shares of their speed at which corners are tried when rounding them cannot be proven free; then
#: they are stops.
CAPS = (1.0, 0.6, 0.35, 0.2, 0.1, 0.0)
#: Seconds of the shortest piece of a curve that is asked for.
FINEST = 1e-3
#: Places that are not proven, of which no more are wanted: they are tried again more slowly.
MOST_OPEN = 64
#: Points of a motion at most: hours at 10 ms each. Limits that need more are wrong.
MOST_POINTS = 1_000_000
#: Metres within which `MotionModel.worst` knows a clearance.
TOLERANCE = 1e-4


@dataclass(frozen=True)
class TimedPath:
    """`times` (n,) every `step` seconds, from rest to rest; `positions`, `velocities`,
    `accelerations` (n, joints).

    `rounded`: corners that are passed without a stop, of `corners`. `deviation` (joints,): how far
    the curve leaves the path, rad or m. `stopping`: seconds of the law that rests at every corner.
    `use` (3, joints): greatest velocity, acceleration and jerk as shares of the limits.
    """

    times: F64
    positions: F64
    velocities: F64
    accelerations: F64
    corners: int
    rounded: int
    deviation: F64
    stopping: float
    use: F64


def time_path(
    path: F64,
    limits: JointLimits,
    step: float,
    model: MotionModel | None = None,
    keeps: Callable[[F64], bool] | None = None,
) -> TimedPath:
    """`path` (n, joints) at the fastest. With a `model` corners are rounded where the curve is
    proven free, from the path as it stands in the variables of `limits`; without one they are
    stops. `limits` are finite but for the jerk. `keeps`: asked about positions (n, joints) with
    rounded corners; False: they are to be passed more slowly. Raises Refused for a motion of more
    than `MOST_POINTS` steps."""
    path = _distinct(path)
    if len(path) < 2:
        zero = np.zeros_like(path[:1])
        return TimedPath(
            np.zeros(1), path[:1], zero, zero, 0, 0, zero[0], 0.0, np.zeros((3, path.shape[1]))
        )  # fmt: skip
    stops = stopping_law(path, limits, step)
    if stops.duration > MOST_POINTS * step:
        slowest = limits.joints[
            int(np.argmax(np.abs(np.diff(path, axis=0)).sum(axis=0) / limits.velocity))
        ]
        raise Refused(
            f"the motion takes {stops.duration:,.0f} s, more than {MOST_POINTS:,} points: check "
            "the limits of "
            f"joint {slowest} and of joints that mimic it"
        )
    best: TimeLaw = stops
    rounded = 0
    if model is not None and len(path) > 2:
        curve = Curve(model, limits)
        for law, passed in _smooth_laws(path, limits, step, curve, keeps):
            if law.duration < best.duration - 1e-9:
                best, rounded = law, passed
    count = max(1, round(best.duration / step))
    times = np.round(np.arange(count + 1) * step, 9)
    states = best.at(times)
    states[0, -1], states[1:, -1] = path[-1], 0.0
    deviation = np.zeros(path.shape[1]) if best is stops else _deviation(states[0], path)
    return TimedPath(
        times,
        states[0],
        states[1],
        states[2],
        len(path) - 2,
        rounded,
        deviation,
        round(stops.duration, 9),
        _use(best, limits),
    )


class Curve:
    """Proves that curves keep the margins of the model: chords with more clearance than the curve
    can leave them by.

    A curve whose acceleration is at most a leaves the chord of h seconds by a h² / 8 at most, in
    every joint; and no sphere moves by more than a joint's turn times the reach of the robot.
    """

    def __init__(self, model: MotionModel, limits: JointLimits) -> None:
        self._model = model
        self._columns = np.array([model.variables.index(name) for name in limits.joints], np.int64)
        metres = np.zeros(len(model.variables))
        bodies = model.spheres.bodies
        for body, dof in enumerate(bodies.dof.tolist()):
            if dof >= 0:
                metres[dof] += abs(float(bodies.scale[body])) * (
                    1.0 if bodies.prismatic[body] else model.extent
                )
        margins = model.fixed.margin[model.rows]
        #: Margin -> its rows.
        self._rows = {
            margin: model.rows[margins == margin] for margin in np.unique(margins).tolist()
        }
        #: Metres by which a sphere may leave a chord of a second.
        self._bulge = float((metres[self._columns] * limits.acceleration).sum()) / 8.0

    def _values(self, positions: F64) -> F64:
        values: F64 = np.repeat(self._model.default[None, :], len(positions), axis=0)
        values[:, self._columns] = positions
        return values

    def unproven(self, law: SmoothLaw) -> list[float]:
        """Times at which the curve of a law is not proven free where it leaves its polyline,
        MOST_OPEN at most."""
        span = sum(law.boxes) * law.slow
        pending: list[tuple[float, float]] = []
        for begin in (law.corner_times() * law.slow).tolist():
            if pending and begin <= pending[-1][1]:
                pending[-1] = (pending[-1][0], begin + span)
            else:
                pending.append((begin, begin + span))
        places: list[float] = []
        while pending and len(places) < MOST_OPEN:
            begin, end = pending.pop()
            one, other = self._values(law.at(np.array([begin, end]))[0])
            bulge = TOLERANCE + self._bulge * (end - begin) ** 2
            if all(
                self._keeps(one, other, margin, rows, bulge) for margin, rows in self._rows.items()
            ):
                continue
            middle = 0.5 * (begin + end)
            if end - begin < FINEST:
                places.append(middle)
            else:
                pending += [(begin, middle), (middle, end)]
        return places

    def _keeps(self, one: F64, other: F64, margin: float, rows: I64, bulge: float) -> bool:
        worst = self._model.worst(one, other, TOLERANCE, rows)
        return worst.decided and not worst.touching and worst.clearance - margin > bulge

    def samples_are_free(self, positions: F64) -> bool:
        """Return whether straight lines between samples are proven free, too: what players draw."""
        return AllowedContacts(self._model, self._values(positions)).is_free


def _smooth_laws(
    path: F64, limits: JointLimits, step: float, curve: Curve, keeps: Callable[[F64], bool] | None
) -> list[tuple[SmoothLaw, int]]:
    """Laws that are proven free, each with the number of corners that it passes without a stop."""
    moves = (np.diff(path, axis=0) != 0.0).any(axis=0)
    with np.errstate(invalid="ignore"):
        bends = np.where(np.isfinite(limits.jerk), limits.acceleration / limits.jerk, 0.0)
    box = max(SHORTEST_BOX, float(bends[moves].max()))
    laws = []
    for factor in BOXES:
        tries = np.zeros(len(path) - 2, int)
        for _ in range(len(CAPS) * len(tries)):
            caps = np.asarray(CAPS, float)[tries]
            law = _on_grid(smooth_law(path, limits, (factor * box, box), caps), step)
            positions = law.at(np.linspace(0.0, law.duration, round(law.duration / step) + 1))[0]
            if keeps is not None and not keeps(positions):
                if tries.min() == len(CAPS) - 1:
                    break
                tries = np.minimum(tries + 1, len(CAPS) - 1)
                continue
            places = curve.unproven(law)
            if not places:
                if curve.samples_are_free(positions):
                    laws.append((law, int((tries < len(CAPS) - 1).sum())))
                break
            if not _slower(tries, law, path, places):
                break
    return laws


def _on_grid(law: SmoothLaw, step: float) -> SmoothLaw:
    """As much slower as lets it take a whole number of steps."""
    whole = step * max(1.0, np.ceil(law.duration / step - 1e-9))
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
        law.boxes,
        law.slow * whole / law.duration,
    )


def _slower(tries: I64, law: SmoothLaw, path: F64, times: list[float]) -> bool:
    """Corners that averages at these times span are tried at the next share of their speed; False
    when none is left."""
    corners = law.corner_times()
    early, late = law.raw_time(np.array(times))
    near = ((corners >= early[:, None] - 1e-6) & (corners <= late[:, None] + 1e-6)).any(axis=0)
    places = path[0] + law.places[np.searchsorted(law.times, corners[near])]
    chosen = {int(np.argmin(np.linalg.norm(path[1:-1] - place, axis=1))) for place in places}
    moved = [corner for corner in chosen if tries[corner] < len(CAPS) - 1]
    tries[moved] += 1
    return bool(moved)


def _deviation(positions: F64, path: F64) -> F64:
    """(joints,): the greatest distance of positions (n, joints) from the nearest place of a
    polyline."""
    best = np.full(len(positions), np.inf)
    apart = np.zeros_like(positions)
    for one, other in itertools.pairwise(path):
        way = other - one
        share = np.clip((positions - one) @ way / (way @ way), 0.0, 1.0)
        away = positions - (one + share[:, None] * way)
        far = np.linalg.norm(away, axis=1)
        nearer = far < best
        best[nearer], apart[nearer] = far[nearer], away[nearer]
    return np.asarray(np.abs(apart).max(axis=0))


def _use(law: TimeLaw, limits: JointLimits) -> F64:
    states = law.at(np.linspace(0.0, law.duration, 4001))
    bounds = (limits.velocity, limits.acceleration, limits.jerk)
    return np.array([np.abs(states[k]).max(axis=0) / bound for k, bound in enumerate(bounds, 1)])


def _distinct(path: F64) -> F64:
    """Without points that equal the one before, and without those in the middle of a straight
    line."""
    keep = [0]
    for k in range(1, len(path)):
        if np.abs(path[k] - path[keep[-1]]).max() <= 1e-9:
            continue
        if len(keep) > 1:
            one, other = path[keep[-1]] - path[keep[-2]], path[k] - path[keep[-1]]
            share = float(one @ other) / float(one @ one)
            if share > 0.0 and np.abs(other - share * one).max() <= 1e-12:
                keep.pop()
        keep.append(k)
    return path[keep]
