"""Saving: a document is written to its files, atomically, and never over another program's change
unasked."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

from editor_app.core.document.commands.urdf import SetMeshPath
from editor_app.core.document.document import Document
from editor_app.core.document.replacing import SaveError as SaveError
from editor_app.core.document.state import FileKind
from editor_app.core.document.texts import TypedFault, written_source
from editor_app.core.document.writing import NO_INPUTS, write_files
from editor_app.core.document.writing import ChangedOnDiskError as ChangedOnDiskError
from editor_app.core.formats.registry import foreign_codec
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.urdf.patch import patch_urdf
from editor_app.core.model.inputs import Inputs, digest_of
from editor_app.core.model.regular_file import read_regular
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.urdf import Mesh, Urdf
from editor_app.core.space.geometry.paths import explain_mesh_path, resolve_mesh_path, written_name
from editor_app.core.text.source import MAX_BYTES, FormatError, SourceText


class TypedTextError(SaveError):
    """Typed text cannot be read, so nothing was written. `fault` says where."""

    def __init__(self, fault: TypedFault) -> None:
        super().__init__(str(fault))
        self.fault = fault


def save_document(
    document: Document, path: str | Path | None = None, *, overwrite_foreign: bool = False
) -> Path:
    """Writes every changed file, and returns where the XRDF went: to `path`, or where it was
    opened.

    Raises as `save_all`.
    """
    written = save_all(document, path, overwrite_foreign=overwrite_foreign)
    return document.xrdf_path if document.xrdf_path is not None else written[0]


def save_all(
    document: Document,
    path: str | Path | None = None,
    *,
    overwrite: bool = False,
    overwrite_foreign: bool = False,
    inputs: Inputs = NO_INPUTS,
) -> tuple[Path, ...]:
    """Writes every changed file, the XRDF to `path` if it is given, and returns the files that hold
    the document now.

    Typed text is read first. All texts are made and all files examined before the first is written.
    If one fails, none is written, and all stay modified. `overwrite` replaces a file at `path` that
    the document does not have; `overwrite_foreign` replaces the document's files whatever another
    program wrote into them. `inputs` are files beyond the document's that its changes were made
    from.

    Raises ChangedOnDiskError when somebody else changed one of the document's files, or of
    `inputs`, since it was read; TypedTextError; SaveError when there is no path, a file is there
    already, or writing fails.
    """
    _read_typed(document)
    kinds = document.modified_kinds
    if path is not None or not kinds:
        kinds = (FileKind.XRDF, *(k for k in kinds if k is not FileKind.XRDF))
    jobs: list[tuple[FileKind, SourceText]] = []
    for kind in kinds:
        target = (
            Path(path).absolute()
            if kind is FileKind.XRDF and path is not None
            else _target(document, kind)
        )
        if kind is FileKind.XRDF and path is not None:
            _refuse_other_format(target)
        jobs.append((kind, _written(document, kind, target)))
    files = [(written.path, written.data) for _, written in jobs if written.path is not None]
    made = _made_meshes(document) if FileKind.URDF in kinds else []
    write_files(
        [*made, *files],
        NO_INPUTS if overwrite_foreign else document.inputs | inputs,
        in_place=[present for kind in kinds if (present := document.path(kind)) is not None],
        overwrite=overwrite or overwrite_foreign,
        make_folders=bool(made),
    )
    for kind, written in jobs:
        document.mark_saved(written, kind)
    return (*(target for target, _ in files), *(target for target, _ in made))


def _made_meshes(document: Document) -> list[tuple[Path, bytes]]:
    """Files of collision meshes that the URDF names and that wait for its saving."""
    shapes = [shape.geometry for link in document.robot.urdf.links for shape in link.collisions]
    names = dict.fromkeys(shape.filename for shape in shapes if isinstance(shape, Mesh))
    places = (explain_mesh_path(name, document.urdf_path, document.packages) for name in names)
    try:
        return [
            (place.belongs_at, read_regular(place.path, MAX_BYTES))
            for place in places
            if place.belongs_at and place.path
        ]
    except OSError as error:
        raise SaveError(
            f"{error.filename} could not be read: {error.strerror or error}."
        ) from error


def save_kind_as(
    document: Document,
    kind: FileKind,
    path: str | Path,
    *,
    overwrite: bool = False,
    inputs: Inputs = NO_INPUTS,
) -> Path:
    """Writes one file to `path`, and saves it there from then on. The other files stay. Raises as
    `save_all`.

    Not for the URDF: paths of meshes are relative to it.
    """
    assert kind is not FileKind.URDF
    _read_typed(document, kind)
    written = _written(document, kind, Path(path).absolute())
    assert written.path is not None
    present = document.path(kind)
    write_files(
        [(written.path, written.data)],
        document.inputs | inputs,
        in_place=() if present is None else (present,),
        overwrite=overwrite,
        make_folders=False,
    )
    document.mark_saved(written, kind)
    return written.path


def save_expansion_as(
    document: Document, path: str | Path, *, overwrite: bool = False, inputs: Inputs = NO_INPUTS
) -> Path:
    """Writes the URDF that is the expansion of a xacro file to `path`: an ordinary one from then
    on.

    Names of meshes that are relative to the folder of the xacro file are written so that they are
    found from `path`. Raises as `save_all`.
    """
    assert document.expansion is not None
    _read_typed(document)
    source, target = document.state.urdf_source, Path(path).absolute()
    try:
        if document.urdf_path is not None and target.parent != document.urdf_path.parent:
            source = patch_urdf(
                source, _with_found_meshes(document.robot, document.urdf_path, target)
            ).written
        written = read_urdf(replace(source.source, path=target))
    except FormatError as error:
        raise SaveError(f"The URDF cannot be written: {error}") from error
    write_files(
        [(target, written.source.data)],
        document.inputs | inputs,
        overwrite=overwrite,
        make_folders=False,
    )
    document.adopt_urdf(written)
    beside = target.with_suffix(".xrdf")
    if document.xrdf_digest is None and not beside.exists():
        # A draft that is in no file yet stands beside its robot.
        document.xrdf_path = beside
    return target


def _written(document: Document, kind: FileKind, target: Path) -> SourceText:
    try:
        text = document.text(kind)
        if text is None:
            raise SaveError(f"The robot has no {kind.upper()}.")
        return written_source(document.state, kind, text, target)
    except (FormatError, OSError) as error:
        raise SaveError(f"The {kind.upper()} cannot be written: {error}") from error


def _refuse_other_format(target: Path) -> None:
    """Raises SaveError if a file of another program's format would be overwritten by an XRDF."""
    try:
        codec = foreign_codec(SourceText.read(target)) if target.is_file() else None
    except FormatError:
        codec = None
    if codec is not None:
        raise SaveError(
            f"{target} is {codec.plain_title}, not an XRDF. Save under another name, or use File, "
            "Export."
        )


