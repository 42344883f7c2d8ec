"""What a budget of spheres would give before it is spent: how far the spheres of a robot would stand out.

An estimate by greedy covers, one per distinct mesh. The figures are of the same kind as the table's after a fit: the
greatest distance of the spheres of a link to its mesh, over the links.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any

from editor_app.fitting.budget import LossCurve, budget_jobs
from editor_app.fitting.links import LinkMesh, distinct
from editor_app.fitting.settings import FitSettings, FittingError
from editor_app.operations.link_fits import LossOf
from editor_app.operations.work import Cancel, Progress, never, run_jobs, silent, stop_file

#: A fit of n spheres stands out by so many times the slack of a greedy cover of as many: first + second * log2(n).
#: Fitted to the links of UR10e, Panda and Fanuc M-10iA, at half, once and twice the usual budget; of Kinova Jaco and
#: Unitree Z1 the means and the greatest are within 17 %. A base that a mount cuts can stand out farther.
_FIRST, _SECOND = 0.76, 0.11


@dataclass(frozen=True, slots=True)
class Protrusion:
    """How far the spheres of a link stand out at most (m): the most of all links, and their mean."""

    most: float
    mean: float

    @property
    def text(self) -> str:
        """In millimetres, for people."""
        return f"up to about {1000 * self.most:.0f} mm, {1000 * self.mean:.0f} mm on average"


@dataclass(frozen=True, slots=True, eq=False)
class BudgetOutlook:
    """`groups`: links with equal meshes. `curves`: what spheres gain on each, up to `most` of them."""

    groups: tuple[tuple[tuple[str, ...], LinkMesh], ...]
    curves: tuple[LossCurve | None, ...]
    most: int

    def stands_out(self, total: int, weights: Mapping[str, float] | None = None) -> Protrusion | None:
        """How far the spheres stand out; None for too small a budget, and without a surface.

        `weights`: how much a link counts when `total` is shared out.
        """
        weighed = [
            (links, replace(mesh, weight=max((weights or {}).get(k, 1.0) for k in links)))
            for links, mesh in self.groups
        ]
        try:
            jobs = budget_jobs(weighed, self.curves, total, FitSettings(number=1))
        except FittingError:
            return None
        depths = []
        for job, curve in zip(jobs, self.curves, strict=True):
            if curve is not None:
                number = job.settings.number or 1
                depths += [curve.slack(number) * (_FIRST + _SECOND * math.log2(number))] * len(job.links)
        return Protrusion(max(depths), sum(depths) / len(depths)) if depths else None


def budget_outlook(
    meshes: Sequence[LinkMesh],
    most: int,
    *,
    executor: Executor | None = None,
    progress: Progress = silent,
    cancel: Cancel = never,
) -> BudgetOutlook:
    """The outlook for links, for budgets of up to `most` spheres. Raises Cancelled."""
    groups = distinct(meshes)
    with stop_file(executor) as stop:
        done = [0]

        def count(_number: int, _result: Any) -> None:
            done[0] += 1
            progress(done[0] / len(groups), "Looking at the meshes")

        jobs = [LossOf(mesh, most, stop) for _, mesh in groups]
        curves = run_jobs(jobs, executor=executor, cancel=cancel, stop=stop, on_done=count)
    return BudgetOutlook(tuple(groups), tuple(curves), most)
