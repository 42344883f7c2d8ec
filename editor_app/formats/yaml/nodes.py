"""The nodes of a YAML document with their places in the text. Offsets count code points."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field

from editor_app.model.findings import YamlPath


@dataclass(slots=True, eq=False, repr=False)
class Node:
    """`start` is the first code point, properties (anchor, tag) included, `end` the one behind the last."""

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
    """`flow` tells `[a, b]` from a list of dashes. The end of a block list is that of its last item."""

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
    """A document: its text, its root (None when it is empty), its aliases, and the mappings with duplicate keys."""

    text: str
    root: Node | None
    aliases: tuple[Alias, ...] = ()
    duplicates: tuple[Mapping, ...] = field(default=())


def resolved(node: Node) -> Node:
    """The node that is meant: the anchored one for an alias."""
    return node.target if isinstance(node, Alias) else node


def key_text(node: Node) -> str | None:
    """The text of a scalar key, None for any other key."""
    node = resolved(node)
    return node.value if isinstance(node, Scalar) else None


def is_merge(key: Node) -> bool:
    """Whether the key is the merge key `<<`."""
    return (
        isinstance(key, Scalar)
        and key.value == "<<"
        and key.style == ""
        and key.tag in (None, "tag:yaml.org,2002:merge")
    )


def effective_entries(mapping: Mapping) -> dict[str, tuple[Node, Node]]:
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
            name = key_text(key)
            if name is not None:
                entries[name] = (key, value)
    if merges:
        seen = {id(mapping)}
        while merges:
            source = resolved(merges.pop(0))
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
                    name = key_text(key)
                    if name is not None:
                        entries.setdefault(name, (key, value))
                merges[:0] = nested
    return entries


def merged_keys(mapping: Mapping) -> tuple[str, ...]:
    """Keys that the mapping has through `<<` alone, in the order of their text."""
    explicit = {key_text(key) for key, _ in mapping.entries}
    return tuple(key for key in effective_entries(mapping) if key not in explicit)


def child(node: Node, step: str | int) -> Node | None:
    """The value under a key (the last of duplicates, merges followed) or the item at an index."""
    node = resolved(node)
    if isinstance(node, Mapping):
        pair = effective_entries(node).get(str(step))
        return pair[1] if pair else None
    if isinstance(node, Sequence) and isinstance(step, int) and 0 <= step < len(node.items):
        return node.items[step]
    return None


def node_at(root: Node | None, path: YamlPath) -> Node | None:
    """The node at a path, aliases followed on the way (but not at its end); None when there is none."""
    node = root
    for step in path:
        if node is None:
            return None
        node = child(node, step)
    return node


def key_at(root: Node | None, path: YamlPath) -> Node | None:
    """The key node of the mapping entry that a path ends in; None when it ends in a list or nowhere."""
    if not path:
        return None
    parent = node_at(root, path[:-1])
    parent = None if parent is None else resolved(parent)
    if isinstance(parent, Mapping):
        pair = effective_entries(parent).get(str(path[-1]))
        return pair[0] if pair else None
    return None


def path_at(root: Node | None, offset: int) -> YamlPath:
    """The path of the innermost node, or of the entry by its key, that covers an offset; () at top level."""
    path: list[str | int] = []
    node = root
    while node is not None:
        inner: Node | None = None
        if isinstance(node, Mapping):
            for key, value in node.entries:
                if key.start <= offset <= max(key.end, value.end):
                    name = key_text(key)
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


def walk(root: Node | None) -> Iterator[tuple[YamlPath, Node]]:
    """Every node with its path, parents first, in file order; aliases are visited, not followed."""
    todo: list[tuple[YamlPath, Node]] = [] if root is None else [((), root)]
    while todo:
        path, node = todo.pop()
        yield path, node
        if isinstance(node, Sequence):
            todo.extend(((*path, i), item) for i, item in reversed(list(enumerate(node.items))))
        elif isinstance(node, Mapping):
            for key, value in reversed(node.entries):
                name = key_text(key)
                todo.append(((*path, "?" if name is None else name), value))
