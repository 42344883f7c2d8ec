"""A robot as the texts of its files, in a place where they are not yet: what compose and detach
give."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from editor_app.core.document.document import Document
from editor_app.core.document.state import FileKind, State
from editor_app.core.document.texts import compute_text, written_source
from editor_app.core.document.writing import NO_INPUTS, write_files
from editor_app.core.formats.exchange.meshes import with_file_names
from editor_app.core.formats.srdf import read_srdf
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.model.frozen import FrozenDict, brief
from editor_app.core.model.inputs import Inputs
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.urdf import Urdf
from editor_app.core.space.geometry.paths import has_package_scheme, package_of, resolve_mesh_path
from editor_app.core.tasks.work import Refused
from editor_app.core.text.source import SourceText


@dataclass(frozen=True, slots=True, eq=False)
class RobotTexts:
    """`state` is the robot with its texts, `kinds` are the files that it has, `inputs` those that
    it was made from."""

    state: State
    kinds: tuple[FileKind, ...]
    inputs: Inputs = field(default=NO_INPUTS, kw_only=True)

    __repr__ = brief

    @property
    def robot(self) -> RobotDescription:
        return self.state.robot

    @property
    def files(self) -> tuple[tuple[Path, bytes], ...]:
        """The files that `write_assembly` writes."""
        sources = [source for kind in self.kinds if (source := self.state.source(kind)) is not None]
        return tuple((source.path, source.data) for source in sources if source.path is not None)

    @property
    def texts(self) -> FrozenDict[FileKind, str]:
        """The texts, for `Document.replace_texts`."""
        sources = {kind: self.state.source(kind) for kind in self.kinds}
        return FrozenDict(
            {kind: source.text for kind, source in sources.items() if source is not None}
        )


def write_assembly(
    robot: RobotTexts,
    *,
    overwrite: bool = False,
    in_place: bool = False,
    inputs: Inputs = NO_INPUTS,
) -> tuple[Path, ...]:
    """Writes the files of an assembly, or of a robot that lost a part, that are not on the disk
    already.

    Gives the paths of those written. The files that it was made from, and `inputs`, must not have
    changed since; they are replaced only `in_place`. `overwrite` replaces other files that exist.
    Raises ChangedOnDiskError, SaveError: then no file was written.
    """
    places = [path for path, _ in robot.files] if in_place else ()
    return write_files(robot.files, robot.inputs | inputs, in_place=places, overwrite=overwrite)


def has_xrdf(document: Document) -> bool:
    """Return whether the XRDF is a file's, or was edited: a draft that nobody has touched says
    nothing."""
    return document.xrdf_digest is not None or document.position > 0


def texts_beside(document: Document, path: Path) -> RobotTexts:
    """The files of a document as it is now, beside the URDF `path`; a draft of an XRDF is no file.

    Raises Refused while text is being typed.
    """
    state = place_document(document, path)
    kinds = [FileKind.URDF, *([FileKind.XRDF] if document.xrdf_digest is not None else [])]
    kinds += [FileKind.SRDF] if state.srdf_source is not None else []
    return RobotTexts(state, tuple(kinds), inputs=document.inputs)


def place_document(document: Document, path: Path) -> State:
    """The document as it would be saved, as files beside the URDF `path`. Raises Refused while text
    is being typed."""
    state, packages = document.state, dict(document.packages)
    if state.typed:
        raise Refused("the typed text is not applied yet: apply or discard it first")
    if document.urdf_path is not None:
        urdf = with_meshes_from(state.robot.urdf, document.urdf_path, path, packages)
        state = state.with_robot(state.robot.with_urdf(urdf))

    def source(kind: FileKind) -> SourceText | None:
        text = compute_text(state, kind)
        present = document.path(kind) if path == document.urdf_path else None
        return (
            None
            if text is None
            else written_source(state, kind, text, present or path.with_suffix(f".{kind}"))
        )

    urdf_text, xrdf_text, srdf = source(FileKind.URDF), source(FileKind.XRDF), source(FileKind.SRDF)
    assert urdf_text is not None
    assert xrdf_text is not None
    return state_of(replace(urdf_text, path=path), xrdf_text, srdf)


def state_of(urdf: SourceText, xrdf: SourceText, srdf: SourceText | None) -> State:
    """The robot that three texts are. Raises FormatError."""
    return State.of_parts(
        [read_urdf(urdf), read_xrdf(xrdf), None if srdf is None else read_srdf(srdf)]
    )


def with_meshes_from(
    urdf: Urdf, old: Path, new: Path, packages: Mapping[str, Path] | None = None
) -> Urdf:
    """The URDF of the file `old`, as the file `new`: relative names are relative to that.

    With `packages` (name -> folder, for `old`), package:// names of files that are not found from
    `new` by itself become relative, too; without, they stay.
    """
    home, folder = old.parent.resolve(), new.parent.resolve()
    if home == folder:
        return urdf

    def named(name: str) -> str:
        if not name or Path(name).is_absolute():
            return name
        if has_package_scheme(name):
            is_kept = packages is None and package_of(name) is not None
            path = None if is_kept else resolve_mesh_path(name, old, packages)
            present = resolve_mesh_path(name, new)
            if path is None or (present is not None and present.resolve() == path.resolve()):
                return name
        elif ":" in name:
            return name
        else:
            path = home / name
        try:
            return Path(os.path.relpath(path.resolve(), folder)).as_posix()
        except ValueError:  # another drive of Windows
            return path.as_posix()

    return with_file_names(urdf, named)