def _read_typed(document: Document, *places: FileKind) -> None:
    try:
        document.read_typed_text(*places)
    except TypedFault as fault:
        raise TypedTextError(fault) from fault


def _with_found_meshes(robot: RobotDescription, old: Path, new: Path) -> Urdf:
    shapes = [shape.geometry for link in robot.urdf.links for shape in link.shapes]
    for name in dict.fromkeys(shape.filename for shape in shapes if isinstance(shape, Mesh)):
        mesh_path = resolve_mesh_path(name, old)
        if mesh_path is not None and resolve_mesh_path(name, new) != mesh_path:
            robot = SetMeshPath(name, written_name(mesh_path, new)).apply(robot)
    return robot.urdf


def changed_on_disk(document: Document, kind: FileKind = FileKind.XRDF) -> bool:
    """Return whether the content of a file is not what was read or saved last; False for a missing
    file."""
    path = document.path(kind)
    try:
        return (
            path is not None
            and path.is_file()
            and digest_of(path) not in (None, document.digest(kind))
        )
    except OSError:
        # The file was readable once.
        return True


def foreign_changes(document: Document) -> tuple[FileKind, ...]:
    """The files that another program wrote since they were read or saved."""
    return tuple(kind for kind in FileKind if changed_on_disk(document, kind))


def _target(document: Document, kind: FileKind) -> Path:
    path = document.path(kind)
    if path is not None:
        return path
    if kind is FileKind.SRDF and document.urdf_path is not None:
        # A new file stands beside its robot, but never in place of a file that was not read.
        beside = document.urdf_path.with_suffix(".srdf")
        names = (beside.with_name(f"{beside.stem}_{n}.srdf") for n in itertools.count(2))
        return next(p for p in itertools.chain((beside,), names) if not p.exists())
    raise SaveError(f"The {kind.upper()} has no file yet: choose one with Save As.")
