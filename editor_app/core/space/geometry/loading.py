"""Mesh files -> MeshData, by way of the disk cache. What is wrong with a file becomes a finding,
never an exception.

MESH002 E a mesh file in an unsupported format
MESH003 E a file that cannot be read
MESH004 W a mesh file without triangles
MESH005 W part of a mesh file was left out or guessed (truncated, invalid vertices, unreadable parts)
MESH006 E a huge file or mesh: not read
MESH007 W a texture or material library was not found
MESH008 W a mesh larger than any part of the robot: probably millimetres read as metres (from `units.py`)
MESH009 W a mesh smaller than any part of the robot: probably scaled to metres twice (from `units.py`)
MESH013 W a mesh with small parts far away from the rest (from `strays.py`)
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from editor_app.core.model.findings import Finding, FindingSubject, Location, Severity
from editor_app.core.model.regular_file import FileTooLargeError, read_regular
from editor_app.core.space.geometry import cache
from editor_app.core.space.geometry.collada import read_collada
from editor_app.core.space.geometry.gltf import read_gltf
from editor_app.core.space.geometry.images import image_problem
from editor_app.core.space.geometry.mesh import (
    MAX_BYTES,
    MeshData,
    MeshError,
    MeshPart,
    RawMesh,
    RawPart,
    Rgba,
    transform_part,
)
from editor_app.core.space.geometry.obj_and_stl import read_obj, read_stl
from editor_app.core.space.geometry.paths import resolve_mesh_path
from editor_app.core.space.geometry.trimesh_formats import read_by_trimesh

#: Extensions that are read, without the dot. None of them can carry code that would be run.
MESH_EXTENSIONS = ("stl", "dae", "zae", "obj", "glb", "gltf", "ply", "off")
_REMEDY = "Export it again, or convert it to STL or OBJ."
_MAX_SIBLING_BYTES = 256 * 1024 * 1024

#: (code, message)
Note = tuple[str, str]


def load_mesh(path: Path | str, scale: tuple[float, float, float] = (1.0, 1.0, 1.0)) -> MeshData:
    """Load a mesh file, in metres times `scale` (negative factors mirror and flip the winding).

    Never raises for a file: what is wrong with it is in `findings`, and `parts` is what could be
    read.
    """
    lookup = _look_at(Path(path))
    if isinstance(lookup, MeshData):
        return lookup
    path, kind, data, key = lookup
    cached = _from_cache(key, path.parent)
    if cached is not None:
        return _finished(path, *cached, scale)
    siblings: dict[str, str | None] = {}
    try:
        raw, notes = _cleaned(_read(kind, data, path.parent, siblings))
    except MeshError as error:
        code = "MESH006" if "more than" in str(error) else "MESH003"
        return _failed(path, code, f"{path.name} cannot be read: {error}. {_REMEDY}")
    except MemoryError:
        return _failed(path, "MESH006", f"{path.name} does not fit into the memory")
    except Exception as error:  # one bad mesh must not keep the others from being read
        reason = (
            f"the reader of {kind.upper()} files fails with it ({type(error).__name__}: {error})"
        )
        return _failed(path, "MESH003", f"{path.name} cannot be read: {reason}. {_REMEDY}")
    return _finished(path, raw, notes, _store(key, raw, notes, siblings), scale)


def load_known_mesh(path: Path) -> MeshData | None:
    """Return the unscaled result of `load_mesh` if that takes no decoding; None otherwise."""
    lookup = _look_at(path)
    if isinstance(lookup, MeshData):
        return lookup
    path, _, _, key = lookup
    cached = _from_cache(key, path.parent)
    return None if cached is None else _finished(path, *cached, (1.0, 1.0, 1.0))


def _look_at(path: Path) -> MeshData | tuple[Path, str, bytes, str]:
    """Path, extension, contents and key in the cache; or what is to be said of a file that cannot
    be read."""
    kind = path.suffix.lower().removeprefix(".")
    if kind not in MESH_EXTENSIONS:
        extensions = ", ".join(MESH_EXTENSIONS)
        return _failed(
            path,
            "MESH002",
            f"{path.name}: {kind or 'a file without extension'} is not supported ({extensions} "
            "are)",
        )
    try:
        data = read_regular(path, MAX_BYTES)
    except FileTooLargeError as error:
        return _failed(path, "MESH006", f"{path.name} cannot be read: {error.strerror}")
    except (OSError, ValueError) as error:
        return _failed(
            path,
            "MESH003",
            f"{path.name} cannot be read: {getattr(error, 'strerror', None) or error}",
        )
    return path, kind, data, cache.digest(kind.encode(), data)


def _read(kind: str, data: bytes, folder: Path, siblings: dict[str, str | None]) -> RawMesh:
    def sibling(name: str) -> bytes | None:
        path = _sibling(folder, name)
        siblings[name] = None if path is None else cache.digest(path)
        return path

    if kind == "stl":
        return read_stl(data)
    if kind == "obj":
        return read_obj(data, sibling)
    if kind in ("dae", "zae"):
        return read_collada(data)
    if kind in ("glb", "gltf"):
        return read_gltf(data, sibling)
    return read_by_trimesh(data, kind, sibling)


def _sibling(folder: Path, name: str) -> bytes | None:
    """A file that lies in the folder of the mesh, or below it or beside it."""
    path = resolve_mesh_path(name, folder / "mesh", environ={})
    try:
        return None if path is None else read_regular(path, _MAX_SIBLING_BYTES)
    except (OSError, ValueError):
        return None


def _cleaned(raw: RawMesh) -> tuple[RawMesh, list[Note]]:
    """Without vertices that are no numbers, and triangles that are none. Raises MeshError for
    impossible indices."""
    absent = ("the material library", "the texture")
    notes: list[Note] = [
        ("MESH007" if note.startswith(absent) else "MESH005", note) for note in raw.notes
    ]
    parts = []
    for part in raw.parts:
        faces = part.faces
        if len(faces) and (int(faces.min()) < 0 or int(faces.max()) >= len(part.vertices)):
            raise MeshError("a triangle names a vertex that does not exist")
        finite = np.isfinite(part.vertices).all(axis=1)
        # Beyond what a single-precision renderer can square, a coordinate is as good as infinite.
        finite &= (np.abs(np.where(np.isfinite(part.vertices), part.vertices, 0.0)) < 1e15).all(
            axis=1
        )
        if not finite.all():
            notes.append(
                (
                    "MESH005",
                    f"{int((~finite).sum()):,} vertices are not finite numbers and were left out",
                )
            )
            faces = faces[finite[faces].all(axis=1)]
        a, b, c = faces.T if len(faces) else (faces[:, 0], faces[:, 0], faces[:, 0])
        faces = faces[(a != b) & (b != c) & (a != c)]
        if len(faces) != len(part.faces):
            used, inverse = np.unique(faces, return_inverse=True)
            part.vertices = part.vertices[used]
            part.uv = part.uv[used] if part.uv is not None else None
            faces = inverse.reshape(-1, 3).astype(np.int32)
        part.faces = np.ascontiguousarray(faces, dtype=np.int32)
        if len(faces):
            parts.append(part)
    if not parts:
        notes.append(("MESH004", "it has no triangles"))
    return RawMesh(parts, []), notes


def _store(
    key: str, raw: RawMesh, notes: list[Note], siblings: dict[str, str | None]
) -> list[str | None]:
    """Writes the cache entry; the names of the stored images, one per part."""
    arrays: dict[str, np.ndarray] = {}
    parts: list[dict[str, Any]] = []
    images: list[str | None] = []
    for i, part in enumerate(raw.parts):
        arrays[f"vertices{i}"] = _compact(part.vertices)
        arrays[f"faces{i}"] = part.faces
        if part.uv is not None:
            arrays[f"uv{i}"] = _compact(part.uv)
        stored = cache.store_image(part.image) if part.image is not None else None
        images.append(stored.name if stored is not None else None)
        parts.append(
            {"rgba": part.rgba, "texture": part.texture, "image": images[-1], "name": part.name}
        )
    cache.store_entry(key, {"parts": parts, "notes": notes, "siblings": siblings}, arrays)
    return images


def _compact(array: np.ndarray) -> np.ndarray:
    """As float32 where that loses nothing."""
    small = array.astype(np.float32)
    return small if np.array_equal(small, array) else array.astype(np.float64)


def _from_cache(key: str, folder: Path) -> tuple[RawMesh, list[Note], list[str | None]] | None:
    entry = cache.load_entry(key)
    if entry is None:
        return None
    info, arrays = entry
    try:
        for name, digest_then in info["siblings"].items():
            path = _sibling(folder, name)
            if (None if path is None else cache.digest(path)) != digest_then:
                return None
        parts = []
        images: list[str | None] = []
        for i, part in enumerate(info["parts"]):
            vertices, faces, uv = arrays[f"vertices{i}"], arrays[f"faces{i}"], arrays.get(f"uv{i}")
            # A wrong index would crash the renderer, so it is not taken on trust.
            if (
                vertices.shape[1:] != (3,)
                or faces.shape[1:] != (3,)
                or faces.dtype != np.int32
                or not len(faces)
            ):
                return None
            if int(faces.min()) < 0 or int(faces.max()) >= len(vertices):
                return None
            if uv is not None and uv.shape != (len(vertices), 2):
                return None
            if part["image"] is not None and cache.image_path(part["image"]) is None:
                return None
            rgba: Rgba | None = None
            if part["rgba"] is not None:
                r, g, b, a = (float(v) for v in part["rgba"])
                rgba = (r, g, b, a)
            images.append(part["image"])
            parts.append(
                RawPart(vertices, faces, rgba, uv, part["texture"], None, str(part["name"]))
            )
        notes = [(str(code), str(message)) for code, message in info["notes"]]
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError):
        return None
    return RawMesh(parts, []), notes, images


def _finished(
    path: Path,
    raw: RawMesh,
    notes: list[Note],
    images: list[str | None],
    scale: tuple[float, float, float],
) -> MeshData:
    findings = [_finding(path, code, f"{path.name}: {message}") for code, message in notes]
    parts = []
    missing: set[str] = set()
    for part, image in zip(raw.parts, images, strict=True):
        texture = cache.image_path(image) if image is not None else None
        if part.texture is not None:
            texture = resolve_mesh_path(part.texture, path, environ={})
            if texture is None and part.texture not in missing:
                missing.add(part.texture)
                findings.append(
                    _finding(
                        path,
                        "MESH007",
                        f"{path.name}: the texture {part.texture!r} is not in its folder",
                    )
                )
        if texture is not None:
            problem = image_problem(texture)
            if problem is not None:
                if texture.name not in missing:
                    missing.add(texture.name)
                    message = f"{path.name}: the texture {texture.name} cannot be used: {problem}"
                    findings.append(_finding(path, "MESH007", message))
                texture = None
        mesh = MeshPart(
            np.asarray(part.vertices, dtype=np.float64),
            part.faces,
            part.rgba,
            None if part.uv is None else np.asarray(part.uv, dtype=np.float64),
            texture,
            part.name,
        )
        parts.append(transform_part(mesh, None, scale))
    return MeshData(tuple(parts), tuple(findings))


def _failed(path: Path, code: str, message: str) -> MeshData:
    return MeshData((), (_finding(path, code, message, Severity.ERROR),))


def _finding(path: Path, code: str, message: str, severity: Severity = Severity.WARNING) -> Finding:
    return Finding(
        code,
        severity,
        message,
        location=Location(str(path)),
        subject=FindingSubject(section="mesh"),
    )
