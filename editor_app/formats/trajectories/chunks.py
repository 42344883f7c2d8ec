"""A limit for what a chunk of a bag may unpack to: the package rosbags has none, and a kilobyte can hold gigabytes."""

from __future__ import annotations

import bz2
import contextlib
import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import IO, Any

#: What is changed is the same for all threads.
_lock = threading.Lock()


@contextlib.contextmanager
def chunks_of(limit: int) -> Iterator[None]:
    """Within, rosbags raises OverflowError for a chunk, message or file that unpacks to more bytes than `limit`."""
    import lz4.frame
    from rosbags.rosbag1 import reader as reader1
    from rosbags.rosbag2 import reader as reader2
    from rosbags.rosbag2 import storage_mcap

    zstd = reader2.zstd
    unpack_lz4 = _bounded(lz4.frame.LZ4FrameDecompressor, limit)
    unpack_zstd = _bounded(zstd.ZstdDecompressor, limit)
    with _lock, contextlib.ExitStack() as stack:
        _put(stack, reader1.decompressors, {"bz2": _bounded(bz2.BZ2Decompressor, limit), "lz4": unpack_lz4})
        of_mcap = {"lz4": lambda data, size: unpack_lz4(data), "zstd": lambda data, size: unpack_zstd(data)}
        _put(stack, storage_mcap.DECOMPRESSORS, of_mcap)
        opened = SimpleNamespace(
            open=lambda file, mode: _BoundedFile(zstd.open(file, mode), limit * 8), decompress=unpack_zstd
        )
        _put(stack, vars(reader2), {"zstd": opened})
        yield


def _put(stack: contextlib.ExitStack, table: dict[str, Any], values: dict[str, Any]) -> None:
    stack.callback(table.update, {name: table[name] for name in values})
    table.update(values)


def _bounded(make: Callable[[], Any], limit: int) -> Callable[[bytes], bytes]:
    def unpack(data: bytes) -> bytes:
        unpacked = b""
        # Several streams may follow one another.
        while data:
            stream = make()
            unpacked += stream.decompress(data, limit - len(unpacked) + 1)
            if len(unpacked) > limit:
                raise OverflowError(f"a chunk unpacks to more than {limit >> 20} MB")
            if not stream.eof:
                raise EOFError("a chunk ends too early")
            data = stream.unused_data or b""
        return unpacked

    return unpack


class _BoundedFile:
    """A file that is read to its end, but not beyond `limit` bytes."""

    def __init__(self, file: IO[bytes], limit: int) -> None:
        self._file, self._left = file, limit

    def __enter__(self) -> _BoundedFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(self._left + 1 if size < 0 else size)
        self._left -= len(data)
        if self._left < 0:
            raise OverflowError("a file of the bag unpacks to more than is read")
        return data
