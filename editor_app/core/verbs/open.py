"""The verbs open and save: the files of a robot, recognised by what they hold, as one document, and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeGuard

from editor_app.core.document.document import Document
from editor_app.core.document.expansion import Expansion
from editor_app.core.document.opening import open_document as open_sorted
from editor_app.core.document.opening import read_xrdf_file
from editor_app.core.document.saving import save_all, save_expansion_as, save_kind_as
from editor_app.core.document.state import SETTINGS_FILES, FileKind
from editor_app.core.document.writing import NO_INPUTS, write_files
from editor_app.core.drafting import NOTHING_ASKED, ControlRequest
from editor_app.core.formats.moveit_package import (
    MoveItPackage,
    find_srdf,
    find_xrdf,
    is_moveit_package,
    package_root,
    read_package,
    urdf_within,
)
from editor_app.core.formats.registry import recognise_format
from editor_app.core.formats.ros_settings import kind_of_settings
from editor_app.core.formats.urdf.xacro import declared_arguments, expand_xacro, included_files
from editor_app.core.formats.xrdf.versions import CannotConvert
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.inputs import Inputs
from editor_app.core.model.robot import CannotApply
from editor_app.core.space.geometry.paths import package_folder
from editor_app.core.tasks.job import Report
from editor_app.core.tasks.work import Progress, Refused, check_arguments, silent
from editor_app.core.text.source import SourceText
from editor_app.core.verbs import convert as conversions

__all__ = ["find_xrdf", "open_robot", "open_sorted", "read_xrdf_file"]


@dataclass(frozen=True, slots=True)
class OpenedFiles:
    """`robot`: the URDF, the xacro file that is expanded to it, or a robot of another program (`is_foreign`), which is
    imported. `settings`: None goes by what lies beside it."""

    robot: Path
    is_xacro: bool = False
    is_foreign: bool = False
    xrdf: Path | None = None
    srdf: Path | None = None
    settings: FrozenDict[FileKind, Path] | None = None
    #: What the package says of the xacro file.
    arguments: FrozenDict[str, str] = FrozenDict()


def robot_files(
    *files: str | Path, packages: Mapping[str, Path] | None = None, allow_xacro: bool = True
) -> OpenedFiles:
    """Sort the files of one robot, given in any order, by kind; a folder is a MoveIt config package, or has one URDF.

    What is named beside a package takes the place of what it has. Where no xacro file may run, the robot of a package
    is the URDF that its xacro file only adds ros2_control to. Raises Refused, FormatError, OSError.
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
    arguments = FrozenDict(package.arguments if package is not None and robot == package.robot else ())
    kinds_of_robot = "xacro" in by_kind, _FOREIGN in by_kind
    return OpenedFiles(robot, *kinds_of_robot, by_kind.get("xrdf"), by_kind.get("srdf"), chosen, arguments)


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


#: The kind of a robot of another program.
_FOREIGN = "foreign"
#: Choices of formats that say which robot of a file is meant.
_MODELS = ("robot", "model")
#: Folders of imported robots, which are deleted when the program ends.
_IMPORTS: list[TemporaryDirectory[str]] = []


def import_robot(
    path: Path, packages: Mapping[str, Path] | None = None, model: str | None = None
) -> tuple[Path, Path | None, Path | None]:
    """Import a robot of another program (USD, SDF, MJCF, COLLADA) into a folder that lasts as long as the program.

    `model`: which robot of a file with several. Return its URDF, XRDF and SRDF; None for one that the import does not
    write. Raises FormatError, OSError, Refused.
    """
    folder = TemporaryDirectory(prefix="xrdf-editor-")
    _IMPORTS.append(folder)
    target = Path(folder.name).resolve() / f"{path.name.partition('.')[0]}.urdf"
    choices = (
        {} if model is None else {each.name: model for each in recognise_format(path).choices if each.name in _MODELS}
    )
    options = conversions.ConvertOptions("urdf", choices=FrozenDict(choices))
    try:
        conversion = conversions.convert([path], target, options, packages=packages)
    except (CannotConvert, CannotApply, conversions.NeedsChoice) as error:
        raise Refused(f"{path}: {error}") from error
    write_files(conversion.files)
    parts = (target.with_suffix(ending) for ending in (".xrdf", ".srdf"))
    xrdf, srdf = (part if part.is_file() else None for part in parts)
    return target, xrdf, srdf


