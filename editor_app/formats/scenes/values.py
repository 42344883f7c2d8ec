"""Numbers of obstacles with the error that names the obstacle."""

from __future__ import annotations

from editor_app.formats.source import FormatError, SourceText
from editor_app.formats.yaml.plain import number, numbers
from editor_app.model.scene import Quaternion
from editor_app.model.urdf import Vector3


def vector(value: object, what: str, source: SourceText) -> Vector3:
    found = numbers(value, 3)
    if found is None:
        raise _fault(f"{what} wants three numbers", source)
    return found[0], found[1], found[2]


def quaternion(value: object, what: str, source: SourceText) -> Quaternion:
    found = numbers(value, 4)
    if found is None or not any(found):
        raise _fault(f"{what} wants a quaternion of four numbers (w, x, y, z)", source)
    return unit((found[0], found[1], found[2], found[3]))


def unit(q: Quaternion) -> Quaternion:
    """The same rotation with length 1; what has it already is not touched."""
    square = sum(part * part for part in q)
    if abs(square - 1.0) < 1e-12:
        return q
    length = square**0.5
    return q[0] / length, q[1] / length, q[2] / length, q[3] / length


def positive(value: object, what: str, source: SourceText) -> float:
    found = number(value)
    if found is None or found <= 0.0:
        raise _fault(f"{what} wants a number above 0 (metres)", source)
    return found


def size(value: object, what: str, source: SourceText) -> Vector3:
    found = vector(value, what, source)
    if min(found) <= 0.0:
        raise _fault(f"{what} wants three numbers above 0 (metres)", source)
    return found


def _fault(message: str, source: SourceText) -> FormatError:
    return FormatError(message, source.location(0))
