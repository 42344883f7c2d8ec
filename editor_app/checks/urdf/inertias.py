"""URDF080 and 081: masses and inertias that no body has, or none of the link's shape.

They are notes: planners do not read them, simulators do. MuJoCo refuses the first of a link that moves by itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

import numpy as np
from numpy.typing import NDArray

from editor_app.checks.context import CheckContext
from editor_app.checks.rule import INFO, flaw, rule
from editor_app.edit.commands.fields import OfLink, SetField
from editor_app.geometry.link_geometry import MeshStore, link_geometry, pose_matrix
from editor_app.geometry.mass import USUAL_DENSITY, filled, impossible, solid_of_link, tensor
from editor_app.geometry.mesh import merged
from editor_app.model.findings import Finding
from editor_app.model.urdf import Inertial, Link

#: A shape of the file leaves out motors and cables: so much beside it (a share of its size) is still of this shape.
_BESIDE = 0.25
#: Metres that the smallest link may be beside its shape.
_LEAST_BESIDE = 0.005
#: kg/m³ of the box around a shape: nothing is heavier than osmium, and what is lighter than foam weighs too little.
_DENSEST, _LIGHTEST = 22_600.0, 2.0
#: Share of the moment of the filled box below which digits are missing, not material.
_TOO_LITTLE = 1e-3
#: Along the axes, the edges and the diagonals of a cube: 13 slabs that a hull lies between.
_DIRECTIONS = np.array([d for d in product((-1, 0, 1), repeat=3) if d > (0, 0, 0)], float)
_DIRECTIONS /= np.linalg.norm(_DIRECTIONS, axis=1)[:, None]


@rule(
    "URDF080",
    "Inertia that no body has",
    "urdf",
    "urdf urdf_source urdf_path mappings",
    file="urdf",
    slow=True,
    also={"URDF081": "Inertia that no body of this shape has"},
)
def inertias(c: CheckContext) -> Iterable[Finding]:
    store = MeshStore(c.urdf_path, c.mappings)
    for link in c.urdf.links:
        inertial = link.inertial
        # Nothing at all is what a frame without a body has.
        if inertial is None or not np.isfinite(inertial.inertia).all() or not (inertial.mass or any(inertial.inertia)):
            continue
        code, message = "URDF080", impossible(inertial)
        if not message:
            code, message = "URDF081", _of_no_such_shape(c, link, inertial, store)
        if message:
            place = c.urdf_source.inertial_location(link.name) if c.urdf_source is not None else None
            text = f"Inertia of {link.name!r}: {message[0].lower()}{message[1:]}"
            fixes = _remedies(c, link, inertial.mass, store)
            yield flaw(INFO, text, links=(link.name,), location=place, code=code, fixes=fixes)


def _remedies(c: CheckContext, link: Link, mass: float, store: MeshStore) -> tuple[SetField, ...]:
    """From the shape, filled with one material: at the mass of the file, or where that is the fault at a density."""
    solid = solid_of_link(c.urdf, link, store)
    if solid is None:
        return ()
    label = f"Compute the inertia of {link.name} from its shape, at {mass:g} kg"
    if not _LIGHTEST <= mass / solid.volume <= _DENSEST:
        mass = solid.volume * USUAL_DENSITY
        label = f"Compute mass and inertia of {link.name} from its shape, at {USUAL_DENSITY:,.0f} kg/m³"
    return (SetField(OfLink(link.name), "inertial", filled(solid, mass), label),)


def _of_no_such_shape(c: CheckContext, link: Link, inertial: Inertial, store: MeshStore) -> str:
    """Why no body within the link's shapes, or a little beside them, has that; "" where one can, or without shapes."""
    parts = [p for kind in ("visual", "collision")
             for p in link_geometry(c.urdf, c.urdf_path, link, kind, store=store).parts]  # fmt: skip
    points, _ = merged(parts)
    if not len(points):
        return ""
    place = pose_matrix(inertial.origin)
    # About the centre of mass, in the axes of the inertia.
    points = (points - place[:3, 3]) @ place[:3, :3]
    low, high = points.min(axis=0), points.max(axis=0)
    beside = max(_BESIDE * float((high - low).max()), _LEAST_BESIDE)
    along = points @ _DIRECTIONS.T
    outside = float(max((along.min(axis=0)).max(), (-along.max(axis=0)).max()))
    if outside > beside:
        return f"The centre of mass is {1000 * outside:.0f} mm outside of the link's shape."
    volume = float(np.prod(high - low + _LEAST_BESIDE))
    density = inertial.mass / volume
    if not _LIGHTEST <= density <= _DENSEST:
        than = "heavier than any metal" if density > 1 else "lighter than any foam"
        return f"{inertial.mass:g} kg in the box around the link's shape is {density:.3g} kg/m³, {than}."
    return _moments_beyond(inertial, points, low, high, beside)


def _moments_beyond(
    inertial: Inertial, points: NDArray[np.float64], low: NDArray[np.float64], high: NDArray[np.float64], beside: float
) -> str:
    """A moment is at most the mass times the square of the largest distance from its axis, wherever the material is."""
    moments, axes = np.linalg.eigh(tensor(inertial))
    sizes = high - low + _LEAST_BESIDE
    squares = (sizes**2).sum() - sizes**2
    box = np.sort(inertial.mass / 12 * squares)
    turned = points @ axes
    for i, moment in enumerate(moments):
        across = np.delete(turned, i, axis=1)
        reach = float(np.sqrt((across**2).sum(axis=1).max())) + beside
        if moment > inertial.mass * reach**2:
            most = inertial.mass * reach**2
            return f"A principal moment is {moment:.3g} kg m²; with all the mass at its ends the shape has {most:.3g}."
        if moment < _TOO_LITTLE * box[i]:
            return f"A principal moment is {moment:.3g} kg m²; the box around the shape, filled, has {box[i]:.3g}."
    return ""
