"""Fitted spheres as one step: the group that they go to, and the buffers that they get."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from editor_app.drafting.order import link_rank
from editor_app.edit.commands.collision import AddCollisionSection, SetBuffer, SetCollisionGeometry
from editor_app.edit.commands.geometry_groups import AddGroup, free_group_name
from editor_app.edit.commands.spheres import ReplaceSpheres
from editor_app.model.change import Change
from editor_app.model.frozen import FrozenDict
from editor_app.model.robot import RobotDescription
from editor_app.model.xrdf import CollisionSphere

_SECTIONS: tuple[Literal["world_collision", "self_collision"], ...] = ("world_collision", "self_collision")


def group_for_fit(robot: RobotDescription, preferred: str | None = None) -> str:
    """The group that fitted spheres go to: the preferred, that of the sections, the first, or the name of a new one."""
    groups = robot.xrdf.geometry or ()
    for name in (preferred, robot.xrdf.world_group, robot.xrdf.self_group):
        if robot.xrdf.group(name) is not None:
            return str(name)
    return groups[0].name if groups else free_group_name(robot.xrdf, f"{robot.urdf.name or 'robot'}_collision_spheres")


@dataclass(frozen=True, slots=True)
class SetFittedSpheres:
    """Gives these frames these spheres, and, where given, these buffers (metres).

    A group that is not there yet is added, and used by the sections that name none. Frames that had no entry get theirs
    from the base to the tools.
    """

    group: str
    spheres: FrozenDict[str, tuple[CollisionSphere, ...]]
    label: str
    world_buffer: float | None = None
    self_buffer: float | None = None

    def apply(self, robot: RobotDescription) -> RobotDescription:
        for change in self._changes(robot):
            robot = change.apply(robot)
        return robot

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
        changes.append(ReplaceSpheres(self.group, FrozenDict({f: self.spheres[f] for f in frames}), self.label))
        for section, buffer in zip(_SECTIONS, (self.world_buffer, self.self_buffer), strict=True):
            if buffer is not None:
                if getattr(robot.xrdf, section) is None and not is_new:
                    changes.append(AddCollisionSection(section, self.group))
                changes.append(SetBuffer(section, FrozenDict(dict.fromkeys(frames, buffer))))
        return changes
