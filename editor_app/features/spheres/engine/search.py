"""The search for good spheres on a prepared solid: starts, joint optimisation, moves, polish.
Canonical frame.

It starts at a greedy cover by medial and interior points with the least slack that N spheres allow.
"""

from __future__ import annotations

import heapq
from dataclasses import replace

import numpy as np

from editor_app.core.arrays import F32, F64, I64
from editor_app.core.progress import Progress
from editor_app.features.spheres.engine import optimiser
from editor_app.features.spheres.engine.compiled import compile_cached
from editor_app.features.spheres.engine.moves import (
    crossings,
    halves,
    push_back,
    standing_out,
    teleports,
)
from editor_app.features.spheres.engine.problem import (
    FitProblem,
    SearchEffort,
    compute_greatest_radii,
    inflated,
    refine_spheres,
    score,
    with_locked,
)
from editor_app.features.spheres.engine.quality import sample_columns
from editor_app.features.spheres.engine.solid import Solid

_CANDIDATES = 1100
_POINTS = 900


def candidates_of(solid: Solid) -> tuple[F64, F64]:
    """Points (k,3) where a sphere may start, and the depth of the solid there (k); canonical
    frame."""
    candidates = solid.cache.get("candidates")
    if candidates is None:
        inner = solid.inner_points
        cell = np.round((inner - solid.origin) / solid.h - 0.5).astype(np.int64)
        depth = -solid.phi[cell[:, 0], cell[:, 1], cell[:, 2]].astype(float)
        ridge = _ridge(solid.phi, cell, solid.h)
        rng = np.random.default_rng(3)
        medial = np.flatnonzero(ridge)
        other = np.flatnonzero(~ridge)
        medial = _thin(medial, (2 * _CANDIDATES) // 3, rng)
        other = _thin(other, _CANDIDATES - len(medial), rng)
        chosen = np.sort(np.concatenate([medial, other]))
        points, depths = inner[chosen], depth[chosen]
        if len(points) < _CANDIDATES // 2:
            # Sheets thinner than a voxel have no inside to speak of: their own surface serves.
            skin = solid.samples[:: max(1, len(solid.samples) // (_CANDIDATES // 2))]
            points, depths = (
                np.vstack([points, skin]),
                np.concatenate([depths, np.zeros(len(skin))]),
            )
        candidates = solid.cache["candidates"] = (points, depths)
    return candidates  # type: ignore[return-value]


def _thin(index: I64, count: int, rng: np.random.Generator) -> I64:
    return index if len(index) <= count else np.sort(rng.choice(index, count, replace=False))


@compile_cached()
def _ridge(phi: np.ndarray, cell: np.ndarray, h: float) -> np.ndarray:
    """Inner voxels near the medial axis: the gradient of the distance is well below 1 there."""
    out = np.zeros(len(cell), np.bool_)
    for i in range(len(cell)):
        x, y, z = cell[i, 0], cell[i, 1], cell[i, 2]
        gx = phi[x + 1, y, z] - phi[x - 1, y, z]
        gy = phi[x, y + 1, z] - phi[x, y - 1, z]
        gz = phi[x, y, z + 1] - phi[x, y, z - 1]
        out[i] = np.sqrt(gx * gx + gy * gy + gz * gz) < 1.5 * h
    return out


@compile_cached()
def _greedy(
    distance: np.ndarray,
    depth: np.ndarray,
    slack: float,
    most: int,
    lowest: float,
    highest: float,
    covered: np.ndarray,
) -> np.ndarray:
    """Greedy cover; distance (m,k) of targets to candidates, float32; returns chosen candidates,
    longer than ``most`` when it does not suffice. Gains are kept up to date, each target being
    taken off once."""
    m, k = distance.shape
    reach = np.empty(k, np.float32)
    for i in range(k):
        reach[i] = min(max(depth[i] + slack, lowest), highest)
    gain = np.zeros(k, np.int32)
    open_ = ~covered
    left = 0
    for j in range(m):
        if open_[j]:
            left += 1
            row = distance[j]
            for i in range(k):
                gain[i] += np.int32(row[i] <= reach[i])
    chosen = np.empty(most + 1, np.int64)
    n = 0
    while left > 0 and n <= most:
        best = int(np.argmax(gain))
        if gain[best] <= 0:
            break
        if n < most:
            for j in range(m):
                row = distance[j]
                if open_[j] and row[best] <= reach[best]:
                    open_[j] = False
                    left -= 1
                    for i in range(k):
                        gain[i] -= np.int32(row[i] <= reach[i])
        chosen[n] = best
        n += 1
    return chosen[:n]


def cover_start(
    solid: Solid,
    number: int,
    *,
    seed: int = 0,
    lowest: float = 0.0,
    highest: float = 10.0,
    locked: F64 | None = None,
) -> tuple[F64, float]:
    """At most ``number`` spheres (n,4) that cover the surface samples, with the least slack; and
    that slack."""
    points, depth, distance, target = _distances(solid, seed)
    covered = np.zeros(len(target), bool)
    if locked is not None and len(locked):
        covered = (
            np.linalg.norm(target[:, None] - locked[None, :, :3], axis=2) <= locked[:, 3]
        ).any(1)
    if covered.all():
        return np.zeros((0, 4)), 0.0
    low, high = 0.0, 0.6
    best = np.zeros(0, np.int64)
    for _ in range(7):
        slack = (low + high) / 2 if high < 0.6 else 0.08
        chosen = _greedy(distance, depth, slack, number, lowest, highest, covered)
        if len(chosen) <= number:
            best, high = chosen, slack
        else:
            low = slack
            if high >= 0.6:
                high = 0.6 if slack < 0.08 else high
                low, high = slack, min(0.6, 4 * slack) if len(best) == 0 else high
    if len(best) == 0:
        high = 0.6
        best = _greedy(distance, depth, high, number, lowest, highest, covered)[:number]
    radius = np.clip(depth[best] + high, max(lowest, 1e-4), highest)
    return np.column_stack([points[best], radius]), high


def number_for_slack(solid: Solid, slack: float, most: int, lowest: float, highest: float) -> int:
    """How many spheres a greedy cover needs when none may stand out by more than ``slack``; most +
    1: even more."""
    _, depth, distance, target = _distances(solid, 0)
    return len(_greedy(distance, depth, slack, most, lowest, highest, np.zeros(len(target), bool)))


def _distances(solid: Solid, seed: int) -> tuple[F64, F64, F32, F64]:
    key = ("start", seed % 7)
    distances = solid.cache.get(key)
    if distances is None:
        points, depth = candidates_of(solid)
        step = max(1, len(solid.samples) // _POINTS)
        target = solid.samples[(seed % 7) % step :: step][:_POINTS]
        a, b = points.astype(np.float32), target.astype(np.float32)
        square = (b**2).sum(1)[:, None] + (a**2).sum(1)[None] - 2 * (b @ a.T)
        distance = np.sqrt(np.maximum(square, 0))
        distances = solid.cache[key] = (points, depth, distance, target)
    return distances  # type: ignore[return-value]


_MANY = 64


def search_spheres(problem: FitProblem, plan: SearchEffort) -> F64:
    """Best spheres found (n,4), the locked ones not among them."""
    if problem.number > _MANY:
        # Many spheres are less a matter of luck, and each start is dear.
        plan = replace(plan, starts=1, chains=1, final_steps=min(plan.final_steps, 240))
    problem.reporter.progress(0.05, "covering the surface")
    pool: list[tuple[float, F64, I64]] = []
    for k in range(plan.starts):
        if problem.reporter.cancelled() and pool:
            break
        spheres, partner = _start(problem, k)
        spheres = refine_spheres(
            problem, spheres, partner, plan.points, plan.start_steps, 0.008, 0.3
        )
        pool.append((score(problem, spheres), spheres, partner))
        problem.reporter.progress(0.1 + 0.2 * (k + 1) / plan.starts, "trying starts")
    pool.sort(key=lambda entry: entry[0])
    pool = pool[: plan.chains]
    fits = [(value, spheres) for value, spheres, _ in pool]
    if problem.mirror is None:
        for k, (value, spheres) in enumerate(fits):
            if k and problem.reporter.cancelled():
                break
            tell = _part(problem, 0.3 + 0.4 * k / len(fits), 0.4 / len(fits))
            fits[k] = teleports(problem, plan, value, spheres, tell)
        fits = crossings(problem, plan, fits, _part(problem, 0.7, 0.15))
    best: tuple[float, F64] | None = None
    for k in sorted(range(len(fits)), key=lambda k: fits[k][0]):
        if best is not None and problem.reporter.cancelled():
            break
        problem.reporter.progress(0.9, "polishing")
        spheres = _polish(problem, plan, fits[k][1], pool[k][2])
        value = score(problem, spheres, fine=True) if len(fits) > 1 else 0.0
        if best is None or value < best[0]:
            best = value, spheres
    assert best is not None
    # Where everything has to be covered, what a push opens is paid with growth for the proof.
    may_push = plan.pushes and problem.mirror is None and problem.quantile < 1
    return push_back(problem, plan, best[1]) if may_push else best[1]


def _part(problem: FitProblem, first: float, width: float) -> Progress:
    """Progress of a part of the search that takes ``width`` of it from ``first`` on."""
    return lambda fraction, text: problem.reporter.progress(first + width * fraction, text)


def _polish(problem: FitProblem, plan: SearchEffort, spheres: F64, partner: I64) -> F64:
    """First the usual loss on more points; then, inflated to the coverage that is asked for, a
    stiff loss that holds this coverage (and gives up on the share that may stay open) while
    everything else pulls in."""
    spheres = refine_spheres(
        problem, spheres, partner, plan.final_points, plan.final_steps // 2, 0.004, 1.0
    )
    spheres = inflated(problem, spheres)
    return refine_spheres(
        problem,
        spheres,
        partner,
        plan.final_points,
        plan.final_steps,
        0.003,
        0.1,
        stiff=True,
        corners=problem.quantile >= 1,
    )


def patches(problem: FitProblem, spheres: F64, most: int, corners: F64 | None = None) -> F64:
    """At most ``most`` further spheres, as large as they may be, greedily placed on what of the
    surface is open (and of further points ``corners`` (n,3))."""
    points = problem.points(24_000, problem.quantile >= 1)
    if corners is not None:
        points = np.ascontiguousarray(np.hstack([points, sample_columns(corners)]))
    gap, _ = optimiser.gaps(points, np.ascontiguousarray(with_locked(problem, spheres)))
    allowed = int((1 - problem.quantile) * 0.6 * len(gap))
    bare = points[:, gap > -0.002 * problem.cap].T.astype(float)
    if len(bare) <= allowed or most < 1:
        return np.zeros((0, 4))
    inner, _ = candidates_of(problem.solid)
    centres = np.vstack([bare[:: max(1, len(bare) // 1500)], inner])
    radius = compute_greatest_radii(problem, np.column_stack([centres, np.zeros(len(centres))]))
    # Late: a link without bare surface needs none of scipy.
    from scipy.spatial import cKDTree

    reached = cKDTree(bare).query_ball_point(
        centres, 0.98 * np.maximum(radius, 0), return_sorted=True
    )
    is_open = np.ones(len(bare), bool)
    queue = [
        (-len(members), i)
        for i, members in enumerate(reached)
        if members and radius[i] > problem.rmin
    ]
    heapq.heapify(queue)
    chosen: list[int] = []
    while queue and len(chosen) < most and int(is_open.sum()) > allowed:
        gain, i = heapq.heappop(queue)
        fresh = int(is_open[reached[i]].sum())
        if fresh == -gain:
            chosen.append(i)
            is_open[reached[i]] = False
        elif fresh:
            heapq.heappush(queue, (-fresh, i))
    return np.column_stack([centres[chosen], radius[chosen]])


def polish(problem: FitProblem, plan: SearchEffort, spheres: F64) -> F64:
    """Optimise given spheres (n,4) where they stand, without teleports."""
    return _polish(problem, plan, spheres, -np.ones(len(spheres), np.int64))


def _start(problem: FitProblem, attempt: int) -> tuple[F64, I64]:
    spheres, _ = cover_start(
        problem.solid,
        problem.number,
        seed=problem.seed + attempt,
        lowest=problem.rmin,
        highest=problem.rmax,
        locked=problem.locked,
    )
    if problem.mirror is not None:
        return _symmetric(problem, spheres)
    spheres = _fill_up(problem, spheres, problem.number)
    return spheres, -np.ones(len(spheres), np.int64)


def _fill_up(problem: FitProblem, spheres: F64, number: int) -> F64:
    """Split the sphere that stands out most until there are ``number``."""
    if len(spheres) == 0:
        samples = problem.solid.samples
        spheres = np.array([[*samples[len(samples) // 2], max(problem.rmin, 0.02)]])
    while len(spheres) < number:
        cost = standing_out(problem, spheres)
        i = int(np.argmax(cost))
        spheres = np.vstack([np.delete(spheres, i, 0), halves(problem, spheres, i)])
    return spheres


def _symmetric(problem: FitProblem, spheres: F64) -> tuple[F64, I64]:
    """A symmetric start with exactly ``number`` spheres: pairs, and singles on the plane."""
    assert problem.mirror is not None
    normal, offset = problem.mirror[:3], problem.mirror[3]
    side = spheres[:, :3] @ normal - offset
    singles = list(spheres[np.abs(side) < 0.35 * spheres[:, 3]])
    plus, minus = spheres[side >= 0.35 * spheres[:, 3]], spheres[side <= -0.35 * spheres[:, 3]]
    half = list(plus if len(plus) >= len(minus) else minus)
    points = problem.points(2500)
    while len(singles) + 2 * len(half) > problem.number:
        if len(singles) + 2 * len(half) == problem.number + 1 and singles:
            singles.pop(int(np.argmin([s[3] for s in singles])))
        elif half:
            half.pop(int(np.argmin([s[3] for s in half])))
        else:
            singles.pop(int(np.argmin([s[3] for s in singles])))
    while len(singles) + 2 * len(half) < problem.number:
        every = _mirrored(singles, half, normal, offset)
        if not points.shape[1]:
            spot = offset * normal
        elif len(every):
            gap, _ = optimiser.gaps(points, np.ascontiguousarray(every))
            spot = points[:, int(np.argmax(gap))].astype(float)
        else:
            spot = points[:, 0].astype(float)
        sphere = np.array([*spot, max(problem.rmin, 0.05)])
        if problem.number - len(singles) - 2 * len(half) == 1:
            singles.append(sphere)
        else:
            half.append(sphere)
    every = _mirrored(singles, half, normal, offset)
    s, p = len(singles), len(half)
    partner = np.concatenate([np.arange(s), s + p + np.arange(p), s + np.arange(p)]).astype(
        np.int64
    )
    return every, partner


def _mirrored(singles: list[F64], half: list[F64], normal: F64, offset: float) -> F64:
    one = np.array(singles).reshape(-1, 4)
    two = np.array(half).reshape(-1, 4)
    one = one.copy()
    one[:, :3] -= (one[:, :3] @ normal - offset)[:, None] * normal
    twin = two.copy()
    twin[:, :3] -= 2 * (two[:, :3] @ normal - offset)[:, None] * normal
    return np.vstack([one, two, twin])
