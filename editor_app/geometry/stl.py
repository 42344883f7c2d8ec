"""STL, binary and ASCII.

trimesh reads no slower (1.25 times the CPU time over 50 files), but importing it costs 2 s where the ten meshes of the
sample robot are read in 0.3 (`tests/bench/bench_meshes.py`). A file that is cut off gives its triangles here, with a
note.
"""

from __future__ import annotations

import re

import numpy as np

from editor_app.geometry.mesh import MeshError, RawMesh, RawPart, check_count, weld

_RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
_VERTEX = re.compile(rb"\bvertex\s+(\S+)\s+(\S+)\s+(\S+)")


def read_stl(data: bytes) -> RawMesh:
    """Raises MeshError. A binary file that is cut off gives the triangles that are there, with a note."""
    if _is_ascii(data):
        return _read_ascii(data)
    if len(data) < 84:
        raise MeshError(f"it has {len(data)} bytes; a binary STL has at least 84")
    count = int.from_bytes(data[80:84], "little")
    available = (len(data) - 84) // _RECORD.itemsize
    notes = []
    if count > available:
        notes.append(f"the file is cut off: {count:,} triangles are announced, {available:,} are there")
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
    return b"\x00" not in data[:1024] and (b"facet" in data[:4096].lower() or b"endsolid" in data[-4096:].lower())


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
    vertices, faces = weld(corners, faces)
    return RawMesh([RawPart(vertices, faces)], notes)
