"""What is asked of the verb make_collision. Importing this loads no engine."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from editor_app.core.libraries import install_command
from editor_app.core.model.coercion import Validated
from editor_app.core.tasks.work import Refused
from editor_app.features.spheres.engine.settings import LEAST_FACES, USUAL_PARTS, ShapeKind
from editor_app.features.spheres.verbs.surface_kind import USUAL_GEOMETRY, Geometry

#: "best": see `BEST_RULE`.
CollisionKind = Literal["best", "hull", "parts", "box", "cylinder", "capsule", "sphere"]
#: From the simplest one; the best one is looked for in this order.
SIMPLEST: tuple[ShapeKind, ...] = ("sphere", "capsule", "cylinder", "box", "hull", "parts")
#: Share of a link's volume that the best solid may have outside the link.
USUAL_EXCESS = 0.1
#: How it is chosen, for people.
BEST_RULE = (
    "best: the first of sphere, capsule, cylinder, box, hull and parts whose volume outside the link is at "
    "most {:.0f} % of the link's own; else the shape with the smallest"
)
#: Configurations in which the made shapes are compared with the meshes.
USUAL_SAMPLES = 2000


def parts_available() -> bool:
    """Whether CoACD, the extra `parts`, is installed."""
    return importlib.util.find_spec("coacd") is not None


@dataclass(frozen=True, slots=True)
class ShapeChoices(Validated):
    """`add`: behind the present collision shapes, else in their place. `faces`: triangles of a hull at most (None: as
    many as keep it within half a millimetre of the exact one); `parts`: convex parts of a link at most; `excess`: see
    `BEST_RULE`. `geometry`: what they are made from, as in `fit`. `samples`: configurations in which they are compared
    with the meshes, None for no comparison."""

    kind: CollisionKind = "best"
    add: bool = False
    faces: int | None = None
    parts: int = USUAL_PARTS
    excess: float = USUAL_EXCESS
    geometry: Geometry = USUAL_GEOMETRY
    samples: int | None = USUAL_SAMPLES

    def requirements(self) -> Iterable[tuple[str, bool, str]]:
        yield "faces", self.faces is None or self.faces >= LEAST_FACES, f"{LEAST_FACES} or more"
        yield "parts", self.parts >= 1, "1 or more"
        yield "excess", self.excess >= 0, "0 or more"
        yield "samples", self.samples is None or self.samples >= 1, "1 or more"


USUAL_CHOICES = ShapeChoices()


def refuse_missing_extras(choices: ShapeChoices) -> None:
    """Raises Refused for a kind that needs an extra which is not installed."""
    if choices.kind == "parts" and not parts_available():
        raise Refused(f"convex parts need CoACD: {install_command('parts')}")
