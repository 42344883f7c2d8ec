"""Mode "inside": spheres that stay within the solid, centres moved so that they fill as much of it
as they can."""

from __future__ import annotations

import numpy as np

from editor_app.core.arrays import F64, Bools
from editor_app.features.spheres.engine import optimiser
from editor_app.features.spheres.engine.compiled import compile_cached
from editor_app.features.spheres.engine.field import sample_field
from editor_app.features.spheres.engine.problem import FitProblem, SearchEffort
from editor_app.features.spheres.engine.quality import sample_columns
from editor_app.features.spheres.engine.search import candidates_of
from editor_app.features.spheres.engine.solid import Solid
from editor_app.features.spheres.engine.surface import surface_distance


def search_inside(problem: FitProblem, plan: SearchEffort, tolerance: float) -> F64:
    """Spheres (at most ``number``; n,4) with radius no more than the true depth of their centre
    plus ``tolerance``.

    Canonical frame. Fewer than ``number`` come back when no further sphere of the smallest radius
    fits.
    """
    solid = problem.solid
    inner = solid.inner_points
    if len(inner) == 0:
        return np.zeros((0, 4))
    step = max(1, len(inner) // max(plan.points, 2000))
    targets = inner[problem.seed % step :: step]
    points, depth = candidates_of(solid)
    radius = np.minimum(depth + tolerance, problem.rmax)
    if problem.mirror is not None:
        normal, offset = problem.mirror[:3], problem.mirror[3]
        side = points @ normal - offset
        allowed = (side > radius * 0.5) | (np.abs(side) < 0.5 * solid.h)
        points, radius, side = points[allowed], radius[allowed], side[allowed]
    for plane in problem.planes:
        radius = np.minimum(radius, points @ plane[:3] - plane[3])
    good = radius > max(problem.rmin, 1e-4)
    points, radius = points[good], radius[good]
    if len(points) == 0:
        return np.zeros((0, 4))
    distance = np.linalg.norm(
        points[:, None].astype(np.float32) - targets[None].astype(np.float32), axis=2
    )
    covered = np.zeros(len(targets), bool)
    if len(problem.locked):
        gap, _ = optimiser.gaps(sample_columns(targets), np.ascontiguousarray(problem.locked))
        covered = gap <= 0
    chosen = _greedy(problem, points, radius, distance <= radius[:, None], covered)
    centres = points[chosen].copy()
    centres = _fill(
        centres,
        sample_columns(targets),
        problem.locked,
        solid.phi,
        solid.origin,
        solid.h,
        plan.final_steps + plan.start_steps,
        tolerance,
        problem.rmin,
        problem.rmax,
        problem.planes,
        problem.mirror if problem.mirror is not None else np.zeros(4),
        problem.mirror is not None,
    )
    if problem.mirror is not None:
        side = centres @ problem.mirror[:3] - problem.mirror[3]
        single = np.abs(side) < 0.75 * solid.h
        centres[single] -= side[single, None] * problem.mirror[:3]
        twin = centres[~single] - 2 * side[~single, None] * problem.mirror[:3]
        centres = np.vstack([centres, twin])
    exact = exact_depth(solid, centres)
    radius = np.minimum(exact + tolerance, problem.rmax)
    for plane in problem.planes:
        radius = np.minimum(radius, centres @ plane[:3] - plane[3])
    radius = _within_field(solid, centres, radius, tolerance)
    if problem.mirror is not None and len(centres):
        # Last, so that nothing after it makes the two of a pair differ.
        pairs = len(twin)
        first = np.flatnonzero(~single)
        last = np.arange(len(centres) - pairs, len(centres))
        radius[first] = radius[last] = np.minimum(radius[first], radius[last])
    keep = radius >= max(problem.rmin, 1e-6)
    return np.column_stack([centres[keep], radius[keep]])


def _greedy(
    problem: FitProblem, points: F64, radius: F64, inside: Bools, covered: Bools
) -> list[int]:
    """The candidates (points n,3 and radius n) that cover most, one after another.

    `inside` (n,m): which targets a candidate covers; `covered` (m): what locked spheres cover. A
    candidate beside the mirror counts twice. Both are written to.
    """
    chosen: list[int] = []
    count = 0
    while count < problem.number:
        gain = (inside & ~covered).sum(1)
        i = int(np.argmax(gain + 1e-3 * radius))
        if gain[i] == 0:
            break
        weight = 1
        if (
            problem.mirror is not None
            and abs(points[i] @ problem.mirror[:3] - problem.mirror[3]) >= 0.5 * problem.solid.h
        ):
            weight = 2
            if count + 2 > problem.number:
                inside[i] = False
                if not inside.any():
                    break
                continue
        chosen.append(i)
        covered |= inside[i]
        count += weight
    return chosen


def _within_field(solid: Solid, centres: F64, radius: F64, tolerance: float) -> F64:
    """Radii shrunk until no sphere stands out of the field: near walls that count as enclosed the
    exact distance to the outer triangles alone is too kind."""
    radius = radius.copy()
    directions = optimiser.directions(200, 1)[0]
    for _ in range(12):
        spheres = np.ascontiguousarray(np.column_stack([centres, np.maximum(radius, 1e-9)]))
        around = (spheres[:, None, :3] + spheres[:, None, 3:] * directions).reshape(-1, 3)
        out = (
            sample_field(solid.phi, solid.origin, solid.h, around).reshape(len(centres), -1).max(1)
        )
        far = out > tolerance + 0.6 * solid.h
        if not far.any():
            break
        radius[far] -= np.maximum(out[far] - tolerance - 0.5 * solid.h, 0.05 * solid.h)
    return radius


def exact_depth(solid: Solid, centres: F64) -> F64:
    """Distance (k) from points (k,3) inside to the outer surface: exact to the triangles; where an
    opening was closed, the field's value less a quarter voxel. Negative outside. Canonical
    frame."""
    field = np.array(sample_field(solid.phi, solid.origin, solid.h, np.ascontiguousarray(centres)))
    true = surface_distance(solid, centres)
    depth = true
    if solid.closed_off:
        depth = np.minimum(true, -field - 0.25 * solid.h)
    return np.where(field > 0.5 * solid.h, -true, depth)


@compile_cached(fastmath=True)
def _fill(
    centres: np.ndarray,
    points: np.ndarray,
    locked: np.ndarray,
    phi: np.ndarray,
    origin: np.ndarray,
    h: float,
    steps: int,
    tolerance: float,
    rmin: float,
    rmax: float,
    planes: np.ndarray,
    mirror: np.ndarray,
    mirrored: bool,
) -> np.ndarray:
    """Adam over centres only (the radius is the depth there); minimises mean uncovered^2 of inner
    points."""
    n = len(centres)
    c = centres.copy()
    start_side = np.zeros(n)
    for i in range(n):
        start_side[i] = c[i, 0] * mirror[0] + c[i, 1] * mirror[1] + c[i, 2] * mirror[2] - mirror[3]
    total = 2 * n if mirrored else n
    s = np.empty((total + len(locked), 4))
    for i in range(len(locked)):
        for a in range(4):
            s[total + i, a] = locked[i, a]
    slope = np.zeros((n, 3))
    g = np.zeros((n, 3))
    m1 = np.zeros((n, 3))
    m2 = np.zeros(n)
    best_c = c.copy()
    best_loss = 1e30
    b1, b2 = 0.9, 0.98
    p1, p2 = 1.0, 1.0
    inv = 1.0 / h
    m = points.shape[1]
    for step in range(steps + 1):
        for i in range(n):
            v, dx, dy, dz = optimiser._field(
                phi, origin[0], origin[1], origin[2], inv, c[i, 0], c[i, 1], c[i, 2]
            )
            r = -v + tolerance
            slope[i, 0], slope[i, 1], slope[i, 2] = -dx, -dy, -dz
            for q in range(len(planes)):
                room = (
                    c[i, 0] * planes[q, 0]
                    + c[i, 1] * planes[q, 1]
                    + c[i, 2] * planes[q, 2]
                    - planes[q, 3]
                )
                if room < r:
                    r = room
                    slope[i, 0], slope[i, 1], slope[i, 2] = planes[q, 0], planes[q, 1], planes[q, 2]
            if r > rmax:
                r = rmax
                slope[i] = 0.0
            s[i, 0], s[i, 1], s[i, 2], s[i, 3] = c[i, 0], c[i, 1], c[i, 2], max(r, 1e-6)
            if mirrored:
                side = 2 * (
                    c[i, 0] * mirror[0] + c[i, 1] * mirror[1] + c[i, 2] * mirror[2] - mirror[3]
                )
                for a in range(3):
                    s[n + i, a] = c[i, a] - side * mirror[a]
                s[n + i, 3] = s[i, 3]
        best, arg = optimiser.gaps(points, s)
        g[:] = 0.0
        loss = 0.0
        for k in range(m):
            u = best[k]
            if u <= 0:
                continue
            loss += u * u
            i = arg[k]
            if i >= total:
                continue
            dx, dy, dz = s[i, 0] - points[0, k], s[i, 1] - points[1, k], s[i, 2] - points[2, k]
            d = np.sqrt(dx * dx + dy * dy + dz * dz) + 1e-12
            ux, uy, uz = dx / d, dy / d, dz / d
            if i >= n:
                dot = 2 * (ux * mirror[0] + uy * mirror[1] + uz * mirror[2])
                ux, uy, uz = ux - dot * mirror[0], uy - dot * mirror[1], uz - dot * mirror[2]
                i -= n
            g[i, 0] += 2 * u * (ux - slope[i, 0])
            g[i, 1] += 2 * u * (uy - slope[i, 1])
            g[i, 2] += 2 * u * (uz - slope[i, 2])
        if loss < best_loss:
            best_loss = loss
            best_c = c.copy()
        if step == steps:
            break
        p1 *= b1
        p2 *= b2
        lr = 0.004 * (0.03 + 0.97 * 0.5 * (1 + np.cos(np.pi * step / max(1, steps))))
        for i in range(n):
            m2[i] = b2 * m2[i] + (1 - b2) * (g[i, 0] ** 2 + g[i, 1] ** 2 + g[i, 2] ** 2)
            v = np.sqrt(m2[i] / (1 - p2)) + 1e-12
            for a in range(3):
                m1[i, a] = b1 * m1[i, a] + (1 - b1) * g[i, a]
                c[i, a] -= lr * m1[i, a] / (1 - p1) / v
            if mirrored and abs(start_side[i]) < 0.5 * h:
                side = c[i, 0] * mirror[0] + c[i, 1] * mirror[1] + c[i, 2] * mirror[2] - mirror[3]
                for a in range(3):
                    c[i, a] -= side * mirror[a]
    return best_c
