"""Points of PLY files: ASCII and both binary forms, the element `vertex` with x, y and z in
metres."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from editor_app.core.arrays import F64
from editor_app.core.model.findings import Location
from editor_app.core.text.source import FormatError
from editor_app.plugins.clouds.cloud import MOST_POINTS, PointCloud
from editor_app.plugins.clouds.files.fields import (
    cloud_of,
    read_header,
    read_text_rows,
    refuse_short,
    whole_number,
)

_TYPES = {
    "char": "i1",
    "uchar": "u1",
    "short": "i2",
    "ushort": "u2",
    "int": "i4",
    "uint": "u4",
    "float": "f4",
    "double": "f8",
    "int8": "i1",
    "uint8": "u1",
    "int16": "i2",
    "uint16": "u2",
    "int32": "i4",
    "uint32": "u4",
    "float32": "f4",
    "float64": "f8",
}
_ORDERS = {"ascii": "", "binary_little_endian": "<", "binary_big_endian": ">"}
_MOST_FIELDS = 256


def read_ply(data: bytes, path: Path) -> PointCloud:
    """Raises FormatError."""
    header = read_header(data, path, "end_header")
    order: str | None = None
    elements: list[tuple[str, int, list[tuple[str, str]]]] = []
    for number, line in header.lines:
        place, words = Location(str(path), line=number), line.split()
        if number == 1:
            if line != "ply":
                raise FormatError(
                    "The first line of a PLY file is 'ply'", place, "Choose a PLY file."
                )
        elif words[:1] == ["format"]:
            order = _ORDERS.get(words[1]) if len(words) > 1 else None
            if order is None:
                raise FormatError(
                    f"Unknown format of PLY: {line[7:40]!r}",
                    place,
                    f"Use one of {', '.join(_ORDERS)}.",
                )
        elif words[:1] == ["element"] and len(words) == 3:
            elements.append(
                (
                    words[1],
                    whole_number(words[2], "The number of elements", place, MOST_POINTS * 10),
                    [],
                )
            )
        elif words[:1] == ["property"] and elements:
            elements[-1][2].append(_property(words, elements[-1], place))
        elif words[:1] not in (["comment"], ["obj_info"], ["end_header"], []):
            raise FormatError(f"Unknown line of a PLY header: {line[:40]!r}", place, "Remove it.")
    if order is None:
        raise FormatError(
            "The header has no line 'format'",
            Location(str(path), line=1),
            "Export the points again.",
        )
    return _points(
        data[header.start :], order, elements, Location(str(path), line=header.data_line)
    )


def _property(
    words: list[str], element: tuple[str, int, list[tuple[str, str]]], place: Location
) -> tuple[str, str]:
    """(name, type of numpy, "" for a list)."""
    if len(element[2]) >= _MOST_FIELDS:
        raise FormatError(
            f"An element has more than {_MOST_FIELDS} properties", place, "Remove some."
        )
    if len(words) == 5 and words[1] == "list":
        return words[4], ""
    if len(words) != 3 or words[1] not in _TYPES:
        raise FormatError(
            "A property is 'property TYPE NAME', with a type of PLY", place, "Correct it."
        )
    if any(words[2] == name for name, _ in element[2]):
        raise FormatError(f"The property {words[2]!r} is there twice", place, "Remove one.")
    return words[2], _TYPES[words[1]]


def _points(
    data: bytes, order: str, elements: list[tuple[str, int, list[tuple[str, str]]]], place: Location
) -> PointCloud:
    line = place.line or 1
    for name, count, fields in elements:
        if any(not kind for _, kind in fields):
            if name == "vertex":
                raise FormatError(
                    "The vertices have a list", place, "Export the points without lists."
                )
            break
        if name == "vertex":
            missing = [axis for axis in "xyz" if axis not in dict(fields)]
            if missing:
                raise FormatError(
                    f"The vertices have no {missing[0]!r}",
                    place,
                    "Export the points with x, y and z.",
                )
            return _vertices(data, order, count, fields, Location(place.file, line=line))
        # An element of numbers in front of the vertices.
        if order:
            size = (
                count
                * np.dtype([(f"f{k}", order + kind) for k, (_, kind) in enumerate(fields)]).itemsize
            )
            refuse_short(len(data), size, place)
            data = data[size:]
        else:
            data = b"\n".join(data.split(b"\n")[count:])
            line += count
    raise FormatError(
        "The file has no points in front of its lists", place, "Export it with its vertices first."
    )


def _vertices(
    data: bytes, order: str, count: int, fields: list[tuple[str, str]], place: Location
) -> PointCloud:
    if count > MOST_POINTS:
        raise FormatError(
            f"There are more than {MOST_POINTS:,} points, the limit",
            place,
            "Thin the cloud out first.",
        )
    names = [name for name, _ in fields]
    if order:
        row = np.dtype([(f"f{k}", order + kind) for k, (_, kind) in enumerate(fields)])
        refuse_short(len(data), count * row.itemsize, place)
        table = np.frombuffer(data, row, count)
        return cloud_of([table[f"f{names.index(axis)}"] for axis in "xyz"], place)
    rows = read_text_rows(data, count, len(fields), place)
    return cloud_of([rows[:, names.index(axis)] for axis in "xyz"], place)


def coloured_ply(points: F64, colours: np.ndarray) -> bytes:
    """Return a binary PLY of points (n, 3) in metres with colours (n, 3), 0..255."""
    row = np.dtype([("xyz", "<f4", 3), ("rgb", "u1", 3)])
    table = np.zeros(len(points), row)
    table["xyz"], table["rgb"] = points, colours
    header = ["ply", "format binary_little_endian 1.0", f"element vertex {len(points)}"]
    header += [f"property float {axis}" for axis in "xyz"]
    header += [f"property uchar {colour}" for colour in ("red", "green", "blue")]
    return "\n".join([*header, "end_header", ""]).encode("ascii") + table.tobytes()
