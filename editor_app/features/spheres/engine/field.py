"""Numba kernels that turn triangles into distances on a voxel grid.

All arrays are in grid units of the caller (any length unit); nothing here knows about robots.
Point-triangle distance follows Ericson, *Real-Time Collision Detection*, 5.1.5.
"""

from __future__ import annotations

import numpy as np

from editor_app.features.spheres.engine.compiled import compile_cached, in_two_threads
from editor_app.features.spheres.engine.pieces import around
from editor_app.features.spheres.engine.voxels import nearest_set

FAR = np.float32(1e9)


@compile_cached(inline=True)
def _closest_on_triangle(
    px: float, py: float, pz: float, t: np.ndarray
) -> tuple[float, float, float]:
    ax, ay, az = t[0, 0], t[0, 1], t[0, 2]
    abx, aby, abz = t[1, 0] - ax, t[1, 1] - ay, t[1, 2] - az
    acx, acy, acz = t[2, 0] - ax, t[2, 1] - ay, t[2, 2] - az
    apx, apy, apz = px - ax, py - ay, pz - az
    d1 = abx * apx + aby * apy + abz * apz
    d2 = acx * apx + acy * apy + acz * apz
    if d1 <= 0.0 and d2 <= 0.0:
        return ax, ay, az
    bpx, bpy, bpz = px - t[1, 0], py - t[1, 1], pz - t[1, 2]
    d3 = abx * bpx + aby * bpy + abz * bpz
    d4 = acx * bpx + acy * bpy + acz * bpz
    if d3 >= 0.0 and d4 <= d3:
        return t[1, 0], t[1, 1], t[1, 2]
    vc = d1 * d4 - d3 * d2
    if vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        den = d1 - d3
        v = d1 / den if den != 0.0 else 0.0
        return ax + v * abx, ay + v * aby, az + v * abz
    cpx, cpy, cpz = px - t[2, 0], py - t[2, 1], pz - t[2, 2]
    d5 = abx * cpx + aby * cpy + abz * cpz
    d6 = acx * cpx + acy * cpy + acz * cpz
    if d6 >= 0.0 and d5 <= d6:
        return t[2, 0], t[2, 1], t[2, 2]
    vb = d5 * d2 - d1 * d6
    if vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        den = d2 - d6
        w = d2 / den if den != 0.0 else 0.0
        return ax + w * acx, ay + w * acy, az + w * acz
    va = d3 * d6 - d5 * d4
    if va <= 0.0 and (d4 - d3) >= 0.0 and (d5 - d6) >= 0.0:
        den = (d4 - d3) + (d5 - d6)
        w = (d4 - d3) / den if den != 0.0 else 0.0
        return (
            t[1, 0] + w * (t[2, 0] - t[1, 0]),
            t[1, 1] + w * (t[2, 1] - t[1, 1]),
            t[1, 2] + w * (t[2, 2] - t[1, 2]),
        )
    s = va + vb + vc
    if s == 0.0:
        return ax, ay, az
    v, w = vb / s, vc / s
    return ax + abx * v + acx * w, ay + aby * v + acy * w, az + abz * v + acz * w


def band_distance(
    pieces: np.ndarray, origin: np.ndarray, h: float, dims: tuple[int, int, int], band: float
) -> tuple[np.ndarray, np.ndarray]:
    """Exact unsigned distance of voxel centres to the nearest triangle, where below ``band``; FAR
    elsewhere.

    Returns distance (float32) and the index of the nearest piece (int32, -1 beyond the band).
    """
    d = np.full(dims, np.float32(band))
    near = np.full(dims, -1, np.int32)
    # As many pieces on either side.
    middle = int(np.clip((np.median(pieces[:, 0, 0]) - origin[0]) / h, 0, dims[0]))
    in_two_threads(_band_of_slab, 0, middle, dims[0], pieces, origin, h, band, d, near)
    return d, near


