"""Which threads and child processes a test has left behind."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

#: What lives as long as the process: a helper of the standard library, and the test run's own X
#: server.
_LASTING = ("multiprocessing.resource_tracker", "Xvfb")


def running() -> set[object]:
    """The Python threads that are not daemons, and the ids of the child processes."""
    # Reaps children that ended and were not waited for.
    multiprocessing.active_children()
    threads = {thread for thread in threading.enumerate() if not thread.daemon}
    return {*threads, *children()}


def children() -> set[int]:
    """Ids of the children of this process that still run (Linux; elsewhere only children of
    multiprocessing).

    Those that the server of multiprocessing has forked for this process are its children as well.
    """
    if not Path("/proc/self/task").is_dir():
        return {
            process.pid for process in multiprocessing.active_children() if process.pid is not None
        }
    pids: set[int] = set()
    for pid in _children_of("self"):
        line = command(pid)
        if "multiprocessing.forkserver" in line:
            pids |= _children_of(pid)
        elif not any(name in line for name in _LASTING):
            pids.add(pid)
    return pids


def _children_of(pid: int | str) -> set[int]:
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
    except OSError:
        return set()
    pids = {int(child) for task in tasks for child in _read(task / "children").split()}
    return {child for child in pids if _runs(child)}


def _runs(pid: int) -> bool:
    """Whether the process is there and no zombie. Its command line says nothing of that: at the
    start it is empty."""
    state = _read(Path(f"/proc/{pid}/stat")).rpartition(")")[2].split()
    return bool(state) and state[0] not in "ZX"


def command(pid: int) -> str:
    """The command line of a process; empty when it has ended."""
    return _read(Path(f"/proc/{pid}/cmdline")).replace("\0", " ").strip()


def left_behind(before: set[object], patience: float = 2.0) -> list[str]:
    """What runs now and did not `before`, in words; what is just ending is given `patience`
    seconds."""
    deadline = time.monotonic() + patience
    while (new := running() - before) and time.monotonic() < deadline:
        time.sleep(0.01)
    return [
        f"process {item}: {command(item) or 'a child'}"
        if isinstance(item, int)
        else f"thread {item!r}"
        for item in sorted(new, key=str)
    ]


@contextmanager
def none_left(subject: str) -> Iterator[None]:
    """Fail if child processes, or threads that are no daemons, are left behind; the processes are
    ended."""
    before = running()
    yield
    leftovers = left_behind(before)
    if leftovers:
        for item in running() - before:
            if isinstance(item, int):
                end(item)
        pytest.fail(f"{subject} left behind:\n  " + "\n  ".join(leftovers), pytrace=False)


def end(pid: int) -> None:
    """End a child process that a test has left, so that the next test starts clean."""
    try:
        os.kill(pid, 15)
    except ProcessLookupError:
        pass


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
