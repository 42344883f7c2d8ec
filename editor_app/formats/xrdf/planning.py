"""Plans for the shapes that XRDF sections are made of: mappings, lists, vectors, scalars."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence as SequenceABC
from dataclasses import dataclass
from typing import TypeVar

from editor_app.formats.xrdf.alignment import alignment, renames
from editor_app.formats.xrdf.read import XrdfSource
from editor_app.formats.yaml.nodes import (
    Alias,
    Mapping,
    Node,
    Sequence,
    child,
    effective_entries,
    is_merge,
    key_text,
    merged_keys,
    resolved,
)
from editor_app.formats.yaml.plan import Entry, Fresh, MappingEdit, Plan, SequenceEdit, spelled, spelled_plan
from editor_app.model.frozen import FrozenDict
from editor_app.model.xrdf import Xrdf

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Want:
    """A key that a mapping shall have. `value` makes its plan out of the node that is there (None: new)."""

    key: str
    value: Callable[[Node | None], Plan]
    #: What the key is called now; None when the entry is new.
    old_key: str | None = None


class Planner:
    """Makes plans from the model as read to another. `notes` collects what the user should know."""

    def __init__(self, source: XrdfSource, new: Xrdf) -> None:
        self.source = source
        self.old = source.xrdf
        self.new = new
        self.text = source.source.text
        self.notes: list[str] = []

    # -- aliases

    def through(self, node: Node, plan: Callable[[Node], Plan]) -> Plan:
        """The plan of a value that may be an alias: an edit inside one writes it out, the anchor stays as it is."""
        if not isinstance(node, Alias):
            return plan(node)
        made = plan(node.target)
        if made is node.target:
            return node
        line = self.source.source.line_column(node.start)[0]
        self.notes.append(
            f"The alias *{node.name} in line {line} was written out, since its value was changed there alone"
        )
        return Fresh(spelled_plan(made, self.text), node.target, node)

    # -- scalars

    def scalar(self, value: object, node: Node | None, *, old: object = None, like: Node | None = None) -> Plan:
        """A scalar: the node itself when `old`, what was read there, is the value already."""
        if node is not None and old is not None and old == value:
            return node
        return Fresh(value, like if like is not None else None if node is None else resolved(node), node)

    def numbers(self, values: SequenceABC[float], node: Node | None, old: SequenceABC[float] | None) -> Plan:
        """A list of a fixed count of numbers (a vector)."""
        if node is None:
            return Fresh(list(values))
        if old is not None and tuple(old) == tuple(values):
            return node

        def plan(target: Node) -> Plan:
            if old is None or not isinstance(target, Sequence) or len(target.items) != len(values):
                return Fresh(list(values), target, target)
            return SequenceEdit(
                target,
                tuple(self.scalar(v, n, old=o) for v, n, o in zip(values, target.items, old, strict=True)),
            )

        return self.through(node, plan)

    # -- mappings

    def mapping(
        self,
        node: Node | None,
        wants: SequenceABC[Want],
        managed: frozenset[str] | set[str],
        *,
        ordered: bool = False,
        order: SequenceABC[str] = (),
    ) -> Plan:
        """A mapping with these keys. Present keys that are neither wanted nor `managed` stay as they are.

        New keys go where `order` (names) wants them, else behind the wanted key before them. With `ordered`, keys
        that are there already take the order of `wants`, too.
        """
        if node is None:
            return Fresh({want.key: self.fresh_value(want.value(None)) for want in wants})

        def plan(target: Node) -> Plan:
            if not isinstance(target, Mapping):
                return Fresh({want.key: self.fresh_value(want.value(None)) for want in wants}, None, target)
            return self._mapping(target, wants, managed, ordered, order)

        return self.through(node, plan)

    def fresh_value(self, plan: Plan) -> object:
        return spelled_plan(plan, self.text)

    def _mapping(
        self,
        node: Mapping,
        wants: SequenceABC[Want],
        managed: frozenset[str] | set[str],
        ordered: bool,
        order: SequenceABC[str],
    ) -> Plan:
        effective = effective_entries(node)
        merged = merged_keys(node)
        by_old = {want.old_key: want for want in wants if want.old_key is not None and want.old_key in effective}
        entries: list[Entry] = []
        changed = False
        unmerged = any(
            key in merged and ((key in managed and key not in by_old) or (key in by_old and by_old[key].key != key))
            for key in effective
        )
        for index, (key_node, value_node) in enumerate(node.entries):
            key = key_text(key_node)
            if is_merge(key_node) and unmerged:
                changed = True
                line = self.source.source.line_column(key_node.start)[0]
                self.notes.append(f"The merge key << in line {line} was written out, since one of its keys was removed")
                continue
            if key is None or is_merge(key_node):
                entries.append(Entry(key or "", value_node, index))
                continue
            want = by_old.get(key)
            if want is None:
                if key in managed:
                    changed = True
                    continue
                entries.append(Entry(key, value_node, index))
                continue
            if effective[key][1] is not value_node:
                # An earlier one of duplicates: refused before anything changes it.
                entries.append(Entry(key, value_node, index))
                continue
            made = want.value(value_node)
            changed = changed or made is not value_node or want.key != key
            entries.append(Entry(want.key, made, index))
        kept_keys = {entry.key for entry in entries if entry.index is not None}
        for key in merged:
            want = by_old.get(key)
            if want is None:
                if unmerged and key not in managed and key not in kept_keys:
                    entries.append(Entry(key, Fresh(spelled(effective[key][1], self.text))))
                continue
            value_node = effective[key][1]
            made = want.value(value_node)
            if made is not value_node or unmerged:
                changed = True
                entries.append(Entry(want.key, Fresh(self.fresh_value(made), resolved(value_node))))
        if ordered:
            entries, moved = _in_order(entries, [want.key for want in wants])
            changed = changed or moved
        for position, want in enumerate(wants):
            if want.old_key is not None and want.old_key in effective:
                continue
            made = want.value(None)
            fresh = made if isinstance(made, Fresh) and made.old is None else Fresh(self.fresh_value(made))
            names = [w.key for w in wants]
            place = _place(entries, want.key, names[:position], names[position + 1 :], order)
            entries.insert(place, Entry(want.key, fresh))
            changed = True
        return MappingEdit(node, tuple(entries)) if changed else node

    # -- lists

    def listing(
        self,
        node: Node | None,
        old: tuple[T, ...] | None,
        new: tuple[T, ...],
        edited: Callable[[Node, T, T], Plan],
        fresh: Callable[[T], Fresh],
        likeness: Callable[[T, T], int],
        like: Node | None = None,
    ) -> Plan:
        """A list: items that were understood are matched with the wanted ones, unreadable ones stay behind theirs."""
        if node is None:
            return Fresh([fresh(item).value for item in new], like)
        if old is not None and (old is new or old == new):
            return node

        def plan(target: Node) -> Plan:
            if not isinstance(target, Sequence) or not target.items or old is None:
                return Fresh([fresh(item).value for item in new], like, target)
            return self._listing(target, old, new, edited, fresh, likeness)

        return self.through(node, plan)

    def _listing(
        self,
        node: Sequence,
        old: tuple[T, ...],
        new: tuple[T, ...],
        edited: Callable[[Node, T, T], Plan],
        fresh: Callable[[T], Fresh],
        likeness: Callable[[T, T], int],
    ) -> Plan:
        places = self.source.places(node, len(old))
        origins = alignment(old, new, likeness)
        surviving = {places[origin] for origin in origins if origin is not None}
        readable = set(places)
        followers: dict[int, list[Node]] = {}
        last = -1
        for index, present in enumerate(node.items):
            if index in surviving:
                last = index
            elif index not in readable:
                followers.setdefault(last, []).append(present)
        parts: list[Plan] = list(followers.get(-1, ()))
        for item, origin in zip(new, origins, strict=True):
            if origin is None:
                parts.append(fresh(item))
                continue
            place = places[origin]
            node_now = node.items[place]
            parts.append(
                node_now if old[origin] is item or old[origin] == item else edited(node_now, old[origin], item)
            )
            parts += followers.get(place, ())
        return SequenceEdit(node, tuple(parts))

    # -- what sections are made of

    def names(
        self,
        node: Node | None,
        old: tuple[str, ...] | None,
        new: tuple[str, ...],
        like: Node | None = None,
    ) -> Plan:
        return self.listing(
            node, old, new, lambda n, o, v: self.scalar(v, n), lambda v: Fresh(v), nothing_in_common, like
        )

    def number_map(
        self, node: Node | None, old: FrozenDict[str, float] | None, new: FrozenDict[str, float] | None
    ) -> Plan:
        new = FrozenDict() if new is None else new
        old = FrozenDict() if old is None else old
        renamed = renames(old, new)
        wants = []
        for key, value in new.items():
            old_key = renamed.get(key, key if key in old else None)
            before = old.get(old_key) if old_key is not None else None
            if old_key is None and node is not None and child(node, key) is not None:
                # An unreadable entry of that name is replaced.
                old_key = key
            wants.append(Want(key, lambda n, v=value, b=before: self.scalar(v, n, old=b), old_key))  # type: ignore[misc]
        return self.mapping(node, wants, set(old) - set(renamed.values()))

    def a_full_list(self, node: Node | None) -> Node | None:
        """The last list with something in it under a mapping, for its style."""
        node = None if node is None else resolved(node)
        if isinstance(node, Mapping):
            for _, value in reversed(node.entries):
                if isinstance(value, Sequence) and value.items:
                    return value
        return None


def nothing_in_common(a: object, b: object) -> int:
    return 0


def _place(entries: list[Entry], key: str, before: list[str], behind: list[str], order: SequenceABC[str]) -> int:
    """Where a new entry goes."""
    keys = [entry.key for entry in entries]
    if key in order:
        rank = order.index(key)
        earlier = [i for i, k in enumerate(keys) if k in order and order.index(k) < rank]
        if earlier:
            return max(earlier) + 1
        later = [i for i, k in enumerate(keys) if k in order and order.index(k) > rank]
        return min(later) if later else len(keys)
    for name in reversed(before):
        if name in keys:
            return keys.index(name) + 1
    return next((keys.index(name) for name in behind if name in keys), len(keys))


def _in_order(entries: list[Entry], wanted: list[str]) -> tuple[list[Entry], bool]:
    """Entries with wanted keys in the wanted order, in the places that such entries have; others stay."""
    rank = {key: position for position, key in enumerate(wanted)}
    places = [i for i, entry in enumerate(entries) if entry.key in rank]
    sorted_entries = sorted((entries[i] for i in places), key=lambda entry: rank[entry.key])
    result = list(entries)
    for place, entry in zip(places, sorted_entries, strict=True):
        result[place] = entry
    return result, any(a is not b for a, b in zip(result, entries, strict=True))
