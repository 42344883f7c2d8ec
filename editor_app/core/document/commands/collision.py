"""The two collision sections: which geometry they use, and the buffer distances of frames.

`section` is the name of the model's field: "world_collision" (in format 1.0 the key `collision`) or "self_collision".
Distances in metres; negative ones are legal.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from editor_app.core.document.commands.tools import (
    SECTION_TITLES,
    check_finite,
    check_name,
    replace_xrdf,
    set_or_remove,
    the_group,
    the_section,
)
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.keys import Named
from editor_app.core.model.references import rename_references
from editor_app.core.model.robot import CannotApply, Label, RobotDescription
from editor_app.core.model.xrdf import NO_BUFFERS, CollisionSection, SelfCollisionSection

Section = Literal["world_collision", "self_collision"]


@dataclass(frozen=True, slots=True)
class AddCollisionSection:
    """Adds the section, with the geometry group it uses."""

    section: Section
    geometry: str | None = None
    label = Label("Add section {section}", section=SECTION_TITLES.get)

    def apply(self, robot: RobotDescription) -> RobotDescription:
        if getattr(robot.xrdf, self.section) is not None:
            raise CannotApply(f"The section {SECTION_TITLES[self.section]} already exists.")
        if self.geometry is not None:
            the_group(robot, self.geometry)
        kind = SelfCollisionSection if self.section == "self_collision" else CollisionSection
        return replace_xrdf(robot, **{self.section: kind(self.geometry)})


@dataclass(frozen=True, slots=True)
class SetCollisionGeometry:
    """Chooses the geometry group that a section uses; None removes the key."""

    section: Section
    group: str | None
    label = Label("Use {group} for {section}", group=lambda group: group or "no geometry", section=SECTION_TITLES.get)

    def apply(self, robot: RobotDescription) -> RobotDescription:
        present: CollisionSection = the_section(robot, self.section)
        if self.group is not None:
            the_group(robot, self.group)
        if present.geometry == self.group:
            return robot
        return replace_xrdf(robot, **{self.section: replace(present, geometry=self.group)})


@dataclass(frozen=True, slots=True)
class SetBuffer:
    """Sets the buffer distances of frames; those that had none get an entry at the end."""

    section: Section
    distances: FrozenDict[str, float]
    label = Label("Set {section} buffer of {distances:the frame}", section=SECTION_TITLES.get)

    def apply(self, robot: RobotDescription) -> RobotDescription:
        buffers = _buffers(robot, self.section)
        for frame, distance in self.distances.items():
            check_name(frame, "The frame of a buffer distance")
            if buffers.get(frame) != check_finite(distance, f"The buffer distance of {frame}"):
                buffers = buffers.set(frame, distance)
        return _with_buffers(robot, self.section, buffers)


@dataclass(frozen=True, slots=True)
class DeleteBuffers:
    """Deletes the entries of frames: their buffer distance is 0 then."""

    section: Section
    frames: tuple[str, ...]
    label = Label("Delete {section} buffer of {frames:the frame}", section=SECTION_TITLES.get)

    def apply(self, robot: RobotDescription) -> RobotDescription:
        buffers = _buffers(robot, self.section)
        for frame in self.frames:
            if frame not in buffers:
                raise CannotApply(f"{frame} has no {SECTION_TITLES[self.section]} buffer.")
        return _with_buffers(robot, self.section, buffers.without(*self.frames))


@dataclass(frozen=True, slots=True)
class RenameBufferFrame:
    """Moves a buffer distance to another frame, in its place."""

    section: Section
    old: str
    new: str
    label = Label("Move {section} buffer from {old} to {new}", section=SECTION_TITLES.get)

    def apply(self, robot: RobotDescription) -> RobotDescription:
        buffers = _buffers(robot, self.section)
        check_name(self.new, "The frame of a buffer distance")
        if self.old not in buffers:
            raise CannotApply(f"{self.old} has no {SECTION_TITLES[self.section]} buffer.")
        if self.new == self.old:
            return robot
        if self.new in buffers:
            raise CannotApply(f"{self.new} already has a {SECTION_TITLES[self.section]} buffer.")
        return rename_references(
            robot, Named.LINK, self.old, self.new, ["xrdf"], title=f"buffer_distance of {self.section}"
        )


@dataclass(frozen=True, slots=True)
class SetAllBuffers:
    """Sets `buffer_distance` as a whole: a mapping, one number for all frames, or None to remove the key."""

    section: Section
    buffers: FrozenDict[str, float] | float | None
    label = Label("{buffers} {section} buffers", buffers=set_or_remove, section=SECTION_TITLES.get)

    def apply(self, robot: RobotDescription) -> RobotDescription:
        present: CollisionSection = the_section(robot, self.section)
        if isinstance(self.buffers, FrozenDict):
            for frame, distance in self.buffers.items():
                check_finite(distance, f"The buffer distance of {check_name(frame, 'The frame of a buffer distance')}")
        elif self.buffers is not None:
            check_finite(self.buffers, "The buffer distance")
        return replace_xrdf(robot, **{self.section: replace(present, buffer_distance=self.buffers)})


@dataclass(frozen=True, slots=True)
class ExpandBuffer:
    """Writes the one number of all frames as a mapping, for each frame that has spheres in the section's group."""

    section: Section
    label = Label("Write {section} buffers per frame", section=SECTION_TITLES.get)

    def apply(self, robot: RobotDescription) -> RobotDescription:
        present: CollisionSection = the_section(robot, self.section)
        distance = present.buffer_distance
        if distance is None or isinstance(distance, FrozenDict):
            raise CannotApply(f"The {SECTION_TITLES[self.section]} buffers are already given per frame.")
        frames = robot.xrdf.spheres_of(present.geometry)
        return _with_buffers(robot, self.section, FrozenDict(dict.fromkeys(frames, distance)), expanding=True)


def _buffers(robot: RobotDescription, section: Section) -> FrozenDict[str, float]:
    present: CollisionSection = the_section(robot, section)
    buffers = present.buffer_distance
    if buffers is None:
        return NO_BUFFERS
    if not isinstance(buffers, FrozenDict):
        raise CannotApply(
            f"The {SECTION_TITLES[section]} buffer is one number for all frames. Write it per frame first."
        )
    return buffers


def _with_buffers(
    robot: RobotDescription, section: Section, buffers: FrozenDict[str, float], *, expanding: bool = False
) -> RobotDescription:
    present: CollisionSection = the_section(robot, section)
    if not expanding and (buffers is present.buffer_distance or (not buffers and present.buffer_distance is None)):
        return robot
    return replace_xrdf(robot, **{section: replace(present, buffer_distance=buffers)})
