"""The planned content of a YAML text, relative to the present one: kept nodes, edited collections,
new values.

A plan mirrors the tree. A `Node` stands for itself, untouched. The order of a collection's parts is
the order wanted; a part whose node is a child of the collection keeps its text (also when it
moves), everything else is written anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from editor_app.core.text.yaml.nodes import (
    Alias,
    Mapping,
    Node,
    Scalar,
    Sequence,
    collect_entries,
    get_key_text,
)
from editor_app.core.text.yaml.scalars import resolve, same_value, to_value


class Flow(list[object]):
    """A new list to be written as `[a, b]`."""


class Block(list[object]):
    """A new list to be written with one dash per item."""


class FlowMap(dict[str, object]):
    """A new mapping to be written as `{a: b}` where there is no neighbour to copy."""


@dataclass(frozen=True, slots=True)
class Spelled:
    """A scalar in a new value that keeps the spelling it has elsewhere in the text."""

    text: str
    value: object


@dataclass(frozen=True, slots=True)
class Commented:
    """An item of a list with comments (with their #): lines above it, and one behind it."""

    value: object
    above: tuple[str, ...] = ()
    behind: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Fresh:
    """A new value: None, bool, int, float, str, Spelled, Commented, list, Flow, Block or dict,
    nested at will.

    `like` is a node whose style is copied (quotes, flow or block, spacing); None lets the
    neighbours decide. `old` is the node that it replaces, if any.
    """

    value: object
    like: Node | None = None
    old: Node | None = None


@dataclass(frozen=True, slots=True, eq=False)
class SequenceEdit:
    """`moved_away`: indices of items that are written at another place, with their comments."""

    node: Sequence
    parts: tuple[Plan, ...]
    moved_away: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class EntryEdit:
    """`key` is what the key is to say; `index` is the entry of the edited mapping that it comes
    from, None if new."""

    key: str
    value: Plan
    index: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class MappingEdit:
    node: Mapping
    entries: tuple[EntryEdit, ...] = field(default=())


Plan = Node | Fresh | SequenceEdit | MappingEdit


def entries_of(node: Mapping) -> list[EntryEdit]:
    """The entries of a mapping as they are."""
    return [
        EntryEdit(get_key_text(key) or "", value, index)
        for index, (key, value) in enumerate(node.entries)
    ]


def node_of(plan: Plan) -> Node | None:
    """The node that a part of a plan comes from; None when it is new."""
    if isinstance(plan, (SequenceEdit, MappingEdit)):
        return plan.node
    if isinstance(plan, Fresh):
        return plan.old
    return plan


#: (index in the old collection or None, key or None, plan) of a part of an edited collection.
Part = tuple[int | None, str | None, "Plan"]


def list_edit_parts(
    plan: SequenceEdit | MappingEdit,
) -> Iterator[tuple[int | None, str | None, Plan]]:
    """(index in the old collection or None, key or None, plan) for each part."""
    if isinstance(plan, MappingEdit):
        for entry in plan.entries:
            yield entry.index, entry.key, entry.value
        return
    places = {id(item): index for index, item in enumerate(plan.node.items)}
    taken: set[int] = set()
    for part in plan.parts:
        node = node_of(part)
        index = None if node is None else places.get(id(node))
        if index in taken:
            index = None
        if index is not None:
            taken.add(index)
        yield index, None, part


def drop_styles(value: object) -> object:
    """A new value without its styles."""
    if isinstance(value, Spelled):
        return value.value
    if isinstance(value, Commented):
        return drop_styles(value.value)
    if isinstance(value, (list, tuple)):
        return [drop_styles(item) for item in value]
    if isinstance(value, dict):
        return {key: drop_styles(item) for key, item in value.items()}
    return value


def spelled(node: Node, text: str) -> object:
    """A node as a new value that keeps the spelling of its one-line scalars."""

    if isinstance(node, Alias):
        node = node.target
    if isinstance(node, Scalar):
        raw = text[node.start : node.end]
        if (
            node.style in ("|", ">")
            or "\n" in raw
            or "\r" in raw
            or node.anchor
            or node.tag
            or not raw
        ):
            return resolve(node)
        return Spelled(raw, resolve(node))
    if isinstance(node, Sequence):
        kind = Flow if node.flow else Block
        return kind(spelled(item, text) for item in node.items)
    if isinstance(node, Mapping):
        kind_of_map = FlowMap if node.flow else dict
        return kind_of_map(
            {key: spelled(value, text) for key, (_, value) in collect_entries(node).items()}
        )
    raise TypeError(node)


def spelled_plan(plan: Plan, text: str) -> object:
    """A plan as one new value, for writing a whole block anew."""
    if isinstance(plan, Fresh):
        return plan.value
    if isinstance(plan, SequenceEdit):
        kind = Flow if plan.node.flow else Block
        return kind(spelled_plan(part, text) for part in plan.parts)
    if isinstance(plan, MappingEdit):
        direct: dict[str, object] = {}
        merged: dict[str, object] = {}
        for entry in plan.entries:
            value = spelled_plan(entry.value, text)
            if entry.key == "<<" and entry.index is not None:
                for source in value if isinstance(value, list) else [value]:
                    if isinstance(source, dict):
                        merged = {**source, **merged}
            else:
                direct[entry.key] = value
        return {**direct, **{key: value for key, value in merged.items() if key not in direct}}
    return spelled(plan, text)


def fits(plan: Plan, node: Node, old_text: str, new_text: str, *, aliases: bool) -> bool:
    """Return whether a node of the new text is what was planned, order of keys included."""
    if isinstance(plan, SequenceEdit):
        return (
            isinstance(node, Sequence)
            and len(node.items) == len(plan.parts)
            and all(
                fits(p, n, old_text, new_text, aliases=aliases)
                for p, n in zip(plan.parts, node.items, strict=True)
            )
        )
    if isinstance(plan, MappingEdit):
        return (
            isinstance(node, Mapping)
            and len(node.entries) == len(plan.entries)
            and all(
                get_key_text(key) == entry.key
                and fits(entry.value, value, old_text, new_text, aliases=aliases)
                for entry, (key, value) in zip(plan.entries, node.entries, strict=True)
            )
        )
    if isinstance(plan, Fresh):
        return same_value(drop_styles(plan.value), to_value(node))
    # The same text in the same role means the same, unless it leans on anchors elsewhere.
    if (
        not aliases
        and node.__class__ is plan.__class__
        and old_text[plan.start : plan.end] == new_text[node.start : node.end]
    ):
        return True
    return same_value(to_value(plan), to_value(node))
