"""From a document to its file: atomically, and never over somebody else's change unasked."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from dataclasses import replace
from pathlib import Path

from editor_app.edit.document import Document
from editor_app.formats.source import SourceText


class SaveError(Exception):
    """Saving failed; the document stays modified, the file is as it was. The message is for the user."""


class ChangedOnDiskError(SaveError):
    """The file is no longer the one that was opened or last saved."""


def save(document: Document, path: str | Path | None = None, *, overwrite_foreign: bool = False) -> Path:
    """Writes the XRDF to `path`, or to where it was opened from, and returns where.

    Raises ChangedOnDiskError when the file's content was changed by somebody else since it was opened or saved
    (unless `overwrite_foreign`, or a `path` of one's own), SaveError when there is no path or writing fails.
    """
    target = Path(path).absolute() if path is not None else document.xrdf_path
    if target is None:
        raise SaveError("The XRDF has no file yet: choose one with Save As.")
    if not overwrite_foreign and target == document.xrdf_path and changed_on_disk(document):
        raise ChangedOnDiskError(f"{target} was changed by another program since it was opened.")
    written = replace(document.state.xrdf_source.source.with_text(document.xrdf_text), path=target)
    write_atomically(target, written.data)
    document.mark_saved(written)
    return target


def changed_on_disk(document: Document) -> bool:
    """Whether the XRDF's file has another content than what was read or saved last; a missing file has not."""
    path = document.xrdf_path
    if path is None or not path.is_file():
        return False
    if document.xrdf_digest is None:
        return True
    return SourceText.read(path).digest != document.xrdf_digest


def write_atomically(path: Path, data: bytes) -> None:
    """Replaces the file by a complete new one or leaves it as it was: temporary file beside it, fsync, rename.

    Permissions are kept, symbolic links are followed. Raises SaveError.
    """
    target = Path(os.path.realpath(path))
    temporary: str | None = None
    try:
        mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
        # By its mode too: root may write everything, but a protected file is protected for a reason.
        if mode is not None and (mode & 0o222 == 0 or not os.access(target, os.W_OK)):
            raise SaveError(f"{target} is write-protected. Save under another name, or change its permissions.")
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, mode if mode is not None else 0o666 & ~_umask())
        os.replace(temporary, target)
        temporary = None
        _sync_folder(target.parent)
    except OSError as error:
        raise SaveError(f"{target} could not be written: {error.strerror or error}.") from error
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):
                os.unlink(temporary)


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


def _sync_folder(folder: Path) -> None:
    # Windows cannot open a folder; there os.replace is all that can be had.
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
