"""Rigid transforms as 4x4 float64 matrices. Metres and radians; quaternions are (w, x, y, z) unless
said otherwise.

Roll, pitch, yaw as in URDF: about the fixed axes x, y, z in this order, R = Rz(yaw) · Ry(pitch) ·
Rx(roll).

scipy's Rotation does the same, but importing scipy.spatial.transform costs 0.8 s of CPU (numpy
alone 0.3), more than all that `check` does; and at a pitch of a quarter turn it warns where a yaw
of the user's is wanted.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from editor_app.core.arrays import F64
from editor_app.core.model.origin import Origin
from editor_app.core.model.urdf import Inertial
from editor_app.core.model.xrdf import FixedTransform

Matrix = F64
#: Below this norm a quaternion or an axis has no direction.
NO_DIRECTION = 1e-12


def looking_from(azimuth: float, elevation: float) -> Matrix:
    """(3, 3): right, up, and towards an eye so many degrees round a scene and above it; z is up."""
    a, e = math.radians(azimuth), math.radians(elevation)
    eye = np.array([math.cos(e) * math.cos(a), math.cos(e) * math.sin(a), math.sin(e)])
    right = np.array([-math.sin(a), math.cos(a), 0.0])
    return np.array([right, np.cross(eye, right), eye])


def rpy_matrix(roll: float, pitch: float, yaw: float) -> Matrix:
    """(3, 3) rotation of fixed-axis roll, pitch, yaw in radians."""
    cr, sr = math.cos(roll), math.sin(roll)
    cp, sp = math.cos(pitch), math.sin(pitch)
    cy, sy = math.cos(yaw), math.sin(yaw)
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def matrix_to_rpy(rotation: npt.ArrayLike) -> tuple[float, float, float]:
    """Roll, pitch, yaw in radians of a (3, 3) rotation or (4, 4) transform; pitch in [-π/2, π/2].

    Roll is taken after yaw has been undone, so that it is also right at pitch = ±π/2, where only
    their difference is determined.
    """
    r = np.asarray(rotation, dtype=np.float64)
    yaw = math.atan2(r[1, 0], r[0, 0])
    pitch = math.atan2(-r[2, 0], math.hypot(r[0, 0], r[1, 0]))
    cy, sy = math.cos(yaw), math.sin(yaw)
    roll = math.atan2(sy * r[0, 2] - cy * r[1, 2], cy * r[1, 1] - sy * r[0, 1])
    return roll, pitch, yaw


def quaternion_matrix(wxyz: Sequence[float]) -> Matrix:
    """(3, 3) rotation of a quaternion (w, x, y, z), which is normalised first. Raises ValueError if
    it is zero."""
    w, x, y, z = (float(v) for v in wxyz)
    norm = math.hypot(w, x, y, z)
    if not norm > NO_DIRECTION or math.isinf(norm):
        raise ValueError("a quaternion of length 0 has no rotation")
    return np.array(_rows_of(w / norm, x / norm, y / norm, z / norm))


def quaternion_matrices(wxyz: Matrix) -> Matrix:
    """(n, 3, 3) rotations of quaternions (n, 4), as `quaternion_matrix`. Raises ValueError if one
    is zero."""
    norms = np.linalg.norm(wxyz, axis=1)
    if not (norms > NO_DIRECTION).all() or np.isinf(norms).any():
        raise ValueError("a quaternion of length 0 has no rotation")
    w, x, y, z = (wxyz / norms[:, None]).T
    return np.moveaxis(np.array(_rows_of(w, x, y, z)), -1, 0)


def _rows_of(w: Any, x: Any, y: Any, z: Any) -> list[list[Any]]:
    """The rotation of a unit quaternion, numbers or arrays of them."""
    return [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]


def matrix_to_quaternion(rotation: npt.ArrayLike) -> tuple[float, float, float, float]:
    """Unit quaternion (w, x, y, z) with w >= 0 of a (3, 3) rotation or (4, 4) transform.

    Shepperd's method: the largest of the four components is computed first, so nothing is divided
    by a small number.
    """
    r = np.asarray(rotation, dtype=np.float64)
    trace = r[0, 0] + r[1, 1] + r[2, 2]
    choices = (trace, r[0, 0], r[1, 1], r[2, 2])
    largest = max(range(4), key=lambda i: choices[i])
    if largest == 0:
        q = [1 + trace, r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]]
    else:
        i = largest - 1
        j, k = (i + 1) % 3, (i + 2) % 3
        q = [r[k, j] - r[j, k], 0.0, 0.0, 0.0]
        q[1 + i] = 1 + r[i, i] - r[j, j] - r[k, k]
        q[1 + j] = r[j, i] + r[i, j]
        q[1 + k] = r[k, i] + r[i, k]
    norm = math.hypot(*q)
    if q[0] < 0:
        norm = -norm
    w, x, y, z = (float(v / norm) for v in q)
    return w, x, y, z


def rpy_to_quaternion(roll: float, pitch: float, yaw: float) -> tuple[float, float, float, float]:
    """Unit quaternion (w, x, y, z) with w >= 0 of fixed-axis roll, pitch, yaw in radians."""
    return matrix_to_quaternion(rpy_matrix(roll, pitch, yaw))


def quaternion_to_rpy(wxyz: Sequence[float]) -> tuple[float, float, float]:
    """Roll, pitch, yaw in radians of a quaternion (w, x, y, z). Raises ValueError if it is zero."""
    return matrix_to_rpy(quaternion_matrix(wxyz))


def build_axis_rotation(axis: Sequence[float], angle: float) -> Matrix:
    """(3, 3) rotation by `angle` radians about `axis`, which is normalised. Raises ValueError for a
    zero axis."""
    u = np.asarray(axis, dtype=np.float64)
    norm = float(np.linalg.norm(u))
    if norm <= NO_DIRECTION:
        raise ValueError("an axis of length 0 has no direction")
    k = skew(u / norm)
    # Of small angles 1 - cos keeps fewer digits.
    rotation: Matrix = np.eye(3) + math.sin(angle) * k + 2 * math.sin(angle / 2) ** 2 * (k @ k)
    return rotation


def across(axis: Matrix) -> tuple[Matrix, Matrix]:
    """Two unit vectors that stand on an axis (3,) and on each other."""
    one = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    one /= np.linalg.norm(one)
    return one, np.cross(axis, one)


def skew(vector: npt.ArrayLike) -> Matrix:
    """(3, 3) matrix whose product with v is the cross product vector × v."""
    x, y, z = (float(v) for v in np.asarray(vector, dtype=np.float64))
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def transform(
    rotation: npt.ArrayLike | None = None, translation: npt.ArrayLike | None = None
) -> Matrix:
    """(4, 4) transform of a (3, 3) rotation and a (3,) translation; what is None is the
    identity."""
    result = np.eye(4)
    if rotation is not None:
        result[:3, :3] = rotation
    if translation is not None:
        result[:3, 3] = translation
    return result


def build_origin_matrix(origin: Origin) -> Matrix:
    """(4, 4) pose of a URDF origin; its quaternion counts if it has one. Raises ValueError if that
    is zero."""
    if origin.quat_xyzw is not None:
        x, y, z, w = origin.quat_xyzw
        return transform(quaternion_matrix((w, x, y, z)), origin.xyz)
    return transform(rpy_matrix(*origin.rpy), origin.xyz)


def build_pose_matrix(origin: Origin) -> Matrix:
    """Return `build_origin_matrix`; no rotation for a zero quaternion, which the reader of the URDF
    reports."""
    try:
        return build_origin_matrix(origin)
    except ValueError:
        return transform(None, origin.xyz)


def matrix_origin(matrix: npt.ArrayLike) -> Origin:
    """URDF origin (xyz, rpy) of a (4, 4) transform."""
    m = np.asarray(matrix, dtype=np.float64)
    x, y, z = (float(v) for v in m[:3, 3])
    return Origin((x, y, z), matrix_to_rpy(m))


def axis_transform(axis: Iterable[float], angle: float) -> Matrix:
    """(4, 4) by `angle` radians about `axis`; none about a zero axis."""
    vector = tuple(axis)
    return (
        transform(build_axis_rotation(vector, angle))
        if np.linalg.norm(vector) > NO_DIRECTION
        else np.eye(4)
    )


def joint_motion(axis: Sequence[float], value: float, *, slides: bool) -> Matrix:
    """(4, 4) of a joint at `value` (rad or m) about or along its axis, which is normalised; none
    for a zero axis."""
    if not slides:
        return axis_transform(axis, value)
    direction = np.asarray(axis, dtype=np.float64)
    return transform(None, direction / (np.linalg.norm(direction) or 1.0) * value)


def build_origin(matrix: Matrix) -> Origin:
    """Rounded to 1e-15, so that noise of products does not fill the file; roll, pitch, yaw as URDF
    has them."""
    x, y, z, roll, pitch, yaw = (
        round(float(value), 15) + 0.0 for value in (*matrix[:3, 3], *matrix_to_rpy(matrix))
    )
    return Origin((x, y, z), (roll, pitch, yaw))


def inertia_tensor(inertial: Inertial) -> Matrix:
    """(3, 3) kg m² about the centre of mass, in the axes of the inertial's origin."""
    xx, xy, xz, yy, yz, zz = inertial.inertia
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def link_tensor(inertial: Inertial) -> Matrix:
    """(3, 3) kg m² about the centre of mass, in the axes of the link: R I Rᵀ."""
    turn = build_pose_matrix(inertial.origin)[:3, :3]
    return np.asarray(turn @ inertia_tensor(inertial) @ turn.T)


def fixed_transform_matrix(fixed: FixedTransform) -> Matrix:
    """(4, 4) pose of an added XRDF frame in its parent. Raises ValueError if the quaternion is
    zero."""
    return transform(quaternion_matrix(fixed.orientation_wxyz), fixed.position)


def invert(matrix: npt.ArrayLike) -> Matrix:
    """Inverse of rigid transforms (..., 4, 4): transposed rotation, so it stays rigid."""
    m = np.asarray(matrix, dtype=np.float64)
    result = np.zeros_like(m)
    rotation = np.swapaxes(m[..., :3, :3], -1, -2)
    result[..., :3, :3] = rotation
    result[..., :3, 3] = -np.einsum("...ij,...j->...i", rotation, m[..., :3, 3])
    result[..., 3, 3] = 1.0
    return result


def apply(matrix: npt.ArrayLike, points: npt.ArrayLike) -> Matrix:
    """Points (n, 3) carried by one (4, 4) transform."""
    m = np.asarray(matrix, dtype=np.float64)
    p = np.asarray(points, dtype=np.float64)
    moved: Matrix = p @ m[:3, :3].T + m[:3, 3]
    return moved
