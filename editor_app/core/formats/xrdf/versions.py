"""XRDF 1.0 <-> 2.0: what the other version cannot say is named, with what was done instead."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from editor_app.core.model.counting import format_list
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.keys import Named
from editor_app.core.model.references import rename_references
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.xrdf import CollisionSphere, GeometryGroup, SetBaseFrame, Xrdf

VERSIONS = ("1.0", "2.0")
#: What happens to a self-collision group that differs from the world's, which 1.0 does not permit.
Differing = Literal["refuse", "merge", "world", "self"]


class CannotConvert(ValueError):
    """The conversion needs a decision; the message says which, for the user."""


@dataclass(frozen=True)
class VersionConversion:
    """`notes` name each thing that the other version cannot say, and what was done instead."""

    xrdf: Xrdf
    notes: tuple[str, ...]

    def __iter__(self) -> Iterator[Xrdf | tuple[str, ...]]:
        """Unpacks as (xrdf, notes)."""
        return iter((self.xrdf, self.notes))


def convert_version(
    robot: RobotDescription, version: str, *, differing: Differing = "refuse"
) -> VersionConversion:
    """The XRDF of `robot` in another version. Nothing changes when it has that version already.

    `differing` says what becomes of different groups for obstacles and self-collision in 1.0:
    "refuse" raises, "merge" unites both, "world" and "self" take the one group for both. Raises
    CannotConvert, and ValueError for an unknown version.
    """
    if version not in VERSIONS:
        raise ValueError(f"Supported XRDF versions are {' and '.join(VERSIONS)}, not {version!r}")
    xrdf = robot.xrdf
    if xrdf.format_version == version:
        return VersionConversion(xrdf, ())
    if version == "2.0":
        return _to_2(xrdf)
    return _to_1(robot, differing)


def _to_2(xrdf: Xrdf) -> VersionConversion:
    notes = []
    if xrdf.world_collision is not None:
        notes.append("The section 'collision' is called 'world_collision' in 2.0.")
    small = [
        f"{group.name}/{frame}"
        for group in xrdf.geometry or ()
        for frame, spheres in group.spheres.items()
        if any(sphere.radius <= 0 for sphere in spheres)
    ]
    if small:
        notes.append(
            f"2.0 needs radii above 0; the radii of {format_list(map(repr, small), 5)} were kept."
        )
    for name in ("world_collision", "self_collision"):
        if isinstance(getattr(getattr(xrdf, name), "buffer_distance", None), float):
            notes.append(
                f"buffer_distance of {name} is a single number, which 2.0 readers refuse; it was "
                "kept."
            )
    return VersionConversion(replace(xrdf, format_version="2.0"), tuple(notes))


def _to_1(robot: RobotDescription, differing: Differing) -> VersionConversion:
    xrdf = robot.xrdf
    notes: list[str] = []
    if xrdf.world_collision is not None:
        notes.append("The section 'world_collision' is called 'collision' in 1.0.")
    xrdf = _without_freed_joints(robot.with_xrdf(replace(xrdf, format_version="1.0")), notes)
    added = {each.frame_name for each in xrdf.added_frames}
    for modifier in xrdf.modifiers or ():
        if isinstance(modifier, SetBaseFrame) and modifier.frame in added:
            notes.append(
                f"1.0 needs a link of the URDF as base frame; the added frame {modifier.frame!r} "
                "was kept."
            )
    xrdf = _one_group(xrdf, differing, notes)
    return VersionConversion(_without_clones(xrdf, notes), tuple(notes))


def _without_freed_joints(robot: RobotDescription, notes: list[str]) -> Xrdf:
    freed = robot.xrdf.freed_joints
    if not freed:
        return robot.xrdf
    names = format_list(map(repr, freed), 5)
    notes.append(f"1.0 has no remove_mimic_attributes: {names} mimic their joints again.")
    if not set(freed).isdisjoint(robot.xrdf.default_joint_positions or ()):
        notes.append(
            f"A mimic joint has no default position in 1.0: the positions of {names} were removed."
        )
    if not set(freed).isdisjoint(robot.xrdf.controlled):
        notes.append(
            f"A mimic joint cannot be controlled in 1.0: {names} were removed from the c-space."
        )
    for name in freed:
        robot = rename_references(robot, Named.JOINT, name, None, ("xrdf",))
    return robot.xrdf


def _one_group(xrdf: Xrdf, differing: Differing, notes: list[str]) -> Xrdf:
    world, self_group = xrdf.world_group, xrdf.self_group
    if world is None or self_group is None or world == self_group:
        return xrdf
    assert xrdf.world_collision is not None
    assert xrdf.self_collision is not None
    if differing == "refuse":
        raise CannotConvert(
            "1.0 uses one geometry group for obstacles and for self-collision; this file uses "
            f"{world!r} and "
            f"{self_group!r}. Choose whether to merge them, or which one to keep."
        )
    if differing == "self":
        notes.append(
            f"1.0 uses one geometry group: obstacles are checked with {self_group!r} instead of "
            f"{world!r} now."
        )
        return replace(xrdf, world_collision=replace(xrdf.world_collision, geometry=self_group))
    section = replace(xrdf.self_collision, geometry=world)
    if differing == "world":
        notes.append(
            f"1.0 uses one geometry group: self-collision is checked with {world!r} instead of "
            f"{self_group!r} now."
        )
        return replace(xrdf, self_collision=section)
    merged: dict[str, tuple[CollisionSphere, ...]] = dict(xrdf.spheres_of(world))
    for frame, spheres in xrdf.spheres_of(self_group).items():
        present = merged.get(frame, ())
        merged[frame] = present + tuple(sphere for sphere in spheres if sphere not in present)
    notes.append(
        f"1.0 uses one geometry group: {world!r} now also has the spheres of {self_group!r} and is "
        "used for "
        "both, so obstacles keep clear of those too."
    )
    xrdf = replace(xrdf, self_collision=section)
    return xrdf.with_group(GeometryGroup(world, FrozenDict(merged)))


def _without_clones(xrdf: Xrdf, notes: list[str]) -> Xrdf:
    if xrdf.geometry is None:
        return xrdf
    cloned = {name for group in xrdf.geometry for name in group.clone or ()}
    groups = [_expanded(xrdf, group, notes) for group in xrdf.geometry]
    used = {xrdf.world_group, xrdf.self_group} - {None}
    if any(group.name in used for group in groups):
        removed = [
            group.name for group in groups if group.name not in used and group.name in cloned
        ]
        if removed:
            notes.append(
                f"{format_list(map(repr, removed), 5)} were only used as clone sources and were "
                "removed."
            )
        groups = [group for group in groups if group.name not in removed]
    unused = [group.name for group in groups if group.name not in used]
    if unused and used:
        notes.append(
            f"Readers of 1.0 use one geometry group; {format_list(map(repr, unused), 5)}, which "
            "nothing uses, "
            f"were kept."
        )
    return replace(xrdf, geometry=tuple(groups))


def _expanded(xrdf: Xrdf, group: GeometryGroup, notes: list[str]) -> GeometryGroup:
    """The group with the spheres of the groups that it clones as its own."""
    if group.clone is None:
        return group
    if group.clone:
        notes.append(
            f"1.0 has no clone: {group.name!r} now has copies of the spheres of "
            f"{format_list(map(repr, group.clone), 5)}."
        )
    return GeometryGroup(group.name, xrdf.spheres_of(group.name))
