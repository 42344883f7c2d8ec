"""Reading a file of which nothing is known: only regular ones, and only so much.

What a robot refers to may be a pipe, which never answers, a device without an end, or a link to one
of them.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
_CHUNK = 1 << 20


class NotRegularError(OSError):
    """The path is a pipe, device or folder, not a regular file; the text names which."""


class FileTooLargeError(OSError):
    """The file holds more than is read."""


def read_regular(path: Path | str, limit: int) -> bytes:
    """The bytes of a regular file, links followed; never waits and never reads more than `limit`
    bytes.

    Raises NotRegularError for folders, pipes, sockets and devices, FileTooLargeError for more than
    `limit`, and OSError as `open` does.
    """
    # Without waiting for the program that writes into a pipe, and without making a terminal ours.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
    flags |= getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(path, flags)
    except OSError as error:
        # A socket cannot even be opened; Windows says so of folders.
        kind = (
            other_kind(path) if error.errno in (errno.ENXIO, errno.EACCES, errno.EISDIR) else None
        )
        if kind is not None:
            raise _not_regular(kind, path) from None
        raise
    state = os.fstat(descriptor)
    if not stat.S_ISREG(state.st_mode):
        os.close(descriptor)
        raise _not_regular(_name(state.st_mode), path)
    with os.fdopen(descriptor, "rb", buffering=0) as file:
        size = state.st_size
        chunks: list[bytes] = []
        # A file may grow while it is read, and those below /proc tell no size.
        while size <= limit and (chunk := file.read(min(max(state.st_size, _CHUNK), limit + 1))):
            chunks.append(chunk)
            size = max(state.st_size, sum(map(len, chunks)))
        if size > limit:
            raise FileTooLargeError(
                errno.EFBIG, f"it has more than {limit >> 20:,} MB, the limit", str(path)
            )
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)


def other_kind(path: Path | str) -> str | None:
    """Name the kind of a path that is no file, links followed: "a pipe"; None for a file or a
    missing path."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return None
    return None if stat.S_ISREG(mode) else _name(mode)


def _name(mode: int) -> str:
    return next((name for is_kind, name in _KINDS if is_kind(mode)), "not a regular file")


def _not_regular(kind: str, path: Path | str) -> NotRegularError:
    return NotRegularError(errno.EINVAL, f"it is {kind}, not a file", str(path))