def _open_foreign(given: OpenedFiles, packages: Mapping[str, Path], progress: Progress, **choices: Any) -> Document:
    """Open a robot of another program as its import, which is in no file of the user."""
    progress(0.0, f"Importing {given.robot.name}")
    home = given.robot.absolute().with_name(f"{given.robot.name.partition('.')[0]}.urdf")
    urdf, drafted, own_srdf = import_robot(given.robot, packages)
    source = SourceText.read(urdf)
    expansion = Expansion.of(given.robot, home, {}, ())
    srdf: Path | SourceText | None = given.srdf or find_srdf(home)
    if srdf is None and own_srdf is not None:
        # It is in no file of the user.
        srdf = SourceText.from_text(SourceText.read(own_srdf).text)
    xrdf = given.xrdf or (None if choices["new_xrdf"] else find_xrdf(home))
    is_draft = not choices["new_xrdf"] and choices["control"] == NOTHING_ASKED and choices["version"] == "1.0"
    draft = SourceText.read(drafted) if drafted is not None and is_draft else None
    return open_sorted(source, xrdf, srdf=srdf, expansion=expansion, home=home, draft=draft, **choices)


def _by_kind(paths: Iterable[Path]) -> dict[str, Path]:
    """urdf, xacro, xrdf, srdf -> file. Raises Refused for two of a kind, and for files of other formats."""
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


def moveit_package(folder: Path, packages: Mapping[str, Path] | None = None, allow_xacro: bool = True) -> MoveItPackage:
    """Read a MoveIt config package; in another folder, its only URDF. Raises Refused, FormatError."""
    if is_moveit_package(folder):
        package = read_package(
            folder, tuple(SETTINGS_FILES.values()), lambda name: package_folder(name, folder / "package.xml", packages)
        )
        if allow_xacro or not is_xacro(package.robot):
            return package
        return replace(package, robot=urdf_within(package.robot) or package.robot)
    robots = sorted({*folder.glob("*.urdf"), *folder.glob("urdf/*.urdf")})
    if len(robots) != 1:
        names = f"has {len(robots)} URDFs: name one" if robots else "has no URDF and is no MoveIt config package"
        raise Refused(f"{folder} {names}")
    return MoveItPackage(folder, robots[0], find_srdf(robots[0]))


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

    A robot of another program (USD, SDF, MJCF, COLLADA) takes the place of the URDF: it is imported in memory, and its
    URDF cannot be edited before it is saved.

    A folder is a MoveIt config package (or names one, as do its package.xml and .setup_assistant): URDF, SRDF,
    joint_limits.yaml, kinematics.yaml and initial_positions.yaml are opened together.

    An XRDF or SRDF of the same name beside the URDF is opened along. Where there is no XRDF, or with `new_xrdf`, one is
    drafted, in which every guessed number is marked; it counts as not yet saved. `control` says which of its joints
    are controlled; by default that is guessed. `version` (1.0 or 2.0) is that of a draft.
    `packages`: name of a package -> folder, for meshes and xacro. A xacro file runs Python expressions of its own: it
    is expanded in memory with `xacro_arguments` only where `allow_xacro` says so, and cannot be edited then.
    Raises OSError when a file cannot be read, FormatError (with file, line and remedy) when it makes no sense, Refused
    when the files do not make one robot.
    """
    given = robot_files(*files, packages=packages, allow_xacro=allow_xacro)
    if given.is_foreign:
        if xacro_arguments:
            raise Refused(f"{given.robot} is not a xacro file and takes no arguments")
        options: dict[str, Any] = {"settings": given.settings, "new_xrdf": new_xrdf, "control": control}
        document = _open_foreign(given, packages or {}, progress, version=version, on_progress=progress, **options)
        document.packages = _folders(packages)
        return document
    source: Path | SourceText = given.robot
    expansion = None
    if given.is_xacro:
        refuse_untrusted(given.robot, allow_xacro)
        progress(0.0, f"Expanding {given.robot.name}")
        source, expansion = expand_robot(given.robot, {**given.arguments, **(xacro_arguments or {})}, packages or {})
    elif xacro_arguments:
        raise Refused(f"{given.robot} is not a xacro file and takes no arguments")
    srdf: Path | SourceText | None = given.srdf
    if is_xacro(given.srdf):
        refuse_untrusted(given.srdf, allow_xacro)
        srdf = expanded_srdf(given.srdf, xacro_arguments or {}, packages or {})
    document = open_sorted(
        source,
        given.xrdf,
        srdf=srdf,
        settings=given.settings,
        new_xrdf=new_xrdf,
        control=control,
        expansion=expansion,
        version=version,
        on_progress=progress,
    )
    document.packages = _folders(packages)
    return document


def _folders(packages: Mapping[str, Path] | None) -> FrozenDict[str, Path]:
    return FrozenDict({name: Path(folder) for name, folder in (packages or {}).items()})


def refuse_untrusted(path: Path, allow_xacro: bool) -> None:
    """Raises Refused for a xacro file that the user has not allowed to run."""
    if not allow_xacro:
        raise Refused(
            f"{path} is a xacro file, which can run Python expressions. If you trust it, allow this "
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


def expanded_srdf(path: Path, arguments: Mapping[str, str], packages: Mapping[str, Path]) -> SourceText:
    """The SRDF that a xacro file expands to, with the `arguments` that it declares. Raises FormatError."""
    declared = declared_arguments(SourceText.read(path))
    given = {name: value for name, value in arguments.items() if name in declared}
    return expand_xacro(path, given, lambda name: package_folder(name, path, packages))


def expand_files(
    report: Report,
    source: Path,
    arguments: tuple[tuple[str, str], ...],
    packages: tuple[tuple[str, Path], ...] = (),
    srdf: Path | None = None,
) -> tuple[SourceText, Expansion, Path | SourceText | None]:
    """`open.expanded` as a job, and the SRDF where that is a xacro file, too."""
    report.progress(-1.0, f"Expanding {source.name}")
    choices = dict(arguments), dict(packages)
    return (*expand_robot(source, *choices), expanded_srdf(srdf, *choices) if is_xacro(srdf) else srdf)


_ENDINGS = {".xrdf": FileKind.XRDF, ".srdf": FileKind.SRDF, ".urdf": FileKind.URDF}


def kind_named(path: Path) -> FileKind:
    """The kind of file that a name promises; the XRDF's for a name that promises none."""
    return _ENDINGS.get(path.suffix.lower(), FileKind.XRDF)


