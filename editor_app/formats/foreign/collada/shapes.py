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
from editor_app.geometry.mesh import merged
from editor_app.geometry.primitives import primitive
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
    return merged(primitive(geometry, 24).parts)


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
