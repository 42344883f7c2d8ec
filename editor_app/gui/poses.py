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


def zero(session: Session) -> None:
    """Every joint at 0, or at the limit next to it."""
    _set(session, lambda joint: clamped(joint, 0.0))


def default(session: Session) -> None:
    """The default joint positions of the XRDF; locked joints stay."""
    session.go_to(Pose({name: session.pose[name] for name in session.locked if name in session.pose}))


def middle(session: Session) -> None:
    """Every joint half-way between its limits."""
    _set(session, lambda joint: sum(span(joint)) / 2)


def shuffle(session: Session) -> None:
    """Every joint anywhere within its limits."""
    _set(session, lambda joint: random.uniform(*span(joint)))


def _set(session: Session, position: Callable[[TreeJoint], float]) -> None:
    tree = session.tree
    if tree is None:
        return
    joints = (tree.joint(name) for name in tree.independent)
    session.move_joints({joint.name: position(joint) for joint in joints if joint is not None})


#: By the names that the actions have.
NAMED = {"zero": zero, "default": default, "middle": middle, "random": shuffle}
