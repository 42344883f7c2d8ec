"""Geometry groups: add, rename, delete, copy, and what they clone. References in other sections follow."""

from __future__ import annotations

from dataclasses import dataclass, replace

from editor_app.edit.commands.tools import named, the_group, with_xrdf
from editor_app.model.change import CannotApply, Label
from editor_app.model.frozen import FrozenDict
from editor_app.model.near_names import free_name
from editor_app.model.references import Named, with_renamed
from editor_app.model.robot import RobotDescription
from editor_app.model.xrdf import NO_SPHERES, CollisionSphere, GeometryGroup, Xrdf


def free_group_name(xrdf: Xrdf, wish: str) -> str:
    """`wish`, or `wish_2`, `wish_3`, … when it is taken."""
    return free_name(wish, {group.name for group in xrdf.geometry or ()})


@dataclass(frozen=True, slots=True)
class AddGroup:
    """Adds a geometry group behind those that are there."""

    name: str
    spheres: FrozenDict[str, tuple[CollisionSphere, ...]] = NO_SPHERES
    clone: tuple[str, ...] | None = None
    label = Label("Add geometry group {name}")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        _free(robot, self.name)
        robot = robot.with_xrdf(robot.xrdf.with_group(GeometryGroup(self.name, self.spheres)))
        return SetClone(self.name, self.clone).apply(robot) if self.clone else robot


@dataclass(frozen=True, slots=True)
class CopyGroup:
    """Adds a group with the spheres (and clone list) of another, under a name of its own."""

    name: str
    new_name: str
    label = Label("Copy geometry group {name}")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        group = the_group(robot, self.name)
        _free(robot, self.new_name)
        return robot.with_xrdf(robot.xrdf.with_group(replace(group, name=self.new_name)))


@dataclass(frozen=True, slots=True)
class RenameGroup:
    """Renames a group, in the collision sections and clone lists that use it, too."""

    old: str
    new: str
    label = Label("Rename geometry group {old} to {new}")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        the_group(robot, self.old)
        if self.new == self.old:
            return robot
        _free(robot, self.new)
        groups = tuple(
            replace(group, name=self.new) if group.name == self.old else group for group in robot.xrdf.geometry or ()
        )
        return with_renamed(with_xrdf(robot, geometry=groups), Named.GEOMETRY_GROUP, self.old, self.new)


@dataclass(frozen=True, slots=True)
class DeleteGroup:
    """Deletes a group; sections that use it have none afterwards, clone lists lose it."""

    name: str
    label = Label("Delete geometry group {name}")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        the_group(robot, self.name)
        groups = tuple(group for group in robot.xrdf.geometry or () if group.name != self.name)
        return with_renamed(with_xrdf(robot, geometry=groups), Named.GEOMETRY_GROUP, self.name, None)


@dataclass(frozen=True, slots=True)
class SetClone:
    """Sets the groups whose spheres a group takes over (format 2.0); None or none removes the key."""

    name: str
    clone: tuple[str, ...] | None
    label = Label("Set clones of {name}")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        group = the_group(robot, self.name)
        clone = self.clone or None
        for other in clone or ():
            the_group(robot, other)
            if group in robot.xrdf.with_clones(other):
                raise CannotApply(f"{self.name!r} cannot clone {other!r}: it would clone itself.")
        if clone is not None and len(set(clone)) != len(clone):
            raise CannotApply(f"{self.name!r} would clone a group twice.")
        if clone == group.clone:
            return robot
        return robot.with_xrdf(robot.xrdf.with_group(replace(group, clone=clone)))


def _free(robot: RobotDescription, name: str) -> None:
    named(name, "A geometry group")
    if robot.xrdf.group(name) is not None:
        raise CannotApply(f"There is a geometry group {name!r} already. Choose another name.")
