"""Shapes that the sample robot is built of: blended castings as distance fields, turned parts as
profiles, and files.

A field is a function from points (n, 3) to signed distances (n,), metres, negative inside. Blending
two fields with a smooth minimum gives the fillets of a casting. Formulas: Inigo Quilez, "distance
functions".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import quoteattr

import fast_simplification
import numpy as np
import numpy.typing as npt
import pyvista as pv
import trimesh

Array = npt.NDArray[np.float64]
Field = Callable[[Array], Array]
Point = Sequence[float]


@dataclass(frozen=True)
class Material:
    name: str
    rgb: tuple[float, float, float]
    shininess: float = 40.0


@dataclass(frozen=True)
class Part:
    """One material's share of a link: vertices (n, 3) in the link frame, faces (m, 3)."""

    material: Material
    mesh: trimesh.Trimesh


def cone(a: Point, b: Point, radius_a: float, radius_b: float, rounding: float = 0.0) -> Field:
    """A truncated cone from `a` to `b` (a cylinder when the radii agree) with its rims rounded."""
    start, end = np.asarray(a, float), np.asarray(b, float)
    axis = end - start
    length = float(np.linalg.norm(axis))
    axis /= length
    # Rounding grows the shape again, so it is cut back first.
    start, length = start + axis * rounding, length - 2 * rounding
    ra, rb = radius_a - rounding, radius_b - rounding

    def distance(points: Array) -> Array:
        local = points - start
        y = local @ axis
        x = np.linalg.norm(local - y[:, None] * axis, axis=1)
        along = y - length / 2
        cap_x = x - np.minimum(x, np.where(along < 0, ra, rb))
        cap_y = np.abs(along) - length / 2
        k = np.array([rb - ra, length])
        t = np.clip(((rb - x) * k[0] + (length / 2 - along) * k[1]) / (k @ k), 0, 1)
        side_x, side_y = x - rb + k[0] * t, along - length / 2 + k[1] * t
        sign = np.where((side_x < 0) & (cap_y < 0), -1.0, 1.0)
        exact: Array = (
            sign * np.sqrt(np.minimum(cap_x**2 + cap_y**2, side_x**2 + side_y**2)) - rounding
        )
        return exact

    return distance


def cylinder(a: Point, b: Point, radius: float, rounding: float = 0.0) -> Field:
    return cone(a, b, radius, radius, rounding)


def box(center: Point, half: Point, rounding: float = 0.0) -> Field:
    middle, size = np.asarray(center, float), np.asarray(half, float) - rounding

    def distance(points: Array) -> Array:
        q = np.abs(points - middle) - size
        outside = np.linalg.norm(np.maximum(q, 0), axis=1)
        exact: Array = outside + np.minimum(q.max(axis=1), 0) - rounding
        return exact

    return distance


def bar(a: Point, b: Point, radius_a: float, radius_b: float, flatten: Point = (1, 1, 1)) -> Field:
    """A tapered bar with round ends, its section squeezed by the factors `flatten` (an approximate
    distance)."""
    squeeze = np.asarray(flatten, float)
    start, end = np.asarray(a, float) / squeeze, np.asarray(b, float) / squeeze
    axis = end - start

    def distance(points: Array) -> Array:
        scaled = points / squeeze
        t = np.clip((scaled - start) @ axis / (axis @ axis), 0, 1)
        radius = radius_a + (radius_b - radius_a) * t
        gap: Array = (
            np.linalg.norm(scaled - start - t[:, None] * axis, axis=1) - radius
        ) * squeeze.min()
        return gap

    return distance


def blend(fillet: float, *fields: Field) -> Field:
    """The union, with fillets of about this radius (polynomial smooth minimum)."""

    def distance(points: Array) -> Array:
        result = fields[0](points)
        for field in fields[1:]:
            other = field(points)
            h = np.maximum(fillet - np.abs(result - other), 0) / fillet
            result = np.minimum(result, other) - h * h * fillet / 4
        return result

    return distance


def cut(body: Field, *tools: Field, edge: float = 0.003) -> Field:
    """`body` without the tools, the new edges broken by `edge`."""

    def distance(points: Array) -> Array:
        result = body(points)
        for tool in tools:
            other = -tool(points)
            h = np.maximum(edge - np.abs(result - other), 0) / edge
            result = np.maximum(result, other) + h * h * edge / 4
        return result

    return distance


