"""What the figures of a fit, and the colours of the heat map, are of: a caption of few words, and a sentence."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from editor_app.gui.fitting.context import FitContext
from editor_app.model.counting import counted


def caption(context: FitContext, links: Collection[str]) -> str:
    """What figures of a fit of these links are of; empty without links."""
    kinds = {context.kind_of(link) for link in links} - {None}
    if len(links) == 1:
        (link,) = links
        bodies, used = context.bodies(link), context.bodies_used(link)
        if len(used) < len(bodies):
            return f"of {len(used)} of {len(bodies)} bodies"
    return f"of {kinds.pop()} shapes" if len(kinds) == 1 else "of the shapes fitted to" if kinds else ""


def difference(context: FitContext, links: Iterable[str]) -> str:
    """A sentence where figures of a fit are of something else than the tree's and the selection's; else empty."""
    others = [link for link in links if context.is_fitted_to_other(link) and not context.is_comparing]
    if not others:
        return ""
    kinds = {context.measured_kind(link) for link in others}
    usual = f"the {kinds.pop()} shapes" if len(kinds) == 1 else "the shapes that stand for the whole link"
    which = others[0] if len(others) == 1 else counted(len(others), "link")
    return f"In the tree and the selection, figures of {which} are of all of {usual}."


def visual_links(links: Collection[str], visual: Collection[str]) -> str:
    """Which of the shown `links` are measured on visual shapes, for a legend; empty when none is."""
    if not visual:
        return ""
    if len(visual) == len(links):
        return "Of the visual shapes"
    return f"{next(iter(visual)) if len(visual) == 1 else counted(len(visual), 'link')}: of the visual shapes"
