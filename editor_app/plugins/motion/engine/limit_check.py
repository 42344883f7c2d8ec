"""Check of a motion with times against the limits of its joints. Nothing is blamed wrongly: what is
said to be beyond a limit is so for every smooth motion through the points.

A divided difference is a derivative somewhere between its points (the mean value theorem; with
velocities at the points Hermite's differences are). What rounding in the file can be to blame for
does not count.
"""

from __future__ import annotations

from decimal import Decimal

import numpy as np

from editor_app.core.arrays import F64, I64
from editor_app.core.model.trajectory import Trajectory
from editor_app.plugins.motion.engine.limits import JointLimits
from editor_app.plugins.motion.engine.results import BeyondLimit, Rate

#: What may be beyond a limit, as a share of it.
CLOSE = 1e-6
#: Digits after the point that are believed at least and at most.
DIGITS = (3, 12)
#: Rows of a table that its digits are read from.
READ = 200


def beyond_limits(trajectory: Trajectory, limits: JointLimits) -> tuple[BeyondLimit, ...]:
    """Return the values beyond the limits (of the trajectory's joints, in its order), worst first;
    none without times."""
    if trajectory.times is None or not trajectory.moves or len(trajectory) < 2:
        return ()
    points, times, velocities, accelerations = _arrays(trajectory)
    jumps = np.diff(times) <= 0.0
    looks: dict[Rate, list[tuple[F64, F64, F64]]] = {rate: [] for rate in Rate}
    if not jumps.any():
        looks = _looks(points, times, velocities, accelerations)
    bounds = {
        Rate.VELOCITY: limits.velocity,
        Rate.ACCELERATION: limits.acceleration,
        Rate.JERK: limits.jerk,
    }
    result = []
    for rate, measured in looks.items():
        for at, values, doubt in measured:
            result += _beyond(limits, rate, bounds[rate], at, np.abs(values), doubt)
    for k in np.flatnonzero(jumps).tolist():
        for joint in np.flatnonzero(points[k + 1] != points[k]).tolist():
            result.append(
                BeyondLimit(
                    limits.joints[joint],
                    Rate.VELOCITY,
                    float(times[k]),
                    np.inf,
                    float(limits.velocity[joint]),
                    limits.slides[joint],
                    1,
                )
            )
    worst: dict[tuple[str, Rate], BeyondLimit] = {}
    for each in result:
        key = (each.joint, each.rate)
        if key not in worst or each.value > worst[key].value:
            worst[key] = each
    return tuple(
        sorted(
            worst.values(), key=lambda each: (list(Rate).index(each.rate), -each.value / each.limit)
        )
    )


def greatest_rates(trajectory: Trajectory) -> F64:
    """(3, joints): the greatest velocity, acceleration and jerk between points, or at them where
    the file says."""
    rates = np.zeros((3, len(trajectory.joints)))
    points, times, velocities, accelerations = _arrays(trajectory)
    if (np.diff(times) > 0.0).all():
        for row, measured in enumerate(_looks(points, times, velocities, accelerations).values()):
            for _, values, doubt in measured:
                rates[row] = np.maximum(
                    rates[row], np.maximum(np.abs(values) - doubt, 0.0).max(axis=0)
                )
    return rates


def _arrays(trajectory: Trajectory) -> tuple[F64, F64, F64 | None, F64 | None]:
    """Points, times, velocities and accelerations, without points that repeat the one before at the
    same time."""
    points, times = np.array(trajectory.points, float), np.array(trajectory.times, float)
    given = [
        np.array(rows, float) if rows else None
        for rows in (trajectory.velocities, trajectory.accelerations)
    ]
    keep = np.ones(len(times), bool)
    keep[1:] = (np.diff(times) > 0.0) | (np.diff(points, axis=0) != 0.0).any(axis=1)
    velocities, accelerations = (rows[keep] if rows is not None else None for rows in given)
    return points[keep], times[keep], velocities, accelerations


def _looks(
    points: F64, times: F64, velocities: F64 | None, accelerations: F64 | None
) -> dict[Rate, list[tuple[F64, F64, F64]]]:
    """Of each rate: times (k,), values (k, joints), and what rounding may be to blame for (k,
    joints)."""
    looks: dict[Rate, list[tuple[F64, F64, F64]]] = {rate: [] for rate in Rate}
    steps = np.diff(times)[:, None]
    speed = np.diff(points, axis=0) / steps
    rounding = _rounding(points) + np.abs(speed).max(axis=0) * _rounding(times[:, None])
    middle = 0.5 * (times[1:] + times[:-1])
    doubt = 2.0 * rounding / steps
    looks[Rate.VELOCITY].append((middle, speed, doubt))
    if len(times) > 2:
        span = (times[2:] - times[:-2])[:, None]
        change, change_doubt = (
            2.0 * np.diff(speed, axis=0) / span,
            2.0 * (doubt[1:] + doubt[:-1]) / span,
        )
        looks[Rate.ACCELERATION].append((times[1:-1], change, change_doubt))
        if len(times) > 3:
            span = (times[3:] - times[:-3])[:, None]
            jerk_doubt = 3.0 * (change_doubt[1:] + change_doubt[:-1]) / span
            looks[Rate.JERK].append(
                (middle[1:-1], 3.0 * np.diff(change, axis=0) / span, jerk_doubt)
            )
    if velocities is not None:
        vague = _rounding(velocities)
        looks[Rate.VELOCITY].append((times, velocities, np.zeros_like(velocities)))
        for ends, sign in ((velocities[:-1], 1.0), (velocities[1:], -1.0)):
            looks[Rate.ACCELERATION].append(
                (middle, 2.0 * sign * (speed - ends) / steps, 2.0 * (doubt + vague) / steps)
            )
        jerk = 6.0 * (velocities[1:] + velocities[:-1] - 2.0 * speed) / steps**2
        looks[Rate.JERK].append((middle, jerk, 12.0 * (doubt + vague) / steps**2))
    if accelerations is not None:
        looks[Rate.ACCELERATION].append((times, accelerations, np.zeros_like(accelerations)))
        looks[Rate.JERK].append(
            (middle, np.diff(accelerations, axis=0) / steps, 2.0 * _rounding(accelerations) / steps)
        )  # fmt: skip
    return looks


def _beyond(
    limits: JointLimits, rate: Rate, bound: F64, at: F64, values: F64, doubt: F64
) -> list[BeyondLimit]:
    over = values - doubt > bound * (1.0 + CLOSE)
    result = []
    for joint in np.flatnonzero(over.any(axis=0)).tolist():
        k = int(np.argmax(np.where(over[:, joint], values[:, joint], 0.0)))
        result.append(
            BeyondLimit(
                limits.joints[joint],
                rate,
                float(at[k]),
                float(values[k, joint]),
                float(bound[joint]),
                limits.slides[joint],
                int(over[:, joint].sum()),
            )
        )
    return result


def _rounding(table: F64) -> float:
    """Half a unit of the last digit that the numbers of a table (n, columns) are written with."""
    rows: I64 = np.unique(np.linspace(0, len(table) - 1, READ).astype(np.int64))
    digits = max(
        -int(Decimal(repr(value)).normalize().as_tuple().exponent)
        for value in table[rows].ravel().tolist()
    )
    return float(0.5 * 10.0 ** -np.clip(digits, *DIGITS))
