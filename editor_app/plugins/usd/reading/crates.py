"""The sections of a binary layer (a crate), and whether its counts fit in the file.

OpenUSD allocates what a count says before it reads: a damaged file of some bytes would fill the
memory. The layout is that of OpenUSD, pxr/usd/sdf/crateFile.h. Numbers are little-endian; from
version 0.4 on, sections are compressed.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

_HEAD = struct.Struct("<8s8Bq")
_SECTION = struct.Struct("<16sqq")
_COUNT = struct.Struct("<Q")
#: LZ4 makes at most 255 bytes out of one; OpenUSD writes four integers into a byte at most before
#: that.
_GROWTH, _PER_BYTE, _SLACK = 255, 4, 1024
_MOST_SECTIONS = 64


class DamagedCrateError(ValueError):
    """A section of a crate does not fit in the file; the text names it."""


@dataclass
class _Part:
    """A section that is read from its start on."""

    name: str
    data: memoryview
    at: int = 0

    def count(self) -> int:
        if self.at + _COUNT.size > len(self.data):
            raise DamagedCrateError(f"the section {self.name} ends too early")
        (number,) = _COUNT.unpack_from(self.data, self.at)
        self.at += _COUNT.size
        return int(number)

    def refuse_more(self, number: int, most: int) -> None:
        if number > most:
            raise DamagedCrateError(
                f"the section {self.name} declares {number:,} entries in {len(self.data):,} bytes"
            )

    def skip_block(self, number: int, per_byte: float) -> None:
        """Skip compressed bytes, which cannot hold more than `per_byte` entries each, once they are
        unpacked."""
        size = self.count()
        self.refuse_more(size, len(self.data) - self.at)
        self.refuse_more(number, int(size * _GROWTH * per_byte) + _SLACK)
        self.at += size


def refuse_false_counts(data: bytes) -> None:
    """Raise DamagedCrateError for a crate whose sections leave the file, or declare more than they
    can hold."""
    if len(data) < _HEAD.size:
        raise DamagedCrateError("it ends too early")
    _, major, minor, *_, start = _HEAD.unpack_from(data)
    view = memoryview(data)
    if not 0 <= start < len(data):
        raise DamagedCrateError("its table of contents is not in the file")
    table = _Part("table of contents", view[start:])
    number = table.count()
    table.refuse_more(number, min(_MOST_SECTIONS, (len(table.data) - table.at) // _SECTION.size))
    for index in range(number):
        name, first, size = _SECTION.unpack_from(table.data, table.at + index * _SECTION.size)
        word = bytes(name).partition(b"\0")[0].decode("ascii", "replace")
        if first < 0 or size < 0 or first + size > len(data):
            raise DamagedCrateError(f"the section {word} is not in the file")
        if (major, minor) >= (0, 4):
            _check_section(_Part(word, view[first : first + size]))


def _check_section(part: _Part) -> None:
    if part.name not in _INTEGERS and part.name not in ("TOKENS", "STRINGS"):
        return
    number = part.count()
    if part.name == "TOKENS":
        size = part.count()
        part.refuse_more(number, size + 1)
        part.skip_block(size, 1)
    elif part.name == "STRINGS":
        part.refuse_more(number, (len(part.data) - part.at) // 4)
    else:
        if part.name == "PATHS":
            number = max(number, part.count())
            # Paths are kept by their number, whether each is in the file or not.
            part.refuse_more(number, (len(part.data) * _GROWTH * _PER_BYTE) + _SLACK)
        for per_byte in _INTEGERS[part.name]:
            part.skip_block(number, per_byte)


#: Section -> entries in one unpacked byte, for each of its blocks.
_INTEGERS: dict[str, tuple[float, ...]] = {
    "FIELDS": (_PER_BYTE, 1 / 8),
    "FIELDSETS": (_PER_BYTE,),
    "PATHS": (_PER_BYTE,) * 3,
    "SPECS": (_PER_BYTE,) * 3,
}
