"""How the result of make_collision is told, by window and command line. Importing this loads no
engine."""

from __future__ import annotations

from collections import Counter
from typing import Any

from editor_app.core.model.counting import format_count
from editor_app.features.spheres.verbs import link_figures
from editor_app.plugins.collision_shapes.verbs import collision_shapes


def told_links(made: collision_shapes.MadeCollision) -> str:
    """ "7 links: 5 capsule, 2 hull"."""
    kinds = Counter(each.kind for each in made.links)
    return (
        f"{format_count(len(made.links), 'link')}: "
        f"{', '.join(f'{count} {kind}' for kind, count in kinds.items())}"
    )


#: Heads of a table of links, for window and command line; the cells are `figure_cells`.
HEADS = ("shape", "protrusion, mm", "maximum, mm", "excess", "uncovered", "proof")


def figure_cells(each: collision_shapes.LinkShapes) -> tuple[str, ...]:
    """Kind and figures of one link, as they are told everywhere."""
    figures = each.figures
    kind = f"{len(each.shapes)} parts" if len(each.shapes) > 1 else each.kind
    return (
        kind,
        f"{1000 * figures.protrusion_mean:.1f}",
        f"{1000 * figures.protrusion_max:.1f}",
        "none" if figures.excess_ratio is None else f"{100 * figures.excess_ratio:.0f} %",
        f"{100 * (1 - figures.surface_coverage):.2f} %",
        "certified" if figures.proof is not None and figures.proof.holds else "open",
    )


def figures_record(figures: link_figures.LinkFigures) -> dict[str, Any]:
    """For reports: lengths in metres, shares in 0..1."""
    return {**figures.as_dict(), "proof": None if figures.proof is None else figures.proof.text}
