"""Newton's method within limits, by the least movement of the joints: the last digits of a posture."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from editor_app.kinematics.transforms import Matrix

Mask = npt.NDArray[np.bool_]
#: Metres and radians within which frames are where they are to be.
EXACT = 1e-10
_NEWTON = 12
#: Of the largest singular value: what is less moves nothing.
_RANK = 1e-7


class Equations(Protocol):
    """What is to become 0."""

    def linear(self, values: Matrix) -> tuple[Matrix, Matrix, Matrix]:
        """Errors (r,) in metres and radians, Jacobian (r, n), readiness (n,), at variables (n,)."""


def exactly(problem: Equations, start: Matrix, lower: Matrix, upper: Matrix) -> tuple[Matrix | None, Mask]:
    """The nearest variables that are exactly there, None without; and which were held by a limit in the last step."""
    values = start
    blocked: Mask = np.zeros(len(start), bool)
    for _ in range(_NEWTON):
        errors, jacobian, weights = problem.linear(values)
        if float(np.abs(errors).max(initial=0.0)) <= EXACT:
            return values, blocked
        step, blocked = _least_step(errors, jacobian, weights, lower - values, upper - values)
        if float(np.abs(step).max(initial=0.0)) > 1.0:
            break
        values = np.clip(values + step, lower, upper)
    return None, blocked


def _least_step(errors: Matrix, jacobian: Matrix, weights: Matrix, lower: Matrix, upper: Matrix) -> tuple[Matrix, Mask]:
    """The least step that takes the errors away, within its bounds; and which variables are at a bound."""
    blocked: Mask = np.zeros(len(lower), bool)
    step: Matrix = np.zeros(len(lower))
    for _ in range(len(lower)):
        weighted = np.where(blocked, 0.0, weights)
        rest = errors - jacobian @ np.where(blocked, step, 0.0)
        free = weighted * np.linalg.lstsq(jacobian * weighted, rest, rcond=_RANK)[0]
        step = np.where(blocked, step, free)
        beyond = ~blocked & ((step < lower) | (step > upper))
        if not beyond.any():
            break
        blocked = blocked | beyond
        step = np.where(beyond, np.clip(step, lower, upper), step)
    return step, blocked
