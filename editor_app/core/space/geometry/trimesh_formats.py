"""PLY and OFF, by trimesh."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from editor_app.core.space.geometry.images import limit_pillow
from editor_app.core.space.geometry.mesh import (
    MeshError,
    RawMesh,
    RawPart,
    Rgba,
    Sibling,
    check_count,
)


def read_by_trimesh(data: bytes, kind: str, sibling: Sibling) -> RawMesh:
    """`kind` is the extension without its dot. Raises MeshError."""
    import trimesh  # a second: not for the start of the window

    # Textures are opened by trimesh.
    limit_pillow()

    class Resolver(trimesh.resolvers.Resolver):  # type: ignore[misc]
        """Lets images of the same folder in, and nothing else."""

        def __init__(self) -> None:
            """The base class has nothing to set up, but demands one."""

        def get(self, name: str) -> bytes:
            data = sibling(name)
            if data is None:
                raise ValueError(f"{name!r} does not exist")
            return data

        def namespaced(self, namespace: str) -> Any:
            return self

        def write(self, name: str, data: object) -> None:
            """Reading writes nothing; the base class would have it otherwise."""
            raise MeshError(f"reading it would write {name!r}")

        def keys(self) -> list[str]:
            return []

    try:
        scene = trimesh.load_scene(
            io.BytesIO(data), file_type=kind, resolver=Resolver(), process=False
        )
        parts = []
        for node in scene.graph.nodes_geometry:
            matrix, name = scene.graph[node]
            geometry = scene.geometry[name]
            if isinstance(geometry, trimesh.Trimesh):
                parts.append(_part(geometry, np.asarray(matrix), str(name)))
    except MeshError:
        raise
    except Exception as error:  # whatever a malformed file makes trimesh do
        raise MeshError(
            f"it is not a readable {kind.upper()} file ({type(error).__name__}: {error})"
        ) from None
    return RawMesh(parts, [])


def _part(mesh: Any, matrix: np.ndarray, name: str) -> RawPart:
    check_count(len(mesh.faces))
    vertices = np.asarray(mesh.vertices, dtype=np.float64)
    faces = np.asarray(mesh.faces, dtype=np.int32)
    if not np.array_equal(matrix, np.eye(4)):
        vertices = vertices @ matrix[:3, :3].T + matrix[:3, 3]
        if np.linalg.det(matrix[:3, :3]) < 0:
            faces = np.ascontiguousarray(faces[:, ::-1])
    visual = mesh.visual
    material = getattr(visual, "material", None)
    rgba: Rgba | None = None
    uv = image = None
    if material is not None:
        factor = getattr(material, "baseColorFactor", None)
        rgba = _rgba(factor if factor is not None else getattr(material, "main_color", None))
        picture = getattr(material, "baseColorTexture", None) or getattr(material, "image", None)
        if picture is not None and getattr(visual, "uv", None) is not None:
            uv = np.asarray(visual.uv, dtype=np.float64)
            buffer = io.BytesIO()
            picture.save(buffer, format="PNG")
            image = buffer.getvalue()
            rgba = _rgba(factor) or (1.0, 1.0, 1.0, 1.0)
    elif getattr(visual, "kind", None) in ("vertex", "face"):
        # One colour per part is drawn: the mean of what the file gives to vertices or faces.
        colors = visual.vertex_colors if visual.kind == "vertex" else visual.face_colors
        rgba = _rgba(np.asarray(colors, dtype=np.float64).mean(axis=0))
    return RawPart(vertices, faces, rgba, uv, None, image, name)


def _rgba(color: Any) -> Rgba | None:
    if color is None:
        return None
    values = np.asarray(color, dtype=np.float64).ravel()
    if len(values) not in (3, 4):
        return None
    integral = np.asarray(color).dtype.kind in "ui" or values.max() > 1.0
    r, g, b, a = (*(values / 255.0 if integral else values), 1.0)[:4]
    return float(r), float(g), float(b), float(a)
