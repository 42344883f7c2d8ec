"""Volume, centre and inertia of closed surfaces, as if they were filled with one material."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from editor_app.core.arrays import F64
from editor_app.core.model.origin import IDENTITY, Origin
from editor_app.core.model.urdf import (
    Ball,
    Box,
    Cylinder,
    Geometry,
    Inertial,
    Link,
    Mesh,
    Urdf,
    sizes_of,
)
from editor_app.core.space.geometry.link_geometry import LinkGeometry, MeshStore, link_geometry
from editor_app.core.space.geometry.mesh import Faces, Vertices, merge_parts, weld_vertices
from editor_app.core.space.kinematics.transforms import build_pose_matrix, inertia_tensor

#: kg/m³ of a link that is no hollow shell of metal: plastics, and motors with the air around them.
USUAL_DENSITY = 1000.0


@dataclass(frozen=True, slots=True, eq=False)
class SolidProperties:
    """`volume` in m³, `centre` (3,) in metres, `inertia` (3, 3) about the centre for a density of 1
    kg/m³.

    `closed`: whether the surface has neither gaps nor triangles the wrong way round; else the
    numbers are estimates.
    """

    volume: float
    centre: F64
    inertia: F64
    closed: bool


def compute_solid_properties(vertices: Vertices, faces: Faces) -> SolidProperties | None:
    """Compute the solid of (n, 3) vertices and (m, 3) faces of either orientation; None if they
    enclose nothing.

    Sums over the tetrahedra between the triangles and a point: for corners a, b, c and J = det(a,
    b, c) the volume is J/6, the first moment J/24 (a+b+c), and the second J/120 (s sᵀ + a aᵀ + b bᵀ
    + c cᵀ) with s = a+b+c (Tonon 2004).
    """
    if not len(faces):
        return None
    # A point near by keeps digits where a mesh stands far from its origin.
    middle = (vertices.min(axis=0) + vertices.max(axis=0)) / 2
    corners = (vertices - middle)[faces]
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    jacobian = np.einsum("ij,ij->i", a, np.cross(b, c))
    volume = float(jacobian.sum()) / 6
    extent = float(np.ptp(vertices, axis=0).max())
    if abs(volume) <= 1e-9 * extent**3:
        return None
    total = a + b + c
    centre = (jacobian[:, None] * total).sum(axis=0) / 24 / volume
    second = sum(np.einsum("i,ij,ik->jk", jacobian, v, v) for v in (total, a, b, c)) / 120
    if volume < 0:
        volume, second = -volume, -second
    about = second - volume * np.outer(centre, centre)
    inertia = np.trace(about) * np.eye(3) - about
    return SolidProperties(volume, centre + middle, inertia, _is_closed(vertices, faces))


def compute_primitive_solid(
    geometry: Geometry, origin: Origin = IDENTITY
) -> SolidProperties | None:
    """Return the closed form for a box, sphere, cylinder or capsule at `origin`; None for a size
    that is not positive.

    A capsule is a cylinder and two half balls, each with its centre of mass 3/8 of the radius from
    its flat side. Raises TypeError for a Mesh.
    """
    if isinstance(geometry, Mesh):
        raise TypeError("a mesh has no closed form")
    sizes = sizes_of(geometry)
    if isinstance(geometry, Box):
        x, y, z = sizes
        volume = x * y * z
        moments = [volume / 12 * (a * a + b * b) for a, b in ((y, z), (x, z), (x, y))]
    elif isinstance(geometry, Ball):
        (r,) = sizes
        volume = 4 / 3 * math.pi * r**3
        moments = [0.4 * volume * r * r] * 3
    else:
        r, length = sizes
        ends = 0.0 if isinstance(geometry, Cylinder) else 4 / 3 * math.pi * r**3
        tube = math.pi * r * r * length
        volume = tube + ends
        across = tube * (3 * r * r + length * length) / 12
        across += ends * (0.4 * r * r + 0.375 * r * length + 0.25 * length * length)
        moments = [across, across, (0.5 * tube + 0.4 * ends) * r * r]
    # A capsule without a cylinder is a ball.
    if min(sizes) < 0 or not 0 < volume < math.inf:
        return None
    place = build_pose_matrix(origin)
    turn = place[:3, :3]
    return SolidProperties(volume, place[:3, 3], turn @ np.diag(moments) @ turn.T, closed=True)


def join_solids(solids: list[SolidProperties]) -> SolidProperties | None:
    """Return several solids of the same material as one; where they overlap, the material counts
    twice.

    None without a volume that is a positive number.
    """
    volume = sum(s.volume for s in solids)
    if not 0 < volume < math.inf:
        return None
    centre = sum((s.volume * s.centre for s in solids), np.zeros(3)) / volume
    inertia = np.zeros((3, 3))
    for solid in solids:
        d = solid.centre - centre
        inertia += solid.inertia + solid.volume * (float(d @ d) * np.eye(3) - np.outer(d, d))
    return SolidProperties(volume, centre, inertia, all(s.closed for s in solids))


def compute_link_solid(geometry: LinkGeometry) -> SolidProperties | None:
    """The shapes of a link, filled with one material; None when they enclose nothing."""
    solids = []
    for element in dict.fromkeys(geometry.elements):
        shape = geometry.shapes[element]
        if isinstance(shape.geometry, Mesh):
            parts = [
                p for p, e in zip(geometry.parts, geometry.elements, strict=True) if e == element
            ]
            solid = compute_solid_properties(*merge_parts(parts))
        else:
            solid = compute_primitive_solid(shape.geometry, shape.origin)
        if solid is not None:
            solids.append(solid)
    return join_solids(solids)


def solid_of_link(urdf: Urdf, link: Link, store: MeshStore) -> SolidProperties | None:
    """The visuals of a link, filled, or where they enclose nothing its collisions; None where
    neither does."""
    for kind in ("visual", "collision"):
        solid = compute_link_solid(link_geometry(urdf, store.urdf_path, link, kind, store=store))
        if solid is not None:
            return solid
    return None


def fill_solid(solid: SolidProperties, mass: float) -> Inertial:
    """The inertial of a solid that weighs `mass` kg, about its centre, with the six digits that
    files have."""
    moments = solid.inertia * (mass / solid.volume)
    numbers = (
        moments[0, 0],
        moments[0, 1],
        moments[0, 2],
        moments[1, 1],
        moments[1, 2],
        moments[2, 2],
    )
    largest = max(map(abs, numbers))
    xx, xy, xz, yy, yz, zz = (_short(float(value), largest) for value in numbers)
    x, y, z = (_short(float(value), 1.0) for value in solid.centre)
    return Inertial(_short(mass, 0.0), (xx, xy, xz, yy, yz, zz), Origin((x, y, z)))


def _short(value: float, scale: float) -> float:
    """With six digits: what is computed is not known better, beside `scale` even less."""
    return 0.0 if abs(value) < 1e-9 * scale else float(f"{value:.6g}")


def impossible(inertial: Inertial) -> str:
    """Why no body has this mass and inertia, as a sentence; "" where one can.

    Moments are integrals of squares of distances: none is negative, and none is more than the other
    two together, which holds of the principal moments of any body. MuJoCo 3 refuses what breaks it,
    Drake 1.51 warns, and takes another.
    """
    if not inertial.mass > 0:
        return "The mass is not positive: no real body has such values."
    moments = np.linalg.eigvalsh(inertia_tensor(inertial))
    if moments[0] <= 0:
        return "The inertia tensor is not positive definite: no real body has such values."
    if moments[2] > (moments[0] + moments[1]) * (1 + 1e-6):
        return (
            f"The largest principal moment, {moments[2]:.4g} kg m², is more than the sum of the "
            "others, "
            f"{moments[0] + moments[1]:.4g}: no real body has such values."
        )
    return ""


def ellipsoid_axes(mass: float, inertia: F64) -> tuple[F64, ...] | None:
    """Half axes (3,) and directions (3, 3, columns) of the filled ellipsoid of that mass and
    inertia tensor.

    None when there is none: no mass, or moments that break the triangle inequality.
    """
    moments, directions = np.linalg.eigh(inertia)
    squares = 2.5 * (moments.sum() - 2 * moments) / mass if mass > 0 else np.full(3, -1.0)
    # Rounded numbers of flat bodies break the inequality by a hair.
    if squares.min() < -1e-3 * max(float(squares.max()), 1e-300):
        return None
    return np.sqrt(np.maximum(squares, 0.0)), directions


def _is_closed(vertices: Vertices, faces: Faces) -> bool:
    """Whether every edge is passed as often one way as the other: only then does no point of
    reference matter."""
    _, joined = weld_vertices(vertices, faces)
    ends = np.concatenate([joined[:, [0, 1]], joined[:, [1, 2]], joined[:, [2, 0]]]).astype(
        np.int64
    )
    ends = ends[ends[:, 0] != ends[:, 1]]
    low, high = ends.min(axis=1), ends.max(axis=1)
    _, edge = np.unique(low * (int(joined.max(initial=0)) + 1) + high, return_inverse=True)
    balance = np.bincount(edge, weights=np.where(ends[:, 0] == low, 1.0, -1.0))
    return not balance.any()
