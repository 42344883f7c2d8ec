"""Joint optimisation of centres and radii against the distance field (Adam, compiled as one loop).

Loss, in the canonical frame (diagonal = 1): ``lam * mean(max(gap + margin, 0)^2)`` over the points
to cover, where gap is the distance to the nearest sphere, plus the mean over the mesh's area of
``lin * p + p^2 (1 + gamma p)`` over the points of the spheres' own surfaces that stand out by p,
weighted by the area they stand for and only ``buried`` as much where another sphere hides them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from editor_app.core.arrays import F64
from editor_app.features.spheres.engine.compiled import compile_cached


def directions(count: int, sets: int = 8) -> F64:
    """Fibonacci directions (sets, count, 3); the sets are turned against each other so that none
    biases."""
    k = np.arange(count) + 0.5
    polar = np.arccos(1 - 2 * k / count)
    around = np.pi * (1 + 5**0.5) * k
    base = np.stack(
        [np.cos(around) * np.sin(polar), np.sin(around) * np.sin(polar), np.cos(polar)], 1
    )
    rng = np.random.default_rng(7)
    out = np.empty((sets, count, 3))
    for s in range(sets):
        q, r = np.linalg.qr(rng.normal(size=(3, 3)))
        out[s] = base @ (q * np.sign(np.diag(r)))
    return out


@compile_cached(fastmath=True, inline=True)
def _field(
    phi: np.ndarray, ox: float, oy: float, oz: float, inv: float, px: float, py: float, pz: float
) -> tuple[float, float, float, float]:
    """Trilinear value and gradient; outside the grid the distance to the grid is added."""
    nx, ny, nz = phi.shape
    gx, gy, gz = (px - ox) * inv - 0.5, (py - oy) * inv - 0.5, (pz - oz) * inv - 0.5
    cx = min(max(gx, 0.0), nx - 1.001)
    cy = min(max(gy, 0.0), ny - 1.001)
    cz = min(max(gz, 0.0), nz - 1.001)
    i, j, k = int(cx), int(cy), int(cz)
    fx, fy, fz = cx - i, cy - j, cz - k
    v000 = phi[i, j, k]
    v001 = phi[i, j, k + 1]
    v010 = phi[i, j + 1, k]
    v011 = phi[i, j + 1, k + 1]
    v100 = phi[i + 1, j, k]
    v101 = phi[i + 1, j, k + 1]
    v110 = phi[i + 1, j + 1, k]
    v111 = phi[i + 1, j + 1, k + 1]
    a = v000 + (v001 - v000) * fz
    b = v010 + (v011 - v010) * fz
    c = v100 + (v101 - v100) * fz
    d = v110 + (v111 - v110) * fz
    e = a + (b - a) * fy
    f = c + (d - c) * fy
    val = e + (f - e) * fx
    dx = (f - e) * inv
    dy = ((b - a) * (1 - fx) + (d - c) * fx) * inv
    dz = (
        ((v001 - v000) * (1 - fy) + (v011 - v010) * fy) * (1 - fx)
        + ((v101 - v100) * (1 - fy) + (v111 - v110) * fy) * fx
    ) * inv
    rx, ry, rz = gx - cx, gy - cy, gz - cz
    far = rx * rx + ry * ry + rz * rz
    if far > 1e-4:
        s = np.sqrt(far)
        val += s / inv
        dx += rx / s
        dy += ry / s
        dz += rz / s
    return val, dx, dy, dz


@compile_cached(fastmath=True)
def _nearest(
    px: np.ndarray, py: np.ndarray, pz: np.ndarray, s: np.ndarray, best: np.ndarray, arg: np.ndarray
) -> None:
    """best[m] = min_i(|p_m - c_i| - r_i), arg[m] = its sphere; px, py, pz (m) contiguous float32, s
    (n,4)."""
    m = len(px)
    for k in range(m):
        best[k] = np.float32(1e9)
        arg[k] = 0
    for i in range(len(s)):
        cx, cy, cz, r = (
            np.float32(s[i, 0]),
            np.float32(s[i, 1]),
            np.float32(s[i, 2]),
            np.float32(s[i, 3]),
        )
        ii = np.int32(i)
        for k in range(m):
            dx = px[k] - cx
            dy = py[k] - cy
            dz = pz[k] - cz
            d = np.sqrt(dx * dx + dy * dy + dz * dz) - r
            less = d < best[k]
            best[k] = d if less else best[k]
            arg[k] = ii if less else arg[k]


@compile_cached(fastmath=True)
def _neighbours(s: np.ndarray, table: np.ndarray, count: np.ndarray) -> None:
    n = len(s)
    for i in range(n):
        c = 0
        for k in range(n):
            if k == i:
                continue
            d = (s[i, 0] - s[k, 0]) ** 2 + (s[i, 1] - s[k, 1]) ** 2 + (s[i, 2] - s[k, 2]) ** 2
            if d < (s[i, 3] + s[k, 3]) ** 2:
                table[i, c] = k
                c += 1
        count[i] = c


@compile_cached(fastmath=True)
def _upper(values: np.ndarray, share: float) -> float:
    """The value that ``share`` of the positive end of ``values`` exceeds, to 1/128 of the greatest;
    at least 0."""
    top = 0.0
    for v in values:
        top = max(top, v)
    if top <= 0.0:
        return 0.0
    bins = np.zeros(128, np.int64)
    for v in values:
        if v > 0:
            bins[min(127, int(v / top * 128))] += 1
    allowed = int(share * len(values))
    above = 0
    for b in range(127, -1, -1):
        above += bins[b]
        if above > allowed:
            return top * (b + 1) / 128
    return 0.0


class Descent(NamedTuple):
    """How `optimise` goes about it.

    lam runs from lam0 to lam1. trim: share of the points, the deepest, that is given up. Each step
    looks at about ``batch`` points, in turn. covering: the first so many spheres have the points to
    cover; what those behind them cover is not among the points. cap: no radius exceeds the depth at
    its centre by more than this (from 1 on: no cap). shape: the protrusion counts by the volume
    that stands out, ``integral of lin + 2 p + 3 gamma p^2`` over it (its derivative: the integrand
    on the exposed surface, times how fast that moves outwards), instead of by the surface.
    """

    steps: int
    rate: float
    lam0: float
    lam1: float
    margin: float
    lin: float
    gamma: float
    buried: float
    rmin: float
    rmax: float
    trim: float
    cap: float
    batch: int
    shape: bool
    covering: int


@compile_cached(fastmath=True)
def optimise(
    spheres: np.ndarray,
    free: np.ndarray,
    partner: np.ndarray,
    mirror: np.ndarray,
    planes: np.ndarray,
    points: np.ndarray,
    phi: np.ndarray,
    origin: np.ndarray,
    h: float,
    dirs: np.ndarray,
    area: float,
    descent: Descent,
) -> np.ndarray:
    """Return optimised spheres (n,4). Rows with ``free`` False do not move.

    partner[i]: the sphere that is i's mirror image (i itself: lies on the plane; -1: none); mirror:
    (4) unit normal and offset; planes (k,4): no sphere reaches below normal·x = offset. points
    (3,m) float32.
    """
    (
        steps,
        rate,
        lam0,
        lam1,
        margin,
        lin,
        gamma,
        buried,
        rmin,
        rmax,
        trim,
        cap,
        batch,
        shape,
        covering,
    ) = descent
    n = len(spheres)
    s = spheres.copy()
    blocks = max(1, int(points.shape[1] / batch + 0.5))
    m = points.shape[1] // blocks
    best = np.empty(m, np.float32)
    arg = np.empty(m, np.int32)
    g = np.zeros((n, 4))
    m1 = np.zeros((n, 4))
    m2 = np.zeros((n, 4))
    table = np.empty((n, n), np.int32)
    count = np.empty(n, np.int32)
    sets, nd = dirs.shape[0], dirs.shape[1]
    inv = 1.0 / h
    b1, b2 = 0.9, 0.98
    p1, p2 = 1.0, 1.0
    share = 4 * np.pi / nd / area
    for step in range(steps):
        t = step / max(1, steps - 1)
        lr = rate * (0.03 + 0.97 * 0.5 * (1 + np.cos(np.pi * t)))
        lam = lam0 * (lam1 / lam0) ** min(1.0, 1.4 * t)
        g[:] = 0.0
        first = (step % blocks) * m
        # One-dimensional slices stay contiguous, which lets the compiler use vector instructions.
        qx, qy, qz = (
            points[0][first : first + m],
            points[1][first : first + m],
            points[2][first : first + m],
        )
        _nearest(qx, qy, qz, s[:covering], best, arg)
        w = 2 * lam / m
        given_up = 1e9
        if trim > 0 and t > 0.15:
            given_up = _upper(best, trim)
        for k in range(m):
            u = best[k] + margin
            if u > 0 and best[k] <= given_up:
                i = arg[k]
                dx, dy, dz = s[i, 0] - qx[k], s[i, 1] - qy[k], s[i, 2] - qz[k]
                d = np.sqrt(dx * dx + dy * dy + dz * dz) + 1e-12
                c = w * u
                g[i, 0] += c * dx / d
                g[i, 1] += c * dy / d
                g[i, 2] += c * dz / d
                g[i, 3] -= c
        _neighbours(s, table, count)
        dset = dirs[step % sets]
        for i in range(n):
            if not free[i]:
                continue
            r = s[i, 3]
            weight = share * r * r
            for j in range(nd):
                ux, uy, uz = dset[j, 0], dset[j, 1], dset[j, 2]
                px, py, pz = s[i, 0] + r * ux, s[i, 1] + r * uy, s[i, 2] + r * uz
                p, fx, fy, fz = _field(phi, origin[0], origin[1], origin[2], inv, px, py, pz)
                if p <= 0:
                    continue
                ww = weight
                for q in range(count[i]):
                    k = table[i, q]
                    if (px - s[k, 0]) ** 2 + (py - s[k, 1]) ** 2 + (pz - s[k, 2]) ** 2 < s[
                        k, 3
                    ] * s[k, 3]:
                        ww *= buried
                        break
                f = ww * (lin + p * (2 + 3 * gamma * p))
                if shape:
                    g[i, 0] += f * ux
                    g[i, 1] += f * uy
                    g[i, 2] += f * uz
                    g[i, 3] += f
                else:
                    g[i, 0] += f * fx
                    g[i, 1] += f * fy
                    g[i, 2] += f * fz
                    g[i, 3] += f * (fx * ux + fy * uy + fz * uz)
        p1 *= b1
        p2 *= b2
        for i in range(n):
            if not free[i]:
                continue
            k = partner[i]
            if k >= 0 and k < i:
                continue
            if k > i:
                dot = 2 * (g[k, 0] * mirror[0] + g[k, 1] * mirror[1] + g[k, 2] * mirror[2])
                for a in range(3):
                    g[i, a] += g[k, a] - dot * mirror[a]
                g[i, 3] += g[k, 3]
            if cap < 1.0 and g[i, 3] < 0:
                v, fx, fy, fz = _field(
                    phi, origin[0], origin[1], origin[2], inv, s[i, 0], s[i, 1], s[i, 2]
                )
                if s[i, 3] >= cap - v - 1e-9:
                    # At the cap the radius follows the depth: who wants to grow has to move where
                    # it is deeper.
                    g[i, 0] -= g[i, 3] * fx
                    g[i, 1] -= g[i, 3] * fy
                    g[i, 2] -= g[i, 3] * fz
            # One second moment for the centre: the step must not depend on the axes.
            norm = g[i, 0] ** 2 + g[i, 1] ** 2 + g[i, 2] ** 2
            m2[i, 0] = b2 * m2[i, 0] + (1 - b2) * norm
            m2[i, 3] = b2 * m2[i, 3] + (1 - b2) * g[i, 3] ** 2
            vc = np.sqrt(m2[i, 0] / (1 - p2)) + 1e-12
            vr = np.sqrt(m2[i, 3] / (1 - p2)) + 1e-12
            for a in range(4):
                m1[i, a] = b1 * m1[i, a] + (1 - b1) * g[i, a]
                v = vr if a == 3 else vc
                s[i, a] -= lr * m1[i, a] / (1 - p1) / v
            top = rmax
            if cap < 1.0:
                v, _, _, _ = _field(
                    phi, origin[0], origin[1], origin[2], inv, s[i, 0], s[i, 1], s[i, 2]
                )
                top = min(rmax, cap - v)
            s[i, 3] = max(min(s[i, 3], top), rmin)
            if k == i:
                dot = s[i, 0] * mirror[0] + s[i, 1] * mirror[1] + s[i, 2] * mirror[2] - mirror[3]
                for a in range(3):
                    s[i, a] -= dot * mirror[a]
            for q in range(len(planes)):
                room = (
                    s[i, 0] * planes[q, 0]
                    + s[i, 1] * planes[q, 1]
                    + s[i, 2] * planes[q, 2]
                    - planes[q, 3]
                )
                if room < s[i, 3]:
                    short = s[i, 3] - room
                    # Half by moving away, half by shrinking, so that a flat base keeps its covering
                    # spheres.
                    move = 0.5 * short
                    s[i, 3] = max(rmin, s[i, 3] - move)
                    move = s[i, 3] - room
                    for a in range(3):
                        s[i, a] += move * planes[q, a]
            if k > i:
                dot = 2 * (
                    s[i, 0] * mirror[0] + s[i, 1] * mirror[1] + s[i, 2] * mirror[2] - mirror[3]
                )
                for a in range(3):
                    s[k, a] = s[i, a] - dot * mirror[a]
                s[k, 3] = s[i, 3]
    return s


@compile_cached(fastmath=True)
def gaps(points: np.ndarray, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distance to the union (negative inside) and the nearest sphere, for points (3,m) float32 and
    spheres (n,4)."""
    m = points.shape[1]
    best = np.empty(m, np.float32)
    arg = np.empty(m, np.int32)
    _nearest(points[0], points[1], points[2], s, best, arg)
    return best, arg


