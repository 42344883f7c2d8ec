"""Saving without loss: differences between two models become splices into the text that was read."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from editor_app.formats.source import FormatError, SourceText
from editor_app.formats.xrdf.plans import XrdfPlanner
from editor_app.formats.xrdf.read import XrdfSource, read_tree, read_xrdf, reread
from editor_app.formats.yaml.splices import carry_out
from editor_app.model.findings import YamlPath
from editor_app.model.frozen import FrozenDict
from editor_app.model.xrdf import CollisionSection, CSpace, GeometryGroup, Xrdf


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


def patch_xrdf(source: XrdfSource, xrdf: Xrdf) -> XrdfPatch:
    """Writes the differences in `xrdf` into the text of `source`. The result is read again and compared with `xrdf`.

    Raises ReadOnlyPart for an edit in one of `source.read_only`, FormatError when a model cannot be written
    (a value that is not finite, two groups of one name).
    """
    old = source.xrdf
    if xrdf is old or xrdf == old:
        return XrdfPatch(source.source.text, (), source.source, source)
    _refuse_read_only(source, xrdf)
    anew: set[str] = set()
    while True:
        planner = XrdfPlanner(source, xrdf, frozenset(anew))
        spliced = carry_out(source.source, source.tree, planner.plan())
        written: XrdfSource | None = None
        if spliced.tree is not None:
            written = read_tree(spliced.source, spliced.tree)
            now = written.xrdf
        else:
            now = reread(source, spliced.root)
        differing = {name for name in Xrdf.__dataclass_fields__ if getattr(now, name) != getattr(xrdf, name)}
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


def _refuse_read_only(source: XrdfSource, xrdf: Xrdf) -> None:
    for path, reason in source.read_only.items():
        if part_at(source.xrdf, path) != part_at(xrdf, path):
            raise ReadOnlyPart(f"{'.'.join(map(str, path))} cannot be edited: {reason}", source.location(path))


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
