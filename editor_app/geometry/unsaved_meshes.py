"""Mesh files that were made for a robot and are in its folder once it is saved.

Until then they are kept in the user's state folder by the place where they belong, so that what is shown, checked and
undone knows them, and nothing is in the user's folders that no saved file names.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import time
from pathlib import Path

from editor_app.resources import state_folder

#: A robot that was not saved for so many seconds is not saved any more.
_KEPT = 90 * 86400.0


def unsaved_mesh(target: Path) -> Path | None:
    """Where the file is kept that belongs at `target`; None where none waits."""
    kept = _place(target)
    return kept if kept.is_file() else None


def keep_unsaved(target: Path, data: bytes) -> None:
    """Keeps a file for `target`. Raises OSError where the state folder cannot be written."""
    kept = _place(target)
    kept.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with contextlib.suppress(OSError):
        for old in kept.parent.iterdir():
            if time.time() - old.stat().st_mtime > _KEPT:
                old.unlink()
    handle, name = tempfile.mkstemp(dir=kept.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    os.replace(name, kept)


def _place(target: Path) -> Path:
    name = os.path.normcase(os.path.abspath(target))
    key = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return state_folder() / "meshes" / f"{key}{target.suffix}"