@compile_cached()
def _band_of_slab(
    first: int,
    last: int,
    pieces: np.ndarray,
    origin: np.ndarray,
    h: float,
    band: float,
    d: np.ndarray,
    near: np.ndarray,
) -> None:
    dims = d.shape
    lo = np.empty(3, np.int64)
    hi = np.empty(3, np.int64)
    for i in range(len(pieces)):
        t = pieces[i]
        for a in range(3):
            least = min(t[0, a], t[1, a], t[2, a]) - band
            most = max(t[0, a], t[1, a], t[2, a]) + band
            lo[a] = max(0, int(np.ceil((least - origin[a]) / h - 0.5)))
            hi[a] = min(dims[a] - 1, int(np.floor((most - origin[a]) / h - 0.5)))
        lo[0], hi[0] = max(first, lo[0]), min(last - 1, hi[0])
        if hi[0] < lo[0]:
            continue
        ux, uy, uz = t[1, 0] - t[0, 0], t[1, 1] - t[0, 1], t[1, 2] - t[0, 2]
        vx, vy, vz = t[2, 0] - t[0, 0], t[2, 1] - t[0, 1], t[2, 2] - t[0, 2]
        nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        s = np.sqrt(nx * nx + ny * ny + nz * nz)
        if s > 0.0:
            nx, ny, nz = nx / s, ny / s, nz / s
        off = nx * t[0, 0] + ny * t[0, 1] + nz * t[0, 2]
        mx, my, mz, reach = around(t)
        for x in range(lo[0], hi[0] + 1):
            px = origin[0] + (x + 0.5) * h
            for y in range(lo[1], hi[1] + 1):
                py = origin[1] + (y + 0.5) * h
                part = nx * px + ny * py - off
                for z in range(lo[2], hi[2] + 1):
                    pz = origin[2] + (z + 0.5) * h
                    plane = part + nz * pz
                    now = d[x, y, z]
                    if abs(plane) >= now:
                        continue
                    if (px - mx) ** 2 + (py - my) ** 2 + (pz - mz) ** 2 >= (now + reach) ** 2:
                        continue
                    qx, qy, qz = _closest_on_triangle(px, py, pz, t)
                    q = np.float32(np.sqrt((px - qx) ** 2 + (py - qy) ** 2 + (pz - qz) ** 2))
                    if q < now:
                        d[x, y, z] = q
                        near[x, y, z] = i
    for x in range(first, last):
        for y in range(dims[1]):
            for z in range(dims[2]):
                if near[x, y, z] < 0:
                    d[x, y, z] = FAR


@compile_cached()
def inside_of_band(
    solid: np.ndarray,
    exterior: np.ndarray,
    dist: np.ndarray,
    near: np.ndarray,
    pieces: np.ndarray,
    origin: np.ndarray,
    h: float,
) -> np.ndarray:
    """Decide for wall voxels on which side of the surface their centre lies.

    A centre lies outside when, seen from the closest surface point, it is on the side of the
    nearest clear exterior voxel. This needs no orientation of the triangles, so it also works for
    open shells and inverted normals.
    """
    nx, ny, nz = solid.shape
    out = solid.copy()
    for x in range(nx):
        for y in range(ny):
            for z in range(nz):
                t = near[x, y, z]
                if t < 0 or exterior[x, y, z] or dist[x, y, z] > 1.3 * h:
                    continue
                px, py, pz = (
                    origin[0] + (x + 0.5) * h,
                    origin[1] + (y + 0.5) * h,
                    origin[2] + (z + 0.5) * h,
                )
                qx, qy, qz = _closest_on_triangle(px, py, pz, pieces[t])
                dx, dy, dz = px - qx, py - qy, pz - qz
                best = 1e30
                side = -1.0
                for i in range(max(0, x - 2), min(nx, x + 3)):
                    for j in range(max(0, y - 2), min(ny, y + 3)):
                        for k in range(max(0, z - 2), min(nz, z + 3)):
                            if not exterior[i, j, k]:
                                continue
                            s = (i - x) ** 2 + (j - y) ** 2 + (k - z) ** 2
                            if s < best:
                                best = s
                                ex = origin[0] + (i + 0.5) * h - qx
                                ey = origin[1] + (j + 0.5) * h - qy
                                ez = origin[2] + (k + 0.5) * h - qz
                                side = dx * ex + dy * ey + dz * ez
                if side > 0.0:
                    out[x, y, z] = False
    return out


def beyond_band(dist: np.ndarray, near: np.ndarray, h: float) -> np.ndarray:
    """Distance to the surface, exact in the band; beyond it an upper bound by way of the nearest
    voxel of the band."""
    return np.asarray(_beyond_band(dist, nearest_set(near >= 0), h))


@compile_cached()
def _beyond_band(dist: np.ndarray, nearest: np.ndarray, h: float) -> np.ndarray:
    nx, ny, nz = dist.shape
    out = np.empty(dist.shape, np.float32)
    for x in range(nx):
        for y in range(ny):
            for z in range(nz):
                c = nearest[x, y, z]
                if c < 0:
                    out[x, y, z] = FAR
                    continue
                i, j, k = c // (ny * nz), c // nz % ny, c % nz
                steps = np.sqrt(float((i - x) ** 2 + (j - y) ** 2 + (k - z) ** 2))
                out[x, y, z] = steps * h + dist[i, j, k]
    return out


