"""A snapshot of everything that undo brings back: the robot, and the texts that it was read from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from editor_app.model.robot import RobotDescription

if TYPE_CHECKING:
    from editor_app.formats.urdf import UrdfSource
    from editor_app.formats.xrdf import XrdfSource


@dataclass(frozen=True, slots=True)
class State:
    """`robot` may be ahead of the sources: a file's text is its source with the difference spliced in."""

    robot: RobotDescription
    urdf_source: UrdfSource
    xrdf_source: XrdfSource

    def with_robot(self, robot: RobotDescription) -> State:
        return replace(self, robot=robot)
