"""Points of PCD files: ascii, binary and binary_compressed, the fields x, y and z in metres."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from editor_app.core.model.findings import Location
from editor_app.core.text.source import FormatError
from editor_app.plugins.clouds.cloud import MOST_BYTES, MOST_POINTS, PointCloud
from editor_app.plugins.clouds.files.fields import (
    Header,
    cloud_of,
    read_header,
    read_text_rows,
    refuse_short,
    whole_number,
)

_KEYS = (
    "VERSION",
    "FIELDS",
    "SIZE",
    "TYPE",
    "COUNT",
    "WIDTH",
    "HEIGHT",
    "VIEWPOINT",
    "POINTS",
    "DATA",
)
_KINDS = {"F": "f", "I": "i", "U": "u"}
_SIZES = {"F": (4, 8), "I": (1, 2, 4, 8), "U": (1, 2, 4, 8)}
_MOST_FIELDS, _MOST_COUNT = 256, 4096


def read_pcd(data: bytes, path: Path) -> PointCloud:
    """Raises FormatError. The VIEWPOINT is where the sensor was: it does not move the points."""
    header = read_header(data, path, "DATA")
    values, places = _values(header, path)
    fields = _fields(values, places)
    width, height = (
        whole_number(values[key][0], key, places[key], MOST_POINTS) for key in ("WIDTH", "HEIGHT")
    )
    count = width * height
    if count > MOST_POINTS:
        raise FormatError(
            f"There are more than {MOST_POINTS:,} points, the limit",
            places["WIDTH"],
            "Thin the cloud out first.",
        )
    if (
        values.get("POINTS")
        and whole_number(values["POINTS"][0], "POINTS", places["POINTS"], MOST_POINTS) != count
    ):
        raise FormatError(
            f"POINTS is not WIDTH x HEIGHT, {count:,}", places["POINTS"], "Correct it."
        )
    body, place = data[header.start :], Location(str(path), line=header.data_line)
    columns = _columns(body, values["DATA"][0].lower(), fields, count, place)
    return cloud_of([columns.get(axis, np.zeros(0)) for axis in "xyz"], place)


def _values(header: Header, path: Path) -> tuple[dict[str, list[str]], dict[str, Location]]:
    """The words behind each key, and where it is. Raises FormatError."""
    values: dict[str, list[str]] = {}
    places: dict[str, Location] = {}
    for number, line in header.lines:
        words, place = line.split(), Location(str(path), line=number)
        if not words or words[0].startswith("#"):
            continue
        key = words[0].upper()
        if key not in _KEYS or key in values:
            raise FormatError(
                f"Unknown or repeated line of a PCD header: {line[:40]!r}", place, "Remove it."
            )
        values[key], places[key] = words[1:], place
    for key in ("FIELDS", "SIZE", "TYPE", "WIDTH", "HEIGHT", "DATA"):
        if not values.get(key):
            raise FormatError(
                f"The header has no {key}", Location(str(path), line=1), "Export the points again."
            )
    return values, places


def _columns(
    body: bytes, kind: str, fields: list[tuple[str, str, int]], count: int, place: Location
) -> dict[str, np.ndarray]:
    """Field -> its first values (count,)."""
    if kind == "ascii":
        starts = np.cumsum([0, *(number for _, _, number in fields)])
        rows = read_text_rows(body, count, int(starts[-1]), place)
        return {
            name: rows[:, start]
            for (name, _, _), start in zip(fields, starts.tolist(), strict=False)
        }
    if kind == "binary":
        row = np.dtype([(f"f{k}", each, number) for k, (_, each, number) in enumerate(fields)])
        refuse_short(len(body), count * row.itemsize, place)
        table = np.frombuffer(body, row, count)
        return {
            name: table[f"f{k}"].reshape(count, -1)[:, 0]
            for k, (name, _, _) in enumerate(fields)
            if count
        }
    if kind == "binary_compressed":
        return _compressed(body, fields, count, place)
    where = Location(place.file, line=(place.line or 2) - 1)
    raise FormatError(
        f"Unknown DATA {kind[:30]!r}", where, "Use ascii, binary or binary_compressed."
    )


def _fields(
    values: dict[str, list[str]], places: dict[str, Location]
) -> list[tuple[str, str, int]]:
    """(name, type of numpy, how many) of each field."""
    names = values["FIELDS"]
    counts = values.get("COUNT") or ["1"] * len(names)
    if len(names) > _MOST_FIELDS or any(
        len(each) != len(names) for each in (values["SIZE"], values["TYPE"], counts)
    ):
        raise FormatError(
            "FIELDS, SIZE, TYPE and COUNT have different lengths", places["FIELDS"], "Correct them."
        )
    missing = [axis for axis in "xyz" if names.count(axis) != 1]
    if missing:
        raise FormatError(
            f"FIELDS must have {missing[0]!r} once", places["FIELDS"], "Export x, y and z."
        )
    fields = []
    for name, size, kind, count in zip(names, values["SIZE"], values["TYPE"], counts, strict=True):
        if kind not in _KINDS or not size.isdigit() or int(size) not in _SIZES[kind]:
            raise FormatError(
                f"Field {name[:20]!r} has the unknown type {kind[:5]} {size[:5]}",
                places["TYPE"],
                "Use F 4.",
            )
        number = whole_number(
            count, f"COUNT of {name[:20]!r}", places.get("COUNT", places["FIELDS"]), _MOST_COUNT
        )
        fields.append((name, f"<{_KINDS[kind]}{size}", number))
    return fields


def _compressed(
    body: bytes, fields: list[tuple[str, str, int]], count: int, place: Location
) -> dict[str, np.ndarray]:
    """All values of a field follow one another."""
    refuse_short(len(body), 8, place)
    packed, size = np.frombuffer(body, "<u4", 2).tolist()
    needed = sum(count * number * np.dtype(kind).itemsize for _, kind, number in fields)
    if size != needed or size > MOST_BYTES:
        raise FormatError(
            f"The points unpack to {size:,} bytes, but the header announces {needed:,}",
            place,
            "Export them again.",
        )
    refuse_short(len(body) - 8, packed, place)
    data = unpack_lzf(body[8 : 8 + packed], size, place)
    columns: dict[str, np.ndarray] = {}
    offset = 0
    for name, kind, number in fields:
        length = count * number * np.dtype(kind).itemsize
        columns[name] = np.frombuffer(data, kind, count * number, offset)[:: max(1, number)]
        offset += length
    return columns


def unpack_lzf(packed: bytes, size: int, place: Location) -> bytes:
    """Return `size` bytes of LZF (Marc Lehmann's format, as PCL uses it). Raises FormatError."""
    result = bytearray()
    position, end = 0, len(packed)
    try:
        while position < end:
            control = packed[position]
            position += 1
            if control < 32:
                result += packed[position : position + control + 1]
                position += control + 1
            else:
                length = control >> 5
                if length == 7:
                    length += packed[position]
                    position += 1
                distance = ((control & 31) << 8) + packed[position] + 1
                position += 1
                start = len(result) - distance
                if start < 0:
                    raise IndexError
                length += 2
                # What is copied may reach into itself.
                piece = result[start : start + length]
                result += (piece * (length // len(piece) + 1))[:length]
            if len(result) > size:
                raise IndexError
        if len(result) != size or position != end:
            raise IndexError
    except IndexError:
        raise FormatError(
            "The compressed points are damaged", place, "Copy or export the file again."
        ) from None
    return bytes(result)
