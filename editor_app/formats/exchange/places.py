"""URDF's origins as 4x4 matrices, and back."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from editor_app.model.origin import Origin

Matrix = npt.NDArray[np.float64]


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


def _clean(value: float) -> float:
    rounded = round(float(value), 15)
    return rounded + 0.0 if rounded else 0.0
