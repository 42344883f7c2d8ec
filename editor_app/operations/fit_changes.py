"""From fitted spheres to one undoable change of the robot description."""

from __future__ import annotations

from collections.abc import Mapping

from editor_app.edit.commands import (
    AddCollisionSection,
    AddGroup,
    AllOf,
    ReplaceSpheres,
    SetBuffer,
    SetCollisionGeometry,
    free_group_name,
)
from editor_app.edit.commands.collision import Section
from editor_app.model.change import Change
from editor_app.model.frozen import FrozenDict
from editor_app.model.robot import RobotDescription
from editor_app.model.xrdf import CollisionSphere

_SECTIONS: tuple[Section, ...] = ("world_collision", "self_collision")


def group_for_fit(robot: RobotDescription, preferred: str | None = None) -> str:
    """The group that fitted spheres go to: the preferred, that of the sections, the first, or the name of a new one."""
    groups = robot.xrdf.geometry or ()
    for name in (preferred, robot.xrdf.world_group, robot.xrdf.self_group):
        if robot.xrdf.group(name) is not None:
            return str(name)
    return groups[0].name if groups else free_group_name(robot.xrdf, f"{robot.urdf.name or 'robot'}_collision_spheres")


def fitted_change(
    robot: RobotDescription,
    group: str,
    spheres: Mapping[str, tuple[CollisionSphere, ...]],
    label: str,
    *,
    world_buffer: float | None = None,
    self_buffer: float | None = None,
) -> Change:
    """Gives these frames these spheres, and, when given, these buffers (metres).

    A group that is not there yet is added, and used by the sections that name none.
    """
    changes: list[Change] = []
    if robot.xrdf.group(group) is None:
        changes.append(AddGroup(group))
        for section in _SECTIONS:
            present = getattr(robot.xrdf, section)
            if present is None:
                changes.append(AddCollisionSection(section, group))
            elif present.geometry is None:
                changes.append(SetCollisionGeometry(section, group))
    changes.append(ReplaceSpheres(group, FrozenDict(dict(spheres)), label))
    for section, buffer in zip(_SECTIONS, (world_buffer, self_buffer), strict=True):
        if buffer is not None:
            if getattr(robot.xrdf, section) is None and robot.xrdf.group(group) is not None:
                changes.append(AddCollisionSection(section, group))
            changes.append(SetBuffer(section, FrozenDict(dict.fromkeys(spheres, buffer))))
    return changes[0] if len(changes) == 1 else AllOf(tuple(changes), label)
