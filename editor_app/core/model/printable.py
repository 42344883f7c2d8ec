"""Text from files, as terminals, logs and annotations of CI may have it: it tells, and gives no
orders.

A name may hold whatever a file can say. Control characters drive a terminal, line breaks write
lines of their own into a log, marks of direction turn a line round, and a line that begins with
`::`, or has `##[` in it, is a command to GitHub Actions or Azure Pipelines.
"""

from __future__ import annotations

import argparse
import json
import math
import re
from collections.abc import Mapping
from typing import Any, NoReturn

_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
#: The last character of each match is escaped.
_ORDERS = re.compile(r"^\s*::|##(?=\w*\[)")


def printable(text: str) -> str:
    r"""`text` as one line: what is unsafe in it as Python writes it, such as `\x1b`, `\n` and
    `\u2028`."""
    return _ORDERS.sub(
        lambda match: match[0][:-1] + f"\\x{ord(match[0][-1]):02x}", _UNSAFE.sub(_escaped, text)
    )


def printable_lines(text: str) -> str:
    """Make a text of several lines by this program printable: line feeds stay."""
    return "\n".join(map(printable, text.split("\n")))


def printable_values(value: Any) -> Any:
    """Make all texts in lists and mappings printable; other values stay."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, dict):
        return {printable_values(key): printable_values(each) for key, each in value.items()}
    return [printable_values(each) for each in value] if isinstance(value, list | tuple) else value


def printable_json(text: str) -> str:
    """JSON that means the same: what is unsafe can only be in its strings, and is written as JSON
    escapes it."""
    text = re.sub(f"(?!\n){_UNSAFE.pattern}", lambda match: f"\\u{ord(match[0]):04x}", text)
    return re.sub(r"##(?=\w*\[)", r"#\\u0023", text)


def json_text(record: Any) -> str:
    """Infinite figures (no sphere at all) become null: JSON has no word for them."""
    return (
        printable_json(json.dumps(_finite(record), indent=2, ensure_ascii=False, allow_nan=False))
        + "\n"
    )


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return value


def _escaped(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode("ascii")


class PrintableParser(argparse.ArgumentParser):
    """Arguments of a command line: what it says of them is printable, and options are written
    out."""

    def __init__(self, *, prog: str, description: str | None, **more: Any) -> None:
        super().__init__(prog=prog, description=description, allow_abbrev=False, **more)

    def error(self, message: str) -> NoReturn:
        super().error(printable(message))
