"""The verbs open and save: the files of a robot, recognised by what they hold, as one document, and
back."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from editor_app.core.document.document import Document
from editor_app.core.document.expansion import Expansion
from editor_app.core.document.opening import open_document as open_sorted
from editor_app.core.document.opening import read_xrdf_file
from editor_app.core.document.saving import save_all, save_expansion_as, save_kind_as
from editor_app.core.document.state import FileKind
from editor_app.core.document.writing import NO_INPUTS, write_scratch_files
from editor_app.core.drafting import NOTHING_ASKED, ControlRequest
from editor_app.core.formats.moveit_package import (
    find_srdf,
    find_xrdf,
)
from editor_app.core.formats.xrdf.versions import CannotConvert
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.inputs import Inputs
from editor_app.core.model.robot import CannotApply
from editor_app.core.tasks.work import Progress, Refused, check_arguments, silent
from editor_app.core.text.source import SourceText
from editor_app.core.verbs import convert as conversions
from editor_app.core.verbs.robot_inputs import (
    OpenedFiles,
    expand_robot,
    expanded_srdf,
    is_xacro,
    refuse_idle_model,
    refuse_untrusted,
    robot_files,
)

__all__ = ["open_robot", "open_sorted", "read_xrdf_file"]


#: Folders of imported robots, which are deleted when the program ends.
_IMPORTS: list[TemporaryDirectory[str]] = []


def import_robot(
    path: Path, packages: Mapping[str, Path] | None = None, model: str | None = None
) -> tuple[Path, Path | None, Path | None]:
    """Import a robot of another program (USD, SDF, MJCF, COLLADA) into a folder that lasts as long
    as the program.

    `model`: which robot of a file with several. Return its URDF, XRDF and SRDF; None for one that
    the import does not write. Raises FormatError, OSError, Refused.
    """
    folder = TemporaryDirectory(prefix="xrdf-editor-")
    _IMPORTS.append(folder)
    target = Path(folder.name).resolve() / f"{path.name.partition('.')[0]}.urdf"
    try:
        options = conversions.options_of_model("urdf", model)
        conversion = conversions.convert([path], target, options, packages=packages)
    except (CannotConvert, CannotApply, conversions.NeedsChoice) as error:
        raise Refused(f"{path}: {error}") from error
    write_scratch_files(conversion.files)
    parts = (target.with_suffix(ending) for ending in (".xrdf", ".srdf"))
    xrdf, srdf = (part if part.is_file() else None for part in parts)
    return target, xrdf, srdf


def _open_foreign(
    given: OpenedFiles,
    packages: Mapping[str, Path],
    progress: Progress,
    model: str | None,
    **choices: Any,
) -> Document:
    """Open a robot of another program as its import, which is in no file of the user."""
    progress(0.0, f"Importing {given.robot.name}")
    home = given.robot.absolute().with_name(f"{given.robot.name.partition('.')[0]}.urdf")
    urdf, drafted, own_srdf = import_robot(given.robot, packages, model)
    source = SourceText.read(urdf)
    expansion = Expansion.of(given.robot, home, {}, ())
    srdf: Path | SourceText | None = given.srdf or find_srdf(home)
    if srdf is None and own_srdf is not None:
        # It is in no file of the user.
        srdf = SourceText.from_text(SourceText.read(own_srdf).text)
    xrdf = given.xrdf or (None if choices["new_xrdf"] else find_xrdf(home))
    is_draft = (
        not choices["new_xrdf"]
        and choices["control"] == NOTHING_ASKED
        and choices["version"] == "1.0"
    )
    draft = SourceText.read(drafted) if drafted is not None and is_draft else None
    return open_sorted(
        source, xrdf, srdf=srdf, expansion=expansion, home=home, draft=draft, **choices
    )


def open_robot(
    *files: str | Path,
    new_xrdf: bool = False,
    control: ControlRequest = NOTHING_ASKED,
    packages: Mapping[str, Path] | None = None,
    xacro_arguments: Mapping[str, str] | None = None,
    allow_xacro: bool = False,
    version: str = "1.0",
    model: str | None = None,
    progress: Progress = silent,
) -> Document:
    """Opens a robot: its URDF (or xacro file), and its XRDF and SRDF where they are named, in any
    order.

    A robot of another program (USD, SDF, MJCF, COLLADA) takes the place of the URDF: it is imported
    in memory, and its URDF cannot be edited before it is saved.

    A folder is a MoveIt config package (or names one, as do its package.xml and .setup_assistant):
    URDF, SRDF, joint_limits.yaml, kinematics.yaml and initial_positions.yaml are opened together.

    An XRDF or SRDF of the same name beside the URDF is opened along. Where there is no XRDF, or
    with `new_xrdf`, one is drafted, in which every guessed number is marked; it counts as not yet
    saved. `control` says which of its joints are controlled; by default that is guessed. `version`
    (1.0 or 2.0) is that of a draft. `model`: which robot of a file with several (COLLADA, SDF,
    USD). `packages`: name of a package -> folder, for meshes and xacro. A xacro file runs Python
    expressions of its own: it is expanded in memory with `xacro_arguments` only where `allow_xacro`
    says so, and cannot be edited then. Raises OSError when a file cannot be read, FormatError (with
    file, line and remedy) when it makes no sense, Refused when the files do not make one robot.
    """
    given = robot_files(*files, packages=packages, allow_xacro=allow_xacro)
    refuse_idle_model(model, [given.robot])
    if given.is_foreign:
        if xacro_arguments:
            raise Refused(f"{given.robot} is not a xacro file and takes no arguments")
        options: dict[str, Any] = {
            "settings": given.settings,
            "new_xrdf": new_xrdf,
            "control": control,
        }
        document = _open_foreign(
            given, packages or {}, progress, model, version=version, on_progress=progress, **options
        )
        document.packages = _folders(packages)
        return document
    source: Path | SourceText = given.robot
    expansion = None
    if given.is_xacro:
        refuse_untrusted(given.robot, allow_xacro)
        progress(0.0, f"Expanding {given.robot.name}")
        source, expansion = expand_robot(
            given.robot, {**given.arguments, **(xacro_arguments or {})}, packages or {}
        )
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
    """Saves every file that was modified to where it was read from; gives the files that hold the
    document now.

    With `path`, that file alone: the SRDF for a name with .srdf, the URDF for .urdf (only of a
    xacro file's expansion), else the XRDF; it is the document's from then on. Everything that was
    not edited keeps its bytes.

    `overwrite` replaces a file at `path` that the document was not read from; `overwrite_foreign`
    replaces the document's own files even where another program changed them. `inputs` are further
    files that the changes were made from, as `Inputs.of` them was before they were read.

    Raises ChangedOnDiskError when another program changed one of the document's files, or of
    `inputs`, meanwhile; SaveError when there is no path, a file is there already, or writing fails;
    Refused when the name is of another format.
    """
    if path is None:
        return save_all(document, overwrite_foreign=overwrite_foreign, inputs=inputs)
    target = Path(path)
    kind = kind_named(target)
    if target.suffix.lower() in (".dae", ".zae", ".xacro"):
        raise Refused(
            f"{target} is not the name of an XRDF, SRDF or URDF: convert writes other formats"
        )
    if kind is FileKind.URDF:
        if document.expansion is None:
            raise Refused(
                f"{target}: paths of meshes are relative to the URDF; save it where it is, or use "
                "convert"
            )
        return (save_expansion_as(document, target, overwrite=overwrite, inputs=inputs),)
    return (save_kind_as(document, kind, target, overwrite=overwrite, inputs=inputs),)
