"""Geometry prims of a stage as triangles: vertices in the units of the prim, faces
counter-clockwise outside."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from pxr import UsdGeom

from editor_app.core.model.urdf import Ball, Box, Capsule, Cylinder, Geometry
from editor_app.core.space.geometry import mass
from editor_app.core.space.geometry.mass import SolidProperties
from editor_app.core.space.geometry.mesh import (
    MAX_TRIANGLES,
    build_primitive,
    merge_parts,
    revolved,
)
from editor_app.core.space.kinematics.transforms import Matrix, transform
from editor_app.plugins.usd.reading.scene import array, value

#: Corners of a circle of what becomes a mesh.
_SEGMENTS = 48
#: Of a primitive, in the units of the stage.
_MOST_SIZE = 1e9
#: Turns of z onto the axis of a prim.
_AXES = {
    "X": np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]]),
    "Y": np.array([[0.0, 1, 0], [0, 0, 1], [1, 0, 0]]),
    "Z": np.eye(3),
}


@dataclass(frozen=True, slots=True, eq=False)
class Triangles:
    """`vertices` (n, 3), `faces` (m, 3) indices; `sources` (m,): the face of the mesh that each
    triangle is of.

    `fault`: what of the mesh cannot be read, "" for nothing.
    """

    vertices: npt.NDArray[np.floating]
    faces: npt.NDArray[np.integer]
    sources: npt.NDArray[np.integer]
    fault: str = ""


def mesh_triangles(prim: Any) -> Triangles:
    """The faces of a mesh as fans of triangles, without its holes. Raises ValueError for one that
    is too large."""
    points = array(prim, "points", np.float32)
    points = points if points.ndim == 2 and points.shape[1] == 3 else np.zeros((0, 3), np.float32)
    counts = array(prim, "faceVertexCounts", np.int64).ravel()
    indices = array(prim, "faceVertexIndices", np.int64).ravel()
    fault = ""
    if len(counts) and (counts.min() < 0 or counts.sum() > len(indices)):
        fault, counts = "its counts do not fit its indices", counts[:0]
    total = int(np.maximum(counts - 2, 0).sum())
    if total > MAX_TRIANGLES or len(points) > 3 * MAX_TRIANGLES:
        raise ValueError(
            f"{prim.GetPath()} has {total:,} triangles; the limit is {MAX_TRIANGLES:,}"
        )
    faces, sources = _fans(counts, indices)
    kept: npt.NDArray[Any] = np.ones(len(faces), dtype=bool)
    if len(faces):
        if faces.min() < 0 or faces.max() >= len(points):
            kept &= ((faces >= 0) & (faces < len(points))).all(axis=1)
        if not np.isfinite(points).all():
            kept[kept] = np.isfinite(points[faces[kept]]).all(axis=(1, 2))
        if not kept.all():
            fault = (
                f"{int((~kept).sum())} of its triangles name points that it does not have, or that "
                "are no numbers"
            )
    holes = array(prim, "holeIndices", np.int64).ravel()
    if len(holes):
        kept &= ~np.isin(sources, holes)
    if not kept.all():
        faces, sources = faces[kept], sources[kept]
    if value(prim, "orientation", "rightHanded") == "leftHanded":
        faces = faces[:, ::-1]
    return Triangles(points, faces, sources, fault)


def _fans(
    counts: npt.NDArray[np.integer], indices: npt.NDArray[np.integer]
) -> tuple[npt.NDArray[np.integer], npt.NDArray[np.integer]]:
    """The triangles (m, 3) of faces with `counts` corners each, and the face (m,) that each is
    of."""
    if (counts == 3).all():
        return indices[: 3 * len(counts)].reshape(-1, 3), np.arange(len(counts))
    sizes = np.maximum(counts - 2, 0)
    starts = np.cumsum(counts) - counts
    sources = np.repeat(np.arange(len(counts)), sizes)
    # The number of a triangle within its face.
    steps = np.arange(len(sources)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    first = starts[sources]
    return indices[np.column_stack((first, first + steps + 1, first + steps + 2))], sources


@dataclass(frozen=True, slots=True)
class PrimSolid:
    """A primitive as URDF has it, along z, with `turn` (3, 3) onto the axis of the prim, in the
    units of the prim.

    `ends`: the middles of half balls at both ends of a cylinder, which make it a capsule.
    """

    geometry: Geometry
    turn: Matrix
    ends: tuple[float, ...] = ()


def read_primitive_solid(prim: Any) -> PrimSolid | None:
    """A cube, sphere, cylinder or capsule; None for another kind, and for one without a positive
    finite size."""
    turn = _AXES.get(str(value(prim, "axis", "Z")), np.eye(3))
    if prim.IsA(UsdGeom.Cube):
        size = _size(prim, "size", 2.0)
        return PrimSolid(Box((size, size, size)), np.eye(3)) if size else None
    radius = _size(prim, "radius", 1.0)
    if prim.IsA(UsdGeom.Sphere):
        return PrimSolid(Ball(radius), np.eye(3)) if radius else None
    kind = str(prim.GetTypeName())
    if kind in ("Cylinder_1", "Capsule_1"):
        radius, top = (
            _size(prim, f"radius{end}", 1.0 if kind == "Cylinder_1" else 0.5)
            for end in ("Bottom", "Top")
        )
        if radius != top:
            return None
    height = _size(prim, "height", 2.0 if kind.startswith("Cylinder") else 1.0)
    if kind.startswith("Cylinder"):
        return PrimSolid(Cylinder(radius, height), turn) if radius and height else None
    if kind.startswith("Capsule"):
        if not radius:
            return None
        ends = (-height / 2, height / 2)
        return (
            PrimSolid(Cylinder(radius, height), turn, ends)
            if height
            else PrimSolid(Ball(radius), turn)
        )
    return None


def exact_solid(prim: Any) -> SolidProperties | None:
    """The closed form of a primitive, in the units of the prim; None for a mesh and for what has
    none."""
    solid = read_primitive_solid(prim)
    if solid is not None:
        shape: Geometry = solid.geometry
        if solid.ends and isinstance(shape, Cylinder):
            shape = Capsule(shape.radius, shape.length)
        return _turned(mass.compute_primitive_solid(shape), solid.turn)
    if str(prim.GetTypeName()) != "Cone":
        return None
    r, h = _size(prim, "radius", 1.0), _size(prim, "height", 2.0)
    if not r or not h:
        return None
    volume = math.pi * r * r * h / 3
    across = 3 / 20 * r * r + 3 / 80 * h * h
    inertia = volume * np.diag([across, across, 3 / 10 * r * r])
    cone = SolidProperties(volume, np.array([0.0, 0.0, -h / 4]), inertia, closed=True)
    return _turned(cone, _AXES.get(str(value(prim, "axis", "Z")), np.eye(3)))


def _turned(solid: SolidProperties | None, turn: Matrix) -> SolidProperties | None:
    return None if solid is None else moved_solid(solid, transform(turn))


def moved_solid(solid: SolidProperties, matrix: Matrix) -> SolidProperties:
    """A solid carried by an affine transform (4, 4): its second moment S about the centre becomes
    |det A| A S Aᵀ."""
    second = np.trace(solid.inertia) / 2 * np.eye(3) - solid.inertia
    share = abs(float(np.linalg.det(matrix[:3, :3])))
    second = share * (matrix[:3, :3] @ second @ matrix[:3, :3].T)
    centre = matrix[:3, :3] @ solid.centre + matrix[:3, 3]
    return SolidProperties(
        solid.volume * share, centre, np.trace(second) * np.eye(3) - second, solid.closed
    )


def _size(prim: Any, name: str, default: float) -> float:
    """0 for a size that is not positive, or that no robot has."""
    size = value(prim, name, default)
    size = float(size) if isinstance(size, int | float) else 0.0
    return size if 0 < size < _MOST_SIZE else 0.0


def prim_triangles(prim: Any) -> Triangles | None:
    """The surface of a prim of any kind; None for planes, curves, points and what has no surface.

    Raises ValueError for one that is too large.
    """
    if prim.IsA(UsdGeom.Mesh):
        return mesh_triangles(prim)
    solid = read_primitive_solid(prim)
    if solid is not None:
        return _of_solid(solid)
    kind = str(prim.GetTypeName())
    profile: list[tuple[float, float]] = []
    if kind == "Cone":
        radius, height = _size(prim, "radius", 1.0), _size(prim, "height", 2.0)
        profile = [(0.0, -height / 2), (radius, -height / 2), (0.0, height / 2)]
    elif kind in ("Cylinder_1", "Capsule_1"):
        usual = 1.0 if kind == "Cylinder_1" else 0.5
        low, high = _size(prim, "radiusBottom", usual), _size(prim, "radiusTop", usual)
        half = _size(prim, "height", 2.0 * usual) / 2
        profile = [(0.0, -half), (low, -half), (high, half), (0.0, half)]
        if kind == "Capsule_1":
            arc = [math.radians(degrees) for degrees in range(0, 91, 9)]
            start = [(low * math.sin(a), -half - low * math.cos(a)) for a in arc]
            profile = [*start, *((high * math.cos(a), half + high * math.sin(a)) for a in arc)]
            profile[-1] = (0.0, half + high)
    if not profile or max(r for r, _ in profile) <= 0 or profile[0][1] == profile[-1][1]:
        return None
    turn = _AXES.get(str(value(prim, "axis", "Z")), np.eye(3))
    vertices, faces = merge_parts(revolved(profile, "", _SEGMENTS).parts)
    return Triangles(vertices @ turn.T, faces, np.zeros(len(faces), dtype=np.int64))


def _of_solid(solid: PrimSolid) -> Triangles:
    if solid.ends:
        assert isinstance(solid.geometry, Cylinder)
        radius, half = solid.geometry.radius, solid.geometry.length / 2
        arc = [math.radians(degrees) for degrees in range(0, 91, 9)]
        profile = [(radius * math.sin(a), -half - radius * math.cos(a)) for a in arc]
        profile += [(radius * math.cos(a), half + radius * math.sin(a)) for a in arc]
        profile[-1] = (0.0, half + radius)
        vertices, faces = merge_parts(revolved(profile, "", _SEGMENTS).parts)
    else:
        vertices, faces = merge_parts(build_primitive(solid.geometry, _SEGMENTS).parts)
    return Triangles(vertices @ solid.turn.T, faces, np.zeros(len(faces), dtype=np.int64))
