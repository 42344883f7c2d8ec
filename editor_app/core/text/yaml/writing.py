"""New YAML in the style of what stands around it: quotes, flow or block, spacing, indentation; and
new documents.

What was read is never written as a new document: it is patched in its own text
(`core.text.yaml.splices`).
"""

from __future__ import annotations

import io
import math
from collections.abc import Collection, Iterable, Iterator
from collections.abc import Mapping as AnyMapping
from dataclasses import dataclass
from typing import Any

from editor_app.core.model.findings import Location
from editor_app.core.text.source import FormatError
from editor_app.core.text.yaml.nodes import (
    CannotSplice,
    Layout,
    Mapping,
    Node,
    Scalar,
    Sequence,
    collect_entries,
    resolve_alias,
)
from editor_app.core.text.yaml.plan import Block, Commented, Flow, FlowMap, Spelled
from editor_app.core.text.yaml.scalars import Plain, format_number, format_scalar, format_string

#: Habits are learnt from this many nodes at most.
_LOOK = 4000
#: And from this many items of a list.
_LOOK_INSIDE = 20
_QUOTES = ("'", '"')
#: Columns of a line in a list that is wrapped.
WIDTH = 110


class YamlWriter:
    """Writes values; `like` is always a node of the text whose style is to be copied, or None for
    the file's habits."""

    def __init__(self, layout: Layout, root: Node | None) -> None:
        self.layout = layout
        self.dash_gap = " "
        nodes = list(_first_nodes(root))
        self._learn_from_blocks(
            [node for node in nodes if isinstance(node, Mapping) and not node.flow]
        )
        self._learn_from_lists([node for node in nodes if isinstance(node, Sequence)])

    def _learn_from_blocks(self, blocks: list[Mapping]) -> None:
        steps = [step for mapping in blocks for step in self._steps(mapping)]
        self.map_step = next((step for kind, step in steps if kind is Mapping and step > 0), 2)
        self.list_step = next(
            (step for kind, step in steps if kind is Sequence and step >= 0), None
        )
        keys = (key for mapping in blocks for key, _ in mapping.entries if isinstance(key, Scalar))
        self.key_quote = next((key.style if key.style in _QUOTES else "" for key in keys), None)

    def _learn_from_lists(self, lists: list[Sequence]) -> None:
        self.flow_list = next((node for node in lists if node.flow and len(node.items) > 1), None)
        scalars = (
            item for node in lists for item in node.items[:_LOOK_INSIDE] if isinstance(item, Scalar)
        )
        self.quote = next((item.style for item in scalars if item.style in _QUOTES), None)

    def _steps(self, mapping: Mapping) -> Iterator[tuple[type[Node], int]]:
        """(Mapping or Sequence, columns behind its key) of each block that is a value."""
        column = self.layout.column
        for key, value in mapping.entries:
            if isinstance(value, (Mapping, Sequence)) and not value.flow:
                yield type(value), column(self.layout.content(value)) - column(key.start)

    # -- decisions

    def is_block(self, value: object, like: Node | None) -> bool:
        """Return whether a value begins on a new line, not on the line of its parent."""
        if isinstance(value, Flow) or not isinstance(value, (list, tuple, dict)) or not value:
            return False
        if isinstance(value, Block):
            return True
        like = None if like is None else resolve_alias(like)
        if isinstance(value, dict):
            return not (
                like.flow
                if isinstance(like, Mapping) and like.entries
                else isinstance(value, FlowMap)
            )
        if isinstance(like, Sequence) and like.items:
            return not like.flow
        return any(isinstance(item, (list, tuple, dict, Commented)) for item in value)

    def child_column(
        self, column: int, value: object, like: Node | None, like_key: Node | None
    ) -> int:
        """The column of a block collection under a key at `column`."""
        like = None if like is None else resolve_alias(like)
        is_map = isinstance(value, dict)
        if (
            like_key is not None
            and isinstance(like, Mapping if is_map else Sequence)
            and not like.flow
            and like.end > like.start
        ):
            offset = self.layout.column(self.layout.content(like)) - self.layout.column(
                like_key.start
            )
            if offset >= (1 if is_map else 0):
                return column + offset
        return column + (
            self.map_step if is_map else self.map_step if self.list_step is None else self.list_step
        )

    # -- one line

    def inline(self, value: object, like: Node | None) -> str:
        """A value in flow style, on one line, without comments."""
        like = None if like is None else resolve_alias(like)
        if isinstance(value, Commented):
            value = value.value
        if isinstance(value, Spelled):
            return value.text
        if isinstance(value, dict):
            opening, separator = self._flow_spacing(like if isinstance(like, Mapping) else None)
            gap = self._colon_gap(like)
            parts = [
                self.key(name, like)
                + ":"
                + gap
                + self.inline(item, self._like_entry(like, name)[1])
                for name, item in self._ordered(value, like)
            ]
            return "{" + opening + separator.join(parts) + opening + "}" if parts else "{}"
        if isinstance(value, (list, tuple)):
            model = like if isinstance(like, Sequence) and like.flow else self.flow_list
            opening, separator = self._flow_spacing(model)
            first = self._first_item(like)
            parts = [self.inline(item, first) for item in value]
            return "[" + opening + separator.join(parts) + opening + "]" if parts else "[]"
        scalar: Plain = (
            value if value is None or isinstance(value, (bool, int, float, str)) else str(value)
        )
        if isinstance(scalar, str):
            return format_string(scalar, self._quote(like))
        return format_scalar(scalar)

    def key(self, name: str, like: Node | None) -> str:
        """A key, spelled as the same key of `like` is, else quoted as its first key is."""
        if isinstance(like, Mapping):
            for node, _ in like.entries:
                if isinstance(node, Scalar) and node.value == name and node.style not in ("|", ">"):
                    raw = self.layout.text[self.layout.content(node) : node.end]
                    if "\n" not in raw and "\r" not in raw:
                        return raw
            first = like.entries[0][0] if like.entries else None
            if isinstance(first, Scalar) and first.value != "<<":
                return format_string(name, first.style if first.style in ("'", '"') else "")
        return format_string(name, self.key_quote or "")

    def _quote(self, like: Node | None) -> str:
        if isinstance(like, Scalar) and like.style in ("'", '"'):
            return like.style
        if isinstance(like, Scalar) and like.style == "" and like.value:
            return ""
        return '"' if self.quote is None else self.quote

    def _flow_spacing(self, like: Sequence | Mapping | None) -> tuple[str, str]:
        """(blanks behind the bracket, separator) of a flow collection."""
        if like is None or not like.flow:
            return "", ", "
        text = self.layout.text
        spans = (
            [(item.start, item.end) for item in like.items]
            if isinstance(like, Sequence)
            else [(key.start, max(key.end, value.end)) for key, value in like.entries]
        )
        if not spans:
            return "", ", "
        opening = text[self.layout.content(like) + 1 : spans[0][0]]
        separator = text[spans[0][1] : spans[1][0]] if len(spans) > 1 else ", "
        if opening.strip(" "):
            opening = ""
        return opening, separator if separator.strip(" ") == "," else ", "

    def _colon_gap(self, like: Node | None) -> str:
        if isinstance(like, Mapping) and like.entries:
            key, value = like.entries[0]
            gap = self.layout.text[key.end : value.start]
            if gap.startswith(":") and len(gap) > 1 and not gap[1:].strip(" "):
                return gap[1:]
        return " "

    def _like_entry(self, like: Node | None, name: str) -> tuple[Node | None, Node | None]:
        """The entry of `like` that a new entry resembles: of the same key, else the first."""
        if isinstance(like, Mapping) and like.entries:
            entry = collect_entries(like).get(name)
            return entry if entry is not None else like.entries[0]
        return None, None

    def _first_item(self, like: Node | None) -> Node | None:
        return resolve_alias(like.items[0]) if isinstance(like, Sequence) and like.items else None

    def _ordered(self, value: dict[str, object], like: Node | None) -> list[tuple[str, object]]:
        if isinstance(like, Mapping):
            order = {name: position for position, name in enumerate(collect_entries(like))}
            if order.keys() == value.keys():
                return sorted(value.items(), key=lambda pair: order[pair[0]])
        return list(value.items())

    # -- several lines, without line breaks

    def lines(self, value: object, column: int, like: Node | None) -> list[str]:
        """A non-empty collection in block style; its dashes or keys stand in `column`."""
        like = None if like is None else resolve_alias(like)
        lines: list[str] = []
        if isinstance(value, dict):
            for name, item in self._ordered(value, like):
                lines += self.entry_lines(name, item, column, like)
        elif isinstance(value, (list, tuple)):
            model = like if isinstance(like, Sequence) and not like.flow else None
            for item in value:
                lines += self.item_lines(item, column, self._first_item(like), model)
        return lines

    def item_lines(
        self, value: object, column: int, like: Node | None, within: Sequence | None
    ) -> list[str]:
        """A new item of a block list; `within` is the list whose dashes are copied."""
        lead = " " * column + "-" + self._dash_gap(within)
        like = None if like is None else resolve_alias(like)
        if isinstance(value, Commented):
            lines = self.item_lines(value.value, column, like, within)
            lines[0] += f"  {value.behind}" if value.behind else ""
            return [*(" " * column + comment for comment in value.above), *lines]
        if self.is_block(value, like):
            inner = self.lines(value, len(lead), like)
            return [lead + inner[0].lstrip(" "), *inner[1:]]
        return [lead + self.inline(value, like)]

    def entry_lines(
        self, name: str, value: object, column: int, within: Node | None, like: Node | None = None
    ) -> list[str]:
        """A new entry of a block mapping; `within` is the mapping whose style is copied, `like` a
        value to copy."""
        key = self.key(name, within)
        like_key, like_value = self._like_entry(within, name)
        if like is not None:
            like_value, like_key = like, None
        lead = " " * column + key + ":"
        if self.is_block(value, like_value):
            inner = self.child_column(column, value, like_value, like_key)
            return [lead, *self.lines(value, inner, like_value)]
        lead += self._value_gap(key, within, like_key)
        text = self.inline(value, like_value)
        if (
            is_long(lead + text)
            and isinstance(value, (list, tuple))
            and not self._spaced(like_value)
        ):
            first = self._first_item(None if like_value is None else resolve_alias(like_value))
            return wrapped_list(lead, [self.inline(item, first) for item in value])
        return [lead + text]

    def _spaced(self, like: Node | None) -> bool:
        """Whether a list in brackets, as it would be written, has blanks behind the bracket or none
        behind commas."""
        like = None if like is None else resolve_alias(like)
        return self._flow_spacing(
            like if isinstance(like, Sequence) and like.flow else self.flow_list
        ) != ("", ", ")

    def _dash_gap(self, within: Sequence | None) -> str:
        if within is not None and not within.flow and within.items:
            try:
                item = self.layout.items(within)[0]
            except CannotSplice:
                return self.dash_gap
            start = within.items[0].start
            gap = self.layout.text[item.after : start]
            if gap and not gap.strip(" "):
                return gap
        return self.dash_gap

    def _value_gap(self, key: str, within: Node | None, like_key: Node | None) -> str:
        """The blanks behind a colon: so that aligned values stay aligned, else as in the entry that
        is copied."""
        if not isinstance(within, Mapping) or within.flow:
            return " "
        text, column = self.layout.text, self.layout.column
        starts: set[int] = set()
        ends: set[int] = set()
        gaps: dict[int, str] = {}
        for node, value in within.entries[:50]:
            gap = text[node.end : value.start]
            if value.end > value.start and gap.startswith(":") and not gap[1:].strip(" \t"):
                starts.add(column(value.start))
                ends.add(column(node.end))
                gaps[id(node)] = gap[1:]
        if len(starts) == 1 and len(ends) > 1:
            used = column(within.entries[0][0].start) + len(key) + 1
            return " " * max(1, next(iter(starts)) - used)
        return gaps.get(id(like_key)) or next(iter(gaps.values()), " ") or " "


