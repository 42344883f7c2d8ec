"""What a budget of spheres would give before it is spent: how far the spheres of a robot would stand out.

An estimate by greedy covers, one per distinct mesh; the fit itself ends within a third of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any

from editor_app.fitting.budget import LossCurve, budget_jobs
from editor_app.fitting.links import LinkMesh, distinct
from editor_app.fitting.settings import FitSettings, FittingError
from editor_app.operations.fit_jobs import LossOf
from editor_app.operations.work import Cancel, Progress, never, run_jobs, silent, stop_file

__all__ = ["BudgetOutlook", "budget_outlook"]


@dataclass(frozen=True, slots=True, eq=False)
class BudgetOutlook:
    """`groups`: links with equal meshes. `curves`: what spheres gain on each, up to `most` of them."""

    groups: tuple[tuple[tuple[str, ...], LinkMesh], ...]
    curves: tuple[LossCurve | None, ...]
    most: int

    def stands_out(self, total: int, weights: Mapping[str, float] | None = None) -> float | None:
        """How far (m) the spheres of a link stand out, on average over the links; None for too small a budget.

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
        slacks = [
            (len(job.links), curve.slack(job.settings.number or 1))
            for job, curve in zip(jobs, self.curves, strict=True)
            if curve is not None
        ]
        links = sum(number for number, _ in slacks)
        return sum(number * slack for number, slack in slacks) / links if links else None


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
