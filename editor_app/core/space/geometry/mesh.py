"""Triangle meshes as arrays, and primitives as closed meshes with their normals outside."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from editor_app.core.arrays import F64, I32, I64
from editor_app.core.model.findings import Finding
from editor_app.core.model.urdf import Ball, Box, Capsule, Cylinder, Geometry

Vertices = F64
Faces = I32
Rgba = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True, eq=False)
class MeshPart:
    """Triangles of one material. `vertices` (n, 3) float64 in metres, `faces` (m, 3) int32,
    counter-clockwise outside.

    `rgba` in 0..1, None when the file says nothing; `uv` (n, 2) with v upwards, None without a
    texture. `ball`: the sphere (x, y, z, r) in whose place the triangles are.
    """

    vertices: Vertices
    faces: Faces
    rgba: Rgba | None = None
    uv: F64 | None = None
    texture: Path | None = None
    name: str = ""
    ball: tuple[float, float, float, float] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class MeshData:
    """The content of one file or primitive. `findings` (codes MESH…) list its faults."""

    parts: tuple[MeshPart, ...]
    findings: tuple[Finding, ...] = ()

    @property
    def triangles(self) -> int:
        return sum(len(part.faces) for part in self.parts)

    @property
    def bounds(self) -> F64 | None:
        """(2, 3) smallest and largest coordinates; None for an empty mesh."""
        parts = [part.vertices for part in self.parts if len(part.vertices)]
        if not parts:
            return None
        # Column by column: several times faster than numpy's reduction of rows of three.
        lower = [min(float(v[:, axis].min()) for v in parts) for axis in range(3)]
        upper = [max(float(v[:, axis].max()) for v in parts) for axis in range(3)]
        return np.array([lower, upper])


def merge_parts(parts: Iterable[MeshPart]) -> tuple[Vertices, Faces]:
    """All parts as one: vertices (n, 3), faces (m, 3) int32. Empty arrays without any."""
    vertices: list[Vertices] = []
    faces: list[Faces] = []
    count = 0
    for part in parts:
        vertices.append(part.vertices)
        faces.append(part.faces + np.int32(count))
        count += len(part.vertices)
    if not vertices:
        return np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int32)
    return np.concatenate(vertices), np.concatenate(faces).astype(np.int32, copy=False)


def weld_vertices(
    vertices: npt.NDArray[np.floating], faces: Faces
) -> tuple[npt.NDArray[np.floating], Faces]:
    """Identical vertices made one, in order of first appearance; triangle soups (STL) become
    connected meshes."""
    if not len(vertices):
        return vertices, faces
    # Adding zero turns -0.0 into 0.0, which are equal but differ in their bytes.
    rows = np.ascontiguousarray(vertices + 0.0)
    keys = rows.view(np.dtype((np.void, rows.dtype.itemsize * 3))).ravel()
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return rows[first[order]], rank[inverse.ravel()][faces]


# -- what the readers of single formats give: parts as they stand in the file, textures by the name
# written there

#: Files larger than these are refused: no robot link needs them, and they would fill the memory.
MAX_BYTES = 512 * 1024 * 1024
MAX_TRIANGLES = 20_000_000
#: Bodies that the nodes of a file stand for: a link of a real robot has some hundred.
MAX_BODIES = 100_000

#: Reads a file that the mesh refers to by a relative name (material library, buffer); None when it
#: is not there.
Sibling = Callable[[str], bytes | None]


class MeshError(Exception):
    """A mesh file cannot be read; the message says why, for the user."""


@dataclass(slots=True)
class RawPart:
    """`texture` is the file name as written; `image` the bytes of one that is embedded (PNG or
    JPEG)."""

    vertices: npt.NDArray[np.floating]
    faces: Faces
    rgba: Rgba | None = None
    uv: npt.NDArray[np.floating] | None = None
    texture: str | None = None
    image: bytes | None = None
    name: str = ""


#: A part of either kind.
Part = TypeVar("Part", MeshPart, RawPart)


def transform_part(
    part: Part, matrix: F64 | None, scale: tuple[float, float, float] = (1.0, 1.0, 1.0)
) -> Part:
    """`part` scaled, then carried by a (4, 4) transform. What mirrors flips the winding: normals
    stay outside."""
    vertices, faces = part.vertices, part.faces
    mirrors = scale[0] * scale[1] * scale[2] < 0
    if scale != (1.0, 1.0, 1.0):
        vertices = vertices * np.asarray(scale)
    if matrix is not None and not np.array_equal(matrix, np.eye(4)):
        vertices = vertices @ matrix[:3, :3].T + matrix[:3, 3]
        mirrors ^= bool(np.linalg.det(matrix[:3, :3]) < 0)
    if mirrors:
        faces = np.ascontiguousarray(faces[:, ::-1])
    return replace(part, vertices=vertices, faces=faces)


@dataclass(slots=True)
class RawMesh:
    """`notes`: what was tolerated."""

    parts: list[RawPart]
    notes: list[str]


def check_count(triangles: int) -> None:
    """Raises MeshError for absurdly many triangles."""
    if triangles > MAX_TRIANGLES:
        raise MeshError(f"it has {triangles:,} triangles, the limit is {MAX_TRIANGLES:,}")


def spread_mesh_points(triangles: Vertices, count: int) -> tuple[Vertices, I64]:
    """Points (count, 3) spread evenly over triangles (n, 3, 3), the same ones each time, and the
    triangle of each.

    The points of an additive recurrence (R2 sequence) leave no gaps as random ones do.
    """
    twice = np.linalg.norm(
        np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]), axis=1
    )
    if twice.sum() <= 0:
        owner = np.arange(min(count, len(triangles)))
        return np.asarray(triangles[owner, 0]), owner
    n = np.arange(count)
    owner = np.minimum(
        np.searchsorted(np.cumsum(twice) / twice.sum(), (n + 0.5) / count), len(triangles) - 1
    )
    u, v = (n * 0.7548776662466927) % 1.0, (n * 0.5698402909980532) % 1.0
    over = u + v > 1
    u, v = np.where(over, 1 - u, u), np.where(over, 1 - v, v)
    a, b, c = triangles[owner, 0], triangles[owner, 1], triangles[owner, 2]
    return np.asarray(a + u[:, None] * (b - a) + v[:, None] * (c - a)), owner


def collada_opacity(transparency: float, transparent: Sequence[float], opaque: str) -> float:
    """Opacity by a COLLADA effect: `transparent` (4) or empty, `opaque` the mode of COLLADA 1.4 and
    1.5.

    1 unless it is surely see-through; 0, which exporters write by mistake for opaque, counts as 1.
    """
    value = transparency
    if len(transparent) >= 4 and opaque.upper().endswith("RGB_ZERO"):
        value = 1.0 - value * (
            0.212671 * transparent[0] + 0.715160 * transparent[1] + 0.072169 * transparent[2]
        )
    elif len(transparent) >= 4:
        value *= transparent[3]
    return value if 0.0 < value <= 1.0 else 1.0


def convex_hull(points: Vertices) -> tuple[Vertices, Faces] | None:
    """Corners (n, 3) and outward triangles (m, 3) of the hull of points (k, 3); None for points in
    a plane."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        hull = ConvexHull(points)
    except (QhullError, ValueError):
        return None
    corners = points[hull.vertices]
    place = np.zeros(len(points), np.int32)
    place[hull.vertices] = np.arange(len(hull.vertices))
    triangles = place[hull.simplices]
    a, b, c = (corners[triangles[:, k]] for k in range(3))
    outward = np.einsum("ij,ij->i", np.cross(b - a, c - a), hull.equations[:, :3])
    triangles[outward < 0] = triangles[outward < 0][:, ::-1]
    return corners, np.ascontiguousarray(triangles)


