"""Default joint positions, in radians or metres."""

from __future__ import annotations

from dataclasses import dataclass

from editor_app.edit.commands.tools import finite, named, with_xrdf
from editor_app.kinematics.tree import tree_of
from editor_app.model.change import CannotApply, Label
from editor_app.model.counting import counted
from editor_app.model.frozen import FrozenDict
from editor_app.model.pose import Pose
from editor_app.model.references import Named, with_renamed
from editor_app.model.robot import RobotDescription

NO_POSITIONS: FrozenDict[str, float] = FrozenDict()


@dataclass(frozen=True, slots=True)
class SetDefaultPositions:
    """Sets the default positions of joints; those that had none get an entry at the end."""

    positions: FrozenDict[str, float]

    @property
    def label(self) -> str:
        if len(self.positions) == 1:
            return f"Set default position of {next(iter(self.positions))}"
        return f"Set {counted(len(self.positions), 'default position')}"

    def apply(self, robot: RobotDescription) -> RobotDescription:
        present = robot.xrdf.default_joint_positions
        new = NO_POSITIONS if present is None else present
        for joint, position in self.positions.items():
            named(joint, "The joint of a default position")
            if new.get(joint) != finite(position, f"The default position of {joint}"):
                new = new.set(joint, position)
        return with_xrdf(robot, default_joint_positions=new)


@dataclass(frozen=True, slots=True)
class SetDefaultsFromPose:
    """Makes a pose the default: for each joint that one number moves and that follows no other one."""

    pose: Pose

    label = "Make pose the default"

    def apply(self, robot: RobotDescription) -> RobotDescription:
        positions = {joint: self.pose[joint] for joint in tree_of(robot).independent if joint in self.pose}
        return SetDefaultPositions(FrozenDict(positions)).apply(robot)


@dataclass(frozen=True, slots=True)
class DeleteDefaultPositions:
    """Deletes entries: 0, clamped to the joint's limits, holds for them then."""

    joints: tuple[str, ...]
    label = Label("Delete default position of {joints:the joint}")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        present = robot.xrdf.default_joint_positions or NO_POSITIONS
        for joint in self.joints:
            if joint not in present:
                raise CannotApply(f"{joint} has no default position.")
        return with_xrdf(robot, default_joint_positions=present.without(*self.joints)) if self.joints else robot


@dataclass(frozen=True, slots=True)
class RenameDefaultPosition:
    """Gives an entry to another joint, in its place."""

    old: str
    new: str
    label = Label("Move default position from {old} to {new}")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        present = robot.xrdf.default_joint_positions or NO_POSITIONS
        named(self.new, "The joint of a default position")
        if self.old not in present:
            raise CannotApply(f"{self.old} has no default position.")
        if self.new == self.old:
            return robot
        if self.new in present:
            raise CannotApply(f"{self.new} has a default position already.")
        return with_renamed(robot, Named.JOINT, self.old, self.new, ["xrdf"], title="default_joint_positions")
