"""Sharing a budget of spheres out over links: each next sphere goes where it lowers the loss
most."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from editor_app.features.spheres.engine import apart, solid_fit
from editor_app.features.spheres.engine.links import LinkJob, LinkMesh
from editor_app.features.spheres.engine.settings import FitSettings, FittingError, SphereTuple

if TYPE_CHECKING:
    from editor_app.features.spheres.engine.solid import Solid

#: Slacks are tried from the first (in diagonals), each this share of the one before, down to the
#: last.
_FIRST, _STEP, _LAST = 0.6, 0.84, 0.003

#: More spheres than any link is given.
_MOST = 10_000

#: Links that count in full for the usual budget.
_FEW = 15


def estimate_budget(links: int) -> int:
    """Spheres for a robot of so many links when nobody says how many.

    16 each for an arm; robots with many links have fingers and covers among them, for which 4 more
    each are enough.
    """
    return 16 * min(links, _FEW) + 4 * max(0, links - _FEW)


@dataclass(frozen=True)
class LossCurve:
    """Loss of one mesh against its number of spheres: slack of a greedy cover times root of the
    surface (metres²).

    Halfway between how far spheres stand out (the slack) and how much volume is in excess (slack
    times surface): by volume alone, a trunk or base would take most of a budget, by depth alone its
    fingers. `numbers` grow and `losses` fall. `root_area`: root of the surface (metres). `enough`:
    more spheres than these add nothing. Picklable and small.
    """

    numbers: tuple[int, ...]
    losses: tuple[float, ...]
    root_area: float = 1.0
    enough: int = _MOST

    def loss(self, number: int) -> float:
        """Between the numbers that were tried by the power law through their neighbours."""
        return float(np.exp(np.interp(np.log(number), np.log(self.numbers), np.log(self.losses))))

    def slack(self, number: int) -> float:
        """How far (m) so many spheres stand out."""
        return self.loss(number) / self.root_area


def loss_curve(solid: Solid, most: int, balls: Sequence[SphereTuple] = ()) -> LossCurve:
    """The curve up to `most` spheres: one greedy cover per slack gives the number that the slack
    costs.

    `balls`: as of `FitSettings`.
    """
    parts = apart.split_solid(solid, most - most // 2 + (most > 1))
    size = parts[0].solid.diagonal
    slack, best = _FIRST, {1: _FIRST}
    while slack > _LAST:
        number = apart.count_part_spheres(parts, slack * size, most)
        if number > most:
            break
        # Slacks fall: the last one that a number was enough for is the best for it.
        best[number] = slack
        slack *= _STEP
    numbers = sorted(best)
    slacks = np.minimum.accumulate([best[n] for n in numbers])
    root = float(np.sqrt(solid.outer_area))
    return LossCurve(
        tuple(numbers), tuple((slacks * size * root).tolist()), root, _enough(solid, parts, balls)
    )


def _enough(solid: Solid, parts: Sequence[apart.LoosePart], balls: Sequence[SphereTuple]) -> int:
    """More spheres than these add nothing to a solid that is made of balls, or tiny."""
    if balls and solid_fit.covered_by(solid, np.array(balls)):
        return len(balls)
    if len(parts) == 1 and solid_fit.ball_of(solid) is not None:
        return 1
    return sum(solid_fit.useful_number(part.solid, _MOST) for part in parts)


def share_out(
    curves: Sequence[LossCurve],
    links: Sequence[int],
    total: int,
    weights: Sequence[float] | None = None,
) -> list[int]:
    """Number of spheres of each mesh, at least 1; `links[k]` links share mesh k and each gets as
    many.

    A quarter of the total is shared out evenly over the links, the rest goes where it lowers the
    sum of losses most. The loss of mesh k counts `weights[k]` times (default: once).

    Raises FittingError when there are more links than spheres.
    """
    needed = sum(links)
    if total < needed:
        raise FittingError(
            f"A budget of {total} spheres is too small for {needed} links: give at least one to "
            "each."
        )
    # Beside a trunk a finger is nothing: a quarter of the budget is shared out evenly.
    basis = max(1, total // (4 * max(1, needed)))
    numbers = [min(basis, curve.enough) for curve in curves]
    left = total - sum(number * count for number, count in zip(numbers, links, strict=True))
    queue: list[tuple[float, int, int]] = []

    def offer(k: int) -> None:
        # One more sphere often gains nothing where two or twice as many do: without looking ahead,
        # a link would starve.
        n = numbers[k]
        steps = sorted({max(1, n // 8), n, 3 * n})
        now = curves[k].loss(n)
        weight = 1.0 if weights is None else weights[k]
        gain, step = max((weight * (now - curves[k].loss(n + s)) / s, -s) for s in steps)
        heapq.heappush(queue, (-gain, k, -step))

    for k in range(len(curves)):
        offer(k)
    while queue and left > 0:
        _, k, step = heapq.heappop(queue)
        step = min(step, left // links[k], curves[k].enough - numbers[k])
        if step < 1:
            continue
        numbers[k] += step
        left -= step * links[k]
        offer(k)
    return numbers


def budget_jobs(
    groups: Sequence[tuple[tuple[str, ...], LinkMesh]],
    curves: Sequence[LossCurve | None],
    total: int,
    settings: FitSettings,
    share: float = 1.0,
) -> list[LinkJob]:
    """A job for each group of links with equal meshes; those without a curve have no surface and
    cost nothing.

    `share`: of what a mesh gets, the part that it is fitted with, unless planes clip it: with few
    spheres more of it would stay open next to them. Raises FittingError when there are more links
    than spheres.
    """
    usable = [
        (links, mesh, c) for (links, mesh), c in zip(groups, curves, strict=True) if c is not None
    ]
    weights = [mesh.weight for _, mesh, _ in usable]
    numbers = iter(
        share_out([c for *_, c in usable], [len(links) for links, *_ in usable], total, weights)
    )
    jobs = []
    for (links, mesh), curve in zip(groups, curves, strict=True):
        number = 1 if curve is None else next(numbers)
        number = number if mesh.clip_planes else max(1, round(share * number))
        link_settings = replace(settings, number=number, tolerance_m=None, density=None)
        jobs.append(LinkJob.of_group(links, mesh, link_settings))
    return jobs
