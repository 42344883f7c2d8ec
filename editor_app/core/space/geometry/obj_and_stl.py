"""Wavefront OBJ with its material library; STL, binary and ASCII.

trimesh reads as fast (0.9 times the CPU time over 40 files of OBJ, 0.8 over 50 of STL), but
importing it costs 2 s, many times what the meshes of a robot do (`tests/bench/bench_meshes.py`). An
STL that is cut off gives its triangles here, with a note.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np

from editor_app.core.space.geometry.mesh import (
    MeshError,
    RawMesh,
    RawPart,
    Rgba,
    Sibling,
    check_count,
    weld_vertices,
)


@dataclass(slots=True)
class _Material:
    diffuse: tuple[float, float, float] | None = None
    opacity: float = 1.0
    texture: str | None = None

    @property
    def rgba(self) -> Rgba | None:
        return None if self.diffuse is None else (*self.diffuse, self.opacity)


@dataclass(slots=True)
class _Corners:
    """Per triangle corner, indices of position and texture coordinate (-1 for none)."""

    positions: list[int] = field(default_factory=list)
    textures: list[int] = field(default_factory=list)


def read_obj(data: bytes, sibling: Sibling) -> RawMesh:
    """Polygons are split into fans, one part per material. Raises MeshError."""
    positions: list[str] = []
    textures: list[str] = []
    groups: dict[str, _Corners] = {}
    materials: dict[str, _Material] = {}
    notes: list[str] = []
    current = groups.setdefault("", _Corners())
    text = data.decode("utf-8", "replace").replace("\\\r\n", " ").replace("\\\n", " ")
    for number, line in enumerate(text.splitlines(), 1):
        key, _, rest = line.strip().partition(" ")
        if key == "v":
            positions.append(rest)
        elif key == "vt":
            textures.append(rest)
        elif key == "f":
            _add_face(current, rest, len(positions), len(textures), number)
        elif key == "usemtl":
            current = groups.setdefault(rest.strip(), _Corners())
        elif key == "mtllib":
            library = sibling(rest.strip())
            if library is None:
                notes.append(f"the material library {rest.strip()!r} does not exist")
            else:
                materials.update(_read_materials(library))
    points = _numbers(positions, 3, "vertex")
    uv = _numbers(textures, 2, "texture coordinate")
    check_count(sum(len(g.positions) for g in groups.values()) // 3)
    parts = []
    for name, corners in groups.items():
        if corners.positions:
            parts.append(_part(name, corners, points, uv, materials.get(name)))
    return RawMesh(parts, notes)


def _add_face(corners: _Corners, text: str, points: int, textures: int, number: int) -> None:
    polygon: list[tuple[int, int]] = []
    try:
        for corner in text.split():
            fields = corner.split("/")
            position = int(fields[0])
            texture = int(fields[1]) if len(fields) > 1 and fields[1] else 0
            # Negative indices count back from the last one so far.
            position = position - 1 if position > 0 else points + position
            texture = texture - 1 if texture > 0 else textures + texture if texture else -1
            if not 0 <= position < points:
                raise MeshError(
                    f"line {number}: a face names vertex {fields[0]}, but there are {points}"
                )
            polygon.append((position, texture if texture < textures else -1))
    except ValueError:
        raise MeshError(f"line {number}: {text[:40]!r} is not a face") from None
    for i in range(1, len(polygon) - 1):
        for position, texture in (polygon[0], polygon[i], polygon[i + 1]):
            corners.positions.append(position)
            corners.textures.append(texture)


def _numbers(lines: list[str], columns: int, record: str) -> np.ndarray:
    if not lines:
        return np.zeros((0, columns))
    try:
        rows = [line.split()[:columns] for line in lines]
        return np.array(rows, dtype=np.float64).reshape(-1, columns)
    except ValueError:
        raise MeshError(f"a {record} is not made of {columns} numbers") from None


def _part(
    name: str, corners: _Corners, points: np.ndarray, uv: np.ndarray, material: _Material | None
) -> RawPart:
    position = np.array(corners.positions, dtype=np.int64)
    texture = np.array(corners.textures, dtype=np.int64)
    textured = (
        material is not None
        and material.texture is not None
        and len(uv) > 0
        and bool((texture >= 0).all())
    )
    rgba = material.rgba if material is not None else None
    if not textured or material is None:
        used, faces = np.unique(position, return_inverse=True)
        return RawPart(points[used], faces.reshape(-1, 3).astype(np.int32), rgba, name=name)
    # A vertex with two texture coordinates is two vertices.
    _, first, faces = np.unique(
        position * len(uv) + texture, return_index=True, return_inverse=True
    )
    return RawPart(
        points[position[first]],
        faces.reshape(-1, 3).astype(np.int32),
        rgba,
        uv[texture[first]],
        material.texture,
        name=name,
    )


def _read_materials(data: bytes) -> dict[str, _Material]:
    materials: dict[str, _Material] = {}
    current = _Material()
    for line in data.decode("utf-8", "replace").splitlines():
        key, _, rest = line.strip().partition(" ")
        rest = rest.strip()
        try:
            if key == "newmtl":
                current = materials.setdefault(rest, _Material())
            elif key == "Kd":
                r, g, b = (min(max(float(v), 0.0), 1.0) for v in rest.split()[:3])
                current.diffuse = (r, g, b)
            elif key == "d":
                current.opacity = min(max(float(rest.split()[-1]), 0.0), 1.0)
            elif key == "Tr":
                current.opacity = min(max(1.0 - float(rest), 0.0), 1.0)
            elif key == "map_Kd" and rest:
                # Options come first and begin with a dash; names with spaces are rarer than they
                # are.
                current.texture = rest.split()[-1] if rest.startswith("-") else rest
        except (ValueError, IndexError):
            continue
    return materials


_RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
_VERTEX = re.compile(rb"\bvertex\s+(\S+)\s+(\S+)\s+(\S+)")


def read_stl(data: bytes) -> RawMesh:
    """Raises MeshError. A binary file that is cut off gives the triangles that are there, with a
    note."""
    if _is_ascii(data):
        return _read_ascii(data)
    if len(data) < 84:
        raise MeshError(f"it has {len(data)} bytes; a binary STL has at least 84")
    count = int.from_bytes(data[80:84], "little")
    available = (len(data) - 84) // _RECORD.itemsize
    notes = []
    if count > available:
        notes.append(
            f"the file is cut off: {count:,} triangles are declared, {available:,} are present"
        )
        count = available
    check_count(count)
    corners = np.frombuffer(data, _RECORD, count, 84)["corners"].reshape(-1, 3)
    return _soup(np.ascontiguousarray(corners), notes)


def stl_bytes(vertices: np.ndarray, faces: np.ndarray) -> bytes:
    """A binary STL of triangles (m, 3) between vertices (n, 3), metres."""
    records = np.zeros(len(faces), _RECORD)
    records["corners"] = vertices[faces]
    corners = records["corners"].astype(float)
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    records["normal"] = np.divide(normals, lengths, out=np.zeros_like(normals), where=lengths > 0)
    return b"xrdf-editor, metres".ljust(80) + len(faces).to_bytes(4, "little") + records.tobytes()


def _is_ascii(data: bytes) -> bool:
    # Binary files may begin with "solid" too; the length decides.
    if data.lstrip()[:5].lower() != b"solid":
        return False
    if len(data) >= 84 and len(data) == 84 + 50 * int.from_bytes(data[80:84], "little"):
        return False
    return b"\x00" not in data[:1024] and (
        b"facet" in data[:4096].lower() or b"endsolid" in data[-4096:].lower()
    )


def _read_ascii(data: bytes) -> RawMesh:
    tokens = _VERTEX.findall(data if b"vertex" in data else data.lower())
    try:
        corners = np.array(tokens, dtype="S").astype(np.float64).reshape(-1, 3)
    except ValueError:
        raise MeshError("a coordinate is not a number") from None
    notes = []
    if len(corners) % 3:
        notes.append("the file is cut off: the last triangle is not complete")
        corners = corners[: len(corners) - len(corners) % 3]
    check_count(len(corners) // 3)
    return _soup(corners, notes)


def _soup(corners: np.ndarray, notes: list[str]) -> RawMesh:
    faces = np.arange(len(corners), dtype=np.int32).reshape(-1, 3)
    vertices, faces = weld_vertices(corners, faces)
    return RawMesh([RawPart(vertices, faces)], notes)
