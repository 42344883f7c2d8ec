"""Choices for a fit of several links besides their meshes: the mount, planes by hand, weights."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from editor_app.core.model.coercion import Validated
from editor_app.core.model.options import SEEDS, comma_separated, from_millimetres, negated, option
from editor_app.core.model.refusal import Refused
from editor_app.core.model.xrdf import CollisionSphere
from editor_app.features.spheres.engine.settings import (
    USUAL_GEOMETRY,
    Effort,
    FitSettings,
    Geometry,
    Mode,
    Plane,
)

#: What a tighter fit and a first file are called in the history.
TIGHTER_FIT_STEP, FIRST_FILE_STEP = "Fit tighter for planning", "Create XRDF"

_CLIP = re.compile(r"^(?P<link>.+)=(?P<sign>[+-]?)(?P<axis>[xyz]):(?P<value>[-+0-9.eE]+)$")


def parse_clips(texts: Iterable[str], flag: str = "--clip") -> dict[str, tuple[Plane, ...]]:
    """Planes by link from texts such as ``base_link=z:0.0``: spheres stay where z >= 0; ``-z:0.5``:
    where z <= 0.5.

    Raises Refused.
    """
    planes: dict[str, tuple[Plane, ...]] = {}
    for text in texts:
        match = _CLIP.match(text.strip())
        try:
            value = float(match["value"]) if match else None
        except ValueError:
            value = None
        if match is None or value is None or abs(value) > 1e3:
            raise Refused(f"{flag} needs LINK=AXIS:METRES, such as base_link=z:0.0, not {text!r}")
        axis = "xyz".index(match["axis"])
        sign = -1.0 if match["sign"] == "-" else 1.0
        point, normal = [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]
        point[axis], normal[axis] = value, sign
        plane = Plane((point[0], point[1], point[2]), (normal[0], normal[1], normal[2]))
        planes[match["link"]] = (*planes.get(match["link"], ()), plane)
    return planes


def parse_weights(texts: Iterable[str], flag: str = "--weight") -> dict[str, float]:
    """Weights by link from texts such as ``hand=4``. Raises Refused."""
    weights: dict[str, float] = {}
    for text in texts:
        link, mark, number = text.rpartition("=")
        try:
            weights[link] = float(number)
        except ValueError:
            weights[link] = 0.0
        if not mark or not link or not 0 < weights[link] < 1e6:
            raise Refused(f"{flag} needs LINK=FACTOR with a factor above 0, not {text!r}")
    return weights


@dataclass(frozen=True, slots=True)
class FitChoices(Validated):
    """`mount`: no sphere of the base reaches below the plane that it stands on. `clips`: planes of
    links, in their frames (metres). `weights`: how much a link counts when a budget is shared out;
    `more_at_tool`: links without a weight of their own count by what they work with. `locked`:
    spheres that links keep, beside those that are fitted. `symmetry`: "x", "y" or "z": the spheres
    of a link come in pairs on both sides of its middle along this axis. `mode`, `effort`, `seed`:
    how spheres are found; `padding` (metres) is added to every radius. `for_planning`: by default
    fewer spheres, for a fit that is gone over for planning, which spends others where they pay."""

    mount: bool = option(
        True, "allow base spheres below its lowest face", flag="no-mount", parse=negated
    )
    clips: Mapping[str, tuple[Plane, ...]] | None = option(
        None,
        "spheres of a link stay above a plane of its frame (-z: below), in metres; repeatable",
        "LINK=z:0.0",
        flag="clip",
        parse=parse_clips,
    )
    weights: Mapping[str, float] | None = option(
        None,
        "a link counts F times when a budget is shared",
        "LINK=F",
        flag="weight",
        parse=parse_weights,
    )
    more_at_tool: bool = option(
        True, "give links near the tool no extra share of a budget", flag="even", parse=negated
    )
    locked: Mapping[str, tuple[CollisionSphere, ...]] | None = None
    symmetry: str = ""
    mode: Mode = option("cover", "default: cover")
    effort: Effort = option("normal", "default: normal")
    padding: float = option(
        0.0,
        "added to every radius, millimetres",
        "MM",
        parse=from_millimetres,
        least=0.0,
        wanted="a length of 0 m or more",
    )
    seed: int = option(0, "the same input and seed give the same spheres", ends=SEEDS)
    for_planning: bool = False

    def requirements(self) -> Iterable[tuple[str, bool, str]]:
        yield "symmetry", self.symmetry in ("", "x", "y", "z"), "'x', 'y', 'z' or empty"
        weights = (self.weights or {}).values()
        yield (
            "weights",
            all(math.isfinite(weight) and weight > 0 for weight in weights),
            "numbers above 0",
        )

    def settings(self, number: int | None, tolerance: float | None = None) -> FitSettings:
        """Return the settings of a fit with a number of spheres, or a greatest protrusion
        (metres)."""
        return FitSettings(
            number=number,
            tolerance_m=tolerance,
            mode=self.mode,
            effort=self.effort,
            padding=self.padding,
            seed=self.seed,
        )

    def kept(self, link: str) -> tuple[CollisionSphere, ...]:
        """The locked spheres of a link; a radius of 0 or less takes no room."""
        return tuple(each for each in (self.locked or {}).get(link, ()) if each.radius > 0)


@dataclass(frozen=True, slots=True)
class FitRequest(Validated):
    """The arguments of the verb fit: how many spheres, for which links, fitted to which shapes, for
    which group."""

    number: int | None = option(None, "spheres per link", "N", flag="spheres")
    tolerance: float | None = option(
        None, "maximum protrusion in millimetres", "MM", parse=from_millimetres
    )
    budget: int | None = option(
        None, "total number of spheres, distributed to where they help most", "TOTAL"
    )
    links: tuple[str, ...] | None = option(
        None, "only these links (default: all links with geometry)", "A,B", type=comma_separated
    )
    geometry: Geometry = option(
        USUAL_GEOMETRY,
        "geometry to fit; links without it use their other geometry; auto (default): collision "
        "shapes, or visual ones "
        "where these are incomplete",
    )
    group: str | None = option(
        None, "geometry group for the spheres (default: the group of the collision section)"
    )
    processes: int | None = option(
        None, "number of processes (default: one per processor)", "N", flag="jobs", least=1
    )


USUAL_CHOICES = FitChoices()