#: Corners lie this share of the radius within a ball, so that the ball itself is proven to hold
#: them.
_WITHIN = 1 - 1e-8
#: Corners of a circle: its polygon misses the circle by 0.5 % of the radius.
SEGMENTS = 32
_CORNERS = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
_BOX_FACES = np.array(
    [
        *([0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5]),
        *([0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6]),
        *([0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]),
    ],
    dtype=np.int32,
)


def build_primitive(geometry: Geometry, segments: int = SEGMENTS) -> MeshData:
    """The mesh of a primitive, circles with so many corners; empty when one of its sizes is not
    positive. Raises TypeError for a Mesh."""
    if isinstance(geometry, Box):
        if min(geometry.size) <= 0:
            return MeshData(())
        return _mesh(_CORNERS * np.array(geometry.size), _BOX_FACES, "box")
    if isinstance(geometry, Ball):
        if geometry.radius <= 0:
            return MeshData(())
        return revolved(_arc(geometry.radius * _WITHIN, 0.0, -90, 90, segments), "sphere", segments)
    if isinstance(geometry, Cylinder | Capsule):
        r, half = geometry.radius, geometry.length / 2
        if r <= 0 or half < 0 or (half == 0 and isinstance(geometry, Cylinder)):
            return MeshData(())
        if isinstance(geometry, Cylinder):
            return revolved(
                [(0.0, -half), (r, -half), (r, half), (0.0, half)], "cylinder", segments
            )
        if half == 0:
            return revolved(_arc(r, 0.0, -90, 90, segments), "capsule", segments)
        caps = [*_arc(r, -half, -90, 0, segments), *_arc(r, half, 0, 90, segments)]
        return revolved(caps, "capsule", segments)
    raise TypeError(f"{type(geometry).__name__} is not a primitive")


