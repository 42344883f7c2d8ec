"""Files with compiled kernels that may be loaded. Loading a file runs the code in it, so no other
file is loaded.

Shipped ones are made when the program is built or set up, with a list of their digests; they are
trusted as much as the modules around them. The user's folder, and each file in it, belongs to the
user, and nobody else can write to it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import stat
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import platformdirs

#: Names another folder of shipped kernels; for the program that makes them, and for tests.
SHIPPED_VARIABLE = "XRDF_EDITOR_SHIPPED_KERNELS"
#: What was compiled when the program was built (in the package) or set up (in its environment).
_PLACES = (Path(__file__).resolve().parents[2] / "_kernels", Path(sys.prefix) / "kernels")
#: The list of the files in it.
LIST_NAME = "kernels.json"
SUFFIX = ".kernel"
#: Names the user's folder.
FOLDER_VARIABLE = "XRDF_EDITOR_KERNELS"

_DIGEST_BYTES = hashlib.sha256().digest_size
_MOST_BYTES = 1 << 26
#: Other versions of a kernel are kept for so long: another checkout of the program may use them.
_SECONDS_KEPT = 30 * 86400.0


@dataclass(frozen=True)
class ShippedKernels:
    """Files by name, their digests, and what they were compiled for: triple, processor,
    features."""

    folder: Path
    target: tuple[str, str, str]
    digests: dict[str, str]


@cache
def shipped_kernels() -> ShippedKernels | None:
    """Return the list in the first folder that has one; None without a list, or if every user can
    write to it."""
    named = Path(os.environ.get(SHIPPED_VARIABLE, ""))
    for folder in (named,) if named.is_absolute() else _PLACES:
        try:
            if _is_for_all(folder) or _is_for_all(folder / LIST_NAME):
                logging.getLogger(__name__).warning(
                    "%s is not used: every user can write to it.", folder / LIST_NAME
                )
                return None
            content = json.loads((folder / LIST_NAME).read_text(encoding="utf-8"))
            triple, processor, features = content["target"]
            return ShippedKernels(folder, (triple, processor, features), dict(content["digests"]))
        except (OSError, ValueError, KeyError, TypeError):
            continue
    return None


def read_shipped(name: str) -> bytes | None:
    """Return the content of a shipped file that is as it was listed, else None."""
    shipped = shipped_kernels()
    listed = shipped.digests.get(name) if shipped else None
    if shipped is None or listed is None:
        return None
    try:
        content = (shipped.folder / name).read_bytes()
    except OSError:
        return None
    return _payload(name, content) if hashlib.sha256(content).hexdigest() == listed else None


def user_folder() -> Path | None:
    """Return the folder of what this user has compiled: $XRDF_EDITOR_KERNELS, else one in the
    user's cache folder.

    None where the system knows no home: a relative path would lead to the current folder, where
    anybody's files are.
    """
    named = os.environ.get(FOLDER_VARIABLE)
    folder = (
        Path(named)
        if named
        else platformdirs.user_cache_path("xrdf-editor", appauthor=False) / "compiled"
    )
    return folder if folder.is_absolute() else None


def private_folder(*, make: bool = False) -> Path | None:
    """Return the user's folder, created with `make`; None without a folder, or if another user can
    write to it."""
    folder = user_folder()
    if folder is None:
        return None
    try:
        if make and not folder.exists():
            folder.parent.mkdir(parents=True, exist_ok=True)
            folder.mkdir(mode=0o700, exist_ok=True)
        if _is_private(folder.lstat(), stat.S_ISDIR):
            return folder
    except OSError:
        return None
    _warn_of(folder)
    return None


def read_kept(name: str) -> bytes | None:
    """Return the content of a sound file that only this user can have written, else None."""
    folder = private_folder()
    if folder is None:
        return None
    with contextlib.suppress(OSError):
        descriptor = os.open(
            folder / name, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        )
        with open(descriptor, "rb") as file:
            if _is_private(os.fstat(descriptor), stat.S_ISREG):
                return _payload(name, file.read(_MOST_BYTES))
    return None


def kept_names(prefix: str) -> list[str]:
    """Return the names in the user's folder that begin so."""
    folder = private_folder()
    return [path.name for path in folder.glob(f"{prefix}*{SUFFIX}")] if folder else []


def keep_kernel(name: str, payload: bytes, kernel: str) -> None:
    """Write a file to the user's folder, whole or not at all, and drop old ones of the same kernel.

    Nothing is kept where that is impossible, as on a full disk.
    """
    folder = private_folder(make=True)
    if folder is None:
        return
    with contextlib.suppress(OSError):
        descriptor, written = tempfile.mkstemp(dir=folder)
        try:
            with open(descriptor, "wb") as file:
                file.write(_checksum(name, payload) + payload)
            os.replace(written, folder / name)
        except BaseException:
            os.unlink(written)
            raise
        for path in folder.glob(f"{kernel}-*{SUFFIX}"):
            if path.stat().st_mtime < time.time() - _SECONDS_KEPT:
                path.unlink()


@cache
def _warn_of(folder: Path) -> None:
    logging.getLogger(__name__).warning(
        "Compiled code is not kept: %s must be a folder of this user that nobody else can write "
        "to (chmod 700).",
        folder,
    )


def _is_private(status: os.stat_result, is_kind: Callable[[int], bool]) -> bool:
    if not is_kind(status.st_mode):
        return False
    # On Windows the folder inherits the rights of the user's profile.
    return sys.platform == "win32" or (status.st_uid == os.geteuid() and not status.st_mode & 0o022)


def _is_for_all(path: Path) -> bool:
    return sys.platform != "win32" and bool(path.stat().st_mode & stat.S_IWOTH)


def _payload(name: str, content: bytes) -> bytes | None:
    """What follows the checksum, if the file is undamaged and has its own name."""
    payload = content[_DIGEST_BYTES:]
    return payload if content[:_DIGEST_BYTES] == _checksum(name, payload) else None


def _checksum(name: str, payload: bytes) -> bytes:
    return hashlib.sha256(name.encode() + b"\0" + payload).digest()
