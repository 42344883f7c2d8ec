"""Points against spheres: how far each is from the nearest surface, which hang together, and
spheres around them."""

from __future__ import annotations

import heapq
from collections.abc import Callable

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from editor_app.core.arrays import F64, I64
from editor_app.features.spheres.engine.enclosing import least_ball


def distances(
    points: F64,
    centres: F64,
    radii: F64,
    owners: I64,
    reach: float,
    tick: Callable[[float], object],
) -> tuple[F64, I64]:
    """(n,) signed distance in metres of each point from the nearest surface of a sphere, and (n,)
    the owner of that sphere; infinity and -1 for points farther away than `reach` from all owners.

    `owners` (s,): ascending numbers of what spheres belong to.
    """
    least, nearest = np.full(len(points), np.inf), np.full(len(points), -1, np.int64)
    numbers = np.unique(owners)
    for step, owner in enumerate(numbers.tolist()):
        tick(step / len(numbers))
        mine = owners == owner
        ball = least_ball(centres[mine])
        around = float(ball[3] + radii[mine].max()) + reach
        close = np.flatnonzero(((points - ball[:3]) ** 2).sum(axis=1) <= around**2)
        if not len(close):
            continue
        some = points[close]
        gaps = np.full(len(close), np.inf)
        for centre, radius in zip(centres[mine], radii[mine], strict=True):
            np.minimum(gaps, np.sqrt(((some - centre) ** 2).sum(axis=1)) - radius, out=gaps)
        better = (gaps < least[close]) & (gaps <= reach)
        least[close[better]], nearest[close[better]] = gaps[better], owner
    return least, nearest


def clusters(points: F64, spacing: float) -> I64:
    """(n,) number of the cluster of each point: cells of `spacing` metres with points that touch
    are one cluster."""
    if not len(points):
        return np.zeros(0, np.int64)
    cells, cell_of = np.unique(
        np.floor(points / spacing).astype(np.int64), axis=0, return_inverse=True
    )
    pairs = cKDTree(cells).query_pairs(1.8, output_type="ndarray")
    graph = coo_array(
        (np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(len(cells), len(cells))
    )
    return np.asarray(connected_components(graph, directed=False)[1][cell_of.ravel()], np.int64)


def balls_around(points: F64, padding: float, radius: float, number: int | None) -> F64:
    """(s, 4) centres and radii in metres that contain each of the points (n, 3) with `padding`
    around it.

    The largest ball is divided in two until all are at most `radius`, or until there are `number`.
    """
    queue: list[tuple[float, int, F64, F64]] = []
    serial = 0

    def push(some: F64) -> None:
        nonlocal serial
        ball = least_ball(some)
        heapq.heappush(queue, (-float(ball[3]), serial, ball, some))
        serial += 1

    push(np.unique(points, axis=0))
    while queue and -queue[0][0] + padding > radius and (number is None or len(queue) < number):
        _, _, ball, some = heapq.heappop(queue)
        if len(some) == 1:
            heapq.heappush(queue, (0.0, serial, ball, some))
            break
        axis = np.linalg.svd(some - some.mean(axis=0), full_matrices=False)[2][0]
        along = some @ axis
        is_far = along > 0.5 * (along.min() + along.max())
        if is_far.all() or not is_far.any():
            is_far = np.arange(len(some)) >= len(some) // 2
        push(some[is_far])
        push(some[~is_far])
    # A little more than rounding takes.
    return np.array([[*ball[:3], ball[3] + padding + 1e-9] for _, _, ball, _ in queue])
