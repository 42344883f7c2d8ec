"""Atomic writing: one file, or several that belong together, all or none (see
`core.document.writing`)."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from editor_app.core.document.replacing import (
    SaveError,
    drop,
    rename,
    replacement_of,
    state_folder,
    sync_folder,
    write_atomically,
    write_temporary,
)
from editor_app.core.document.save_parts import SavedFile, end_record, write_record


def write_together(
    files: Sequence[tuple[Path, bytes]],
    *,
    make_folders: bool = False,
    look: Callable[[], None] = lambda: None,
    folders: Iterable[Path] = (),
) -> None:
    """Writes the files. If one cannot be written, all stay as they were.

    `look` is called right before the first file is replaced, while no other process of this program
    saves into the folders of these files or into `folders`. An exception of `look` ends the save.

    All contents are on the disk before the first file is replaced. A process that is killed between
    two replacements leaves a record (`save_records`): the next start finishes the save or takes it
    back. `make_folders` makes missing folders. Raises SaveError.
    """
    new_folders: list[Path] = []
    try:
        for path, _ in files if make_folders else ():
            new_folders += _made(path.parent)
        _write([_part(path, data, len(files) > 1) for path, data in files], look, folders)
    except (SaveError, OSError) as error:
        for folder in reversed(new_folders):
            with contextlib.suppress(OSError):
                folder.rmdir()
        if isinstance(error, SaveError):
            raise
        raise SaveError(
            f"{error.filename or files[0][0]} could not be written: {error.strerror or error}."
        ) from error


def _write(parts: Sequence[SavedFile], look: Callable[[], None], folders: Iterable[Path]) -> None:
    record = write_record(parts)
    renamed: list[SavedFile] = []
    try:
        for part in parts:
            write_temporary(part.replacement, part.new)
        with folders_locked([*folders, *(part.replacement.target.parent for part in parts)]):
            look()
            for part in parts:
                rename(part.replacement)
                renamed.append(part)
    except (SaveError, OSError) as error:
        for part in parts:
            drop(part.replacement)
        kept = [part for part in reversed(renamed) if not _put_back(part)]
        if not kept:
            end_record(record)
            raise
        # The record stays while neither all old nor all new files are in place: the next start
        # asks.
        names = " and ".join(str(part.replacement.target) for part in kept)
        raise SaveError(
            f"{error} {names} could not be restored and contains the new version."
        ) from error
    for folder in dict.fromkeys(part.replacement.target.parent for part in parts):
        sync_folder(folder)
    end_record(record)


def _part(path: Path, data: bytes, several: bool) -> SavedFile:
    replacement = replacement_of(path)
    # A single file is old or new: nothing has to be put back.
    old = replacement.target.read_bytes() if several and replacement.mode is not None else None
    return SavedFile(replacement, old, data)


def _put_back(part: SavedFile) -> bool:
    try:
        if part.old is None:
            part.replacement.target.unlink()
        else:
            write_atomically(part.replacement.target, part.old)
    except (SaveError, OSError):
        return False
    return True


def _made(folder: Path) -> list[Path]:
    """Makes a folder. Returns the folders that were made, the outermost first."""
    missing = [f for f in (folder, *folder.parents) if not f.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    return missing[::-1]


#: Seconds to wait for a lock. It is held for a few renames: a process that holds it longer hangs.
_PATIENCE = 5.0
_PAUSE = 0.002


@contextlib.contextmanager
def folders_locked(folders: Iterable[Path]) -> Iterator[None]:
    """Locks the folders for this thread, in an order in which no two savers wait for each other.

    No other saver comes between the look at a file and its rename. The folder itself is locked
    where the system can (flock): nothing is left behind, and the lock ends with the process.
    Windows cannot lock folders: there a small file in the state folder is locked. Where locks do
    not work, as on some network file systems, saving goes on without.
    """
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
        # Closing releases the lock.
        with contextlib.suppress(OSError):
            os.close(descriptor)


def _wait(lock: Callable[[], None]) -> None:
    end = time.monotonic() + _PATIENCE
    while True:
        try:
            return lock()
        except OSError as error:
            if (
                error.errno not in (errno.EAGAIN, errno.EACCES, errno.EINTR)
                or time.monotonic() > end
            ):
                return None
            time.sleep(_PAUSE)


if sys.platform == "win32":
    import msvcrt

    def _opened(folder: Path) -> int:
        locks = state_folder() / "locks"
        locks.mkdir(parents=True, exist_ok=True, mode=0o700)
        name = hashlib.sha256(
            os.path.normcase(folder).encode("utf-8", "surrogatepass")
        ).hexdigest()[:24]
        return os.open(locks / name, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0))

    def _lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _opened(folder: Path) -> int:
        return os.open(folder, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
