"""Edits that repair what the model of an XRDF cannot express: duplicate keys and odd spellings."""

from __future__ import annotations

from editor_app.formats.xrdf.read import XrdfSource
from editor_app.formats.yaml.edits import CannotEdit, Delete, Edit, SetValue
from editor_app.formats.yaml.nodes import Mapping, Node, Scalar, Sequence, key_text, resolved
from editor_app.formats.yaml.plan import Block, Flow, Spelled, spelled
from editor_app.formats.yaml.scalars import format_number, format_string, number_of
from editor_app.model.findings import YamlPath


def keep_one(source: XrdfSource, path: YamlPath, *, last: bool) -> list[Edit]:
    """Of a key that stands several times (XRDF003), keeps the first or the last entry. Raises CannotEdit."""
    return [Delete(path, 0 if last else 1)] * (len(_values(source, path)) - 1)


def merge_duplicates(source: XrdfSource, path: YamlPath) -> list[Edit]:
    """Unites the lists or mappings of a key that stands several times, first ones first. Raises CannotEdit."""
    values = [resolved(value) for value in _values(source, path)]
    text = source.source.text
    merged: object
    if all(isinstance(value, Sequence) for value in values):
        items: list[object] = []
        for value in values:
            for item in value.items if isinstance(value, Sequence) else ():
                new = spelled(item, text)
                if new not in items:
                    items.append(new)
        merged = Flow(items) if isinstance(values[-1], Sequence) and values[-1].flow else Block(items)
    elif all(isinstance(value, Mapping) for value in values):
        united: dict[str, object] = {}
        for value in values:
            part = spelled(value, text)
            united |= part if isinstance(part, dict) else {}
        merged = united
    else:
        raise CannotEdit("only lists, or only mappings, can be united")
    return [*(Delete(path, 0) for _ in values[1:]), SetValue(path, merged)]


def respelled(source: XrdfSource, path: YamlPath, *, as_name: bool = False) -> Edit:
    """Spells a value so that every reader takes it for the same (XRDF006): a number with a dot, a name in quotes.

    Raises CannotEdit.
    """
    node = source.node(path)
    node = None if node is None else resolved(node)
    if not isinstance(node, Scalar):
        raise CannotEdit("only a single value can be spelled anew")
    number = None if as_name else number_of(node.value.strip())
    text = format_string(node.value) if number is None else format_number(number)
    return SetValue(path, Spelled(text, node.value if number is None else number))


def _values(source: XrdfSource, path: YamlPath) -> list[Node]:
    parent = source.node(path[:-1])
    parent = None if parent is None else resolved(parent)
    if not isinstance(parent, Mapping):
        raise CannotEdit("there is no such key")
    values = [value for key, value in parent.entries if key_text(key) == path[-1]]
    if len(values) < 2:
        raise CannotEdit(f"{path[-1]!r} stands there only once")
    return values
