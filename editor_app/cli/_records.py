"""Reports as CSV: names from files are never formulas."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

#: What spreadsheets take for the start of a formula.
_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")


def as_csv_text(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """A table with a head; truth is told by yes and no, and cells without a value are empty."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    for row in rows:
        told = {
            key: ("yes" if value else "no") if isinstance(value, bool) else value
            for key, value in row.items()
        }
        writer.writerow(plain_cells(told))
    return text.getvalue()


def plain_cells(row: Mapping[str, Any]) -> dict[str, Any]:
    """`row` with an apostrophe before every text that a spreadsheet would compute; numbers stay."""
    return {
        key: f"'{value}" if isinstance(value, str) and value.startswith(_STARTS) else value
        for key, value in row.items()
    }
