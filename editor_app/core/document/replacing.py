"""One file replaced as a whole: a complete temporary file beside it, flushed to the disk, then
renamed over it; and the folder of the state (journals, records), with whether the process of a file
there still runs."""

from __future__ import annotations

import contextlib
import os
import re
import stat
import sys
import uuid
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from editor_app.core.model.refusal import Refusal
from editor_app.core.resources import state_folder as state_folder

_TEMPORARY = re.compile(r"\..*\.(\d{1,10}-\d{1,20})-[0-9a-f]{8}\.tmp", re.DOTALL)
#: Of a long name only so many characters: a temporary file's name must fit where the file's own
#: does.
_LONGEST = 40


class SaveError(Refusal):
    """Saving failed; the document stays modified, the file is as it was. The message is for the
    user."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """`temporary` becomes `target`; `mode` are the permissions that the file has until then, None
    for a new one."""

    target: Path
    temporary: Path
    mode: int | None


def replacement_of(path: Path) -> Replacement:
    """Return the renames that writing `path` will need; nothing is written yet.

    Symbolic links are followed, but a new file is never made through one: it would stand where
    nobody looks for it. Raises SaveError when the folder is missing or the file protected.
    """
    target = Path(os.path.realpath(path))
    if not target.parent.is_dir():
        raise SaveError(
            f"The folder {target.parent} does not exist. Save under another name, or restore the "
            "folder."
        )
    try:
        status = target.stat()
    except FileNotFoundError:
        mode = None
    except OSError as error:
        raise _failed(target, error) from error
    else:
        if not stat.S_ISREG(status.st_mode):
            raise SaveError(f"{target} is not a regular file. Save under another name.")
        mode = stat.S_IMODE(status.st_mode)
    if mode is None and os.path.lexists(path):
        raise SaveError(
            f"{path} is a link to {target}, which does not exist. Save under another name, or "
            "delete it."
        )
    # By its mode too: root may write everything, but a protected file is protected for a reason.
    if mode is not None and (mode & 0o222 == 0 or not os.access(target, os.W_OK)):
        raise SaveError(
            f"{target} is write-protected. Save under another name, or change its permissions."
        )
    name = f".{target.name[:_LONGEST]}.{own_mark()}-{uuid.uuid4().hex[:8]}.tmp"
    return Replacement(target, target.with_name(name), mode)


def write_temporary(replacement: Replacement, data: bytes, *, flushed: bool = True) -> None:
    """Writes the temporary file, with the permissions of the file it will replace, and flushes it
    to the disk.

    Not `flushed`, the caller does that.
    Raises SaveError; no temporary file is left then.
    """
    flags = (
        os.O_WRONLY
        | os.O_CREAT
        | os.O_EXCL
        | getattr(os, "O_BINARY", 0)
        | getattr(os, "O_CLOEXEC", 0)
    )
    mode = replacement.mode
    try:
        # The system takes the umask off; what others may not read is not readable for a moment
        # either.
        descriptor = os.open(
            replacement.temporary, flags, 0o666 if mode is None else mode & 0o600 | 0o200
        )
        try:
            _write_whole(descriptor, data)
            if mode is not None and os.name != "nt":
                _keep_owner(descriptor, replacement.target)
                _keep_attributes(descriptor, replacement.target)
                os.fchmod(descriptor, mode)
            if flushed:
                os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        drop(replacement)
        raise _failed(replacement.target, error) from error


def rename(replacement: Replacement) -> None:
    """Puts the temporary file in the place of the target. Raises SaveError; the target is as it was
    then."""
    try:
        os.replace(replacement.temporary, replacement.target)
    except OSError as error:
        drop(replacement)
        raise _failed(replacement.target, error) from error


def drop(replacement: Replacement) -> None:
    """Deletes the temporary file, if it is there."""
    with contextlib.suppress(OSError):
        os.unlink(replacement.temporary)


def sync_folder(folder: Path) -> None:
    """Has the system write down the names in `folder`. Where it cannot, a rename still counts: the
    file is there."""
    # Windows cannot open a folder; there os.replace is all that can be had.
    if os.name == "nt":
        return
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def write_atomically(path: Path, data: bytes) -> None:
    """Replaces the file by a complete new one or leaves it as it was. Permissions are kept. Raises
    SaveError.

    For files of the program itself; `together.write_together` is for files of the user.
    """
    replacement = replacement_of(path)
    write_temporary(replacement, data)
    rename(replacement)
    sync_folder(replacement.target.parent)


def is_temporary(name: str) -> bool:
    """Return whether a file name is one that `replacement_of` makes."""
    return _TEMPORARY.fullmatch(name) is not None


def put_aside(path: Path) -> Path:
    """Renames a file of the program that cannot be read, so that it is asked about once; gives its
    name."""
    target = path.with_suffix(".unreadable")
    try:
        path.rename(target)
    except OSError:
        return path
    return target


def clear_temporaries(folder: Path) -> int:
    """Deletes the temporary files in `folder` whose process is gone; returns how many."""
    cleared = 0
    with contextlib.suppress(OSError):
        for entry in list(os.scandir(folder)):
            match = _TEMPORARY.fullmatch(entry.name)
            if match is not None and not is_mark_alive(match.group(1)):
                with contextlib.suppress(OSError):
                    os.unlink(entry.path)
                    cleared += 1
    return cleared


def _write_whole(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        # A disk that is nearly full may take a part.
        rest = rest[os.write(descriptor, rest) :]


def _keep_owner(descriptor: int, target: Path) -> None:
    # Root who edits somebody's file does not take it away. Others cannot give a file away, and need
    # not.
    with contextlib.suppress(OSError):
        old, new = target.stat(), os.fstat(descriptor)
        if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
            os.fchown(descriptor, old.st_uid, old.st_gid)


def _keep_attributes(descriptor: int, target: Path) -> None:
    # Tags, comments and access lists of a file; Python knows them on Linux only. Some are the
    # system's own to set.
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            for name in os.listxattr(target):
                with contextlib.suppress(OSError):
                    os.setxattr(descriptor, name, os.getxattr(target, name))


def _failed(target: Path, error: OSError) -> SaveError:
    return SaveError(f"{target} could not be written: {error.strerror or error}.")


_MARK = re.compile(r"(\d{1,10})-(\d{1,20})")


def process_started(pid: int) -> float | None:
    """A number that tells two processes of the same id apart, where the system has one (Linux)."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
        return float(stat.rsplit(")", 1)[1].split()[19])
    except (OSError, ValueError, IndexError):
        return None


def own_mark() -> str:
    """Names this process within a file name: `PID-START`; the start is 0 where the system does not
    tell."""
    return _mark(os.getpid())


@cache
def _mark(pid: int) -> str:
    return f"{pid}-{int(process_started(pid) or 0)}"


def is_mark_alive(mark: str) -> bool:
    """Return whether the process that `own_mark` named is there; what is no mark counts as alive,
    so that it is left alone."""
    match = _MARK.fullmatch(mark)
    if match is None:
        return True
    started = float(match.group(2))
    return is_alive(int(match.group(1)), started or None)


def is_alive(pid: int, started: float | None) -> bool:
    """Return whether the process of that id, started then, is there."""
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
