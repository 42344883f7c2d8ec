"""Settings of a fit, and the exception that explains why it is impossible."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from editor_app.core.model.coercion import MisfitError, conformed
from editor_app.core.model.refusal import Refusal

Mode = Literal["cover", "balanced", "inside"]
Effort = Literal["fast", "normal", "best"]
#: "auto": the collision shapes, or the visual ones where collision shapes do not stand for them
#: (`partial_shapes`).
Geometry = Literal["auto", "collision", "visual"]
#: The default of fits and figures. It follows from the shapes of the links alone: a file that is
#: opened again has the figures that it was saved with.
USUAL_GEOMETRY: Geometry = "auto"
ShapeKind = Literal["sphere", "capsule", "cylinder", "box", "hull", "parts"]
Vector = tuple[float, float, float]
SphereTuple = tuple[float, float, float, float]

#: Triangles of a box: a hull cannot have fewer.
LEAST_FACES = 12
#: Convex parts of a link at most.
USUAL_PARTS = 8


class FittingError(Refusal):
    """The request cannot be fulfilled; the text says why and what to change."""


@dataclass(frozen=True)
class Plane:
    """A plane by a point on it and a normal of any length, in the frame of the mesh (metres).

    Raises FittingError for a normal without length, and for values that are not finite.
    """

    point: Vector
    normal: Vector

    def __post_init__(self) -> None:
        if not (all(map(math.isfinite, (*self.point, *self.normal))) and any(self.normal)):
            raise FittingError(
                f"A plane needs a point and a normal with a length, not {self.point} and "
                f"{self.normal}."
            )


@dataclass(frozen=True)
class FitSettings:
    """Settings of a fit. Exactly one of ``number``, ``tolerance_m`` and ``density`` is given.
    Lengths in metres.

    number: how many spheres, the locked ones not counted. tolerance_m: greatest protrusion allowed;
    the number of spheres follows from it. density: 1.0 is a usual number of spheres for the size
    and shape of the link; 2.0 twice as many. mode: ``cover`` covers every triangle and proves it,
    ``balanced`` leaves 1 % of the surface open for a tighter
        fit, ``inside`` stays within the solid.
    padding: added to the radius of every fitted sphere at the end. clip_planes: no sphere reaches
    behind a plane (its normal points to the allowed side). locked: spheres (x, y, z, r) that exist
    already; the fit works around them and does not return them. mirror: fitted spheres are
    symmetric with respect to this plane. inside_tolerance_m: how far a sphere of mode ``inside``
    may stand out. balls: spheres (x, y, z, r) that the mesh has as parts: each is a sphere of the
    fit, where no limit forbids it. crowd: places (x, y, z, weight) where other links come close:
    spheres stand out less there.
    """

    number: int | None = None
    tolerance_m: float | None = None
    density: float | None = None
    mode: Mode = "cover"
    padding: float = 0.0
    min_radius: float = 0.0
    max_radius: float | None = None
    clip_planes: tuple[Plane, ...] = ()
    locked: tuple[SphereTuple, ...] = ()
    mirror: Plane | None = None
    seed: int = 0
    effort: Effort = "normal"
    inside_tolerance_m: float = 0.0
    max_number: int = 512
    balls: tuple[SphereTuple, ...] = ()
    crowd: tuple[SphereTuple, ...] = ()

    def __post_init__(self) -> None:
        try:
            conformed(self)
        except MisfitError as error:
            raise FittingError(str(error).removeprefix("FitSettings.")) from None
        are_set = [v is not None for v in (self.number, self.tolerance_m, self.density)]
        if sum(are_set) != 1:
            raise FittingError("Give exactly one of number, tolerance and density.")
        if self.number is not None and self.number < 1:
            raise FittingError(f"The number of spheres must be at least 1, not {self.number}.")
        if self.tolerance_m is not None and not self.tolerance_m > 0:
            raise FittingError(f"The tolerance must be greater than 0, not {self.tolerance_m} m.")
        if self.density is not None and not self.density > 0:
            raise FittingError(f"The density must be greater than 0, not {self.density}.")
        self._check_limits()

    def _check_limits(self) -> None:
        if not 0.0 <= self.padding < math.inf:
            raise FittingError(f"The padding must be 0 or more, not {self.padding} m.")
        if self.min_radius < 0 or (self.max_radius is not None and not self.max_radius > 0):
            raise FittingError(
                "The smallest radius must not be negative and the largest must be greater than 0."
            )
        if self.max_radius is not None and self.max_radius < self.min_radius:
            raise FittingError(
                f"The largest radius ({self.max_radius} m) is below the smallest "
                f"({self.min_radius} m)."
            )
        for plane in (*self.clip_planes, *((self.mirror,) if self.mirror else ())):
            if not any(abs(c) > 1e-12 for c in plane.normal):
                raise FittingError("The normal of a plane must not be zero.")
