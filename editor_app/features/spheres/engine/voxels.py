"""Numba kernels on sets of voxels: floods, gaps that a ball passes, growing, the nearest member of
a set."""

from __future__ import annotations

import numpy as np

from editor_app.features.spheres.engine.compiled import compile_cached, in_two_threads


@compile_cached()
def passable(distance: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """How many of the ``sizes`` (rising) a ball may have that comes to each cell from the grid's
    corner (uint8).

    A flood (6 neighbours) for all sizes at once: the widest way to each cell, widest first.
    """
    nx, ny, nz = distance.shape
    flat = distance.ravel()
    out = np.zeros(len(flat), np.uint8)
    levels = np.empty(len(flat), np.uint8)
    for c in range(len(flat)):
        k = 0
        while k < len(sizes) and flat[c] > sizes[k]:
            k += 1
        levels[c] = k
    following = np.empty(len(flat), np.int32)
    heads = np.full(len(sizes) + 1, -1, np.int32)
    out[0] = levels[0]
    following[0] = -1
    heads[levels[0]] = 0
    for level in range(len(sizes), 0, -1):
        while heads[level] >= 0:
            c = heads[level]
            heads[level] = following[c]
            x, r = c // (ny * nz), c % (ny * nz)
            y, z = r // nz, r % nz
            for k in range(6):
                if k == 0:
                    inside, n = x > 0, c - ny * nz
                elif k == 1:
                    inside, n = x < nx - 1, c + ny * nz
                elif k == 2:
                    inside, n = y > 0, c - nz
                elif k == 3:
                    inside, n = y < ny - 1, c + nz
                elif k == 4:
                    inside, n = z > 0, c - 1
                else:
                    inside, n = z < nz - 1, c + 1
                if not inside or out[n] > 0 or levels[n] == 0:
                    continue
                now = min(level, levels[n])
                out[n] = now
                following[n] = heads[now]
                heads[now] = n
    return out.reshape(distance.shape)


def dilate(mask: np.ndarray, radius: float) -> np.ndarray:
    """Cells within ``radius`` (in cells, Euclidean) of a set cell that has an unset neighbour; for
    small radii."""
    out = mask.copy()
    # Both threads may write to a cell between them, the same value.
    in_two_threads(_dilate, 0, len(mask) // 2, len(mask), mask, radius, out)
    return out


@compile_cached()
def _dilate(begin: int, end: int, mask: np.ndarray, radius: float, out: np.ndarray) -> None:
    nx, ny, nz = mask.shape
    k = int(np.floor(radius))
    limit = radius * radius + 1e-9
    for x in range(begin, end):
        for y in range(ny):
            for z in range(nz):
                if not mask[x, y, z]:
                    continue
                edge = (
                    (x > 0 and not mask[x - 1, y, z])
                    or (x < nx - 1 and not mask[x + 1, y, z])
                    or (y > 0 and not mask[x, y - 1, z])
                    or (y < ny - 1 and not mask[x, y + 1, z])
                    or (z > 0 and not mask[x, y, z - 1])
                    or (z < nz - 1 and not mask[x, y, z + 1])
                )
                if not edge:
                    continue
                for i in range(max(0, x - k), min(nx, x + k + 1)):
                    for j in range(max(0, y - k), min(ny, y + k + 1)):
                        s = (i - x) ** 2 + (j - y) ** 2
                        if s > limit:
                            continue
                        for m in range(max(0, z - k), min(nz, z + k + 1)):
                            if s + (m - z) ** 2 <= limit:
                                out[i, j, m] = True


def nearest_set(mask: np.ndarray) -> np.ndarray:
    """Linear index (int32) of the nearest set cell for every cell, Euclidean; -1 where no cell is
    set at all.

    Lower envelopes of parabolas, axis by axis: Felzenszwalb and Huttenlocher, *Distance Transforms
    of Sampled Functions* (2012), carrying the index along.
    """
    nx, ny, _ = mask.shape
    plane = np.empty(mask.shape, np.int32)
    out = np.empty(mask.shape, np.int32)
    in_two_threads(_nearest_in_planes, 0, nx // 2, nx, mask, plane)
    in_two_threads(_nearest_across, 0, ny // 2, ny, plane, out)
    return out


@compile_cached()
def _nearest_in_planes(begin: int, end: int, mask: np.ndarray, plane: np.ndarray) -> None:
    _, ny, nz = mask.shape
    place = np.empty(ny, np.int64)
    height = np.empty(ny)
    starts = np.empty(ny + 1)
    zi = np.empty((ny, nz), np.int32)
    for x in range(begin, end):
        for y in range(ny):
            last = -1
            for z in range(nz):
                if mask[x, y, z]:
                    last = z
                zi[y, z] = last
            last = -1
            for z in range(nz - 1, -1, -1):
                if mask[x, y, z]:
                    last = z
                if last >= 0 and (zi[y, z] < 0 or last - z < z - zi[y, z]):
                    zi[y, z] = last
        for z in range(nz):
            k = -1
            for y in range(ny):
                if zi[y, z] < 0:
                    continue
                f = float((zi[y, z] - z) ** 2 + y * y)
                cut = -1e30
                while k >= 0:
                    cut = (f - height[k]) / (2.0 * (y - place[k]))
                    if cut > starts[k]:
                        break
                    k -= 1
                if k < 0:
                    cut = -1e30
                k += 1
                place[k], height[k], starts[k] = y, f, cut
            if k < 0:
                for y in range(ny):
                    plane[x, y, z] = -1
                continue
            starts[k + 1] = 1e30
            q = 0
            for y in range(ny):
                while starts[q + 1] < y:
                    q += 1
                plane[x, y, z] = place[q] * nz + zi[place[q], z]


@compile_cached()
def _nearest_across(begin: int, end: int, plane: np.ndarray, out: np.ndarray) -> None:
    nx, ny, nz = plane.shape
    place = np.empty(nx, np.int64)
    height = np.empty(nx)
    starts = np.empty(nx + 1)
    for y in range(begin, end):
        for z in range(nz):
            k = -1
            for x in range(nx):
                c = plane[x, y, z]
                if c < 0:
                    continue
                f = float((c // nz - y) ** 2 + (c % nz - z) ** 2 + x * x)
                cut = -1e30
                while k >= 0:
                    cut = (f - height[k]) / (2.0 * (x - place[k]))
                    if cut > starts[k]:
                        break
                    k -= 1
                if k < 0:
                    cut = -1e30
                k += 1
                place[k], height[k], starts[k] = x, f, cut
            if k < 0:
                for x in range(nx):
                    out[x, y, z] = -1
                continue
            starts[k + 1] = 1e30
            q = 0
            for x in range(nx):
                while starts[q + 1] < x:
                    q += 1
                out[x, y, z] = place[q] * ny * nz + plane[place[q], y, z]


def dilate_exactly(mask: np.ndarray, radius: float) -> np.ndarray:
    """Cells within ``radius`` (in cells, Euclidean) of a set cell; for any radius."""
    return np.asarray(_within(nearest_set(mask), radius))


@compile_cached()
def _within(nearest: np.ndarray, radius: float) -> np.ndarray:
    nx, ny, nz = nearest.shape
    out = np.zeros(nearest.shape, np.bool_)
    limit = radius * radius
    for x in range(nx):
        for y in range(ny):
            for z in range(nz):
                c = nearest[x, y, z]
                if c >= 0:
                    i, j, k = c // (ny * nz), c // nz % ny, c % nz
                    out[x, y, z] = (i - x) ** 2 + (j - y) ** 2 + (k - z) ** 2 <= limit
    return out
