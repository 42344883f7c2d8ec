"""The files of one robot: which is the URDF, XRDF, SRDF or a package of MoveIt, and what a xacro
file expands to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeGuard

from editor_app.core.document.expansion import Expansion
from editor_app.core.document.state import SETTINGS_FILES, FileKind
from editor_app.core.formats.exchange.codec import MODEL
from editor_app.core.formats.moveit_package import (
    MoveItPackage,
    find_srdf,
    is_moveit_package,
    package_root,
    read_package,
    urdf_within,
)
from editor_app.core.formats.registry import recognise_format
from editor_app.core.formats.ros_settings import kind_of_settings
from editor_app.core.formats.urdf.xacro import declared_arguments, expand_xacro, included_files
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.space.geometry.paths import package_folder
from editor_app.core.tasks.task import TaskReporter
from editor_app.core.tasks.work import Refused
from editor_app.core.text.source import FormatError, SourceText

#: The kind of a robot of another program.
_FOREIGN = "foreign"


@dataclass(frozen=True, slots=True)
class OpenedFiles:
    """`robot`: the URDF, the xacro file that is expanded to it, or a robot of another program
    (`is_foreign`), which is imported. `settings`: None takes the files in its folder."""

    robot: Path
    is_xacro: bool = False
    is_foreign: bool = False
    xrdf: Path | None = None
    srdf: Path | None = None
    settings: FrozenDict[FileKind, Path] | None = None
    #: Arguments that the package gives the xacro file.
    arguments: FrozenDict[str, str] = FrozenDict()


def robot_files(
    *files: str | Path, packages: Mapping[str, Path] | None = None, allow_xacro: bool = True
) -> OpenedFiles:
    """Sort the files of one robot, given in any order, by kind; a folder is a MoveIt config
    package, or has one URDF.

    What is named beside a package takes the place of what it has. Where no xacro file may run, the
    robot of a package is the URDF that its xacro file only adds ros2_control to. Raises Refused,
    FormatError, OSError.
    """
    roots = {path: root for path in map(Path, files) if (root := package_root(path)) is not None}
    if len(roots) > 1:
        first, second, *_ = roots.values()
        raise Refused(f"{first} and {second} are both folders: name one folder for a robot")
    package = next((moveit_package(root, packages, allow_xacro) for root in roots.values()), None)
    kinds = {path: settings_kind(path) for path in map(Path, files) if path not in roots}
    settings = {kind: path for path, kind in kinds.items() if kind is not None}
    by_kind = _by_kind(path for path, kind in kinds.items() if kind is None)
    if package is not None:
        by_kind, settings = _with_package(package, by_kind, settings)
    robot = _only_robot(by_kind)
    if robot is None:
        raise Refused(_no_robot(package, by_kind))
    chosen = FrozenDict(settings) if settings or package is not None else None
    arguments = FrozenDict(
        package.arguments if package is not None and robot == package.robot else ()
    )
    kinds_of_robot = "xacro" in by_kind, _FOREIGN in by_kind
    return OpenedFiles(
        robot, *kinds_of_robot, by_kind.get("xrdf"), by_kind.get("srdf"), chosen, arguments
    )


def takes_model(path: Path) -> bool:
    """Return whether a file is of a format whose files can hold several robots."""
    try:
        return MODEL in recognise_format(path).choices
    except (FormatError, OSError):
        return False


def refuse_idle_model(model: str | None, files: Iterable[Path]) -> None:
    """Raises Refused for the choice of a robot where no file can hold several."""
    if model is not None and not any(map(takes_model, files)):
        raise Refused(
            "--model applies to COLLADA, SDF and USD files, and no file here has that format: "
            "remove it"
        )


def _only_robot(by_kind: Mapping[str, Path]) -> Path | None:
    """Return the file that describes the robot. Raises Refused for two."""
    robots = [by_kind[kind] for kind in ("urdf", "xacro", _FOREIGN) if kind in by_kind]
    if len(robots) > 1:
        raise Refused(f"{robots[1]} and {robots[0]} both describe the robot: name only one")
    return robots[0] if robots else None


def _no_robot(package: MoveItPackage | None, by_kind: Mapping[str, Path]) -> str:
    if package is not None:
        return f"{package.folder}: {package.missing}"
    named = ", ".join(str(path) for path in by_kind.values()) or "no file"
    return f"{named}: name the URDF (or xacro file) of the robot, too"


def _with_package(
    package: MoveItPackage, by_kind: Mapping[str, Path], settings: Mapping[FileKind, Path]
) -> tuple[dict[str, Path], dict[FileKind, Path]]:
    """Files by their kind, and settings: the named ones, and what a package has beyond them."""
    files, of_package = dict(by_kind), dict(package.settings)
    if package.robot is not None and not {"urdf", "xacro", _FOREIGN} & files.keys():
        files["xacro" if is_xacro(package.robot) else "urdf"] = package.robot
    if package.srdf is not None:
        files.setdefault("srdf", package.srdf)
    usual = {kind: of_package[name] for kind, name in SETTINGS_FILES.items() if name in of_package}
    return files, {**usual, **settings}


def _by_kind(paths: Iterable[Path]) -> dict[str, Path]:
    """urdf, xacro, xrdf, srdf -> file. Raises Refused for two of a kind, and for files of other
    formats."""
    by_kind: dict[str, Path] = {}
    for path in paths:
        codec = recognise_format(path)
        kind = codec.name
        if kind not in ("urdf", "xacro", "xrdf", "srdf"):
            if not codec.is_whole:
                raise Refused(f"{path} is a {kind} file: use convert to create an XRDF from it")
            kind = _FOREIGN
        if kind in by_kind:
            named = "robots" if kind == _FOREIGN else f"{kind.upper()} files"
            raise Refused(f"{by_kind[kind]} and {path} are both {named}: name only one")
        by_kind[kind] = path
    return by_kind


def settings_kind(path: Path) -> FileKind | None:
    """Which settings of MoveIt a file is, by its name."""
    kind = kind_of_settings(path.name)
    return FileKind(kind) if kind is not None else None


def moveit_package(
    folder: Path, packages: Mapping[str, Path] | None = None, allow_xacro: bool = True
) -> MoveItPackage:
    """Read a MoveIt config package; in another folder, its only URDF. Raises Refused,
    FormatError."""
    if is_moveit_package(folder):
        package = read_package(
            folder,
            tuple(SETTINGS_FILES.values()),
            lambda name: package_folder(name, folder / "package.xml", packages),
        )
        if allow_xacro or not is_xacro(package.robot):
            return package
        return replace(package, robot=urdf_within(package.robot) or package.robot)
    robots = sorted({*folder.glob("*.urdf"), *folder.glob("urdf/*.urdf")})
    if len(robots) != 1:
        names = (
            f"has {len(robots)} URDFs: name one"
            if robots
            else "has no URDF and is no MoveIt config package"
        )
        raise Refused(f"{folder} {names}")
    return MoveItPackage(folder, robots[0], find_srdf(robots[0]))


def refuse_untrusted(path: Path, allow_xacro: bool) -> None:
    """Raises Refused for a xacro file that the user has not allowed to run."""
    if not allow_xacro:
        raise Refused(
            f"{path} is a xacro file, which can run Python expressions. If you trust it, allow "
            "this "
            "(--allow-xacro on the command line, allow_xacro=True in Python)"
        )


def expand_robot(
    path: Path, arguments: Mapping[str, str], packages: Mapping[str, Path]
) -> tuple[SourceText, Expansion]:
    """The URDF that a xacro file expands to, for a user who agreed to it. Raises FormatError."""
    text = expand_xacro(path, arguments, lambda name: package_folder(name, path, packages))
    assert text.path is not None
    return text, Expansion.of(path, text.path, arguments, included_files())


def is_xacro(path: Path | None) -> TypeGuard[Path]:
    """Return whether a file has to be expanded first."""
    return path is not None and path.suffix.lower() == ".xacro"


def expanded_srdf(
    path: Path, arguments: Mapping[str, str], packages: Mapping[str, Path]
) -> SourceText:
    """The SRDF that a xacro file expands to, with the `arguments` that it declares. Raises
    FormatError."""
    declared = declared_arguments(SourceText.read(path))
    given = {name: value for name, value in arguments.items() if name in declared}
    return expand_xacro(path, given, lambda name: package_folder(name, path, packages))


def expand_files(
    reporter: TaskReporter,
    source: Path,
    arguments: tuple[tuple[str, str], ...],
    packages: tuple[tuple[str, Path], ...] = (),
    srdf: Path | None = None,
) -> tuple[SourceText, Expansion, Path | SourceText | None]:
    """`open.expanded` as a job, and the SRDF where that is a xacro file, too."""
    reporter.progress(-1.0, f"Expanding {source.name}")
    choices = dict(arguments), dict(packages)
    return (
        *expand_robot(source, *choices),
        expanded_srdf(srdf, *choices) if is_xacro(srdf) else srdf,
    )
