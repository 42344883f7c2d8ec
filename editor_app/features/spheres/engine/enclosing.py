"""The least ball around points, exact: what one sphere that covers a body is."""

from __future__ import annotations

import itertools

import numpy as np

from editor_app.core.arrays import F64

#: A point counts as enclosed up to this share of the radius.
_ENCLOSED = 1e-12
_MOST_STEPS = 500


def least_ball(points: F64) -> F64:
    """Return the smallest sphere (4: x, y, z, r) around points (n,3), n at least 1, in their unit.

    The farthest point joins those that carry the ball, and the least ball of these few is solved
    exactly, until no point lies outside. The radius grows with each step: E. Welzl, *Smallest
    enclosing disks (balls and ellipsoids)*, 1991.
    """
    middle = points[int(np.argmax(((points - points.mean(0)) ** 2).sum(1)))]
    carriers, ball = middle[None], np.array([*middle, 0.0])
    for _ in range(_MOST_STEPS):
        distances = ((points - ball[:3]) ** 2).sum(1)
        farthest = int(np.argmax(distances))
        if np.sqrt(distances[farthest]) <= ball[3] * (1 + _ENCLOSED):
            break
        carriers, larger = _carried(np.vstack([carriers, points[farthest]]))
        if larger[3] <= ball[3]:
            break
        ball = larger
    reach = float(np.sqrt(((points - ball[:3]) ** 2).sum(1)).max())
    return np.array([*ball[:3], reach])


def _carried(points: F64) -> tuple[F64, F64]:
    """The points, of at most five (n,3) of which the last is one of them, that carry the least
    ball, and that ball."""
    best: tuple[F64, F64] | None = None
    last = len(points) - 1
    for count in range(1, 4):
        for chosen in itertools.combinations(range(last), min(count, last)):
            carriers = points[[*chosen, last]]
            edges = carriers[1:] - carriers[0]
            # The centre lies as far from all of them, and in the plane, line or space that they
            # span.
            share = np.linalg.lstsq(2 * edges @ edges.T, (edges**2).sum(1), rcond=None)[0]
            centre = carriers[0] + share @ edges
            radius = float(np.sqrt(((points - centre) ** 2).sum(1)).max())
            if best is None or radius < best[1][3] * (1 - 1e-14):
                best = carriers, np.array([*centre, radius])
    assert best is not None
    return best
