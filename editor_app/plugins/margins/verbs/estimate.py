"""The verb estimate_tolerances: tolerances of joints from a commanded motion and the measured
one."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from editor_app.core.arrays import F64
from editor_app.core.model.frozen import brief
from editor_app.core.model.trajectory import Trajectory
from editor_app.core.model.urdf import JointType
from editor_app.core.space.kinematics.tree import get_tree
from editor_app.core.tasks.work import Described, Refused, check_arguments, describe_robot
from editor_app.plugins.margins.tolerances import Tolerances

#: Seconds that a measured motion may begin later or earlier, and steps within them.
_MOST_SHIFT, _SHIFTS = 0.5, 201


@dataclass(frozen=True)
class JointError:
    """Measured minus commanded position of a joint, radians or metres: the mean (an error of
    calibration), the standard deviation, and the largest distance from 0."""

    joint: str
    mean: float
    deviation: float
    largest: float


@dataclass(frozen=True)
class Estimate:
    """`tolerances`: the largest error of each joint, rounded up to two digits. `shift`: seconds by
    which the measured motion was moved to an earlier time. `count`: compared moments."""

    tolerances: Tolerances
    errors: tuple[JointError, ...]
    shift: float
    count: int

    __repr__ = brief


@check_arguments
def estimate_tolerances(
    robot: Described, commanded: Trajectory, measured: Trajectory, *, align: bool = False
) -> Estimate:
    """Compare two motions of the same robot, by their times where both have some, else row by row.

    `align`: move the measured motion in time, by half a second at most, to where it fits best; use
    it for recordings that begin at different moments. Without it, a delay of the controller counts
    as an error of position. Raises Refused where the motions have no joint, or no moment, in
    common.
    """
    tree = get_tree(describe_robot(robot))
    joints = [
        name for name in tree.independent if name in commanded.joints and name in measured.joints
    ]
    if not joints:
        raise Refused(
            "the two motions have no independent joint of the robot in common; commanded: "
            f"{', '.join(commanded.joints[:6])}; measured: {', '.join(measured.joints[:6])}"
        )
    wanted, actual = (_table(motion, joints) for motion in (commanded, measured))
    is_turning = np.array(
        [tree.joints[tree.joint_index[name]].type is not JointType.PRISMATIC for name in joints]
    )
    shift = 0.0
    if commanded.times is None or measured.times is None:
        if align:
            raise Refused("only motions with times can be aligned")
        if len(wanted) != len(actual):
            raise Refused(
                f"the motions have no times and {len(wanted)} and {len(actual)} points: they "
                "cannot be compared"
            )
        errors = _wrapped(actual - wanted, is_turning)
    else:
        clocks = np.array(commanded.times), np.array(measured.times)
        shifts = np.linspace(-_MOST_SHIFT, _MOST_SHIFT, _SHIFTS) if align else np.zeros(1)
        tries = [_errors(wanted, actual, *clocks, float(each), is_turning) for each in shifts]
        # At least half of the measured moments have to be compared.
        rated = [
            float(np.square(e).mean()) if 2 * len(e) >= len(actual) else math.inf for e in tries
        ]
        best = int(np.argmin(rated))
        errors, shift = tries[best], float(shifts[best])
        if not len(errors) or not math.isfinite(rated[best]):
            raise Refused(
                "the times of the two motions overlap by less than half: compare recordings of one "
                "run"
            )
    rows = tuple(
        JointError(name, float(column.mean()), float(column.std()), float(np.abs(column).max()))
        for name, column in zip(joints, errors.T, strict=True)
    )
    return Estimate(
        Tolerances.of({row.joint: _rounded_up(row.largest) for row in rows}),
        rows,
        shift,
        len(errors),
    )


def _table(motion: Trajectory, joints: list[str]) -> F64:
    table = np.array(motion.points, float).reshape(len(motion), len(motion.joints))
    return table[:, [motion.joints.index(name) for name in joints]]


def _errors(
    wanted: F64, actual: F64, wanted_clock: F64, clock: F64, shift: float, is_turning: np.ndarray
) -> F64:
    """Rows of measured minus commanded at the measured moments within the commanded motion."""
    moments = clock - shift
    inside = (moments >= wanted_clock[0]) & (moments <= wanted_clock[-1])
    expected = np.column_stack(
        [np.interp(moments[inside], wanted_clock, column) for column in wanted.T]
    )
    return _wrapped(actual[inside] - expected, is_turning)


def _wrapped(errors: F64, is_turning: np.ndarray) -> F64:
    turned = np.remainder(errors + np.pi, 2.0 * np.pi) - np.pi
    return np.where(is_turning, turned, errors)


def _rounded_up(value: float) -> float:
    if value <= 0.0:
        return 0.0
    step = 10.0 ** (math.floor(math.log10(value)) - 1)
    return float(f"{math.ceil(value / step * (1.0 - 1e-12)) * step:.6g}")
