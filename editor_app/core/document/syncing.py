"""Flushing to the disk in a thread of its own: a slow disk holds up nobody longer than it may.

What was written survives the end of the program, kill -9 included, as soon as the system has it.
Only a loss of power takes what is not flushed.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from pathlib import Path

from editor_app.core.document.replacing import sync_folder

#: Windows renames no file that is open: there a file is flushed before it is renamed, whatever it
#: takes.
CAN_WAIT = os.name != "nt"


class Syncing:
    """Only the latest file matters: one that waits is given up for the next. `close` at the end."""

    def __init__(self) -> None:
        self._wake = threading.Condition()
        self._file: int | None = None
        self._folder: Path | None = None
        self._busy = False
        self._closed = False
        self._thread: threading.Thread | None = None
        #: Why the last file is perhaps not on the disk; None when it is.
        self.trouble: OSError | None = None

    def begin(self, path: Path, patience: float) -> None:
        """Flushes the file that stands at `path` now; waits at most `patience` seconds, and never
        for one before.

        Raises OSError when the file cannot be opened.
        """
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
        with self._wake:
            is_behind = self._busy or self._file is not None
            if self._file is not None:
                os.close(self._file)
            self._file = descriptor
            self._start()
        if not is_behind:
            self.wait(patience)

    def folder(self, path: Path) -> None:
        """Flushes the names in a folder, some time soon."""
        with self._wake:
            self._folder = path
            self._start()

    def wait(self, timeout: float) -> bool:
        """Waits until everything is on the disk; False when that takes longer than `timeout`
        seconds."""
        end = time.monotonic() + timeout
        with self._wake:
            while self._busy or self._file is not None or self._folder is not None:
                left = end - time.monotonic()
                if left <= 0:
                    return False
                self._wake.wait(left)
        return True

    def close(self, timeout: float) -> None:
        """Nothing comes any more; what is under way may be done for so many seconds."""
        self.wait(timeout)
        with self._wake:
            self._closed = True
            self._wake.notify_all()
        if self._thread is not None:
            self._thread.join(timeout)

    def _start(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, daemon=True, name="journal sync")
            self._thread.start()
        self._wake.notify_all()

    def _run(self) -> None:
        while True:
            with self._wake:
                while self._file is None and self._folder is None and not self._closed:
                    self._wake.wait()
                if self._file is None and self._folder is None:
                    return
                file, folder = self._file, self._folder
                self._file = self._folder = None
                self._busy = True
            try:
                if file is not None:
                    self._flush(file)
                if folder is not None:
                    sync_folder(folder)
            finally:
                with self._wake:
                    self._busy = False
                    self._wake.notify_all()

    def _flush(self, descriptor: int) -> None:
        try:
            os.fsync(descriptor)
            self.trouble = None
        except OSError as error:
            self.trouble = error
        finally:
            with contextlib.suppress(OSError):
                os.close(descriptor)
