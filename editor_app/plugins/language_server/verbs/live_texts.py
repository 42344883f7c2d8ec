"""The robot that texts in an editor describe, saved or not: what is wrong with them, what else
belongs to it, and remedies and renames as edits of the texts, for editors that hold them
themselves."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from editor_app.core.document.commands.lists import RenameItem
from editor_app.core.document.commands.urdf import RenameJoint
from editor_app.core.document.document import Document
from editor_app.core.document.state import SETTINGS, FileKind
from editor_app.core.formats.moveit_package import find_srdf, find_xrdf, is_moveit_package
from editor_app.core.formats.ros_settings import SettingsSource, read_settings
from editor_app.core.formats.srdf import SrdfSource, read_srdf
from editor_app.core.formats.urdf import UrdfSource, read_urdf
from editor_app.core.formats.xrdf import XrdfSource, read_xrdf
from editor_app.core.model.findings import Finding, Severity
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.keys import Named
from editor_app.core.model.profile import Profile
from editor_app.core.model.robot import CannotApply, Change, RobotDescription, TextChange
from editor_app.core.model.xrdf import Xrdf
from editor_app.core.tasks.work import Refused
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.text.splices import Splice
from editor_app.core.verbs.link_roles import rename_frame
from editor_app.core.verbs.open import kind_named
from editor_app.core.verbs.pairing import names_in, robots_for
from editor_app.core.verbs.robot_inputs import is_xacro, moveit_package, settings_kind
from editor_app.core.verbs.text_help import NamedThing, definition_in, named_at
from editor_app.features.checks.engine.rule import CheckContext, File
from editor_app.features.checks.engine.runner import locate_findings, run_rules

#: The text of a file: of an editor that has it open, else from the disk. Raises FormatError.
ReadText = Callable[[Path], SourceText]
Source = TypeVar("Source", UrdfSource, XrdfSource, SrdfSource, SettingsSource[Any])
_FILES: dict[FileKind, tuple[File, ...]] = {
    FileKind.XRDF: ("xrdf",),
    FileKind.URDF: ("urdf",),
    FileKind.SRDF: ("srdf",),
    **dict.fromkeys(SETTINGS, ("ros",)),
}
_CODES = {
    FileKind.XRDF: "XRDF001",
    FileKind.URDF: "URDF000",
    FileKind.SRDF: "SRDF000",
    **dict.fromkeys(SETTINGS, "ROS000"),
}


@dataclass(frozen=True, eq=False)
class LiveRobot:
    """`kind`: what the file is that was asked about; `findings`: about that file, with their places
    in its text.

    `paths`: the files of the robot. `document`: None where the file cannot be read; `robot` then
    has what else there is. Without `has_urdf` the rules that need one are not asked.
    """

    kind: FileKind
    paths: dict[FileKind, Path]
    document: Document | None
    robot: RobotDescription
    has_urdf: bool
    findings: tuple[Finding, ...]


def kind_of(path: Path) -> FileKind:
    """Return the kind of a text by its name; XRDF for any other name."""
    return settings_kind(path) or kind_named(path)


def live_robot(
    path: Path, read: ReadText, *, before: Xrdf | None = None, profile: Profile | None = None
) -> LiveRobot:
    """The robot that a file belongs to: the URDF of its name beside it, else the one nearby that
    has most of its names.

    Settings of MoveIt belong to the robot of their package, else to the only URDF beside them.

    `before`: the XRDF as it could be read last, for names, where it cannot be read now.
    """
    profile = profile or Profile.SPECIFICATION
    kind = kind_of(path)
    paths = {kind: path, **_others(path, kind)}
    faults: dict[FileKind, FormatError] = {}
    urdf = _read(paths, FileKind.URDF, read, read_urdf, faults)
    srdf = _read(paths, FileKind.SRDF, read, read_srdf, faults)
    xrdf = _read(paths, FileKind.XRDF, read, read_xrdf, faults)
    context = CheckContext.of_texts(urdf, xrdf, srdf, profile, paths.get(FileKind.URDF))
    settings: dict[FileKind, SettingsSource[Any]] = {}
    if kind in SETTINGS and (
        made := _read(paths, kind, read, partial(read_settings, SETTINGS[kind]), faults)
    ):
        settings[kind] = made
        with_settings = context.robot.with_part(kind, made.value)
        context = replace(context, robot=with_settings, settings=FrozenDict(settings))
    robot, has_urdf = context.robot, context.has_urdf
    if kind in faults:
        robot = robot if xrdf is not None or before is None else robot.with_xrdf(before)
        fault = Finding(
            _CODES[kind], Severity.ERROR, faults[kind].sentences, location=faults[kind].location
        )
        return LiveRobot(kind, paths, None, robot, has_urdf, (fault,))
    urdf = urdf or read_urdf(SourceText.from_text('<robot name=""/>'))
    xrdf = xrdf or read_xrdf(SourceText.from_text("format: xrdf\nformat_version: 1.0\n"))
    document = Document(urdf, xrdf, srdf, *settings.values())
    findings = run_rules(context, files=_FILES[kind])
    if xrdf is not None and kind is FileKind.XRDF:
        findings = locate_findings(findings, xrdf)
    return LiveRobot(kind, paths, document, robot, has_urdf, findings)


# -- inside


def _others(path: Path, kind: FileKind) -> dict[FileKind, Path]:
    """The other files of the robot that `path` belongs to."""
    if kind in SETTINGS:
        return _around_settings(path)
    urdf = path if kind is FileKind.URDF else _urdf_of(path)
    if urdf is None:
        return {}
    paths = {FileKind.URDF: urdf, FileKind.XRDF: find_xrdf(urdf), FileKind.SRDF: find_srdf(urdf)}
    return {
        other: place for other, place in paths.items() if place is not None and other is not kind
    }


def _around_settings(path: Path) -> dict[FileKind, Path]:
    """The robot of a file of MoveIt's settings; nothing where that would have to be made by
    xacro."""
    folder = next((each for each in path.parents[:2] if is_moveit_package(each)), path.parent)
    try:
        package = moveit_package(folder, allow_xacro=False)
    except (FormatError, Refused, OSError):
        return {}
    named = {FileKind.URDF: package.robot, FileKind.SRDF: package.srdf}
    return {
        kind: place for kind, place in named.items() if place is not None and not is_xacro(place)
    }


def _urdf_of(path: Path) -> Path | None:
    name = path.name.partition(".xrdf")[0] if ".xrdf" in path.name else path.stem
    beside = path.with_name(f"{name}.urdf")
    if beside.is_file():
        return beside
    try:
        names = names_in(path)
    except (FormatError, OSError):
        return None
    best = next((match for match in robots_for(path, names) if match.total and match.fits), None)
    return best.urdf if best is not None else None


def _read(
    paths: dict[FileKind, Path],
    kind: FileKind,
    read: ReadText,
    parse: Callable[[SourceText], Source],
    faults: dict[FileKind, FormatError],
) -> Source | None:
    if kind not in paths:
        return None
    try:
        return parse(read(paths[kind]))
    except FormatError as error:
        faults[kind] = error
        return None


@dataclass(frozen=True, slots=True)
class TextRange:
    """Offsets in the text of a file."""

    path: Path
    start: int
    end: int


def change_edits(live: LiveRobot, change: Change | TextChange) -> dict[Path, tuple[Splice, ...]]:
    """The edits of each file that a remedy or command makes. Raises CannotApply."""
    document = live.document
    if document is None:
        raise CannotApply("The file cannot be read: fix that first.")
    before = {kind: document.text(kind) for kind in live.paths}
    document.execute(change)
    try:
        after = {kind: document.text(kind) for kind in live.paths}
    finally:
        document.undo()
    edits = {}
    for kind, path in live.paths.items():
        old, new = before[kind], after[kind]
        if old is not None and new is not None and old != new:
            edits[path] = tuple(_edits(old, new))
    return edits


def rename_edits(live: LiveRobot, thing: NamedThing, name: str) -> dict[Path, tuple[Splice, ...]]:
    """The edits that give a thing another name wherever it is referred to. Raises CannotApply."""
    return change_edits(live, _renaming(live.robot, thing, name))


def definition(live: LiveRobot, thing: NamedThing) -> TextRange | None:
    """Return the place that defines the name of a thing; None if it is not found."""
    document = live.document
    if document is None:
        return None
    for kind in (FileKind.URDF, FileKind.XRDF, FileKind.SRDF):
        path = live.paths.get(kind)
        span = None if path is None else definition_in(document.text(kind) or "", thing, kind)
        if path is not None and span is not None:
            return TextRange(path, *span)
    return None


def find_references(live: LiveRobot, thing: NamedThing) -> Iterator[TextRange]:
    """Yield the places that name a thing in the files of its robot, its definition included, in the
    order of the text."""
    document = live.document
    name = re.compile(rf"(?<![\w.-]){re.escape(thing.name)}(?![\w.-])")
    for kind, path in live.paths.items():
        text = (document.text(kind) if document is not None else None) or ""
        for match in name.finditer(text):
            named = named_at(text, match.start(), kind, live.robot)
            if named is not None and (named.kind, named.name, named.start) == (
                thing.kind,
                thing.name,
                match.start(),
            ):
                yield TextRange(path, named.start, named.end)


# -- inside


def _renaming(robot: RobotDescription, thing: NamedThing, name: str) -> Change:
    if thing.kind is Named.GEOMETRY_GROUP:
        return RenameItem("xrdf.geometry", thing.name, name)
    if thing.kind is Named.JOINT:
        return RenameJoint(thing.name, name)
    if thing.kind is Named.LINK:
        return rename_frame(robot, thing.name, name)
    raise CannotApply("Rename SRDF groups in the window.")


def _edits(old: str, new: str) -> Iterator[Splice]:
    """By lines, then by what differs within them: an editor keeps its cursor and its marks
    elsewhere."""
    first, second = old.splitlines(keepends=True), new.splitlines(keepends=True)
    starts = [0]
    for line in first:
        starts.append(starts[-1] + len(line))
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag != "equal":
            yield _narrowed("".join(first[a:b]), "".join(second[c:d]), starts[a])


def _narrowed(old: str, new: str, offset: int) -> Splice:
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    return Splice(offset + head, offset + len(old) - tail, new[head : len(new) - tail])
