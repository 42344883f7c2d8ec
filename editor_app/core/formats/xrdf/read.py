"""XRDF text -> frozen model, tolerantly: what cannot be understood stays in the text and becomes a
finding."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping as MappingABC
from collections.abc import Sequence as SequenceABC
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from editor_app.core.formats.file_part import FilePart
from editor_app.core.formats.misnamed_files import refuse_xml
from editor_app.core.formats.xrdf import sections
from editor_app.core.formats.xrdf.reading import XrdfReading, quote_node, short
from editor_app.core.formats.xrdf.vocabulary import XRDF_VOCABULARY
from editor_app.core.model.findings import Location, Severity, YamlPath
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.xrdf import Xrdf
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.text.yaml.compose import compose_document
from editor_app.core.text.yaml.nodes import (
    Mapping,
    Node,
    Scalar,
    Sequence,
    YamlTree,
    find_key_node,
    find_node,
    find_repeated_keys,
    get_key_text,
    path_at,
    resolve_alias,
)

T = TypeVar("T")
#: The sections as XRDF files customarily order them; both names of the obstacle section included.
SECTION_ORDER = tuple(XRDF_VOCABULARY.keys_at(()))


@dataclass(frozen=True, eq=False)
class XrdfSource(FilePart[Xrdf]):
    """A file as read. Paths are the YAML's (the file's own indices and keys) unless said otherwise.

    `tree` has every node, unreadable ones and duplicates included. Parts under a path of
    `read_only` must not be edited, for the reason given.
    """

    tree: YamlTree
    read_only: MappingABC[YamlPath, str]
    #: id of a list's node -> the file's index of each item of the model's tuple; absent where all
    #: were understood.
    kept: MappingABC[int, tuple[int, ...]] = field(default_factory=FrozenDict)

    #: What each list of spheres was read as, for `reread`.
    readings: MappingABC[tuple[int, str], object] = field(default_factory=dict, repr=False)
    kind = "xrdf"

    def places(self, node: Sequence, count: int) -> SequenceABC[int]:
        """The file's index of each of the `count` items that the model has of a list."""
        return self.kept.get(id(node), range(count))

    @property
    def root(self) -> Node | None:
        return self.tree.root

    @property
    def world_key(self) -> str:
        """The key of the obstacle section in this file; without a section, the key of its
        version."""
        keys = (
            {get_key_text(key) for key, _ in self.tree.root.entries}
            if isinstance(self.tree.root, Mapping)
            else set()
        )
        for key in ("world_collision", "collision"):
            if key in keys:
                return key
        return "world_collision" if self.value.format_version == "2.0" else "collision"

    def node(self, path: YamlPath) -> Node | None:
        """The node at a path, None when there is none."""
        return find_node(self.tree.root, path)

    def span(self, path: YamlPath) -> tuple[int, int] | None:
        """(start, end) in code points of the entry or item at a path, its key included; None when
        it is not there."""
        node = self.node(path)
        if node is None:
            return None
        key = find_key_node(self.tree.root, path)
        if key is None or key.start > node.start:
            return node.start, node.end
        return key.start, max(key.end, node.end)

    def location(self, path: YamlPath) -> Location:
        """Line and column of what stands at a path; of the nearest thing around it when it is
        missing.

        A scalar value is located itself, a collection or an absent value by its key.
        """
        while path:
            node = self.node(path)
            if node is not None:
                key = find_key_node(self.tree.root, path)
                has_text = isinstance(node, Scalar) and node.end > node.start
                return self.source.location(
                    node.start if has_text or key is None or key.start > node.start else key.start
                )
            path = path[:-1]
        return self.source.location(0 if self.tree.root is None else self.tree.root.start)

    def path_at(self, offset: int) -> YamlPath:
        """The path of the innermost value or key that covers an offset; () where there is none."""
        return path_at(self.tree.root, offset)

    def yaml_path(self, path: YamlPath) -> YamlPath:
        """The file's path for one of the model, whose indices skip unreadable items and whose names
        are 2.0's."""
        if path and path[0] == "world_collision":
            path = (self.world_key, *path[1:])
        if not self.kept:
            return path
        steps: list[str | int] = []
        for step in path:
            indices = self._kept_at(tuple(steps)) if isinstance(step, int) else None
            if indices is not None and isinstance(step, int):
                step = indices[step] if 0 <= step < len(indices) else step
            steps.append(step)
        return tuple(steps)

    def _kept_at(self, path: YamlPath) -> tuple[int, ...] | None:
        node = self.node(path)
        return None if node is None else self.kept.get(id(resolve_alias(node)))

    def model_path(self, path: YamlPath) -> YamlPath | None:
        """The inverse of `yaml_path`; None when the path leads into an item that the model does not
        have."""
        steps: list[str | int] = []
        for position, step in enumerate(path):
            indices = (
                self._kept_at(path[:position]) if isinstance(step, int) and self.kept else None
            )
            if indices is not None and isinstance(step, int):
                if step not in indices:
                    return None
                step = indices.index(step)
            steps.append(step)
        if steps and steps[0] == "collision":
            steps[0] = "world_collision"
        return tuple(steps)


