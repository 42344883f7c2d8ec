"""<brep> of COLLADA 1.5: boundaries out of analytic surfaces, as the primitives that a URDF has.

A ball, a cylinder, a box out of its six planes, a cylinder between two half balls (a capsule) are
primitives; a torus and a cone become triangles, since a URDF has no word for them. Everything else
is refused with its reason. Surfaces of a brep are infinite: where they end is told by the corners
(<vertices>), by circles (<curves>), by planes across the axis, or by a <height>, as in the <shape>
of physics. The axis is z.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from editor_app.core.model.urdf import Ball, Box, Capsule, Cylinder, Geometry
from editor_app.core.space.geometry.mesh import merge_parts, revolved, weld_vertices
from editor_app.core.space.kinematics.transforms import apply
from editor_app.core.text.xml.document import XmlElement
from editor_app.plugins.collada.transforms import Matrix, axis_transform, each, floats, floats_in

#: Relative to the size of the shape.
_EQUAL = 1e-6
_SIDES, _RINGS = 48, 24


class BrepError(ValueError):
    """Why a <brep> has no counterpart."""


@dataclass(frozen=True, eq=False)
class BrepSolid:
    """A primitive at `pose`, or `triangles` (vertices (n, 3), faces (m, 3)) in the frame of the
    geometry; metres."""

    primitive: Geometry | None
    pose: Matrix
    triangles: tuple[np.ndarray, np.ndarray] | None = None


@dataclass(frozen=True, eq=False)
class _Surface:
    """`sizes` in metres by the name of their element; `pose` from the surface's frame to that of
    the geometry."""

    kind: str
    sizes: dict[str, list[float]]
    pose: Matrix

    def first(self, key: str) -> float:
        values = self.sizes.get(key, [])
        if not values or not values[0] > 0:
            raise BrepError(f"a {self.kind} without a {key}")
        return values[0]

    @property
    def axis(self) -> np.ndarray:
        direction: np.ndarray = self.pose[:3, 2]
        return direction

    @property
    def place(self) -> np.ndarray:
        point: np.ndarray = self.pose[:3, 3]
        return point


def build_brep_solid(brep: XmlElement, unit: float) -> BrepSolid:
    """The solid that a <brep> bounds; `unit` metres. Raises BrepError with the reason when there is
    none."""
    surfaces = [_surface(e, unit) for e in each(brep, "surfaces", "surface")]
    kinds = sorted({s.kind for s in surfaces})
    by_kind = {kind: [s for s in surfaces if s.kind == kind] for kind in kinds}
    makers = {
        ("sphere",): _ball,
        ("box",): _box,
        ("capsule",): _capsule,
        ("plane",): _box_of_planes,
        ("torus",): _torus,
        ("cylinder",): _cylinder,
        ("cylinder", "plane"): _cylinder,
        ("cylinder", "sphere"): _capsule_of_parts,
        ("cone",): _cone,
        ("cone", "plane"): _cone,
    }
    maker = makers.get(tuple(kinds))
    if maker is None:
        raise BrepError(
            f"surfaces of the kinds {', '.join(kinds) or 'none'}, which do not form a primitive"
        )
    return maker(by_kind, _corners(brep, unit))


def _surface(element: XmlElement, unit: float) -> _Surface:
    shape = next(
        (c for c in element.children if c.tag not in ("orient", "origin", "extra", "asset")), None
    )
    if shape is None:
        raise BrepError("a surface without a shape")
    sizes = {
        c.tag: [v * (1.0 if c.tag in ("angle", "equation") else unit) for v in floats(c.text)]
        for c in shape.children
    }
    if shape.tag == "plane" and len(sizes.get("equation", [])) == 4:
        sizes["equation"][3] *= unit
    return _Surface(shape.tag, sizes, _pose(element, unit))


def _pose(element: XmlElement, unit: float) -> Matrix:
    result = np.eye(4)
    for turn in element.all("orient"):
        values = floats(turn.text)
        if len(values) == 4:
            result = result @ axis_transform(values[:3], math.radians(values[3]))
    values = floats_in(element, "origin")
    if len(values) == 3:
        result[:3, 3] = np.array(values) * unit
    return result


def _corners(brep: XmlElement, unit: float) -> np.ndarray:
    """(n, 3): corners, and the centres of circles."""
    points: list[list[float]] = []
    for source in brep.all("source"):
        accessor = next((e for e in source.walk() if e.tag == "accessor"), None)
        names = [p.get("name") for p in accessor.all("param")] if accessor is not None else []
        values = floats_in(source, "float_array")
        if (not names or names == ["X", "Y", "Z"]) and len(values) % 3 == 0:
            points += (np.array(values).reshape(-1, 3) * unit).tolist()
    for curve in each(brep, "curves", "curve"):
        if curve.child("circle") is not None:
            points.append(_pose(curve, unit)[:3, 3].tolist())
    return np.array(points).reshape(-1, 3)


_ByKind = dict[str, list[_Surface]]


def _plane(surface: _Surface) -> tuple[np.ndarray, float, float] | None:
    """The unit normal in the frame of the geometry; the constant of the equation and the length of
    its normal."""
    values = surface.sizes.get("equation", [])
    length = math.hypot(*values[:3]) if len(values) == 4 else 0.0
    return (
        (surface.pose[:3, :3] @ (np.array(values[:3]) / length), values[3], length)
        if length
        else None
    )


def _one(surfaces: list[_Surface], kind: str) -> _Surface:
    if len(surfaces) != 1:
        raise BrepError(f"{len(surfaces)} surfaces of the kind {kind}")
    return surfaces[0]


def _ball(kinds: _ByKind, corners: np.ndarray) -> BrepSolid:
    first = kinds["sphere"][0]
    radius = first.first("radius")
    # A ball may be told as two halves.
    if any(
        not np.allclose((*s.place, s.first("radius")), (*first.place, radius))
        for s in kinds["sphere"]
    ):
        raise BrepError("several balls in one solid")
    return BrepSolid(Ball(radius), first.pose)


def _box(kinds: _ByKind, corners: np.ndarray) -> BrepSolid:
    one = _one(kinds["box"], "box")
    half = one.sizes.get("half_extents", [])
    if len(half) != 3 or min(half) <= 0:
        raise BrepError("a box without half_extents")
    return BrepSolid(Box((2 * half[0], 2 * half[1], 2 * half[2])), one.pose)


def _capsule(kinds: _ByKind, corners: np.ndarray) -> BrepSolid:
    one = _one(kinds["capsule"], "capsule")
    return BrepSolid(Capsule(one.first("radius"), one.first("height")), one.pose)


def _box_of_planes(kinds: _ByKind, corners: np.ndarray) -> BrepSolid:
    planes = []
    for surface in kinds["plane"]:
        plane = _plane(surface)
        if plane is None:
            raise BrepError("a plane without an equation")
        normal, constant, length = plane
        planes.append((normal, float(normal @ surface.place) - constant / length))
    axes: list[np.ndarray] = []
    ends: list[list[float]] = []
    for normal, offset in planes:
        for axis, offsets in zip(axes, ends, strict=True):
            along = float(axis @ normal)
            if abs(abs(along) - 1) < _EQUAL:
                offsets.append(offset * along)
                break
        else:
            axes.append(normal)
            ends.append([offset])
    right = len(axes) == 3 and all(
        abs(float(axes[i] @ axes[j])) < _EQUAL for i, j in ((0, 1), (0, 2), (1, 2))
    )
    if not right or any(len(e) != 2 or e[0] == e[1] for e in ends):
        raise BrepError(f"{len(planes)} planes that are not the six sides of a box")
    pose = np.eye(4)
    if np.linalg.det(np.stack(axes, axis=1)) < 0:
        axes[2], ends[2] = -axes[2], [-v for v in ends[2]]
    pose[:3, :3] = np.stack(axes, axis=1)
    pose[:3, 3] = sum(
        (axis * (e[0] + e[1]) / 2 for axis, e in zip(axes, ends, strict=True)), np.zeros(3)
    )
    x, y, z = (abs(e[0] - e[1]) for e in ends)
    return BrepSolid(Box((x, y, z)), pose)


def _span(
    surface: _Surface, planes: Iterable[_Surface], corners: np.ndarray
) -> tuple[float, float]:
    """From where to where along its axis a surface reaches, from its origin."""
    height = surface.sizes.get("height")
    if height and height[0] > 0:
        return -height[0] / 2, height[0] / 2
    distances = [float((p - surface.place) @ surface.axis) for p in corners]
    for cut in planes:
        plane = _plane(cut)
        if plane is None or abs(abs(float(plane[0] @ surface.axis)) - 1) > _EQUAL:
            raise BrepError(f"a {surface.kind} that is cut obliquely")
        point = cut.place - plane[0] * plane[1] / plane[2]
        distances.append(float((point - surface.place) @ surface.axis))
    if not distances or max(distances) - min(distances) <= 0:
        raise BrepError(f"a {surface.kind} without defined ends")
    return min(distances), max(distances)


def _round(surface: _Surface) -> float:
    radius, *other = surface.sizes.get("radius") or [0.0]
    if radius <= 0 or any(abs(v - radius) > _EQUAL * radius for v in other):
        raise BrepError(f"a {surface.kind} whose section is not a circle")
    return radius


def _cylinder(kinds: _ByKind, corners: np.ndarray) -> BrepSolid:
    first = kinds["cylinder"][0]
    radius = _round(first)
    for other in kinds["cylinder"][1:]:
        # Two halves of one are usual.
        gap = other.place - first.place
        beside = gap - first.axis * float(gap @ first.axis)
        parallel = abs(abs(float(other.axis @ first.axis)) - 1) < _EQUAL
        if (
            not parallel
            or np.linalg.norm(beside) > _EQUAL * radius
            or abs(_round(other) - radius) > _EQUAL * radius
        ):
            raise BrepError("several cylinders in one solid")
    low, high = _span(first, kinds.get("plane", ()), corners)
    return BrepSolid(Cylinder(radius, high - low), _shifted(first.pose, (low + high) / 2))


def _capsule_of_parts(kinds: _ByKind, corners: np.ndarray) -> BrepSolid:
    side = kinds["cylinder"][0]
    radius = _round(side)
    along = []
    for ball in kinds["sphere"]:
        gap = ball.place - side.place
        at = float(gap @ side.axis)
        if (
            np.linalg.norm(gap - side.axis * at) > _EQUAL * radius
            or abs(ball.first("radius") - radius) > _EQUAL * radius
        ):
            raise BrepError("a cylinder and balls that do not form a capsule")
        along.append(at)
    if len(along) != 2 or along[0] == along[1] or len(kinds["cylinder"]) != 1:
        raise BrepError("a cylinder and balls that do not form a capsule")
    return BrepSolid(Capsule(radius, abs(along[0] - along[1])), _shifted(side.pose, sum(along) / 2))


def _shifted(pose: Matrix, along: float) -> Matrix:
    result = pose.copy()
    result[:3, 3] += pose[:3, 2] * along
    return result


def _torus(kinds: _ByKind, corners: np.ndarray) -> BrepSolid:
    one = _one(kinds["torus"], "torus")
    radii = one.sizes.get("radius", [])
    if len(radii) != 2 or min(radii) <= 0:
        raise BrepError("a torus without its two radii")
    large, small = radii
    around = 2 * math.pi * np.arange(_SIDES) / _SIDES
    ring = 2 * math.pi * np.arange(_RINGS) / _RINGS
    distance = large + small * np.cos(ring)
    along_z = np.tile(small * np.sin(ring), (_SIDES, 1))
    points = np.dstack(
        [np.outer(np.cos(around), distance), np.outer(np.sin(around), distance), along_z]
    )
    # Of each square of the grid two triangles.
    a = np.arange(_SIDES * _RINGS).reshape(_SIDES, _RINGS)
    b, d = np.roll(a, -1, axis=0), np.roll(a, -1, axis=1)
    faces = np.dstack([a, b, np.roll(b, -1, axis=1), a, np.roll(b, -1, axis=1), d])
    return _triangles(points.reshape(-1, 3), faces.reshape(-1, 3), one.pose)


def _cone(kinds: _ByKind, corners: np.ndarray) -> BrepSolid:
    """`radius` at the origin, growing along z by the tangent of `angle` (degrees)."""
    one = _one(kinds["cone"], "cone")
    radius = (one.sizes.get("radius") or [0.0])[0]
    slope = math.tan(math.radians((one.sizes.get("angle") or [0.0])[0]))
    planes = kinds.get("plane", [])
    low, high = _span(one, planes, corners) if len(planes) != 1 or len(corners) else (0.0, 0.0)
    if low == high:
        # One plane closes it at one end, its own tip at the other.
        tip = -radius / slope if slope else math.inf
        values = planes[0].sizes.get("equation", [0.0, 0.0, 1.0, 0.0])
        at = float((planes[0].place - one.place) @ one.axis) - values[3] / (
            math.hypot(*values[:3]) or 1.0
        )
        low, high = min(tip, at), max(tip, at)
    ends = [max(radius + slope * z, 0.0) for z in (low, high)]
    if not all(map(math.isfinite, (low, high))) or max(ends) <= 0:
        raise BrepError("a cone without defined ends")
    profile = [(0.0, low), (ends[0], low), (ends[1], high), (0.0, high)]
    # A ring without a radius is the tip.
    points, faces = weld_vertices(*merge_parts(revolved(profile, "cone", _SIDES).parts))
    return _triangles(points, faces[[len(set(face)) == 3 for face in faces.tolist()]], one.pose)


def _triangles(points: np.ndarray, faces: np.ndarray, pose: Matrix) -> BrepSolid:
    return BrepSolid(None, np.eye(4), (apply(pose, points), faces.astype(np.int64)))
