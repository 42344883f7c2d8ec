"""How good convex solids are for a link: the figures of spheres, by the same definitions, and the
proof of coverage."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from editor_app.core.arrays import F64
from editor_app.core.space.geometry.distance import compute_mesh_distances
from editor_app.core.space.geometry.mesh import spread_mesh_points
from editor_app.features.spheres.engine.quality import solid_cells
from editor_app.features.spheres.engine.results import Certificate, CuroboReport, Quality
from editor_app.features.spheres.engine.shapes import ConvexShape
from editor_app.features.spheres.engine.solid import Solid, required_triangles

#: What a mesh file, whose numbers have single precision, may leave out; metres.
TOLERANCE = 1e-6
#: Points on the surface of all solids, and cells of the box around them.
_POINTS, _CELLS = 8_000, 60_000


def measure_shapes(solid: Solid, shapes: Sequence[ConvexShape]) -> Quality:
    """Figures of `shapes`, defined as for spheres: see `Quality`, where "sphere" is a solid
    here."""
    gaps = _gaps(_metric(solid, solid.check_samples), shapes)
    inner, weights = solid_cells(solid)
    inside = _depths(_metric(solid, inner.T.astype(float)), shapes).min(axis=0) <= 0
    covered = None if solid.is_flat else float(weights[inside].sum() / weights.sum())
    every, is_exposed = _surface(shapes)
    signed = solid.signed_distance(every)
    corners = np.concatenate([shape.vertices for shape in shapes])
    at_corners = solid.signed_distance(
        corners[
            _is_exposed(
                corners,
                shapes,
                np.concatenate([np.full(len(shape.vertices), k) for k, shape in enumerate(shapes)]),
            )
        ]
    )
    standing = np.maximum(signed[is_exposed], 0.0)
    out = signed[signed > 0]
    excess = _excess(solid, shapes)
    report = CuroboReport(
        num_spheres=len(shapes),
        coverage=covered,
        protrusion=float((signed > 0).mean()),
        protrusion_dist_mean=float(out.mean()) if len(out) else 0.0,
        protrusion_dist_p95=float(np.percentile(out, 95)) if len(out) else 0.0,
        surface_gap_mean=float(gaps.mean()),
        surface_gap_p95=float(np.percentile(gaps, 95)),
        max_uncovered_gap=float(gaps.max()),
        volume_ratio=None
        if solid.is_flat
        else sum(shape.volume for shape in shapes) / solid.volume,
    )
    return Quality(
        count=len(shapes),
        surface_coverage=float((gaps <= 1e-7 * solid.diagonal + TOLERANCE).mean()),
        volume_coverage=covered,
        protrusion_mean=float(standing.mean()) if len(standing) else 0.0,
        protrusion_max=max(float(standing.max(initial=0.0)), float(at_corners.max(initial=0.0))),
        uncovered_mean=float(gaps.mean()),
        uncovered_max=float(gaps.max()),
        excess_volume=excess,
        excess_ratio=None if solid.is_flat else excess / solid.volume,
        solid_volume=solid.volume,
        diagonal=solid.diagonal,
        curobo=report,
    )


def certify_shapes(solid: Solid, shapes: Sequence[ConvexShape]) -> Certificate:
    """The proof that every required triangle is covered: each piece of it has its corners in one of
    the solids, which are convex, to a micrometre."""
    required = required_triangles(solid)
    asked = required[solid.parent]
    parents = solid.parent[asked]
    corners = _metric(solid, solid.pieces[asked].reshape(-1, 3))
    depths = _depths(corners, shapes)
    tolerance = TOLERANCE + 1e-7 * solid.diagonal
    held = (depths.reshape(len(shapes), -1, 3).max(axis=2) <= tolerance).any(axis=0)
    count, hidden = int(required.sum()), int((~required).sum())
    if held.all():
        return Certificate(True, count, hidden, 0, None, 0.0)
    open_corners = corners.reshape(-1, 3, 3)[~held].reshape(-1, 3)
    gaps = _gaps(open_corners, shapes)
    deepest = int(gaps.argmax())
    x, y, z = open_corners[deepest].tolist()
    return Certificate(
        False, count, hidden, len(np.unique(parents[~held])), (x, y, z), float(gaps[deepest])
    )


def _metric(solid: Solid, points: F64) -> F64:
    """Points (n, 3) of the canonical frame, in the link's frame (metres)."""
    return solid.spheres_from_canonical(np.column_stack([points, np.zeros(len(points))]))[:, :3]


def _depths(points: F64, shapes: Sequence[ConvexShape]) -> F64:
    return np.stack([shape.depths(points) for shape in shapes])


def _gaps(points: F64, shapes: Sequence[ConvexShape]) -> F64:
    """(n,) distances from the union, 0 within."""
    depths = _depths(points, shapes)
    out = np.flatnonzero(depths.min(axis=0) > 0)
    gaps = np.zeros(len(points))
    if len(out):
        each = [
            compute_mesh_distances(points[out], shape.vertices, shape.faces)
            if shape.geometry is None
            else row[out]
            for shape, row in zip(shapes, depths, strict=True)
        ]
        gaps[out] = np.stack(each).min(axis=0)
    return gaps


def _surface(shapes: Sequence[ConvexShape]) -> tuple[F64, np.ndarray]:
    """Points spread over the surfaces, and whether each is exposed: outside all other solids."""
    triangles = np.concatenate([shape.vertices[shape.faces] for shape in shapes])
    points, triangle = spread_mesh_points(triangles, _POINTS)
    owners = np.repeat(np.arange(len(shapes)), [len(shape.faces) for shape in shapes])[triangle]
    return points, _is_exposed(points, shapes, owners)


def _is_exposed(points: F64, shapes: Sequence[ConvexShape], owners: np.ndarray) -> np.ndarray:
    depths = _depths(points, shapes)
    depths[owners, np.arange(len(points))] = np.inf
    return np.asarray(depths.min(axis=0) > -1e-9)


def _excess(solid: Solid, shapes: Sequence[ConvexShape]) -> float:
    """Cubic metres of the union outside the solid, cells at the border by their share."""
    every = np.concatenate([shape.vertices for shape in shapes])
    low, size = every.min(axis=0), np.maximum(np.ptp(every, axis=0), 1e-6)
    step = float((np.prod(size) / _CELLS) ** (1 / 3))
    axes = [
        low[k] + (np.arange(max(int(np.ceil(size[k] / step)), 1)) + 0.5) * step for k in range(3)
    ]
    cells = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    union = _depths(cells, shapes).min(axis=0)
    near = union < step
    # Where both surfaces are one, no cell has more of the union than of the solid.
    shares = [
        np.clip(0.5 - depths / step, 0.0, 1.0)
        for depths in (union[near], solid.signed_distance(cells[near]))
    ]
    return float(np.maximum(shares[0] - shares[1], 0.0).sum() * step**3)
