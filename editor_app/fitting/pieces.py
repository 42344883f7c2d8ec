"""Numba kernels on triangles as a whole: cutting large ones, areas, moments, the voxels that they touch.

Lengths are in the unit of the caller.
"""

from __future__ import annotations

import numpy as np

from editor_app.fitting.compiled import compiled


@compiled(inline=True)
def longest_edge(t: np.ndarray) -> tuple[int, float]:
    """Which edge of a triangle (3,3), from corner e to the next, is longest, and the square of its length."""
    best, e = -1.0, 0
    for k in range(3):
        m = (k + 1) % 3
        s = (t[k, 0] - t[m, 0]) ** 2 + (t[k, 1] - t[m, 1]) ** 2 + (t[k, 2] - t[m, 2]) ** 2
        if s > best:
            best, e = s, k
    return e, best


@compiled(inline=True)
def bisect(t: np.ndarray, e: int, stack: np.ndarray, top: int) -> None:
    """Writes the halves of a triangle, cut at the middle of an edge, into a stack at ``top`` and behind."""
    f = (e + 1) % 3
    g = (e + 2) % 3
    for a in range(3):
        p, q, r = t[e, a], t[f, a], t[g, a]
        mid = 0.5 * (p + q)
        stack[top, 0, a], stack[top, 1, a], stack[top, 2, a] = p, mid, r
        stack[top + 1, 0, a], stack[top + 1, 1, a], stack[top + 1, 2, a] = mid, q, r


@compiled(inline=True)
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


@compiled()
def split_large(triangles: np.ndarray, longest: float) -> tuple[np.ndarray, np.ndarray]:
    """Bisect longest edges until none exceeds ``longest``; returns pieces (k,3,3) and the index of their parent."""
    limit = longest * longest
    out = np.empty((max(64, 2 * len(triangles)), 3, 3))
    parent = np.empty(len(out), np.int32)
    n = 0
    stack = np.empty((128, 3, 3))
    t = np.empty((3, 3))
    for i in range(len(triangles)):
        stack[0] = triangles[i]
        top = 1
        while top > 0:
            top -= 1
            for k in range(3):
                for a in range(3):
                    t[k, a] = stack[top, k, a]
            e, length = longest_edge(t)
            if length <= limit or top > 120:
                if n == len(out):
                    grown = np.empty((2 * n, 3, 3))
                    grown[:n] = out
                    out = grown
                    more = np.empty(2 * n, np.int32)
                    more[:n] = parent
                    parent = more
                for k in range(3):
                    for a in range(3):
                        out[n, k, a] = t[k, a]
                parent[n] = i
                n += 1
                continue
            bisect(t, e, stack, top)
            top += 2
    return out[:n].copy(), parent[:n].copy()


@compiled()
def third_moments(vertices: np.ndarray, faces: np.ndarray, centre: np.ndarray, size: float) -> np.ndarray:
    """Mean of the third powers of the triangles' centres about ``centre`` in units of ``size``, weighted by area."""
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


@compiled()
def areas(pieces: np.ndarray) -> np.ndarray:
    """Area of each of the triangles (n,3,3)."""
    out = np.empty(len(pieces))
    for i in range(len(pieces)):
        t = pieces[i]
        ux, uy, uz = t[1, 0] - t[0, 0], t[1, 1] - t[0, 1], t[1, 2] - t[0, 2]
        vx, vy, vz = t[2, 0] - t[0, 0], t[2, 1] - t[0, 1], t[2, 2] - t[0, 2]
        x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        out[i] = 0.5 * np.sqrt(x * x + y * y + z * z)
    return out


@compiled()
def touching(pieces: np.ndarray, mask: np.ndarray, origin: np.ndarray, h: float) -> np.ndarray:
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
