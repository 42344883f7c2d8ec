"""Where a frame is in another one: position and rotation, in the ways in which programs write a rotation."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from editor_app.kinematics.transforms import Matrix, matrix_to_quaternion, matrix_to_rpy
from editor_app.model.brief import brief

Triple = tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class FramePose:
    """`matrix` (4, 4): the pose of `frame` in `reference`. Metres and radians."""

    frame: str
    reference: str
    matrix: Matrix

    __repr__ = brief

    @property
    def position(self) -> Triple:
        x, y, z = self.matrix[:3, 3].tolist()
        return x, y, z

    @property
    def rpy(self) -> Triple:
        """Roll, pitch, yaw about the fixed axes x, y, z in this order, as URDF has them."""
        return matrix_to_rpy(self.matrix)

    @property
    def quaternion_wxyz(self) -> tuple[float, float, float, float]:
        """Of unit length, with w >= 0: the order of XRDF, cuRobo, MuJoCo and Eigen's constructor."""
        return matrix_to_quaternion(self.matrix)

    @property
    def quaternion_xyzw(self) -> tuple[float, float, float, float]:
        """The same in the order of ROS messages, scipy and pinocchio."""
        w, x, y, z = self.quaternion_wxyz
        return x, y, z, w

    @property
    def axis_angle(self) -> tuple[Triple, float]:
        """The unit axis, in the reference frame, and the angle from 0 to π; the axis is x where nothing is turned."""
        w, x, y, z = self.quaternion_wxyz
        sine = math.hypot(x, y, z)
        if sine == 0.0:
            return (1.0, 0.0, 0.0), 0.0
        return (x / sine, y / sine, z / sine), 2.0 * math.atan2(sine, w)


def placed(reference: Matrix, now: Matrix, place: Matrix, *, relative: bool) -> Matrix:
    """(4, 4) in the base frame: where a frame that is at `now` is to go, with `reference` (4, 4) in the base frame too.

    Absolute: `place` is its new pose in the reference. Relative: `place` is a shift along the reference's axes, and a
    turn about these axes through the frame's origin; with the frame itself as reference this is `now · place`.
    """
    if not relative:
        result: Matrix = reference @ place
        return result
    axes = reference[:3, :3]
    result = np.eye(4)
    result[:3, :3] = axes @ place[:3, :3] @ axes.T @ now[:3, :3]
    result[:3, 3] = now[:3, 3] + axes @ place[:3, 3]
    return result
