"""Plans for an XRDF: how each part of its text is edited to say what a changed model says.

`parts` lists the parts of an XRDF. This module edits each kind of part: mappings with fixed keys,
mappings by name, lists, vectors, single values. A sphere that moves to another link keeps its
spelling and comments.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence as SequenceABC
from dataclasses import dataclass, replace
from functools import cached_property, partial

from editor_app.core.formats.xrdf.parts import (
    FixedMapping,
    LineList,
    Ordered,
    Vector,
    build_parts,
    build_sections,
)
from editor_app.core.formats.xrdf.read import XrdfSource
from editor_app.core.model.findings import YamlPath
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.lineage import NEW, Lineage, Path, Trace
from editor_app.core.model.xrdf import CollisionSphere, GeometryGroup, Modifier, Xrdf
from editor_app.core.text.source import FormatError
from editor_app.core.text.yaml.nodes import (
    Alias,
    Mapping,
    Node,
    Scalar,
    Sequence,
    child,
    collect_entries,
    get_key_text,
    is_merge,
    merged_keys,
    resolve_alias,
)
from editor_app.core.text.yaml.plan import (
    Block,
    Commented,
    EntryEdit,
    FlowMap,
    Fresh,
    MappingEdit,
    Plan,
    SequenceEdit,
    Spelled,
    spelled,
    spelled_plan,
)
from editor_app.core.text.yaml.splicer import Splicer, comments_of


@dataclass(frozen=True, slots=True)
class Want:
    """A key that a mapping shall have. `value` makes its plan from the present node (None: the key
    is new)."""

    key: str
    value: Callable[[Node | None], Plan]
    #: The present key; None when the entry is new.
    old_key: str | None = None


class _Keys:
    """The keys that a mapping has, itself or by `<<`, and the keys that it shall have."""

    def __init__(self, node: Mapping, wants: SequenceABC[Want], managed: set[str]) -> None:
        self.node = node
        self.managed = managed
        self.effective = collect_entries(node)
        self.merged = merged_keys(node)
        #: Present key -> wanted entry.
        self.wants = {
            w.old_key: w for w in wants if w.old_key is not None and w.old_key in self.effective
        }
        renamed = {key for key, want in self.wants.items() if want.key != key}
        #: Whether `<<` has to be written out, since a key that it brings is removed or renamed.
        self.unmerged = any(key in renamed or self.is_removed(key) for key in self.merged)

    def is_removed(self, key: str) -> bool:
        return key in self.managed and key not in self.wants

    def are_unchanged(self, entries: SequenceABC[EntryEdit]) -> bool:
        """Whether these are the entries of the mapping, key by key and node by node."""
        return len(entries) == len(self.node.entries) and all(
            entry.index == index and entry.value is value and entry.key == (get_key_text(key) or "")
            for index, (entry, (key, value)) in enumerate(
                zip(entries, self.node.entries, strict=True)
            )
        )


@dataclass(frozen=True, slots=True)
class _Anew:
    """A section (its key, its part) that is written as a whole, in place of its present text."""

    key: str
    part: object


class XrdfPlanner:
    """Makes the plan from the model as read to a changed model. `notes` collects sentences for the
    user.

    `anew` names the sections (fields of Xrdf) that are to be written as a whole. `lineage` leads
    from the model as read to the changed one, if it is known.
    """

    def __init__(
        self,
        source: XrdfSource,
        new: Xrdf,
        anew: frozenset[str] = frozenset(),
        lineage: Lineage[Xrdf] | None = None,
    ) -> None:
        self.source = source
        self.old = source.value
        self.new = new
        self.trace = Lineage.between(self.old, new, lineage).settled()
        self.anew = anew
        self.text = source.source.text
        self.notes: list[str] = []

    def plan(self) -> Plan:
        """The plan of the whole text. Raises FormatError for two groups of one name."""
        groups = self.new.geometry or ()
        if len({group.name for group in groups}) != len(groups):
            raise FormatError(
                "Two geometry groups have the same name", self.source.location(("geometry",))
            )
        key, new_key = self._world_keys()
        wanted = build_sections(self.new, new_key)
        entries = []
        for name, part in wanted.entries:
            is_anew = (
                part is not None and ("world_collision" if name == new_key else name) in self.anew
            )
            # A note names the section as the file does.
            entries.append(
                (name, _Anew(key if name == new_key else name, part) if is_anew else part)
            )
        wanted = replace(wanted, entries=tuple(entries))
        return self._fields(self.source.root, build_sections(self.old, key), wanted, self.trace)

    def _world_keys(self) -> tuple[str, str]:
        """The present and the wanted key of the section for obstacles, which depends on the
        version."""
        names = {"1.0": "collision", "2.0": "world_collision"}
        key = self.source.world_key
        old, new = self.old.format_version or "", self.new.format_version or ""
        if not _has(self.source.root, key):
            key = names.get(new, key)
            return key, key
        if (
            old != new
            and new in names
            and names.get(old, key) == key
            and not _has(self.source.root, names[new])
        ):
            return key, names[new]
        return key, key

    # -- kinds of parts

    def value(
        self,
        node: Node | None,
        old: object,
        new: object,
        trace: Trace = NEW,
        like: Node | None = None,
    ) -> Plan:
        """The plan for a node that was read as `old` and shall say `new`; a new value without a
        node.

        `trace` says where the parts of `new` come from. `like` is a list whose style a new one
        takes.
        """
        if isinstance(new, _Anew):
            return self._written_anew(node, new, trace)
        new_part, old_part = build_parts(new), build_parts(old)
        if (
            node is not None
            and old is not None
            and (old is new or (old_part == new_part and trace.is_plain))
        ):
            return node
        if (
            isinstance(new, GeometryGroup)
            and new.clone
            and not new.spheres
            and not _has(node, "spheres")
        ):
            # A group that takes over the spheres of others need not say that it has none itself.
            new_part = FixedMapping((("spheres", None), ("clone", new.clone)))
        if isinstance(new_part, FixedMapping):
            return self._fields(
                node, old_part if isinstance(old_part, FixedMapping) else None, new_part, trace
            )
        if isinstance(new_part, FrozenDict):
            return self._named(
                node,
                old_part if isinstance(old_part, FrozenDict) else FrozenDict(),
                new_part,
                trace,
            )
        if isinstance(new_part, Vector):
            return self._vector(node, old_part if isinstance(old_part, tuple) else None, new_part)
        if isinstance(new_part, tuple):
            return self._list(
                node, old_part if isinstance(old_part, tuple) else None, new_part, trace, like
            )
        return self._single(node, new_part)

    def _written_anew(self, node: Node | None, new: _Anew, trace: Trace) -> Plan:
        if node is None:
            return self.value(None, None, new.part, trace)
        line = self.source.source.line_column(node.start)[0]
        self.notes.append(
            f"The section {new.key} (line {line}) was rewritten; comments in it are lost"
        )
        return Fresh(self._new(new.part), None, node)

    def _single(self, node: Node | None, value: object) -> Plan:
        target = None if node is None else resolve_alias(node)
        if isinstance(value, Spelled) and isinstance(target, Scalar) and target.style != "":
            value = value.text
        return Fresh(value, target, node)

    def _new(self, value: object, trace: Trace = NEW) -> object:
        """The plan of a value that is new in the text."""
        return spelled_plan(self.value(None, None, value, trace), self.text)

    def _fields(
        self, node: Node | None, old: FixedMapping | None, new: FixedMapping, trace: Trace
    ) -> Plan:
        before = old.entries if old is not None else tuple((key, None) for key, _ in new.entries)
        wants: list[Want] = []
        managed: set[str] = set()
        for (old_key, was), (key, shall) in zip(before, new.entries, strict=True):
            if shall is not None:
                field = "world_collision" if key == "collision" else key
                make = partial(self.value, old=was, new=shall, trace=trace.child(field))
                wants.append(Want(key, make, old_key if _has(node, old_key) else None))
            elif was is not None:
                managed.add(old_key)
        plan = self._mapping(node, wants, managed, order=new.order)
        if (
            node is None
            and new.in_braces
            and isinstance(plan, Fresh)
            and isinstance(plan.value, dict)
        ):
            return Fresh(FlowMap(plan.value))
        return plan

    def _named(
        self,
        node: Node | None,
        old: FrozenDict[str, object],
        new: FrozenDict[str, object],
        trace: Trace,
    ) -> Plan:
        if isinstance(new, Ordered):
            # The model lists geometry groups, the text names them.
            trace = replace(
                trace, children={name: trace.child(index) for index, name in enumerate(new)}
            )
        names = list(old)
        like = self._like_lists(node, new)
        wants = []
        for (key, value), step in zip(new.items(), trace.steps(new), strict=True):
            old_key = names[step] if isinstance(step, int) else step
            if old_key is None and key not in old and _has(node, key):
                # An unreadable entry of that name is replaced.
                old_key = key
            make = partial(
                self.value, old=old.get(old_key or ""), new=value, trace=trace.child(key), like=like
            )
            wants.append(Want(key, make, old_key))
        is_ordered = isinstance(new, Ordered)
        return self._mapping(
            node, wants, set(old) - {want.old_key for want in wants}, ordered=is_ordered
        )

    def _vector(self, node: Node | None, old: tuple[object, ...] | None, new: Vector) -> Plan:
        if node is None:
            return Fresh(list(new))

        def plan(target: Node) -> Plan:
            if old is None or not isinstance(target, Sequence) or len(target.items) != len(new):
                return Fresh(list(new), target, target)
            return SequenceEdit(target, tuple(map(self.value, target.items, old, new)))

        return self._through(node, plan)

    def _list(
        self,
        node: Node | None,
        old: tuple[object, ...] | None,
        new: tuple[object, ...],
        trace: Trace,
        like: Node | None,
    ) -> Plan:
        """A list: readable items are matched with the wanted ones; an unreadable one stays behind
        the item before."""

        def values() -> list[object]:
            return [self._fresh(item, trace.child(index)).value for index, item in enumerate(new)]

        if node is None:
            return Fresh(Block(values()) if isinstance(new, LineList) else values(), like)

        def plan(target: Node) -> Plan:
            if not isinstance(target, Sequence) or not target.items or old is None:
                return Fresh(values(), like, target)
            return self._aligned(target, old, new, trace)

        return self._through(node, plan)

    def _aligned(
        self, node: Sequence, old: tuple[object, ...], new: tuple[object, ...], trace: Trace
    ) -> Plan:
        places = self.source.places(node, len(old))
        origins = [step if isinstance(step, int) else None for step in trace.steps(range(len(new)))]
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
        for index, (item, origin) in enumerate(zip(new, origins, strict=True)):
            if origin is None:
                parts.append(self._fresh(item, trace.child(index)))
                continue
            place, before = places[origin], old[origin]
            if isinstance(item, Modifier) and type(before) is not type(item):
                parts.append(Fresh(self._new(item), None, node.items[place]))
            else:
                parts.append(self.value(node.items[place], before, item, trace.child(index)))
            parts += followers.get(place, ())
        moved_away = frozenset(
            places[index]
            for index in range(len(old))
            if index not in origins
            and trace.origin is not None
            and (*trace.origin, index) in self._taken
        )
        return SequenceEdit(node, tuple(parts), moved_away)

    # -- aliases

    def _through(self, node: Node, plan: Callable[[Node], Plan]) -> Plan:
        """The plan of a value that may be an alias. An edit inside an alias writes it out; the
        anchor stays."""
        if not isinstance(node, Alias):
            return plan(node)
        inner_plan = plan(node.target)
        if inner_plan is node.target:
            return node
        line = self.source.source.line_column(node.start)[0]
        self.notes.append(
            f"The alias *{node.name} in line {line} was expanded because its value changed only "
            "there"
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
        """A mapping with these keys. Present keys that are neither wanted nor `managed` stay as
        they are.

        New keys go where `order` (names) wants them, else behind the wanted key before them. With
        `ordered`, keys that are there already take the order of `wants`, too.
        """

        def fresh(old: Node | None) -> Fresh:
            return Fresh(
                {want.key: spelled_plan(want.value(None), self.text) for want in wants}, None, old
            )

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
            fresh = (
                made
                if isinstance(made, Fresh) and made.old is None
                else Fresh(spelled_plan(made, self.text))
            )
            place = _place(entries, want.key, names[:position], names[position + 1 :], order)
            entries.insert(place, EntryEdit(want.key, fresh))
        return node if keys.are_unchanged(entries) else MappingEdit(node, tuple(entries))

    def _present_entries(self, keys: _Keys) -> list[EntryEdit]:
        """The mapping's own entries, without removed ones."""
        entries: list[EntryEdit] = []
        for index, (key_node, value_node) in enumerate(keys.node.entries):
            key = get_key_text(key_node)
            want: Want | None = None
            if is_merge(key_node):
                if keys.unmerged:
                    line = self.source.source.line_column(key_node.start)[0]
                    self.notes.append(
                        f"The merge key << in line {line} was expanded because one of its keys was "
                        "removed"
                    )
                    continue
            elif key is not None:
                if keys.is_removed(key):
                    continue
                # Of duplicates the earlier one stays: a change of it is refused before.
                want = keys.wants.get(key) if keys.effective[key][1] is value_node else None
            if want is None:
                entries.append(EntryEdit(key or "", value_node, index))
            else:
                entries.append(EntryEdit(want.key, want.value(value_node), index))
        return entries

    def _merged_entries(self, keys: _Keys, present: set[str]) -> list[EntryEdit]:
        """Entries that `<<` brings, written out where their values change or the merge key goes."""
        entries: list[EntryEdit] = []
        for key in keys.merged:
            want = keys.wants.get(key)
            value_node = keys.effective[key][1]
            if want is not None:
                made = want.value(value_node)
                if made is not value_node or keys.unmerged:
                    entries.append(
                        EntryEdit(
                            want.key,
                            Fresh(spelled_plan(made, self.text), resolve_alias(value_node)),
                        )
                    )
            elif keys.unmerged and key not in keys.managed and key not in present:
                entries.append(EntryEdit(key, Fresh(spelled(value_node, self.text))))
        return entries

    # -- spheres, which move

    def _fresh(self, item: object, trace: Trace) -> Fresh:
        """A new item of a list. A sphere that comes from another list keeps its comments, and its
        unchanged numbers their spelling."""
        present = self._sphere_nodes.get(trace.origin or self._copied.get(id(item), ()))
        if present is None:
            return Fresh(self._new(item, trace))
        parent, place, old = present
        value = spelled_plan(self.value(parent.items[place], old, item), self.text)
        if isinstance(value, FlowMap):
            value = dict(value)
        if trace.origin is None:
            return Fresh(value)
        return Fresh(Commented(value, *comments_of(self._splicer, parent, place)))

    @cached_property
    def _sphere_nodes(self) -> dict[Path, tuple[Sequence, int, CollisionSphere]]:
        """Path in the model as read -> list, place in it, and sphere: for those that move or are
        copied."""
        nodes: dict[Path, tuple[Sequence, int, CollisionSphere]] = {}
        for number, group in enumerate(self.old.geometry or ()):
            for frame, spheres in group.spheres.items():
                path: YamlPath = ("geometry", group.name, "spheres", frame)
                listed = self.source.node(path)
                listed = None if listed is None else resolve_alias(listed)
                if not isinstance(listed, Sequence):
                    continue
                places = self.source.places(listed, len(spheres))
                for index, (place, sphere) in enumerate(zip(places, spheres, strict=True)):
                    if isinstance(listed.items[place], Mapping):
                        nodes["geometry", number, "spheres", frame, index] = (listed, place, sphere)
        return nodes

    @cached_property
    def _taken(self) -> frozenset[Path]:
        """Paths in the model as read of the parts that are still there."""
        return frozenset(self.trace.origins())

    @cached_property
    def _copied(self) -> dict[int, Path]:
        """Sphere of the model as read, by its identity -> its path."""
        return {id(sphere): path for path, (_, _, sphere) in self._sphere_nodes.items()}

    @cached_property
    def _splicer(self) -> Splicer:
        return Splicer(self.text, self.source.tree)

    def _like_lists(self, node: Node | None, new: FrozenDict[str, object]) -> Node | None:
        """A list that gives new ones its style: the last one there that is not empty; for spheres,
        any of the file."""
        full_list = _full_list(node)
        if full_list is not None or not any(
            isinstance(v, tuple) and _holds_spheres(v) for v in new.values()
        ):
            return full_list
        paths: list[YamlPath] = [
            ("geometry", group.name, "spheres") for group in self.old.geometry or ()
        ]
        return next(
            (full for path in paths if (full := _full_list(self.source.node(path))) is not None),
            None,
        )


def _holds_spheres(items: tuple[object, ...]) -> bool:
    return bool(items) and isinstance(items[0], CollisionSphere)


def _has(node: Node | None, key: str) -> bool:
    return node is not None and child(node, key) is not None


def _full_list(node: Node | None) -> Node | None:
    """The last list under a mapping that is not empty."""
    node = None if node is None else resolve_alias(node)
    values = reversed([value for _, value in node.entries]) if isinstance(node, Mapping) else ()
    return next((value for value in values if isinstance(value, Sequence) and value.items), None)


def _place(
    entries: list[EntryEdit],
    key: str,
    before: list[str],
    behind: list[str],
    order: SequenceABC[str],
) -> int:
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


def _in_order(entries: list[EntryEdit], wanted: list[str]) -> list[EntryEdit]:
    """Entries with wanted keys change places among themselves, into the wanted order. Other entries
    stay."""
    rank = {key: position for position, key in enumerate(wanted)}
    places = [i for i, entry in enumerate(entries) if entry.key in rank]
    result = list(entries)
    for place, entry in zip(
        places, sorted((entries[i] for i in places), key=lambda e: rank[e.key]), strict=True
    ):
        result[place] = entry
    return result
