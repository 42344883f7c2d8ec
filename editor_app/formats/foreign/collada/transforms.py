"""COLLADA's transforms as 4x4 matrices, lengths in metres."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from editor_app.formats.xml import XmlElement

# Imported for all who work with transforms of COLLADA.
from editor_app.kinematics.transforms import Matrix as Matrix
from editor_app.kinematics.transforms import axis_transform as axis_transform
from editor_app.kinematics.transforms import matrix_to_quaternion
from editor_app.kinematics.transforms import origin_of as origin_of
from editor_app.kinematics.transforms import pose_matrix as pose_matrix

TAGS = ("translate", "rotate", "matrix", "scale", "lookat", "skew")


def floats(text: str) -> list[float]:
    """The numbers of a text; what is none is left out."""
    numbers = []
    for piece in text.split():
        try:
            value = float(piece)
        except ValueError:
            continue
        numbers.append(value if math.isfinite(value) else 0.0)
    return numbers


def transform_of(element: XmlElement, unit: float) -> Matrix:
    """The matrix of one transform element; `unit` metres."""
    values = floats(element.text)
    result = np.eye(4)
    if element.tag == "translate" and len(values) == 3:
        result[:3, 3] = np.array(values) * unit
    elif element.tag == "rotate" and len(values) == 4:
        result = axis_transform(values[:3], math.radians(values[3]))
    elif element.tag == "matrix" and len(values) == 16:
        result = np.array(values).reshape(4, 4)
        result[:3, 3] *= unit
    elif element.tag == "scale" and len(values) == 3:
        result[:3, :3] = np.diag(values)
    elif element.tag == "lookat" and len(values) == 9:
        eye, target, up = (np.array(values[i : i + 3]) for i in (0, 3, 6))
        z = eye - target
        z /= float(np.linalg.norm(z)) or 1.0
        x = np.cross(up, z)
        x /= float(np.linalg.norm(x)) or 1.0
        result[:3, 0], result[:3, 1], result[:3, 2], result[:3, 3] = x, np.cross(z, x), z, eye * unit
    return result


def product(elements: Iterable[XmlElement], unit: float) -> Matrix:
    """The transforms among `elements`, in their order."""
    result = np.eye(4)
    for element in elements:
        if element.tag in TAGS:
            result = result @ transform_of(element, unit)
    return result


def axis_angle(matrix: Matrix) -> tuple[float, float, float, float]:
    """(x, y, z, degrees), by way of the quaternion, which is right at half turns, too."""
    w, *vector = matrix_to_quaternion(matrix)
    length = math.hypot(*vector)
    if length < 1e-15:
        return 1.0, 0.0, 0.0, 0.0
    x, y, z = (v / length for v in vector)
    return x, y, z, math.degrees(2 * math.atan2(length, w))
