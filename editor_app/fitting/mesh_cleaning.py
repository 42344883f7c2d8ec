"""Make any triangle soup fit for fitting, and say what was dropped."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from editor_app.model.counting import counted

_MANY_FACES = 150_000


@dataclass(frozen=True, eq=False)
class CleanMesh:
    """Vertices (n,3) float64 and faces (m,3) int64: finite, indices in range, no triangle without area, no twins."""

    vertices: npt.NDArray[np.float64]
    faces: npt.NDArray[np.int64]


def clean_mesh(vertices: npt.ArrayLike, faces: npt.ArrayLike, notes: list[str]) -> CleanMesh:
    """Drop what has no surface; append a sentence to ``notes`` for each thing that was dropped or simplified."""
    v = np.asarray(vertices, float).reshape(-1, 3)
    f = np.asarray(faces, np.int64).reshape(-1, 3)
    if len(v) == 0 or len(f) == 0:
        notes.append("The mesh is empty.")
        return CleanMesh(np.zeros((0, 3)), np.zeros((0, 3), np.int64))
    in_range: npt.NDArray[np.bool_] = np.ones(len(f), bool)
    # One look at the whole is quick; which ones is asked only when some are bad.
    if f.min() < 0 or f.max() >= len(v):
        in_range = np.asarray(((f >= 0) & (f < len(v))).all(1))
        notes.append(f"{int((~in_range).sum())} triangles refer to vertices that do not exist and were skipped.")
        f = f[in_range]
    if not np.isfinite(v).all():
        finite = np.isfinite(v).all(1)
        good = finite[f].all(1)
        notes.append(f"{int((~good).sum())} triangles with vertices that are not finite were skipped.")
        f = f[good]
    if len(f) == 0:
        return CleanMesh(np.zeros((0, 3)), np.zeros((0, 3), np.int64))
    used = v[_used(f, len(v))]
    diagonal = float(np.linalg.norm(used.max(0) - used.min(0)))
    if len(f) > _MANY_FACES:
        v, f = _cluster(v, f, diagonal / 1500)
        notes.append(
            f"The mesh is very fine; for fitting it was simplified to {len(f)} triangles "
            f"(vertices moved by at most {1000 * diagonal / 1500 * 0.87:.3f} mm)."
        )
    t = v[f]
    normal = np.cross(t[:, 1] - t[:, 0], t[:, 2] - t[:, 0])
    area = np.sqrt(np.einsum("ij,ij->i", normal, normal))
    good = area > 1e-14 * diagonal * diagonal
    if not good.all():
        notes.append(_skipped(int((~good).sum()), "triangle", " without area"))
        f = f[good]
    if len(f):
        key = np.sort(f, axis=1)
        packed = (key[:, 0] * len(v) + key[:, 1]) * len(v) + key[:, 2]
        _, first = np.unique(packed, return_index=True)
        if len(first) < len(f):
            notes.append(_skipped(len(f) - len(first), "duplicate triangle"))
            f = f[np.sort(first)]
    kept = _used(f, len(v))
    return CleanMesh(np.ascontiguousarray(v[kept]), np.ascontiguousarray((np.cumsum(kept) - 1)[f]))


def _skipped(number: int, noun: str, more: str = "") -> str:
    return f"{counted(number, noun)}{more} {'was' if number == 1 else 'were'} skipped."


def _used(f: npt.NDArray[np.int64], count: int) -> npt.NDArray[np.bool_]:
    """Which of ``count`` vertices the faces refer to."""
    mask = np.zeros(count, bool)
    mask[f.ravel()] = True
    return mask


def _cluster(
    v: npt.NDArray[np.float64], f: npt.NDArray[np.int64], size: float
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    cell = np.floor((v - v.min(0)) / size).astype(np.int64)
    span = cell.max(0) + 1
    packed = (cell[:, 0] * span[1] + cell[:, 1]) * span[2] + cell[:, 2]
    _, first, inverse = np.unique(packed, return_index=True, return_inverse=True)
    g = inverse[f]
    keep = (g[:, 0] != g[:, 1]) & (g[:, 1] != g[:, 2]) & (g[:, 0] != g[:, 2])
    return v[first], g[keep]


def bodies_and_watertight(mesh: CleanMesh) -> tuple[int, bool]:
    """Number of connected bodies (vertices at the same place joined), and whether every edge has two triangles."""
    v, f = mesh.vertices, mesh.faces
    size = float(np.linalg.norm(v.max(0) - v.min(0))) * 1e-6
    cell = np.round((v - v.min(0)) / size).astype(np.int64)
    packed = (cell[:, 0] * 2_000_003 + cell[:, 1]) * 2_000_003 + cell[:, 2]
    _, joined = np.unique(packed, return_inverse=True)
    g = joined[f]
    n = int(joined.max()) + 1
    edges = np.sort(np.concatenate([g[:, [0, 1]], g[:, [1, 2]], g[:, [2, 0]]]), axis=1)
    _, count = np.unique(edges[:, 0] * n + edges[:, 1], return_counts=True)
    return connected_parts(n, edges), bool((count % 2 == 0).all())


def connected_parts(count: int, edges: npt.NDArray[np.int64]) -> int:
    """How many connected parts a graph of ``count`` vertices with these edges (n,2) has.

    By hand: importing scipy's graphs costs more than the whole fit of a small link.
    """
    root = np.arange(count)
    while True:
        ends = np.sort(root[edges], axis=1)
        ends = ends[ends[:, 0] != ends[:, 1]]
        if not len(ends):
            return len(np.unique(root))
        np.minimum.at(root, ends[:, 1], ends[:, 0])
        while not np.array_equal(root, further := root[root]):
            root = further