@check_arguments
def save(
    document: Document,
    path: str | Path | None = None,
    *,
    overwrite: bool = False,
    overwrite_foreign: bool = False,
    inputs: Inputs = NO_INPUTS,
) -> tuple[Path, ...]:
    """Saves every file that was modified to where it was read from; gives the files that hold the document now.

    With `path`, that file alone: the SRDF for a name with .srdf, the URDF for .urdf (only of a xacro file's expansion),
    else the XRDF; it is the document's from then on. Everything that was not edited keeps its bytes.

    `overwrite` replaces a file at `path` that the document was not read from; `overwrite_foreign` replaces the
    document's own files even where another program changed them. `inputs` are further files that the changes were
    made from, as `Inputs.of` them was before they were read.

    Raises ChangedOnDiskError when another program changed one of the document's files, or of `inputs`, meanwhile;
    SaveError when there is no path, a file is there already, or writing fails; Refused when the name is of another
    format.
    """
    if path is None:
        return save_all(document, overwrite_foreign=overwrite_foreign, inputs=inputs)
    target = Path(path)
    kind = kind_named(target)
    if target.suffix.lower() in (".dae", ".zae", ".xacro"):
        raise Refused(f"{target} is not the name of an XRDF, SRDF or URDF: convert writes other formats")
    if kind is FileKind.URDF:
        if document.expansion is None:
            raise Refused(f"{target}: paths of meshes are relative to the URDF; save it where it is, or use convert")
        return (save_expansion_as(document, target, overwrite=overwrite, inputs=inputs),)
    return (save_kind_as(document, kind, target, overwrite=overwrite, inputs=inputs),)
