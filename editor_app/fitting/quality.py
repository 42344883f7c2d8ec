"""How good spheres are for a solid: our figures, and cuRobo's report by its own names."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from editor_app.arrays import F32, F64
from editor_app.fitting import optimiser
from editor_app.fitting.field import sample_field
from editor_app.fitting.results import CuroboReport, Quality
from editor_app.fitting.solid import Solid

#: Thickness of a flat mesh, in diagonals: more than rounding in a file of floats of four bytes.
FLAT_THICKNESS = 1e-6


def measure_solid(solid: Solid, spheres: npt.ArrayLike) -> Quality:
    """Quality of ``spheres`` (n,4) for a prepared solid."""
    rows = np.asarray(spheres, float).reshape(-1, 4)
    s = np.ascontiguousarray(solid.spheres_to_canonical(rows))
    s = s[np.isfinite(s).all(1) & (s[:, 3] > 0)]
    size = solid.diagonal
    if len(s) == 0:
        nothing = CuroboReport(0, 0.0, 1.0, 0.0, 0.0, float("inf"), float("inf"), float("inf"), 0.0)
        inf = float("inf")
        return Quality(0, 0.0, 0.0, 0.0, 0.0, inf, inf, 0.0, 0.0, solid.volume, size, nothing)
    gap, _ = optimiser.gaps(sample_columns(solid.check_samples), s)
    volume_points, _ = solid_cells(solid)
    volume_gap, _ = optimiser.gaps(volume_points, s)
    directions = optimiser.directions(400, 1)[0]
    mean, most, _, _ = optimiser.protrusions(s, solid.phi, solid.origin, solid.h, directions)
    excess = optimiser.excess_volume(s, solid.phi, solid.origin, solid.h, min(solid.h, 1 / 110))
    uncovered = np.maximum(gap.astype(float), 0.0)

    sphere_points = (s[:, None, :3] + s[:, None, 3:] * directions[None, ::2]).reshape(-1, 3)
    signed = sample_field(solid.phi, solid.origin, solid.h, sphere_points)
    out = signed[signed > 0]
    sum_volume = float((4 / 3 * np.pi * s[:, 3] ** 3).sum())
    volume = canonical_volume(solid)
    covered_volume = share_covered(solid, volume_gap <= 0)
    report = CuroboReport(
        num_spheres=len(s),
        coverage=covered_volume,
        protrusion=float((signed > 0).mean()),
        protrusion_dist_mean=float(out.mean()) * size if len(out) else 0.0,
        protrusion_dist_p95=float(np.percentile(out, 95)) * size if len(out) else 0.0,
        surface_gap_mean=float(uncovered.mean()) * size,
        surface_gap_p95=float(np.percentile(uncovered, 95)) * size,
        max_uncovered_gap=float(uncovered.max()) * size,
        volume_ratio=sum_volume / volume,
    )
    return Quality(
        count=len(s),
        surface_coverage=float((gap <= 1e-7).mean()),
        volume_coverage=covered_volume,
        protrusion_mean=mean * size,
        protrusion_max=most * size,
        uncovered_mean=float(uncovered.mean()) * size,
        uncovered_max=float(uncovered.max()) * size,
        excess_volume=excess * size**3,
        excess_ratio=excess / volume,
        solid_volume=0.0 if math.isnan(volume) else solid.volume,
        diagonal=size,
        curobo=report,
    )


def canonical_volume(solid: Solid) -> float:
    """Return the volume that figures are shares of, in canonical units; NaN for a flat mesh.

    A voxel that a sheet passes through is partly solid: what that sums up to depends on where the grid lies.
    """
    corners = solid.corners()
    variances = np.linalg.eigvalsh(np.cov(corners.T)) if len(corners) > 1 else np.zeros(3)
    is_flat = variances[0] < FLAT_THICKNESS**2 or solid.unit_volume <= 1e-12
    return math.nan if is_flat else solid.unit_volume


def share_covered(solid: Solid, is_covered: npt.NDArray[np.bool_]) -> float:
    """Return the share of the solid's cells (n,) that are covered; NaN for a flat mesh."""
    weights = solid_cells(solid)[1]
    return math.nan if math.isnan(canonical_volume(solid)) else float(weights[is_covered].sum() / weights.sum())


def sample_columns(points: F64) -> F32:
    """Points (n,3) as contiguous float32 columns (3,n), the layout of the compiled loops."""
    return np.ascontiguousarray(points.T.astype(np.float32))


def solid_cells(solid: Solid) -> tuple[F32, F64]:
    """Cell centres (3,n) of the solid and how much of each cell belongs to it (n)."""
    volume_points = solid.cache.get("volume points")
    if volume_points is None:
        occupancy = np.clip(0.5 - solid.phi / solid.h, 0.0, 1.0)
        cells = np.argwhere(occupancy > 0.02)
        cells = cells[:: max(1, len(cells) // 15_000)]
        weight = occupancy[tuple(cells.T)].astype(float)
        volume_points = solid.cache["volume points"] = (sample_columns(solid.origin + (cells + 0.5) * solid.h), weight)
    return volume_points  # type: ignore[return-value]
