"""Tool frames, an ordered list; the first is the end effector. Entries are named by their places (from 0)."""

from __future__ import annotations

from dataclasses import dataclass

from editor_app.edit.commands.tools import at, inserted, moved, named, removed, with_xrdf
from editor_app.model.change import CannotApply, Label
from editor_app.model.robot import RobotDescription


@dataclass(frozen=True, slots=True)
class AddToolFrame:
    """Adds a frame in front of `index`, or at the end."""

    frame: str
    index: int | None = None
    label = Label("Add tool frame {frame}")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        frames = robot.xrdf.tool_frames or ()
        return with_xrdf(robot, tool_frames=inserted(frames, self.index, (_new(self.frame, frames),)))


@dataclass(frozen=True, slots=True)
class SetToolFrame:
    """Replaces the frame at `index`."""

    index: int
    frame: str
    label = Label("Set tool frame {frame}")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        frames = robot.xrdf.tool_frames or ()
        if at(frames, self.index, "tool frame") == self.frame:
            return robot
        _new(self.frame, frames)
        return with_xrdf(robot, tool_frames=tuple(self.frame if i == self.index else f for i, f in enumerate(frames)))


@dataclass(frozen=True, slots=True)
class RemoveToolFrames:
    """Removes the frames at these places."""

    indices: tuple[int, ...]
    label = Label("Remove {indices:tool frame}")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        frames = removed(robot.xrdf.tool_frames or (), self.indices, "tool frame")
        return with_xrdf(robot, tool_frames=frames) if self.indices else robot


@dataclass(frozen=True, slots=True)
class MoveToolFrame:
    """Puts the frame at `index` at place `to`."""

    index: int
    to: int

    label = "Reorder tool frames"

    def apply(self, robot: RobotDescription) -> RobotDescription:
        return with_xrdf(robot, tool_frames=moved(robot.xrdf.tool_frames or (), self.index, self.to))


@dataclass(frozen=True, slots=True)
class SetToolFrames:
    """Sets the whole list; None removes the section."""

    frames: tuple[str, ...] | None
    label: str = "Set tool frames"

    def apply(self, robot: RobotDescription) -> RobotDescription:
        for i, frame in enumerate(self.frames or ()):
            _new(frame, (self.frames or ())[:i])
        return with_xrdf(robot, tool_frames=self.frames)


def _new(frame: str, frames: tuple[str, ...]) -> str:
    named(frame, "A tool frame")
    if frame in frames:
        raise CannotApply(f"{frame} is a tool frame already.")
    return frame
