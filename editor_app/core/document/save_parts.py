"""Records of saves: what a save is about to do, written down before its first file is replaced.

A record is in the state folder as long as its save lasts. It names the temporary files, so that the
next start can delete them. With several files it holds their old and new contents, and is on the
disk before the first is renamed.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import platform
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from editor_app.core.document.replacing import Replacement, own_mark, state_folder, sync_folder

#: Bytes of the contents in one record. Exports with large meshes are made again rather than kept
#: twice.
MOST_CONTENTS = 32 << 20


@dataclass(frozen=True, slots=True)
class SavedFile:
    """One file of a save; `old` is None for a file that was missing."""

    replacement: Replacement
    old: bytes | None
    new: bytes


def records_folder() -> Path:
    """The folder of the records."""
    return state_folder() / "saves"


def write_record(parts: Sequence[SavedFile], folder: Path | None = None) -> Path | None:
    """Writes down a save that is about to begin; None where it cannot be: saving itself matters
    more."""
    folder = folder or records_folder()
    several = len(parts) > 1 and sum(len(p.new) + len(p.old or b"") for p in parts) <= MOST_CONTENTS
    data = json.dumps(
        {
            "host": platform.node(),
            "saved_at": time.time(),
            "files": [
                {
                    "path": str(part.replacement.target),
                    "temporary": str(part.replacement.temporary),
                    "old": _encoded(part.old) if several else None,
                    "new": _encoded(part.new) if several else None,
                }
                for part in parts
            ],
        }
    ).encode("utf-8", "surrogatepass")
    path = folder / f"{own_mark()}-{uuid.uuid4().hex[:8]}.json"
    # A record that has its name is whole: one that cannot be read is damaged.
    incomplete = path.with_name(f".{path.name}.{own_mark()}-{uuid.uuid4().hex[:8]}.tmp")
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        with os.fdopen(os.open(incomplete, flags, 0o600), "wb") as file:
            file.write(data)
            if several:
                file.flush()
                os.fsync(file.fileno())
        os.rename(incomplete, path)
    except OSError:
        end_record(incomplete)
        return None
    if several:
        sync_folder(folder)
    return path


def end_record(path: Path | None) -> None:
    """The save is over: all its files are new, or all are as they were."""
    if path is not None:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)


def _encoded(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode("ascii")
