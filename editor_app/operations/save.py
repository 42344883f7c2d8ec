"""The verb save: writes what differs from the files, and nothing else."""

from __future__ import annotations

from pathlib import Path

from editor_app.edit.document import Document
from editor_app.edit.saving import ChangedOnDiskError, SaveError, save_all, save_expansion_as, save_kind_as
from editor_app.edit.state import FileKind
from editor_app.operations.arguments import checked
from editor_app.operations.work import Refused

__all__ = ["ChangedOnDiskError", "SaveError", "kind_named", "save"]

_ENDINGS = {".xrdf": FileKind.XRDF, ".srdf": FileKind.SRDF, ".urdf": FileKind.URDF}


def kind_named(path: Path) -> FileKind:
    """The kind of file that a name promises; the XRDF's for a name that promises none."""
    return _ENDINGS.get(path.suffix.lower(), FileKind.XRDF)


@checked
def save(document: Document, path: str | Path | None = None, *, overwrite_foreign: bool = False) -> tuple[Path, ...]:
    """Saves every file that was modified to where it was read from; gives the files that were written.

    With `path`, that file alone: the SRDF for a name with .srdf, the URDF for .urdf (only of a xacro file's expansion),
    else the XRDF; it is the document's from then on. Everything that was not edited keeps its bytes.
    Raises ChangedOnDiskError when a file was changed by another program meanwhile (unless `overwrite_foreign`, or a
    `path` of its own), SaveError when there is no path or writing fails, Refused when the name is of another format.
    """
    if path is None:
        return save_all(document, overwrite_foreign=overwrite_foreign)
    target = Path(path)
    kind = kind_named(target)
    if target.suffix.lower() in (".dae", ".zae", ".xacro"):
        raise Refused(f"{target} is not the name of an XRDF, SRDF or URDF: convert writes other formats")
    if kind is FileKind.URDF:
        if document.expansion is None:
            raise Refused(f"{target}: paths of meshes are relative to the URDF; save it where it is, or use convert")
        return (save_expansion_as(document, target),)
    return (save_kind_as(document, kind, target),)
