"""What is asked of the verb make_collision, and how its result is told. Importing this loads no engine."""

from __future__ import annotations

import importlib.util
from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from editor_app.fitting.settings import LEAST_FACES, USUAL_PARTS, ShapeKind
from editor_app.model.counting import counted
from editor_app.operations.surface_kind import USUAL_GEOMETRY, Geometry
from editor_app.operations.work import Refused

if TYPE_CHECKING:
    from editor_app.operations.collision_shapes import LinkShapes, MadeCollision
    from editor_app.operations.link_figures import LinkFigures

#: "best": see `BEST_RULE`.
CollisionKind = Literal["best", "hull", "parts", "box", "cylinder", "capsule", "sphere"]
#: From the simplest one; the best one is looked for in this order.
SIMPLEST: tuple[ShapeKind, ...] = ("sphere", "capsule", "cylinder", "box", "hull", "parts")
#: Share of a link's volume that the best solid may have outside the link.
USUAL_EXCESS = 0.1
#: How it is chosen, for people.
BEST_RULE = (
    "best: the first of sphere, capsule, cylinder, box, hull and parts whose volume outside the link is at most "
    "{:.0f} % of the link's own; where none is, the one with the least"
)
#: Configurations in which the made shapes are compared with the meshes.
USUAL_SAMPLES = 2000


def parts_available() -> bool:
    """Whether CoACD, the extra `parts`, is installed."""
    return importlib.util.find_spec("coacd") is not None


@dataclass(frozen=True, slots=True)
class ShapeChoices:
    """As the arguments of `make_collision`."""

    kind: CollisionKind = "best"
    add: bool = False
    faces: int | None = None
    parts: int = USUAL_PARTS
    excess: float = USUAL_EXCESS
    geometry: Geometry = USUAL_GEOMETRY
    samples: int | None = USUAL_SAMPLES


def refuse(choices: ShapeChoices) -> None:
    """Raises Refused for what makes no sense."""
    for name, value, allowed in (("kind", choices.kind, CollisionKind), ("geometry", choices.geometry, Geometry)):
        if value not in get_args(allowed):
            raise Refused(f"{name} has to be one of {', '.join(get_args(allowed))}, not {value!r}")
    if choices.faces is not None and choices.faces < LEAST_FACES:
        raise Refused(f"faces has to be {LEAST_FACES} or more, not {choices.faces}")
    if choices.parts < 1:
        raise Refused(f"parts has to be 1 or more, not {choices.parts}")
    if not choices.excess >= 0:
        raise Refused(f"excess has to be 0 or more, not {choices.excess}")
    if choices.kind == "parts" and not parts_available():
        raise Refused("convex parts need CoACD, the extra `parts`: pip install 'xrdf-editor[parts]'")


def told_links(made: MadeCollision) -> str:
    """ "7 links: 5 capsule, 2 hull"."""
    kinds = Counter(each.kind for each in made.links)
    return f"{counted(len(made.links), 'link')}: {', '.join(f'{count} {kind}' for kind, count in kinds.items())}"


#: Heads of a table of links, for window and command line; the cells are `figure_cells`.
HEADS = ("shape", "stands out mean", "max, mm", "excess", "uncovered", "proof")


def figure_cells(each: LinkShapes) -> tuple[str, ...]:
    """Kind and figures of one link, as they are told everywhere."""
    figures = each.figures
    kind = f"{len(each.shapes)} parts" if len(each.shapes) > 1 else each.kind
    return (
        kind,
        f"{1000 * figures.protrusion_mean:.1f}",
        f"{1000 * figures.protrusion_max:.1f}",
        f"{100 * figures.excess_ratio:.0f} %",
        f"{100 * (1 - figures.surface_coverage):.2f} %",
        "certified" if figures.proof is not None and figures.proof.holds else "open",
    )


def figures_record(figures: LinkFigures) -> dict[str, Any]:
    """For reports: lengths in metres, shares in 0..1."""
    return {**asdict(figures), "proof": None if figures.proof is None else figures.proof.text}
