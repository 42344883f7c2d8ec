"""Triangles and primitives as <geometry> elements."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from editor_app.formats.xml import NewElement
from editor_app.formats.xml.morph import number_text, numbers_text
from editor_app.model.urdf import Ball, Box, Capsule, Cylinder, Geometry

E = NewElement


def mesh_element(identifier: str, vertices: Any, faces: Any, info: E | None) -> E:
    """A <geometry> of triangles: vertices (n, 3) in metres, faces (m, 3)."""
    array = " ".join(map(repr, np.asarray(vertices, dtype=np.float64).ravel().tolist()))
    accessor = E(
        "accessor",
        (("source", f"#{identifier}_array"), ("count", str(len(vertices))), ("stride", "3")),
        tuple(E("param", (("name", n), ("type", "float"))) for n in "XYZ"),
    )
    source = E(
        "source",
        (("id", f"{identifier}_positions"),),
        (
            E("float_array", (("id", f"{identifier}_array"), ("count", str(3 * len(vertices)))), text=array),
            E("technique_common", children=(accessor,)),
        ),
    )
    place = E("input", (("semantic", "POSITION"), ("source", f"#{identifier}_positions")))
    triangles = E(
        "triangles",
        (("count", str(len(faces))), ("material", "mat0")),
        (
            E("input", (("offset", "0"), ("semantic", "VERTEX"), ("source", f"#{identifier}_vertices"))),
            E("p", text=" ".join(map(str, np.asarray(faces).ravel().tolist()))),
        ),
    )
    mesh = E("mesh", children=(source, E("vertices", (("id", f"{identifier}_vertices"),), (place,)), triangles))
    return E("geometry", (("id", identifier),), (mesh,) if info is None else (mesh, info))


def info_of(geometry: Geometry) -> E | None:
    """OpenRAVE's `geometry_info`: the primitive that the triangles stand for."""
    if isinstance(geometry, Box):
        shape = E("box", children=(E("half_extents", text=numbers_text([v / 2 for v in geometry.size])),))
    elif isinstance(geometry, Ball):
        shape = E("sphere", children=(E("radius", text=number_text(geometry.radius)),))
    elif isinstance(geometry, Cylinder):
        sizes = (E("radius", text=number_text(geometry.radius)), E("height", text=number_text(geometry.length)))
        shape = E("cylinder", children=sizes)
    else:
        return None
    return E("extra", (("type", "geometry_info"),), (E("technique", (("profile", "OpenRAVE"),), (shape,)),))


def tessellated_of(geometry: Geometry) -> tuple[Any, Any]:
    """Vertices and triangles of a primitive: its convex outline around z, 24 sides."""
    if isinstance(geometry, Box):
        x, y, z = (v / 2 for v in geometry.size)
        corners = np.array([[i, j, k] for k in (-z, z) for j in (-y, y) for i in (-x, x)])
        quads = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
        return corners, np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])
    if isinstance(geometry, Cylinder):
        rings = [(geometry.radius, -geometry.length / 2), (geometry.radius, geometry.length / 2)]
    else:
        assert isinstance(geometry, (Ball, Capsule))
        half = geometry.length / 2 if isinstance(geometry, Capsule) else 0.0
        angles = [math.radians(a) for a in range(-75, 76, 15)]
        rings = []
        for a in angles:
            rings.append((geometry.radius * math.cos(a), geometry.radius * math.sin(a) + (half if a > 0 else -half)))
            if a == 0 and half:
                rings.append((geometry.radius, half))
    ends = (rings[0][1], rings[-1][1])
    if not isinstance(geometry, Cylinder):
        tip = geometry.radius + (geometry.length / 2 if isinstance(geometry, Capsule) else 0.0)
        ends = (-tip, tip)
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
