"""COLLADA meshes: one part per material, node transforms and the unit applied.

The unit of the file scales it; its up_axis is ignored. That is what RViz does, after which robots
are drawn: it skips the transform of assimp's root node, which carries axis and unit, and multiplies
by the unit again (ros-visualization/rviz, src/rviz/mesh_loader.cpp, `buildMesh` and
`getMeshUnitRescale`; MoveIt's geometric_shapes followed in moveit/geometric_shapes#52). Files say
Z_UP and Y_UP at random, so that obeying would break robots.
"""

from __future__ import annotations

import contextlib
import io
import logging
import zipfile
import zlib
from typing import Any

import numpy as np

from editor_app.core.model.counting import format_count
from editor_app.core.space.geometry.mesh import (
    MAX_BODIES,
    MAX_BYTES,
    MeshError,
    RawMesh,
    RawPart,
    Rgba,
    check_count,
    collada_opacity,
    transform_part,
)

#: What zipfile raises for a damaged archive.
_DAMAGED = (zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError, EOFError, ValueError)


def read_collada(data: bytes) -> RawMesh:
    """Raises MeshError."""
    import collada  # with its dependencies 0.1 s: not for the start of the window

    _refuse_bombs(data)
    logging.getLogger("collada").setLevel(logging.CRITICAL)
    try:
        document = collada.Collada(io.BytesIO(data), ignore=[collada.common.DaeError])
        root = str(document.xmlnode.getroot().tag)
        if not root.endswith("COLLADA"):
            raise MeshError(f"its root element is <{root}>, not <COLLADA>")
        _refuse_multitudes(document.xmlnode.getroot())
        errors = list(document.errors)
        if errors:
            document = _without_broken_materials(document) or document
        notes = [f"part of it cannot be read: {error}" for error in errors[:3]]
        unit = float(document.assetInfo.unitmeter or 1.0) if document.assetInfo is not None else 1.0
        parts = [part for geometry in _bound(document, notes) for part in _parts(geometry)]
    except MeshError:
        raise
    except RecursionError:
        raise MeshError("its nodes are nested too deep, or in a circle") from None
    except Exception as error:  # pycollada lets whatever happens in it out
        raise MeshError(
            f"it is not a readable COLLADA file ({type(error).__name__}: {error})"
        ) from None
    if not np.isfinite(unit) or unit <= 0:
        raise MeshError(f"its unit is {unit} metres")
    if unit != 1.0:
        for part in parts:
            part.vertices = part.vertices * unit
    check_count(sum(len(part.faces) for part in parts))
    return RawMesh(parts, notes)


def _bound(document: Any, notes: list[str]) -> list[Any]:
    """Return the geometries where the scene puts them; adds to `notes` where that has to be
    guessed."""
    scene = document.scene
    if scene is None and document.scenes:
        scene = document.scenes[0]
        notes.append("it has no <scene>: its first visual_scene is used")
    if scene is None:
        notes += (
            ["it has no scene: its geometries are used without transforms"]
            if document.geometries
            else []
        )
        return [geometry.bind(np.eye(4), {}) for geometry in document.geometries]
    bent = [*scene.objects("controller")]
    if bent:
        notes.append(
            f"{format_count(len(bent), 'skin or morph', 'skins and morphs')}: read in the rest "
            "shape"
        )
    return [*scene.objects("geometry"), *map(_at_rest, bent)]


def _without_broken_materials(document: Any) -> Any:
    """The document read again without references to materials that could not be read: they take the
    geometry along."""
    import collada

    targets = {f"#{material.id}" for material in document.materials}
    removed = False
    for parent in list(document.xmlnode.iter()):
        for child in list(parent):
            if str(child.tag).endswith("}instance_material") and child.get("target") not in targets:
                parent.remove(child)
                removed = True
    if not removed:
        return None
    buffer = io.BytesIO()
    document.xmlnode.write(buffer)
    buffer.seek(0)
    return collada.Collada(buffer, ignore=[collada.common.DaeError])


def _refuse_bombs(data: bytes) -> None:
    documents = [data]
    # By its end, as pycollada takes archives that begin with something else, too.
    with contextlib.suppress(*_DAMAGED), zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = archive.infolist()
        if sum(entry.file_size for entry in entries) > MAX_BYTES:
            raise MeshError("it unpacks to more than 512 MB")
        documents = [
            archive.read(entry) for entry in entries if entry.filename.upper().endswith(".DAE")
        ]
    for document in documents:
        if document[:2] in (b"\xff\xfe", b"\xfe\xff"):
            document = document.decode("utf-16", "replace").encode()
        if b"<!ENTITY" in document:
            raise MeshError(
                "it declares XML entities, which are refused because they can exhaust the memory"
            )


