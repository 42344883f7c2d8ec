"""The jobs that a fit consists of: warm processes, what a mesh gains by more spheres, one fit per distinct mesh.

A process that has looked at a mesh to share the spheres out still knows its solid when it is asked to fit it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from editor_app.fitting.settings import FitSettings, FittingError, Mode
from editor_app.operations.link_fits import solid_of
from editor_app.tasks.job import Report
from editor_app.tasks.stop_file import StopFile

if TYPE_CHECKING:
    from editor_app.fitting.budget import LossCurve
    from editor_app.fitting.links import LinkFit, LinkJob, LinkMesh


#: What a process loads before its first job of a fit.
ENGINE = ("numpy", "editor_app.fitting.fit")


def load_engine() -> None:
    """Loads the classes that results are made of; without it the first of them would hold a window up."""
    import importlib

    # A fit tells what is missing.
    with contextlib.suppress(ImportError):
        importlib.import_module(ENGINE[-1])


#: Whether this process has loaded the engine.
_prepared = False


@dataclass(frozen=True)
class PrepareFitting:
    """Loads the engine and its compiled code (compiles it, the first time on a machine) by fitting small boxes.

    Gives the seconds that it took; a process that is prepared does nothing.
    """

    def __call__(self, report: Report) -> float:
        global _prepared
        if _prepared:
            return 0.0
        import time

        import numpy as np

        from editor_app.fitting.budget import loss_curve
        from editor_app.fitting.fit import fit_spheres
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
        _prepared = True
        return time.perf_counter() - started


@dataclass(frozen=True, eq=False)
class LossOf:
    """The loss curve of a mesh up to so many spheres; None when it has no surface, or when `stop` said so before."""

    mesh: LinkMesh
    most: int
    stop: StopFile | None = None

    def __call__(self, report: Report) -> LossCurve | None:
        from editor_app.fitting.budget import loss_curve

        if self.stop is not None and self.stop():
            return None
        try:
            return loss_curve(solid_of(self.mesh), self.most)
        except FittingError:
            return None


@dataclass(frozen=True, eq=False)
class FitOneJob:
    """One job of a plan: gives the list of LinkFit for the links that share the mesh; none when `stop` said so."""

    job: LinkJob
    stop: Callable[[], bool] | None = None

    def __call__(self, report: Report) -> list[LinkFit]:
        if self.stop is not None and self.stop():
            return []
        from editor_app.fitting.links import LinkMesh
        from editor_app.fitting.robot import run_job

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
