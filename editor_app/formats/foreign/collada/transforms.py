"""COLLADA's transforms as 4x4 matrices, lengths in metres; and their way back to URDF's origins."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from editor_app.formats.xml import XmlElement
from editor_app.model.origin import Origin

Matrix = npt.NDArray[np.float64]
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


def rotation(axis: Iterable[float], angle: float) -> Matrix:
    """(4, 4) by `angle` radians about `axis` (Rodrigues); none about a zero axis."""
    result = np.eye(4)
    v = np.array(list(axis), dtype=np.float64)
    norm = float(np.linalg.norm(v))
    if norm < 1e-12 or angle == 0:
        return result
    x, y, z = v / norm
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    result[:3, :3] = np.eye(3) + math.sin(angle) * k + 2 * math.sin(angle / 2) ** 2 * (k @ k)
    return result


def transform_of(element: XmlElement, unit: float) -> Matrix:
    """The matrix of one transform element; `unit` metres."""
    values = floats(element.text)
    result = np.eye(4)
    if element.tag == "translate" and len(values) == 3:
        result[:3, 3] = np.array(values) * unit
    elif element.tag == "rotate" and len(values) == 4:
        result = rotation(values[:3], math.radians(values[3]))
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


def origin_of(matrix: Matrix) -> Origin:
    """Rounded to 1e-15, so that noise of products does not fill the file; roll, pitch, yaw as URDF has them."""
    r = matrix[:3, :3]
    yaw = math.atan2(r[1, 0], r[0, 0])
    pitch = math.atan2(-r[2, 0], math.hypot(r[0, 0], r[1, 0]))
    cy, sy = math.cos(yaw), math.sin(yaw)
    roll = math.atan2(sy * r[0, 2] - cy * r[1, 2], cy * r[1, 1] - sy * r[0, 1])
    x, y, z = (_clean(v) for v in matrix[:3, 3])
    return Origin((x, y, z), (_clean(roll), _clean(pitch), _clean(yaw)))


def matrix_of(origin: Origin) -> Matrix:
    result = np.eye(4)
    if origin.quat_xyzw is not None:
        x, y, z, w = origin.quat_xyzw
        result = rotation((x, y, z), 2 * math.atan2(math.hypot(x, y, z), w))
    else:
        roll, pitch, yaw = origin.rpy
        result = rotation((0, 0, 1), yaw) @ rotation((0, 1, 0), pitch) @ rotation((1, 0, 0), roll)
    result[:3, 3] = origin.xyz
    return result


def axis_angle(matrix: Matrix) -> tuple[float, float, float, float]:
    """(x, y, z, degrees), by way of the quaternion, which is right at half turns, too."""
    r = matrix[:3, :3]
    four = np.array(
        [
            1 + r[0, 0] + r[1, 1] + r[2, 2],
            1 + r[0, 0] - r[1, 1] - r[2, 2],
            1 - r[0, 0] + r[1, 1] - r[2, 2],
            1 - r[0, 0] - r[1, 1] + r[2, 2],
        ]
    )
    largest = int(np.argmax(four))
    d = [r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]]
    s = [r[0, 1] + r[1, 0], r[0, 2] + r[2, 0], r[1, 2] + r[2, 1]]
    q = np.array(
        {
            0: [four[0], d[0], d[1], d[2]],
            1: [d[0], four[1], s[0], s[1]],
            2: [d[1], s[0], four[2], s[2]],
            3: [d[2], s[1], s[2], four[3]],
        }[largest]
    )
    q /= np.linalg.norm(q)
    if q[0] < 0:
        q = -q
    length = float(np.linalg.norm(q[1:]))
    if length < 1e-15:
        return 1.0, 0.0, 0.0, 0.0
    x, y, z = (float(v) for v in q[1:] / length)
    return x, y, z, math.degrees(2 * math.atan2(length, float(q[0])))


def _clean(value: float) -> float:
    rounded = round(float(value), 15)
    return rounded + 0.0 if rounded else 0.0
