"""The folder of the user's state: journals, records of saves; and whether the process of a file there still runs."""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path
from typing import Any

from editor_app.resources import state_folder as state_folder

_MARK = re.compile(r"(\d{1,10})-(\d{1,20})")


def process_started(pid: int) -> float | None:
    """A number that tells two processes of the same id apart, where the system has one (Linux)."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
        return float(stat.rsplit(")", 1)[1].split()[19])
    except (OSError, ValueError, IndexError):
        return None


def own_mark() -> str:
    """Names this process within a file name: `PID-START`; the start is 0 where the system does not tell."""
    return _mark(os.getpid())


@cache
def _mark(pid: int) -> str:
    return f"{pid}-{int(process_started(pid) or 0)}"


def is_mark_alive(mark: str) -> bool:
    """Whether the process that `own_mark` named is there; what is no mark counts as alive, so that it is left alone."""
    match = _MARK.fullmatch(mark)
    if match is None:
        return True
    started = float(match.group(2))
    return is_alive(int(match.group(1)), started or None)


def is_alive(pid: int, started: float | None) -> bool:
    """Whether the process of that id, started then, is there."""
    if pid == os.getpid():
        return True
    if os.name == "nt":
        return _alive_on_windows(pid)
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    now = process_started(pid)
    return now is None or started is None or now == started


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
