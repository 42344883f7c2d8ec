"""Saves that were killed between two of their files: the next start finishes them or takes them
back."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import platform
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from editor_app.core.document.replacing import (
    SaveError,
    clear_temporaries,
    is_mark_alive,
    is_temporary,
    put_aside,
)
from editor_app.core.document.save_parts import MOST_CONTENTS, end_record
from editor_app.core.document.save_parts import records_folder as records_folder
from editor_app.core.document.writing import write_files
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.inputs import Inputs, real_path
from editor_app.core.model.regular_file import read_regular

#: Bytes of a record: contents as base64, and as much again for names.
_MOST_BYTES = 2 * MOST_CONTENTS


@dataclass(frozen=True, slots=True)
class UnfinishedSave:
    """A save of several files that ended between two of them.

    `written` hold what was saved, `waiting` are as they were before; `changed` were written by
    somebody else since, and are left alone by both ways out.
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
            _replace(path, self._old[path], self._new[path])
        self.forget()

    def put_back(self) -> None:
        """Gives the written files their old contents. Raises SaveError; it can be tried again
        then."""
        for path in self.written:
            old = self._old[path]
            if old is not None:
                _replace(path, self._new[path], old)
                continue
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                raise SaveError(
                    f"{path} could not be deleted: {error.strerror or error}."
                ) from error
        self.forget()

    def forget(self) -> None:
        """Leaves the files as they are, and is not asked about again."""
        end_record(self.record)


def _replace(path: Path, present: bytes | None, content: bytes) -> None:
    """Each file by a save of its own, whose record names its temporary file. Raises SaveError."""
    digest = None if present is None else hashlib.sha256(present).hexdigest()
    inputs = Inputs(FrozenDict({real_path(path): digest}))
    write_files([(path, content)], inputs, in_place=[path], make_folders=False)


def unfinished_saves(
    folder: Path | None = None, damaged: list[Path] | None = None
) -> list[UnfinishedSave]:
    """The saves whose process was killed between two files, newest first.

    Deletes the temporary files of all saves whose process is gone, and the records of those that
    need no decision. Records that cannot be read are renamed, so that they can be looked at, and
    added to `damaged`.
    """
    folder = folder or records_folder()
    clear_temporaries(folder)
    saves = []
    for path in sorted(folder.glob("*.json")) if folder.is_dir() else ():
        mark = path.stem.rpartition("-")[0]
        if is_mark_alive(mark):
            continue
        try:
            save = _looked_at(path)
        except FileNotFoundError:
            # Another start has dealt with it.
            continue
        except (
            OSError,
            ValueError,
            KeyError,
            TypeError,
            AttributeError,
            RecursionError,
            ArithmeticError,
        ):
            (damaged if damaged is not None else []).append(put_aside(path))
            continue
        if save is None:
            continue
        if save.written and save.waiting:
            saves.append(save)
        else:
            save.forget()
    return sorted(saves, key=lambda save: -save.saved_at)


def _looked_at(path: Path) -> UnfinishedSave | None:
    """None for a record of another computer with the same home, which may be at work.

    Raises OSError, and more for what is no record.
    """
    data: Any = json.loads(read_regular(path, _MOST_BYTES).decode("utf-8", "surrogatepass"))
    if data["host"] != platform.node():
        return None
    saved_at = float(data["saved_at"])
    written: list[Path] = []
    waiting: list[Path] = []
    changed: list[Path] = []
    old: dict[Path, bytes | None] = {}
    new: dict[Path, bytes] = {}
    for item in data["files"]:
        target, temporary = Path(item["path"]), Path(item["temporary"])
        if is_temporary(temporary.name) and temporary.parent == target.parent:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)
        if item["new"] is None:
            continue
        old[target], new[target] = (
            _decoded(item["old"]),
            base64.b64decode(item["new"], validate=True),
        )
        if old[target] == new[target]:
            continue
        try:
            now = _content(target)
        except OSError:
            changed.append(target)
            continue
        (written if now == new[target] else waiting if now == old[target] else changed).append(
            target
        )
    return UnfinishedSave(tuple(written), tuple(waiting), tuple(changed), saved_at, path, old, new)


def _content(path: Path) -> bytes | None:
    """None for a missing file. Raises OSError for what is none, or too large."""
    try:
        return read_regular(path, MOST_CONTENTS)
    except FileNotFoundError:
        return None


def _decoded(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text, validate=True)
