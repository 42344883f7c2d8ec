"""Proof that spheres cover triangles, and the growth that makes the proof succeed.

A ball is convex: a triangle whose three corners lie in one ball lies in it. Triangles for which no
single ball suffices are bisected at their longest edge until each piece passes; a corner outside
all balls is an open spot.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from editor_app.features.spheres.engine.compiled import compile_cached
from editor_app.features.spheres.engine.pieces import around, bisect, longest_edge, push_triangle
from editor_app.features.spheres.engine.results import Certificate

# Corners count as inside only by this share of the radius: rounding must not turn "open" into
# "covered".
_STRICT = 1.0 - 1e-9


def certify(
    vertices: npt.ArrayLike,
    faces: npt.ArrayLike,
    spheres: npt.ArrayLike,
    *,
    required: npt.ArrayLike | None = None,
) -> Certificate:
    """Prove that the union of ``spheres`` (n,4) covers the triangles of a mesh (metres, same
    frame).

    required: mask (m) of the triangles to cover; None: all of them.
    """
    v = np.asarray(vertices, float).reshape(-1, 3)
    f = np.asarray(faces, np.int64).reshape(-1, 3)
    s = np.asarray(spheres, float).reshape(-1, 4)
    mask = np.ones(len(f), bool) if required is None else np.asarray(required, bool)
    triangles = np.ascontiguousarray(v[f[mask]])
    hidden = int((~mask).sum())
    if len(triangles) == 0:
        return Certificate(hidden > 0, 0, hidden, 0, None, 0.0)
    size = float(np.linalg.norm(triangles.reshape(-1, 3).max(0) - triangles.reshape(-1, 3).min(0)))
    open_, spot, depth = prove(triangles, s, 2e-5 * max(size, 1e-12))
    if open_ == 0:
        return Certificate(True, len(triangles), hidden, 0, None, 0.0)
    return Certificate(
        False,
        len(triangles),
        hidden,
        int(open_),
        (float(spot[0]), float(spot[1]), float(spot[2])),
        float(depth),
    )


@compile_cached(inline=True)
def _reachable(t: np.ndarray, s: np.ndarray, grow: float, out: np.ndarray) -> int:
    """Indices of spheres that, grown by ``grow``, may touch the triangle (bounding spheres)."""
    cx, cy, cz, reach = around(t)
    reach += grow
    n = 0
    for i in range(len(s)):
        d = (s[i, 0] - cx) ** 2 + (s[i, 1] - cy) ** 2 + (s[i, 2] - cz) ** 2
        if d <= (s[i, 3] + reach) ** 2:
            out[n] = i
            n += 1
    return n


@compile_cached(inline=True)
def _farthest_corner(t: np.ndarray, s: np.ndarray, i: int) -> float:
    far = 0.0
    for k in range(3):
        far = max(
            far, (t[k, 0] - s[i, 0]) ** 2 + (t[k, 1] - s[i, 1]) ** 2 + (t[k, 2] - s[i, 2]) ** 2
        )
    return float(np.sqrt(far))


@compile_cached(inline=True)
def _holds(t: np.ndarray, s: np.ndarray, i: int) -> bool:
    """Whether a sphere holds the three corners; most are told by the first."""
    square = (s[i, 3] * _STRICT) ** 2
    for k in range(3):
        if (t[k, 0] - s[i, 0]) ** 2 + (t[k, 1] - s[i, 1]) ** 2 + (t[k, 2] - s[i, 2]) ** 2 > square:
            return False
    return True


@compile_cached(inline=True)
def _is_beyond(t: np.ndarray, s: np.ndarray, limit: np.ndarray) -> bool:
    """Whether no sphere comes to any point of a triangle, however large it may get."""
    x, y, z, reach = around(t)
    for c in range(len(s)):
        if (s[c, 0] - x) ** 2 + (s[c, 1] - y) ** 2 + (s[c, 2] - z) ** 2 <= (limit[c] + reach) ** 2:
            return False
    return True


@compile_cached(inline=True)
def _gap(t: np.ndarray, k: int, s: np.ndarray) -> float:
    """Distance of a corner from the union of the spheres; 0 within it."""
    gap = 1e300
    for c in range(len(s)):
        d = np.sqrt((t[k, 0] - s[c, 0]) ** 2 + (t[k, 1] - s[c, 1]) ** 2 + (t[k, 2] - s[c, 2]) ** 2)
        gap = min(gap, d - s[c, 3])
    return max(gap, 0.0)


@compile_cached()
def prove(triangles: np.ndarray, s: np.ndarray, smallest: float) -> tuple[int, np.ndarray, float]:
    """Number of triangles not shown covered, and the deepest open point with its depth."""
    spot = np.zeros(3)
    depth = -1.0
    failed = 0
    stack = np.empty((256, 3, 3))
    near = np.empty(len(s), np.int64)
    for i in range(len(triangles)):
        n = _reachable(triangles[i], s, 0.0, near)
        push_triangle(triangles[i], stack)
        top = 1
        bad = False
        while top > 0:
            top -= 1
            t = stack[top].copy()
            inside = False
            for q in range(n):
                if _farthest_corner(t, s, near[q]) <= s[near[q], 3] * _STRICT:
                    inside = True
                    break
            if inside:
                continue
            e, length = longest_edge(t)
            open_corner = False
            # The farthest that any point of this piece may be from the union: no point's distance
            # differs from a corner's by more than their distance.
            reach = 1e300
            for k in range(3):
                hit = False
                for q in range(n):
                    c = near[q]
                    d = np.sqrt(
                        (t[k, 0] - s[c, 0]) ** 2
                        + (t[k, 1] - s[c, 1]) ** 2
                        + (t[k, 2] - s[c, 2]) ** 2
                    )
                    if d <= s[c, 3] * _STRICT:
                        hit = True
                        break
                if hit:
                    reach = np.sqrt(length)
                    continue
                open_corner = True
                gap = _gap(t, k, s)
                reach = min(reach, gap + np.sqrt(length))
                if gap > depth:
                    depth = gap
                    spot = t[k].copy()
            if open_corner:
                bad = True
                # Look a little further for a deeper spot in this triangle, but not to the bottom.
                if length < (64 * smallest) ** 2:
                    continue
            if length < smallest * smallest or top > 250:
                bad = True
                if depth < 0:
                    depth = 0.0
                    spot = t[0].copy()
                continue
            if bad and (length < (64 * smallest) ** 2 or reach < depth * (1 - 1e-9)):
                # The triangle fails in any case, and no deeper spot is in this piece.
                continue
            bisect(t, e, stack, top)
            top += 2
        if bad:
            failed += 1
    return failed, spot, max(depth, 0.0)


@compile_cached()
def grow_to_cover(
    triangles: np.ndarray, spheres: np.ndarray, leaf: float, limit: np.ndarray
) -> tuple[np.ndarray, int]:
    """Grow radii, each time the one that needs least, until every triangle passes; pieces no
    smaller than ``leaf``.

    limit (n): greatest radius allowed. Returns the spheres and the number of pieces no sphere may
    reach.
    """
    s = spheres.copy()
    stack = np.empty((256, 3, 3))
    stuck = 0
    # The sphere that held the last piece often holds the next one.
    last = 0
    for i in range(len(triangles)):
        push_triangle(triangles[i], stack)
        top = 1
        while top > 0:
            top -= 1
            t = stack[top].copy()
            if len(s) and _holds(t, s, last):
                continue
            inside = False
            for c in range(len(s)):
                if _holds(t, s, c):
                    inside = True
                    last = c
                    break
            if inside:
                continue
            e, length = longest_edge(t)
            if length > leaf * leaf and top < 250:
                if _is_beyond(t, s, limit):
                    stuck += 1
                    continue
                bisect(t, e, stack, top)
                top += 2
                continue
            least, chosen = 1e300, -1
            for c in range(len(s)):
                far = _farthest_corner(t, s, c)
                if far - s[c, 3] < least and far * (1 + 1e-8) <= limit[c]:
                    least, chosen = far - s[c, 3], c
            if chosen < 0:
                stuck += 1
            else:
                s[chosen, 3] = _farthest_corner(t, s, chosen) * (1 + 1e-8)
    return s, stuck
