"""Role of a link in the robot, changed in one step: tool frame, moved by a controlled joint,
locked, or named anew.

Each function gives the change for the frames that are meant, or raises CannotApply with the
sentence that says why there is none: callers grey a command out with it.
"""

from __future__ import annotations

from collections.abc import Sequence

from editor_app.core.document.commands import (
    AddCSpace,
    AddJoints,
    AllOf,
    RemoveJoints,
    RenameLink,
)
from editor_app.core.document.commands.lists import InsertItem, RemoveItems, RenameItem, SetItems
from editor_app.core.document.commands.tools import join_changes
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.pose import Pose
from editor_app.core.model.robot import CannotApply, Change, RobotDescription
from editor_app.core.model.xrdf import PLACEHOLDER_ACCELERATION, PLACEHOLDER_JERK, AddFrame
from editor_app.core.space.kinematics.tree import get_tree

_NO_LINK = "Select a link first."


def are_tool_frames(robot: RobotDescription, frames: Sequence[str]) -> bool:
    """Return whether all of the frames, and at least one, are tool frames."""
    return bool(frames) and set(frames) <= set(robot.xrdf.tool_frames or ())


def change_tool_frames(robot: RobotDescription, frames: Sequence[str]) -> Change:
    """Adds the frames to the tool frames; takes them out where all of them are some."""
    if not frames:
        raise CannotApply(_NO_LINK)
    present = robot.xrdf.tool_frames or ()
    if are_tool_frames(robot, frames):
        return RemoveItems("xrdf.tool_frames", tuple(present.index(frame) for frame in frames))
    added = [InsertItem("xrdf.tool_frames", frame) for frame in frames if frame not in present]
    return _one(added, "Add {} tool frames")


def are_controlled(robot: RobotDescription, frames: Sequence[str]) -> bool:
    """Return whether the joints above the frames, at least one, are all in the c-space."""
    try:
        joints = moving_joints(robot, frames)
    except CannotApply:
        return False
    return set(joints) <= set(robot.xrdf.controlled)


def change_control(robot: RobotDescription, frames: Sequence[str]) -> Change:
    """Adds the joints above the frames to the c-space; takes them out where all of them are in it.

    Raises CannotApply where no frame hangs on a joint that can be controlled.
    """
    joints, present = moving_joints(robot, frames), robot.xrdf.controlled
    if set(joints) <= set(present):
        return RemoveJoints(tuple(present.index(joint) for joint in joints))
    added: list[Change] = [control_joint(robot, joint) for joint in joints if joint not in present]
    if robot.xrdf.cspace is None:
        added.insert(0, AddCSpace())
    return _one(added, "Add {} joints to the c-space")


def control_joint(robot: RobotDescription, joint: str) -> AddJoints:
    """Adds a joint to the c-space with the limits that the URDF gives, or the placeholders."""
    urdf_joint = robot.urdf.joint(joint)
    limit = urdf_joint.limit if urdf_joint is not None else None
    acceleration = limit.acceleration if limit is not None else None
    jerk = limit.jerk if limit is not None else None
    return AddJoints((joint,), acceleration or PLACEHOLDER_ACCELERATION, jerk or PLACEHOLDER_JERK)


def lock_joints(robot: RobotDescription, frames: Sequence[str], pose: Pose) -> Change:
    """Takes the joints above the frames out of the c-space, and makes their positions in `pose` the
    default ones.

    Positions in radians or metres.
    """
    joints, present = moving_joints(robot, frames), robot.xrdf.controlled
    positions = FrozenDict({joint: pose[joint] for joint in joints if joint in pose})
    leaving = tuple(present.index(joint) for joint in joints if joint in present)
    default: FrozenDict[str, float] = robot.xrdf.default_joint_positions or FrozenDict()
    if not leaving and all(default.get(joint) == position for joint, position in positions.items()):
        raise CannotApply(
            f"{', '.join(joints)} {'is' if len(joints) == 1 else 'are'} already locked at this "
            "position."
        )
    parts: list[Change] = [RemoveJoints(leaving)] if leaving else []
    names = joints[0] if len(joints) == 1 else f"{len(joints)} joints"
    return AllOf((*parts, SetItems("xrdf.default_joint_positions", positions)), f"Lock {names}")


def rename_frame(robot: RobotDescription, frame: str, name: str) -> Change:
    """Renames a link of the URDF, or a frame that the XRDF adds, with every reference to it."""
    if robot.urdf.link(frame) is not None:
        return RenameLink(frame, name)
    for index, modifier in enumerate(robot.xrdf.modifiers or ()):
        if isinstance(modifier, AddFrame) and modifier.frame_name == frame:
            return RenameItem("xrdf.modifiers", index, name)
    raise CannotApply(f"The robot has no link {frame}.")


def moving_joints(robot: RobotDescription, frames: Sequence[str]) -> tuple[str, ...]:
    """The joints that lead to the frames, of those that can be controlled. Raises CannotApply when
    there is none."""
    if not frames:
        raise CannotApply(_NO_LINK)
    joints, reason = [], ""
    for frame in frames:
        why = _not_moved(robot, frame)
        if why is None:
            joint = get_tree(robot).joint_to(frame)
            assert joint is not None
            joints.append(joint.name)
        else:
            reason = why
    if not joints:
        raise CannotApply(reason)
    return tuple(dict.fromkeys(joints))


def _not_moved(robot: RobotDescription, frame: str) -> str | None:
    """Why no joint of its own moves the frame; None when one does."""
    tree = get_tree(robot)
    if frame not in tree.index:
        return f"{frame} is not part of the kinematic structure."
    joint = tree.joint_to(frame)
    if joint is None:
        return f"{frame} is the root and has no parent joint."
    if not joint.is_movable:
        return f"{frame} is the child of a {joint.type} joint, {joint.name}."
    return f"{joint.name} follows {joint.mimic.joint}." if joint.mimic is not None else None


def _one(changes: Sequence[Change], label: str) -> Change:
    """A single change as it is, several as one step."""
    named = [change for change in changes if not isinstance(change, AddCSpace)]
    return join_changes(changes, named[0].label if len(named) == 1 else label.format(len(named)))
