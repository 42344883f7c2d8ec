"""YAML text -> node tree with exact places."""

from __future__ import annotations

import gc
import re
from collections.abc import Callable
from typing import Any

import yaml

from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.text.yaml.nodes import (
    Alias,
    Mapping,
    Node,
    Scalar,
    Sequence,
    YamlTree,
    resolve_alias,
)

#: Deeper nesting is refused; real files have 7 levels.
MAX_DEPTH = 100
#: A document whose aliases, written out, have more nodes than this is refused.
MAX_EXPANDED = 2_000_000
#: Line breaks for YAML 1.1 (and so for libyaml), ordinary characters for YAML 1.2.
_OLD_BREAKS = "\x85\u2028\u2029"
_HAS_OLD_BREAKS = re.compile(f"[{_OLD_BREAKS}]")


class _Stand:
    """Keeps old line breaks out of the scanner's sight: each is replaced by a private character and
    put back."""

    def __init__(self, text: str) -> None:
        used = set(text)
        free = (chr(code) for code in range(0xE000, 0xF8FF) if chr(code) not in used)
        pairs = [(old, next(free)) for old in _OLD_BREAKS]
        self.to_private = str.maketrans(dict(pairs))
        self.to_original = str.maketrans({new: old for old, new in pairs})


def compose_document(source: SourceText) -> YamlTree:
    """Return the one document of a file; empty ones beside it, as a last line --- makes one, are
    left out.

    Never expands an alias. Raises FormatError, with line and column, for text that is not YAML,
    more than one document, nesting deeper than MAX_DEPTH, an alias to itself, or aliases that stand
    for more than MAX_EXPANDED nodes.
    """
    tree, *others = compose_all(source) or (YamlTree(source.text, None),)
    if others:
        raise FormatError(
            "The file holds more than one YAML document",
            source.location(others[0].start),
            "Keep one document: remove the second one and the line --- before it.",
        )
    return tree


def compose_all(source: SourceText) -> list[YamlTree]:
    """Return the documents of a stream, without empty ones where there is another. Raises
    FormatError."""
    text = source.text
    if text.startswith("\ufeff"):
        raise FormatError(
            "The file begins with two byte order marks", source.location(0), "Remove one."
        )
    stand = _Stand(text) if _HAS_OLD_BREAKS.search(text) else None
    scanned = text if stand is None else text.translate(stand.to_private)
    collecting = gc.isenabled()
    # Tens of thousands of small objects are made and none is garbage: a collection in between costs
    # a quarter.
    gc.disable()
    try:
        return _composed(source, scanned, stand)
    except yaml.YAMLError as error:
        raise _explained(source, error) from None
    except (UnicodeError, RecursionError, ValueError, OverflowError) as error:
        raise FormatError(f"Not readable as YAML ({error})", source.location(0), _REMEDY) from None
    finally:
        if collecting:
            gc.enable()


_REMEDY = "Correct the line, or restore an earlier version of the file."


def loader(text: str) -> Any:
    """Return the parser of a text's events (`get_event`), by libyaml, which every wheel of PyYAML
    has.

    Call `dispose` at the end.
    """
    return yaml.CSafeLoader(text)


def _composed(source: SourceText, scanned: str, stand: _Stand | None) -> list[YamlTree]:
    composer = _Composer(source, stand)
    stream = loader(scanned)
    get, scalar, end = stream.get_event, yaml.ScalarEvent, yaml.StreamEndEvent
    steps, add_scalar = composer.steps(), composer.add_scalar
    try:
        while True:
            event = get()
            kind = event.__class__
            # Most events by far are scalars.
            if kind is scalar:
                add_scalar(event)
            elif kind is end:
                break
            elif kind in steps:
                steps[kind](event)
    finally:
        stream.dispose()
    trees = composer.trees()
    for tree in trees if composer.aliases else ():
        _refuse_bombs(source, tree)
    return trees


