"""What a fit says of itself, where the test knows that it says something; figures and jobs in one
line."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from editor_app.core.tasks.task import SILENT
from editor_app.features.spheres.engine import fit
from editor_app.features.spheres.engine.budget import budget_jobs
from editor_app.features.spheres.engine.deviation_map import DeviationMap
from editor_app.features.spheres.engine.links import LinkJob, LinkMesh, group_links
from editor_app.features.spheres.engine.results import Certificate, FitResult, Quality
from editor_app.features.spheres.engine.settings import FitSettings
from editor_app.features.spheres.engine.solid import build_solid
from editor_app.features.spheres.verbs.link_fits import compute_loss_curve


def quality_of(result: FitResult) -> Quality:
    """Raises AssertionError for a mesh without a surface."""
    assert result.quality is not None
    return result.quality


def excess_of(quality: Quality) -> float:
    """Excess volume as a share of the mesh's volume. Raises AssertionError for a surface without an
    inside."""
    assert quality.excess_ratio is not None
    return quality.excess_ratio


def volume_coverage_of(quality: Quality) -> float:
    """Raises AssertionError for a surface without an inside."""
    assert quality.volume_coverage is not None
    return quality.volume_coverage


def proof_of(result: FitResult) -> Certificate:
    """Raises AssertionError where nothing was to be covered."""
    assert result.certificate is not None
    return result.certificate


def measure(vertices: npt.ArrayLike, faces: npt.ArrayLike, spheres: npt.ArrayLike) -> Quality:
    """Quality of spheres (n, 4) for a mesh in the same frame, metres."""
    return fit.measure(build_solid(vertices, faces), spheres)


def deviation(vertices: npt.ArrayLike, spheres: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """How deep each vertex (n) is uncovered, metres; negative where spheres stand out."""
    return DeviationMap(vertices, spheres).values


def jobs_of(
    meshes: Sequence[LinkMesh], settings: FitSettings, budget: int | None = None
) -> list[LinkJob]:
    """The jobs of a fit, one per distinct mesh; with `budget`, so many spheres are shared out over
    the links."""
    groups = group_links(meshes)
    if budget is None:
        return [LinkJob.of_group(links, mesh, settings) for links, mesh in groups]
    curves = [compute_loss_curve(SILENT, mesh, budget) for _, mesh in groups]
    return budget_jobs(groups, curves, budget, settings)
