"""What a save is about to do, written down before: a save that is killed halfway can be finished or taken back.

A record lies in the state folder as long as its save lasts. It names the temporary files, so that the next start can
delete them; with several files it holds their old and new contents, and is on the disk before the first is renamed.
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
from typing import Any

from editor_app.edit.replacing import (
    Replacement,
    SaveError,
    clear_temporaries,
    is_mark_alive,
    is_temporary,
    own_mark,
    state_folder,
    sync_folder,
    write_atomically,
)

#: Exports with large meshes are made again rather than kept twice.
_MOST_BYTES = 32 << 20


@dataclass(frozen=True, slots=True)
class Part:
    """One file of a save; `old` is None for a file that was not there."""

    replacement: Replacement
    old: bytes | None
    new: bytes


@dataclass(frozen=True, slots=True)
class UnfinishedSave:
    """A save of several files that ended between two of them.

    `written` hold what was saved, `waiting` are as they were before; `changed` were written by somebody else since,
    and are left alone by both ways out.
    """

    written: tuple[Path, ...]
    waiting: tuple[Path, ...]
    changed: tuple[Path, ...]
    saved_at: float
    record: Path
    _old: dict[Path, bytes | None]
    _new: dict[Path, bytes]

    def finish(self) -> None:
        """Writes the files that wait. Raises SaveError; it can be tried again then."""
        for path in self.waiting:
            write_atomically(path, self._new[path])
        self.forget()

    def put_back(self) -> None:
        """Gives the written files their old contents. Raises SaveError; it can be tried again then."""
        for path in self.written:
            old = self._old[path]
            if old is not None:
                write_atomically(path, old)
                continue
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                raise SaveError(f"{path} could not be deleted: {error.strerror or error}.") from error
        self.forget()

    def forget(self) -> None:
        """Leaves the files as they are, and is not asked about again."""
        with contextlib.suppress(OSError):
            self.record.unlink(missing_ok=True)


def records_folder() -> Path:
    """Where the records lie."""
    return state_folder() / "saves"


def write_record(parts: Sequence[Part], folder: Path | None = None) -> Path | None:
    """Writes down a save that is about to begin; None where it cannot be: saving itself matters more."""
    folder = folder or records_folder()
    several = len(parts) > 1 and sum(len(p.new) + len(p.old or b"") for p in parts) <= _MOST_BYTES
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
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = folder / f"{own_mark()}-{uuid.uuid4().hex[:8]}.json"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
            file.write(data)
            if several:
                file.flush()
                os.fsync(file.fileno())
    except OSError:
        return None
    if several:
        sync_folder(folder)
    return path


def end_record(path: Path | None) -> None:
    """The save is over: all its files are new, or all are as they were."""
    if path is not None:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)


def unfinished_saves(folder: Path | None = None) -> list[UnfinishedSave]:
    """The saves whose process was killed between two files, newest first.

    Deletes the temporary files of all saves whose process is gone, and the records of those that need no decision.
    """
    folder = folder or records_folder()
    clear_temporaries(folder)
    saves = []
    for path in sorted(folder.glob("*.json")) if folder.is_dir() else ():
        mark = path.stem.rpartition("-")[0]
        if is_mark_alive(mark):
            continue
        save = _looked_at(path)
        if save is None:
            continue
        if save.written and save.waiting:
            saves.append(save)
        else:
            save.forget()
    return sorted(saves, key=lambda save: -save.saved_at)


def _looked_at(path: Path) -> UnfinishedSave | None:
    """None for a record of another computer with the same home, which may be at work."""
    written: list[Path] = []
    waiting: list[Path] = []
    changed: list[Path] = []
    old: dict[Path, bytes | None] = {}
    new: dict[Path, bytes] = {}
    saved_at = 0.0
    # A record that was not finished is one whose save had not begun: there is nothing to clear.
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        data: Any = json.loads(path.read_bytes().decode("utf-8", "surrogatepass"))
        if data["host"] != platform.node():
            return None
        saved_at = float(data["saved_at"])
        for item in data["files"]:
            target, temporary = Path(item["path"]), Path(item["temporary"])
            if is_temporary(temporary.name):
                with contextlib.suppress(OSError):
                    temporary.unlink(missing_ok=True)
            if item["new"] is None:
                continue
            old[target], new[target] = _decoded(item["old"]), base64.b64decode(item["new"])
            now = _content(target)
            if old[target] == new[target]:
                continue
            (written if now == new[target] else waiting if now == old[target] else changed).append(target)
    return UnfinishedSave(tuple(written), tuple(waiting), tuple(changed), saved_at, path, old, new)


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _encoded(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode("ascii")


def _decoded(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text)
