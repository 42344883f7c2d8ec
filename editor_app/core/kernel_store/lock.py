"""A lock between processes: while one compiles a kernel, the others wait, and then load it from the
cache on disk."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

#: Lock files that this process holds: a kernel that is compiled for another one compiles itself no
#: second time.
_HELD: set[Path] = set()


@contextlib.contextmanager
def locked(path: Path | None) -> Iterator[None]:
    """Hold the lock file `path` as the only process; the caller has a lock between its threads.

    The lock ends with the process. Without a path, or where the file cannot be made or locked, as
    on a disk without room for it, nothing is locked: then each process compiles for itself.
    """
    if path is None or path in _HELD:
        yield
        return
    descriptor = None
    with contextlib.suppress(OSError):
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
        _wait(descriptor)
    _HELD.add(path)
    try:
        yield
    finally:
        _HELD.discard(path)
        if descriptor is not None:
            os.close(descriptor)


def _wait(descriptor: int) -> None:
    if sys.platform == "win32":
        # Gives up after ten seconds, with an error that says so.
        import errno
        import msvcrt

        while True:
            try:
                msvcrt.locking(descriptor, msvcrt.LK_LOCK, 1)
                return
            except OSError as error:
                if error.errno != errno.EDEADLOCK:
                    raise
    else:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX)
