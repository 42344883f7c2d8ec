"""Poses that the user asks for by name; all within the limits, and locked joints stay."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

from editor_app.gui.session import Session
from editor_app.kinematics.tree import TreeJoint
from editor_app.model.pose import Pose
from editor_app.model.urdf import JointType


def span(joint: TreeJoint) -> tuple[float, float]:
    """(lower, upper) in radians or metres that a slider runs over: the limits, or a turn for a continuous joint."""
    if joint.limits is not None:
        return joint.limits
    return (-math.pi, math.pi) if joint.type is not JointType.PRISMATIC else (-1.0, 1.0)


def clamped(joint: TreeJoint, position: float) -> float:
    """The nearest position within the limits."""
    if joint.limits is None:
        return position
    lower, upper = joint.limits
    return min(max(position, lower), upper)


def go(session: Session, name: str) -> None:
    """To one of NAMED, or with "default" to the default joint positions of the XRDF."""
    tree = session.tree
    if name == "default":
        session.go_to(Pose({joint: session.pose[joint] for joint in session.locked if joint in session.pose}))
    elif tree is not None:
        joints = (tree.joint(joint) for joint in tree.independent)
        session.move_joints({joint.name: NAMED[name](joint) for joint in joints if joint is not None})


#: Where a joint is in a pose that has a name; locked joints stay.
NAMED: dict[str, Callable[[TreeJoint], float]] = {
    "zero": lambda joint: clamped(joint, 0.0),
    "middle": lambda joint: sum(span(joint)) / 2,
    "random": lambda joint: random.uniform(*span(joint)),
}
