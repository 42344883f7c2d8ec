"""Several files that belong together, written all or not at all."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path

from editor_app.edit.saving import SaveError, write_atomically


def write_together(files: Sequence[tuple[Path, bytes]]) -> None:
    """Writes the files, and the folders they need; what was there is put back when one of them cannot be written.

    Raises SaveError.
    """
    folders: list[Path] = []
    written: list[tuple[Path, bytes | None]] = []
    try:
        for path, data in files:
            folders += _made(path.parent)
            before = path.read_bytes() if path.exists() else None
            write_atomically(path, data)
            written.append((path, before))
    except (SaveError, OSError) as error:
        for path, before in reversed(written):
            with contextlib.suppress(SaveError, OSError):
                if before is None:
                    path.unlink()
                else:
                    write_atomically(path, before)
        for folder in reversed(folders):
            with contextlib.suppress(OSError):
                folder.rmdir()
        if isinstance(error, SaveError):
            raise
        raise SaveError(f"{error.filename or files[0][0]} could not be written: {error.strerror or error}.") from error


def _made(folder: Path) -> list[Path]:
    """Makes a folder; those that were not there, the outermost first."""
    missing = [f for f in (folder, *folder.parents) if not f.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    return missing[::-1]
