"""What a tool holds: a frame that the XRDF adds to it, with spheres of its own; it comes off with all that names it."""

from __future__ import annotations

from dataclasses import dataclass

from editor_app.edit.commands.fitted_spheres import SetFittedSpheres
from editor_app.edit.commands.modifiers import AddModifier
from editor_app.edit.commands.self_collision import MaskPairs
from editor_app.edit.commands.tools import with_xrdf
from editor_app.model.change import CannotApply, Label
from editor_app.model.frozen import FrozenDict
from editor_app.model.references import Named, with_renamed
from editor_app.model.robot import RobotDescription
from editor_app.model.xrdf import AddFrame, CollisionSphere, LinkPair


@dataclass(frozen=True, slots=True)
class AttachObject:
    """Adds `frame`, gives it `spheres` (metres, in that frame) in `group`, and ignores it against the frames `holding`.

    This is how cuRobo and cuMotion know what a gripper carries.
    """

    frame: AddFrame
    group: str
    spheres: tuple[CollisionSphere, ...]
    holding: tuple[str, ...] = ()
    label = Label("Attach {frame.frame_name} to {frame.parent_frame_name}")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        name = self.frame.frame_name
        robot = AddModifier(self.frame).apply(robot)
        robot = SetFittedSpheres(self.group, FrozenDict({name: self.spheres}), self.label).apply(robot)
        pairs = tuple(LinkPair.of(name, frame) for frame in self.holding if frame != name)
        return MaskPairs(pairs).apply(robot) if pairs and robot.xrdf.self_collision is not None else robot


@dataclass(frozen=True, slots=True)
class DetachObject:
    """Takes an added frame away, with its spheres and all that the XRDF and SRDF say of it."""

    name: str
    label = Label("Detach {name}")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        added = added_frame(robot, self.name)
        if added is None:
            raise CannotApply(f"There is no added frame {self.name}.")
        modifiers = tuple(each for each in robot.xrdf.modifiers or () if each is not added)
        return with_renamed(with_xrdf(robot, modifiers=modifiers or None), Named.LINK, self.name, None)


def added_frame(robot: RobotDescription, name: str) -> AddFrame | None:
    """The frame of that name which the XRDF adds."""
    frames = (each for each in robot.xrdf.modifiers or () if isinstance(each, AddFrame))
    return next((frame for frame in frames if frame.frame_name == name), None)
