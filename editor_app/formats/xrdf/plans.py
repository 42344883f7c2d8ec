"""Plans for an XRDF: how each part of its text is edited to say what a changed model says.

`parts` lists the parts of an XRDF. This module edits each kind of part: mappings with fixed keys, mappings by name,
lists, vectors, single values. A sphere that moves to another link keeps its spelling and comments.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from collections.abc import Sequence as SequenceABC
from dataclasses import dataclass, replace
from functools import cached_property, partial

from editor_app.formats.source import FormatError
from editor_app.formats.xrdf.parts import Fields, Lines, Ordered, Vector, alignment, parts_of, renames, sections
from editor_app.formats.xrdf.read import XrdfSource
from editor_app.formats.yaml.nodes import (
    Alias,
    Layout,
    Mapping,
    Node,
    Scalar,
    Sequence,
    child,
    effective_entries,
    is_merge,
    key_text,
    merged_keys,
    resolved,
    walk,
)
from editor_app.formats.yaml.plan import (
    Block,
    Entry,
    FlowMap,
    Fresh,
    MappingEdit,
    Plan,
    SequenceEdit,
    Spelled,
    spelled,
    spelled_plan,
)
from editor_app.formats.yaml.splicer import Splicer
from editor_app.model.findings import YamlPath
from editor_app.model.frozen import FrozenDict
from editor_app.model.xrdf import AddFrame, CollisionSphere, GeometryGroup, Modifier, Xrdf

_COMMENT = re.compile(r"(?<=[ \t])#")


@dataclass(frozen=True, slots=True)
class Want:
    """A key that a mapping shall have. `value` makes its plan from the present node (None: the key is new)."""

    key: str
    value: Callable[[Node | None], Plan]
    #: The present key; None when the entry is new.
    old_key: str | None = None


class _Keys:
    """The keys that a mapping has, itself or by `<<`, and the keys that it shall have."""

    def __init__(self, node: Mapping, wants: SequenceABC[Want], managed: set[str]) -> None:
        self.node = node
        self.managed = managed
        self.effective = effective_entries(node)
        self.merged = merged_keys(node)
        #: Present key -> wanted entry.
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


@dataclass(frozen=True, slots=True)
class _Anew:
    """A section (its key, its part) that is written as a whole, in place of its present text."""

    key: str
    part: object


class XrdfPlanner:
    """Makes the plan from the model as read to a changed model. `notes` collects sentences for the user.

    `anew` names the sections (fields of Xrdf) that are to be written as a whole.
    """

    def __init__(self, source: XrdfSource, new: Xrdf, anew: frozenset[str] = frozenset()) -> None:
        self.source = source
        self.old = source.xrdf
        self.new = new
        self.anew = anew
        self.text = source.source.text
        self.notes: list[str] = []

    def plan(self) -> Plan:
        """The plan of the whole text. Raises FormatError for two groups of one name."""
        groups = self.new.geometry or ()
        if len({group.name for group in groups}) != len(groups):
            raise FormatError("Two geometry groups have the same name", self.source.location(("geometry",)))
        key, new_key = self._world_keys()
        wanted = sections(self.new, new_key)
        entries = []
        for name, part in wanted.entries:
            is_anew = part is not None and ("world_collision" if name == new_key else name) in self.anew
            # A note names the section as the file does.
            entries.append((name, _Anew(key if name == new_key else name, part) if is_anew else part))
        return self._fields(self.source.root, sections(self.old, key), replace(wanted, entries=tuple(entries)))

    def _world_keys(self) -> tuple[str, str]:
        """The present and the wanted key of the section for obstacles, which depends on the version."""
        names = {"1.0": "collision", "2.0": "world_collision"}
        key = self.source.world_key
        old, new = self.old.format_version or "", self.new.format_version or ""
        if not _has(self.source.root, key):
            key = names.get(new, key)
            return key, key
        if old != new and new in names and names.get(old, key) == key and not _has(self.source.root, names[new]):
            return key, names[new]
        return key, key

    # -- kinds of parts

    def value(self, node: Node | None, old: object, new: object, like: Node | None = None) -> Plan:
        """The plan for a node that was read as `old` and shall say `new`; a new value without a node.

        `like` is a list whose style a new one takes.
        """
        if isinstance(new, _Anew):
            if node is None:
                return self.value(None, None, new.part)
            line = self.source.source.line_column(node.start)[0]
            self.notes.append(f"The section {new.key} (line {line}) was written anew; comments in it are lost")
            return Fresh(self._new(new.part), None, node)
        new_part, old_part = parts_of(new), parts_of(old)
        if node is not None and old is not None and (old is new or old_part == new_part):
            return node
        if isinstance(new, GeometryGroup) and new.clone and not new.spheres and not _has(node, "spheres"):
            # A group that takes over the spheres of others need not say that it has none itself.
            new_part = Fields((("spheres", None), ("clone", new.clone)))
        if isinstance(new_part, Fields):
            return self._fields(node, old_part if isinstance(old_part, Fields) else None, new_part)
        if isinstance(new_part, FrozenDict):
            return self._named(node, old_part if isinstance(old_part, FrozenDict) else FrozenDict(), new_part)
        if isinstance(new_part, Vector):
            return self._vector(node, old_part if isinstance(old_part, tuple) else None, new_part)
        if isinstance(new_part, tuple):
            return self._list(node, old_part if isinstance(old_part, tuple) else None, new_part, like)
        return self._single(node, new_part)

    def _single(self, node: Node | None, value: object) -> Plan:
        target = None if node is None else resolved(node)
        if isinstance(value, Spelled) and isinstance(target, Scalar) and target.style != "":
            value = value.text
        return Fresh(value, target, node)

    def _new(self, value: object) -> object:
        """The plan of a value that is new in the text."""
        return spelled_plan(self.value(None, None, value), self.text)

    def _fields(self, node: Node | None, old: Fields | None, new: Fields) -> Plan:
        before = old.entries if old is not None else tuple((key, None) for key, _ in new.entries)
        wants: list[Want] = []
        managed: set[str] = set()
        for (old_key, was), (key, shall) in zip(before, new.entries, strict=True):
            if shall is not None:
                make = partial(self.value, old=was, new=shall)
                wants.append(Want(key, make, old_key if _has(node, old_key) else None))
            elif was is not None:
                managed.add(old_key)
        plan = self._mapping(node, wants, managed, order=new.order)
        if node is None and new.in_braces and isinstance(plan, Fresh) and isinstance(plan.value, dict):
            return Fresh(FlowMap(plan.value))
        return plan

    def _named(self, node: Node | None, old: FrozenDict[str, object], new: FrozenDict[str, object]) -> Plan:
        renamed = renames(_contents(old), _contents(new))
        like = self._like_lists(node, new)
        wants = []
        for key, value in new.items():
            old_key = renamed.get(key, key if key in old else None)
            before = old.get(old_key) if old_key is not None else None
            if old_key is None and _has(node, key):
                # An unreadable entry of that name is replaced.
                old_key = key
            wants.append(Want(key, partial(self.value, old=before, new=value, like=like), old_key))
        is_ordered = isinstance(new, Ordered)
        return self._mapping(node, wants, set(old) - set(renamed.values()), ordered=is_ordered)

    def _vector(self, node: Node | None, old: tuple[object, ...] | None, new: Vector) -> Plan:
        if node is None:
            return Fresh(list(new))

        def plan(target: Node) -> Plan:
            if old is None or not isinstance(target, Sequence) or len(target.items) != len(new):
                return Fresh(list(new), target, target)
            return SequenceEdit(target, tuple(map(self.value, target.items, old, new)))

        return self._through(node, plan)

    def _list(
        self, node: Node | None, old: tuple[object, ...] | None, new: tuple[object, ...], like: Node | None
    ) -> Plan:
        """A list: readable items are matched with the wanted ones; an unreadable one stays behind the item before."""
        if node is None:
            values = [self._fresh(item).value for item in new]
            return Fresh(Block(values) if isinstance(new, Lines) else values, like)

        def plan(target: Node) -> Plan:
            if not isinstance(target, Sequence) or not target.items or old is None:
                return Fresh([self._fresh(item).value for item in new], like, target)
            return self._aligned(target, old, new)

        return self._through(node, plan)

    def _aligned(self, node: Sequence, old: tuple[object, ...], new: tuple[object, ...]) -> Plan:
        places = self.source.places(node, len(old))
        origins = alignment(old, new, _likeness)
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
                parts.append(self._fresh(item))
                continue
            place, before = places[origin], old[origin]
            if isinstance(item, Modifier) and type(before) is not type(item):
                parts.append(Fresh(self._new(item), None, node.items[place]))
            else:
                parts.append(self.value(node.items[place], before, item))
            parts += followers.get(place, ())
        return SequenceEdit(node, tuple(parts))

    # -- aliases

    def _through(self, node: Node, plan: Callable[[Node], Plan]) -> Plan:
        """The plan of a value that may be an alias. An edit inside an alias writes it out; the anchor stays."""
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

    # -- mappings

    def _mapping(
        self,
        node: Node | None,
        wants: SequenceABC[Want],
        managed: set[str],
        *,
        ordered: bool = False,
        order: SequenceABC[str] = (),
    ) -> Plan:
        """A mapping with these keys. Present keys that are neither wanted nor `managed` stay as they are.

        New keys go where `order` (names) wants them, else behind the wanted key before them. With `ordered`, keys
        that are there already take the order of `wants`, too.
        """

        def fresh(old: Node | None) -> Fresh:
            return Fresh({want.key: spelled_plan(want.value(None), self.text) for want in wants}, None, old)

        if node is None:
            return fresh(None)

        def plan(target: Node) -> Plan:
            if not isinstance(target, Mapping):
                return fresh(target)
            return self._edited(target, wants, managed, ordered, order)

        return self._through(node, plan)

    def _edited(
        self,
        node: Mapping,
        wants: SequenceABC[Want],
        managed: set[str],
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
            fresh = made if isinstance(made, Fresh) and made.old is None else Fresh(spelled_plan(made, self.text))
            place = _place(entries, want.key, names[:position], names[position + 1 :], order)
            entries.insert(place, Entry(want.key, fresh))
        return node if keys.are_unchanged(entries) else MappingEdit(node, tuple(entries))

    def _present_entries(self, keys: _Keys) -> list[Entry]:
        """The mapping's own entries, without removed ones."""
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
                # Of duplicates the earlier one stays: a change of it is refused before.
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
                    entries.append(Entry(want.key, Fresh(spelled_plan(made, self.text), resolved(value_node))))
            elif keys.unmerged and key not in keys.managed and key not in present:
                entries.append(Entry(key, Fresh(spelled(value_node, self.text))))
        return entries

    # -- spheres, which move

    def _fresh(self, item: object) -> Fresh:
        """A new item of a list. A sphere that comes from another list keeps its spelling and comments."""
        moved = self._sphere_nodes.get(id(item)) if isinstance(item, CollisionSphere) else None
        if moved is None:
            return Fresh(self._new(item))
        node, parent = moved
        value = spelled(node, self.text)
        if isinstance(value, FlowMap):
            value = dict(value)
        if self._counted[id(item)] != 1:
            return Fresh(value)
        above, behind = ((), "") if parent.flow else self._comments(node)
        return Fresh(value, above=above, behind=behind)

    @cached_property
    def _sphere_nodes(self) -> dict[int, tuple[Node, Sequence]]:
        """Sphere of the model as read (by identity) -> its node, for spheres that move to another link."""
        nodes: dict[int, tuple[Node, Sequence]] = {}
        for group in self.old.geometry or ():
            for frame, spheres in group.spheres.items():
                path: YamlPath = ("geometry", group.name, "spheres", frame)
                listed = self.source.node(path)
                listed = None if listed is None else resolved(listed)
                if not isinstance(listed, Sequence):
                    continue
                places = self.source.places(listed, len(spheres))
                for place, sphere in zip(places, spheres, strict=True):
                    if isinstance(listed.items[place], Mapping):
                        nodes[id(sphere)] = (listed.items[place], listed)
        return nodes

    @cached_property
    def _counted(self) -> Counter[int]:
        return Counter(
            id(sphere) for group in self.new.geometry or () for listed in group.spheres.values() for sphere in listed
        )

    @cached_property
    def layout(self) -> Layout:
        return Splicer(self.text, self.source.tree).layout

    def _comments(self, node: Node) -> tuple[tuple[str, ...], str]:
        """The comments of an item of a block list: (those to write above it, the one to write behind it)."""
        layout = self.layout
        first, last = layout.eol(node.start), layout.eol(node.end)
        scalars = [(n.start, n.end) for _, n in walk(node) if isinstance(n, Scalar)]
        comments: list[tuple[int, str]] = []
        for place in (match.start() for match in _COMMENT.finditer(layout.text, node.start, last)):
            covered = any(start <= place < end for start, end in scalars)
            if not covered and (not comments or place >= layout.eol(comments[-1][0])):
                comments.append((place, layout.text[place : layout.eol(place)].rstrip()))
        behind = next((comment for place, comment in comments if place < first), "")
        return tuple(comment for place, comment in comments if place >= first), behind

    def _like_lists(self, node: Node | None, new: FrozenDict[str, object]) -> Node | None:
        """A list that gives new ones its style: the last one there that is not empty; for spheres, any of the file."""
        full_list = _full_list(node)
        if full_list is not None or not any(isinstance(v, tuple) and _holds_spheres(v) for v in new.values()):
            return full_list
        paths: list[YamlPath] = [("geometry", group.name, "spheres") for group in self.old.geometry or ()]
        return next((full for path in paths if (full := _full_list(self.source.node(path))) is not None), None)


