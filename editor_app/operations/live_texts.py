"""The robot that texts in an editor describe, saved or not: what is wrong with them, and what else belongs to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from editor_app.checks.context import CheckContext
from editor_app.checks.rule import File
from editor_app.checks.runner import check, located
from editor_app.edit.document import Document
from editor_app.edit.opening import srdf_beside, xrdf_beside
from editor_app.edit.state import SETTINGS, FileKind
from editor_app.formats.moveit_package import is_moveit_package
from editor_app.formats.ros_settings import SettingsSource, read_settings
from editor_app.formats.source import FormatError, SourceText
from editor_app.formats.srdf import SrdfSource, read_srdf
from editor_app.formats.urdf import UrdfSource, read_urdf
from editor_app.formats.xrdf import XrdfSource, read_xrdf
from editor_app.model.findings import Finding, Location, Severity
from editor_app.model.frozen import FrozenDict
from editor_app.model.profile import Profile
from editor_app.model.robot import RobotDescription
from editor_app.model.xrdf import Xrdf
from editor_app.operations.open import is_xacro, moveit_package, settings_kind
from editor_app.operations.pairing import names_in, robots_for
from editor_app.operations.save import kind_named
from editor_app.operations.work import Refused

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
    """`kind`: what the file is that was asked about; `findings`: about that file, with their places in its text.

    `paths`: the files of the robot. `document`: None where the file cannot be read; `robot` then has what else there
    is. Without `has_urdf` the rules that need one are not asked.
    """

    kind: FileKind
    paths: dict[FileKind, Path]
    document: Document | None
    robot: RobotDescription
    has_urdf: bool
    findings: tuple[Finding, ...]


def kind_of(path: Path) -> FileKind:
    """What a text is, by its name; the XRDF for a name that says nothing."""
    return settings_kind(path) or kind_named(path)


def live_robot(path: Path, read: ReadText, *, before: Xrdf | None = None, profile: Profile | None = None) -> LiveRobot:
    """The robot that a file belongs to: the URDF of its name beside it, else the one nearby that has most of its names.

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
    if kind in SETTINGS and (made := _read(paths, kind, read, partial(read_settings, SETTINGS[kind]), faults)):
        settings[kind] = made
        with_settings = context.robot.with_settings(kind, made.value)
        context = replace(context, robot=with_settings, settings=FrozenDict(settings))
    robot, has_urdf = context.robot, context.has_urdf
    if kind in faults:
        robot = robot if xrdf is not None or before is None else robot.with_xrdf(before)
        return LiveRobot(kind, paths, None, robot, has_urdf, (_unreadable(faults[kind], kind),))
    document = Document(urdf or _no_urdf(), xrdf or _no_xrdf(), srdf, settings)
    findings = check(context, files=_FILES[kind])
    if xrdf is not None and kind is FileKind.XRDF:
        findings = located(findings, xrdf)
    return LiveRobot(kind, paths, document, robot, has_urdf, findings)


# -- inside


def _others(path: Path, kind: FileKind) -> dict[FileKind, Path]:
    """The other files of the robot that `path` belongs to."""
    if kind in SETTINGS:
        return _around_settings(path)
    urdf = path if kind is FileKind.URDF else _urdf_of(path)
    if urdf is None:
        return {}
    paths = {FileKind.URDF: urdf, FileKind.XRDF: xrdf_beside(urdf), FileKind.SRDF: srdf_beside(urdf)}
    return {other: place for other, place in paths.items() if place is not None and other is not kind}


def _around_settings(path: Path) -> dict[FileKind, Path]:
    """The robot of a file of MoveIt's settings; nothing where that would have to be made by xacro."""
    folder = next((each for each in path.parents[:2] if is_moveit_package(each)), path.parent)
    try:
        package = moveit_package(folder, allow_xacro=False)
    except (FormatError, Refused, OSError):
        return {}
    named = {FileKind.URDF: package.robot, FileKind.SRDF: package.srdf}
    return {kind: place for kind, place in named.items() if place is not None and not is_xacro(place)}


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


def _unreadable(error: FormatError, kind: FileKind) -> Finding:
    place = error.location or Location("")
    message = f"{error.message.rstrip('.')}." + (f" {error.remedy}" if error.remedy else "")
    return Finding(_CODES[kind], Severity.ERROR, message, location=place)


def _no_urdf() -> UrdfSource:
    return read_urdf(SourceText.from_text('<robot name=""/>'))


def _no_xrdf() -> XrdfSource:
    return read_xrdf(SourceText.from_text("format: xrdf\nformat_version: 1.0\n"))
