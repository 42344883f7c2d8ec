"""Files of the user, written all or not at all: one file, or several that belong together."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path

from editor_app.edit.folder_locks import folders_locked
from editor_app.edit.replacing import (
    SaveError,
    drop,
    rename,
    replacement_of,
    sync_folder,
    write_atomically,
    write_temporary,
)
from editor_app.edit.save_records import Part, end_record, write_record


def write_together(
    files: Sequence[tuple[Path, bytes]], *, make_folders: bool = False, look: Callable[[], None] = lambda: None
) -> None:
    """Writes the files; all stay as they were when one of them cannot be written.

    `look` is called right before the first file is replaced, while no other process of this program saves into these
    folders; what it raises ends the save.

    All contents are on the disk before the first file is replaced. A process that is killed between two replacements
    leaves a record (`save_records`), by which the next start finishes the save or takes it back. With `make_folders`
    the folders that they need are made. Raises SaveError.
    """
    folders: list[Path] = []
    try:
        for path, _ in files if make_folders else ():
            folders += _made(path.parent)
        _write([_part(path, data, len(files) > 1) for path, data in files], look)
    except (SaveError, OSError) as error:
        for folder in reversed(folders):
            with contextlib.suppress(OSError):
                folder.rmdir()
        if isinstance(error, SaveError):
            raise
        raise SaveError(f"{error.filename or files[0][0]} could not be written: {error.strerror or error}.") from error


def _write(parts: Sequence[Part], look: Callable[[], None]) -> None:
    record = write_record(parts)
    renamed: list[Part] = []
    try:
        for part in parts:
            write_temporary(part.replacement, part.new)
        with folders_locked(part.replacement.target.parent for part in parts):
            look()
            for part in parts:
                rename(part.replacement)
                renamed.append(part)
    except (SaveError, OSError) as error:
        for part in parts:
            drop(part.replacement)
        kept = [part for part in reversed(renamed) if not _put_back(part)]
        if not kept:
            end_record(record)
            raise
        # Without one whole set of files the record stays: the next start asks.
        names = " and ".join(str(part.replacement.target) for part in kept)
        raise SaveError(f"{error} {names} could not be put back and holds what was to be saved.") from error
    for folder in dict.fromkeys(part.replacement.target.parent for part in parts):
        sync_folder(folder)
    end_record(record)


def _part(path: Path, data: bytes, several: bool) -> Part:
    replacement = replacement_of(path)
    # One file alone is old or new; there is nothing to put back.
    old = replacement.target.read_bytes() if several and replacement.mode is not None else None
    return Part(replacement, old, data)


def _put_back(part: Part) -> bool:
    try:
        if part.old is None:
            part.replacement.target.unlink()
        else:
            write_atomically(part.replacement.target, part.old)
    except (SaveError, OSError):
        return False
    return True


def _made(folder: Path) -> list[Path]:
    """Makes a folder; those that were not there, the outermost first."""
    missing = [f for f in (folder, *folder.parents) if not f.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    return missing[::-1]
