"""Reports as CSV (names from files are never formulas), and as a page of HTML that needs nothing else."""

from __future__ import annotations

import csv
import html
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

#: What spreadsheets take for the start of a formula.
_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")


_STYLE = """
:root { color-scheme: light dark; font: 14px/1.45 system-ui, sans-serif; }
body { margin: 2em auto; max-width: 75em; padding: 0 1em; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .15em .5em; border: 1px solid #8884; text-align: left; vertical-align: top; }
td.n { text-align: right; }
"""


def as_page(title: str, lines: Iterable[str], style: str = "", heading: str = "") -> str:
    """`lines` of HTML below the heading (default: the title), which are plain text; `style`: more of CSS."""
    return "\n".join([
        "<!DOCTYPE html>", '<html lang="en"><head><meta charset="utf-8">',
        f"<title>{html.escape(title)}</title><style>{_STYLE}{style}</style></head><body>",
        f"<h1>{html.escape(heading or title)}</h1>", *lines, "</body></html>",
    ]) + "\n"  # fmt: skip


def as_csv_text(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """A table with a head; truth is told by yes and no, and cells without a value are empty."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    for row in rows:
        told = {key: ("yes" if value else "no") if isinstance(value, bool) else value for key, value in row.items()}
        writer.writerow(plain_cells(told))
    return text.getvalue()


def plain_cells(row: Mapping[str, Any]) -> dict[str, Any]:
    """`row` with an apostrophe before every text that a spreadsheet would compute; numbers stay."""
    return {
        key: f"'{value}" if isinstance(value, str) and value.startswith(_STARTS) else value
        for key, value in row.items()
    }
