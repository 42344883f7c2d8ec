"""Values of YAML and JSON in files of other programs; entries that cannot be read are reported."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from editor_app.core.formats.exchange.conversion import Reporter
from editor_app.core.model.counting import format_count, format_list
from editor_app.core.text.yaml.plain import read_text_list

#: Entries that a report shows.
_MOST = 3


def report_repeated(keys: Iterable[str], out: Reporter) -> None:
    """Report keys that one mapping has more than once."""
    for key in dict.fromkeys(keys):
        out.unread(key, "the mapping has the key more than once; the last one is used")


def read_names(value: object, item: str, out: Reporter) -> tuple[str, ...] | None:
    """Return the names in a list; None, and a report unless it is absent, where the value is no
    list."""
    listed_names = read_text_list(value)
    if listed_names is None:
        if value is not None:
            out.unread(item, f"{_shown(value)} is not a list of names")
        return None
    assert isinstance(value, list)
    bad = [entry for entry in value if read_text_list([entry]) == ()]
    if bad:
        told = format_list(map(_shown, bad), _MOST)
        out.unread(
            item,
            f"{len(bad)} of {format_count(len(value), 'entry', 'entries')} are not names: {told}",
        )
    return listed_names


def read_mappings(value: object, item: str, out: Reporter) -> list[dict[str, Any]]:
    """Return the mappings in a list; other entries, and a value that is no list, are reported."""
    if not isinstance(value, list):
        if value is not None:
            out.unread(item, f"{_shown(value)} is not a list")
        return []
    bad = [entry for entry in value if not isinstance(entry, dict)]
    if bad:
        told = format_list(map(_shown, bad), _MOST)
        out.unread(
            item,
            f"{len(bad)} of {format_count(len(value), 'entry', 'entries')} are not mappings: "
            f"{told}",
        )
    return [entry for entry in value if isinstance(entry, dict)]


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
