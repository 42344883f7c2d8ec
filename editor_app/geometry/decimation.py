"""Coarse copies of meshes, for drawing while the view moves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from editor_app.geometry.mesh import MeshData, MeshPart

#: Per mesh: halves the time of a frame on software GL, and still looks like the part.
INTERACTION_TRIANGLES = 2000


def decimated(mesh: MeshData, triangles: int = INTERACTION_TRIANGLES) -> MeshData:
    """A copy of at most about `triangles` triangles, shared out over the parts by their size.

    Parts that are coarse enough are the same objects; those that are reduced lose their texture and keep the colour.
    """
    total = mesh.triangles
    if total <= triangles:
        return mesh
    return replace(
        mesh,
        parts=tuple(decimated_part(p, max(12, int(triangles * len(p.faces) / total))) for p in mesh.parts),
    )


def decimated_part(part: MeshPart, triangles: int) -> MeshPart:
    """`part` with at most about `triangles` triangles; itself where it has no more."""
    if len(part.faces) <= triangles:
        return part
    import fast_simplification  # not for the start of the window

    vertices, faces = fast_simplification.simplify(
        np.ascontiguousarray(part.vertices, dtype=np.float32),
        np.ascontiguousarray(part.faces, dtype=np.int32),
        target_count=triangles,
    )
    if not len(faces):
        return part
    return MeshPart(vertices.astype(np.float64), faces.astype(np.int32), part.rgba, name=part.name)