def casting(
    field: Field, low: Point, high: Point, faces: int, step: float = 0.002
) -> trimesh.Trimesh:
    """The surface of a field within the box `low`..`high`, as about `faces` triangles."""
    lower, upper = np.asarray(low, float), np.asarray(high, float)
    counts = np.ceil((upper - lower) / step).astype(int) + 1
    grid = pv.ImageData(dimensions=counts, spacing=(step,) * 3, origin=lower)
    values = field(np.asarray(grid.points, dtype=np.float64))
    block = values.reshape(counts[::-1])
    if min(np.take(block, side, axis).min() for axis in range(3) for side in (0, -1)) <= 0:
        raise ValueError(f"the shape reaches beyond {low}..{high} and would be cut open")
    surface = grid.contour([0.0], scalars=values, method="flying_edges").triangulate()
    points = np.asarray(surface.points, dtype=np.float64)
    triangles = surface.regular_faces.astype(np.int64)
    reduction = 1 - faces / len(triangles)
    if reduction > 0:
        points, triangles = fast_simplification.simplify(
            points.astype(np.float32), triangles, reduction, agg=3
        )
    # Quadric decimation moves vertices off the surface a little: one Newton step brings them back.
    points = np.asarray(points, dtype=np.float64)
    normals = gradient(field, points)
    points = points - field(points)[:, None] * normals
    mesh = trimesh.Trimesh(points, triangles, process=True)
    mesh.fix_normals()
    return mesh


def gradient(field: Field, points: Array, h: float = 5e-4) -> Array:
    """Unit gradients (n, 3) of a field by central differences."""
    g = np.stack([field(points + h * e) - field(points - h * e) for e in np.eye(3)], axis=1)
    unit: Array = g / np.maximum(np.linalg.norm(g, axis=1, keepdims=True), 1e-12)
    return unit


def turned(
    profile: Sequence[tuple[float, float]], base: Point, axis: Point, sections: int = 44
) -> trimesh.Trimesh:
    """A turned part: (radius, height) pairs revolved about `axis` from `base`; closed, or from
    radius 0 to 0."""
    mesh = trimesh.creation.revolve(np.asarray(profile, float), sections=sections)
    transform = trimesh.geometry.align_vectors([0, 0, 1], np.asarray(axis, float))
    transform[:3, 3] = base
    mesh.apply_transform(transform)
    mesh.fix_normals()
    return mesh


def disc(radius: float, height: float, chamfer: float = 0.002) -> list[tuple[float, float]]:
    """Profile of a disc with a rounded upper rim."""
    rim = [
        (radius - chamfer * (1 - np.cos(a)), height - chamfer * (1 - np.sin(a)))
        for a in np.linspace(0, np.pi / 2, 5)
    ]
    return [(0, 0), (radius, 0), *((float(r), float(z)) for r, z in rim), (0, height)]


def ring(
    inner: float, outer: float, height: float, chamfer: float = 0.001
) -> list[tuple[float, float]]:
    """Profile of a flat ring with broken edges; it is closed onto itself."""
    c = chamfer
    return [
        *((inner, 0), (outer, 0), (outer, height - c), (outer - c, height)),
        *((inner + c, height), (inner, height - c), (inner, 0)),
    ]


def joined(meshes: Sequence[trimesh.Trimesh]) -> trimesh.Trimesh:
    return trimesh.util.concatenate(list(meshes))


def hulls(*clouds: Array) -> trimesh.Trimesh:
    """The union of the convex hulls of point sets: a closed mesh of few triangles."""
    solids = [trimesh.convex.convex_hull(cloud) for cloud in clouds]
    return trimesh.boolean.union(solids) if len(solids) > 1 else solids[0]


def drum(
    a: Point, b: Point, radius_a: float, radius_b: float | None = None, sections: int = 20
) -> Array:
    """Points (2 · sections, 3) on the rims of a truncated cone, a little outside: the hull contains
    the cone."""
    start, end = np.asarray(a, float), np.asarray(b, float)
    axis = (end - start) / np.linalg.norm(end - start)
    side = np.cross(axis, [0.0, 0.0, 1.0] if abs(axis[2]) < 0.9 else [1.0, 0.0, 0.0])
    side /= np.linalg.norm(side)
    angles = np.arange(sections) * 2 * np.pi / sections
    circle = np.cos(angles)[:, None] * side + np.sin(angles)[:, None] * np.cross(axis, side)
    circle /= np.cos(np.pi / sections)
    return np.vstack([start + radius_a * circle, end + (radius_b or radius_a) * circle])


