"""Estimate of a budget of spheres: how far the spheres of a robot would protrude.

The links that would stand out farthest are fitted as they would be, above the mount and around what
they keep; the others are estimated by greedy covers. The figures are of the same kind as the
table's after a fit: the greatest distance of the spheres of a link to its mesh, over the links.
`tests/bench/promises.py` holds them against whole fits.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

from editor_app.core.tasks.task import Job, Task
from editor_app.core.tasks.work import Cancel, Progress, never, run_jobs, silent
from editor_app.features.spheres.engine.budget import LossCurve, budget_jobs
from editor_app.features.spheres.engine.links import LinkFit, LinkJob, LinkMesh, group_links
from editor_app.features.spheres.engine.settings import FitSettings, FittingError
from editor_app.features.spheres.verbs.link_fits import compute_loss_curve, fit_link

#: A fit of n spheres stands out by so many times the slack of a greedy cover of as many: first +
#: second * log2(n). Fitted to the links of UR10e, Panda and Fanuc M-10iA, at half, once and twice
#: the usual budget.
_FIRST, _SECOND = 0.76, 0.11
#: How much farther spheres stand out that a plane clips.
_CLIPPED = 1.1
#: So many meshes of a budget, the ones that would stand out farthest, are fitted; of those that
#: planes clip, whose fits take longer, the ones that are among so many. Estimates of detailed
#: meshes miss what few samples see.
_FITTED, _FITTED_CLIPPED = 6, 3


@dataclass(frozen=True, slots=True)
class ProtrusionOutlook:
    """How far the spheres of a link stand out at most (m): the most of all links, and their
    mean."""

    most: float
    mean: float

    @property
    def text(self) -> str:
        """In millimetres, for people."""
        return f"up to about {1000 * self.most:.0f} mm, {1000 * self.mean:.0f} mm on average"


def budget_outlook(
    meshes: Sequence[LinkMesh],
    totals: Iterable[int],
    settings: FitSettings | None = None,
    *,
    executor: Executor | None = None,
    progress: Progress = silent,
    cancel: Cancel = never,
) -> Mapping[int, ProtrusionOutlook]:
    """How far spheres would stand out, for each of `totals`; one that is too small for the links is
    left out.

    `meshes`: of links, with the planes, weights and locked spheres of the fit (`with_choices`).
    `settings`: of the fit. Raises Cancelled.
    """
    groups, totals = group_links(meshes), sorted(set(totals))
    # The best effort stands out as far as the usual one, within what is promised.
    usual = replace(settings or FitSettings(number=1), number=1, tolerance_m=None, density=None)
    usual = replace(usual, effort="normal") if usual.effort == "best" else usual

    def run(jobs: Sequence[Job], begins: float, ends: float) -> list[Any]:
        def tell(number: int, _: object) -> None:
            progress(begins + (ends - begins) * (number + 1) / len(jobs), "Estimating budgets")

        return run_jobs(jobs, executor=executor, cancel=cancel, on_done=tell, keeps_processes=True)

    curves: list[LossCurve | None] = run(
        [Task(compute_loss_curve, mesh, max(totals)) for _, mesh in groups], 0.0, 0.2
    )
    shares = [share for total in totals if (share := _Share.of(total, groups, curves, usual))]
    for again, begins, ends in ((False, 0.2, 0.7), (True, 0.7, 1.0)):
        asked = [
            (share, k, share.asked(k, again=again)) for share in shares for k in share.doubtful()
        ]
        done = run([Task(fit_link, job) for *_, job in asked], begins, ends)
        for (share, k, job), fits in zip(asked, done, strict=True):
            share.take(k, job, fits)
    return {share.total: share.protrusion() for share in shares}


# -- inside


@dataclass(slots=True, eq=False)
class _Share:
    """A budget shared out: a job for each mesh that has a surface, and how far (m) its spheres are
    `estimated` to stand out by a greedy cover, or stood out in a fit (`fitted`, by the number of
    the job); `final`: with the full effort."""

    total: int
    jobs: tuple[LinkJob, ...]
    estimated: tuple[float, ...]
    fitted: dict[int, float]
    final: set[int]

    @classmethod
    def of(
        cls,
        total: int,
        groups: Sequence[tuple[tuple[str, ...], LinkMesh]],
        curves: Sequence[LossCurve | None],
        settings: FitSettings,
    ) -> _Share | None:
        """None for a budget that is too small, and where nothing has a surface."""
        try:
            jobs = budget_jobs(groups, curves, total, settings)
        except FittingError:
            return None
        pairs = [(job, curve) for job, curve in zip(jobs, curves, strict=True) if curve is not None]
        estimated = tuple(_estimate(job, curve) for job, curve in pairs)
        return cls(total, tuple(job for job, _ in pairs), estimated, {}, set()) if pairs else None

    def doubtful(self) -> list[int]:
        """The jobs to fit next: first those that would stand out farthest, then the one of them
        that did, if it was fitted fast."""
        if not self.fitted:
            ranked = sorted(range(len(self.jobs)), key=lambda k: -self.estimated[k])[:_FITTED]
            return [
                k
                for n, k in enumerate(ranked)
                if n < _FITTED_CLIPPED or not self.jobs[k].settings.clip_planes
            ]
        farthest = max(self.fitted, key=lambda k: self.fitted[k])
        return [] if farthest in self.final else [farthest]

    def asked(self, k: int, *, again: bool) -> LinkJob:
        """A fast fit, which stands out as the fit does, unless a plane clips it."""
        job = self.jobs[k]
        clipped = bool(job.settings.clip_planes)
        return (
            job if again or clipped else replace(job, settings=replace(job.settings, effort="fast"))
        )

    def take(self, k: int, job: LinkJob, fits: Sequence[LinkFit]) -> None:
        depths = [
            fit.result.quality.protrusion_max for fit in fits if fit.result.quality is not None
        ]
        self.fitted[k] = max(depths, default=self.estimated[k])
        if job.settings.effort == self.jobs[k].settings.effort:
            self.final.add(k)

    def protrusion(self) -> ProtrusionOutlook:
        """Estimates of links that were not fitted go half the way that the others' fits went from
        theirs."""
        shift = math.sqrt(median(depth / self.estimated[k] for k, depth in self.fitted.items()))
        most = max(self.fitted.values())
        depths = [
            self.fitted.get(k, min(most, shift * estimate))
            for k, estimate in enumerate(self.estimated)
        ]
        links = [len(job.links) for job in self.jobs]
        return ProtrusionOutlook(
            most, sum(d * n for d, n in zip(depths, links, strict=True)) / sum(links)
        )


def _estimate(job: LinkJob, curve: LossCurve) -> float:
    number = job.settings.number or 1
    farther = _CLIPPED if job.settings.clip_planes else 1.0
    return max(1e-9, farther * curve.slack(number) * (_FIRST + _SECOND * math.log2(number)))
