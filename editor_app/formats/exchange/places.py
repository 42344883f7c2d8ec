"""URDF's origins as 4x4 matrices, and back with the digits that files have."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from editor_app.kinematics.transforms import NO_DIRECTION, Matrix, axis_rotation, matrix_to_rpy, transform
from editor_app.kinematics.transforms import pose_matrix as matrix_of
from editor_app.model.origin import Origin

__all__ = ["Matrix", "matrix_of", "origin_of", "rotation"]


def rotation(axis: Iterable[float], angle: float) -> Matrix:
    """(4, 4) by `angle` radians about `axis`; none about a zero axis."""
    vector = tuple(axis)
    return transform(axis_rotation(vector, angle)) if np.linalg.norm(vector) > NO_DIRECTION else np.eye(4)


def origin_of(matrix: Matrix) -> Origin:
    """Rounded to 1e-15, so that noise of products does not fill the file; roll, pitch, yaw as URDF has them."""
    x, y, z, roll, pitch, yaw = (round(float(value), 15) + 0.0 for value in (*matrix[:3, 3], *matrix_to_rpy(matrix)))
    return Origin((x, y, z), (roll, pitch, yaw))
