"""The format, whole sections, and modifiers: added frames, the base frame, mimic joints that are freed.

Places count from 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

from editor_app.core.document.commands.tools import (
    SECTION_TITLES,
    SectionName,
    check_finite,
    check_name,
    get_item,
    inserted,
    move_item,
    removed,
    replace_xrdf,
)
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.keys import Named
from editor_app.core.model.references import rename_references
from editor_app.core.model.robot import CannotApply, Label, RobotDescription
from editor_app.core.model.xrdf import AddFrame, Modifier, RemoveMimicAttributes, SetBaseFrame, Xrdf


def modifier_title(modifier: Modifier) -> str:
    """Describe a modifier in a few words."""
    if isinstance(modifier, AddFrame):
        return f"frame {modifier.frame_name}"
    if isinstance(modifier, SetBaseFrame):
        return f"base frame {modifier.frame}"
    return f"freed joint {modifier.joint_name}"


@dataclass(frozen=True, slots=True)
class AddModifier:
    """Adds a modifier in front of `index`, or at the end."""

    modifier: Modifier
    index: int | None = None
    label = Label("Add {modifier}", modifier=modifier_title)

    def apply(self, robot: RobotDescription) -> RobotDescription:
        present = robot.xrdf.modifiers or ()
        _checked(robot, self.modifier, present)
        return replace_xrdf(robot, modifiers=inserted(present, self.index, (self.modifier,)))


@dataclass(frozen=True, slots=True)
class SetModifier:
    """Replaces the modifier at `index`. What refers to an added frame does not follow: RenameAddedFrame does that."""

    index: int
    modifier: Modifier
    label = Label("Change {modifier}", modifier=modifier_title)

    def apply(self, robot: RobotDescription) -> RobotDescription:
        present = robot.xrdf.modifiers or ()
        if get_item(present, self.index, "modifier") == self.modifier:
            return robot
        others = present[: self.index] + present[self.index + 1 :]
        _checked(robot, self.modifier, others, was=present[self.index])
        return replace_xrdf(
            robot, modifiers=tuple(self.modifier if i == self.index else m for i, m in enumerate(present))
        )


@dataclass(frozen=True, slots=True)
class DeleteModifiers:
    """Deletes the modifiers at these places."""

    indices: tuple[int, ...]
    label = Label("Delete {indices:modifier}")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        present = removed(robot.xrdf.modifiers or (), self.indices, "modifier")
        return replace_xrdf(robot, modifiers=present) if self.indices else robot


@dataclass(frozen=True, slots=True)
class MoveModifier:
    """Puts the modifier at `index` at place `to`."""

    index: int
    to: int

    label = "Reorder modifiers"

    def apply(self, robot: RobotDescription) -> RobotDescription:
        return replace_xrdf(robot, modifiers=move_item(robot.xrdf.modifiers or (), self.index, self.to))


@dataclass(frozen=True, slots=True)
class RenameAddedFrame:
    """Renames an added frame, and follows it through modifiers, spheres, buffers, masked pairs and tool frames."""

    index: int
    name: str
    label = Label("Rename frame to {name}")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        present = robot.xrdf.modifiers or ()
        modifier = get_item(present, self.index, "modifier")
        if not isinstance(modifier, AddFrame):
            raise CannotApply("This modifier adds no frame.")
        if modifier.frame_name == self.name:
            return robot
        renamed = replace(modifier, frame_name=self.name)
        robot = SetModifier(self.index, renamed).apply(robot)
        return rename_references(robot, Named.LINK, modifier.frame_name, self.name, ["xrdf"])


def _checked(
    robot: RobotDescription, modifier: Modifier, others: tuple[Modifier, ...], was: Modifier | None = None
) -> None:
    """Refuses what can never hold; names that are not there (yet) are for the findings. Raises CannotApply."""
    if isinstance(modifier, AddFrame):
        _check_added_frame(robot, modifier, others, was if isinstance(was, AddFrame) else None)
    elif isinstance(modifier, SetBaseFrame):
        check_name(modifier.frame, "The base frame")
    else:
        _check_freed_joint(modifier, others)


def _check_added_frame(
    robot: RobotDescription, modifier: AddFrame, others: tuple[Modifier, ...], was: AddFrame | None
) -> None:
    """Refuses a frame that can never hold. Names it had before stay editable piece by piece. Raises CannotApply."""
    added = [m for m in others if isinstance(m, AddFrame)]
    frame, joint = modifier.frame_name, modifier.joint_name
    check_name(frame, "A frame")
    check_name(joint, "The joint of a frame")
    check_name(modifier.parent_frame_name, "The parent of a frame")
    frames = {link.name for link in robot.urdf.links} | {m.frame_name for m in added}
    if (was is None or was.frame_name != frame) and frame in frames:
        raise CannotApply(f"The frame {frame!r} already exists. Choose another name.")
    joints = {j.name for j in robot.urdf.joints} | {m.joint_name for m in added}
    if (was is None or was.joint_name != joint) and joint in joints:
        raise CannotApply(f"The joint {joint!r} already exists. Choose another name.")
    if modifier.parent_frame_name == frame:
        raise CannotApply(f"{frame} cannot be its own parent.")
    for value in modifier.fixed_transform.position:
        check_finite(value, "The position of a frame")
    norm = math.hypot(
        *(check_finite(q, "The orientation of a frame") for q in modifier.fixed_transform.orientation_wxyz)
    )
    if norm < 1e-9:
        raise CannotApply("The orientation must be a unit quaternion (w, x, y, z), not all zeros.")


def _check_freed_joint(modifier: RemoveMimicAttributes, others: tuple[Modifier, ...]) -> None:
    check_name(modifier.joint_name, "The joint")
    lower, upper = (check_finite(v, "The position limits") for v in modifier.position_limits)
    if lower > upper:
        raise CannotApply(f"The lower limit {lower:g} is above the upper limit {upper:g}.")
    if modifier.velocity_limit is not None and check_finite(modifier.velocity_limit, "The velocity limit") < 0:
        raise CannotApply(f"The velocity limit must be positive, not {modifier.velocity_limit:g}.")
    if any(isinstance(m, RemoveMimicAttributes) and m.joint_name == modifier.joint_name for m in others):
        raise CannotApply(f"{modifier.joint_name} is already freed by another modifier.")


VERSIONS = ("1.0", "2.0")


@dataclass(frozen=True, slots=True)
class SetFormat:
    """Sets `format`, which readers want to be "xrdf"."""

    format: str

    label = "Set format"

    def apply(self, robot: RobotDescription) -> RobotDescription:
        if self.format != "xrdf":
            raise CannotApply(f"The format of an XRDF is 'xrdf', not {self.format!r}.")
        return replace_xrdf(robot, format=self.format)


@dataclass(frozen=True, slots=True)
class SetFormatVersion:
    """Sets `format_version` alone; `formats.xrdf.convert_version` converts what the version changes, too."""

    version: str
    label = Label("Set format version {version}")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        if self.version not in VERSIONS:
            raise CannotApply(f"Supported format versions are {' and '.join(VERSIONS)}, not {self.version!r}.")
        return replace_xrdf(robot, format_version=self.version)


@dataclass(frozen=True, slots=True)
class ReplaceXrdf:
    """Makes a whole XRDF the present one, as conversions and imports do."""

    xrdf: Xrdf
    label: str

    def apply(self, robot: RobotDescription) -> RobotDescription:
        return robot if self.xrdf == robot.xrdf else robot.with_xrdf(self.xrdf)


@dataclass(frozen=True, slots=True)
class AddSection:
    """Adds a section without content. C-space and the collision sections have commands of their own."""

    section: Literal["modifiers", "default_joint_positions", "tool_frames", "geometry"]
    label = Label("Add section {section}", section=SECTION_TITLES.get)

    def apply(self, robot: RobotDescription) -> RobotDescription:
        if getattr(robot.xrdf, self.section) is not None:
            raise CannotApply(f"The section {SECTION_TITLES[self.section]} already exists.")
        empty: object = FrozenDict() if self.section == "default_joint_positions" else ()
        return replace_xrdf(robot, **{self.section: empty})


@dataclass(frozen=True, slots=True)
class RemoveSection:
    """Removes a section with everything in it."""

    section: SectionName
    label = Label("Remove section {section}", section=SECTION_TITLES.get)

    def apply(self, robot: RobotDescription) -> RobotDescription:
        if getattr(robot.xrdf, self.section) is None:
            raise CannotApply(f"The XRDF has no section {SECTION_TITLES[self.section]}.")
        return replace_xrdf(robot, **{self.section: None})
