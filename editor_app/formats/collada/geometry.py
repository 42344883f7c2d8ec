"""Geometry of COLLADA as triangles or primitives, and triangles as OBJ files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from editor_app.formats.collada.transforms import Matrix, floats
from editor_app.formats.xml import XmlElement
from editor_app.model.urdf import Ball, Box, Cylinder, Geometry

Rgba = tuple[float, float, float, float]


@dataclass(frozen=True)
class Part:
    """Triangles of one material, or a primitive. `vertices` (n, 3) in metres, `faces` (m, 3)."""

    vertices: npt.NDArray[np.float64]
    faces: npt.NDArray[np.int64]
    symbol: str | None = None
    primitive: Geometry | None = None


def read_parts(geometry: XmlElement, unit: float) -> list[Part]:
    """The parts of a <geometry>; one for each <triangles>, <polylist> or <polygons>.

    Raises ValueError for numbers that are none.
    """
    info = _primitive(geometry, unit)
    if info is not None:
        return [Part(np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64), _first_symbol(geometry), info)]
    mesh = geometry.child("mesh") or geometry.child("convex_mesh")
    if mesh is None:
        return []
    ids = {e.get("id"): e for e in mesh.walk() if e.get("id")}
    parts = []
    for block in mesh.children:
        if block.tag not in ("triangles", "polylist", "polygons", "trifans", "tristrips"):
            continue
        inputs = block.all("input")
        stride = max((int(i.get("offset") or 0) for i in inputs), default=0) + 1
        vertex = next((i for i in inputs if i.get("semantic") == "VERTEX"), None)
        if vertex is None:
            continue
        vertices = _positions(ids, (vertex.get("source") or "").lstrip("#"), unit)
        offset = int(vertex.get("offset") or 0)
        lists = [np.array(p.text.split(), dtype=np.int64)[offset::stride] for p in block.all("p")]
        faces = _triangles(block, lists)
        if vertices is not None and len(faces) and int(faces.max()) < len(vertices) and int(faces.min()) >= 0:
            parts.append(Part(vertices, faces, block.get("material")))
    return parts


def obj_bytes(part: Part, matrix: Matrix) -> bytes:
    """The triangles carried by `matrix`, as OBJ with the digits of doubles; mirrored ones are turned inside in."""
    vertices = part.vertices @ matrix[:3, :3].T + matrix[:3, 3]
    faces = part.faces if np.linalg.det(matrix[:3, :3]) >= 0 else part.faces[:, ::-1]
    used, inverse = np.unique(faces, return_inverse=True)
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in vertices[used].tolist()]
    lines += [f"f {a} {b} {c}" for a, b, c in (inverse.reshape(-1, 3) + 1).tolist()]
    return ("\n".join(lines) + "\n").encode()


def colours(ids: Mapping[str, XmlElement], instance: XmlElement) -> dict[str, Rgba]:
    """Material symbol -> diffuse colour, for one <instance_geometry>."""
    found: dict[str, Rgba] = {}
    for bound in (e for e in instance.walk() if e.tag == "instance_material"):
        material = ids.get((bound.get("target") or "").lstrip("#"))
        effect_instance = material.child("instance_effect") if material is not None else None
        effect = ids.get((effect_instance.get("url") or "").lstrip("#")) if effect_instance is not None else None
        diffuse = next((e for e in effect.walk() if e.tag == "diffuse"), None) if effect is not None else None
        color = diffuse.child("color") if diffuse is not None else None
        values = floats(color.text) if color is not None else []
        if len(values) in (3, 4):
            r, g, b, a = (min(max(v, 0.0), 1.0) for v in (*values, 1.0)[:4])
            found[bound.get("symbol") or ""] = (r, g, b, a)
    return found


def _positions(ids: Mapping[str | None, XmlElement], name: str, unit: float) -> npt.NDArray[np.float64] | None:
    element = ids.get(name)
    if element is not None and element.tag == "vertices":
        inner = next((i for i in element.all("input") if i.get("semantic") == "POSITION"), None)
        element = ids.get((inner.get("source") or "").lstrip("#")) if inner is not None else None
    array = element.child("float_array") if element is not None else None
    if array is None:
        return None
    try:
        values = np.array(array.text.split(), dtype=np.float64)
    except ValueError:
        return None
    accessor = next((e for e in element.walk() if e.tag == "accessor"), None) if element is not None else None
    stride = int(accessor.get("stride") or 3) if accessor is not None else 3
    count = len(values) // stride
    return values[: count * stride].reshape(count, stride)[:, :3] * unit


def _triangles(block: XmlElement, lists: list[npt.NDArray[np.int64]]) -> npt.NDArray[np.int64]:
    faces: list[npt.NDArray[np.int64]] = []
    if block.tag == "triangles":
        faces = [p[: len(p) // 3 * 3].reshape(-1, 3) for p in lists]
    elif block.tag == "polylist":
        vcount = block.child("vcount")
        counts = [int(v) for v in vcount.text.split()] if vcount is not None else []
        position = 0
        for count in counts:
            polygon = lists[0][position : position + count] if lists else np.zeros(0, dtype=np.int64)
            position += count
            faces += [_fan(polygon)]
    elif block.tag in ("polygons", "trifans"):
        faces = [_fan(p) for p in lists]
    else:
        for p in lists:
            strip = [
                (p[i], p[i + 1], p[i + 2]) if i % 2 == 0 else (p[i + 1], p[i], p[i + 2]) for i in range(len(p) - 2)
            ]
            faces.append(np.array(strip, dtype=np.int64).reshape(-1, 3))
    return np.concatenate(faces) if faces else np.zeros((0, 3), dtype=np.int64)


def _fan(polygon: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    if len(polygon) < 3:
        return np.zeros((0, 3), dtype=np.int64)
    first = np.full(len(polygon) - 2, polygon[0])
    return np.stack([first, polygon[1:-1], polygon[2:]], axis=1)


def _first_symbol(geometry: XmlElement) -> str | None:
    return next((e.get("material") for e in geometry.walk() if e.get("material")), None)


def _primitive(geometry: XmlElement, unit: float) -> Geometry | None:
    """OpenRAVE's `geometry_info`: the primitive that the triangles stand for."""
    for extra in geometry.all("extra"):
        technique = extra.child("technique")
        if extra.get("type") != "geometry_info" or technique is None:
            continue
        box, ball, cylinder = (technique.child(tag) for tag in ("box", "sphere", "cylinder"))
        if box is not None and (half := box.child("half_extents")) is not None:
            x, y, z = (2 * v * unit for v in (*floats(half.text), 0.0, 0.0, 0.0)[:3])
            return Box((x, y, z))
        if ball is not None and (radius := ball.child("radius")) is not None and floats(radius.text):
            return Ball(floats(radius.text)[0] * unit)
        if cylinder is not None:
            r, h = cylinder.child("radius"), cylinder.child("height")
            if r is not None and h is not None and floats(r.text) and floats(h.text):
                return Cylinder(floats(r.text)[0] * unit, floats(h.text)[0] * unit)
    return None
