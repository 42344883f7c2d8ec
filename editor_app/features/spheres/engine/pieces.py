"""Any triangle soup made fit for fitting; kernels on triangles as a whole: cutting large ones,
areas, moments, voxels.

Lengths are in the unit of the caller.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from editor_app.core.arrays import F64, I64, Bools
from editor_app.core.model.counting import format_count
from editor_app.features.spheres.engine.compiled import compile_cached


@compile_cached(inline=True)
def longest_edge(t: np.ndarray) -> tuple[int, float]:
    """Which edge of a triangle (3,3), from corner e to the next, is longest, and the square of its
    length."""
    best, e = -1.0, 0
    for k in range(3):
        m = (k + 1) % 3
        s = (t[k, 0] - t[m, 0]) ** 2 + (t[k, 1] - t[m, 1]) ** 2 + (t[k, 2] - t[m, 2]) ** 2
        if s > best:
            best, e = s, k
    return e, best


@compile_cached(inline=True)
def push_triangle(t: np.ndarray, stack: np.ndarray) -> None:
    """Writes a triangle (3,3) to the bottom of a stack. One by one: numba takes seconds to compile
    a slice's write."""
    for k in range(3):
        for a in range(3):
            stack[0, k, a] = t[k, a]


@compile_cached(inline=True)
def bisect(t: np.ndarray, e: int, stack: np.ndarray, top: int) -> None:
    """Writes the halves of a triangle, cut at the middle of an edge, into a stack at ``top`` and
    behind."""
    f = (e + 1) % 3
    g = (e + 2) % 3
    for a in range(3):
        p, q, r = t[e, a], t[f, a], t[g, a]
        mid = 0.5 * (p + q)
        stack[top, 0, a], stack[top, 1, a], stack[top, 2, a] = p, mid, r
        stack[top + 1, 0, a], stack[top + 1, 1, a], stack[top + 1, 2, a] = mid, q, r


@compile_cached(inline=True)
def around(t: np.ndarray) -> tuple[float, float, float, float]:
    """The centre of a triangle (3,3), and how far its corners are from there at most."""
    x, y, z = (
        (t[0, 0] + t[1, 0] + t[2, 0]) / 3.0,
        (t[0, 1] + t[1, 1] + t[2, 1]) / 3.0,
        (t[0, 2] + t[1, 2] + t[2, 2]) / 3.0,
    )
    reach = 0.0
    for k in range(3):
        reach = max(reach, (t[k, 0] - x) ** 2 + (t[k, 1] - y) ** 2 + (t[k, 2] - z) ** 2)
    return x, y, z, np.sqrt(reach)


@compile_cached()
def split_large(triangles: np.ndarray, longest: float) -> tuple[np.ndarray, np.ndarray]:
    """Bisect longest edges until none exceeds ``longest``; returns pieces (k,3,3) and the index of
    their parent."""
    limit = longest * longest
    out = np.empty((max(64, 2 * len(triangles)), 3, 3))
    parent = np.empty(len(out), np.int32)
    n = 0
    stack = np.empty((128, 3, 3))
    t = np.empty((3, 3))
    for i in range(len(triangles)):
        push_triangle(triangles[i], stack)
        top = 1
        while top > 0:
            top -= 1
            for k in range(3):
                for a in range(3):
                    t[k, a] = stack[top, k, a]
            e, length = longest_edge(t)
            if length <= limit or top > 120:
                if n == len(out):
                    out = np.concatenate((out, np.empty_like(out)))
                    parent = np.concatenate((parent, np.empty_like(parent)))
                for k in range(3):
                    for a in range(3):
                        out[n, k, a] = t[k, a]
                parent[n] = i
                n += 1
                continue
            bisect(t, e, stack, top)
            top += 2
    return out[:n].copy(), parent[:n].copy()


@compile_cached()
def third_moments(
    vertices: np.ndarray, faces: np.ndarray, centre: np.ndarray, size: float
) -> np.ndarray:
    """Mean of the third powers of the triangles' centres about ``centre`` in units of ``size``,
    weighted by area."""
    out = np.zeros(3)
    total = 0.0
    for i in range(len(faces)):
        a, b, c = vertices[faces[i, 0]], vertices[faces[i, 1]], vertices[faces[i, 2]]
        ux, uy, uz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
        vx, vy, vz = c[0] - a[0], c[1] - a[1], c[2] - a[2]
        x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        area = np.sqrt(x * x + y * y + z * z)
        total += area
        for k in range(3):
            m = ((a[k] - centre[k]) + (b[k] - centre[k]) + (c[k] - centre[k])) / (3.0 * size)
            out[k] += area * m * m * m
    return out / total


@compile_cached()
def compute_areas(pieces: np.ndarray) -> np.ndarray:
    """Area of each of the triangles (n,3,3)."""
    out = np.empty(len(pieces))
    for i in range(len(pieces)):
        t = pieces[i]
        ux, uy, uz = t[1, 0] - t[0, 0], t[1, 1] - t[0, 1], t[1, 2] - t[0, 2]
        vx, vy, vz = t[2, 0] - t[0, 0], t[2, 1] - t[0, 1], t[2, 2] - t[0, 2]
        x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        out[i] = 0.5 * np.sqrt(x * x + y * y + z * z)
    return out


