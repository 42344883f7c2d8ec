"""The format of an XRDF, and its sections as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from editor_app.core.document.commands.tools import (
    SECTION_TITLES,
    SectionName,
    replace_xrdf,
)
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.robot import CannotApply, Label, RobotDescription
from editor_app.core.model.xrdf import Xrdf

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
    """Sets `format_version` alone; `formats.xrdf.convert_version` converts what the version
    changes, too."""

    version: str
    label = Label("Set format version {version}")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        if self.version not in VERSIONS:
            raise CannotApply(
                f"Supported format versions are {' and '.join(VERSIONS)}, not {self.version!r}."
            )
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
    """Adds a section without content. C-space and the collision sections have commands of their
    own."""

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
