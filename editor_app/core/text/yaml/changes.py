"""The change from one value to another, applied to a text that says more, or the same in other
words."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from editor_app.core.model.findings import YamlPath
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.lineage import Lineage
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.text.yaml.compose import compose_document
from editor_app.core.text.yaml.nodes import (
    Alias,
    Mapping,
    Node,
    Scalar,
    Sequence,
    collect_entries,
    get_key_text,
    resolve_alias,
)
from editor_app.core.text.yaml.plan import (
    Block,
    EntryEdit,
    Fresh,
    MappingEdit,
    Plan,
    SequenceEdit,
    entries_of,
    spelled_plan,
)
from editor_app.core.text.yaml.splices import Spliced, carry_out


def with_changes(
    source: SourceText,
    before: dict[str, Any],
    after: dict[str, Any],
    renamed: dict[str, str] | None = None,
) -> Spliced:
    """The text with all that is otherwise in `after` than in `before`; every other byte stays.

    Both are what the text would say if it were written anew: before an edit, and after it. What is
    in neither is not what the edit was about, and what is the same in both stays as the text has
    it: a number for a list of equal ones, more names, another order. `renamed` maps old keys to new
    ones where that is known; else an entry that has another key in the same place, and says the
    same, was renamed.

    Raises FormatError when the text is empty, or the change cannot be written into it.
    """
    tree = compose_document(source)
    if tree.root is None:
        raise FormatError("The file is empty", source.location(0))
    return carry_out(source, tree, _Changes(source.text, renamed).plan(tree.root, before, after))


class _Changes:
    def __init__(self, text: str, renamed: dict[str, str] | None) -> None:
        self.text = text
        self.renamed = renamed

    def plan(self, node: Node, before: Any, after: Any) -> Plan:
        if before == after:
            return node
        meant = resolve_alias(node)
        if isinstance(meant, Mapping) and isinstance(before, dict) and isinstance(after, dict):
            plan: Plan = self._of_mapping(meant, before, after)
        elif isinstance(meant, Sequence) and isinstance(before, list) and isinstance(after, list):
            plan = self._of_sequence(meant, before, after)
        else:
            return Fresh(after, meant, node)
        return (
            Fresh(spelled_plan(plan, self.text), meant, node) if isinstance(node, Alias) else plan
        )

    def _of_mapping(self, node: Mapping, before: dict[str, Any], after: dict[str, Any]) -> Plan:
        renamed = _renamed(before, after)
        if self.renamed is not None:
            renamed = {
                old: new for old, new in self.renamed.items() if old in before and new in after
            }
        last = {get_key_text(key): index for index, (key, _) in enumerate(node.entries)}
        entries: list[EntryEdit] = []
        for index, (key, value) in enumerate(node.entries):
            old = get_key_text(key) or ""
            name = renamed.get(old, old)
            entry = EntryEdit(name, value, index)
            is_replaced = name == old and name in renamed.values()
            if is_replaced or (name in before and name not in after):
                continue
            if name in after and last[get_key_text(key)] == index:
                plan = (
                    self.plan(value, before[old], after[name])
                    if old in before
                    else Fresh(after[name], None, value)
                )
                entry = replace(entry, value=plan)
            entries.append(entry)
        present = {*renamed.values(), *(last.keys() - renamed.keys())}
        entries += [
            EntryEdit(name, Fresh(value))
            for name, value in after.items()
            if name not in present
            and (name in renamed or name not in before or before[name] != value)
        ]
        return MappingEdit(node, tuple(entries))

    def _of_sequence(self, node: Sequence, before: list[Any], after: list[Any]) -> Plan:
        items = node.items
        if all(isinstance(name, str) for name in (*before, *after)) and all(
            isinstance(i, Scalar) for i in items
        ):
            return _of_names(node, before, after)
        if len(items) != len(before):
            return Fresh(after, node, node)
        steps = Lineage.between(_frozen(before), _frozen(after)).trace.steps(range(len(after)))
        parts: list[Plan] = []
        for value, step in zip(after, steps, strict=True):
            if isinstance(step, int):
                parts.append(self.plan(items[step], before[step], value))
            else:
                parts.append(Fresh(value, items[-1] if items else None))
        return SequenceEdit(node, tuple(parts))


def _frozen(value: Any) -> Any:
    """The same as values that can be compared with others by their hash."""
    if isinstance(value, dict):
        return FrozenDict({key: _frozen(inner) for key, inner in value.items()})
    return tuple(map(_frozen, value)) if isinstance(value, (list, tuple)) else value


def _renamed(before: dict[str, Any], after: dict[str, Any]) -> dict[str, str]:
    """Old key -> new key of entries that have another key in the same place, and say the same."""
    if len(before) != len(after):
        return {}
    pairs = zip(before.items(), after.items(), strict=True)
    return {
        old: new
        for (old, value), (new, same) in pairs
        # In Python 0.0 is equal to False.
        if old != new
        and old not in after
        and new not in before
        and (type(value), value) == (type(same), same)
    }


def _of_names(node: Sequence, before: list[str], after: list[str]) -> Plan:
    """Names that the text has beyond `before` stay; so does its order where that is not the one of
    `before`."""
    texts = {get_key_text(item) or "": item for item in node.items}
    beyond = [name for name in texts if name not in before and name not in after]
    if [name for name in texts if name in before] == [name for name in before if name in texts]:
        order = _with_beyond(after, list(texts), beyond)
    else:
        order = [name for name in texts if name in after or name in beyond]
        order += [name for name in after if name not in texts]
    like = node.items[-1] if node.items else None
    return SequenceEdit(
        node, tuple(texts[name] if name in texts else Fresh(name, like) for name in order)
    )


def _with_beyond(names: list[str], texts: list[str], beyond: list[str]) -> list[str]:
    """Names in their order, names of the text beyond them behind the names that they follow
    there."""
    order = list(names)
    previous = dict(zip(texts[1:], texts, strict=False))
    for name in beyond:
        order.insert(order.index(previous[name]) + 1 if previous.get(name) in order else 0, name)
    return order


class CannotEdit(ValueError):
    """The edit does not fit the text; the message says why."""


@dataclass(frozen=True)
class SetValue:
    """`value`: None, bool, number, string, list, dict; Flow, Block and Spelled of `plan` choose the
    style."""

    path: YamlPath
    value: object


@dataclass(frozen=True)
class InsertKey:
    """At the end of the mapping at `path`."""

    path: YamlPath
    key: str
    value: object


@dataclass(frozen=True)
class AppendItem:
    """At the end of the list at `path`; an absent value becomes a list."""

    path: YamlPath
    value: object


@dataclass(frozen=True)
class Delete:
    """Deletes an item or entry; of a key that stands several times the `occurrence`th (from 0;
    None: the last)."""

    path: YamlPath
    occurrence: int | None = None


@dataclass(frozen=True)
class RenameKey:
    path: YamlPath
    key: str


Edit = SetValue | InsertKey | AppendItem | Delete | RenameKey


def edit_text(source: SourceText, edits: Iterable[Edit]) -> SourceText:
    """Applies edits one after the other, each to the text that the one before left.

    Raises FormatError when the text is not YAML or an edit cannot be written, CannotEdit when a
    path leads nowhere.
    """
    for edit in edits:
        tree = compose_document(source)
        if tree.root is None:
            raise CannotEdit("the text is empty")
        source = carry_out(source, tree, _plan(tree.root, edit, tree.text)).source
    return source


def _plan(root: Node, edit: Edit, text: str) -> Plan:
    if isinstance(edit, SetValue):
        return _down(
            root, edit.path, text, lambda node: Fresh(edit.value, resolve_alias(node), node)
        )
    if isinstance(edit, InsertKey):
        return _down(root, edit.path, text, lambda node: _with_key(node, edit))
    if isinstance(edit, AppendItem):
        return _down(root, edit.path, text, lambda node: _with_item(node, edit))
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
        entries = entries_of(node)
        index = _index(node, str(step), None)
        if index is not None:
            entries[index] = replace(
                entries[index], value=_down(node.entries[index][1], rest, text, change)
            )
            return MappingEdit(node, tuple(entries))
        merged = collect_entries(node).get(str(step))
        if merged is not None:
            # A key of its own wins over the merged one, which stays for everyone else.
            value = spelled_plan(_down(merged[1], rest, text, change), text)
            return MappingEdit(
                node, (*entries, EntryEdit(str(step), Fresh(value, resolve_alias(merged[1]))))
            )
    raise CannotEdit(f"{step!r} does not exist")


def _index(node: Mapping, key: str, occurrence: int | None) -> int | None:
    occurrences = [
        index for index, (name, _) in enumerate(node.entries) if get_key_text(name) == key
    ]
    if not occurrences or (occurrence is not None and not 0 <= occurrence < len(occurrences)):
        return None
    return occurrences[-1 if occurrence is None else occurrence]


def _with_key(node: Node, edit: InsertKey) -> Plan:
    if not isinstance(node, Mapping):
        return Fresh({edit.key: edit.value}, None, node)
    if _index(node, edit.key, None) is not None:
        raise CannotEdit(f"{edit.key!r} already exists")
    return MappingEdit(node, (*entries_of(node), EntryEdit(edit.key, Fresh(edit.value))))


def _with_item(node: Node, edit: AppendItem) -> Plan:
    if isinstance(node, Sequence) and node.items:
        return SequenceEdit(node, (*node.items, Fresh(edit.value, node.items[-1])))
    return Fresh(Block([edit.value]), None, node)


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
            entries = entries_of(node)
            kept = [replace(entries[index], key=edit.key)] if isinstance(edit, RenameKey) else []
            return MappingEdit(node, (*entries[:index], *kept, *entries[index + 1 :]))
    raise CannotEdit(f"{step!r} does not exist")
