"""Records of a run that crashes: a rotating log, and where native code crashed, in the state
folder.

Python's own faults have a report; a crash of Qt, VTK or a graphics driver ends the process at once.
`faulthandler` then writes where each thread was. The window of the next crash, or the next start,
offers both.
"""

from __future__ import annotations

import contextlib
import faulthandler
import logging
import logging.handlers
import os
import re
from pathlib import Path
from typing import TextIO

from editor_app.core.document.replacing import is_alive
from editor_app.core.model.printable import printable
from editor_app.core.resources import state_folder

LOG = logging.getLogger("editor_app.window")
#: Bytes of one file of the log, and the number of older ones that are kept.
_MOST_BYTES, _KEPT = 256 * 1024, 2
#: Lines of the log that go into a report.
_LINES = 40
_NATIVE = re.compile(r"native-(\d+)\.txt")


def log_folder() -> Path:
    """Return the folder of the log and of native crashes; it need not exist yet."""
    return state_folder() / "log"


def log_message(text: str) -> None:
    """Write a sentence that the window shows."""
    LOG.info("%s", printable(text))


class CrashLog:
    """Write the log and native crashes of this process from `begin` to `close`.

    Where the folder cannot be written, nothing is kept: the window opens all the same.
    """

    def __init__(self) -> None:
        self._handler: logging.Handler | None = None
        self._native: TextIO | None = None

    def begin(self, first_line: str) -> None:
        """Start the log with `first_line`, and let crashes of native code be written."""
        folder = log_folder()
        with contextlib.suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._handler = logging.handlers.RotatingFileHandler(
                folder / "xrdf-editor.log",
                maxBytes=_MOST_BYTES,
                backupCount=_KEPT,
                encoding="utf-8",
                delay=True,
            )
            self._handler.setFormatter(
                logging.Formatter("%(asctime)s %(process)d %(levelname)s %(message)s")
            )
            LOG.addHandler(self._handler)
            LOG.setLevel(logging.INFO)
            LOG.propagate = False
            self._native = (folder / f"native-{os.getpid()}.txt").open("w", encoding="utf-8")
            faulthandler.enable(self._native, all_threads=True)
        log_message(first_line)

    def close(self) -> None:
        """End both; a run that ended well leaves no file of native crashes."""
        if self._native is not None:
            faulthandler.disable()
            self._native.close()
            with contextlib.suppress(OSError):
                Path(self._native.name).unlink()
            self._native = None
        if self._handler is not None:
            LOG.removeHandler(self._handler)
            self._handler.close()
            self._handler = None


def take_native_crashes() -> str:
    """Return what earlier runs left of crashes of native code, and remove these files; "" when
    there is nothing."""
    texts = []
    with contextlib.suppress(OSError):
        for path in sorted(log_folder().glob("native-*.txt")):
            match = _NATIVE.fullmatch(path.name)
            if match is None or is_alive(int(match[1]), None):
                continue
            with contextlib.suppress(OSError):
                texts.append(path.read_text(encoding="utf-8", errors="replace")[:20_000].strip())
                path.unlink()
    return "\n\n".join(filter(None, texts))


def last_lines() -> str:
    """Return the last lines of the log; "" when there is none."""
    try:
        text = (log_folder() / "xrdf-editor.log").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    return "\n".join(text.splitlines()[-_LINES:])
