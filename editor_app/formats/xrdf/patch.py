"""Model -> text without loss: what differs from the model as read becomes splices into the text as read."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from editor_app.formats.source import FormatError, SourceText
from editor_app.formats.xrdf.alignment import renames
from editor_app.formats.xrdf.planning import Planner, Want
from editor_app.formats.xrdf.read import SECTION_ORDER, XrdfSource, read_tree
from editor_app.formats.yaml.layout import CannotSplice, Layout, newline_of
from editor_app.formats.yaml.nodes import (
    Mapping,
    Node,
    Scalar,
    Sequence,
    child,
    effective_entries,
    resolved,
)
from editor_app.formats.yaml.plan import (
    Block,
    Entry,
    FlowMap,
    Fresh,
    MappingEdit,
    Plan,
    Spelled,
    spelled,
)
from editor_app.formats.yaml.scalars import number_of
from editor_app.formats.yaml.splices import Splicer, carry_out
from editor_app.model.findings import YamlPath
from editor_app.model.frozen import FrozenDict
from editor_app.model.xrdf import (
    AddFrame,
    CollisionSection,
    CollisionSphere,
    CSpace,
    GeometryGroup,
    Modifier,
    RemoveMimicAttributes,
    SelfCollisionSection,
    SetBaseFrame,
    Xrdf,
)

Spheres = FrozenDict[str, tuple[CollisionSphere, ...]]


@dataclass(frozen=True, eq=False)
class XrdfPatch:
    """`text` is what is to be saved; `notes` say what could not be edited in place; `written` is the text read again."""

    text: str
    notes: tuple[str, ...]
    written: XrdfSource


class ReadOnlyPart(FormatError):
    """The edit touches a part that the file has twice."""


def patch_xrdf(source: XrdfSource, xrdf: Xrdf) -> XrdfPatch:
    """The text of `source` with what differs in `xrdf` written into it; the result was read again and compared.

    Raises ReadOnlyPart for an edit of what stands in `source.read_only`, FormatError when a model cannot be written
    (a value that is not finite, two groups of one name).
    """
    old = source.xrdf
    if xrdf is old or xrdf == old:
        return XrdfPatch(source.source.text, (), source)
    _refuse_read_only(source, xrdf)
    planner = _XrdfPlanner(source, xrdf)
    plan = planner.plan()
    spliced = carry_out(source.source, source.tree, plan)
    written = read_tree(spliced.source, spliced.tree)
    notes = (*planner.notes, *spliced.notes)
    if written.xrdf != xrdf:
        differing = ", ".join(
            name for name in Xrdf.__dataclass_fields__ if getattr(written.xrdf, name) != getattr(xrdf, name)
        )
        raise FormatError(
            f"The change of {differing} cannot be written as XRDF",
            source.source.location(0),
            "Values must be finite numbers, and names must be unique.",
        )
    return XrdfPatch(spliced.source.text, tuple(dict.fromkeys(notes)), written)


def _refuse_read_only(source: XrdfSource, xrdf: Xrdf) -> None:
    for path, reason in source.read_only.items():
        if part_at(source.xrdf, path) != part_at(xrdf, path):
            raise ReadOnlyPart(f"{'.'.join(map(str, path))} cannot be edited: {reason}", source.location(path))


def part_at(xrdf: Xrdf, path: YamlPath) -> object:
    """The part of a model that a YAML path means, or the nearest part around it."""
    if not path:
        return xrdf
    name = "world_collision" if path[0] == "collision" else str(path[0])
    part: object = getattr(xrdf, name, None)
    for step in path[1:]:
        inner: object
        if isinstance(part, FrozenDict):
            inner = part.get(step)
        elif isinstance(part, tuple) and part and isinstance(part[0], GeometryGroup):
            inner = next((group for group in part if group.name == step), None)
        elif isinstance(part, (CollisionSection, CSpace, GeometryGroup)) and isinstance(step, str):
            inner = getattr(part, step, None)
        else:
            return part
        part = inner
    return part


def _sphere_likeness(a: CollisionSphere, b: CollisionSphere) -> int:
    return (
        2 * (a.center == b.center)
        + (a.radius == b.radius)
        + sum(x == y for x, y in zip(a.center, b.center, strict=True))
    )


def _plain_likeness(a: object, b: object) -> int:
    return 0


def _modifier_likeness(a: Modifier, b: Modifier) -> int:
    if type(a) is not type(b):
        return 0
    if isinstance(a, AddFrame) and isinstance(b, AddFrame):
        return 1 + 2 * (a.frame_name == b.frame_name)
    return 1


class _XrdfPlanner(Planner):
    def __init__(self, source: XrdfSource, new: Xrdf) -> None:
        super().__init__(source)
        self.old = source.xrdf
        self.new = new

    def plan(self) -> Plan:
        old, new = self.old, self.new
        wants: list[Want] = []
        managed: set[str] = set()

        def section(key: str, before: object, after: object, make: object, new_key: str | None = None) -> None:
            """`make(node)` plans the section; called only when it differs."""
            if after is None:
                if before is not None:
                    managed.add(key)
                return
            there = self._has(key)
            same = before is after or before == after
            wants.append(
                Want(
                    new_key or key,
                    lambda node: node if node is not None and same and before is not None else make(node),  # type: ignore[operator]
                    key if there else None,
                )
            )

        section("format", old.format, new.format, lambda node: self.scalar(new.format, node))
        section("format_version", old.format_version, new.format_version, self._version)
        section("modifiers", old.modifiers, new.modifiers, self._modifiers)
        section(
            "default_joint_positions",
            old.default_joint_positions,
            new.default_joint_positions,
            lambda node: self.number_map(node, old.default_joint_positions, new.default_joint_positions),
        )
        section("cspace", old.cspace, new.cspace, self._cspace)
        section(
            "tool_frames",
            old.tool_frames,
            new.tool_frames,
            lambda node: self.names(node, ("tool_frames",), old.tool_frames, new.tool_frames or ()),
        )
        key, new_key = self._world_keys()
        section(
            key,
            old.world_collision,
            new.world_collision,
            lambda node: self._collision(node, (key,), old.world_collision, new.world_collision),
            new_key,
        )
        section(
            "self_collision",
            old.self_collision,
            new.self_collision,
            lambda node: self._collision(node, ("self_collision",), old.self_collision, new.self_collision),
        )
        section("geometry", old.geometry, new.geometry, self._geometry)
        return self.mapping(self.source.root, wants, managed, order=SECTION_ORDER)

    def _has(self, key: str) -> bool:
        root = self.source.root
        return isinstance(root, Mapping) and key in effective_entries(root)

    def _world_keys(self) -> tuple[str, str]:
        """What the obstacle section is called, and what it is to be called: the version's name for it changes it."""
        names = {"1.0": "collision", "2.0": "world_collision"}
        key = self.source.world_key
        old, new = self.old.format_version or "", self.new.format_version or ""
        if not self._has(key):
            key = names.get(new, key)
            return key, key
        if old != new and new in names and names.get(old, key) == key and not self._has(names[new]):
            return key, names[new]
        return key, key

    def _version(self, node: Node | None) -> Plan:
        version = self.new.format_version or ""
        number = number_of(version)
        target = None if node is None else resolved(node)
        if number is not None and not (isinstance(target, Scalar) and target.style != ""):
            return Fresh(Spelled(version, number), target, node)
        return self.scalar(version, node)

    # -- shapes

    def names(
        self,
        node: Node | None,
        path: YamlPath,
        old: tuple[str, ...] | None,
        new: tuple[str, ...],
        like: Node | None = None,
    ) -> Plan:
        return self.listing(
            node, path, old, new, lambda n, o, v: self.scalar(v, n), lambda v: Fresh(v), _plain_likeness, like
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

    # -- sections

    def _cspace(self, node: Node | None) -> Plan:
        old, new = self.old.cspace or CSpace(), self.new.cspace or CSpace()
        wants: list[Want] = []
        managed: set[str] = set()

        def add(key: str, before: tuple[object, ...] | None, after: tuple[object, ...] | None) -> None:
            if after is None:
                if before is not None:
                    managed.add(key)
                return

            def make(there: Node | None) -> Plan:
                if there is None:
                    return Fresh(Block(after) if key == "joint_names" else list(after))
                return self.listing(
                    there,
                    ("cspace", key),
                    before,
                    after,
                    lambda n, o, v: self.scalar(v, n),
                    lambda v: Fresh(v),
                    _plain_likeness,
                )

            exists = node is not None and child(node, key) is not None
            wants.append(Want(key, make, key if exists else None))

        add("joint_names", old.joint_names, new.joint_names)
        add("acceleration_limits", old.acceleration_limits, new.acceleration_limits)
        add("jerk_limits", old.jerk_limits, new.jerk_limits)
        return self.mapping(node, wants, managed, order=("joint_names", "acceleration_limits", "jerk_limits"))

    def _collision(
        self, node: Node | None, path: YamlPath, old: CollisionSection | None, new: CollisionSection | None
    ) -> Plan:
        assert new is not None
        wants: list[Want] = []
        managed: set[str] = set()

        def want(key: str, before: object, after: object, make: object) -> None:
            if after is None:
                if before is not None:
                    managed.add(key)
                return
            there = node is not None and child(node, key) is not None
            same = before is not None and before == after
            wants.append(
                Want(key, lambda n: n if n is not None and same else make(n), key if there else None)  # type: ignore[operator]
            )

        old = old or CollisionSection()
        want("geometry", old.geometry, new.geometry, lambda n: self.scalar(new.geometry, n))
        want("buffer_distance", old.buffer_distance, new.buffer_distance, lambda n: self._buffers(n, old, new))
        if isinstance(new, SelfCollisionSection):
            before = old.ignore if isinstance(old, SelfCollisionSection) else None
            want("ignore", before, new.ignore, lambda n: self._ignore(n, (*path, "ignore"), before, new.ignore))
        return self.mapping(node, wants, managed, order=("geometry", "buffer_distance", "ignore"))

    def _buffers(self, node: Node | None, old: CollisionSection, new: CollisionSection) -> Plan:
        if not isinstance(new.buffer_distance, FrozenDict):
            return Fresh(new.buffer_distance, None if node is None else resolved(node), node)
        before = old.buffer_distance if isinstance(old.buffer_distance, FrozenDict) else None
        return self.number_map(node, before, new.buffer_distance)

    def _ignore(
        self,
        node: Node | None,
        path: YamlPath,
        old: FrozenDict[str, tuple[str, ...]] | None,
        new: FrozenDict[str, tuple[str, ...]] | None,
    ) -> Plan:
        new = FrozenDict() if new is None else new
        old = FrozenDict() if old is None else old
        renamed = renames(old, new)
        like = self._first_full(node)
        wants = []
        for frame, others in new.items():
            old_key = renamed.get(frame, frame if frame in old else None)
            before = old.get(old_key) if old_key is not None else None
            if old_key is None and node is not None and child(node, frame) is not None:
                old_key = frame
            inner = (*path, old_key if old_key is not None else frame)
            wants.append(
                Want(
                    frame,
                    lambda n, p=inner, b=before, v=others: self.names(n, p, b, v, like),  # type: ignore[misc]
                    old_key,
                )
            )
        return self.mapping(node, wants, set(old) - set(renamed.values()))

    def _first_full(self, node: Node | None) -> Node | None:
        """The first list with something in it under a mapping, for its style."""
        node = None if node is None else resolved(node)
        if isinstance(node, Mapping):
            for _, value in node.entries:
                if isinstance(value, Sequence) and value.items:
                    return value
        return None

    # -- geometry

    def _geometry(self, node: Node | None) -> Plan:
        old = {group.name: group for group in self.old.geometry or ()}
        groups = self.new.geometry or ()
        if len({group.name for group in groups}) != len(groups):
            raise FormatError("Two geometry groups have the same name", self.source.location(("geometry",)))
        renamed = self._renamed_groups(old, groups)
        wants = []
        for group in groups:
            old_key = renamed.get(group.name, group.name if group.name in old else None)
            before = old.get(old_key) if old_key is not None else None
            if old_key is None and node is not None and child(node, group.name) is not None:
                old_key = group.name
            wants.append(
                Want(group.name, lambda n, b=before, g=group: self._group(n, b, g), old_key)  # type: ignore[misc]
            )
        return self.mapping(node, wants, set(old) - set(renamed.values()), ordered=True)

    def _renamed_groups(self, old: dict[str, GeometryGroup], new: tuple[GeometryGroup, ...]) -> dict[str, str]:
        names = {group.name for group in new}
        gone = [name for name in old if name not in names]
        found: dict[str, str] = {}
        for index, group in enumerate(new):
            if group.name in old or not gone:
                continue
            place = list(old)
            for name in gone:
                same = old[name].spheres is group.spheres or old[name].spheres == group.spheres
                if (same and len(group.spheres) > 0) or (
                    same and index < len(place) and place[index] == name and len(old) == len(new)
                ):
                    found[group.name] = name
                    gone.remove(name)
                    break
        return found

    def _group(self, node: Node | None, old: GeometryGroup | None, new: GeometryGroup) -> Plan:
        if node is not None and old is not None and old.spheres == new.spheres and old.clone == new.clone:
            return node
        path: YamlPath = ("geometry", old.name if old is not None else new.name)
        wants: list[Want] = []
        managed: set[str] = set()
        has_spheres = node is not None and child(node, "spheres") is not None
        if has_spheres or new.spheres or not new.clone:
            before = old.spheres if old is not None else None

            def spheres(there: Node | None) -> Plan:
                if there is not None and before is not None and before == new.spheres:
                    return there
                return self._spheres(there, (*path, "spheres"), before, new.spheres)

            wants.append(Want("spheres", spheres, "spheres" if has_spheres else None))
        if new.clone is not None:
            has_clone = node is not None and child(node, "clone") is not None
            clone, had = new.clone, old.clone if old is not None else None
            wants.append(
                Want(
                    "clone",
                    lambda n: self.names(n, (*path, "clone"), had, clone),
                    "clone" if has_clone else None,
                )
            )
        elif old is not None and old.clone is not None:
            managed.add("clone")
        return self.mapping(node, wants, managed)

    def _spheres(self, node: Node | None, path: YamlPath, old: Spheres | None, new: Spheres) -> Plan:
        old = FrozenDict() if old is None else old
        renamed = renames(old, new)
        like = self._first_full(node) or self._any_spheres
        wants = []
        for frame, spheres in new.items():
            old_key = renamed.get(frame, frame if frame in old else None)
            before = old.get(old_key) if old_key is not None else None
            if old_key is None and node is not None and child(node, frame) is not None:
                old_key = frame
            inner = (*path, old_key if old_key is not None else frame)

            def make(
                there: Node | None,
                p: YamlPath = inner,
                b: tuple[CollisionSphere, ...] | None = before,
                v: tuple[CollisionSphere, ...] = spheres,
            ) -> Plan:
                return self.listing(there, p, b, v, self._sphere, self._new_sphere, _sphere_likeness, like)

            wants.append(Want(frame, make, old_key))
        return self.mapping(node, wants, set(old) - set(renamed.values()))

    @cached_property
    def _any_spheres(self) -> Node | None:
        """Any list of spheres of the file, for its style."""
        for group in self.old.geometry or ():
            found = self._first_full(self.source.node(("geometry", group.name, "spheres")))
            if found is not None:
                return found
        return None

    def _sphere(self, node: Node, old: CollisionSphere, new: CollisionSphere) -> Plan:
        wants = [
            Want("center", lambda n: self.numbers(new.center, n, old.center), "center"),
            Want("radius", lambda n: self.scalar(new.radius, n, old=old.radius), "radius"),
        ]
        return self.mapping(node, wants, set())

    def _new_sphere(self, sphere: CollisionSphere) -> Fresh:
        moved = self._sphere_nodes.get(id(sphere))
        if moved is None:
            return Fresh({"center": list(sphere.center), "radius": sphere.radius})
        node, parent, index = moved
        value = spelled(node, self.text)
        if isinstance(value, FlowMap):
            value = dict(value)
        if self._counted[id(sphere)] != 1:
            return Fresh(value)
        above, behind = self._comments(parent, index, node)
        return Fresh(value, above=above, behind=behind)

    @cached_property
    def _sphere_nodes(self) -> dict[int, tuple[Node, Sequence, int]]:
        """Sphere of the model as read (by identity) -> where it stands; for spheres that move to another link."""
        found: dict[int, tuple[Node, Sequence, int]] = {}
        for group in self.old.geometry or ():
            for frame, spheres in group.spheres.items():
                path: YamlPath = ("geometry", group.name, "spheres", frame)
                listed = self.source.node(path)
                listed = None if listed is None else resolved(listed)
                if not isinstance(listed, Sequence):
                    continue
                places = self.source.kept.get(path, range(len(spheres)))
                for place, sphere in zip(places, spheres, strict=True):
                    if isinstance(listed.items[place], Mapping):
                        found[id(sphere)] = (listed.items[place], listed, place)
        return found

    @cached_property
    def _counted(self) -> Counter[int]:
        return Counter(
            id(sphere) for group in self.new.geometry or () for listed in group.spheres.values() for sphere in listed
        )

    @cached_property
    def _layout(self) -> Layout:
        return Splicer(self.text, self.source.tree).layout

    def _comments(self, parent: Sequence, index: int, node: Node) -> tuple[tuple[str, ...], str]:
        """The comments above and behind an item of a block list."""
        if parent.flow:
            return (), ""
        layout = self._layout
        try:
            items = layout.items(parent)
        except CannotSplice:
            return (), ""
        item = items[index]
        above: list[str] = []
        if index:
            gap = layout.text[items[index - 1].body_end : item.body].splitlines()
            while gap and gap[-1].lstrip(" \t").startswith("#"):
                above.insert(0, gap.pop().strip())
        inside: list[str] = []
        ends = sorted(_leaf_ends(node))
        for end in ends:
            rest = layout.text[end : layout.eol(end)].lstrip(" \t,]}")
            if rest.startswith("#"):
                inside.append(rest.rstrip())
        behind = inside[0] if inside else ""
        return (*above, *inside[1:]), behind

    # -- modifiers

    def _modifiers(self, node: Node | None) -> Plan:
        return self.listing(
            node,
            ("modifiers",),
            self.old.modifiers,
            self.new.modifiers or (),
            self._modifier,
            lambda modifier: Fresh(_modifier_value(modifier)),
            _modifier_likeness,
        )

    def _modifier(self, node: Node, old: Modifier, new: Modifier) -> Plan:
        if type(old) is not type(new):
            return Fresh(_modifier_value(new), None, node)

        def plan(target: Node) -> Plan:
            if not isinstance(target, Mapping) or len(target.entries) != 1:
                return Fresh(_modifier_value(new), None, target)
            kind, (_, inner) = next(iter(effective_entries(target).items()))
            made: Plan
            if isinstance(new, SetBaseFrame):
                made = self.scalar(new.frame, inner)
            elif isinstance(new, AddFrame) and isinstance(old, AddFrame):
                made = self._add_frame(inner, old, new)
            elif isinstance(new, RemoveMimicAttributes) and isinstance(old, RemoveMimicAttributes):
                made = self._remove_mimic(inner, old, new)
            else:
                return Fresh(_modifier_value(new), None, target)
            return MappingEdit(target, (Entry(kind, made, 0),))

        return self.through(node, plan)

    def _add_frame(self, node: Node, old: AddFrame, new: AddFrame) -> Plan:
        wants = [
            Want(key, lambda n, k=key: self.scalar(getattr(new, k), n, old=getattr(old, k)), key)  # type: ignore[misc]
            for key in ("frame_name", "parent_frame_name", "joint_name")
        ]
        managed = set()
        if new.joint_type is not None:
            there = child(node, "joint_type") is not None
            wants.append(
                Want(
                    "joint_type",
                    lambda n: (
                        self.scalar(new.joint_type, n, old=old.joint_type)
                        if n is not None
                        else Fresh("FIXED" if new.joint_type == "FIXED" else new.joint_type)
                    ),
                    "joint_type" if there else None,
                )
            )
        elif old.joint_type is not None:
            managed.add("joint_type")
        wants.append(Want("fixed_transform", lambda n: self._transform(n, old, new), "fixed_transform"))
        return self.mapping(node, wants, managed)

    def _transform(self, node: Node | None, old: AddFrame, new: AddFrame) -> Plan:
        before, after = old.fixed_transform, new.fixed_transform
        if node is not None and before == after:
            return node

        def orientation(there: Node | None) -> Plan:
            w, *xyz = after.orientation_wxyz
            old_w, *old_xyz = before.orientation_wxyz
            return self.mapping(
                there,
                [
                    Want("w", lambda n: self.scalar(w, n, old=old_w), "w"),
                    Want("xyz", lambda n: self.numbers(xyz, n, old_xyz), "xyz"),
                ],
                set(),
            )

        return self.mapping(
            node,
            [
                Want("position", lambda n: self.numbers(after.position, n, before.position), "position"),
                Want("orientation", orientation, "orientation"),
            ],
            set(),
        )

    def _remove_mimic(self, node: Node, old: RemoveMimicAttributes, new: RemoveMimicAttributes) -> Plan:
        wants = [
            Want("joint_name", lambda n: self.scalar(new.joint_name, n, old=old.joint_name), "joint_name"),
            Want(
                "position_limits",
                lambda n: self.numbers(new.position_limits, n, old.position_limits),
                "position_limits",
            ),
        ]
        managed = set()
        there = child(node, old.velocity_key) is not None
        if new.velocity_limit is not None:
            wants.append(
                Want(
                    new.velocity_key,
                    lambda n: self.scalar(new.velocity_limit, n, old=old.velocity_limit),
                    old.velocity_key if there else None,
                )
            )
        elif old.velocity_limit is not None:
            managed.add(old.velocity_key)
        return self.mapping(node, wants, managed)


def _modifier_value(modifier: Modifier) -> dict[str, object]:
    if isinstance(modifier, SetBaseFrame):
        return {"set_base_frame": modifier.frame}
    if isinstance(modifier, RemoveMimicAttributes):
        inner: dict[str, object] = {
            "joint_name": modifier.joint_name,
            "position_limits": list(modifier.position_limits),
        }
        if modifier.velocity_limit is not None:
            inner[modifier.velocity_key] = modifier.velocity_limit
        return {"remove_mimic_attributes": inner}
    w, x, y, z = modifier.fixed_transform.orientation_wxyz
    frame: dict[str, object] = {
        "frame_name": modifier.frame_name,
        "parent_frame_name": modifier.parent_frame_name,
        "joint_name": modifier.joint_name,
    }
    if modifier.joint_type is not None:
        frame["joint_type"] = Spelled("FIXED", "FIXED") if modifier.joint_type == "FIXED" else modifier.joint_type
    frame["fixed_transform"] = {
        "position": list(modifier.fixed_transform.position),
        "orientation": FlowMap({"w": w, "xyz": [x, y, z]}),
    }
    return {"add_frame": frame}


def _leaf_ends(node: Node) -> list[int]:
    node = resolved(node)
    if isinstance(node, Sequence):
        return [node.end, *(end for item in node.items for end in _leaf_ends(item))]
    if isinstance(node, Mapping):
        return [node.end, *(end for _, value in node.entries for end in _leaf_ends(value))]
    return [node.end]


def source_with(source: XrdfSource, text: str) -> SourceText:
    """The file with another text."""
    return source.source.with_text(text)


__all__ = ["ReadOnlyPart", "XrdfPatch", "newline_of", "part_at", "patch_xrdf"]
