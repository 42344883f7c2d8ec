"""Tables of numbers as files of points have them: named fields, text or binary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from editor_app.core.arrays import F64
from editor_app.core.model.findings import Location
from editor_app.core.model.pose import EMPTY_POSE, Pose
from editor_app.core.text.source import FormatError
from editor_app.plugins.clouds.cloud import MOST_POINTS, PointCloud


@dataclass(frozen=True)
class Header:
    """The lines of a header with their numbers, and where the data begins (bytes, line)."""

    lines: tuple[tuple[int, str], ...]
    start: int
    data_line: int


#: A header has so many bytes at most.
_MOST_HEADER = 1 << 16


def read_header(data: bytes, path: Path, last: str) -> Header:
    """Read lines up to the one that begins with the word `last`. Raises FormatError."""
    lines: list[tuple[int, str]] = []
    start = 0
    for number in range(1, 2000):
        end = data.find(b"\n", start, _MOST_HEADER)
        if end < 0:
            break
        line = data[start:end].decode("latin-1").strip()
        start = end + 1
        lines.append((number, line))
        if line.split(" ")[0].lower() == last.lower():
            return Header(tuple(lines), start, number + 1)
    raise FormatError(
        f"The header has no line {last!r} within {_MOST_HEADER >> 10} KB",
        Location(str(path), line=1),
        "Export the points again.",
    )


def whole_number(text: str, subject: str, place: Location, most: int) -> int:
    """Return a whole number from 0 to `most`. Raises FormatError."""
    if not (text.isascii() and text.isdigit()) or len(text) > 12 or int(text) > most:
        raise FormatError(
            f"{subject} must be a whole number from 0 to {most:,}, not {text[:20]!r}",
            place,
            "Correct it.",
        )
    return int(text)


def refuse_short(data_size: int, needed: int, place: Location) -> None:
    """Raises FormatError where fewer bytes are left than the header announces."""
    if data_size < needed:
        raise FormatError(
            f"The header announces {needed:,} bytes of points, but {data_size:,} follow", place,
            "The file is cut off: copy or export it again.",
        )  # fmt: skip


def read_text_rows(data: bytes, count: int, columns: int, place: Location) -> F64:
    """(count, columns) numbers of lines of text; further lines are ignored. Raises FormatError with
    the line."""
    first = place.line or 1
    lines = data.split(b"\n", count)[:count] if count else []
    while lines and not lines[-1].strip():
        lines.pop()
    try:
        table = np.array(b" ".join(lines).split(), dtype=np.float64)
        if len(lines) == count and table.size == count * columns:
            return table.reshape(count, columns)
    except ValueError:
        pass
    for number, line in enumerate(lines):
        words = line.split()
        if len(words) != columns or not all(map(_is_number, words)):
            raise FormatError(
                f"The point has {len(words)} values instead of {columns} numbers",
                Location(place.file, line=first + number), "Correct or delete the line.",
            )  # fmt: skip
    raise FormatError(
        f"The header announces {count:,} points, but {len(lines):,} lines follow",
        Location(place.file, line=first + len(lines)),
        "The file is cut off: copy or export it again.",
    )


def _is_number(word: bytes) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def cloud_of(
    axes: Sequence[np.ndarray], place: Location, frame: str = "", pose: Pose = EMPTY_POSE
) -> PointCloud:
    """Return the finite points of three columns. Raises FormatError without points, or for one that
    is too far away."""
    if len(axes[0]) > MOST_POINTS:
        raise FormatError(
            f"There are more than {MOST_POINTS:,} points, the limit",
            place,
            "Thin the cloud out first.",
        )
    with np.errstate(over="ignore"):
        points = np.column_stack([np.asarray(each, np.float64) for each in axes])
    is_finite = np.isfinite(points).all(axis=1)
    points = points[is_finite]
    if not len(points):
        raise FormatError(
            "The cloud has no point with a position", place, "Record or export it again."
        )
    if np.abs(points).max() > 1e6:
        raise FormatError(
            "A point is farther away than 1,000 km", place, "Export the points in metres."
        )
    return PointCloud(points, frame, pose, int((~is_finite).sum()))
