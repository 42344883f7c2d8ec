"""Triangles and primitives as <geometry> elements."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from editor_app.formats.foreign.collada.transforms import Matrix
from editor_app.formats.foreign.collada.writing.state import E, openrave_extra, pose
from editor_app.formats.xml.morph import number_text, numbers_text
from editor_app.model.urdf import Ball, Box, Capsule, Cylinder, Geometry


@dataclass(frozen=True, eq=False)
class Triangles:
    """Of one material: vertices (n, 3) in metres, faces (m, 3); `uv` (n, 2) belongs to the vertices."""

    vertices: Any
    faces: Any
    uv: Any = None


def geometry_element(
    identifier: str, name: str, parts: Sequence[Triangles], extras: Sequence[E] = (), digits: int | None = None
) -> E:
    """<geometry> whose parts have the materials `mat0`, `mat1`, …; all digits unless `digits` says less."""
    sources, blocks = [], []
    for number, part in enumerate(parts):
        key = f"{identifier}_{number}"
        place = f"{key}_positions"
        if number == 0:
            # A mesh has one <vertices>; the other parts go on in its list.
            points = np.concatenate([np.asarray(p.vertices, dtype=np.float64).reshape(-1, 3) for p in parts])
            sources.append(_source(place, points, "XYZ", digits))
            vertices = E(
                "vertices",
                (("id", f"{identifier}_vertices"),),
                (E("input", (("semantic", "POSITION"), ("source", f"#{place}"))),),
            )
        shift = sum(len(p.vertices) for p in parts[:number])
        faces = np.asarray(part.faces, dtype=np.int64)
        inputs = [E("input", (("offset", "0"), ("semantic", "VERTEX"), ("source", f"#{identifier}_vertices")))]
        rows = faces.ravel() + shift
        if part.uv is not None:
            sources.append(_source(f"{key}_uv", np.asarray(part.uv, dtype=np.float64), "ST", digits))
            inputs.append(
                E("input", (("offset", "1"), ("semantic", "TEXCOORD"), ("source", f"#{key}_uv"), ("set", "0")))
            )
            rows = np.stack([rows, faces.ravel()], axis=1).ravel()
        text = " ".join(map(str, rows.tolist()))
        attributes = (("count", str(len(faces))), ("material", f"mat{number}"))
        blocks.append(E("triangles", attributes, (*inputs, E("p", text=text))))
    mesh = E("mesh", children=(*sources, vertices, *blocks))
    return E("geometry", (("id", identifier), ("name", name)), (mesh, *extras))


def _source(identifier: str, values: Any, axes: str, digits: int | None) -> E:
    numbers = values.ravel().tolist()
    text = " ".join(map(repr, numbers) if digits is None else (f"{v:.{digits}g}" for v in numbers))
    params = tuple(E("param", (("name", n), ("type", "float"))) for n in axes)
    attributes = (("source", f"#{identifier}_array"), ("count", str(len(values))), ("stride", str(len(axes))))
    array = E("float_array", (("id", f"{identifier}_array"), ("count", str(len(numbers)))), text=text)
    common = E("technique_common", children=(E("accessor", attributes, params),))
    return E("source", (("id", identifier),), (array, common))


def info_of(geometry: Geometry, matrix: Matrix) -> E | None:
    """OpenRAVE's `geometry_info`: the primitive that the triangles stand for, and where it stands among them."""
    if isinstance(geometry, Box):
        shape = E("box", children=(E("half_extents", text=numbers_text([v / 2 for v in geometry.size])),))
    elif isinstance(geometry, Ball):
        shape = E("sphere", children=(E("radius", text=number_text(geometry.radius)),))
    elif isinstance(geometry, Cylinder | Capsule):
        radius = number_text(geometry.radius)
        sizes = (E("radius", text=radius), E("height", text=number_text(geometry.length)))
        shape = E("cylinder" if isinstance(geometry, Cylinder) else "capsule", children=sizes)
    else:
        return None
    return openrave_extra("geometry_info", (shape, *pose(matrix)))


