"""A lock between processes: while one compiles a kernel, the others wait, and then load it from the cache on disk."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

#: Lock files that this process holds: a kernel that is compiled for another one compiles itself no second time.
_HELD: set[Path] = set()


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock file `path` as the only process; the caller has a lock between its threads.

    The lock ends with the process. Where the file cannot be made or locked, as on a disk without room for it, nothing
    is locked: then each process compiles for itself.
    """
    if path in _HELD:
        yield
        return
    descriptor = None
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
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


def compile_once(compiled: Any) -> None:
    """Make a dispatcher of numba, which has a cache on disk, compile or load under the lock of its kernel."""
    # Imported here: this module is imported before numba has its settings.
    from numba.core.compiler_lock import global_compiler_lock

    compile_now = compiled.compile
    function = compiled.py_func

    def compile_alone(signature: Any) -> Any:
        name = f"{Path(function.__code__.co_filename).stem}.{function.__qualname__}.lock"
        # The lock between threads comes first, as numba takes it again inside: no thread waits for another process
        # while it keeps one from compiling.
        with global_compiler_lock, locked(Path(compiled.stats.cache_path) / name):
            return compile_now(signature)

    compiled.compile = compile_alone
