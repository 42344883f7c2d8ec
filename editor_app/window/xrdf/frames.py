"""Choices that the panels offer, and marks of names that do not exist."""

from __future__ import annotations

from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.urdf import JointType
from editor_app.window.bindings.panel import ByValue
from editor_app.window.bindings.quantity import NUMBER, Quantity, joint_quantity
from editor_app.window.session import Session


def frames_of(session: Session) -> tuple[str, ...]:
    """The frames of the kinematic structure, parents first."""
    return session.tree.frames


def sphere_counts(robot: RobotDescription) -> ByValue:
    """Groups, what they clone, and how many spheres each frame has: all that panels show while
    spheres are dragged."""
    return ByValue(
        tuple(
            (
                group.name,
                group.clone,
                tuple((frame, len(spheres)) for frame, spheres in group.spheres.items()),
            )
            for group in robot.xrdf.geometry or ()
        )
    )


def unknown_frame(session: Session, frame: str) -> str | None:
    """Why a frame cannot be used, None when it can."""
    tree = session.tree
    if frame in tree.index:
        return None
    if frame in tree.removed_frames:
        return f"The base frame cuts {frame} off."
    return f"No frame named {frame}."


def free_joints(session: Session) -> tuple[str, ...]:
    """The joints that one number moves and that follow no other one, in tree order."""
    return session.tree.independent


def unknown_joint(session: Session, joint: str) -> str | None:
    """Why a joint can be neither controlled nor given a default position, None when it can."""
    tree = session.tree
    if joint in tree.independent:
        return None
    if joint in tree.movable:
        tree_joint = tree.joint(joint)
        return (
            f"{joint} mimics {tree_joint.mimic.joint}."
            if tree_joint and tree_joint.mimic
            else f"{joint} follows another joint."
        )
    if tree.joint(joint) is not None:
        return f"{joint} does not have exactly one position."
    if joint in tree.removed_joints:
        return f"The base frame cuts {joint} off."
    return f"No joint named {joint}."


def quantity_of_joint(robot: RobotDescription, joint: str, per: str = "") -> Quantity:
    """Return the quantity of a joint's positions (or derivatives); plain numbers for a joint that
    does not exist."""
    urdf_joint = robot.urdf.joint(joint)
    return (
        NUMBER
        if urdf_joint is None
        else joint_quantity(urdf_joint.type is JointType.PRISMATIC, per)
    )