def _first_nodes(root: Node | None) -> Iterator[Node]:
    """Nodes of a tree without its scalars: the first 200 level by level, then into the depth."""
    todo: list[Node] = [] if root is None else [root]
    for number in range(_LOOK):
        if not todo:
            return
        node = todo.pop(0) if number < 200 else todo.pop()
        yield node
        inner: Iterable[Node] = ()
        if isinstance(node, Mapping):
            inner = (value for _, value in node.entries)
        elif isinstance(node, Sequence):
            inner = node.items[:_LOOK_INSIDE]
        todo += [value for value in inner if not isinstance(value, Scalar)]


def wrapped_list(start: str, items: Collection[str]) -> list[str]:
    """`start` and a flow sequence in lines of a readable length, the later ones below the first
    item."""
    lines, line = [], f"{start}["
    indent = (
        " " * len(line) if len(line) <= WIDTH // 2 else " " * (len(start) - len(start.lstrip()) + 2)
    )
    for i, item in enumerate(items):
        piece = item + ("," if i + 1 < len(items) else "")
        if line.strip() and not line.endswith("[") and len(line) + len(piece) + 1 > WIDTH:
            lines.append(line)
            line = indent + piece
        else:
            line += piece if line.endswith("[") else f" {piece}"
    return [*lines, f"{line}]"]


