"""Fitted spheres as one step, with group and buffers; and a grasped object: an added frame with its
spheres."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from editor_app.core.document.commands.collision import AddCollisionSection, SetCollisionGeometry
from editor_app.core.document.commands.lists import InsertItem, SetItems
from editor_app.core.document.commands.self_collision import SetMask
from editor_app.core.document.commands.spheres import AddGroup, ReplaceSpheres, free_group_name
from editor_app.core.document.commands.tools import AllOf, replace_xrdf
from editor_app.core.drafting.bodies import link_rank
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.keys import Named
from editor_app.core.model.references import rename_references
from editor_app.core.model.robot import CannotApply, Change, Label, RobotDescription
from editor_app.core.model.xrdf import AddFrame, CollisionSphere, LinkPair

_SECTIONS: tuple[Literal["world_collision", "self_collision"], ...] = (
    "world_collision",
    "self_collision",
)


def group_for_fit(robot: RobotDescription, preferred: str | None = None) -> str:
    """Return the group for fitted spheres: the preferred, that of the sections, the first, or the
    name of a new one."""
    groups = robot.xrdf.geometry or ()
    for name in (preferred, robot.xrdf.world_group, robot.xrdf.self_group):
        if robot.xrdf.group(name) is not None:
            return str(name)
    return (
        groups[0].name
        if groups
        else free_group_name(robot.xrdf, f"{robot.urdf.name or 'robot'}_collision_spheres")
    )


@dataclass(frozen=True, slots=True)
class SetFittedSpheres:
    """Gives these frames these spheres, and, where given, these buffers (metres).

    A group that is not there yet is added, and used by the sections that name none. Frames that had
    no entry get theirs from the base to the tools.
    """

    group: str
    spheres: FrozenDict[str, tuple[CollisionSphere, ...]]
    label: str
    world_buffer: float | None = None
    self_buffer: float | None = None

    def apply(self, robot: RobotDescription) -> RobotDescription:
        return AllOf(tuple(self._changes(robot)), self.label).apply(robot)

    def _changes(self, robot: RobotDescription) -> list[Change]:
        changes: list[Change] = []
        is_new = robot.xrdf.group(self.group) is None
        if is_new:
            changes.append(AddGroup(self.group))
            for section in _SECTIONS:
                present = getattr(robot.xrdf, section)
                if present is None:
                    changes.append(AddCollisionSection(section, self.group))
                elif present.geometry is None:
                    changes.append(SetCollisionGeometry(section, self.group))
        rank = link_rank(robot.urdf)
        frames = sorted(self.spheres, key=rank)
        changes.append(
            ReplaceSpheres(self.group, FrozenDict({f: self.spheres[f] for f in frames}), self.label)
        )
        for section, buffer in zip(_SECTIONS, (self.world_buffer, self.self_buffer), strict=True):
            if buffer is not None:
                if getattr(robot.xrdf, section) is None and not is_new:
                    changes.append(AddCollisionSection(section, self.group))
                changes.append(
                    SetItems(
                        f"xrdf.{section}.buffer_distance", FrozenDict(dict.fromkeys(frames, buffer))
                    )
                )
        return changes


@dataclass(frozen=True, slots=True)
class AttachObject:
    """Adds `frame`, gives it `spheres` (metres, in that frame) in `group`, and ignores it against
    the frames `holding`.

    This is how cuRobo and cuMotion know what a gripper carries.
    """

    frame: AddFrame
    group: str
    spheres: tuple[CollisionSphere, ...]
    holding: tuple[str, ...] = ()
    label = Label("Attach {frame.frame_name} to {frame.parent_frame_name}")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        name = self.frame.frame_name
        robot = InsertItem("xrdf.modifiers", self.frame).apply(robot)
        robot = SetFittedSpheres(self.group, FrozenDict({name: self.spheres}), self.label).apply(
            robot
        )
        pairs = tuple(LinkPair.of(name, frame) for frame in self.holding if frame != name)
        return (
            SetMask(pairs=pairs).apply(robot)
            if pairs and robot.xrdf.self_collision is not None
            else robot
        )


@dataclass(frozen=True, slots=True)
class DetachObject:
    """Takes an added frame away, with its spheres and all that the XRDF and SRDF say of it."""

    name: str
    label = Label("Detach {name}")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        added = added_frame(robot, self.name)
        if added is None:
            raise CannotApply(f"The XRDF adds no frame {self.name}.")
        modifiers = tuple(each for each in robot.xrdf.modifiers or () if each is not added)
        return rename_references(
            replace_xrdf(robot, modifiers=modifiers or None), Named.LINK, self.name, None
        )


def added_frame(robot: RobotDescription, name: str) -> AddFrame | None:
    """The frame of that name which the XRDF adds."""
    frames = robot.xrdf.added_frames
    return next((frame for frame in frames if frame.frame_name == name), None)
