"""Fitting a whole robot as jobs: warm processes, who gets how many spheres, one fit per distinct mesh.

A process that has looked at a mesh to share the spheres out still knows its solid when it is asked to fit it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from editor_app.operations.link_fits import StopFile, solid_of
from editor_app.tasks.job import Report

if TYPE_CHECKING:
    from editor_app.fitting.budget import LossCurve
    from editor_app.fitting.links import LinkFit, LinkJob, LinkMesh
    from editor_app.fitting.settings import FitSettings


@dataclass(frozen=True)
class PrepareFitting:
    """Loads the engine and its compiled code (compiles it, the first time on a machine) by fitting small boxes."""

    def __call__(self, report: Report) -> float:
        import time

        import numpy as np

        from editor_app.fitting.budget import loss_curve
        from editor_app.fitting.fit import fit_spheres
        from editor_app.fitting.settings import FitSettings, Mode
        from editor_app.fitting.solid import build_solid

        modes: tuple[Mode, ...] = ("cover", "inside")
        started = time.perf_counter()
        corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-2, 2)], float) * 0.05
        faces = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1]]
        faces += [[2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
        triangles = np.array(faces, np.int32)
        solid = build_solid(corners, triangles)
        loss_curve(solid, 4)
        for mode in modes:
            fit_spheres(corners, triangles, FitSettings(number=2, mode=mode, effort="fast"), solid=solid)
        # Without its lid: how far openings are to be closed is found out by loops of its own.
        build_solid(corners, triangles[:-2])
        return time.perf_counter() - started


@dataclass(frozen=True, eq=False)
class LossOf:
    """The loss curve of a mesh up to so many spheres; None when it has no surface, or when `stop` said so before."""

    mesh: LinkMesh
    most: int
    stop: StopFile | None = None

    def __call__(self, report: Report) -> LossCurve | None:
        from editor_app.fitting.budget import loss_curve
        from editor_app.fitting.settings import FittingError

        if self.stop is not None and self.stop():
            return None
        try:
            return loss_curve(solid_of(self.mesh), self.most)
        except FittingError:
            return None


@dataclass(frozen=True, eq=False)
class PlanRobot:
    """Gives the list of LinkJob for a whole robot: with `total` a budget that is shared out, else settings per link."""

    meshes: tuple[LinkMesh, ...]
    settings: FitSettings
    total: int | None = None

    def __call__(self, report: Report) -> list[LinkJob]:
        from editor_app.fitting.robot import largest_first, plan_budget, plan_tolerance

        if self.total is None:
            jobs = plan_tolerance(self.meshes, self.settings)
        else:
            jobs = plan_budget(self.meshes, self.total, self.settings, on_progress=report.progress)
        return largest_first(jobs)


@dataclass(frozen=True, eq=False)
class FitOneJob:
    """One job of a plan: gives the list of LinkFit for the links that share the mesh; none when `stop` said so."""

    job: LinkJob
    stop: StopFile | None = None

    def __call__(self, report: Report) -> list[LinkFit]:
        if self.stop is not None and self.stop():
            return []
        from editor_app.fitting.links import LinkMesh
        from editor_app.fitting.robot import run_job
        from editor_app.fitting.settings import FittingError

        job = self.job
        try:
            solid = None
            if job.settings.closing_m is None:
                solid = solid_of(LinkMesh(job.links[0], job.vertices, job.faces))
        except FittingError:
            # The fit says in its notes what is wrong with the mesh.
            solid = None
        fits = run_job(job, solid=solid, on_progress=report.progress, is_cancelled=self.stop)
        return [] if self.stop is not None and self.stop() else fits


def plan_of_budget(
    groups: Sequence[tuple[tuple[str, ...], LinkMesh]],
    curves: Mapping[tuple[str, ...], LossCurve | None],
    total: int,
    settings: FitSettings,
) -> list[LinkJob]:
    """Jobs, the costly ones first, from what `LossOf` gave for each group. Raises FittingError for too few spheres."""
    from editor_app.fitting.budget import budget_jobs
    from editor_app.fitting.links import largest_first

    return largest_first(budget_jobs(groups, [curves[links] for links, _ in groups], total, settings))


def plan_of_settings(groups: Sequence[tuple[tuple[str, ...], LinkMesh]], settings: FitSettings) -> list[LinkJob]:
    """Jobs with the same settings for every mesh, the costly ones first."""
    from editor_app.fitting.links import LinkJob, largest_first

    return largest_first([LinkJob.of_group(links, m, settings) for links, m in groups])
