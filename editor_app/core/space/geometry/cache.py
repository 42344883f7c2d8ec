"""Decoded meshes and other computed arrays on disk, by the digest of what they were computed from.

One file per entry: a magic, a checksum of all that follows, a JSON header, and the arrays as they
lie in memory, which loads as fast as the disk reads. An entry that is damaged, or of another
version, counts as absent and is written anew. No entry can run code: nothing is unpickled. A cache
that cannot be written is done without.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import math
import os
import tempfile
import time
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import platformdirs

from editor_app.core.model.regular_file import read_regular

_MAGIC = b"XRDF-EDITOR-MESH-5\n"
_TYPES = ("<f4", "<f8", "<i4")
#: Megabytes; the entries that were not used for the longest time go first.
DEFAULT_LIMIT_MB = 1024
#: Of an entry that is read.
_MOST_BYTES = 1 << 31
_DAY = 86400.0
_CHECK_EVERY = 64

_writes = 0


def cache_folder() -> Path:
    """Return the folder of the entries: $XRDF_EDITOR_CACHE, else the user's cache folder."""
    folder = os.environ.get("XRDF_EDITOR_CACHE")
    return (Path(folder) if folder else platformdirs.user_cache_path("xrdf-editor")) / "meshes"


def digest(*pieces: bytes) -> str:
    """A name for contents; pieces are told apart."""
    state = hashlib.blake2b(digest_size=20)
    for piece in pieces:
        state.update(len(piece).to_bytes(8, "little"))
        state.update(piece)
    return state.hexdigest()


def load_entry(key: str) -> tuple[dict[str, Any], dict[str, np.ndarray]] | None:
    """The information and the arrays that were stored; None when there is no sound entry.

    A damaged entry is deleted, and a line of the log says so. Never raises for a file.
    """
    path = cache_folder() / f"{key}.mesh"
    try:
        # A bytearray: arrays over bytes could not be written to, which some compiled code does not
        # take.
        data = bytearray(read_regular(path, _MOST_BYTES))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        _drop(path, f"it cannot be read: {error.strerror or error}")
        return None
    if not data.startswith(_MAGIC):
        # Of another version, or no entry.
        return None
    try:
        info, arrays = _parsed(memoryview(data)[len(_MAGIC) :])
        if time.time() - path.stat().st_mtime > _DAY:
            os.utime(path)
    except (
        OSError,
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        ArithmeticError,
        RecursionError,
    ):
        _drop(path, "it is damaged")
        return None
    return info, arrays


def _parsed(data: memoryview) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Raises ValueError, and more for a header that this program did not write."""
    if zlib.crc32(data[4:]) != int.from_bytes(data[:4], "little"):
        raise ValueError("checksum")
    length = int.from_bytes(data[4:8], "little")
    header = json.loads(bytes(data[8 : 8 + length]))
    payload = data[8 + length :]
    arrays = {}
    for name, (kind, shape, offset) in header["arrays"].items():
        if kind not in _TYPES or not all(
            type(each) is int and 0 <= each <= _MOST_BYTES for each in (*shape, offset)
        ):
            raise ValueError(name)
        count = math.prod(shape)
        if offset + count * np.dtype(kind).itemsize > len(payload):
            raise ValueError(name)
        arrays[name] = (
            np.frombuffer(payload, kind, count, offset).reshape(shape)
            if count
            else np.zeros(shape, kind)
        )
    if not isinstance(header["info"], dict):
        raise ValueError("info")
    return header["info"], arrays


def has_entry(key: str) -> bool:
    """Return whether there is a file of this entry, sound or not."""
    return os.path.lexists(cache_folder() / f"{key}.mesh")


def drop_entry(key: str, reason: str) -> None:
    """Delete an entry whose content makes no sense to its reader; a line of the log says so."""
    _drop(cache_folder() / f"{key}.mesh", reason)


def _drop(path: Path, reason: str) -> None:
    """Delete an entry, which is computed again; a line of the log says so."""
    logging.getLogger(__name__).warning("%s in the cache is rebuilt: %s", path, reason)
    with contextlib.suppress(OSError):
        path.unlink()


def store_entry(key: str, info: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
    """Stores under `key`; does nothing when the folder cannot be written."""
    table: dict[str, tuple[str, list[int], int]] = {}
    pieces: list[bytes] = []
    offset = 0
    for name, array in arrays.items():
        kind = array.dtype.newbyteorder("<").str
        if kind not in _TYPES:
            raise ValueError(f"arrays of {array.dtype} are not stored")
        piece = np.ascontiguousarray(array, dtype=kind).tobytes()
        table[name] = (kind, list(array.shape), offset)
        # Aligned, so that the arrays can be used where they lie.
        piece += b"\x00" * (-len(piece) % 8)
        pieces.append(piece)
        offset += len(piece)
    text = json.dumps({"arrays": table, "info": dict(info)}).encode()
    text += b" " * (-(len(_MAGIC) + 8 + len(text)) % 8)
    content = b"".join((len(text).to_bytes(4, "little"), text, *pieces))
    # Of the header, too: a flipped bit in it gives another mesh.
    checksum = zlib.crc32(content).to_bytes(4, "little")
    write_file(cache_folder() / f"{key}.mesh", _MAGIC + checksum + content)


def store_image(image: bytes) -> Path | None:
    """Keeps an embedded texture as a file (named .png; readers go by content); None when that
    cannot be done."""
    path = cache_folder() / f"{digest(image)}.png"
    return path if path.is_file() or write_file(path, image) else None


def image_path(name: str) -> Path | None:
    """The file of a stored image; None when it is gone."""
    path = cache_folder() / Path(name).name
    return path if path.is_file() else None


def write_file(path: Path, data: bytes) -> bool:
    """Writes so that no reader ever sees half of it; False when it cannot be written."""
    global _writes
    temporary: str | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".new-")
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except OSError:
        if temporary is not None:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
        return False
    if _writes % _CHECK_EVERY == 0:
        shrink()
    _writes += 1
    return True


def shrink(limit: int | None = None) -> None:
    """Deletes what was not used for the longest time until the folder holds less than `limit`
    bytes."""
    if limit is None:
        try:
            limit = int(os.environ.get("XRDF_EDITOR_CACHE_MB", "")) * 1024 * 1024
        except ValueError:
            limit = DEFAULT_LIMIT_MB * 1024 * 1024
    entries: list[tuple[float, int, str]] = []
    with contextlib.suppress(OSError), os.scandir(cache_folder()) as files:
        for file in files:
            with contextlib.suppress(OSError):
                state = file.stat()
                if file.is_file(follow_symlinks=False):
                    entries.append((state.st_mtime, state.st_size, file.path))
    total = sum(size for _, size, _ in entries)
    if total <= limit:
        return
    for _, size, path in sorted(entries):
        if total <= limit * 0.8:
            break
        with contextlib.suppress(OSError):
            os.unlink(path)
            total -= size
