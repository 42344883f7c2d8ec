"""What is not saved yet, kept beside the user's configuration, so that a crash or kill -9 loses nothing.

One file a session, replaced atomically after every step: it holds the texts as saving would write them. A session that
ends properly deletes its file; a file whose process is gone is an orphan that the next start offers to restore.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
import time
import uuid
from collections.abc import Callable, Hashable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from editor_app.edit.document import Document
from editor_app.edit.saving import write_atomically
from editor_app.edit.state import FileKind
from editor_app.edit.texts import text_of
from editor_app.edit.typed import from_json, to_json
from editor_app.formats.source import FormatError


@dataclass(frozen=True, slots=True)
class Entry:
    """`texts` maps xrdf (and urdf, srdf when they are unsaved) to the text; `saved_at` is seconds since the epoch."""

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


def journal_folder() -> Path:
    """Where the journals lie; XRDF_EDITOR_STATE overrides the user's state folder."""
    override = os.environ.get("XRDF_EDITOR_STATE")
    if override:
        return Path(override) / "journal"
    import platformdirs

    return Path(platformdirs.user_state_path("xrdf-editor", appauthor=False)) / "journal"


class Journal:
    """The journal of one session. `note` returns at once; a thread of its own writes, and only the latest matters."""

    def __init__(self, folder: Path | None = None) -> None:
        self._path = (folder or journal_folder()) / f"{uuid.uuid4().hex}.json"
        self._wake = threading.Condition()
        self._pending: Callable[[], Entry | None] | None = None
        self._busy = False
        self._closed = False
        #: The last reason why nothing could be written, None when all is well.
        self.trouble: str | None = None
        self._thread = threading.Thread(target=self._write, daemon=True, name="journal")
        self._thread.start()

    @property
    def path(self) -> Path:
        return self._path

    def note(self, make_entry: Callable[[], Entry | None]) -> None:
        """Writes what `make_entry` returns (called in the journal's thread); None means that nothing is unsaved."""
        with self._wake:
            self._pending = make_entry
            self._wake.notify_all()

    def flush(self, timeout: float = 10.0) -> bool:
        """Waits until everything noted is on disk; False when that took longer than `timeout` seconds."""
        end = time.monotonic() + timeout
        with self._wake:
            while self._pending is not None or self._busy:
                left = end - time.monotonic()
                if left <= 0:
                    return False
                self._wake.wait(left)
        return True

    def close(self) -> None:
        """The session ends properly: nothing is left to restore."""
        with self._wake:
            self._closed = True
            self._pending = None
            self._wake.notify_all()
        self._thread.join(5)
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
                self.trouble = None
            except Exception as error:  # whatever it is, the session must go on and be told
                self.trouble = f"Unsaved work cannot be kept safe: {error}"
            finally:
                with self._wake:
                    self._busy = False
                    self._wake.notify_all()

    def _store(self, entry: Entry | None) -> None:
        if entry is None:
            self._path.unlink(missing_ok=True)
            return
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        data = {field.name: getattr(entry, field.name) for field in fields(entry)}
        write_atomically(self._path, json.dumps(data).encode("utf-8", "surrogatepass"))


def process_started(pid: int) -> float | None:
    """A number that tells two processes of the same id apart, where the system has one (Linux)."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
        return float(stat.rsplit(")", 1)[1].split()[19])
    except (OSError, ValueError, IndexError):
        return None


def orphans(folder: Path | None = None) -> list[tuple[Path, Entry]]:
    """The journals whose session ended without closing them, newest first; unreadable ones are passed over."""
    found = []
    base = folder or journal_folder()
    for path in base.glob("*.json") if base.is_dir() else ():
        entry = _read(path)
        if entry is not None and not _alive(entry):
            found.append((path, entry))
    return sorted(found, key=lambda item: -item[1].saved_at)


def discard(path: Path) -> None:
    """Deletes a journal that the user does not want, or that was restored."""
    with contextlib.suppress(OSError):
        path.unlink(missing_ok=True)


def _read(path: Path) -> Entry | None:
    try:
        data: Any = json.loads(path.read_bytes().decode("utf-8", "surrogatepass"))
        entry = Entry(**data)
    except (OSError, ValueError, TypeError):
        return None
    return entry if isinstance(entry.texts, dict) and isinstance(entry.pid, int) else None


def _alive(entry: Entry) -> bool:
    if entry.pid == os.getpid():
        return True
    if os.name == "nt":
        return _alive_on_windows(entry.pid)
    try:
        os.kill(entry.pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    started = process_started(entry.pid)
    return started is None or entry.process_started is None or started == entry.process_started


def _alive_on_windows(pid: int) -> bool:
    import ctypes

    # os.kill(pid, 0) would end the process on Windows.
    kernel: Any = getattr(ctypes, "windll").kernel32  # noqa: B009  (missing in the stubs of other systems)
    handle = kernel.OpenProcess(0x1000, False, pid)
    if not handle:
        return False
    code = ctypes.c_ulong()
    kernel.GetExitCodeProcess(handle, ctypes.byref(code))
    kernel.CloseHandle(handle)
    return code.value == 259


def entry_of(document: Document) -> Callable[[], Entry | None]:
    """What to note about `document` now. Cheap: the text is made when it is called, from a frozen snapshot."""
    if not document.is_modified or document.position == 0:
        return lambda: None
    state, label, steps = document.state, document.undo_label or "", document.position
    urdf, xrdf, srdf = document.urdf_path, document.xrdf_path, document.srdf_path
    expansion = document.expansion
    # The XRDF always, so that there is something to restore into.
    kinds = tuple(dict.fromkeys((FileKind.XRDF, *document.modified_kinds)))

    def make() -> Entry:
        texts = {}
        for kind in kinds:
            try:
                text = text_of(state, kind)
            except FormatError:
                # The findings tell that this file cannot be saved; the others must be safe all the same.
                if kind is FileKind.XRDF:
                    raise
                continue
            if text is not None:
                texts[kind.value] = text
        pid = os.getpid()
        return Entry(
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
            to_json(state.typed.items()),
        )

    return make


def texts_of(entry: Entry) -> dict[FileKind, str]:
    """For Document.restore. Raises KeyError when there is no text of a known kind."""
    found = {kind: entry.texts[kind.value] for kind in FileKind if isinstance(entry.texts.get(kind.value), str)}
    if not found:
        raise KeyError("xrdf")
    return found


def typed_of(entry: Entry) -> dict[Hashable, str]:
    """For Document.restore: what was typed and not read yet."""
    return from_json(entry.typed)