class _Composer:
    """Puts the nodes of the documents together, event by event."""

    def __init__(self, source: SourceText, stand: _Stand | None) -> None:
        self.source = source
        self.stand = stand
        self.anchors: dict[str, Node] = {}
        self.aliases: list[Alias] = []
        self.duplicates: list[Mapping] = []
        #: Where each document begins.
        self.starts: list[int] = []
        #: The children of the open collection; the bottom of the stack receives the roots of the
        #: documents.
        self.children: list[Node] = []
        self.stack: list[tuple[list[Node], Node]] = []

    def steps(self) -> dict[type, Callable[[Any], None]]:
        """What to do with the events besides scalars, by their types."""
        return {
            yaml.SequenceStartEvent: self._start_sequence,
            yaml.MappingStartEvent: self._start_mapping,
            yaml.SequenceEndEvent: self._end_sequence,
            yaml.MappingEndEvent: self._end_mapping,
            yaml.AliasEvent: self._add_alias,
            yaml.DocumentStartEvent: self._start_document,
        }

    def trees(self) -> list[YamlTree]:
        documents = list(zip(self.starts, self.children, strict=True))
        filled = [(start, root) for start, root in documents if not _is_empty(root)] or documents[
            :1
        ]
        empty = tuple(
            start for start, root in documents if all(root is not other for _, other in filled)
        )
        aliases, duplicates = tuple(self.aliases), tuple(self.duplicates)
        return [
            YamlTree(self.source.text, root, aliases, duplicates, start, empty)
            for start, root in filled
        ]

    def add_scalar(self, event: Any) -> None:
        value, style, children = event.value, event.style or "", self.children
        start, end = event.start_mark.index, event.end_mark.index
        if self.stand is not None:
            value = value.translate(self.stand.to_original)
        scalar = Scalar(start, end, event.anchor, event.tag, value, style)
        if event.anchor is not None:
            self.anchors[event.anchor] = scalar
        children.append(scalar)

    def _start_sequence(self, event: Any) -> None:
        start, end = event.start_mark.index, event.end_mark.index
        self._open(Sequence(start, end, event.anchor, event.tag, (), bool(event.flow_style)))

    def _start_mapping(self, event: Any) -> None:
        start, end = event.start_mark.index, event.end_mark.index
        self._open(Mapping(start, end, event.anchor, event.tag, (), bool(event.flow_style)))

    def _open(self, node: Node) -> None:
        if node.anchor is not None:
            self.anchors[node.anchor] = node
        self.children.append(node)
        self.stack.append((self.children, node))
        self.children = []
        if len(self.stack) > MAX_DEPTH:
            place = self.source.location(node.start)
            raise FormatError(
                f"Nested more than {MAX_DEPTH} levels deep", place, "XRDF needs 7 levels."
            )

    def _end_sequence(self, event: Any) -> None:
        items = self.children
        self.children, node = self.stack.pop()
        assert isinstance(node, Sequence)
        node.items = tuple(items)
        if node.flow:
            node.end = event.end_mark.index
        elif items:
            node.end = max(node.end, items[-1].end)

    def _end_mapping(self, event: Any) -> None:
        inner = self.children
        self.children, node = self.stack.pop()
        assert isinstance(node, Mapping)
        keys = inner[::2]
        node.entries = tuple(zip(keys, inner[1::2], strict=True))
        if node.flow:
            node.end = event.end_mark.index
            if node.end <= node.start and inner:
                node.end = inner[-1].end
        elif inner:
            node.end = max(node.end, inner[-1].end, inner[-2].end)
        if len(keys) > 1 and len({k.value if k.__class__ is Scalar else id(k) for k in keys}) < len(
            keys
        ):
            self.duplicates.append(node)

    def _add_alias(self, event: Any) -> None:
        target, start = self.anchors.get(event.anchor), event.start_mark.index
        if target is None:
            raise FormatError(
                f"The alias *{event.anchor} has no anchor above it",
                self.source.location(start),
                f"Write the value itself, or put &{event.anchor} before the intended value.",
            )
        alias = Alias(start, event.end_mark.index, None, None, event.anchor, target)
        self.aliases.append(alias)
        self.children.append(alias)

    def _start_document(self, event: Any) -> None:
        self.starts.append(event.start_mark.index)
        self.anchors.clear()


def _is_empty(root: Node) -> bool:
    """Whether a document has nothing in it, not even a tag or `null`."""
    return (
        isinstance(root, Scalar)
        and root.start == root.end
        and root.tag is None
        and root.anchor is None
    )


def _refuse_bombs(source: SourceText, tree: YamlTree) -> None:
    """Counts the nodes that the document stands for when every alias is written out, without
    writing any out."""
    sizes: dict[int, int] = {}
    open_nodes: set[int] = set()
    todo: list[tuple[Node, bool]] = [(tree.root, False)] if tree.root is not None else []
    while todo:
        node, ready = todo.pop()
        if id(node) in sizes:
            continue
        parts: list[Node]
        if isinstance(node, Sequence):
            parts = list(node.items)
        elif isinstance(node, Mapping):
            parts = [part for pair in node.entries for part in pair]
        else:
            parts = []
        if ready:
            open_nodes.discard(id(node))
            sizes[id(node)] = min(
                1 + sum(sizes.get(id(resolve_alias(part)), 1) for part in parts), 10**12
            )
            continue
        open_nodes.add(id(node))
        todo.append((node, True))
        for part in parts:
            target = resolve_alias(part)
            if id(target) in open_nodes:
                raise FormatError(
                    f"The alias *{getattr(part, 'name', '')} is inside the value that it refers to",
                    source.location(part.start),
                    "Write the value itself.",
                )
            todo.append((target, False))
    if tree.root is not None and sizes[id(tree.root)] > MAX_EXPANDED:
        raise FormatError(
            f"The aliases expand to more than {MAX_EXPANDED:,} values",
            source.location(tree.aliases[0].start),
            "Such a file exhausts the memory of programs that read it. Write the values "
            "themselves.",
        )


def _explained(source: SourceText, error: Exception) -> FormatError:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
    if mark is not None:
        offset = source.offset(mark.line + 1, mark.column + 1)
        if mark.line + 1 > source.line_column(len(source.text))[0]:
            offset = len(source.text)
    else:
        offset = getattr(error, "position", 0)
        if isinstance(offset, int):
            offset = _reader_offset(source.text, offset)
    context = getattr(error, "context", None)
    where = ""
    context_mark = getattr(error, "context_mark", None)
    if context and context_mark is not None:
        where = f" ({context} that begins in line {context_mark.line + 1})"
    return FormatError(f"Not readable as YAML: {problem}{where}", source.location(offset), _REMEDY)


def _reader_offset(text: str, position: int) -> int:
    """libyaml's reader counts bytes and somewhat past the place; the first forbidden character is
    the culprit."""
    forbidden = re.search(
        r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]", text
    )
    return forbidden.start() if forbidden else min(position, len(text))
