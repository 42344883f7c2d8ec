"""The snapshot that undo restores: the robot and the texts that it was read from; and the files
behind it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, cast

from editor_app.core.document.beside import Beside
from editor_app.core.drafting import ControlPlan
from editor_app.core.formats.file_part import FilePart
from editor_app.core.formats.ros_settings import SETTINGS_KINDS
from editor_app.core.formats.srdf import SrdfSource
from editor_app.core.formats.urdf import UrdfSource
from editor_app.core.formats.xrdf import XrdfSource
from editor_app.core.formats.xrdf.guess_comments import guesses_now
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.guesses import GuessedPart, Guesses, given_parts
from editor_app.core.model.lineage import Lineage
from editor_app.core.model.robot import Change, RobotDescription, steps_of
from editor_app.core.model.ros_settings import Settings
from editor_app.core.text.source import SourceText


class FileKind(StrEnum):
    """The files of a robot, in the order in which they are saved."""

    XRDF = "xrdf"
    SRDF = "srdf"
    URDF = "urdf"
    LIMITS = "limits"
    KINEMATICS = "kinematics"
    POSITIONS = "positions"

    @property
    def is_yaml(self) -> bool:
        """True if its text is YAML; else it is XML."""
        return self is FileKind.XRDF or self in SETTINGS


#: The settings that MoveIt has beside a robot's own files, by their kind, and how their files are
#: called.
SETTINGS: Mapping[FileKind, type[Settings]] = {
    FileKind(kind): held for kind, (_, held) in SETTINGS_KINDS.items()
}
SETTINGS_FILES: Mapping[FileKind, str] = {
    FileKind(kind): name for kind, (name, _) in SETTINGS_KINDS.items()
}


#: One object: texts are made anew for another one.
NOTHING_CONFIRMED: frozenset[GuessedPart] = frozenset()


@dataclass(frozen=True, slots=True)
class State:
    """`robot` may be ahead of `parts`, the files as read: saving splices the difference into a
    part's text.

    URDF and XRDF are always among the parts. A part of the robot without one is new and in no file.
    """

    robot: RobotDescription
    parts: FrozenDict[FileKind, FilePart[Any]]
    #: Text that was typed and is not read yet, by its place: a file (FileKind), or an embedded
    #: element of the URDF (Place). `robot` knows nothing of it, but it is unsaved work as
    #: everything else is.
    typed: FrozenDict[Hashable, str] = FrozenDict()
    #: Which file on disk each part belongs to, counted by those that were opened for it one after
    #: the other.
    files: FrozenDict[FileKind, int] = FrozenDict()
    beside: Beside = Beside()
    #: The plan that the XRDF was drafted by; None for one that was read.
    first_plan: ControlPlan | None = None
    #: For each file that was changed: which parts of it come from which parts of its text as read.
    lineages: FrozenDict[FileKind, Lineage[Any]] = FrozenDict()
    #: Guesses of the XRDF as read that somebody confirmed since, or replaced by a value.
    confirmed: frozenset[GuessedPart] = NOTHING_CONFIRMED

    @property
    def guesses(self) -> Guesses:
        """The values of the XRDF that are guesses or placeholders which nobody confirmed."""
        return guesses_now(self.xrdf_source, self.robot.xrdf, self.robot.urdf, self.confirmed)

    @classmethod
    def of_parts(
        cls, parts: Iterable[FilePart[Any] | None], first_plan: ControlPlan | None = None
    ) -> State:
        """Return the state of a robot that was just read; missing files may be None."""
        by_kind = {FileKind(part.kind): part for part in parts if part is not None}
        values: dict[str, Any] = {kind.value: part.value for kind, part in by_kind.items()}
        return cls(RobotDescription(**values), FrozenDict(by_kind), first_plan=first_plan)

    def changed_by(self, change: Change) -> State:
        """The state after a change. Raises CannotApply."""
        state = self
        for robot in steps_of(change, self.robot):
            state = state.with_robot(robot)
        # A guess ends when its value is given, though it be the same.
        given = frozenset(given_parts(change, self.robot))
        given = given.intersection(self.guesses.parts) if given else given
        if not given:
            return state
        # Another object, so that views look at it.
        robot = replace(state.robot) if state.robot is self.robot else state.robot
        return replace(state, robot=robot, confirmed=self.confirmed | given)

    def with_robot(self, robot: RobotDescription) -> State:
        """The state after one change, which made `robot` of the present one."""
        lineages = dict(self.lineages)
        for kind, part in self.parts.items():
            old, new = self.value(kind), getattr(robot, kind.value)
            if old is not new:
                lineages[kind] = Lineage.between(part.value, old, lineages.get(kind)).then(new)
        return replace(self, robot=robot, lineages=FrozenDict(lineages))

    def with_part(self, kind: FileKind, part: FilePart[Any] | None) -> State:
        """Return the state with another file, or without that file."""
        parts = self.parts.without(kind) if part is None else self.parts.set(kind, part)
        # The comments of another XRDF say what is guessed.
        confirmed = NOTHING_CONFIRMED if kind is FileKind.XRDF else self.confirmed
        robot = self.robot.with_part(kind, part and part.value)
        return replace(self, robot=robot, parts=parts, confirmed=confirmed)

    @property
    def urdf_source(self) -> UrdfSource:
        return cast(UrdfSource, self.parts[FileKind.URDF])

    @property
    def xrdf_source(self) -> XrdfSource:
        return cast(XrdfSource, self.parts[FileKind.XRDF])

    @property
    def srdf_source(self) -> SrdfSource | None:
        return cast(SrdfSource | None, self.parts.get(FileKind.SRDF))

    def source(self, kind: FileKind) -> SourceText | None:
        """Return the text that this part was read from."""
        part = self.parts.get(kind)
        return None if part is None else part.source

    def value(self, kind: FileKind) -> Any:
        """Return the model of one file; None for one that the robot does not have."""
        return getattr(self.robot, kind.value)

    def typed_in(self, kind: FileKind) -> dict[Hashable, str]:
        """Return the typed texts of one file, by place."""
        return {place: text for place, text in self.typed.items() if file_of(place) is kind}

    def says_the_same(self, other: State, kind: FileKind) -> bool:
        """Return whether a file would be the same for both states."""
        this_part, other_part = self.value(kind), other.value(kind)
        if this_part is not other_part and this_part != other_part:
            return False
        if kind is FileKind.XRDF and self.confirmed != other.confirmed:
            return False
        if self.typed != other.typed and self.typed_in(kind) != other.typed_in(kind):
            return False
        a, b = self.source(kind), other.source(kind)
        return a is b or (a is not None and b is not None and a.text == b.text)


def file_of(place: Hashable) -> FileKind:
    """The file that text typed at `place` belongs to."""
    return place if isinstance(place, FileKind) else FileKind.URDF


@dataclass(slots=True)
class FileRecord:
    """The path to which a file is saved, the digest of its last read or saved content, and the
    state in it.

    The digest tells whether the file was changed by somebody else; None, as the state, for one that
    is not there yet.
    """

    path: Path | None = None
    digest: str | None = None
    saved: State | None = None

    def mark(self, written: SourceText, state: State) -> None:
        """`written`, just put on disk, holds `state`."""
        self.path, self.digest, self.saved = written.path, written.digest, state


class Files:
    """Every file that was opened for a part of the robot; a state tells by its number which one it
    belongs to."""

    def __init__(self) -> None:
        self._records: dict[tuple[FileKind, int], FileRecord] = {}

    def of(self, state: State, kind: FileKind) -> FileRecord:
        """The file of one part of `state`."""
        return self._records.setdefault((kind, state.files.get(kind, 0)), FileRecord())

    def add(self, kind: FileKind, number: int, record: FileRecord) -> None:
        self._records[kind, number] = record

    def next_number(self, kind: FileKind) -> int:
        """The number of the next file that is opened for a part."""
        return 1 + max((number for of_kind, number in self._records if of_kind is kind), default=0)

    def is_modified(self, state: State, kind: FileKind) -> bool:
        """Return whether the file lacks something that `state` has."""
        saved = self.of(state, kind).saved
        if state.value(kind) is None and not state.typed_in(kind):
            return False
        return saved is None or (state is not saved and not state.says_the_same(saved, kind))

    def typed_on_disk(self, state: State, place: Hashable) -> str | None:
        """The text at `place` of a file that was opened broken, as it stands on disk."""
        saved = self.of(state, file_of(place)).saved
        return saved.typed.get(place) if saved is not None else None
