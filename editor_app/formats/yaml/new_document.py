"""A new YAML document out of values: lists and mappings in blocks, or on one line where `Flow` says so, with comments.

What was read is never written this way: it is patched in its own text (`formats.yaml.splices`).
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from editor_app.formats.source import FormatError
from editor_app.formats.yaml.plan import Flow, FlowMap
from editor_app.formats.yaml.scalars import format_number, format_string
from editor_app.model.findings import Location


class _Key(str):
    """A key, which is quoted only where it must be."""


@dataclass(frozen=True, slots=True)
class Noted:
    """An entry of a list in a block, with a comment behind it. `note` begins with the spaces before its #."""

    value: str
    note: str


def yaml_text(document: Mapping[str, Any], name: str, blank_before: Iterable[str] = ()) -> str:
    """The text of a document; an empty line stands before the keys `blank_before`.

    Values are mappings, lists, `Flow`, `FlowMap`, `Noted`, texts and numbers; a float is written as the shortest text
    that reads back as the same number. Raises FormatError for a number that is not finite; `name` is its place.
    """
    root = _built(document, name, 0)
    for key in blank_before:
        if key in root:
            root.yaml_set_comment_before_after_key(key, before="\n")
    stream = io.StringIO()
    _writer().dump(root, stream)
    return stream.getvalue()


def _writer() -> Any:
    # Late: only what writes a new file pays for the library.
    from ruamel.yaml import YAML

    yaml = YAML()
    yaml.width = 10**9
    yaml.indent(mapping=2, sequence=4, offset=2)
    yaml.representer.add_representer(float, _number)
    yaml.representer.add_representer(str, _string)
    yaml.representer.add_representer(_Key, _key)
    # Equal values are no references to each other.
    yaml.representer.ignore_aliases = lambda *_: True
    return yaml


def _number(representer: Any, value: float) -> Any:
    return representer.represent_scalar("tag:yaml.org,2002:float", format_number(value))


def _string(representer: Any, value: str) -> Any:
    return _scalar(representer, value, format_string(value))


def _key(representer: Any, value: _Key) -> Any:
    return _scalar(representer, str(value), format_string(value, ""))


def _scalar(representer: Any, value: str, written: str) -> Any:
    """Quoted as `written` is, so that a patched file and a new one agree."""
    style = written[:1] if written[:1] in ("'", '"') else None
    return representer.represent_scalar("tag:yaml.org,2002:str", value, style=style)


def _built(value: Any, name: str, depth: int) -> Any:
    from ruamel.yaml.comments import CommentedMap, CommentedSeq

    if isinstance(value, Mapping):
        mapping = CommentedMap((_Key(key), _built(inner, name, depth + 1)) for key, inner in value.items())
        if isinstance(value, FlowMap) or not value:
            mapping.fa.set_flow_style()
        return mapping
    if isinstance(value, (list, tuple)):
        sequence = CommentedSeq(_built(entry, name, depth + 1) for entry in value)
        if isinstance(value, Flow) or not value:
            sequence.fa.set_flow_style()
        for index, entry in enumerate(value):
            if isinstance(entry, Noted) and entry.note:
                mark = entry.note.lstrip(" ")
                column = 2 * depth + 2 + len(format_string(entry.value)) + len(entry.note) - len(mark)
                sequence.yaml_add_eol_comment(mark, index, column=column)
        return sequence
    if isinstance(value, Noted):
        return value.value
    if isinstance(value, float) and not math.isfinite(value):
        raise FormatError("A value is not a finite number", Location(name))
    return value
