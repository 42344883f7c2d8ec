"""Moves that lead a search out of local minima: spheres put elsewhere, two fits crossed, the worst
sphere pushed back.

All in the canonical frame. Each move is followed by a joint optimisation of its surroundings and
kept if the score is better. Crossing is the cut-and-splice operator that Deaven and Ho (Phys. Rev.
Lett. 75, 1995) use for clusters of atoms.

`refilled` puts spheres that add nothing to use, as far as that is a gain.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from editor_app.core.arrays import F64, I32, I64, Bools
from editor_app.core.progress import Progress
from editor_app.features.spheres.engine import optimiser
from editor_app.features.spheres.engine.clipped import to_prove
from editor_app.features.spheres.engine.field import sample_field
from editor_app.features.spheres.engine.problem import (
    DIRECTIONS_FINE,
    DIRECTIONS_OF_SCORE,
    FitProblem,
    SearchEffort,
    compute_greatest_radii,
    enough_points,
    inflated_to,
    refine_spheres,
    score,
    score_spheres,
    with_locked,
)
from editor_app.features.spheres.engine.superfluous import covers_alone, without_contained

_BETTER = 0.998


def teleports(
    problem: FitProblem, plan: SearchEffort, best: float, spheres: F64, tell: Progress
) -> tuple[float, F64]:
    """Take the sphere that is missed least, put it where one stands out most, re-optimise around
    both places; keep what is better. best: the score of the spheres; returned with those found."""
    n = len(spheres)
    if n < 2:
        return best, spheres
    moves, owner = _moves(problem, plan, spheres)
    for k in range(plan.teleports):
        if problem.reporter.cancelled() or not moves:
            break
        victim, crowd = moves.pop()
        two = halves(problem, spheres, crowd)
        moved = spheres.copy()
        moved[crowd], moved[victim] = two[0], two[1]
        near = find_overlapping(spheres, np.vstack([spheres[[victim, crowd]], two]))
        moved = refine_spheres(
            problem, moved, alone(n), plan.points, plan.move_steps, 0.008, 0.5, around=(near, owner)
        )
        value = score(problem, moved)
        if value < _BETTER * best:
            best, spheres = value, moved
            moves, owner = _moves(problem, plan, spheres)
        tell((k + 1) / plan.teleports, "moving spheres to better places")
    return best, spheres


def crossings(
    problem: FitProblem, plan: SearchEffort, fits: list[tuple[float, F64]], tell: Progress
) -> list[tuple[float, F64]]:
    """Fits of equal number (score, spheres) crossed: one side of a plane from one, the other side
    from another, where that gives the same number again. A child that is better than a parent takes
    the place of the worse one."""
    fits = list(fits)
    n = len(fits[0][1])
    if len(fits) < 2 or n < 2 or any(len(spheres) != n for _, spheres in fits):
        return fits
    rng = np.random.default_rng((problem.seed, 5))
    points = enough_points(problem, plan.points, n)
    for k in range(plan.crossings):
        if problem.reporter.cancelled():
            break
        a, b = (int(i) for i in rng.choice(len(fits), 2, replace=False))
        spliced = _spliced(fits[a][1], fits[b][1], rng)
        tell((k + 1) / plan.crossings, "crossing fits")
        if spliced is None:
            continue
        child, near = spliced
        owner = optimiser.gaps(points, child)[1]
        child = refine_spheres(
            problem, child, alone(n), plan.points, plan.move_steps, 0.008, 0.5, around=(near, owner)
        )
        value = score(problem, child)
        worse = a if fits[a][0] > fits[b][0] else b
        # Twins of a fit that is there would end the variety that crossing lives on.
        is_new = all(abs(value - other) > 1e-4 * value for other, _ in fits)
        if value < _BETTER * fits[worse][0] and is_new:
            fits[worse] = value, child
    return fits


def _spliced(one: F64, other: F64, rng: np.random.Generator) -> tuple[F64, Bools] | None:
    """Spheres of ``one`` below a random plane with spheres of ``other`` above it, as many as
    before, and which of them overlap across the plane; None if no offset gives that number."""
    normal = rng.normal(size=3) * np.ptp(one[:, :3], axis=0)
    x, y = one[:, :3] @ normal, other[:, :3] @ normal
    heights = np.sort(np.concatenate([x, y]))
    offsets = (heights[1:] + heights[:-1]) / 2
    below, above = (x[:, None] < offsets).sum(0), (y[:, None] > offsets).sum(0)
    possible = offsets[(below + above == len(one)) & (below > 0) & (above > 0)]
    if len(possible) == 0:
        return None
    offset = possible[rng.integers(len(possible))]
    left, right = one[x < offset], other[y > offset]
    near = np.concatenate([find_overlapping(left, right), find_overlapping(right, left)])
    return (np.vstack([left, right]), near) if near.any() else None


def push_back(problem: FitProblem, plan: SearchEffort, spheres: F64) -> F64:
    """Move the sphere that stands out most back or make it smaller, in smaller and smaller steps,
    as long as the score gains; what opens is made up by all radii together."""
    points = problem.points(24_000)
    solid = problem.solid

    def judged(candidate: F64) -> tuple[float, F64, F64]:
        s = inflated_to(problem, candidate, points, min(problem.quantile, 0.995))
        return (*score_spheres(problem, s, 1 / 64, DIRECTIONS_FINE), s)

    best, each, s = judged(spheres)
    step, failed = 0.2, 0
    rng = np.random.default_rng((problem.seed, 9))
    for _ in range(plan.pushes):
        if problem.reporter.cancelled() or step < 0.01:
            break
        i = int(np.argmax(each))
        on = s[i, :3] + s[i, 3] * DIRECTIONS_FINE
        out = sample_field(solid.phi, solid.origin, solid.h, on)
        others = np.delete(with_locked(problem, s), i, 0)
        out[
            (np.linalg.norm(on[:, None] - others[None, :, :3], axis=2) < others[:, 3]).any(1)
        ] = -1.0
        back = step * each[i]
        share = (0.5, 0.0, 1.0)[failed % 3]
        pushed = s.copy()
        pushed[i, :3] -= share * back * DIRECTIONS_FINE[int(np.argmax(out))]
        pushed[i, 3] = max(pushed[i, 3] - (1 - share) * back, problem.rmin)
        if failed >= 3:
            pushed[i, :3] += 0.3 * back * rng.normal(size=3)
        value, protrusion, grown = judged(pushed)
        if value < best:
            best, each, s, failed = value, protrusion, grown, 0
        else:
            failed += 1
            if failed % 3 == 0:
                step *= 0.6
    return np.column_stack(
        [s[:, :3], np.clip(s[:, 3], problem.rmin, compute_greatest_radii(problem, s))]
    )


def standing_out(problem: FitProblem, spheres: F64) -> F64:
    """Return the gain (n) of splitting each of spheres (n,4): its protrusion by its radius."""
    solid = problem.solid
    every = with_locked(problem, spheres)
    _, _, _, each = optimiser.protrusions(
        every, solid.phi, solid.origin, solid.h, DIRECTIONS_OF_SCORE
    )
    return np.asarray(each[: len(spheres)] * spheres[:, 3] + 1e-9 * spheres[:, 3])


def halves(problem: FitProblem, spheres: F64, i: int) -> F64:
    """Two spheres in place of sphere i, apart along the widest spread of the surface that only it
    covers."""
    points = problem.points(2500)
    _, owner = optimiser.gaps(points, np.ascontiguousarray(spheres))
    near_points = points[:, owner == i].T.astype(float)
    x, y, z, r = spheres[i]
    axis = np.array([1.0, 0.0, 0.0])
    if len(near_points) > 3:
        centred = near_points - near_points.mean(0)
        axis = np.linalg.eigh(centred.T @ centred)[1][:, 2]
    spread = 0.45 * r
    middle = np.array([x, y, z])
    return np.array([[*(middle + spread * axis), 0.85 * r], [*(middle - spread * axis), 0.85 * r]])


def find_overlapping(spheres: F64, others: F64) -> Bools:
    """Which of ``spheres`` overlap one of ``others``."""
    apart = np.linalg.norm(spheres[:, None, :3] - others[None, :, :3], axis=2)
    return np.asarray((apart < spheres[:, None, 3] + others[None, :, 3]).any(1))


def alone(count: int) -> I64:
    """No sphere has a mirror image."""
    return -np.ones(count, np.int64)


def _moves(
    problem: FitProblem, plan: SearchEffort, spheres: F64
) -> tuple[list[tuple[int, int]], I32]:
    """Pairs (sphere to take, sphere to split), the most promising last, and for every point its
    nearest sphere."""
    n = len(spheres)
    every = np.ascontiguousarray(spheres)
    points = enough_points(problem, plan.points, n)
    sampled_points = points[:, :: max(1, points.shape[1] // 2500)]
    gap = (
        np.linalg.norm(sampled_points.T[:, None] - every[None, :, :3].astype(np.float32), axis=2)
        - every[:, 3]
    )
    owner = np.argmin(gap, axis=1)
    gap[np.arange(len(gap)), owner] = np.inf
    second = np.maximum(gap.min(1), 0.0)
    missed = np.bincount(owner, second**2, minlength=len(every))[:n]
    crowded = standing_out(problem, spheres)
    gain = crowded[None, :] / crowded.max() - missed[:, None] / (np.median(missed) + 1e-12)
    np.fill_diagonal(gain, -np.inf)
    best = np.argsort(gain, axis=None, kind="stable")[n:][-3 * plan.teleports :]
    return [(int(flat) // n, int(flat) % n) for flat in best], optimiser.gaps(points, every)[1]


_ROUNDS = 4


def refilled(
    problem: FitProblem, plan: SearchEffort, spheres: F64, finish: Callable[[F64], F64]
) -> F64:
    """At most ``problem.number`` spheres (n,4), each of which covers something alone, from finished
    ones that may not.

    Each that covers nothing alone leaves, and the one that stands out most is split; ``finish``
    then gives the radii that the mode asks for. What is no gain is not taken.
    """
    number = problem.number
    kept = useful(problem, spheres)
    if problem.mirror is not None or len(kept) == 0 or problem.points(4000).shape[1] == 0:
        return kept
    best = score_spheres(problem, kept, 1 / 110, DIRECTIONS_FINE)[0]
    for _ in range(_ROUNDS):
        if len(kept) >= number or problem.reporter.cancelled():
            break
        distinct = useful(problem, finish(_split(problem, plan, kept)))
        value = score_spheres(problem, distinct, 1 / 110, DIRECTIONS_FINE)[0]
        if len(distinct) <= len(kept) or value > best:
            break
        best, kept = value, distinct
    return kept


def useful(problem: FitProblem, spheres: F64) -> F64:
    """The spheres (n,4) that cover something alone; of mirror images both stay where one does."""
    size = problem.solid.diagonal
    distinct = without_contained(spheres * size, problem.locked * size) / size
    triangles = to_prove(problem) if problem.quantile >= 1 else None
    rows, others = (
        problem.solid.spheres_from_canonical(each) for each in (distinct, problem.locked)
    )
    kept = covers_alone(problem.solid, rows, others, triangles)
    if problem.mirror is not None and len(distinct):
        image = distinct.copy()
        image[:, :3] -= (
            2
            * (image[:, :3] @ problem.mirror[:3] - problem.mirror[3])[:, None]
            * problem.mirror[:3]
        )
        kept |= kept[np.abs(image[:, None] - distinct[None]).max(2).argmin(1)]
    return distinct[kept]


def _split(problem: FitProblem, plan: SearchEffort, spheres: F64) -> F64:
    """Spheres that stand out most split until there are ``number``, and their surroundings
    optimised."""
    fresh = []
    while len(spheres) < problem.number:
        i = int(np.argmax(standing_out(problem, spheres)))
        two = halves(problem, spheres, i)
        fresh.append(two)
        spheres = np.vstack([np.delete(spheres, i, 0), two])
    near = find_overlapping(spheres, np.vstack(fresh))
    owner = optimiser.gaps(
        enough_points(problem, plan.final_points, len(spheres), problem.quantile >= 1),
        np.ascontiguousarray(with_locked(problem, spheres)),
    )[1]
    return refine_spheres(
        problem,
        spheres,
        alone(len(spheres)),
        plan.final_points,
        plan.final_steps,
        0.004,
        0.1,
        stiff=True,
        corners=problem.quantile >= 1,
        around=(near, owner),
    )
