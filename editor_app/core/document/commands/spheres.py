"""Collision spheres and geometry groups: set, add, delete, duplicate, copy, and replace the spheres
of whole frames.

A reference counts within its group and frame. `refs(robot)` of a command, asked with the robot
*before* the change, says where its spheres are afterwards, for the selection.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

from editor_app.core.document.commands.list_rules import refuse_taken_group
from editor_app.core.document.commands.tools import check_finite, check_name, inserted, the_group
from editor_app.core.model.counting import format_count
from editor_app.core.model.findings import SphereRef
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.near_names import find_free_name
from editor_app.core.model.origin import Vector3
from editor_app.core.model.robot import CannotApply, Label, RobotDescription
from editor_app.core.model.xrdf import NO_SPHERES, CollisionSphere, GeometryGroup, Xrdf


def get_sphere(robot: RobotDescription, ref: SphereRef) -> CollisionSphere:
    """The sphere that `ref` points to. Raises CannotApply when there is none."""
    spheres = the_group(robot, ref.group).spheres.get(ref.frame, ())
    if not 0 <= ref.index < len(spheres):
        raise CannotApply(
            f"{ref.frame} has no sphere number {ref.index + 1} in group {ref.group!r}."
        )
    return spheres[ref.index]


def name_spheres(refs: Iterable[SphereRef]) -> str:
    """Return "sphere 3 of arm" for one sphere, "3 spheres of arm" or "5 spheres of 2 links" for
    several."""
    listed = tuple(refs)
    frames = tuple(dict.fromkeys(ref.frame for ref in listed))
    if len(listed) == 1:
        return f"sphere {listed[0].index + 1} of {listed[0].frame}"
    return (
        f"{format_count(len(listed), 'sphere')} of "
        f"{frames[0] if len(frames) == 1 else format_count(len(frames), 'link')}"
    )


def valid(sphere: CollisionSphere) -> CollisionSphere:
    """`sphere`, whose numbers have to be finite; radii <= 0 are legal. Raises CannotApply."""
    if len(sphere.center) != 3:
        raise CannotApply(f"The centre of a sphere needs three numbers, not {len(sphere.center)}.")
    for value in sphere.center:
        check_finite(value, "The centre of a sphere")
    check_finite(sphere.radius, "The radius of a sphere")
    return sphere


@dataclass(frozen=True, slots=True)
class SetSpheres:
    """Gives existing spheres new centres and radii, on any frames and in any groups."""

    values: tuple[tuple[SphereRef, CollisionSphere], ...]
    label: str = "Change spheres"

    def refs(self, robot: RobotDescription) -> tuple[SphereRef, ...]:
        return tuple(ref for ref, _ in self.values)

    def apply(self, robot: RobotDescription) -> RobotDescription:
        new: dict[tuple[str, str], dict[int, CollisionSphere]] = defaultdict(dict)
        for ref, sphere in self.values:
            if get_sphere(robot, ref) != valid(sphere):
                new[ref.group, ref.frame][ref.index] = sphere
        for (name, frame), changes in new.items():
            group = the_group(robot, name)
            spheres = tuple(changes.get(i, s) for i, s in enumerate(group.spheres[frame]))
            robot = robot.with_xrdf(robot.xrdf.with_group(group.with_spheres(frame, spheres)))
        return robot


@dataclass(frozen=True, slots=True)
class AddSpheres:
    """Puts spheres on a frame of a group, in front of `index`, or behind those that are there."""

    group: str
    frame: str
    spheres: tuple[CollisionSphere, ...]
    index: int | None = None
    label = Label("Add {spheres:sphere} to {frame}")

    def refs(self, robot: RobotDescription) -> tuple[SphereRef, ...]:
        present = len(the_group(robot, self.group).spheres.get(self.frame, ()))
        first = present if self.index is None else max(0, min(self.index, present))
        return tuple(SphereRef(self.group, self.frame, first + i) for i in range(len(self.spheres)))

    def apply(self, robot: RobotDescription) -> RobotDescription:
        group = the_group(robot, self.group)
        check_name(self.frame, "The frame of a sphere")
        if not self.spheres:
            return robot
        new = (valid(sphere) for sphere in self.spheres)
        spheres = inserted(group.spheres.get(self.frame, ()), self.index, new)
        return robot.with_xrdf(robot.xrdf.with_group(group.with_spheres(self.frame, spheres)))


@dataclass(frozen=True, slots=True)
class DeleteSpheres:
    """Deletes spheres; a frame that loses its last one loses its entry in the group."""

    references: tuple[SphereRef, ...]
    label = Label("Delete {references}", references=name_spheres)

    def refs(self, robot: RobotDescription) -> tuple[SphereRef, ...]:
        return ()

    def apply(self, robot: RobotDescription) -> RobotDescription:
        for ref in self.references:
            get_sphere(robot, ref)
        gone = set(self.references)
        for name, frame in dict.fromkeys((ref.group, ref.frame) for ref in self.references):
            group = the_group(robot, name)
            kept = tuple(
                s
                for i, s in enumerate(group.spheres[frame])
                if SphereRef(name, frame, i) not in gone
            )
            robot = robot.with_xrdf(robot.xrdf.with_group(group.with_spheres(frame, kept)))
        return robot


@dataclass(frozen=True, slots=True)
class DuplicateSpheres:
    """Adds a copy of each sphere behind the others of its frame, moved by `offset` (metres, in the
    frame)."""

    references: tuple[SphereRef, ...]
    offset: Vector3 = (0.0, 0.0, 0.0)
    label = Label("Duplicate {references}", references=name_spheres)

    def refs(self, robot: RobotDescription) -> tuple[SphereRef, ...]:
        lengths: dict[tuple[str, str], int] = {}
        result = []
        for ref in self.references:
            key = (ref.group, ref.frame)
            index = lengths.get(key, len(the_group(robot, ref.group).spheres.get(ref.frame, ())))
            lengths[key] = index + 1
            result.append(SphereRef(ref.group, ref.frame, index))
        return tuple(result)

    def apply(self, robot: RobotDescription) -> RobotDescription:
        added: dict[tuple[str, str], list[CollisionSphere]] = defaultdict(list)
        for ref in self.references:
            sphere = get_sphere(robot, ref)
            x, y, z = (
                check_finite(c + d, "The offset")
                for c, d in zip(sphere.center, self.offset, strict=True)
            )
            added[ref.group, ref.frame].append(replace(sphere, center=(x, y, z)))
        for (name, frame), spheres in added.items():
            robot = AddSpheres(name, frame, tuple(spheres)).apply(robot)
        return robot


@dataclass(frozen=True, slots=True)
class ReplaceSpheres:
    """Gives whole frames of a group new lists of spheres; an empty list removes the frame's
    entry."""

    group: str
    spheres: FrozenDict[str, tuple[CollisionSphere, ...]]
    label: str = "Replace spheres"

    def refs(self, robot: RobotDescription) -> tuple[SphereRef, ...]:
        return tuple(
            SphereRef(self.group, frame, i)
            for frame, spheres in self.spheres.items()
            for i in range(len(spheres))
        )

    def apply(self, robot: RobotDescription) -> RobotDescription:
        group = the_group(robot, self.group)
        changed: GeometryGroup = group
        for frame, spheres in self.spheres.items():
            check_name(frame, "The frame of a sphere")
            new = tuple(valid(sphere) for sphere in spheres)
            if new != group.spheres.get(frame, ()):
                changed = changed.with_spheres(frame, new)
        return robot if changed is group else robot.with_xrdf(robot.xrdf.with_group(changed))


def free_group_name(xrdf: Xrdf, wish: str) -> str:
    """`wish`, or `wish_2`, `wish_3`, … when it is taken."""
    return find_free_name(wish, {group.name for group in xrdf.geometry or ()})


@dataclass(frozen=True, slots=True)
class AddGroup:
    """Adds a geometry group behind those that are there."""

    name: str
    spheres: FrozenDict[str, tuple[CollisionSphere, ...]] = NO_SPHERES
    clone: tuple[str, ...] | None = None
    label = Label("Add geometry group {name}")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        refuse_taken_group(robot, self.name)
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
        refuse_taken_group(robot, self.new_name)
        return robot.with_xrdf(robot.xrdf.with_group(replace(group, name=self.new_name)))


@dataclass(frozen=True, slots=True)
class SetClone:
    """Set the groups whose spheres a group includes (format 2.0); None or an empty tuple removes
    the key."""

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
