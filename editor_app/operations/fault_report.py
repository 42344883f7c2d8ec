"""A report of a fault of the program: what window and commands show, copy or leave in a file."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

from editor_app.edit.state_folder import state_folder
from editor_app.operations.versions import versions

#: Older reports go.
_KEPT = 20


def fault_report(trace: str, context: str = "") -> str:
    """What to paste into an issue: versions, what was being done, and the traceback."""
    numbers = ", ".join(f"{name} {version}" for name, version in versions().items())
    return "\n".join((numbers, context, "", trace.rstrip())) + "\n"


def write_fault_report(trace: str, context: str = "") -> Path | None:
    """Leaves a report in the state folder, and says where; None where it cannot be written."""
    folder = state_folder() / "faults"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for old in sorted(folder.glob("*.txt"))[: -_KEPT + 1]:
            with contextlib.suppress(OSError):
                old.unlink()
        path = folder / f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.txt"
        path.write_text(fault_report(trace, context), encoding="utf-8", errors="backslashreplace")
    except OSError:
        return None
    return path
