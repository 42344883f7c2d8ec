"""Reports as JSON, and as the cells of CSV: names from files are never formulas."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from editor_app.model.printable import printable_json

#: What spreadsheets take for the start of a formula.
_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")


def plain_cells(row: Mapping[str, Any]) -> dict[str, Any]:
    """`row` with an apostrophe before every text that a spreadsheet would compute; numbers stay."""
    return {
        key: f"'{value}" if isinstance(value, str) and value.startswith(_STARTS) else value
        for key, value in row.items()
    }


def as_json(record: Any) -> str:
    """Infinite figures (no sphere at all) become null: JSON has no word for them."""
    return printable_json(json.dumps(_finite(record), indent=2, ensure_ascii=False, allow_nan=False)) + "\n"


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return value
