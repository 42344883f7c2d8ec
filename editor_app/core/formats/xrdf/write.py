"""A whole XRDF file for a model, with the reasons of masked pairs as comments; and a file brought
up to date."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from editor_app.core.formats.xrdf.mask_reasons import comment_of, read_reasons, with_reasons
from editor_app.core.formats.xrdf.parts import FixedMapping, LineList, build_parts, build_sections
from editor_app.core.formats.xrdf.plans import XrdfPlanner
from editor_app.core.formats.xrdf.read import XrdfSource, read_tree, read_xrdf, reread
from editor_app.core.model.findings import YamlPath
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.lineage import Lineage
from editor_app.core.model.xrdf import CollisionSection, CSpace, GeometryGroup, LinkPair, Xrdf
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.text.yaml.plan import Flow, Spelled
from editor_app.core.text.yaml.splices import carry_out
from editor_app.core.text.yaml.writing import Noted, yaml_text


@dataclass(frozen=True, eq=False)
class XrdfPatch:
    """`text` is to be saved; `notes` tell the parts that could not be edited in place."""

    text: str
    notes: tuple[str, ...]
    _source: SourceText
    _parsed: XrdfSource | None = None

    @cached_property
    def written(self) -> XrdfSource:
        """The text, read again, with its places and findings."""
        return read_xrdf(self._source) if self._parsed is None else self._parsed


class ReadOnlyPart(FormatError):
    """The edit changes a part that the file has twice."""


def patch_xrdf(source: XrdfSource, xrdf: Xrdf, lineage: Lineage[Xrdf] | None = None) -> XrdfPatch:
    """Writes the differences in `xrdf` into the text of `source`. The result is read again and
    compared with `xrdf`.

    `lineage` says which items are which; without one, the two models are compared. Raises
    ReadOnlyPart for an edit in one of `source.read_only`, FormatError when a model cannot be
    written (a value that is not finite, two groups of one name).
    """
    old = source.value
    if xrdf is old or xrdf == old:
        return XrdfPatch(source.source.text, (), source.source, source)
    for path, reason in source.read_only.items():
        if part_at(source.value, path) != part_at(xrdf, path):
            raise ReadOnlyPart(
                f"{'.'.join(map(str, path))} cannot be edited: {reason}", source.location(path)
            )
    anew: set[str] = set()
    while True:
        planner = XrdfPlanner(source, xrdf, frozenset(anew), lineage)
        spliced = carry_out(source.source, source.tree, planner.plan())
        written: XrdfSource | None = None
        if spliced.tree is not None:
            written = read_tree(spliced.source, spliced.tree)
            now = written.value
        else:
            now = reread(source, spliced.root)
        differing = {
            name for name in Xrdf.__dataclass_fields__ if getattr(now, name) != getattr(xrdf, name)
        }
        if not differing:
            notes = tuple(dict.fromkeys((*planner.notes, *spliced.notes)))
            return XrdfPatch(spliced.source.text, notes, spliced.source, written)
        if differing <= anew:
            raise FormatError(
                f"The change of {', '.join(sorted(differing))} cannot be written as XRDF",
                source.location((sorted(differing)[0],)),
                "Values must be finite numbers, and names must be unique.",
            )
        # The spliced text does not say what the model says: its sections are written as a whole.
        anew |= differing


def part_at(xrdf: Xrdf, path: YamlPath) -> object:
    """The part of a model at a YAML path, or the nearest part around it."""
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


def xrdf_text(xrdf: Xrdf, reasons: Mapping[LinkPair, str] | None = None) -> str:
    """The text of a new file. Raises FormatError for a model that XRDF cannot hold (numbers that
    are not finite)."""
    document = _document(xrdf, reasons or {})
    text = yaml_text(
        document, "<new XRDF>", [key for key in document if key not in ("format", "format_version")]
    )
    written = read_xrdf(SourceText.from_text(text))
    if written.value != xrdf:
        # What the plain rendering does not cover, the patcher does; it raises for what cannot be
        # said at all.
        text = patch_xrdf(written, xrdf).text
    return text


def patch_text(
    source: XrdfSource, xrdf: Xrdf, reasons: Mapping[LinkPair, str] | None = None
) -> tuple[str, tuple[str, ...], int]:
    """The text of a file brought up to date, notes, and how many reasons there was no room for.

    Reasons become comments behind pairs that have none. Raises FormatError for a model that XRDF
    cannot hold.
    """
    patch = patch_xrdf(source, xrdf)
    pairs = xrdf.ignored_pairs()
    pair_reasons = {
        pair: reason
        for pair, reason in (reasons or {}).items()
        if pair in pairs and reason.strip(" \t")
    }
    if not pair_reasons:
        return patch.text, patch.notes, 0
    text = with_reasons(patch.written, pair_reasons)
    present = read_reasons(read_xrdf(source.source.with_text(text)))
    return text, patch.notes, sum(pair not in present for pair in pair_reasons)


def _document(xrdf: Xrdf, reasons: Mapping[LinkPair, str]) -> dict[str, Any]:
    """The sections that are there, in the order of the format."""
    xrdf = replace(xrdf, format=xrdf.format or "xrdf", format_version=xrdf.format_version or "1.0")
    world = "world_collision" if xrdf.format_version == "2.0" else "collision"
    document: dict[str, Any] = _plain(build_sections(xrdf, world))
    section = xrdf.self_collision
    if section is not None and section.ignore is not None:
        ignored = {
            frame: _ignored(frame, others, reasons) for frame, others in section.ignore.items()
        }
        document["self_collision"]["ignore"] = ignored
    return document


def _plain(value: object) -> Any:
    part = build_parts(value)
    if isinstance(part, FixedMapping):
        # Which groups it takes over stands before many spheres.
        entries = reversed(part.entries) if isinstance(value, GeometryGroup) else part.entries
        return {key: _plain(inner) for key, inner in entries if inner is not None}
    if isinstance(part, FrozenDict):
        return {key: _plain(inner) for key, inner in part.items()}
    if isinstance(part, tuple):
        items = [_plain(item) for item in part]
        is_short = not isinstance(part, LineList) and not any(
            isinstance(item, dict) for item in items
        )
        return Flow(items) if is_short else items
    return part.value if isinstance(part, Spelled) else part


def _ignored(frame: str, others: tuple[str, ...], reasons: Mapping[LinkPair, str]) -> list[Any]:
    """A line for each pair when one of them has a reason, all in one line otherwise."""
    notes = [comment_of(reasons.get(LinkPair.of(frame, other), ""), other) for other in others]
    if not any(notes):
        return Flow(others)
    return [Noted(other, note) for other, note in zip(others, notes, strict=True)]