@compile_cached(fastmath=True)
def protrusions(
    s: np.ndarray, phi: np.ndarray, origin: np.ndarray, h: float, dirs: np.ndarray
) -> tuple[float, float, float, np.ndarray]:
    """Area-weighted mean and greatest protrusion of the union's surface, the share of it outside,
    and the greatest protrusion of each sphere (n); dirs (count,3)."""
    n, nd = len(s), len(dirs)
    table = np.empty((n, n), np.int32)
    count = np.empty(n, np.int32)
    _neighbours(s, table, count)
    each = np.zeros(n)
    total, area, out = 0.0, 0.0, 0.0
    inv = 1.0 / h
    for i in range(n):
        r = s[i, 3]
        for j in range(nd):
            px, py, pz = (
                s[i, 0] + r * dirs[j, 0],
                s[i, 1] + r * dirs[j, 1],
                s[i, 2] + r * dirs[j, 2],
            )
            hidden = False
            for q in range(count[i]):
                k = table[i, q]
                if (px - s[k, 0]) ** 2 + (py - s[k, 1]) ** 2 + (pz - s[k, 2]) ** 2 < s[k, 3] * s[
                    k, 3
                ]:
                    hidden = True
                    break
            if hidden:
                continue
            p, _, _, _ = _field(phi, origin[0], origin[1], origin[2], inv, px, py, pz)
            area += r * r
            if p > 0:
                total += p * r * r
                out += r * r
                if p > each[i]:
                    each[i] = p
    if area == 0.0:
        return 0.0, 0.0, 0.0, each
    worst = 0.0
    for i in range(n):
        worst = max(worst, each[i])
    return total / area, worst, out / area, each


