"""A snapshot of everything that undo brings back: the robot, and the texts that it was read from."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from enum import StrEnum

from editor_app.edit.beside import Beside
from editor_app.formats.source import SourceText
from editor_app.formats.srdf import SrdfSource
from editor_app.formats.urdf import UrdfSource
from editor_app.formats.xrdf import XrdfSource
from editor_app.model.frozen import FrozenDict
from editor_app.model.robot import RobotDescription


class FileKind(StrEnum):
    """The files of a robot, in the order in which they are saved."""

    XRDF = "xrdf"
    SRDF = "srdf"
    URDF = "urdf"


@dataclass(frozen=True, slots=True)
class State:
    """`robot` may be ahead of the sources: a file's text is its source with the difference spliced in.

    Without `srdf_source` there is no file yet; `robot.srdf` may be there all the same, a new one.
    """

    robot: RobotDescription
    urdf_source: UrdfSource
    xrdf_source: XrdfSource
    srdf_source: SrdfSource | None = None
    #: Text that was typed and is not read yet, by its place: a file (FileKind), or an embedded element of the URDF
    #: (Place). `robot` knows nothing of it, but it is unsaved work as everything else is.
    typed: FrozenDict[Hashable, str] = FrozenDict()
    #: Which file on disk each part belongs to, counted by those that were opened for it one after the other.
    files: FrozenDict[FileKind, int] = FrozenDict()
    beside: Beside = Beside()

    def with_robot(self, robot: RobotDescription) -> State:
        return replace(self, robot=robot)

    def source(self, kind: FileKind) -> SourceText | None:
        """The text that this part was read from."""
        if kind is FileKind.SRDF:
            return self.srdf_source.source if self.srdf_source is not None else None
        return (self.urdf_source if kind is FileKind.URDF else self.xrdf_source).source

    def part(self, kind: FileKind) -> object:
        """The model of one file; None for an SRDF that is not there."""
        return getattr(self.robot, kind.value)

    def typed_in(self, kind: FileKind) -> dict[Hashable, str]:
        """What was typed for one file, by its place."""
        return {place: text for place, text in self.typed.items() if file_of(place) is kind}

    def says_the_same(self, other: State, kind: FileKind) -> bool:
        """Whether a file would be the same for both states."""
        this_part, other_part = self.part(kind), other.part(kind)
        if this_part is not other_part and this_part != other_part:
            return False
        if self.typed != other.typed and self.typed_in(kind) != other.typed_in(kind):
            return False
        a, b = self.source(kind), other.source(kind)
        return a is b or (a is not None and b is not None and a.text == b.text)


def file_of(place: Hashable) -> FileKind:
    """The file that text typed at `place` belongs to."""
    return place if isinstance(place, FileKind) else FileKind.URDF
