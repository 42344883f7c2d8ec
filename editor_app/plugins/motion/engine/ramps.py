"""The fastest way from rest to rest along one number, within bounds of velocity, acceleration and
jerk.

In closed form: L. Biagiotti, C. Melchiorri, Trajectory Planning for Automatic Machines and Robots,
2008, 3.4 (the double S). No library is needed for it: toppra has wheels for Linux alone, ruckig
none for Linux on ARM; the tests hold both against it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from editor_app.core.arrays import F64


@dataclass(frozen=True)
class Ramp:
    """From 0 to `length` in `duration` seconds: constant jerk between `times` (k,), in whose
    intervals `states` (k, 4) begin: place, velocity, acceleration, jerk."""

    length: float
    times: F64
    states: F64

    @cached_property
    def duration(self) -> float:
        return float(self.times[-1])

    def at(self, seconds: F64) -> F64:
        """(n, 4) place, velocity, acceleration and jerk at times (n,); it rests before its start
        and after its end."""
        k = np.clip(np.searchsorted(self.times, seconds, side="right") - 1, 0, len(self.times) - 1)
        s, v, a, j = self.states[k].T
        t = np.clip(seconds, 0.0, self.duration) - self.times[k]
        result = np.column_stack(
            [s + t * (v + t * (a / 2.0 + t * j / 6.0)), v + t * (a + t * j / 2.0), a + t * j, j]
        )
        result[seconds < 0.0] = 0.0
        result[seconds >= self.duration] = (self.length, 0.0, 0.0, 0.0)
        return result


def fastest_ramp(
    length: float, velocity: float, acceleration: float, jerk: float = math.inf
) -> Ramp:
    """All above 0; `jerk` may be infinite: acceleration jumps then."""
    bend = 0.0 if math.isinf(jerk) else acceleration / jerk
    if bend and velocity * jerk < acceleration**2:
        bend = math.sqrt(velocity / jerk)
        rise = 2.0 * bend
    else:
        rise = bend + velocity / acceleration
    steady = length / velocity - rise
    if steady < 0.0:
        # The velocity is not reached, and where the way is shorter still, the acceleration neither.
        steady = 0.0
        bend = 0.0 if math.isinf(jerk) else acceleration / jerk
        rise = 0.5 * (bend + math.sqrt(bend * bend + 4.0 * length / acceleration))
        if rise < 2.0 * bend:
            bend = (length / (2.0 * jerk)) ** (1.0 / 3.0)
            rise = 2.0 * bend
    return _ramp(length, bend, rise, steady)


def _ramp(length: float, bend: float, rise: float, steady: float) -> Ramp:
    """`bend`: seconds of jerk; `rise`: of acceleration, bends included; `steady`: of constant
    velocity."""
    peak = length / (rise + steady)
    push = peak / (rise - bend)
    jerk = push / bend if bend else 0.0
    level = rise - 2.0 * bend
    phases = [(bend, 0.0, jerk), (level, push, 0.0), (bend, push, -jerk), (steady, 0.0, 0.0)]
    phases += [(bend, 0.0, -jerk), (level, -push, 0.0), (bend, -push, jerk)]
    times, states = [0.0], []
    s = v = 0.0
    for t, a, j in phases:
        if t <= 0.0:
            continue
        states.append((s, v, a, j))
        times.append(times[-1] + t)
        s, v = s + t * (v + t * (a / 2.0 + t * j / 6.0)), v + t * (a + t * j / 2.0)
    return Ramp(length, np.array(times), np.array([*states, (length, 0.0, 0.0, 0.0)]))
