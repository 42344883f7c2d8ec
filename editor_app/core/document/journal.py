"""Unsaved work, kept next to the user's configuration, so that a crash or kill -9 loses nothing.

One file a session, replaced atomically after every step: it holds the texts as saving would write
them. A session that ends properly deletes its file; a file whose process is gone is an orphan that
the next start offers to restore.

A step is written as soon as the system has it, which is all that a kill cannot take. The flush to
the disk, against a loss of power, is waited for while it is quick; a slow disk does it later.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import threading
import time
import uuid
from collections.abc import Callable, Hashable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from editor_app.core.document.beside import Beside, beside_from_json, beside_to_json
from editor_app.core.document.document import Document
from editor_app.core.document.replacing import (
    clear_temporaries,
    drop,
    is_alive,
    process_started,
    put_aside,
    rename,
    replacement_of,
    state_folder,
    write_temporary,
)
from editor_app.core.document.state import SETTINGS, FileKind
from editor_app.core.document.syncing import CAN_WAIT, Syncing
from editor_app.core.document.texts import compute_text, typed_from_json, typed_to_json
from editor_app.core.model.regular_file import read_regular
from editor_app.core.text.source import FormatError, SourceText


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """`texts` maps xrdf (and urdf, srdf when they are unsaved) to the text; `saved_at` is seconds
    since the epoch."""

    urdf: str | None
    xrdf: str | None
    texts: dict[str, str]
    label: str
    steps: int
    saved_at: float
    pid: int
    process_started: float | None
    #: Older journals know nothing of it.
    srdf: str | None = None
    #: Of a URDF that is in no file: how it came about (Expansion.to_json), and its text.
    expansion: str | None = None
    expanded: str | None = None
    #: Text that was typed and not read yet (typed.to_json).
    typed: tuple[Any, ...] | list[Any] = ()
    #: The computer: homes may be shared, and process ids of another one say nothing here.
    host: str | None = None
    #: SHA-256 of each file as the session read or saved it last; a file that was not there has
    #: none.
    digests: dict[str, str] | None = None
    #: What stood beside the robot and was in no file (beside.to_json), and the names of all that
    #: was unsaved.
    beside: dict[str, str] | None = None
    names: tuple[str, ...] | list[str] = ()
    #: Kind -> file of the settings that were opened along.
    settings: dict[str, str] | None = None


#: Seconds that a step waits for the disk before it replaces the one before.
_DISK_PATIENCE = 0.1


#: Of a journal: the texts of a robot, URDF, XRDF and SRDF, as JSON.
_MOST_BYTES = 1 << 29


def journal_folder() -> Path:
    """Return the folder of the journals."""
    return state_folder() / "journal"


class Journal:
    """The journal of one session. `note` returns at once; a thread of its own writes, and only the
    latest matters."""

    def __init__(self, folder: Path | None = None) -> None:
        self._path = (folder or journal_folder()) / f"{uuid.uuid4().hex}.json"
        self._wake = threading.Condition()
        self._pending: Callable[[], JournalEntry | None] | None = None
        self._busy = False
        self._closed = False
        self._syncing = Syncing()
        #: The last reason why nothing could be written, None when all is well.
        self.trouble: str | None = None
        self._thread = threading.Thread(target=self._write, daemon=True, name="journal")
        self._thread.start()

    @property
    def path(self) -> Path:
        return self._path

    def note(self, make_entry: Callable[[], JournalEntry | None]) -> None:
        """Writes what `make_entry` returns (called in the journal's thread); None means that
        nothing is unsaved."""
        with self._wake:
            self._pending = make_entry
            self._wake.notify_all()

    def flush(self, timeout: float = 10.0) -> bool:
        """Waits until everything noted is on disk; False when that took longer than `timeout`
        seconds."""
        end = time.monotonic() + timeout
        return self.written(timeout) and self._syncing.wait(max(0.0, end - time.monotonic()))

    def written(self, timeout: float) -> bool:
        """Waits until no kill can take what was noted; False when that took longer than `timeout`
        seconds."""
        end = time.monotonic() + timeout
        with self._wake:
            while self._pending is not None or self._busy:
                left = end - time.monotonic()
                if left <= 0:
                    return False
                self._wake.wait(left)
        return True

    def close(self, *, keep: bool = False) -> None:
        """The session ends properly: nothing is left to restore. With `keep`, what is unsaved stays
        on disk."""
        if keep:
            self.flush()
        with self._wake:
            self._closed = True
            self._pending = None
            self._wake.notify_all()
        self._thread.join(5)
        self._syncing.close(5 if keep else 0.5)
        if not keep:
            discard(self._path)

    def _write(self) -> None:
        while True:
            with self._wake:
                while self._pending is None and not self._closed:
                    self._wake.wait()
                if self._closed:
                    return
                make, self._pending, self._busy = self._pending, None, True
            try:
                assert make is not None
                self._store(make())
                error = self._syncing.trouble
                self.trouble = (
                    f"Unsaved changes cannot be backed up: {error}" if error is not None else None
                )
            except Exception as error:  # whatever it is, the session must go on and be told
                self.trouble = f"Unsaved changes cannot be backed up: {error}"
            finally:
                with self._wake:
                    self._busy = False
                    self._wake.notify_all()

    def _store(self, entry: JournalEntry | None) -> None:
        if entry is None:
            self._path.unlink(missing_ok=True)
            return
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        data = {field.name: getattr(entry, field.name) for field in fields(entry)}
        replacement = replacement_of(self._path)
        write_temporary(
            replacement, json.dumps(data).encode("utf-8", "surrogatepass"), flushed=not CAN_WAIT
        )
        if CAN_WAIT:
            try:
                self._syncing.begin(replacement.temporary, _DISK_PATIENCE)
            except OSError:
                drop(replacement)
                raise
        rename(replacement)
        self._syncing.folder(self._path.parent)


@dataclass(frozen=True, slots=True)
class Stock:
    """The content of the journal folder: work to restore, newest first, and the journals that
    nobody can read.

    The unreadable are where they were moved to, so that they can be looked at; they are told of
    once.
    """

    orphans: tuple[tuple[Path, JournalEntry], ...]
    set_aside: tuple[Path, ...]


def stock(folder: Path | None = None) -> Stock:
    """The journals whose session ended without closing them. Clears the temporary files of killed
    sessions."""
    base = folder or journal_folder()
    clear_temporaries(base)
    orphans, set_aside = [], []
    for path in sorted(base.glob("*.json")) if base.is_dir() else ():
        try:
            entry = _read(path)
        except FileNotFoundError:
            # Its session ended meanwhile.
            continue
        except (OSError, UnreadableJournalError):
            set_aside.append(put_aside(path))
            continue
        if entry.host in (None, platform.node()) and not is_alive(entry.pid, entry.process_started):
            orphans.append((path, entry))
    return Stock(tuple(sorted(orphans, key=lambda item: -item[1].saved_at)), tuple(set_aside))


def orphans(folder: Path | None = None) -> list[tuple[Path, JournalEntry]]:
    """The work that can be restored, newest first."""
    return list(stock(folder).orphans)


def discard(path: Path) -> None:
    """Deletes a journal that the user does not want, or that was restored."""
    with contextlib.suppress(OSError):
        path.unlink(missing_ok=True)


class UnreadableJournalError(Exception):
    """A file in the journal folder is no journal, or a damaged one."""


def _read(path: Path) -> JournalEntry:
    """Raises OSError, and UnreadableJournalError when a value is not what a session writes."""
    try:
        data: Any = json.loads(read_regular(path, _MOST_BYTES).decode("utf-8", "surrogatepass"))
        entry = JournalEntry(**data)
    except (ValueError, TypeError, RecursionError, ArithmeticError) as error:
        raise UnreadableJournalError(str(error)) from error
    names = (entry.urdf, entry.xrdf, entry.srdf, entry.expansion, entry.expanded, entry.host)
    tables = (
        entry.texts,
        *(each for each in (entry.digests, entry.beside, entry.settings) if each is not None),
    )
    sound = (
        all(name is None or isinstance(name, str) for name in names)
        and all(_are_texts(table) for table in tables)
        and isinstance(entry.names, list | tuple)
        and _are_texts(dict(enumerate(entry.names)))
        and isinstance(entry.label, str)
        and isinstance(entry.typed, list | tuple)
        and all(type(number) is int for number in (entry.steps, entry.pid))
        and 0 < entry.pid < 1 << 31
        and 0 <= entry.steps < 1 << 31
        and _is_time(entry.saved_at)
        and (entry.process_started is None or type(entry.process_started) in (int, float))
    )
    if not sound:
        raise UnreadableJournalError("a value was not written by this program")
    return entry


def _are_texts(values: object) -> bool:
    return isinstance(values, dict) and all(isinstance(value, str) for value in values.values())


def _is_time(value: object) -> bool:
    # Up to the year 3000: what `datetime` takes on every system.
    return (
        type(value) in (int, float) and isinstance(value, (int, float)) and 0 <= value < 32503680000
    )


def plan_entry(document: Document) -> Callable[[], JournalEntry | None]:
    """Return the function that makes the journal entry of `document` now. Cheap: the text is made
    when it is called, from a frozen snapshot."""
    beside, names = document.unsaved_beside, document.unsaved_names
    if not names or (_is_fresh_draft(document) and not beside.names()):
        return lambda: None
    state, label = document.state, document.undo_label or ""
    steps = abs(document.position - (document.saved_position or 0))
    if document.position == 0:
        # Undone to the beginning, past what was saved.
        label = f"Undo {document.redo_label}"
    urdf, xrdf, srdf = document.urdf_path, document.xrdf_path, document.srdf_path
    expansion = document.expansion
    digests = {
        kind.value: digest for kind in FileKind if (digest := document.digest(kind)) is not None
    }
    settings = {
        kind.value: str(path) for kind in SETTINGS if (path := document.path(kind)) is not None
    }
    # The XRDF always, so that there is something to restore into.
    kinds = tuple(dict.fromkeys((FileKind.XRDF, *document.modified_kinds)))

    def make() -> JournalEntry:
        texts = {}
        for kind in kinds:
            try:
                text = compute_text(state, kind)
            except FormatError:
                # The findings tell that this file cannot be saved; the others must be safe all the
                # same.
                if kind is FileKind.XRDF:
                    raise
                continue
            if text is not None:
                texts[kind.value] = text
        pid = os.getpid()
        return JournalEntry(
            str(urdf) if urdf else None,
            str(xrdf) if xrdf else None,
            texts,
            label,
            steps,
            time.time(),
            pid,
            process_started(pid),
            str(srdf) if srdf else None,
            expansion.to_json() if expansion is not None else None,
            state.urdf_source.source.text if expansion is not None else None,
            typed_to_json(state.typed.items()),
            platform.node(),
            digests,
            beside_to_json(beside),
            names,
            settings,
        )

    return make


def is_saved(entry: JournalEntry) -> bool:
    """Return whether the files on disk hold all that `entry` would restore: its session ended just
    after a save."""
    if typed_of(entry) or entry.beside:
        return False
    paths = _paths(entry)
    try:
        return all(
            (path := paths[kind]) is not None and SourceText.read(path).text == text
            for kind, text in texts_of(entry).items()
        )
    except (FormatError, OSError, KeyError):
        return False


def written_since(entry: JournalEntry) -> tuple[Path, ...]:
    """The files that were written after the session of `entry` read or saved them last: its text of
    them is older."""
    files = []
    for kind, text in texts_of(entry).items():
        name = _paths(entry)[kind]
        try:
            source = SourceText.read(Path(name)) if name is not None else None
            if source is not None and source.text != text and _is_newer(entry, kind, source):
                files.append(Path(name or ""))
        except (FormatError, OSError):
            continue
    return tuple(files)


def _is_newer(entry: JournalEntry, kind: FileKind, source: SourceText) -> bool:
    if entry.digests is not None:
        return entry.digests.get(kind.value) != source.digest
    # An older journal does not say what it began from.
    return source.path is not None and source.path.stat().st_mtime > entry.saved_at


def _paths(entry: JournalEntry) -> dict[FileKind, str | None]:
    settings = {kind: (entry.settings or {}).get(kind.value) for kind in SETTINGS}
    return {
        FileKind.XRDF: entry.xrdf,
        FileKind.SRDF: entry.srdf,
        FileKind.URDF: entry.urdf,
        **settings,
    }


def _is_fresh_draft(document: Document) -> bool:
    return (
        document.position == 0
        and document.modified_kinds == (FileKind.XRDF,)
        and document.xrdf_digest is None
    )


def texts_of(entry: JournalEntry) -> dict[FileKind, str]:
    """For Document.restore. Raises KeyError when there is no text of a known kind."""
    texts = {
        kind: entry.texts[kind.value]
        for kind in FileKind
        if isinstance(entry.texts.get(kind.value), str)
    }
    if not texts:
        raise KeyError("xrdf")
    return texts


def beside_of(entry: JournalEntry) -> Beside:
    """For Document.restore: obstacles and stored poses."""
    return beside_from_json(entry.beside or {})


def typed_of(entry: JournalEntry) -> dict[Hashable, str]:
    """For Document.restore: what was typed and not read yet."""
    return typed_from_json(entry.typed)
