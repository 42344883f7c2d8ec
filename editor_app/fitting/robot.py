"""Fitting all links of a robot: who gets how many spheres, identical meshes once, one picklable job per mesh."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from editor_app.fitting.budget import budget_jobs, loss_curve
from editor_app.fitting.fit import fit_spheres
from editor_app.fitting.links import LinkFit, LinkJob, LinkMesh, distinct, largest_first
from editor_app.fitting.search import Progress
from editor_app.fitting.settings import FitSettings, FittingError
from editor_app.fitting.solid import Solid, build_solid

__all__ = [
    "LinkFit",
    "LinkJob",
    "LinkMesh",
    "fit_links",
    "largest_first",
    "plan_budget",
    "plan_tolerance",
    "run_job",
]


def plan_tolerance(meshes: Sequence[LinkMesh], settings: FitSettings) -> list[LinkJob]:
    """One job per distinct mesh, each with the settings as they are (tolerance, density or number per link)."""
    return [LinkJob(links, m.vertices, m.faces, settings) for links, m in distinct(meshes)]


def plan_budget(
    meshes: Sequence[LinkMesh],
    total: int,
    settings: FitSettings,
    *,
    on_progress: Progress | None = None,
    is_cancelled: Callable[[], bool] | None = None,
) -> list[LinkJob]:
    """Jobs whose numbers of spheres add up to at most ``total``: each next sphere goes where it lowers the loss most.

    The loss of a link with n spheres is its surface times the slack of its best greedy cover (metres³, an upper bound
    of the excess volume), counted for every link that shares the mesh. Meshes without surface get none.
    Raises FittingError when there are more links than spheres.
    """
    groups = distinct(meshes)
    curves = []
    for k, (_, mesh) in enumerate(groups):
        if on_progress is not None:
            on_progress(k / len(groups), "sharing out the spheres")
        if is_cancelled is not None and is_cancelled():
            return []
        solid = _solid_or_none(mesh)
        curves.append(loss_curve(solid, total) if solid is not None else None)
    return budget_jobs(groups, curves, total, settings)


def run_job(
    job: LinkJob,
    *,
    solid: Solid | None = None,
    on_progress: Progress | None = None,
    is_cancelled: Callable[[], bool] | None = None,
) -> list[LinkFit]:
    """Fit one job: a result for each of its links. Never raises for a bad mesh: the notes say what is wrong.

    `solid` is that of the job's mesh when it is known already.
    """
    result = fit_spheres(
        job.vertices, job.faces, job.settings, solid=solid, on_progress=on_progress, is_cancelled=is_cancelled
    )
    result = replace(result, solid=None)
    return [LinkFit(link, result, tuple(other for other in job.links if other != link)) for link in job.links]


def fit_links(
    jobs: Sequence[LinkJob],
    *,
    on_progress: Callable[[str, float, str], None] | None = None,
    is_cancelled: Callable[[], bool] | None = None,
) -> Iterator[LinkFit]:
    """Fit job after job in this process, yielding each link as it is done; stops between links when cancelled.

    on_progress(link, fraction, sentence). For several processes map ``run_job`` over the jobs instead.
    """
    for job in jobs:
        if is_cancelled is not None and is_cancelled():
            return

        def report(fraction: float, text: str, link: str = job.links[0]) -> None:
            if on_progress is not None:
                on_progress(link, fraction, text)

        done = run_job(job, on_progress=report, is_cancelled=is_cancelled)
        if is_cancelled is not None and is_cancelled():
            return
        yield from done


def _solid_or_none(mesh: LinkMesh) -> Solid | None:
    try:
        return build_solid(mesh.vertices, mesh.faces)
    except FittingError:
        return None
