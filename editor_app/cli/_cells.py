"""Cells of CSV reports: names from files are never formulas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: What spreadsheets take for the start of a formula.
_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")


def plain_cells(row: Mapping[str, Any]) -> dict[str, Any]:
    """`row` with an apostrophe before every text that a spreadsheet would compute; numbers stay."""
    return {
        key: f"'{value}" if isinstance(value, str) and value.startswith(_STARTS) else value
        for key, value in row.items()
    }