def write_collada(path: Path, parts: Sequence[Part]) -> None:
    """COLLADA 1.4.1 in metres, z up: one geometry and one effect per part."""
    effects, materials, geometries, nodes = [], [], [], []
    for index, part in enumerate(parts):
        name = f"{part.material.name}_{index}"
        red, green, blue = part.material.rgb
        effects.append(
            f'<effect id="{name}_effect"><profile_COMMON><technique sid="common"><phong>'
            f"<diffuse><color>{red:g} {green:g} {blue:g} 1</color></diffuse>"
            f"<specular><color>0.2 0.2 0.2 1</color></specular>"
            f"<shininess><float>{part.material.shininess:g}</float></shininess>"
            f"</phong></technique></profile_COMMON></effect>"
        )
        materials.append(
            f"<material id={quoteattr(name)} name={quoteattr(part.material.name)}>"
            f'<instance_effect url="#{name}_effect"/></material>'
        )
        points, normals, faces = _split_edges(part.mesh)
        geometries.append(
            f'<geometry id="{name}_shape"><mesh>'
            + _source(f"{name}_points", points, 5)
            + _source(f"{name}_normals", normals, 3)
            + f'<vertices id="{name}_vertices"><input semantic="POSITION" source="#{name}_points"/>'
            f'<input semantic="NORMAL" source="#{name}_normals"/></vertices>'
            f'<triangles count="{len(faces)}" material="{name}">'
            f'<input semantic="VERTEX" source="#{name}_vertices" offset="0"/>'
            f"<p>{' '.join(map(str, faces.ravel()))}</p></triangles></mesh></geometry>"
        )
        nodes.append(
            f'<node id="{name}_node"><instance_geometry '
            f'url="#{name}_shape"><bind_material><technique_common>'
            f'<instance_material symbol="{name}" target="#{name}"/>'
            f"</technique_common></bind_material></instance_geometry></node>"
        )
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        '<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">',
        "<asset><created>2026-01-01T00:00:00Z</created><modified>2026-01-01T00:00:00Z</modified>"
        '<unit name="meter" meter="1"/><up_axis>Z_UP</up_axis></asset>',
        "<library_effects>",
        *effects,
        "</library_effects>",
        "<library_materials>",
        *materials,
        "</library_materials>",
        "<library_geometries>",
        *geometries,
        "</library_geometries>",
        '<library_visual_scenes><visual_scene id="scene">',
        *nodes,
        "</visual_scene></library_visual_scenes>",
        '<scene><instance_visual_scene url="#scene"/></scene>',
        "</COLLADA>",
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _source(name: str, values: Array, digits: int) -> str:
    numbers = " ".join(
        f"{value:.{digits}f}".rstrip("0").rstrip(".") or "0" for value in values.ravel()
    )
    numbers = f" {numbers} ".replace(" -0 ", " 0 ").strip()
    return (
        f'<source id="{name}"><float_array id="{name}_array" '
        f'count="{values.size}">{numbers}</float_array>'
        f'<technique_common><accessor source="#{name}_array" count="{len(values)}" stride="3">'
        '<param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/>'
        "</accessor></technique_common></source>"
    )


def _split_edges(
    mesh: trimesh.Trimesh, angle: float = np.radians(35)
) -> tuple[Array, Array, npt.NDArray[np.int64]]:
    """Points, normals and faces with vertices doubled along sharp edges, so that turned rims stay
    crisp."""
    # Copies, as trimesh hashes its arrays at every access.
    vertices, triangles, face_normals = (
        np.array(a) for a in (mesh.vertices, mesh.faces, mesh.face_normals)
    )
    groups: list[list[tuple[int, int]]] = [[] for _ in vertices]
    for face, corners in enumerate(triangles):
        for corner, vertex in enumerate(corners):
            groups[vertex].append((face, corner))
    points: list[Array] = []
    normals: list[Array] = []
    faces = np.zeros_like(triangles, dtype=np.int64)
    weighted = face_normals * mesh.area_faces[:, None]
    limit = np.cos(angle)
    for vertex, corners in enumerate(groups):
        rest = corners
        while rest:
            first = face_normals[rest[0][0]]
            # The first one always belongs, whatever its normal: that of a sliver without area is
            # zero.
            same = [rest[0]] + [
                item for item in rest[1:] if float(face_normals[item[0]] @ first) >= limit
            ]
            normal = sum((weighted[face] for face, _ in same), np.zeros(3))
            for face, corner in same:
                faces[face, corner] = len(points)
            points.append(vertices[vertex])
            normals.append(normal / max(float(np.linalg.norm(normal)), 1e-12))
            rest = [item for item in rest if item not in same]
    return np.asarray(points), np.asarray(normals), faces
