"""Helpers of the readers of all sections: numbers, names, lists and mappings out of nodes, with
findings for the rest."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from collections.abc import Mapping as MappingABC
from typing import Literal, TypeVar

from editor_app.core.formats.xrdf.vocabulary import XRDF_VOCABULARY
from editor_app.core.model.findings import Finding, FindingSubject, Severity, YamlPath
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.near_names import nearest
from editor_app.core.text.source import SourceText
from editor_app.core.text.yaml.nodes import (
    Alias,
    Mapping,
    Node,
    Scalar,
    Sequence,
    collect_entries,
    resolve_alias,
)
from editor_app.core.text.yaml.scalars import (
    is_null,
    parse_number,
    reads_differently_in_yaml_1_1,
    resolve,
)

T = TypeVar("T")
#: Decimals that mean the same in every YAML and cannot overflow.
_ORDINARY = re.compile(r"-?(?:0|[1-9][0-9]{0,30})(?:\.[0-9]*)?").fullmatch
#: A path that is only put together when something has to be said about it.
Where = Callable[[], YamlPath]


def make_path(*path: str | int) -> Where:
    """A path that is put together already."""
    return lambda: path


class Fields:
    """The values of a mapping with fixed keys, by key, and the path of the mapping."""

    def __init__(self, values: MappingABC[str, Node], path: YamlPath) -> None:
        self.values = values
        self.path = path

    def read(self, key: str, read: Callable[[Node, YamlPath], T | None]) -> T | None:
        """Read the value of a key with `read`; None for a key that is absent."""
        return read(self.values[key], (*self.path, key)) if key in self.values else None

    def given(self, key: str, read: Callable[[Node, YamlPath], T | None]) -> T | None:
        """Read the value of a key as `read` does; None also for a key without a value."""
        return (
            None
            if key in self.values and is_null(resolve_alias(self.values[key]))
            else self.read(key, read)
        )


class XrdfReading:
    """One reading of one file: findings, and for each list with unreadable items which of them were
    understood."""

    def __init__(
        self, source: SourceText, readings: MappingABC[tuple[int, str], object] | None = None
    ) -> None:
        self.source = source
        self.findings: list[Finding] = []
        #: id of a list's node -> the file's index of each item that the model has. By node: aliases
        #: share it.
        self.kept: dict[int, tuple[int, ...]] = {}
        #: (id of a node, kind) -> what was read there; only of nodes that outlive the reading.
        self.readings: dict[tuple[int, str], object] = dict(readings or {})

    def find(
        self,
        code: str,
        message: str,
        path: YamlPath,
        node: Node,
        severity: Severity = Severity.ERROR,
        *,
        meant: str | None = None,
        expected: Literal["name", "number"] | None = None,
        lost: bool | None = None,
    ) -> None:
        """Add a finding. `lost`: whether the value is left out of the model; None: for errors."""
        section = str(path[0]) if path else None
        section = "world_collision" if section == "collision" else section
        is_lost = severity is Severity.ERROR if lost is None else lost
        self.findings.append(
            Finding(
                code,
                severity,
                message,
                path,
                self.source.location(node.start),
                FindingSubject(section=section),
                meant=meant,
                expected=expected,
                lost=_part_at(path) if is_lost else "",
            )
        )

    def once(self, node: Node, kind: str, read: Callable[[], T]) -> T:
        """Read a node with `read`, once however many aliases lead to it, so that aliases cannot
        multiply work."""
        key = (id(node), kind)
        if key not in self.readings:
            self.readings[key] = read()
        return self.readings[key]  # type: ignore[return-value]

    # -- scalars

    def ordinary(self, nodes: Iterable[Node]) -> list[float] | None:
        """Plain decimals, which nothing has to be said about; None when one of the nodes is
        anything else."""
        values = []
        for node in nodes:
            if not (
                isinstance(node, Scalar)
                and node.style == ""
                and node.tag is None
                and _ORDINARY(node.value)
            ):
                return None
            values.append(float(node.value))
        return values

    def number(self, node: Node, where: Where, code: str = "XRDF005") -> float | None:
        """A finite number, else None and a finding. A number in quotes is taken for one, with a
        warning."""
        if node.__class__ is Alias:
            node = resolve_alias(node)
        if isinstance(node, Scalar):
            text = node.value
            value = parse_number(text if node.style == "" else text.strip())
            if value is not None and (node.tag is None or node.tag.endswith((":float", ":int"))):
                if not math.isfinite(value):
                    self.find(
                        code,
                        f"{quote_node(node)} is not a finite number; write a number",
                        where(),
                        node,
                    )
                    return None
                if node.style != "":
                    self.find(
                        "XRDF006",
                        f"{quote_node(node)} is a number written as a string; write "
                        f"{text.strip()} without quotes",
                        where(),
                        node,
                        Severity.WARNING,
                        expected="number",
                    )
                elif (
                    "e" in text
                    or "E" in text
                    or (text[:1] in "0+-" and text.lstrip("+-")[:1] == "0")
                ) and (reads_differently_in_yaml_1_1(node)):
                    self.find(
                        "XRDF006",
                        f"{text} is a number in YAML 1.2, but YAML 1.1 readers such as PyYAML read "
                        "it "
                        "differently; write it with a dot and without leading zeros, such as "
                        "1.0e-04",
                        where(),
                        node,
                        Severity.WARNING,
                        expected="number",
                    )
                return value
        self.find(code, f"{quote_node(node)} is not a number; write a number here", where(), node)
        return None

    def name(self, node: Node, where: Where, code: str = "XRDF005") -> str | None:
        """A name; None and a finding for what is none. `yes` or `12` without quotes are names, with
        a warning."""
        node = resolve_alias(node)
        if not isinstance(node, Scalar) or is_null(node):
            self.find(code, f"{quote_node(node)} is not a name; write a string", where(), node)
            return None
        if node.style == "" and (
            node.value[:1] in "0123456789+-.yYnNoOtTfF"
            and (not isinstance(resolve(node), str) or reads_differently_in_yaml_1_1(node))
        ):
            self.find(
                "XRDF006",
                f'{node.value} reads as a number or truth value; write "{node.value}" in quotes '
                "to use it as a name",
                where(),
                node,
                Severity.WARNING,
                expected="name",
            )
        return node.value

    def vector(self, node: Node, path: YamlPath, count: int, code: str) -> tuple[float, ...] | None:
        """Exactly `count` finite numbers, else None and a finding."""
        target = resolve_alias(node)
        if not isinstance(target, Sequence) or len(target.items) != count:
            length = (
                f"a list of {len(target.items)}"
                if isinstance(target, Sequence)
                else quote_node(target)
            )
            self.find(
                code,
                f"{path[-1]} must be a list of exactly {count} numbers, not {length}",
                path,
                node,
            )
            return None
        values = [
            self.number(item, make_path(*path, index), code)
            for index, item in enumerate(target.items)
        ]
        return None if None in values else tuple(value for value in values if value is not None)

    # -- collections

    def entries(
        self, node: Node, path: YamlPath, code: str, content: str
    ) -> dict[str, tuple[Node, Node]] | None:
        """The entries of a mapping; {} when it is null, None and a finding when it is something
        else."""
        node = resolve_alias(node)
        if isinstance(node, Mapping):
            for key, _ in node.entries:
                if not isinstance(resolve_alias(key), Scalar):
                    self.find(
                        "XRDF005",
                        f"{quote_node(key)} is not a name; write a string as the key",
                        path,
                        key,
                    )
            return collect_entries(node)
        if is_null(node):
            return {}
        self.find(code, f"found {quote_node(node)}, expected {content}", path, node)
        return None

    def fields(
        self,
        node: Node,
        path: YamlPath,
        code: str,
        content: str,
        needed: tuple[str, ...] = (),
        also: tuple[str, ...] = (),
    ) -> Fields | None:
        """A mapping with the keys that the vocabulary has there, and `also`.

        None and a finding when it is none, or a key that is needed is missing.
        """
        entries = self.entries(node, path, code, content)
        if entries is None:
            return None
        self.unknown_keys(entries, (*XRDF_VOCABULARY.keys_at(path), *also), path)
        missing = [key for key in needed if key not in entries]
        if missing:
            listed = (", " if len(needed) > 2 else " and ").join(missing)
            self.find(code, f"{path[-1]} lacks {listed}", path, node)
            return None
        return Fields({key: value for key, (_, value) in entries.items()}, path)

    def named(
        self,
        node: Node,
        path: YamlPath,
        code: str,
        content: str,
        read: Callable[[Node, YamlPath], T | None],
    ) -> FrozenDict[str, T] | None:
        """Name -> value of a mapping whose keys the file chooses, as far as both can be read; None
        when it is none."""
        entries = self.entries(node, path, code, content)
        if entries is None:
            return None
        values: dict[str, T] = {}
        for name, (key, value_node) in entries.items():
            inner = (*path, name)
            value = (
                read(value_node, inner) if self.name(key, make_path(*inner)) is not None else None
            )
            if value is not None:
                values[name] = value
        return FrozenDict(values)

    def list_of(
        self,
        node: Node,
        path: YamlPath,
        read: Callable[[Node, Where], T | None],
        code: str,
        content: str,
    ) -> tuple[T, ...] | None:
        """The readable items of a list; () when it is null, None and a finding when it is something
        else."""
        node = resolve_alias(node)
        if is_null(node):
            return ()
        if not isinstance(node, Sequence):
            self.find(code, f"found {quote_node(node)}, expected {content}", path, node)
            return None
        items: list[T] = []
        indices: list[int] = []
        for index, item in enumerate(node.items):
            value = read(item, make_path(*path, index))
            if value is not None:
                items.append(value)
                indices.append(index)
        if len(items) != len(node.items):
            self.kept[id(node)] = tuple(indices)
        return tuple(items)

    def unknown_keys(
        self, entries: dict[str, tuple[Node, Node]], allowed: tuple[str, ...], path: YamlPath
    ) -> None:
        unknown = [(key, pair[0]) for key, pair in entries.items() if key not in allowed]
        for count, (key, key_node) in enumerate(unknown):
            # The search costs; nobody misspells a hundred keys of one mapping.
            close = None if count >= 100 or len(key) > 100 else nearest(key, allowed)
            hint = f"did you mean {close!r}?" if close else f"allowed: {', '.join(allowed)}"
            self.find(
                "XRDF004",
                f"{short(key)!r} is not a key of "
                f"{'an XRDF' if not path else '.'.join(map(str, path))}; {hint}",
                (*path, key),
                key_node,
                Severity.WARNING,
                meant=close,
                lost=True,
            )


def _part_at(path: YamlPath) -> str:
    """The list or the value that a path leads to: `geometry.g.spheres.link0` for each of its
    spheres."""
    end = next((place for place, step in enumerate(path) if isinstance(step, int)), len(path))
    return ".".join(map(str, path[:end])) or "the file"


def short(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "..."


def quote_node(node: Node) -> str:
    """A value for a sentence: short, on one line."""
    node = resolve_alias(node)
    if isinstance(node, Sequence):
        return "a list" if node.items else "an empty list"
    if isinstance(node, Mapping):
        return "a mapping" if node.entries else "an empty mapping"
    if isinstance(node, Scalar):
        if is_null(node):
            return "an absent value" if node.value == "" else node.value
        text = short(node.value)
        return repr(text) if node.style != "" or not text.isprintable() else text
    return "a value"
