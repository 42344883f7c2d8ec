"""What changed from one value to another, changed in a text that says more, or the same in other words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from editor_app.formats.source import FormatError, SourceText
from editor_app.formats.yaml.compose import compose
from editor_app.formats.yaml.nodes import Alias, Mapping, Node, Scalar, Sequence, key_text, resolved
from editor_app.formats.yaml.plan import Entry, Fresh, MappingEdit, Plan, SequenceEdit, spelled_plan
from editor_app.formats.yaml.splices import Spliced, carry_out


def with_changes(source: SourceText, before: dict[str, Any], after: dict[str, Any]) -> Spliced:
    """The text with all that is otherwise in `after` than in `before`; every other byte stays.

    Both are what the text would say if it were written anew: before an edit, and after it. What stands in neither is
    nothing that the edit was about, and what is the same in both stays as the text has it: a number for a list of equal
    ones, more names, another order. Raises FormatError when the text is empty, or the change cannot be written into it.
    """
    tree = compose(source)
    if tree.root is None:
        raise FormatError("The file is empty", source.location(0))
    return carry_out(source, tree, _Changes(source.text).plan(tree.root, before, after))


class _Changes:
    def __init__(self, text: str) -> None:
        self.text = text

    def plan(self, node: Node, before: Any, after: Any) -> Plan:
        if before == after:
            return node
        meant = resolved(node)
        if isinstance(meant, Mapping) and isinstance(before, dict) and isinstance(after, dict):
            plan: Plan = self._of_mapping(meant, before, after)
        elif isinstance(meant, Sequence) and isinstance(before, list) and isinstance(after, list):
            plan = self._of_sequence(meant, before, after)
        else:
            return Fresh(after, meant, node)
        return Fresh(spelled_plan(plan, self.text), meant, node) if isinstance(node, Alias) else plan

    def _of_mapping(self, node: Mapping, before: dict[str, Any], after: dict[str, Any]) -> Plan:
        entries: list[Entry] = []
        renamed = _renamed(before, after)
        last = {key_text(key): index for index, (key, _) in enumerate(node.entries)}
        for index, (key, value) in enumerate(node.entries):
            name = key_text(key)
            entry = Entry(name or "", value, index)
            if name in after and last[name] == index:
                in_both = name in before
                plan = self.plan(value, before[name], after[name]) if in_both else Fresh(after[name], None, value)
                entry = replace(entry, value=plan)
            elif name in renamed:
                entry = replace(entry, key=renamed[name])
            elif name in before and name not in after:
                continue
            entries.append(entry)
        entries += [
            Entry(name, Fresh(value))
            for name, value in after.items()
            if name not in last and name not in renamed.values() and (name not in before or before[name] != value)
        ]
        return MappingEdit(node, tuple(entries))

    def _of_sequence(self, node: Sequence, before: list[Any], after: list[Any]) -> Plan:
        items = node.items
        if all(isinstance(name, str) for name in (*before, *after)) and all(isinstance(i, Scalar) for i in items):
            # Names that the text has beyond `before` stay; so does its order where that is not the one of `before`.
            texts = {key_text(item) or "": item for item in node.items}
            beyond = [name for name in texts if name not in before and name not in after]
            if [name for name in texts if name in before] == [name for name in before if name in texts]:
                order = _with_beyond(after, list(texts), beyond)
            else:
                order = [name for name in texts if name in after or name in beyond]
                order += [name for name in after if name not in texts]
            like = node.items[-1] if node.items else None
            return SequenceEdit(node, tuple(texts[name] if name in texts else Fresh(name, like) for name in order))
        if len(items) != len(before):
            return Fresh(after, node, node)
        if len(before) == len(after):
            plans = (self.plan(item, old, new) for item, old, new in zip(items, before, after, strict=True))
            return SequenceEdit(node, tuple(plans))
        rest = list(zip(items, before, strict=True))
        parts: list[Plan] = []
        for value in after:
            index = next((i for i, (_, old) in enumerate(rest) if old == value), None)
            parts.append(Fresh(value, items[-1] if items else None) if index is None else rest.pop(index)[0])
        return SequenceEdit(node, tuple(parts))


def _renamed(before: dict[str, Any], after: dict[str, Any]) -> dict[str, str]:
    """Old key -> new key of entries that have another key in the same place, and say the same."""
    if len(before) != len(after):
        return {}
    pairs = zip(before.items(), after.items(), strict=True)
    return {
        old: new
        for (old, value), (new, same) in pairs
        # In Python 0.0 is equal to False.
        if old != new and old not in after and new not in before and (type(value), value) == (type(same), same)
    }


def _with_beyond(names: list[str], texts: list[str], beyond: list[str]) -> list[str]:
    """Names in their order, names of the text beyond them behind the names that they follow there."""
    order = list(names)
    previous = dict(zip(texts[1:], texts, strict=False))
    for name in beyond:
        order.insert(order.index(previous[name]) + 1 if previous.get(name) in order else 0, name)
    return order
