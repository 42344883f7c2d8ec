"""Edits of a YAML text by path, for what a typed model cannot say: unknown keys, duplicates, spellings."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from editor_app.formats.source import SourceText
from editor_app.formats.yaml.compose import compose
from editor_app.formats.yaml.nodes import (
    Alias,
    Mapping,
    Node,
    Sequence,
    YamlTree,
    effective_entries,
    key_text,
    resolved,
)
from editor_app.formats.yaml.plan import Entry, Fresh, MappingEdit, Plan, SequenceEdit, spelled_plan
from editor_app.formats.yaml.splices import carry_out
from editor_app.model.findings import YamlPath


class CannotEdit(ValueError):
    """The edit does not fit the text; the message says why."""


@dataclass(frozen=True)
class SetValue:
    """`value`: None, bool, number, string, list, dict; Flow, Block and Spelled of `plan` choose the style."""

    path: YamlPath
    value: object


@dataclass(frozen=True)
class InsertItem:
    """Into the list at `path`, before the item that is now at `index` (the end when it is None or too big)."""

    path: YamlPath
    value: object
    index: int | None = None


@dataclass(frozen=True)
class InsertKey:
    """Into the mapping at `path`, behind the key `after` (at the end when it is None)."""

    path: YamlPath
    key: str
    value: object
    after: str | None = None


@dataclass(frozen=True)
class Delete:
    """Deletes an item or entry; of a key that stands several times the `occurrence`th (from 0; None: the last)."""

    path: YamlPath
    occurrence: int | None = None


@dataclass(frozen=True)
class RenameKey:
    path: YamlPath
    key: str
    occurrence: int | None = None


@dataclass(frozen=True)
class Move:
    """Moves an item or entry to another place among its siblings."""

    path: YamlPath
    index: int


Edit = SetValue | InsertItem | InsertKey | Delete | RenameKey | Move


@dataclass(frozen=True)
class Edited:
    """`notes` say what could not be edited in place."""

    source: SourceText
    notes: tuple[str, ...]


def edit_text(source: SourceText, edits: Iterable[Edit]) -> Edited:
    """Applies edits one after the other, each to the text that the one before left.

    Raises FormatError when the text is not YAML or an edit cannot be written, CannotEdit when a path leads nowhere.
    """
    notes: list[str] = []
    for edit in edits:
        tree = compose(source)
        if tree.root is None:
            raise CannotEdit("the text is empty")
        spliced = carry_out(source, tree, _plan(tree, edit))
        source = spliced.source
        notes += spliced.notes
    return Edited(source, tuple(dict.fromkeys(notes)))


def _plan(tree: YamlTree, edit: Edit) -> Plan:
    assert tree.root is not None
    text = tree.text
    if isinstance(edit, SetValue):
        if not edit.path:
            return Fresh(edit.value, tree.root, tree.root)
        return _down(tree.root, edit.path, text, lambda node: Fresh(edit.value, resolved(node), node))
    if isinstance(edit, (InsertItem, InsertKey)):
        return _down(tree.root, edit.path, text, lambda node: _inserted(node, edit, text))
    if not edit.path:
        raise CannotEdit("the whole document cannot be deleted, renamed or moved")
    return _down(tree.root, edit.path[:-1], text, lambda node: _among(node, edit, text))


def _down(node: Node, path: YamlPath, text: str, change: Callable[[Node], Plan]) -> Plan:
    """The plan that applies `change` to the node at a path. An alias on the way is written out."""
    if not path:
        return change(node)
    if isinstance(node, Alias):
        return Fresh(spelled_plan(_down(node.target, path, text, change), text), node.target, node)
    step, rest = path[0], path[1:]
    if isinstance(node, Sequence) and isinstance(step, int) and 0 <= step < len(node.items):
        parts: list[Plan] = list(node.items)
        parts[step] = _down(node.items[step], rest, text, change)
        return SequenceEdit(node, tuple(parts))
    if isinstance(node, Mapping):
        entries = _entries(node)
        index = _index(node, str(step), None)
        if index is not None:
            entries[index] = replace(entries[index], value=_down(node.entries[index][1], rest, text, change))
            return MappingEdit(node, tuple(entries))
        merged = effective_entries(node).get(str(step))
        if merged is not None:
            # A key of its own wins over the merged one, which stays for everyone else.
            value = spelled_plan(_down(merged[1], rest, text, change), text)
            return MappingEdit(node, (*entries, Entry(str(step), Fresh(value, resolved(merged[1])))))
    raise CannotEdit(f"there is no {step!r}")


def _entries(node: Mapping) -> list[Entry]:
    return [Entry(key_text(key) or "", value, index) for index, (key, value) in enumerate(node.entries)]


def _index(node: Mapping, key: str, occurrence: int | None) -> int | None:
    occurrences = [index for index, (name, _) in enumerate(node.entries) if key_text(name) == key]
    if not occurrences or (occurrence is not None and not 0 <= occurrence < len(occurrences)):
        return None
    return occurrences[-1 if occurrence is None else occurrence]


def _inserted(node: Node, edit: InsertItem | InsertKey, text: str) -> Plan:
    if isinstance(node, Alias):
        return Fresh(spelled_plan(_inserted(node.target, edit, text), text), node.target, node)
    if isinstance(edit, InsertItem):
        if not isinstance(node, Sequence):
            return Fresh([edit.value], None, node)
        place = len(node.items) if edit.index is None else edit.index
        return SequenceEdit(node, (*node.items[:place], Fresh(edit.value), *node.items[place:]))
    if not isinstance(node, Mapping):
        return Fresh({edit.key: edit.value}, None, node)
    if _index(node, edit.key, None) is not None:
        raise CannotEdit(f"there is a {edit.key!r} already")
    entries = _entries(node)
    place = len(entries)
    if edit.after is not None:
        after = _index(node, edit.after, None)
        place = len(entries) if after is None else after + 1
    entries.insert(place, Entry(edit.key, Fresh(edit.value)))
    return MappingEdit(node, tuple(entries))


def _among(node: Node, edit: Delete | RenameKey | Move, text: str) -> Plan:
    """Deletes, renames or moves a part of `node`."""
    if isinstance(node, Alias):
        return Fresh(spelled_plan(_among(node.target, edit, text), text), node.target, node)
    step = edit.path[-1]
    if isinstance(node, Sequence) and isinstance(step, int) and 0 <= step < len(node.items):
        parts: list[Plan] = list(node.items)
        part = parts.pop(step)
        if isinstance(edit, RenameKey):
            raise CannotEdit("an item of a list has no key")
        if isinstance(edit, Move):
            parts.insert(edit.index, part)
        return SequenceEdit(node, tuple(parts))
    if isinstance(node, Mapping):
        index = _index(node, str(step), None if isinstance(edit, Move) else edit.occurrence)
        if index is not None:
            entries = _entries(node)
            if isinstance(edit, RenameKey):
                entries[index] = replace(entries[index], key=edit.key)
                return MappingEdit(node, tuple(entries))
            entry = entries.pop(index)
            if isinstance(edit, Move):
                entries.insert(edit.index, entry)
            return MappingEdit(node, tuple(entries))
    raise CannotEdit(f"there is no {step!r}")
