"""Plans for geometry groups and their spheres, which may move between links with spelling and comments."""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property

from editor_app.formats.source import FormatError
from editor_app.formats.xrdf.alignment import renames
from editor_app.formats.xrdf.planning import Planner, Want
from editor_app.formats.yaml.layout import Layout
from editor_app.formats.yaml.nodes import Mapping, Node, Scalar, Sequence, child, resolved, walk
from editor_app.formats.yaml.plan import FlowMap, Fresh, Plan, spelled
from editor_app.formats.yaml.splicer import Splicer
from editor_app.model.findings import YamlPath
from editor_app.model.frozen import FrozenDict
from editor_app.model.xrdf import CollisionSphere, GeometryGroup

_COMMENT = re.compile(r"(?<=[ \t])#")
Spheres = FrozenDict[str, tuple[CollisionSphere, ...]]


class GeometryPlanner(Planner):
    """The geometry section."""

    def geometry(self, node: Node | None) -> Plan:
        old = {group.name: group for group in self.old.geometry or ()}
        groups = self.new.geometry or ()
        if len({group.name for group in groups}) != len(groups):
            raise FormatError("Two geometry groups have the same name", self.source.location(("geometry",)))
        renamed = renames(
            FrozenDict({name: group.spheres for name, group in old.items()}),
            FrozenDict({group.name: group.spheres for group in groups}),
        )
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

    def _group(self, node: Node | None, old: GeometryGroup | None, new: GeometryGroup) -> Plan:
        if node is not None and old is not None and old.spheres == new.spheres and old.clone == new.clone:
            return node
        wants: list[Want] = []
        managed: set[str] = set()
        has_spheres = node is not None and child(node, "spheres") is not None
        if has_spheres or new.spheres or not new.clone:
            before = old.spheres if old is not None else None

            def spheres(node_now: Node | None) -> Plan:
                if node_now is not None and before is not None and before == new.spheres:
                    return node_now
                return self._spheres(node_now, before, new.spheres)

            wants.append(Want("spheres", spheres, "spheres" if has_spheres else None))
        if new.clone is not None:
            has_clone = node is not None and child(node, "clone") is not None
            clone, had = new.clone, old.clone if old is not None else None
            wants.append(
                Want(
                    "clone",
                    lambda n: self.names(n, had, clone),
                    "clone" if has_clone else None,
                )
            )
        elif old is not None and old.clone is not None:
            managed.add("clone")
        return self.mapping(node, wants, managed)

    def _spheres(self, node: Node | None, old: Spheres | None, new: Spheres) -> Plan:
        old = FrozenDict() if old is None else old
        renamed = renames(old, new)
        like = self.a_full_list(node) or self._any_spheres
        wants = []
        for frame, spheres in new.items():
            old_key = renamed.get(frame, frame if frame in old else None)
            before = old.get(old_key) if old_key is not None else None
            if old_key is None and node is not None and child(node, frame) is not None:
                old_key = frame

            def make(
                node_now: Node | None,
                b: tuple[CollisionSphere, ...] | None = before,
                v: tuple[CollisionSphere, ...] = spheres,
            ) -> Plan:
                return self.listing(node_now, b, v, self._sphere, self._new_sphere, _sphere_likeness, like)

            wants.append(Want(frame, make, old_key))
        return self.mapping(node, wants, set(old) - set(renamed.values()))

    @cached_property
    def _any_spheres(self) -> Node | None:
        """Any list of spheres of the file, for its style."""
        for group in self.old.geometry or ():
            full_list = self.a_full_list(self.source.node(("geometry", group.name, "spheres")))
            if full_list is not None:
                return full_list
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
        node, parent = moved
        value = spelled(node, self.text)
        if isinstance(value, FlowMap):
            value = dict(value)
        if self._counted[id(sphere)] != 1:
            return Fresh(value)
        above, behind = ((), "") if parent.flow else self._comments(node)
        return Fresh(value, above=above, behind=behind)

    @cached_property
    def _sphere_nodes(self) -> dict[int, tuple[Node, Sequence]]:
        """Sphere of the model as read (by identity) -> where it stands; for spheres that move to another link."""
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
        """The comments inside and behind an item of a block list: (those that will stand above it, behind it)."""
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


def _sphere_likeness(a: CollisionSphere, b: CollisionSphere) -> int:
    return (
        2 * (a.center == b.center)
        + (a.radius == b.radius)
        + sum(x == y for x, y in zip(a.center, b.center, strict=True))
    )