def tessellated_of(geometry: Geometry) -> tuple[Any, Any]:
    """Vertices and triangles of a primitive: its convex outline around z, 24 sides."""
    if isinstance(geometry, Box):
        return _tessellated_box(geometry)
    if isinstance(geometry, Cylinder):
        half = geometry.length / 2
        return _turned([(geometry.radius, -half), (geometry.radius, half)], (-half, half))
    assert isinstance(geometry, Ball | Capsule)
    half = geometry.length / 2 if isinstance(geometry, Capsule) else 0.0
    tip = geometry.radius + half
    return _turned(_rings_of_round_ends(geometry.radius, half), (-tip, tip))


def _tessellated_box(box: Box) -> tuple[Any, Any]:
    x, y, z = (v / 2 for v in box.size)
    corners = np.array([[i, j, k] for k in (-z, z) for j in (-y, y) for i in (-x, x)])
    quads = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    return corners, np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])


def _rings_of_round_ends(radius: float, half: float) -> list[tuple[float, float]]:
    """(radius, height) of the rings of a ball whose halves are moved by `half` along z."""
    rings = []
    for angle in (math.radians(a) for a in range(-75, 76, 15)):
        rings.append((radius * math.cos(angle), radius * math.sin(angle) + (half if angle > 0 else -half)))
        if angle == 0 and half:
            rings.append((radius, half))
    return rings


def _turned(rings: list[tuple[float, float]], ends: tuple[float, float]) -> tuple[Any, Any]:
    """The surface between rings (radius, height) around z, closed by a point of the axis at each of the `ends`."""
    sides = 24
    points = [[0.0, 0.0, ends[0]]]
    for radius, z in rings:
        for n in range(sides):
            points.append([radius * math.cos(2 * math.pi * n / sides), radius * math.sin(2 * math.pi * n / sides), z])
    points.append([0.0, 0.0, ends[1]])
    faces = []
    for n in range(sides):
        m = (n + 1) % sides
        faces.append((0, 1 + m, 1 + n))
        for ring in range(len(rings) - 1):
            a, b = 1 + ring * sides, 1 + (ring + 1) * sides
            faces += [(a + n, a + m, b + m), (a + n, b + m, b + n)]
        top = 1 + (len(rings) - 1) * sides
        faces.append((len(points) - 1, top + n, top + m))
    return np.array(points), np.array(faces)


@functools.cache
def small_ball() -> tuple[Any, Any]:
    """A unit sphere of 42 corners and 80 triangles, for files with thousands of spheres: an icosahedron split once."""
    golden = (1 + math.sqrt(5)) / 2
    corners = [v for a in (-1.0, 1.0) for b in (-golden, golden) for v in ((0.0, a, b), (a, b, 0.0), (b, 0.0, a))]
    points = [np.array(c) / math.hypot(*c) for c in corners]
    edge = min(float(np.linalg.norm(points[0] - p)) for p in points[1:]) * 1.01
    near = [[i for i, q in enumerate(points) if i != k and np.linalg.norm(q - p) < edge] for k, p in enumerate(points)]
    middles: dict[tuple[int, int], int] = {}

    def middle(a: int, b: int) -> int:
        key = (min(a, b), max(a, b))
        if key not in middles:
            m = points[a] + points[b]
            points.append(m / np.linalg.norm(m))
            middles[key] = len(points) - 1
        return middles[key]

    faces = []
    triples = {tuple(sorted((a, b, c))) for a in range(12) for b in near[a] for c in near[a] if c in near[b]}
    for a, b, c in sorted(triples):
        if np.dot(np.cross(points[b] - points[a], points[c] - points[a]), points[a]) < 0:
            b, c = c, b
        ab, bc, ca = middle(a, b), middle(b, c), middle(c, a)
        faces += [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
    return np.array(points), np.array(faces)