def _refuse_multitudes(root: Any) -> None:
    """Raises MeshError where nodes that stand for other nodes come to absurdly many bodies: before
    they are made."""
    nodes = {
        node.get("id"): node for node in root.iter() if _tag(node) == "node" and node.get("id")
    }
    totals: dict[Any, int] = {}

    def count(node: Any, above: frozenset[Any]) -> int:
        if node in above:
            raise MeshError("its nodes refer to each other in a loop")
        if node not in totals:
            total = 0
            for child in node:
                name = _tag(child)
                if name in ("instance_geometry", "instance_controller"):
                    total += 1
                elif name == "node":
                    total += count(child, above | {node})
                elif name == "instance_node":
                    other = nodes.get(str(child.get("url", "")).removeprefix("#"))
                    total += 0 if other is None else count(other, above | {node})
            totals[node] = total
        return totals[node]

    total = sum(count(scene, frozenset()) for scene in root.iter() if _tag(scene) == "visual_scene")
    if total > MAX_BODIES:
        raise MeshError(f"its nodes refer to {total:,} bodies; the limit is {MAX_BODIES:,}")


def _tag(node: Any) -> str:
    return str(node.tag).rpartition("}")[2]


def _at_rest(controller: Any) -> Any:
    """Return the geometry that a skin or a morph bends, where the scene puts it."""
    skin = getattr(controller, "geometry", None)
    if skin is not None:
        return skin
    return controller.original.source_geometry.bind(
        controller.matrix, controller.materialnodebysymbol
    )


def _parts(geometry: Any) -> list[RawPart]:
    parts = []
    matrix = np.asarray(geometry.matrix, dtype=np.float64)
    # Not `geometry.primitives()`, which carries all vertices of the geometry for each of its
    # materials.
    for primitive in geometry.original.primitives:
        if hasattr(primitive, "triangleset"):
            primitive = primitive.triangleset()
        index = getattr(primitive, "vertex_index", None)
        if index is None or not len(index) or np.shape(index)[-1] != 3 or primitive.vertex is None:
            continue  # lines and points
        index = np.asarray(index).reshape(-1, 3)
        binding = geometry.materialnodebysymbol.get(primitive.material)
        material = binding.target if binding else None
        rgba, texture = _look(material)
        uv = None
        if texture is not None and len(primitive.texcoordset):
            coordinates = np.asarray(primitive.texcoordset[0])[:, :2]
            corners = np.asarray(primitive.texcoord_indexset[0]).ravel()
            keys = index.ravel().astype(np.int64) * len(coordinates) + corners
            _, first, faces = np.unique(keys, return_index=True, return_inverse=True)
            uv = coordinates[corners[first]]
            used = index.ravel()[first]
        else:
            used, faces = np.unique(index, return_inverse=True)
        points = np.asarray(primitive.vertex[used], dtype=np.float64)
        name = getattr(material, "name", None) or getattr(material, "id", None) or ""
        part = RawPart(
            points, faces.reshape(-1, 3).astype(np.int32), rgba, uv, texture, name=str(name)
        )
        parts.append(transform_part(part, matrix))
    return parts


def _look(material: Any) -> tuple[Rgba | None, str | None]:
    """Colour and texture file of a material; COLLADA says transparency in several ways."""
    effect = getattr(material, "effect", None)
    diffuse = getattr(effect, "diffuse", None)
    transparency, transparent = (
        getattr(effect, "transparency", None),
        getattr(effect, "transparent", None),
    )
    opacity = collada_opacity(
        float(transparency) if isinstance(transparency, int | float) else 1.0,
        [float(v) for v in transparent] if isinstance(transparent, tuple | list) else (),
        str(getattr(effect, "opaque_mode", "A_ONE")),
    )
    if isinstance(diffuse, tuple | list) and len(diffuse) >= 3:
        r, g, b = (min(max(float(v), 0.0), 1.0) for v in diffuse[:3])
        alpha = float(diffuse[3]) if len(diffuse) > 3 else 1.0
        return (r, g, b, min(max(alpha, 0.0), 1.0) * opacity), None
    sampler = getattr(diffuse, "sampler", None)
    image = getattr(getattr(sampler, "surface", None), "image", None)
    path = getattr(image, "path", None)
    if path:
        return (1.0, 1.0, 1.0, opacity), str(path)
    return None, None
