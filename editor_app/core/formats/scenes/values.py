"""Numbers of obstacles with the error that names the obstacle."""

from __future__ import annotations

import math

from editor_app.core.model.origin import Vector3
from editor_app.core.model.scene import Quaternion
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.text.yaml.plain import read_finite_number, read_finite_numbers


def read_scene_vector(value: object, subject: str, source: SourceText) -> Vector3:
    values = read_finite_numbers(value, 3)
    if values is None:
        raise _fault(f"{subject} needs three numbers", source)
    return values[0], values[1], values[2]


def quaternion(value: object, subject: str, source: SourceText) -> Quaternion:
    values = read_finite_numbers(value, 4)
    if values is None or not any(values):
        raise _fault(f"{subject} needs a quaternion of four numbers (w, x, y, z)", source)
    return unit((values[0], values[1], values[2], values[3]))


def unit(q: Quaternion) -> Quaternion:
    """Return the rotation with length 1; a unit quaternion is returned as it is."""
    if abs(sum(part * part for part in q) - 1.0) < 1e-12:
        return q
    # The square of a large number has no end, that of a small one is zero.
    largest = max(map(abs, q))
    q = q[0] / largest, q[1] / largest, q[2] / largest, q[3] / largest
    length = math.hypot(*q)
    return q[0] / length, q[1] / length, q[2] / length, q[3] / length


def positive(value: object, subject: str, source: SourceText) -> float:
    measure = read_finite_number(value)
    if measure is None or measure <= 0.0:
        raise _fault(f"{subject} needs a number above 0 (metres)", source)
    return measure


def size(value: object, subject: str, source: SourceText) -> Vector3:
    values = read_scene_vector(value, subject, source)
    if min(values) <= 0.0:
        raise _fault(f"{subject} needs three numbers above 0 (metres)", source)
    return values


def _fault(message: str, source: SourceText) -> FormatError:
    return FormatError(message, source.location(0))