@compile_cached(fastmath=True)
def exposed(s: np.ndarray, dirs: np.ndarray) -> np.ndarray:
    """Which points (n, count) of the spheres' surfaces, in directions (count,3), lie in no other
    sphere."""
    n = len(s)
    out = np.ones((n, len(dirs)), np.bool_)
    table = np.empty((n, n), np.int32)
    count = np.empty(n, np.int32)
    _neighbours(s, table, count)
    for i in range(n):
        r = s[i, 3]
        for j in range(len(dirs)):
            px, py, pz = (
                s[i, 0] + r * dirs[j, 0],
                s[i, 1] + r * dirs[j, 1],
                s[i, 2] + r * dirs[j, 2],
            )
            for q in range(count[i]):
                k = table[i, q]
                if (px - s[k, 0]) ** 2 + (py - s[k, 1]) ** 2 + (pz - s[k, 2]) ** 2 < s[k, 3] * s[
                    k, 3
                ]:
                    out[i, j] = False
                    break
    return out


@compile_cached(fastmath=True)
def excess_volume(
    s: np.ndarray, phi: np.ndarray, origin: np.ndarray, h: float, size: float
) -> float:
    """Volume of the union outside the solid, by counting cells of ``size`` (may leave the grid)."""
    if len(s) == 0:
        return 0.0
    lo = np.empty(3)
    dims = np.empty(3, np.int64)
    for a in range(3):
        least, most = 1e9, -1e9
        for i in range(len(s)):
            least = min(least, s[i, a] - s[i, 3])
            most = max(most, s[i, a] + s[i, 3])
        lo[a] = least
        dims[a] = int(np.ceil((most - least) / size)) + 1
    seen = np.zeros((dims[0], dims[1], dims[2]), np.bool_)
    inv = 1.0 / h
    total = 0.0
    for i in range(len(s)):
        r = s[i, 3]
        x0, x1 = (
            int(np.ceil((s[i, 0] - r - lo[0]) / size)),
            int(np.floor((s[i, 0] + r - lo[0]) / size)),
        )
        for x in range(x0, x1 + 1):
            px = lo[0] + x * size
            ry = r * r - (px - s[i, 0]) ** 2
            if ry < 0:
                continue
            ry = np.sqrt(ry)
            y0, y1 = (
                int(np.ceil((s[i, 1] - ry - lo[1]) / size)),
                int(np.floor((s[i, 1] + ry - lo[1]) / size)),
            )
            for y in range(y0, y1 + 1):
                py = lo[1] + y * size
                rz = ry * ry - (py - s[i, 1]) ** 2
                if rz < 0:
                    continue
                rz = np.sqrt(rz)
                z0, z1 = (
                    int(np.ceil((s[i, 2] - rz - lo[2]) / size)),
                    int(np.floor((s[i, 2] + rz - lo[2]) / size)),
                )
                for z in range(z0, z1 + 1):
                    if seen[x, y, z]:
                        continue
                    seen[x, y, z] = True
                    p, _, _, _ = _field(
                        phi, origin[0], origin[1], origin[2], inv, px, py, lo[2] + z * size
                    )
                    total += min(max(0.5 + p / size, 0.0), 1.0)
    return total * size**3
