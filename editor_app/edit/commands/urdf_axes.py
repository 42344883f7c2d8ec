"""Axes of joints that stand askew, or are not of length 1: written so that every reader takes them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from editor_app.edit.commands.tools import the_joint, with_joint, with_urdf
from editor_app.kinematics.transforms import matrix_origin, origin_matrix, skew, transform
from editor_app.model.change import CannotApply, Label
from editor_app.model.near_names import free_name
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
    label = Label("Turn the axis of {joint} into its origin")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        urdf, joint = robot.urdf, the_joint(robot, self.joint)
        place = next(i for i, other in enumerate(urdf.joints) if other is joint)
        length = math.hypot(*joint.axis)
        if not joint.is_movable or not length:
            raise CannotApply(f"{self.joint} has no axis to turn.")
        unit = (joint.axis[0] / length, joint.axis[1] / length, joint.axis[2] / length)
        exact = unit_axis(unit)
        if exact is not None:
            return with_joint(robot, joint, replace(joint, axis=exact))
        between = free_name(f"{joint.child}_axis", {link.name for link in urdf.links})
        back = free_name(f"{joint.name}_back", {j.name for j in urdf.joints})
        turn = _turn(np.array(unit))
        turned = replace(joint, origin=_origin(origin_matrix(joint.origin) @ turn), axis=(0.0, 0.0, 1.0), child=between)
        fixed = Joint(back, JointType.FIXED, between, joint.child, _origin(turn.T))
        joints = (*urdf.joints[:place], turned, fixed, *urdf.joints[place + 1 :])
        links = [*urdf.links]
        at = next((i for i, link in enumerate(links) if link.name == joint.child), len(links))
        links.insert(at, Link(between))
        return with_urdf(robot, links=tuple(links), joints=joints)


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
    # To an axis that points nearly the other way, half a turn about x is made first: the rest is a small turn.
    first = np.diag([1.0, -1.0, -1.0]) if axis[2] < -0.999999 else np.eye(3)
    tip = first[:, 2]
    k = skew(np.cross(tip, axis))
    return transform((np.eye(3) + k + k @ k / (1 + float(tip @ axis))) @ first)


def _origin(matrix: np.ndarray) -> Origin:
    origin = matrix_origin(matrix)
    # No -0.0, which would be written so.
    x, y, z, roll, pitch, yaw = (v + 0.0 for v in (*origin.xyz, *origin.rpy))
    return Origin((x, y, z), (roll, pitch, yaw))
