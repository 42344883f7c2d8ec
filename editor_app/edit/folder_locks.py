"""Two processes that save into one folder do it one after the other: the look at a file and its rename belong together.

The folder itself is locked where the system can (flock), so that nothing is left behind, and a process that dies holds
nothing. Windows locks no folders: there a small file in the state folder stands for it. Where nothing can be locked, as
on some network file systems, saving goes on without: the look comes right before the rename all the same.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from editor_app.edit.state_folder import state_folder

#: A process that holds a lock is between two renames: one that takes longer is stopped, and not waited for.
_PATIENCE = 5.0
_PAUSE = 0.002


@contextlib.contextmanager
def folders_locked(folders: Iterable[Path]) -> Iterator[None]:
    """Holds the folders for this thread alone, in an order that no two savers wait for each other in."""
    with contextlib.ExitStack() as stack:
        for folder in sorted(set(folders)):
            stack.enter_context(_locked(folder))
        yield


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    try:
        descriptor = _opened(folder)
    except OSError:
        yield
        return
    try:
        _wait(lambda: _lock(descriptor))
        yield
    finally:
        # With it the lock goes.
        with contextlib.suppress(OSError):
            os.close(descriptor)


def _wait(lock: Callable[[], None]) -> None:
    end = time.monotonic() + _PATIENCE
    while True:
        try:
            return lock()
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.EACCES, errno.EINTR) or time.monotonic() > end:
                return None
            time.sleep(_PAUSE)


if sys.platform == "win32":
    import msvcrt

    def _opened(folder: Path) -> int:
        locks = state_folder() / "locks"
        locks.mkdir(parents=True, exist_ok=True, mode=0o700)
        name = hashlib.sha256(os.path.normcase(folder).encode("utf-8", "surrogatepass")).hexdigest()[:24]
        return os.open(locks / name, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0))

    def _lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _opened(folder: Path) -> int:
        return os.open(folder, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
