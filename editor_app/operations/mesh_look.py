"""The meshes are asked about a mask: as a job, and as a verb."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from editor_app.edit.document import Document
from editor_app.model.robot import RobotDescription
from editor_app.operations.pair_distances import NothingToCompare
from editor_app.operations.work import Cancel, Cancelled, Progress, never, run_jobs, silent
from editor_app.self_collision.mesh_look import NO_LOOK, MeshLook, look_at_meshes
from editor_app.self_collision.results import Analysis
from editor_app.tasks.job import Report

__all__ = ["NO_LOOK", "LookAtMeshes", "MeshLook", "mesh_look"]


@dataclass(frozen=True, slots=True)
class LookAtMeshes:
    """A job: MeshLook for an analysis of spheres. Raises NothingToCompare, ImportError without python-fcl."""

    robot: RobotDescription
    urdf_path: Path | None
    mappings: tuple[tuple[str, Path], ...]
    analysis: Analysis
    seed: int = 0

    def __call__(self, report: Report) -> MeshLook:
        look = look_at_meshes(
            self.robot,
            self.urdf_path,
            dict(self.mappings),
            self.analysis,
            seed=self.seed,
            on_progress=lambda share, text: report.progress(share, text),
        )
        if look is None:
            raise NothingToCompare("No link has shapes that can be loaded.")
        return look


def mesh_look(
    document: Document,
    analysis: Analysis,
    *,
    seed: int = 0,
    progress: Progress = silent,
    cancel: Cancel = never,
) -> MeshLook:
    """What the meshes say of the pairs of `analysis`: of those that cost much when they are checked, and of those that
    overlap always or at the default. Nothing where there are no meshes.

    Raises Cancelled, ImportError without python-fcl.
    """

    def tell(number: int, share: float, text: str) -> None:
        if cancel():
            raise Cancelled
        progress(share, text)

    packages = tuple(document.packages.items())
    job = LookAtMeshes(document.robot, document.urdf_path, packages, analysis, seed)
    looks: list[MeshLook] = []
    try:
        looks = run_jobs([job], executor=None, cancel=cancel, on_progress=tell)
    except NothingToCompare:
        return NO_LOOK
    return looks[0]
