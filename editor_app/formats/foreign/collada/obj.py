"""Triangles as OBJ files, with a material library where one colour does not say it all."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from editor_app.formats.foreign.collada.geometry import Block
from editor_app.formats.foreign.collada.materials import Look
from editor_app.formats.foreign.collada.transforms import Matrix


def obj_text(blocks: Sequence[Block], matrix: Matrix, library: str | None = None) -> str:
    """The triangles carried by `matrix`, with the digits of doubles; mirrored ones are turned inside in.

    With a `library` each block names its material there: `material0`, `material1`, … in their order.
    """
    mirrored = np.linalg.det(matrix[:3, :3]) < 0
    lines = [f"mtllib {library}"] if library else []
    points, textures, normals = 1, 1, 1
    turned = np.linalg.inv(matrix[:3, :3]).T if abs(np.linalg.det(matrix[:3, :3])) > 1e-12 else np.eye(3)
    for number, block in enumerate(blocks):
        if library:
            lines.append(f"usemtl material{number}")
        used, inverse = np.unique(block.faces, return_inverse=True)
        vertices = block.vertices[used] @ matrix[:3, :3].T + matrix[:3, 3]
        lines += [f"v {x!r} {y!r} {z!r}" for x, y, z in vertices.tolist()]
        first = inverse.reshape(-1, 3) + points
        points += len(used)
        second = third = None
        if block.uv is not None and block.uv_faces is not None:
            used, inverse = np.unique(block.uv_faces, return_inverse=True)
            lines += [f"vt {u!r} {v!r}" for u, v in block.uv[used].tolist()]
            second = inverse.reshape(-1, 3) + textures
            textures += len(used)
        if block.normals is not None and block.normal_faces is not None:
            used, inverse = np.unique(block.normal_faces, return_inverse=True)
            rotated = block.normals[used] @ turned.T
            lines += [f"vn {x:.9g} {y:.9g} {z:.9g}" for x, y, z in rotated.tolist()]
            third = inverse.reshape(-1, 3) + normals
            normals += len(used)
        first = first[:, ::-1] if mirrored else first
        second = second[:, ::-1] if mirrored and second is not None else second
        third = third[:, ::-1] if mirrored and third is not None else third
        lines += _faces(first, second, third)
    return "\n".join(lines) + "\n"


def _faces(first: np.ndarray, second: np.ndarray | None, third: np.ndarray | None) -> list[str]:
    if second is None and third is None:
        return [f"f {a} {b} {c}" for a, b, c in first.tolist()]
    if third is None:
        assert second is not None
        rows = np.stack([first, second], axis=2).tolist()
        return ["f " + " ".join(f"{p}/{t}" for p, t in row) for row in rows]
    if second is None:
        rows = np.stack([first, third], axis=2).tolist()
        return ["f " + " ".join(f"{p}//{n}" for p, n in row) for row in rows]
    rows = np.stack([first, second, third], axis=2).tolist()
    return ["f " + " ".join(f"{p}/{t}/{n}" for p, t, n in row) for row in rows]


def mtl_text(looks: Sequence[Look], pictures: Sequence[str | None]) -> str:
    """A library of `material0`, `material1`, …; `pictures` are the names of the files of those that have one."""
    lines = []
    for number, (look, picture) in enumerate(zip(looks, pictures, strict=True)):
        lines.append(f"newmtl material{number}")
        if look.rgba is not None:
            r, g, b, a = look.rgba
            lines += [f"Kd {r!r} {g!r} {b!r}", f"d {a!r}"]
        if picture is not None:
            lines.append(f"map_Kd {picture}")
    return "\n".join(lines) + "\n"
