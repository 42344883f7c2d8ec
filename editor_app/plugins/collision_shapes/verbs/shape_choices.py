"""Choices of the verb make_collision. Importing this loads no engine."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from typing import Literal

from editor_app.core.libraries import install_command
from editor_app.core.model.coercion import Validated
from editor_app.core.model.options import from_percent, none_for_zero, option
from editor_app.core.model.refusal import Refused
from editor_app.features.spheres.engine.settings import (
    LEAST_FACES,
    USUAL_GEOMETRY,
    USUAL_PARTS,
    Geometry,
    ShapeKind,
)

#: "best": see `BEST_RULE`.
CollisionKind = Literal["best", "hull", "parts", "box", "cylinder", "capsule", "sphere"]
#: From the simplest one; the best one is looked for in this order.
SIMPLEST: tuple[ShapeKind, ...] = ("sphere", "capsule", "cylinder", "box", "hull", "parts")
#: Share of a link's volume that the best solid may have outside the link.
USUAL_EXCESS = 0.1
#: How it is chosen, for people.
BEST_RULE = (
    "best: the first of sphere, capsule, cylinder, box, hull and parts whose volume outside the "
    "link is at "
    "most {:.0f} % of the link's own; else the shape with the smallest"
)
#: Configurations in which the made shapes are compared with the meshes.
USUAL_SAMPLES = 2000


def parts_available() -> bool:
    """Return whether CoACD, the extra `parts`, is installed."""
    return importlib.util.find_spec("coacd") is not None


@dataclass(frozen=True, slots=True)
class ShapeChoices(Validated):
    """`add`: behind the present collision shapes, else in their place. `faces`: triangles of a hull
    at most (None: as many as keep it within half a millimetre of the exact one); `parts`: convex
    parts of a link at most; `excess`: see `BEST_RULE`. `geometry`: what they are made from, as in
    `fit`. `samples`: configurations in which they are compared with the meshes, None for no
    comparison."""

    kind: CollisionKind = option(
        "best",
        "parts: convex parts, needs the extra 'parts'; best: the simplest shape with little "
        "protrusion (default)",
    )
    add: bool = option(False, "keep the existing collision shapes too")
    faces: int | None = option(
        None,
        "maximum triangles of a hull: 124 are 64 corners (default: enough to stay within 0.5 mm "
        "of the exact hull)",
        "N",
        least=LEAST_FACES,
        ends=(LEAST_FACES, 5000),
    )
    parts: int = option(USUAL_PARTS, "maximum convex parts per link (default: 8)", "N", least=1)
    excess: float = option(
        USUAL_EXCESS,
        "volume that the best shape may have outside the link, relative to the link's volume "
        "(default: 10)",
        "PERCENT",
        default=100 * USUAL_EXCESS,
        parse=from_percent,
        least=0,
        endless=True,
        ends=(0, 500),
    )
    geometry: Geometry = option(USUAL_GEOMETRY, "source geometry, as in fit")
    samples: int | None = option(
        USUAL_SAMPLES,
        "sampled configurations for the comparison, 0: none (default: 2000)",
        "N",
        parse=none_for_zero,
        least=1,
    )


USUAL_CHOICES = ShapeChoices()


def refuse_missing_extras(choices: ShapeChoices) -> None:
    """Raises Refused for a kind that needs an extra which is not installed."""
    if choices.kind == "parts" and not parts_available():
        raise Refused(f"convex parts need CoACD: {install_command('parts')}")
