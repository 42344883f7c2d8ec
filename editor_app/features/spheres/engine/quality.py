"""How good spheres are for a solid: our figures, and cuRobo's report by its own names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from editor_app.core.arrays import F32, F64, Bools
from editor_app.features.spheres.engine import optimiser
from editor_app.features.spheres.engine.field import sample_field
from editor_app.features.spheres.engine.results import CuroboReport, Quality
from editor_app.features.spheres.engine.solid import ROUNDING, Solid
from editor_app.features.spheres.engine.surface import outside_distance, surface_distance

#: Directions in which the surface of a sphere is looked at; fewer of many spheres.
_DIRECTIONS, _LEAST_DIRECTIONS, _ALL_DIRECTIONS = 400, 100, 25_600
#: How many of the places that stand out most are searched for a farther one, and by which angles
#: (radians).
_PLACES, _TURNS = 16, (0.1, 0.04, 0.015, 0.006)
#: Pieces of the surface whose corners are looked at, and how many of them closely.
_PIECES, _DEEP_PIECES = 20_000, 64


def measure_solid(solid: Solid, spheres: npt.ArrayLike, parts: Sequence[Solid] = ()) -> Quality:
    """Quality of ``spheres`` (n,4; metres) for a prepared solid; ``parts``: its parts that lie
    apart, as solids."""
    rows = np.asarray(spheres, float).reshape(-1, 4)
    s = np.ascontiguousarray(solid.spheres_to_canonical(rows))
    s = s[np.isfinite(s).all(1) & (s[:, 3] > 0)]
    size = solid.diagonal
    if len(s) == 0:
        nothing = CuroboReport(0, 0.0, 1.0, 0.0, 0.0, float("inf"), float("inf"), float("inf"), 0.0)
        inf = float("inf")
        return Quality(0, 0.0, 0.0, 0.0, 0.0, inf, inf, 0.0, 0.0, solid.volume, size, nothing)
    gap, _ = optimiser.gaps(sample_columns(solid.check_samples), s)
    volume_points, volume_weights = solid_cells(solid)
    volume_gap, _ = optimiser.gaps(volume_points, s)
    excess = optimiser.excess_volume(s, solid.phi, solid.origin, solid.h, min(solid.h, 1 / 110))
    uncovered = np.maximum(gap.astype(float), 0.0)
    deepest = max(float(uncovered.max()), _deepest(solid, s))
    standing = Protrusion.of(solid, s, parts)
    out = standing.outside[standing.outside > 0]
    sum_volume = float((4 / 3 * np.pi * s[:, 3] ** 3).sum())
    covered_volume = (
        None
        if solid.is_flat
        else float(volume_weights[volume_gap <= 0].sum() / volume_weights.sum())
    )
    report = CuroboReport(
        num_spheres=len(s),
        coverage=covered_volume,
        protrusion=len(out) / standing.outside.size,
        protrusion_dist_mean=float(out.mean()) * size if len(out) else 0.0,
        protrusion_dist_p95=float(np.percentile(out, 95)) * size if len(out) else 0.0,
        surface_gap_mean=float(uncovered.mean()) * size,
        surface_gap_p95=float(np.percentile(uncovered, 95)) * size,
        max_uncovered_gap=deepest * size,
        volume_ratio=None if solid.is_flat else sum_volume / solid.unit_volume,
    )
    return Quality(
        count=len(s),
        surface_coverage=float((gap <= 1e-7).mean()),
        volume_coverage=covered_volume,
        protrusion_mean=standing.mean * size,
        protrusion_max=float(standing.most.max()) * size,
        uncovered_mean=float(uncovered.mean()) * size,
        uncovered_max=deepest * size,
        excess_volume=None if solid.is_flat else excess * size**3,
        excess_ratio=None if solid.is_flat else excess / solid.unit_volume,
        solid_volume=solid.volume,
        diagonal=size,
        curobo=report,
    )


@dataclass(frozen=True, eq=False)
class Protrusion:
    """How far spheres stand out of a solid, measured on their surfaces. Canonical frame.

    mean: over the exposed surface of the union, by area. most (n): the farthest exposed place of
    each sphere. outside (n,k): distances of points of each sphere, hidden by others or not; 0
    within the solid.
    """

    mean: float
    most: F64
    outside: F64

    @classmethod
    def of(cls, solid: Solid, spheres: F64, parts: Sequence[Solid] = ()) -> Protrusion:
        """Measure spheres (n,4), n at least 1; ``parts`` as of `measure_solid`."""

        def distances(points: F64) -> F64:
            flat = points.reshape(-1, 3)
            if len(parts) < 2:
                return outside_distance(solid, flat).reshape(points.shape[:-1])
            metric = flat @ solid.turn * solid.diagonal + solid.centre
            each = [
                outside_distance(part, part.to_canonical(metric)) * part.diagonal for part in parts
            ]
            return np.asarray(np.min(each, axis=0) / solid.diagonal).reshape(points.shape[:-1])

        n = len(spheres)
        # The field's side is unsure next to edges and seams; the distance to the triangles is
        # exact.
        metric = solid.spheres_from_canonical(spheres)
        is_within = np.any([lie_within(each, metric) for each in parts or (solid,)], axis=0)
        directions = optimiser.directions(
            int(np.clip(_ALL_DIRECTIONS // n, _LEAST_DIRECTIONS, _DIRECTIONS)), 1
        )[0]
        outside = distances(spheres[:, None, :3] + spheres[:, None, 3:] * directions)
        outside[is_within] = 0.0
        exposed = optimiser.exposed(spheres, directions)
        weight = exposed * spheres[:, 3:] ** 2
        mean = float((weight * outside).sum() / weight.sum()) if weight.any() else 0.0
        standing = np.where(exposed, outside, 0.0)
        most = standing.max(1)
        # Between the directions spheres may stand out a little farther.
        places = np.argsort(standing, axis=None)[::-1][:_PLACES]
        owner, turned = places // len(directions), directions[places % len(directions)]
        for turn in _TURNS:
            around = turned[:, None] + turn * optimiser.directions(24, 1)[0]
            around /= np.linalg.norm(around, axis=2, keepdims=True)
            points = spheres[owner, None, :3] + spheres[owner, None, 3:] * around
            apart = np.linalg.norm(points[:, :, None] - spheres[:, :3], axis=3) - spheres[:, 3]
            apart[np.arange(len(owner)), :, owner] = np.inf
            out = distances(points)
            out[(apart.min(2) < 0) | is_within[owner, None]] = 0.0
            best = out.argmax(1)
            farthest = out[np.arange(len(owner)), best]
            better = farthest > most[owner]
            turned = np.where(better[:, None], around[np.arange(len(owner)), best], turned)
            np.maximum.at(most, owner, farthest)
        return cls(mean, most, outside)


def _deepest(solid: Solid, spheres: F64) -> float:
    """The greatest distance of the surface to spheres (n,4), 0 where all is covered: random points
    miss corners, and the middle of small open spots. Canonical frame."""

    def gaps(triangles: F64, shares: F64) -> F32:
        points = np.einsum("kc,ncx->nkx", shares, triangles).reshape(-1, 3)
        return np.asarray(optimiser.gaps(sample_columns(points), spheres)[0]).reshape(
            len(triangles), -1
        )

    pieces = solid.pieces[solid.outer]
    pieces = pieces[:: max(1, len(pieces) // _PIECES)]
    order = np.argsort(gaps(pieces, _shares(1)).max(1))
    return max(float(gaps(pieces[order[-_DEEP_PIECES:]], _shares(12)).max()), 0.0)


def _shares(parts: int) -> F64:
    """Barycentric coordinates (k,3) of a triangle's corners, middle, and points that cut its sides
    into parts."""
    rows = [(i, j, parts - i - j) for i in range(parts + 1) for j in range(parts + 1 - i)]
    return np.vstack([np.array(rows) / parts, np.full(3, 1 / 3)])


def lie_within(solid: Solid, spheres: F64) -> Bools:
    """Which of spheres (n,4; metres) have their centre inside a solid and reach none of its
    triangles.

    Where openings were closed, no triangles say how far a sphere may reach: there none does.
    """
    s = np.ascontiguousarray(solid.spheres_to_canonical(spheres))
    centres = np.ascontiguousarray(s[:, :3])
    is_inside = np.asarray(sample_field(solid.phi, solid.origin, solid.h, centres)) < 0
    return (
        is_inside
        & (surface_distance(solid, centres) >= s[:, 3] - ROUNDING)
        & (not solid.closed_off)
    )


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
        volume_points = solid.cache["volume points"] = (
            sample_columns(solid.origin + (cells + 0.5) * solid.h),
            weight,
        )
    return volume_points  # type: ignore[return-value]
