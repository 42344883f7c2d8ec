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


class _Keys:
    """The keys that a mapping has, itself or by `<<`, and the keys that it shall have."""

    def __init__(self, node: Mapping, wants: SequenceABC[Want], managed: frozenset[str] | set[str]) -> None:
        self.node = node
        self.managed = managed
        self.effective = effective_entries(node)
        self.merged = merged_keys(node)
        #: By the key that they have now.
        self.wants = {w.old_key: w for w in wants if w.old_key is not None and w.old_key in self.effective}
        renamed = {key for key, want in self.wants.items() if want.key != key}
        #: Whether `<<` has to be written out, since a key that it brings is removed or renamed.
        self.unmerged = any(key in renamed or self.is_removed(key) for key in self.merged)

    def is_removed(self, key: str) -> bool:
        return key in self.managed and key not in self.wants

    def are_unchanged(self, entries: SequenceABC[Entry]) -> bool:
        """Whether these are the entries of the mapping, key by key and node by node."""
        return len(entries) == len(self.node.entries) and all(
            entry.index == index and entry.value is value and entry.key == (key_text(key) or "")
            for index, (entry, (key, value)) in enumerate(zip(entries, self.node.entries, strict=True))
        )


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
        inner_plan = plan(node.target)
        if inner_plan is node.target:
            return node
        line = self.source.source.line_column(node.start)[0]
        self.notes.append(
            f"The alias *{node.name} in line {line} was written out, since its value was changed there alone"
        )
        return Fresh(spelled_plan(inner_plan, self.text), node.target, node)

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
        keys = _Keys(node, wants, managed)
        names = [want.key for want in wants]
        entries = self._present_entries(keys)
        entries += self._merged_entries(keys, {entry.key for entry in entries})
        if ordered:
            entries = _in_order(entries, names)
        for position, want in enumerate(wants):
            if want.old_key in keys.effective:
                continue
            made = want.value(None)
            fresh = made if isinstance(made, Fresh) and made.old is None else Fresh(self.fresh_value(made))
            place = _place(entries, want.key, names[:position], names[position + 1 :], order)
            entries.insert(place, Entry(want.key, fresh))
        return node if keys.are_unchanged(entries) else MappingEdit(node, tuple(entries))

    def _present_entries(self, keys: _Keys) -> list[Entry]:
        """The entries that the mapping has itself, without those that go."""
        entries: list[Entry] = []
        for index, (key_node, value_node) in enumerate(keys.node.entries):
            key = key_text(key_node)
            want: Want | None = None
            if is_merge(key_node):
                if keys.unmerged:
                    line = self.source.source.line_column(key_node.start)[0]
                    self.notes.append(
                        f"The merge key << in line {line} was written out, since one of its keys was removed"
                    )
                    continue
            elif key is not None:
                if keys.is_removed(key):
                    continue
                # An earlier one of duplicates stays: it is refused before anything changes it.
                want = keys.wants.get(key) if keys.effective[key][1] is value_node else None
            if want is None:
                entries.append(Entry(key or "", value_node, index))
            else:
                entries.append(Entry(want.key, want.value(value_node), index))
        return entries

    def _merged_entries(self, keys: _Keys, present: set[str]) -> list[Entry]:
        """Entries that `<<` brings, written out where their values change or the merge key goes."""
        entries: list[Entry] = []
        for key in keys.merged:
            want = keys.wants.get(key)
            value_node = keys.effective[key][1]
            if want is not None:
                made = want.value(value_node)
                if made is not value_node or keys.unmerged:
                    entries.append(Entry(want.key, Fresh(self.fresh_value(made), resolved(value_node))))
            elif keys.unmerged and key not in keys.managed and key not in present:
                entries.append(Entry(key, Fresh(spelled(value_node, self.text))))
        return entries

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


def _in_order(entries: list[Entry], wanted: list[str]) -> list[Entry]:
    """Entries with wanted keys in the wanted order, in the places that such entries have; others stay."""
    rank = {key: position for position, key in enumerate(wanted)}
    places = [i for i, entry in enumerate(entries) if entry.key in rank]
    result = list(entries)
    for place, entry in zip(places, sorted((entries[i] for i in places), key=lambda e: rank[e.key]), strict=True):
        result[place] = entry
    return result
