"""The two collision sections: which geometry they use, and the buffer distances of frames.

`section` is the name of the model's field: "world_collision" (in format 1.0 the key `collision`) or
"self_collision". Distances in metres; negative ones are legal.
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
from editor_app.core.model.robot import CannotApply, Label, RobotDescription
from editor_app.core.model.xrdf import CollisionSection, SelfCollisionSection

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
    label = Label(
        "Use {group} for {section}",
        group=lambda group: group or "no geometry",
        section=SECTION_TITLES.get,
    )

    def apply(self, robot: RobotDescription) -> RobotDescription:
        present: CollisionSection = the_section(robot, self.section)
        if self.group is not None:
            the_group(robot, self.group)
        if present.geometry == self.group:
            return robot
        return replace_xrdf(robot, **{self.section: replace(present, geometry=self.group)})


@dataclass(frozen=True, slots=True)
class SetAllBuffers:
    """Sets `buffer_distance` as a whole: a mapping, one number for all frames, or None to remove
    the key."""

    section: Section
    buffers: FrozenDict[str, float] | float | None
    label = Label("{buffers} {section} buffers", buffers=set_or_remove, section=SECTION_TITLES.get)

    def apply(self, robot: RobotDescription) -> RobotDescription:
        present: CollisionSection = the_section(robot, self.section)
        if isinstance(self.buffers, FrozenDict):
            for frame, distance in self.buffers.items():
                check_finite(
                    distance,
                    f"The buffer distance of {check_name(frame, 'The frame of a buffer distance')}",
                )
        elif self.buffers is not None:
            check_finite(self.buffers, "The buffer distance")
        return replace_xrdf(robot, **{self.section: replace(present, buffer_distance=self.buffers)})


@dataclass(frozen=True, slots=True)
class ExpandBuffer:
    """Writes the one number of all frames as a mapping, for each frame that has spheres in the
    section's group."""

    section: Section
    label = Label("Write {section} buffers per frame", section=SECTION_TITLES.get)

    def apply(self, robot: RobotDescription) -> RobotDescription:
        present: CollisionSection = the_section(robot, self.section)
        distance = present.buffer_distance
        if distance is None or isinstance(distance, FrozenDict):
            raise CannotApply(
                f"The {SECTION_TITLES[self.section]} buffers are already given per frame."
            )
        frames = robot.xrdf.spheres_of(present.geometry)
        expanded = replace(present, buffer_distance=FrozenDict(dict.fromkeys(frames, distance)))
        return replace_xrdf(robot, **{self.section: expanded})
