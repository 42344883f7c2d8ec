"""Axes of joints that stand askew, or are not of length 1: written so that every reader takes them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from editor_app.kinematics.transforms import origin_matrix
from editor_app.model.change import CannotApply
from editor_app.model.origin import Origin
from editor_app.model.robot import RobotDescription
from editor_app.model.urdf import Joint, JointType, Link

#: How far a component may be from 0 or 1 so that the axis is a unit axis that was written with noise.
_NOISE = 1e-6


@dataclass(frozen=True, slots=True)
class StraightenAxis:
    """Makes the axis of a joint a unit axis of its frame, and leaves every frame where it is in every pose.

    An axis that is one already but for its length or noise is written exactly. An axis askew becomes z: what turns it
    there goes into the joint's origin, and is taken back by a fixed joint behind it, with a link between them. So
    the link that the joint carries keeps its frame, and nothing that hangs on it has to be written anew.
    """

    joint: str

    @property
    def label(self) -> str:
        return f"Turn the axis of {self.joint} into its origin"

    def apply(self, robot: RobotDescription) -> RobotDescription:
        urdf = robot.urdf
        place = next((i for i, j in enumerate(urdf.joints) if j.name == self.joint), None)
        if place is None:
            raise CannotApply(f"There is no joint {self.joint!r}.")
        joint = urdf.joints[place]
        length = math.hypot(*joint.axis)
        if not joint.is_movable or not length:
            raise CannotApply(f"{self.joint} has no axis to turn.")
        unit = (joint.axis[0] / length, joint.axis[1] / length, joint.axis[2] / length)
        exact = unit_axis(unit)
        if exact is not None:
            joints = (*urdf.joints[:place], replace(joint, axis=exact), *urdf.joints[place + 1 :])
            return robot.with_urdf(replace(urdf, joints=joints))
        between = _free(f"{joint.child}_axis", {link.name for link in urdf.links})
        back = _free(f"{joint.name}_back", {j.name for j in urdf.joints})
        turn = _turn(np.array(unit))
        turned = replace(joint, origin=_origin(origin_matrix(joint.origin) @ turn), axis=(0.0, 0.0, 1.0), child=between)
        fixed = Joint(back, JointType.FIXED, between, joint.child, _origin(turn.T))
        joints = (*urdf.joints[:place], turned, fixed, *urdf.joints[place + 1 :])
        links = [*urdf.links]
        at = next((i for i, link in enumerate(links) if link.name == joint.child), len(links))
        links.insert(at, Link(between))
        return robot.with_urdf(replace(urdf, links=tuple(links), joints=joints))


def unit_axis(axis: tuple[float, float, float]) -> tuple[float, float, float] | None:
    """The unit axis, forwards or backwards, that an axis of length 1 is but for noise; None for one askew."""
    rounded = [float(round(v)) if abs(v - round(v)) <= _NOISE else math.nan for v in axis]
    if sum(abs(v) for v in rounded) != 1:
        return None
    # No -0.0, which would be written so.
    x, y, z = (v + 0.0 for v in rounded)
    return x, y, z


def _turn(axis: np.ndarray) -> np.ndarray:
    """(4, 4): a rotation that takes z to the axis, the shortest one."""
    result = np.eye(4)
    z = np.array([0.0, 0.0, 1.0])
    v, c = np.cross(z, axis), float(z @ axis)
    if c < -0.999999:
        result[:3, :3] = np.diag([1.0, -1.0, -1.0])
        # From there the rest is a small turn.
        v, c = np.cross(-z, axis), float(-z @ axis)
        k = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
        result[:3, :3] = (np.eye(3) + k + k @ k / (1 + c)) @ result[:3, :3]
        return result
    k = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    result[:3, :3] = np.eye(3) + k + k @ k / (1 + c)
    return result


def _origin(matrix: np.ndarray) -> Origin:
    r = matrix[:3, :3]
    yaw = math.atan2(r[1, 0], r[0, 0])
    pitch = math.atan2(-r[2, 0], math.hypot(r[0, 0], r[1, 0]))
    cy, sy = math.cos(yaw), math.sin(yaw)
    roll = math.atan2(sy * r[0, 2] - cy * r[1, 2], cy * r[1, 1] - sy * r[0, 1])
    x, y, z = (float(v) + 0.0 for v in matrix[:3, 3])
    return Origin((x, y, z), (roll + 0.0, pitch + 0.0, yaw + 0.0))


def _free(name: str, taken: set[str]) -> str:
    candidate, number = name, 2
    while candidate in taken:
        candidate, number = f"{name}_{number}", number + 1
    return candidate
