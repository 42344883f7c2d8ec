"""Mass, centre and inertia of rigid bodies, as UsdPhysics defines them: stated, or of the
colliders.

A body's own mass, centre and inertia count; what it does not state is that of its colliders, each
with its own mass, or with the density of the nearest prim above it that has one, of its physics
material, or 1000 kg/m³ (https://openusd.org/release/api/class_usd_physics_mass_a_p_i.html).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from pxr import UsdGeom, UsdShade

from editor_app.core.formats.exchange.conversion import Reporter
from editor_app.core.model.counting import format_list
from editor_app.core.model.urdf import FARTHEST, Inertial
from editor_app.core.space.geometry.mass import (
    SolidProperties,
    compute_solid_properties,
    join_solids,
)
from editor_app.core.space.geometry.mesh import convex_hull
from editor_app.core.space.kinematics.transforms import Matrix, build_origin, transform
from editor_app.plugins.usd.reading.meshes import exact_solid, moved_solid
from editor_app.plugins.usd.reading.scene import (
    PrimShape,
    UsdScene,
    as_written,
    read_number,
    read_vector,
    turn_of,
    value,
)
from editor_app.plugins.usd.reading.shapes import UsdShapes

_DENSITY, _MOST = 1000.0, 8
#: Metres, of the ball in the place of a body that states a mass and has no shape.
_BALL = 0.1


class Masses:
    """The inertials of bodies."""

    def __init__(self, scene: UsdScene, shapes: UsdShapes, out: Reporter) -> None:
        self._scene, self._shapes, self._out = scene, shapes, out
        self._computed: list[str] = []
        self._guessed: list[str] = []
        self._massless: list[str] = []
        self._colliders: dict[Any, list[PrimShape]] = {}
        self._seen: dict[Any, list[PrimShape]] = {}
        for shape in scene.shapes:
            group = self._seen if shape.collider is None else self._colliders
            group.setdefault(shape.body, []).append(shape)

    def inertial(self, body: Any, name: str) -> Inertial | None:
        """Read the inertial of one body in its frame, in kg and kg m²; None without a mass. Raises
        FormatError."""
        scene, prim = self._scene, self._scene.bodies[body]
        kilograms, metres = scene.kilograms, scene.metres
        mass = _positive(read_number(prim, "physics:mass"))
        mass = mass * kilograms if mass is not None else None
        tensor, centre = self._stated_inertia(prim), self._stated_centre(prim, body)
        if tensor is not None:
            tensor = tensor * kilograms * metres**2
        if mass is None or tensor is None or centre is None:
            solid = self._solid(prim, self._colliders.get(body, ()))
            if solid is None and mass is not None and (tensor is None or centre is None):
                solid = self._substitute(body, mass, name, needs_tensor=tensor is None)
            elif solid is not None and (mass is None or tensor is None):
                self._computed.append(name)
            if solid is None:
                self._massless.append(name)
                return None
            mass = solid.volume if mass is None else mass
            if centre is None:
                centre = solid.centre
            if tensor is None:
                tensor = self._about(solid, mass, centre)
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = ((float(v) for v in row) for row in tensor)
        return Inertial(mass, (xx, xy, xz, yy, yz, zz), build_origin(transform(None, centre)))

    def tell(self) -> None:
        out = self._out
        if self._computed:
            out.invented(
                "mass or inertia",
                f"of the colliders, as USD defines it: {format_list(self._computed, _MOST)}",
            )
        if self._guessed:
            detail = f"a ball of {_BALL:g} m, where the file has neither an inertia nor a collider"
            out.invented("inertia", f"{detail}: {format_list(self._guessed, _MOST)}")
        if self._massless:
            out.lost(
                "mass", f"neither stated nor of a collider: {format_list(self._massless, _MOST)}"
            )

    # -- what a body states

    def _stated_inertia(self, prim: Any) -> Matrix | None:
        """(3, 3) in the axes of the body, in the units of the stage."""
        diagonal = read_vector(prim, "physics:diagonalInertia")
        if diagonal is None or max(diagonal) <= 0 or min(diagonal) < 0:
            return None
        turn = turn_of(value(prim, "physics:principalAxes", None))
        return np.asarray(turn @ np.diag([as_written(v) for v in diagonal]) @ turn.T)

    def _stated_centre(self, prim: Any, body: Any) -> Matrix | None:
        """(3,) in metres in the frame of the body."""
        centre = read_vector(prim, "physics:centerOfMass")
        if centre is None:
            return None
        world = self._scene.matrix(prim) @ np.array([*(as_written(v) for v in centre), 1.0])
        frame = self._scene.frame(body)
        return np.asarray(frame[:3, :3].T @ (world[:3] - frame[:3, 3]))

    # -- of its colliders

    def _solid(self, prim: Any, shapes: Sequence[PrimShape]) -> SolidProperties | None:
        """The colliders together; `volume` is their mass in kg."""
        solids = []
        for shape in shapes:
            solid = self._of_shape(shape)
            if solid is not None:
                stated = _positive(read_number(shape.prim, "physics:mass"))
                mass = (
                    solid.volume * self._density(shape, prim)
                    if stated is None
                    else stated * self._scene.kilograms
                )
                inertia = solid.inertia * (mass / solid.volume)
                # The product of a density, a volume and units can leave the range of numbers.
                if 0 < mass < math.inf and np.isfinite(inertia).all():
                    solids.append(SolidProperties(mass, solid.centre, inertia, solid.closed))
        return join_solids(solids)

    def _of_shape(self, shape: PrimShape) -> SolidProperties | None:
        matrix = self._shapes.local(shape)
        exact = exact_solid(shape.prim)
        if exact is not None:
            return moved_solid(exact, matrix) if np.linalg.det(matrix[:3, :3]) else None
        mesh = self._shapes.triangles(shape.prim)
        if mesh is None or not len(mesh.faces):
            return None
        vertices = mesh.vertices.astype(float) @ matrix[:3, :3].T + matrix[:3, 3]
        if np.abs(vertices[mesh.faces]).max() > FARTHEST:
            return None
        is_hull = (
            str(value(shape.collider or shape.prim, "physics:approximation", "none")) != "none"
        )
        solid = (
            None
            if shape.prim.IsA(UsdGeom.Mesh) and is_hull
            else compute_solid_properties(vertices, np.asarray(mesh.faces, dtype=np.int32))
        )
        if solid is None or not solid.closed:
            hull = convex_hull(vertices[np.unique(mesh.faces)])
            solid = compute_solid_properties(*hull) if hull is not None else None
        return solid

    def _density(self, shape: PrimShape, body: Any) -> float:
        """kg/m³."""
        unit = self._scene.kilograms / self._scene.metres**3
        prim = shape.prim
        while prim and not prim.IsPseudoRoot():
            stated = _positive(read_number(prim, "physics:density"))
            if stated is not None:
                return stated * unit
            if prim.GetPath() == body.GetPath():
                break
            prim = prim.GetParent()
        material = UsdShade.MaterialBindingAPI(shape.prim).ComputeBoundMaterial("physics")[0]
        stated = _positive(read_number(material.GetPrim(), "physics:density")) if material else None
        return stated * unit if stated is not None else _DENSITY

    def _about(self, solid: SolidProperties, mass: float, centre: Matrix) -> Matrix:
        """(3, 3) of the colliders about a centre, for another mass."""
        share = mass / solid.volume
        d = solid.centre - centre
        return np.asarray(
            solid.inertia * share + mass * (float(d @ d) * np.eye(3) - np.outer(d, d))
        )

    def _substitute(
        self, body: Any, mass: float, name: str, *, needs_tensor: bool
    ) -> SolidProperties:
        """What stands in for colliders: what is seen of the body, else a ball at its origin."""
        solids = [
            solid
            for shape in self._seen.get(body, ())
            if (solid := self._of_shape(shape)) is not None
        ]
        whole = join_solids(solids)
        if whole is not None:
            self._computed.append(name)
            share = mass / whole.volume
            return SolidProperties(mass, whole.centre, whole.inertia * share, whole.closed)
        if needs_tensor:
            self._guessed.append(name)
        return SolidProperties(mass, np.zeros(3), 0.4 * mass * _BALL**2 * np.eye(3), closed=True)


def _positive(stated: float | None) -> float | None:
    return stated if stated is not None and 0 < stated < math.inf else None
