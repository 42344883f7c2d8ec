"""The verb open: the files of a robot, recognised by what they hold, as one document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from editor_app.drafting import NOTHING_ASKED, ControlRequest
from editor_app.edit.document import Document
from editor_app.edit.expansion import Expansion
from editor_app.edit.opening import open_robot as open_sorted
from editor_app.edit.opening import read_xrdf_file, xrdf_beside
from editor_app.formats.registry import recognised
from editor_app.formats.source import SourceText
from editor_app.formats.urdf.xacro import expand_xacro, included_files
from editor_app.geometry.paths import package_folder
from editor_app.model.frozen import FrozenDict
from editor_app.operations.work import Progress, Refused, silent
from editor_app.tasks.job import Report

__all__ = ["open_robot", "open_sorted", "read_xrdf_file", "xrdf_beside"]


@dataclass(frozen=True, slots=True)
class RobotFiles:
    """`robot`: the URDF, or the xacro file that is expanded to it."""

    robot: Path
    is_xacro: bool = False
    xrdf: Path | None = None
    srdf: Path | None = None


def robot_files(*files: str | Path) -> RobotFiles:
    """What each of the files of one robot is, in any order. Raises Refused, FormatError, OSError."""
    by_kind: dict[str, Path] = {}
    for path in map(Path, files):
        codec = recognised(path)
        if codec.name not in ("urdf", "xacro", "xrdf", "srdf"):
            product = "a URDF" if codec.is_whole else "an XRDF"
            raise Refused(f"{path} is a {codec.name} file: convert makes {product} of it")
        if codec.name in by_kind:
            raise Refused(
                f"{by_kind[codec.name]} and {path} are both {codec.name.upper()} files: a robot has one of them"
            )
        by_kind[codec.name] = path
    if "urdf" in by_kind and "xacro" in by_kind:
        raise Refused(f"{by_kind['xacro']} and {by_kind['urdf']} both describe the robot: name one of them")
    robot = by_kind.get("urdf", by_kind.get("xacro"))
    if robot is None:
        named = ", ".join(str(path) for path in by_kind.values()) or "no file"
        raise Refused(f"{named}: name the URDF (or xacro file) of the robot, too")
    return RobotFiles(robot, "xacro" in by_kind, by_kind.get("xrdf"), by_kind.get("srdf"))


def open_robot(
    *files: str | Path,
    new_xrdf: bool = False,
    control: ControlRequest = NOTHING_ASKED,
    packages: Mapping[str, Path] | None = None,
    xacro_arguments: Mapping[str, str] | None = None,
    allow_xacro: bool = False,
    version: str = "1.0",
    progress: Progress = silent,
) -> Document:
    """Opens a robot: its URDF (or xacro file), and its XRDF and SRDF where they are named, in any order.

    An XRDF or SRDF of the same name beside the URDF is opened along. Where there is no XRDF, or with `new_xrdf`, one is
    drafted, in which every guessed number is marked; it counts as not yet saved. `control` says which of its joints
    are controlled; by default that is guessed. `version` (1.0 or 2.0) is that of a draft.
    `packages`: name of a package -> folder, for meshes and xacro. A xacro file runs Python expressions of its own: it
    is expanded in memory with `xacro_arguments` only where `allow_xacro` says so, and cannot be edited then.
    Raises OSError when a file cannot be read, FormatError (with file, line and remedy) when it makes no sense, Refused
    when the files do not make one robot.
    """
    given = robot_files(*files)
    source: Path | SourceText = given.robot
    expansion = None
    if given.is_xacro:
        refuse_untrusted(given.robot, allow_xacro)
        progress(0.0, f"Expanding {given.robot.name}")
        source, expansion = expanded(given.robot, xacro_arguments or {}, packages or {})
    elif xacro_arguments:
        raise Refused(f"{given.robot} is no xacro file: it takes no arguments")
    document = open_sorted(
        source,
        given.xrdf,
        srdf=given.srdf,
        new_xrdf=new_xrdf,
        control=control,
        expansion=expansion,
        version=version,
        on_progress=progress,
    )
    document.packages = FrozenDict({name: Path(folder) for name, folder in (packages or {}).items()})
    return document


def refuse_untrusted(path: Path, allow_xacro: bool) -> None:
    """Raises Refused for a xacro file that the user has not allowed to run."""
    if not allow_xacro:
        raise Refused(
            f"{path} is a xacro file, which runs Python expressions of its own: where you trust it, allow that "
            "(--allow-xacro on the command line, allow_xacro=True in Python)"
        )


def expanded(path: Path, arguments: Mapping[str, str], packages: Mapping[str, Path]) -> tuple[SourceText, Expansion]:
    """The URDF that a xacro file expands to, for a user who agreed to it. Raises FormatError."""
    text = expand_xacro(path, arguments, lambda name: package_folder(name, path, packages))
    assert text.path is not None
    return text, Expansion.of(path, text.path, arguments, included_files())


@dataclass(frozen=True, slots=True)
class ExpandXacro:
    """`open.expanded` as a job."""

    source: Path
    arguments: tuple[tuple[str, str], ...]
    packages: tuple[tuple[str, Path], ...] = ()

    def __call__(self, report: Report) -> tuple[SourceText, Expansion]:
        report.progress(-1.0, f"Expanding {self.source.name}")
        return expanded(self.source, dict(self.arguments), dict(self.packages))