def distance_to_seeds(
    seeds: np.ndarray, near: np.ndarray, pieces: np.ndarray, origin: np.ndarray, h: float
) -> np.ndarray:
    """Distance of every voxel centre to the surface that the ``seeds`` stand for.

    A seed stands for the point of its piece ``near`` that is closest to it; one without a piece (a
    cell of a closed opening) for the point half a voxel inside its centre. The nearest seed need
    not hold the nearest point, so the seeds of the six neighbours are tried too, and the pieces of
    the two best are measured exactly.
    """
    nearest = nearest_set(seeds)
    nx = len(seeds)
    q = np.empty((seeds.size, 3), np.float32)
    out = np.empty(seeds.shape, np.float32)
    in_two_threads(_points_of_seeds, 0, nx // 2, nx, seeds, near, pieces, origin, h, q)
    in_two_threads(_distance_by_seeds, 0, nx // 2, nx, nearest, near, pieces, origin, h, q, out)
    return out


@compile_cached()
def _points_of_seeds(
    begin: int,
    end: int,
    seeds: np.ndarray,
    near: np.ndarray,
    pieces: np.ndarray,
    origin: np.ndarray,
    h: float,
    q: np.ndarray,
) -> None:
    _, ny, nz = seeds.shape
    for x in range(begin, end):
        for y in range(ny):
            for z in range(nz):
                t = near[x, y, z]
                if seeds[x, y, z] and t >= 0:
                    px, py, pz = (
                        origin[0] + (x + 0.5) * h,
                        origin[1] + (y + 0.5) * h,
                        origin[2] + (z + 0.5) * h,
                    )
                    c = (x * ny + y) * nz + z
                    q[c, 0], q[c, 1], q[c, 2] = _closest_on_triangle(px, py, pz, pieces[t])


@compile_cached()
def _distance_by_seeds(
    begin: int,
    end: int,
    nearest: np.ndarray,
    near: np.ndarray,
    pieces: np.ndarray,
    origin: np.ndarray,
    h: float,
    q: np.ndarray,
    out: np.ndarray,
) -> None:
    nx, ny, nz = nearest.shape
    flat = near.ravel()
    for x in range(begin, end):
        px = origin[0] + (x + 0.5) * h
        for y in range(ny):
            py = origin[1] + (y + 0.5) * h
            for z in range(nz):
                pz = origin[2] + (z + 0.5) * h
                least, best, other = 1e30, -1, -1
                last = -1
                for n in range(7):
                    a, b, e = x, y, z
                    if n == 1:
                        a = max(0, x - 1)
                    elif n == 2:
                        a = min(nx - 1, x + 1)
                    elif n == 3:
                        b = max(0, y - 1)
                    elif n == 4:
                        b = min(ny - 1, y + 1)
                    elif n == 5:
                        e = max(0, z - 1)
                    elif n == 6:
                        e = min(nz - 1, z + 1)
                    c = nearest[a, b, e]
                    if c == last or c < 0:
                        continue
                    last = c
                    if flat[c] >= 0:
                        s = (px - q[c, 0]) ** 2 + (py - q[c, 1]) ** 2 + (pz - q[c, 2]) ** 2
                    else:
                        i, j, k = c // (ny * nz), c // nz % ny, c % nz
                        cells = np.sqrt(float((i - x) ** 2 + (j - y) ** 2 + (k - z) ** 2))
                        s = (h * (cells - 0.5 if cells > 0 else 0.5)) ** 2
                    if s < least:
                        least, best, other = s, c, best
                d = np.sqrt(least)
                for c in (best, other):
                    if c < 0 or flat[c] < 0:
                        continue
                    qx, qy, qz = _closest_on_triangle(px, py, pz, pieces[flat[c]])
                    d = min(d, np.sqrt((px - qx) ** 2 + (py - qy) ** 2 + (pz - qz) ** 2))
                out[x, y, z] = d


@compile_cached(fastmath=True)
def sample_field(field: np.ndarray, origin: np.ndarray, h: float, points: np.ndarray) -> np.ndarray:
    """Trilinear value of ``field`` at points (n,3); outside the grid the distance to the grid is
    added."""
    n = len(points)
    out = np.empty(n, np.float64)
    for i in range(n):
        out[i] = value_at(field, origin, h, points[i, 0], points[i, 1], points[i, 2])
    return out


@compile_cached(fastmath=True, inline=True)
def value_at(
    field: np.ndarray, origin: np.ndarray, h: float, px: float, py: float, pz: float
) -> float:
    nx, ny, nz = field.shape
    gx, gy, gz = (px - origin[0]) / h - 0.5, (py - origin[1]) / h - 0.5, (pz - origin[2]) / h - 0.5
    cx = min(max(gx, 0.0), nx - 1.001)
    cy = min(max(gy, 0.0), ny - 1.001)
    cz = min(max(gz, 0.0), nz - 1.001)
    i, j, k = int(cx), int(cy), int(cz)
    fx, fy, fz = cx - i, cy - j, cz - k
    a = field[i, j, k] * (1 - fz) + field[i, j, k + 1] * fz
    b = field[i, j + 1, k] * (1 - fz) + field[i, j + 1, k + 1] * fz
    c = field[i + 1, j, k] * (1 - fz) + field[i + 1, j, k + 1] * fz
    d = field[i + 1, j + 1, k] * (1 - fz) + field[i + 1, j + 1, k + 1] * fz
    v = (a * (1 - fy) + b * fy) * (1 - fx) + (c * (1 - fy) + d * fy) * fx
    ox, oy, oz = gx - cx, gy - cy, gz - cz
    far = ox * ox + oy * oy + oz * oz
    if far > 1e-4:
        v += h * np.sqrt(far)
    return float(v)