def read_xrdf(source: SourceText) -> XrdfSource:
    """Raises FormatError (rules XRDF001, XRDF002) only when it cannot be read at all."""
    refuse_xml(source, "an XRDF")
    return read_tree(source, compose_document(source))


def read_tree(source: SourceText, tree: YamlTree) -> XrdfSource:
    """The model of a file that is composed already. Raises FormatError (rule XRDF002)."""
    root = tree.root
    if root is None:
        raise FormatError(
            "The file is empty",
            source.location(0),
            "An XRDF needs the lines 'format: xrdf' and 'format_version: 1.0'.",
        )
    if not isinstance(root, Mapping):
        raise FormatError(
            f"The file holds {quote_node(root)} instead of a mapping of sections",
            source.location(root.start),
            "An XRDF needs the lines 'format: xrdf' and 'format_version: 1.0'.",
        )
    reading = XrdfReading(source)
    read_only: dict[YamlPath, str] = {}
    _find_duplicates(reading, tree, read_only)
    xrdf = _read_sections(reading, root, read_only)
    findings = tuple(reading.findings)
    return XrdfSource(
        source,
        xrdf,
        findings,
        tree,
        FrozenDict(read_only),
        FrozenDict(reading.kept),
        reading.readings,
    )


def reread(source: XrdfSource, root: Node | None) -> Xrdf:
    """The model of a tree that shares its untouched nodes with `source`: only what is new in it is
    read."""
    if not isinstance(root, Mapping):
        raise TypeError(root)
    return _read_sections(XrdfReading(source.source, source.readings), root, {})


def _read_sections(reading: XrdfReading, root: Mapping, read_only: dict[YamlPath, str]) -> Xrdf:
    fields = reading.fields(root, (), "XRDF002", "a mapping of sections")
    assert fields is not None

    def read(key: str, of: Callable[[XrdfReading, Node, YamlPath], T | None]) -> T | None:
        return fields.read(key, partial(of, reading))

    version = read("format_version", sections.read_text)
    world_key = "world_collision" if "collision" not in fields.values else "collision"
    if "collision" in fields.values and "world_collision" in fields.values:
        # With both, the one of the file's own version is meant.
        world_key = "world_collision" if version == "2.0" else "collision"
        reason = (
            "the file has both 'collision' (1.0) and 'world_collision' (2.0); delete one in the "
            "text"
        )
        read_only |= {("collision",): reason, ("world_collision",): reason}
    return Xrdf(
        read("format", sections.read_text),
        version,
        read("modifiers", sections.read_modifiers),
        read("default_joint_positions", sections.read_default_positions),
        read("cspace", sections.read_cspace),
        read("tool_frames", sections.read_tool_frames),
        read(world_key, sections.read_collision_section),
        read("self_collision", sections.read_self_collision),
        read("geometry", sections.read_geometry_section),
    )


def _find_duplicates(reading: XrdfReading, tree: YamlTree, read_only: dict[YamlPath, str]) -> None:
    for path, keys in find_repeated_keys(tree):
        lines = [reading.source.line_column(key.start)[0] for key in keys]
        more = f", … ({len(lines) - 6} more)" if len(lines) > 6 else ""
        told = f"{', '.join(map(str, lines[:-1][:5]))}{more} and {lines[-1]}"
        short_name = repr(short(str(path[-1])))
        reading.find(
            "XRDF003",
            f"{short_name} appears {len(keys)} times in one mapping (lines {told}); readers "
            "disagree on which "
            "one applies (PyYAML, cuRobo and this program use the last; cuMotion uses some and "
            "refuses "
            "others): keep one",
            path,
            keys[-1],
            Severity.ERROR,
        )
        read_only[path] = (
            f"{short_name} appears {len(keys)} times in the file (lines {told}); keep one first"
        )
