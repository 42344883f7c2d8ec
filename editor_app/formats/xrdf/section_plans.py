"""The plan of a whole XRDF, section by section."""

from __future__ import annotations

from collections.abc import Callable

from editor_app.formats.xrdf.alignment import renames
from editor_app.formats.xrdf.geometry_plans import GeometryPlanner
from editor_app.formats.xrdf.modifier_plans import ModifierPlanner
from editor_app.formats.xrdf.planning import Want, nothing_in_common
from editor_app.formats.xrdf.read import SECTION_ORDER, XrdfSource
from editor_app.formats.yaml.nodes import Mapping, Node, Scalar, child, effective_entries, resolved
from editor_app.formats.yaml.plan import Block, Fresh, Plan, Spelled
from editor_app.formats.yaml.scalars import number_of
from editor_app.model.frozen import FrozenDict
from editor_app.model.xrdf import CollisionSection, CSpace, SelfCollisionSection, Xrdf

Make = Callable[[Node | None], Plan]


class XrdfPlanner(GeometryPlanner, ModifierPlanner):
    """`anew` names the sections (fields of Xrdf) that are to be written as a whole."""

    def __init__(self, source: XrdfSource, new: Xrdf, anew: frozenset[str] = frozenset()) -> None:
        super().__init__(source, new)
        self.anew = anew

    def plan(self) -> Plan:
        old, new = self.old, self.new
        wants: list[Want] = []
        managed: set[str] = set()

        def section(key: str, before: object, after: object, make: Make, new_key: str | None = None) -> None:
            """`make(node)` plans the section; called only when it differs."""
            if after is None:
                if before is not None:
                    managed.add(key)
                return

            def value(node: Node | None) -> Plan:
                name = "world_collision" if key == "collision" else key
                if node is not None and name in self.anew:
                    line = self.source.source.line_column(node.start)[0]
                    self.notes.append(f"The section {key} (line {line}) was written anew; comments in it are lost")
                    return Fresh(self.fresh_value(make(None)), None, node)
                if node is not None and before is not None and (before is after or before == after):
                    return node
                return make(node)

            wants.append(Want(new_key or key, value, key if self._has(key) else None))

        section("format", old.format, new.format, lambda node: self.scalar(new.format, node))
        section("format_version", old.format_version, new.format_version, self._version)
        section("modifiers", old.modifiers, new.modifiers, self.modifiers)
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
            lambda node: self.names(node, old.tool_frames, new.tool_frames or ()),
        )
        key, new_key = self._world_keys()
        section(
            key,
            old.world_collision,
            new.world_collision,
            lambda node: self._collision(node, old.world_collision, new.world_collision),
            new_key,
        )
        section(
            "self_collision",
            old.self_collision,
            new.self_collision,
            lambda node: self._collision(node, old.self_collision, new.self_collision),
        )
        section("geometry", old.geometry, new.geometry, self.geometry)
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

    def _cspace(self, node: Node | None) -> Plan:
        old, new = self.old.cspace or CSpace(), self.new.cspace or CSpace()
        wants: list[Want] = []
        managed: set[str] = set()

        def add(key: str, before: tuple[object, ...] | None, after: tuple[object, ...] | None) -> None:
            if after is None:
                if before is not None:
                    managed.add(key)
                return

            def make(node_now: Node | None) -> Plan:
                if node_now is None:
                    return Fresh(Block(after) if key == "joint_names" else list(after))
                return self.listing(
                    node_now,
                    before,
                    after,
                    lambda n, o, v: self.scalar(v, n),
                    lambda v: Fresh(v),
                    nothing_in_common,
                )

            exists = node is not None and child(node, key) is not None
            wants.append(Want(key, make, key if exists else None))

        add("joint_names", old.joint_names, new.joint_names)
        add("acceleration_limits", old.acceleration_limits, new.acceleration_limits)
        add("jerk_limits", old.jerk_limits, new.jerk_limits)
        return self.mapping(node, wants, managed, order=("joint_names", "acceleration_limits", "jerk_limits"))

    def _collision(self, node: Node | None, old: CollisionSection | None, new: CollisionSection | None) -> Plan:
        assert new is not None
        wants: list[Want] = []
        managed: set[str] = set()

        def want(key: str, before: object, after: object, make: Make) -> None:
            if after is None:
                if before is not None:
                    managed.add(key)
                return
            is_present = node is not None and child(node, key) is not None
            same = before is not None and before == after
            wants.append(Want(key, lambda n: n if n is not None and same else make(n), key if is_present else None))

        old = old or CollisionSection()
        want("geometry", old.geometry, new.geometry, lambda n: self.scalar(new.geometry, n))
        want("buffer_distance", old.buffer_distance, new.buffer_distance, lambda n: self._buffers(n, old, new))
        if isinstance(new, SelfCollisionSection):
            before = old.ignore if isinstance(old, SelfCollisionSection) else None
            want("ignore", before, new.ignore, lambda n: self._ignore(n, before, new.ignore))
        return self.mapping(node, wants, managed, order=("geometry", "buffer_distance", "ignore"))

    def _buffers(self, node: Node | None, old: CollisionSection, new: CollisionSection) -> Plan:
        if not isinstance(new.buffer_distance, FrozenDict):
            return Fresh(new.buffer_distance, None if node is None else resolved(node), node)
        before = old.buffer_distance if isinstance(old.buffer_distance, FrozenDict) else None
        return self.number_map(node, before, new.buffer_distance)

    def _ignore(
        self,
        node: Node | None,
        old: FrozenDict[str, tuple[str, ...]] | None,
        new: FrozenDict[str, tuple[str, ...]] | None,
    ) -> Plan:
        new = FrozenDict() if new is None else new
        old = FrozenDict() if old is None else old
        renamed = renames(old, new)
        like = self.a_full_list(node)
        wants = []
        for frame, others in new.items():
            old_key = renamed.get(frame, frame if frame in old else None)
            before = old.get(old_key) if old_key is not None else None
            if old_key is None and node is not None and child(node, frame) is not None:
                old_key = frame
            wants.append(
                Want(
                    frame,
                    lambda n, b=before, v=others: self.names(n, b, v, like),  # type: ignore[misc]
                    old_key,
                )
            )
        return self.mapping(node, wants, set(old) - set(renamed.values()))
