"""How fast joints may move: velocity from the URDF, acceleration and jerk from the c-space, else
from the URDF.

Where MoveIt's joint_limits.yaml is there, too, the stricter of the two counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from editor_app.core.arrays import F64
from editor_app.core.model.counting import format_list
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.urdf import JointType
from editor_app.core.model.xrdf import PLACEHOLDER_ACCELERATION
from editor_app.core.space.kinematics.structure import KinematicTree
from editor_app.core.space.kinematics.tree import get_tree

#: No limit is taken as less or more (rad or m per second, second², second³): a time law computes
#: with its powers.
SLOWEST, FASTEST = 1e-9, 1e9
#: What a time law takes where no file limits the velocity of a joint, rad/s or m/s.
ASSUMED_VELOCITY = 1.0


@dataclass(frozen=True)
class JointLimits:
    """The limits of `joints` (n): rad/s, rad/s², rad/s³ or in metres; infinite where no file says.

    A joint that others follow has what is left to it by the strictest of them. `slides`: joints in
    metres.
    """

    joints: tuple[str, ...]
    velocity: F64
    acceleration: F64
    jerk: F64
    slides: tuple[bool, ...]

    def scaled(self, speed: float) -> JointLimits:
        """The limits of the same motion in slow motion: `speed` of the velocity, and what goes with
        it."""
        return JointLimits(
            self.joints,
            self.velocity * speed,
            self.acceleration * speed**2,
            self.jerk * speed**3,
            self.slides,
        )

    def assumed(self) -> tuple[JointLimits, tuple[str, ...]]:
        """Limits a time law can be made of, and sentences about what is assumed where no file
        says."""
        notes = []
        for name, values, value in (
            ("velocity", self.velocity, ASSUMED_VELOCITY),
            ("acceleration", self.acceleration, PLACEHOLDER_ACCELERATION),
        ):
            joints = [
                joint
                for joint, limit in zip(self.joints, values.tolist(), strict=True)
                if not np.isfinite(limit)
            ]
            if joints:
                notes.append(
                    f"No file limits the {name} of {format_list(joints, 3)}: {value:g} is assumed."
                )
        if not np.isfinite(self.jerk).all():
            notes.append("Some joints have no jerk limit: their acceleration jumps.")
        velocity = np.where(np.isfinite(self.velocity), self.velocity, ASSUMED_VELOCITY)
        acceleration = np.where(
            np.isfinite(self.acceleration), self.acceleration, PLACEHOLDER_ACCELERATION
        )
        return JointLimits(self.joints, velocity, acceleration, self.jerk, self.slides), tuple(
            notes
        )


def list_limits(robot: RobotDescription, joints: Sequence[str]) -> JointLimits:
    """The limits of movable joints; a name that is none has none."""
    tree = get_tree(robot)
    table = np.full((3, len(joints)), np.inf)
    column = {name: k for k, name in enumerate(joints)}
    for joint in tree.joints:
        follow = tree.follows.get(joint.name)
        if follow is None or follow.source is None or follow.multiplier == 0.0:
            continue
        # A follower that the trajectory names itself is judged by its own column.
        source, factor = (
            (joint.name, 1.0) if joint.name in column else (follow.source, abs(follow.multiplier))
        )
        if source in column:
            k = column[source]
            follower = np.clip(
                np.array(_of_joint(robot, tree, joint.name)) / max(factor, SLOWEST), SLOWEST, None
            )
            table[:, k] = np.minimum(table[:, k], follower)
    types = {joint.name: joint.type for joint in tree.joints}
    slides = tuple(types.get(name) is JointType.PRISMATIC for name in joints)
    return JointLimits(tuple(joints), table[0], table[1], table[2], slides)


def _of_joint(
    robot: RobotDescription, tree: KinematicTree, name: str
) -> tuple[float, float, float]:
    joint = tree.joints[tree.joint_index[name]]
    limit = joint.urdf.limit if joint.urdf is not None else None
    acceleration, jerk = (robot.xrdf.limits_of(kind).get(name) for kind in ("acceleration", "jerk"))
    if limit is not None:
        acceleration = limit.acceleration if acceleration is None else acceleration
        jerk = limit.jerk if jerk is None else jerk
    of_urdf_and_xrdf = _positive(joint.velocity), _positive(acceleration), _positive(jerk)
    moveit = robot.limits.joints.get(name) if robot.limits is not None else None
    if moveit is None:
        return of_urdf_and_xrdf
    # Whichever program moves the robot, it keeps to its own file: the stricter limit suits both.
    v, a, j = map(
        min, of_urdf_and_xrdf, map(_positive, (moveit.velocity, moveit.acceleration, moveit.jerk))
    )
    return v, a, j


def _positive(value: float | None) -> float:
    """Clamp to `SLOWEST` and `FASTEST`. A limit of 0 is one that nobody filled in: no joint could
    move."""
    return (
        min(max(value, SLOWEST), FASTEST)
        if value is not None and np.isfinite(value) and value > 0.0
        else np.inf
    )