@compile_cached()
def find_pieces_in_cells(
    pieces: np.ndarray, mask: np.ndarray, origin: np.ndarray, h: float
) -> np.ndarray:
    """Which triangles have their centre or a corner in a set cell."""
    out = np.zeros(len(pieces), np.bool_)
    for i in range(len(pieces)):
        t = pieces[i]
        for k in range(4):
            if k == 3:
                x, y, z, _ = around(t)
            else:
                x, y, z = t[k, 0], t[k, 1], t[k, 2]
            a = min(max(int((x - origin[0]) / h), 0), mask.shape[0] - 1)
            b = min(max(int((y - origin[1]) / h), 0), mask.shape[1] - 1)
            c = min(max(int((z - origin[2]) / h), 0), mask.shape[2] - 1)
            if mask[a, b, c]:
                out[i] = True
                break
    return out


_MANY_FACES = 150_000


@dataclass(frozen=True, eq=False)
class CleanMesh:
    """Vertices (n,3) float64 and faces (m,3) int64: finite, indices in range, no triangle without
    area, no twins."""

    vertices: F64
    faces: I64


def clean_mesh(vertices: npt.ArrayLike, faces: npt.ArrayLike, notes: list[str]) -> CleanMesh:
    """Drop what has no surface; append a sentence to ``notes`` for each thing that was dropped or
    simplified."""
    v = np.asarray(vertices, float).reshape(-1, 3)
    f = np.asarray(faces, np.int64).reshape(-1, 3)
    if len(v) == 0 or len(f) == 0:
        notes.append("The mesh is empty.")
        return CleanMesh(np.zeros((0, 3)), np.zeros((0, 3), np.int64))
    in_range: Bools = np.ones(len(f), bool)
    # One look at the whole is quick; which ones is asked only when some are bad.
    if f.min() < 0 or f.max() >= len(v):
        in_range = np.asarray(((f >= 0) & (f < len(v))).all(1))
        notes.append(
            f"{int((~in_range).sum())} triangles refer to vertices that do not exist and were "
            "skipped."
        )
        f = f[in_range]
    if not np.isfinite(v).all():
        finite = np.isfinite(v).all(1)
        good = finite[f].all(1)
        notes.append(
            f"{int((~good).sum())} triangles with vertices that are not finite were skipped."
        )
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
    return f"{format_count(number, noun)}{more} {'was' if number == 1 else 'were'} skipped."


def _used(f: I64, count: int) -> Bools:
    """Which of ``count`` vertices the faces refer to."""
    mask = np.zeros(count, bool)
    mask[f.ravel()] = True
    return mask


def _cluster(v: F64, f: I64, size: float) -> tuple[F64, I64]:
    cell = np.floor((v - v.min(0)) / size).astype(np.int64)
    span = cell.max(0) + 1
    packed = (cell[:, 0] * span[1] + cell[:, 1]) * span[2] + cell[:, 2]
    _, first, inverse = np.unique(packed, return_index=True, return_inverse=True)
    g = inverse[f]
    keep = (g[:, 0] != g[:, 1]) & (g[:, 1] != g[:, 2]) & (g[:, 0] != g[:, 2])
    return v[first], g[keep]


def closed_bodies(mesh: CleanMesh) -> list[I64]:
    """The faces of each connected body (vertices at the same place joined); none where an edge of
    any body has an odd number of triangles, so that the mesh is open."""
    v, f = mesh.vertices, mesh.faces
    size = float(np.linalg.norm(v.max(0) - v.min(0))) * 1e-6
    cell = np.round((v - v.min(0)) / size).astype(np.int64)
    packed = (cell[:, 0] * 2_000_003 + cell[:, 1]) * 2_000_003 + cell[:, 2]
    _, joined = np.unique(packed, return_inverse=True)
    g = joined[f]
    n = int(joined.max()) + 1
    edges = np.sort(np.concatenate([g[:, [0, 1]], g[:, [1, 2]], g[:, [2, 0]]]), axis=1)
    _, count = np.unique(edges[:, 0] * n + edges[:, 1], return_counts=True)
    if (count % 2 == 1).any():
        return []
    owner = connected_parts(n, edges)[g[:, 0]]
    order = np.argsort(owner, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(owner[order])) + 1)


def connected_parts(count: int, edges: I64) -> I64:
    """For each of ``count`` vertices the first one of its connected part, in a graph with these
    edges (n,2).

    By hand: importing scipy's graphs costs more than the whole fit of a small link.
    """
    root = np.arange(count)
    while True:
        ends = np.sort(root[edges], axis=1)
        ends = ends[ends[:, 0] != ends[:, 1]]
        if not len(ends):
            return root
        np.minimum.at(root, ends[:, 1], ends[:, 0])
        while not np.array_equal(root, further := root[root]):
            root = further