def _holds_spheres(items: tuple[object, ...]) -> bool:
    return bool(items) and isinstance(items[0], CollisionSphere)


def _has(node: Node | None, key: str) -> bool:
    return node is not None and child(node, key) is not None


def _contents(named: FrozenDict[str, object]) -> FrozenDict[str, object]:
    """The value by which a renamed entry is recognised: for a group, its spheres."""
    return FrozenDict((name, v.spheres if isinstance(v, GeometryGroup) else v) for name, v in named.items())


def _full_list(node: Node | None) -> Node | None:
    """The last list under a mapping that is not empty."""
    node = None if node is None else resolved(node)
    values = reversed([value for _, value in node.entries]) if isinstance(node, Mapping) else ()
    return next((value for value in values if isinstance(value, Sequence) and value.items), None)


def _likeness(a: object, b: object) -> int:
    """How alike two items of a list are."""
    if isinstance(a, CollisionSphere) and isinstance(b, CollisionSphere):
        alike = sum(x == y for x, y in zip(a.center, b.center, strict=True))
        return 2 * (a.center == b.center) + (a.radius == b.radius) + alike
    if isinstance(a, AddFrame) and isinstance(b, AddFrame):
        return 1 + 2 * (a.frame_name == b.frame_name)
    return int(isinstance(a, Modifier) and type(a) is type(b))


def _place(entries: list[Entry], key: str, before: list[str], behind: list[str], order: SequenceABC[str]) -> int:
    """The place of a new entry."""
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
    """Entries with wanted keys change places among themselves, into the wanted order. Other entries stay."""
    rank = {key: position for position, key in enumerate(wanted)}
    places = [i for i, entry in enumerate(entries) if entry.key in rank]
    result = list(entries)
    for place, entry in zip(places, sorted((entries[i] for i in places), key=lambda e: rank[e.key]), strict=True):
        result[place] = entry
    return result
