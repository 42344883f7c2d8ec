"""Edits of a YAML text by path, for what a typed model cannot say: unknown keys, duplicates, spellings."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from editor_app.formats.source import SourceText
from editor_app.formats.yaml.compose import compose
from editor_app.formats.yaml.nodes import Alias, Mapping, Node, Sequence, effective_entries, key_text, resolved
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
class InsertKey:
    """At the end of the mapping at `path`."""

    path: YamlPath
    key: str
    value: object


@dataclass(frozen=True)
class Delete:
    """Deletes an item or entry; of a key that stands several times the `occurrence`th (from 0; None: the last)."""

    path: YamlPath
    occurrence: int | None = None


@dataclass(frozen=True)
class RenameKey:
    path: YamlPath
    key: str


Edit = SetValue | InsertKey | Delete | RenameKey


def edit_text(source: SourceText, edits: Iterable[Edit]) -> SourceText:
    """Applies edits one after the other, each to the text that the one before left.

    Raises FormatError when the text is not YAML or an edit cannot be written, CannotEdit when a path leads nowhere.
    """
    for edit in edits:
        tree = compose(source)
        if tree.root is None:
            raise CannotEdit("the text is empty")
        source = carry_out(source, tree, _plan(tree.root, edit, tree.text)).source
    return source


def _plan(root: Node, edit: Edit, text: str) -> Plan:
    if isinstance(edit, SetValue):
        return _down(root, edit.path, text, lambda node: Fresh(edit.value, resolved(node), node))
    if isinstance(edit, InsertKey):
        return _down(root, edit.path, text, lambda node: _with_key(node, edit))
    if not edit.path:
        raise CannotEdit("the whole document cannot be deleted or renamed")
    return _down(root, edit.path[:-1], text, lambda node: _among(node, edit))


def _down(node: Node, path: YamlPath, text: str, change: Callable[[Node], Plan]) -> Plan:
    """The plan that applies `change` to the node at a path. An alias on the way is written out."""
    if isinstance(node, Alias):
        return Fresh(spelled_plan(_down(node.target, path, text, change), text), node.target, node)
    if not path:
        return change(node)
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


def _with_key(node: Node, edit: InsertKey) -> Plan:
    if not isinstance(node, Mapping):
        return Fresh({edit.key: edit.value}, None, node)
    if _index(node, edit.key, None) is not None:
        raise CannotEdit(f"there is a {edit.key!r} already")
    return MappingEdit(node, (*_entries(node), Entry(edit.key, Fresh(edit.value))))


def _among(node: Node, edit: Delete | RenameKey) -> Plan:
    """Deletes or renames a part of `node`."""
    step = edit.path[-1]
    if isinstance(node, Sequence) and isinstance(step, int) and 0 <= step < len(node.items):
        if isinstance(edit, RenameKey):
            raise CannotEdit("an item of a list has no key")
        return SequenceEdit(node, (*node.items[:step], *node.items[step + 1 :]))
    if isinstance(node, Mapping):
        index = _index(node, str(step), edit.occurrence if isinstance(edit, Delete) else None)
        if index is not None:
            entries = _entries(node)
            kept = [replace(entries[index], key=edit.key)] if isinstance(edit, RenameKey) else []
            return MappingEdit(node, (*entries[:index], *kept, *entries[index + 1 :]))
    raise CannotEdit(f"there is no {step!r}")
