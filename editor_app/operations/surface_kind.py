"""Which shapes stand for a link in fits and figures: the collision shapes, or the visual ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from editor_app.geometry.distance import PARTIAL, kept_bare_share
from editor_app.geometry.link_geometry import Kind, LinkGeometry, merged
from editor_app.tasks.job import Report

#: "auto": the collision shapes, or the visual ones where collision shapes leave much of them bare.
Geometry = Literal["collision", "visual", "auto"]
#: The default of fits and figures. It follows from the shapes of the links alone: a file that is opened again has the
#: figures that it was saved with.
USUAL_GEOMETRY: Geometry = "auto"


def surface_kind(geometry: Geometry, has: Callable[[Kind], bool], is_partial: bool) -> Kind | None:
    """The kind of shapes that stands for a link; None for a link without shapes.

    `is_partial`: whether the collision shapes leave a large part of the visual ones bare.
    """
    preferred: Kind = "visual" if geometry == "visual" else "collision"
    if geometry == "auto" and has("collision") and has("visual") and is_partial:
        preferred = "visual"
    other: Kind = "visual" if preferred == "collision" else "collision"
    return preferred if has(preferred) else other if has(other) else None


def surface_words(kind: Kind | None, usual: Kind | None) -> str:
    """Words for the shapes that figures are of; empty for the collision shapes.

    `usual`: the kind that figures of the link are of elsewhere.
    """
    if kind is None or (kind == "collision" and usual == kind):
        return ""
    return f"of the {kind} shapes" + (f" (elsewhere: of the {usual} ones)" if usual not in (kind, None) else "")


def partial_links(report: Report, shapes: Mapping[str, tuple[LinkGeometry, LinkGeometry]]) -> frozenset[str]:
    """A job: the links of `shapes` (link: visual, collision) whose collision shapes leave much of them bare."""
    partial = set()
    for number, (link, (visual, collision)) in enumerate(shapes.items()):
        report.progress(number / len(shapes), link)
        if kept_bare_share(merged(visual.parts), merged(collision.parts)) > PARTIAL:
            partial.add(link)
    return frozenset(partial)