def is_long(line: str) -> bool:
    """Return whether a line is longer than lists are let grow."""
    return len(line) > WIDTH + 1


class _Key(str):
    """A key, which is quoted only where it must be."""


@dataclass(frozen=True, slots=True)
class Noted:
    """An entry of a list in a block, with a comment behind it. `note` begins with the spaces before
    its #."""

    value: str
    note: str


def yaml_text(document: AnyMapping[str, Any], name: str, blank_before: Iterable[str] = ()) -> str:
    """The text of a document; an empty line stands before the keys `blank_before`.

    Values are mappings, lists, `Flow`, `FlowMap`, `Noted`, texts and numbers; a float is written as
    the shortest text that reads back as the same number. Raises FormatError for a number that is
    not finite; `name` is its place.
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

    if isinstance(value, AnyMapping):
        mapping = CommentedMap(
            (_Key(key), _built(inner, name, depth + 1)) for key, inner in value.items()
        )
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
                column = (
                    2 * depth + 2 + len(format_string(entry.value)) + len(entry.note) - len(mark)
                )
                sequence.yaml_add_eol_comment(mark, index, column=column)
        return sequence
    if isinstance(value, Noted):
        return value.value
    if isinstance(value, float) and not math.isfinite(value):
        raise FormatError("A value is not a finite number", Location(name))
    return value
