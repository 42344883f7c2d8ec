"""Spheres that add nothing put to use: the number asked for is the number given, and none lies within another.

All in the canonical frame, but for `without_superfluous`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from editor_app.fitting import optimiser
from editor_app.fitting.moves import alone, halves, standing_out, touching
from editor_app.fitting.problem import (
    DIRECTIONS_FINE,
    Plan,
    Problem,
    cancelled,
    enough_points,
    figure,
    greatest_radii,
    run,
    with_locked,
)
from editor_app.fitting.solid import Floats

#: A file has six digits: what is this much short of being inside (metres) may be inside once it is written.
WRITING = 6e-6
_ROUNDS = 4
#: How much a small sphere that fills a fold stands out of its neighbours (share of the diagonal).
_PEEP = 1e-3


def refilled(problem: Problem, plan: Plan, spheres: Floats, finish: Callable[[Floats], Floats]) -> Floats:
    """``problem.number`` spheres (n,4), none within another, from finished ones of which some may be.

    Each that lies within another leaves, and the one that stands out most is split; ``finish`` then gives the radii
    that the mode asks for. What is no gain is not taken: small spheres then fill folds between others, which opens
    nothing. Beside locked spheres that leave nothing open, spheres stay as they are.
    """
    number = problem.number
    if number < 2 or problem.points(4000).shape[1] == 0:
        return spheres
    kept = distinct = _useful(problem, spheres)
    if problem.mirror is not None or len(kept) == 0:
        return _folds_filled(problem, kept)
    best = figure(problem, kept, 1 / 110, DIRECTIONS_FINE)[0]
    for _ in range(_ROUNDS):
        if len(kept) >= number or cancelled(problem):
            break
        distinct = _useful(problem, finish(_split(problem, plan, kept)))
        value = figure(problem, distinct, 1 / 110, DIRECTIONS_FINE)[0]
        if len(distinct) <= len(kept) or value > best:
            break
        best, kept = value, distinct
    return _folds_filled(problem, kept)


def _useful(problem: Problem, spheres: Floats) -> Floats:
    size = problem.solid.diagonal
    return without_superfluous(spheres * size, problem.locked * size) / size


def _split(problem: Problem, plan: Plan, spheres: Floats) -> Floats:
    """Spheres that stand out most split until there are ``number``, and their surroundings optimised."""
    fresh = []
    while len(spheres) < problem.number:
        i = int(np.argmax(standing_out(problem, spheres)))
        two = halves(problem, spheres, i)
        fresh.append(two)
        spheres = np.vstack([np.delete(spheres, i, 0), two])
    near = touching(spheres, np.vstack(fresh))
    owner = optimiser.gaps(
        enough_points(problem, plan.final_points, len(spheres), problem.quantile >= 1),
        np.ascontiguousarray(with_locked(problem, spheres)),
    )[1]
    return run(
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


def _folds_filled(problem: Problem, spheres: Floats) -> Floats:
    """As many spheres as are missing, small ones on the surface where it is nearest to the outside of the union."""
    missing = problem.number - len(spheres)
    if missing < 1:
        return spheres
    unclipped = replace(problem, locked=np.zeros((0, 4)))
    points = unclipped.points(4000)
    places = points.T.astype(float)
    size = problem.solid.diagonal
    peep = max(_PEEP, 4 * WRITING / size)
    spheres = spheres.copy()
    while missing > 0:
        every = np.ascontiguousarray(with_locked(problem, spheres))
        depth = -optimiser.gaps(points, every)[0].astype(float) if len(every) else np.zeros(len(places))
        radius = np.maximum(np.maximum(depth, 0.0) + peep, problem.rmin)
        allowed = greatest_radii(problem, np.column_stack([places, radius])) >= radius
        if problem.mirror is not None:
            side = places @ problem.mirror[:3] - problem.mirror[3]
            allowed &= np.abs(side) > radius if missing > 1 else np.abs(side) < 0.3 * radius
        # A sphere put here before makes its own place deep: the next one goes elsewhere.
        if not allowed.any():
            break
        i = int(np.argmin(np.where(allowed, radius, np.inf)))
        new = np.array([[*places[i], radius[i]]])
        if problem.mirror is not None:
            image = new.copy()
            image[0, :3] -= 2 * side[i] * problem.mirror[:3]
            if missing > 1:
                new = np.vstack([new, image])
            else:
                new[0, :3] -= side[i] * problem.mirror[:3]
        spheres = np.vstack([spheres, new])
        missing -= len(new)
    return spheres


def without_superfluous(spheres: Floats, others: Floats | None = None) -> Floats:
    """The spheres (n,4: x, y, z, r in metres) without those that lie within another, or within one of `others`.

    A sphere that holds another but for rounding is grown by what is missing (at most `WRITING`), so that the union
    loses nothing. Of two equal ones the first stays.
    """
    if not len(spheres):
        return spheres
    kept = spheres.copy()
    held = np.zeros((0, 4)) if others is None else np.asarray(others, float).reshape(-1, 4)
    alive = np.ones(len(kept), bool)
    # From the smallest on: what is grown is larger, and comes later.
    for i in np.argsort(kept[:, 3], kind="stable"):
        center, radius = kept[i, :3], kept[i, 3]
        if len(held) and (np.linalg.norm(held[:, :3] - center, axis=1) + radius <= held[:, 3]).any():
            alive[i] = False
            continue
        needed = np.linalg.norm(kept[:, :3] - center, axis=1) + radius
        holds = alive & (needed <= kept[:, 3] + WRITING)
        holds[i] = False
        if holds.any():
            outer = int(np.flatnonzero(holds)[np.argmin((needed - kept[:, 3])[holds])])
            kept[outer, 3] = max(kept[outer, 3], needed[outer])
            alive[i] = False
    return kept[alive]
