"""Pose of one thing in another, as URDF writes it. Metres, radians."""

from __future__ import annotations

from dataclasses import dataclass

Vector3 = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Origin:
    """A pose relative to the parent element: R = Rz(yaw) · Ry(pitch) · Rx(roll), then the
    translation.

    `quat_xyzw` (URDF 1.1) is None unless the file gives it; it then stands for the rotation instead
    of `rpy`.
    """

    xyz: Vector3 = (0.0, 0.0, 0.0)
    rpy: Vector3 = (0.0, 0.0, 0.0)
    quat_xyzw: Quaternion | None = None


IDENTITY = Origin()