def _arc(radius: float, z: float, start: int, end: int, segments: int) -> list[tuple[float, float]]:
    """(distance from the axis, z) along an arc from `start` to `end` degrees of latitude; on the
    axis at the poles."""
    steps = max(2, round(segments * abs(end - start) / 360))
    points = []
    for i in range(steps + 1):
        degrees = start + (end - start) * i / steps
        ring = 0.0 if abs(degrees) == 90 else radius * math.cos(math.radians(degrees))
        points.append((ring, z + radius * math.sin(math.radians(degrees))))
    return points


def revolved(profile: list[tuple[float, float]], name: str, segments: int) -> MeshData:
    """A profile of (distance, z) from the lower to the upper pole, turned about z."""
    angles = np.arange(segments) * (2 * math.pi / segments)
    circle = np.column_stack((np.cos(angles), np.sin(angles)))
    rings = profile[1:-1]
    vertices = [np.array([[0.0, 0.0, profile[0][1]]])]
    vertices += [np.column_stack((circle * radius, np.full(segments, z))) for radius, z in rings]
    vertices.append(np.array([[0.0, 0.0, profile[-1][1]]]))
    steps = np.arange(segments)
    following = (steps + 1) % segments
    top = 1 + segments * len(rings)
    faces = [np.column_stack((np.zeros(segments, dtype=np.intp), 1 + following, 1 + steps))]
    for ring in range(len(rings) - 1):
        low, high = 1 + segments * ring, 1 + segments * (ring + 1)
        faces.append(np.column_stack((low + steps, low + following, high + following)))
        faces.append(np.column_stack((low + steps, high + following, high + steps)))
    last = 1 + segments * (len(rings) - 1)
    faces.append(np.column_stack((last + steps, last + following, np.full(segments, top))))
    return _mesh(np.concatenate(vertices), np.concatenate(faces).astype(np.int32), name)


def _mesh(vertices: np.ndarray, faces: np.ndarray, name: str) -> MeshData:
    return MeshData((MeshPart(vertices, faces, name=name),))
