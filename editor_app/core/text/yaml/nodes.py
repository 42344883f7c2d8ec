"""The nodes of a YAML document with their places in the text. Offsets count code points."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field

from editor_app.core.model.findings import YamlPath


@dataclass(slots=True, eq=False, repr=False)
class Node:
    """`start` is the first code point, properties (anchor, tag) included, `end` the one behind the
    last."""

    start: int
    end: int
    anchor: str | None
    tag: str | None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.start}:{self.end})"


@dataclass(slots=True, eq=False, repr=False)
class Scalar(Node):
    """`value` is the text after unquoting and folding; `style` is "" (plain), "'", '"', "|" or ">".

    An absent value (`key:`) is a plain scalar with the value "" whose start is its end.
    """

    value: str
    style: str


@dataclass(slots=True, eq=False, repr=False)
class Sequence(Node):
    """`flow` tells `[a, b]` from a list of dashes. The end of a block list is that of its last
    item."""

    items: tuple[Node, ...]
    flow: bool


@dataclass(slots=True, eq=False, repr=False)
class Mapping(Node):
    """`entries` in file order, duplicates and merge keys included."""

    entries: tuple[tuple[Node, Node], ...]
    flow: bool


@dataclass(slots=True, eq=False, repr=False)
class Alias(Node):
    """`*name`; `target` is the node that carries the anchor, never itself an alias."""

    name: str
    target: Node


@dataclass(frozen=True)
class YamlTree:
    """A document: its text, its root (None when it is empty), its aliases, and the mappings with
    duplicate keys.

    `start`: offset at which it begins; `empty`: where documents begin that have nothing in them and
    are left out.
    """

    text: str
    root: Node | None
    aliases: tuple[Alias, ...] = ()
    duplicates: tuple[Mapping, ...] = field(default=())
    start: int = 0
    empty: tuple[int, ...] = ()


def resolve_alias(node: Node) -> Node:
    """The node that is meant: the anchored one for an alias."""
    return node.target if isinstance(node, Alias) else node


def get_key_text(node: Node) -> str | None:
    """The text of a scalar key, None for any other key."""
    node = resolve_alias(node)
    return node.value if isinstance(node, Scalar) else None


def is_merge(key: Node) -> bool:
    """Return whether the key is the merge key `<<`."""
    return (
        isinstance(key, Scalar)
        and key.value == "<<"
        and key.style == ""
        and key.tag in (None, "tag:yaml.org,2002:merge")
    )


def collect_entries(mapping: Mapping) -> dict[str, tuple[Node, Node]]:
    """Key text -> (key node, value node), merge keys followed, the last of duplicates winning.

    Merged entries come after the explicit ones. Keys that are not scalars are left out.
    """
    entries: dict[str, tuple[Node, Node]] = {}
    merges: list[Node] = []
    for key, value in mapping.entries:
        if key.__class__ is Scalar:
            text = key.value
            if text == "<<" and is_merge(key):
                merges.append(value)
            else:
                entries[text] = (key, value)
        else:
            name = get_key_text(key)
            if name is not None:
                entries[name] = (key, value)
    if merges:
        seen = {id(mapping)}
        while merges:
            source = resolve_alias(merges.pop(0))
            if id(source) in seen:
                continue
            seen.add(id(source))
            if isinstance(source, Sequence):
                merges[:0] = source.items
            elif isinstance(source, Mapping):
                nested: list[Node] = []
                for key, value in source.entries:
                    if is_merge(key):
                        nested.append(value)
                        continue
                    name = get_key_text(key)
                    if name is not None:
                        entries.setdefault(name, (key, value))
                merges[:0] = nested
    return entries


def merged_keys(mapping: Mapping) -> tuple[str, ...]:
    """Keys that the mapping has through `<<` alone, in the order of their text."""
    explicit = {get_key_text(key) for key, _ in mapping.entries}
    return tuple(key for key in collect_entries(mapping) if key not in explicit)


def child(node: Node, step: str | int) -> Node | None:
    """The value under a key (the last of duplicates, merges followed) or the item at an index."""
    node = resolve_alias(node)
    if isinstance(node, Mapping):
        pair = collect_entries(node).get(str(step))
        return pair[1] if pair else None
    if isinstance(node, Sequence) and isinstance(step, int) and 0 <= step < len(node.items):
        return node.items[step]
    return None


def find_node(root: Node | None, path: YamlPath) -> Node | None:
    """The node at a path, aliases followed on the way (but not at its end); None when there is
    none."""
    node = root
    for step in path:
        if node is None:
            return None
        node = child(node, step)
    return node


def find_key_node(root: Node | None, path: YamlPath) -> Node | None:
    """The key node of the mapping entry that a path ends in; None when it ends in a list or
    nowhere."""
    if not path:
        return None
    parent = find_node(root, path[:-1])
    parent = None if parent is None else resolve_alias(parent)
    if isinstance(parent, Mapping):
        pair = collect_entries(parent).get(str(path[-1]))
        return pair[0] if pair else None
    return None


def path_at(root: Node | None, offset: int) -> YamlPath:
    """The path of the innermost node, or of the entry by its key, that covers an offset; () at top
    level."""
    path: list[str | int] = []
    node = root
    while node is not None:
        inner: Node | None = None
        if isinstance(node, Mapping):
            for key, value in node.entries:
                if key.start <= offset <= max(key.end, value.end):
                    name = get_key_text(key)
                    if name is not None:
                        path.append(name)
                        inner = value if value.start <= offset <= value.end else None
                    break
                if key.start > offset:
                    break
        elif isinstance(node, Sequence):
            index = bisect_left(node.items, offset, key=lambda item: item.end)
            if index < len(node.items) and node.items[index].start <= offset:
                path.append(index)
                inner = node.items[index]
        node = inner
    return tuple(path)


def find_repeated_keys(tree: YamlTree) -> Iterator[tuple[YamlPath, list[Node]]]:
    """The path of each key that is in one mapping more than once, with the nodes of the key in file
    order."""
    wanted = {id(node) for node in tree.duplicates}
    for path, node in walk_nodes(tree.root) if wanted else ():
        if id(node) in wanted and isinstance(node, Mapping):
            places: dict[str, list[Node]] = {}
            for key, _ in node.entries:
                name = get_key_text(key)
                if name is not None:
                    places.setdefault(name, []).append(key)
            yield from (((*path, name), keys) for name, keys in places.items() if len(keys) > 1)


def walk_nodes(root: Node | None) -> Iterator[tuple[YamlPath, Node]]:
    """Every node with its path, parents first, in file order; aliases are visited, not followed."""
    todo: list[tuple[YamlPath, Node]] = [] if root is None else [((), root)]
    while todo:
        path, node = todo.pop()
        yield path, node
        if isinstance(node, Sequence):
            todo.extend(((*path, i), item) for i, item in reversed(list(enumerate(node.items))))
        elif isinstance(node, Mapping):
            for key, value in reversed(node.entries):
                name = get_key_text(key)
                todo.append(((*path, "?" if name is None else name), value))


_BLANKS = re.compile(r"[ \t]*")
_TO_BREAK = re.compile(r"[^\r\n]*")
_SPACE_AND_COMMENTS = re.compile(r"(?:[ \t\r\n]+|#[^\r\n]*)*")
_PROPERTY = re.compile(r"[&!][^\s,\[\]{}]*")


class CannotSplice(Exception):
    """The text around a place has a form that is not edited in place; a bigger block is written
    anew instead."""


@dataclass(frozen=True, slots=True)
class Item:
    """An item of a block list or an entry of a block mapping.

    `mark` is the place of its dash or key, `after` the place behind its dash or colon, [`body`,
    `body_end`) its whole lines with the comment behind it; `body` is `mark` when the item begins in
    the line of its parent.
    """

    mark: int
    after: int
    end: int
    body: int
    body_end: int


@dataclass(frozen=True, slots=True)
class Slot:
    """The place of a value: behind the colon or dash at `after`, in a block parent whose mark is in
    `column`."""

    after: int
    column: int
    key: Node | None
    flow: bool


class Layout:
    """Questions about one text that ends in a line break (or is empty)."""

    def __init__(self, text: str, newline: str) -> None:
        self.text = text
        self.newline = newline

    def line_start(self, offset: int) -> int:
        return max(self.text.rfind("\n", 0, offset), self.text.rfind("\r", 0, offset)) + 1

    def eol(self, offset: int) -> int:
        """The place of the line break that ends the line."""
        match = _TO_BREAK.match(self.text, offset)
        return offset if match is None else match.end()

    def line_end(self, offset: int) -> int:
        """The place behind the line break that ends the line."""
        end = self.eol(offset)
        return end + (2 if self.text.startswith("\r\n", end) else 1 if end < len(self.text) else 0)

    def column(self, offset: int) -> int:
        return offset - self.line_start(offset)

    def indentation(self, offset: int) -> str:
        """The blanks that the line of `offset` begins with."""
        match = _BLANKS.match(self.text, self.line_start(offset))
        return "" if match is None else match.group()

    def begins_line(self, offset: int) -> bool:
        return not self.text[self.line_start(offset) : offset].strip(" \t\ufeff")

    def blanks(self, offset: int) -> int:
        """The place behind the blanks and tabs at `offset`."""
        match = _BLANKS.match(self.text, offset)
        return offset if match is None else match.end()

    def skip(self, offset: int) -> int:
        """The place of the next token: behind blanks, line breaks and comments."""
        match = _SPACE_AND_COMMENTS.match(self.text, offset)
        return offset if match is None else match.end()

    def content(self, node: Node) -> int:
        """Return the offset of a node's content behind its anchor and tag."""
        offset = node.start
        if node.anchor is None and node.tag is None:
            return offset
        while offset < node.end and self.text[offset] in "&!":
            match = _PROPERTY.match(self.text, offset)
            if match is None:
                break
            following = self.skip(match.end())
            offset = match.end() if following > node.end else following
        return min(offset, node.end)

    def colon(self, key: Node) -> int:
        """The place of the colon behind a key. Raises CannotSplice when there is none."""
        offset = self.skip(key.end)
        if offset >= len(self.text) or self.text[offset] != ":":
            raise CannotSplice("a key without a colon")
        return offset

    def items(self, node: Sequence | Mapping) -> list[Item]:
        """The items of a block collection. Raises CannotSplice for `? key` entries and other rare
        forms."""
        items: list[Item] = []
        offset = self.content(node)
        for index in range(len(node.items if isinstance(node, Sequence) else node.entries)):
            item = self._item(node, index, offset)
            items.append(item)
            offset = item.end
        if any(item.body == item.mark and not self.begins_line(item.mark) for item in items[1:]):
            raise CannotSplice("several items in a line")
        return items

    def above(self, items: list[Item], index: int) -> str:
        """The comment lines directly above one of the `items` of a block collection."""
        start = items[index].body
        limit = items[index - 1].body_end if index else 0
        while start > limit:
            line = self.line_start(start - (2 if self.text.startswith("\r\n", start - 2) else 1))
            if not self.text[line:start].lstrip(" \t").startswith("#"):
                break
            start = line
        return self.text[start : items[index].body]

    def item(self, node: Sequence | Mapping, index: int) -> Item:
        """One of `items`. Raises CannotSplice."""
        offset = self.content(node)
        if index:
            if isinstance(node, Sequence):
                # An absent item before it ends behind its dash, as its node does.
                offset = node.items[index - 1].end
            else:
                key, value = node.entries[index - 1]
                offset = max(value.end, self.colon(key) + 1)
        item = self._item(node, index, offset)
        if index and item.body == item.mark and not self.begins_line(item.mark):
            raise CannotSplice("several items in a line")
        return item

    def _item(self, node: Sequence | Mapping, index: int, offset: int) -> Item:
        """`offset` is where the item before it ends, or where the collection begins."""
        if isinstance(node, Sequence):
            mark = self.skip(offset)
            if self.text[mark : mark + 1] != "-":
                raise CannotSplice("a list item without a dash")
            after = mark + 1
            end = max(node.items[index].end, after)
        else:
            key, value = node.entries[index]
            mark = key.start
            if (index or node.start < mark) and self.skip(offset) != mark:
                raise CannotSplice("an explicit key")
            after = self.colon(key) + 1
            end = max(value.end, after)
        body = self.line_start(mark) if self.begins_line(mark) else mark
        ended = end > mark and self.text[end - 1] in "\r\n"
        return Item(mark, after, end, body, end if ended else self.line_end(end))


def newline_of(text: str) -> str:
    """The line break that a text uses; LF when it has none."""
    match = re.search(r"\r\n|\n|\r", text)
    return "\n" if match is None else match.group()
