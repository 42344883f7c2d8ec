"""The solid that spheres are fitted to: outer surface, signed distance field, samples.

The field lives in a canonical frame (bounding box centred at the origin, diagonal 1, axes ordered by extent, turned
so that the lighter half points to +): a fit does not depend on units, position, or mirroring at a coordinate plane.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from editor_app.fitting import field as kernels
from editor_app.fitting.mesh_cleaning import CleanMesh, bodies_and_watertight, clean_mesh
from editor_app.fitting.settings import FittingError

Floats = npt.NDArray[np.float64]
BASE_CLOSING = 0.0105
_CELLS = 110_000
_LARGEST_CLOSING = 0.15
_LARGEST_CLOSING_OF_SHEETS = 0.3


@dataclass(frozen=True, eq=False)
class Solid:
    """A mesh prepared for fitting; reuse it for every fit of the same mesh. Build it with ``build_solid``.

    Arrays in the canonical frame: ``phi`` (signed distance at voxel centres, negative inside, float32), ``origin``
    (corner of the grid), ``h`` (voxel size), ``pieces`` (k,3,3) triangles cut to a few voxels, ``outer`` (k) whether a
    piece can be reached from outside, ``samples`` (m,3) area-weighted points of the outer surface, ``hidden_samples``
    points of surface that lies enclosed. ``x_canonical = (x - centre) @ turn.T / diagonal``.
    Metric properties: ``diagonal`` (m), ``volume`` (m³), ``outer_area`` (m²), ``closing_m``.
    """

    mesh: CleanMesh
    centre: Floats
    turn: Floats
    diagonal: float
    origin: Floats
    h: float
    phi: npt.NDArray[np.float32]
    pieces: Floats
    outer: npt.NDArray[np.bool_]
    parent: npt.NDArray[np.int32]
    samples: Floats
    hidden_samples: Floats
    inner_points: Floats
    unit_volume: float
    unit_area: float
    closing: float
    closed_off: bool
    notes: tuple[str, ...]
    cache: dict[object, object] = field(default_factory=dict, repr=False)

    @property
    def volume(self) -> float:
        return self.unit_volume * self.diagonal**3

    @property
    def outer_area(self) -> float:
        return self.unit_area * self.diagonal**2

    @property
    def closing_m(self) -> float:
        return self.closing * self.diagonal

    def to_canonical(self, points: npt.ArrayLike) -> Floats:
        """Points (n,3) of the mesh's frame in the canonical frame."""
        return np.asarray((np.asarray(points, float).reshape(-1, 3) - self.centre) @ self.turn.T / self.diagonal)

    def spheres_to_canonical(self, spheres: npt.ArrayLike) -> Floats:
        s = np.asarray(spheres, float).reshape(-1, 4)
        return np.column_stack([self.to_canonical(s[:, :3]), s[:, 3] / self.diagonal])

    def spheres_from_canonical(self, spheres: npt.ArrayLike) -> Floats:
        s = np.asarray(spheres, float).reshape(-1, 4)
        return np.column_stack([s[:, :3] @ self.turn * self.diagonal + self.centre, s[:, 3] * self.diagonal])

    def signed_distance(self, points: npt.ArrayLike) -> Floats:
        """Signed distance in metres (negative inside) of points (n,3) in the mesh's frame; about h/10 accurate."""
        return np.asarray(
            kernels.sample_field(self.phi, self.origin, self.h, self.to_canonical(points)) * self.diagonal
        )


def build_solid(vertices: npt.ArrayLike, faces: npt.ArrayLike, *, closing_m: float | None = None) -> Solid:
    """Prepare a mesh (vertices (n,3) in metres, faces (m,3)) for fitting.

    closing_m: openings narrower than twice this are closed; None: 1 % of the diagonal, or, when the mesh turns out to
    be an open shell or a hollow assembly, the smallest radius that closes it.
    Raises FittingError when no triangle with an area is left.
    """
    notes: list[str] = []
    mesh = clean_mesh(vertices, faces, notes)
    if len(mesh.faces) == 0:
        raise FittingError("The mesh has no triangle with an area: " + " ".join(notes))
    lo, hi = mesh.vertices.min(0), mesh.vertices.max(0)
    centre, diagonal = (lo + hi) / 2, float(np.linalg.norm(hi - lo))
    turn = _canonical_axes(mesh, centre, diagonal)
    triangles = ((mesh.vertices - centre) @ turn.T / diagonal)[mesh.faces]
    extent = triangles.reshape(-1, 3).max(0) - triangles.reshape(-1, 3).min(0)
    h = float(np.clip((np.prod(np.maximum(extent, 0.02)) / _CELLS) ** (1 / 3), 1 / 150, 1 / 84))

    pieces, parent = kernels.split_large(triangles, 4 * h)
    pad = 4
    closing = BASE_CLOSING if closing_m is None else max(closing_m / diagonal, 1.05 * h)
    if closing_m is not None:
        pad += int(np.ceil(closing / h))
    origin, dims = _grid(extent, h, pad)
    dist, near = kernels.band_distance(pieces, origin, h, dims, 2.3 * h)
    wall_distance = dist
    if closing > 2 * h:
        wall_distance = _full_distance(near, pieces, origin, h)
    exterior = _exterior(wall_distance, dist, max(closing, 1.05 * h), h)
    closed_off = closing_m is not None and closing > 2 * h
    if closing_m is None:
        share = float((~exterior).sum() * h**3 / np.prod(np.maximum(extent, h)))
        found = _closing_of_shell(mesh, pieces, extent, h, share)
        if found is not None:
            closing, closed_off = found, True
            pad = 4 + int(np.ceil(closing / h))
            origin, dims = _grid(extent, h, pad)
            dist, near = kernels.band_distance(pieces, origin, h, dims, 2.3 * h)
            exterior = _exterior(_full_distance(near, pieces, origin, h), dist, closing, h)
            notes.append(
                f"An open shell or hollow assembly: openings up to {2000 * closing * diagonal:.1f} mm were closed "
                "and the inside counts as solid."
            )
    closing = max(closing, 1.05 * h)

    solid = kernels.inside_of_band(~exterior, exterior, dist, near, pieces, origin, h)
    reach = kernels.dilate(exterior, 2.7)
    edge = ~exterior & kernels.dilate(exterior, 1.0)
    seeds = ((near >= 0) & reach & (dist < 1.8 * h)) | (edge & (near < 0))
    index = ndimage.distance_transform_edt(~seeds, return_distances=False, return_indices=True)
    magnitude = kernels.distance_to_features(index, near, pieces, origin, h)
    phi = np.ascontiguousarray(np.where(solid, -magnitude, magnitude).astype(np.float32))

    points, of_piece, unit_area = _surface_samples(pieces)
    cell = np.clip(((points - origin) / h).astype(np.int64), 0, np.array(dims) - 1)
    outside = reach[cell[:, 0], cell[:, 1], cell[:, 2]]
    if not outside.any():
        outside[:] = True
    piece_centre = pieces.mean(1)
    cell = np.clip(((piece_centre - origin) / h).astype(np.int64), 0, np.array(dims) - 1)
    wide = kernels.dilate(exterior, 5.0)
    outer = wide[cell[:, 0], cell[:, 1], cell[:, 2]]
    outer[of_piece[outside]] = True
    hidden_share = 1 - float(outside.mean())
    if hidden_share > 0.02:
        notes.append(f"{100 * hidden_share:.0f} % of the surface lies enclosed inside and counts as filled.")

    occupancy = np.clip(0.5 - phi / h, 0.0, 1.0)
    inner = np.argwhere(phi < -0.25 * h)
    inner_points = origin + (inner + 0.5) * h
    return Solid(
        mesh=mesh,
        centre=centre,
        turn=turn,
        diagonal=diagonal,
        origin=origin,
        h=h,
        phi=phi,
        pieces=pieces,
        outer=outer,
        parent=parent,
        samples=np.ascontiguousarray(points[outside]),
        hidden_samples=np.ascontiguousarray(points[~outside]),
        inner_points=inner_points,
        unit_volume=float(occupancy.sum(dtype=np.float64) * h**3),
        unit_area=unit_area * float(outside.mean()),
        closing=closing,
        closed_off=closed_off,
        notes=tuple(notes),
    )


def _grid(extent: Floats, h: float, pad: int) -> tuple[Floats, tuple[int, int, int]]:
    cells = np.ceil(extent / h).astype(int) + 2 * pad
    return -cells * h / 2, (int(cells[0]), int(cells[1]), int(cells[2]))


def _canonical_axes(mesh: CleanMesh, centre: Floats, diagonal: float) -> Floats:
    """Signed permutation: axes by falling extent, each turned so that the third moment of the surface is positive."""
    t = (mesh.vertices[mesh.faces] - centre) / diagonal
    area = np.linalg.norm(np.cross(t[:, 1] - t[:, 0], t[:, 2] - t[:, 0]), axis=1)
    third = (area[:, None] * t.mean(1) ** 3).sum(0) / area.sum()
    extent = np.ptp(mesh.vertices, axis=0) / diagonal
    order = np.argsort(-np.round(extent, 6), kind="stable")
    turn = np.zeros((3, 3))
    for row, axis in enumerate(order):
        turn[row, axis] = -1.0 if third[axis] < -1e-9 else 1.0
    return turn


def _full_distance(near: npt.NDArray[np.int32], pieces: Floats, origin: Floats, h: float) -> npt.NDArray[np.float32]:
    index = ndimage.distance_transform_edt(near < 0, return_distances=False, return_indices=True)
    return np.asarray(kernels.distance_to_features(index, near, pieces, origin, h))


def _exterior(
    wall_distance: npt.NDArray[np.float32], dist: npt.NDArray[np.float32], closing: float, h: float
) -> npt.NDArray[np.bool_]:
    """Cells that a ball of radius ``closing`` coming from outside can sweep."""
    exterior = kernels.flood(wall_distance <= closing)
    if closing <= 6 * h:
        exterior = kernels.dilate(exterior, closing / h * 1.0001)
    else:
        exterior = ndimage.distance_transform_edt(~exterior) <= closing / h * 1.0001
    return np.asarray(exterior & (dist > 0.7 * h))


def _closing_of_shell(mesh: CleanMesh, pieces: Floats, extent: Floats, h: float, share: float) -> float | None:
    """Smallest closing radius that makes a hollow thing solid, or None when the mesh is no open shell.

    ``share``: how much of its bounding box the mesh fills as it stands. A single watertight body is taken at its word.
    """
    if share > 0.4:
        return None
    bodies, watertight = bodies_and_watertight(mesh)
    if bodies == 1 and watertight:
        return None
    largest = _LARGEST_CLOSING if watertight else _LARGEST_CLOSING_OF_SHEETS
    coarse = max(h, 1 / 96)
    origin, dims = _grid(extent, coarse, 4 + int(np.ceil(largest / coarse)))
    dist, near = kernels.band_distance(pieces, origin, coarse, dims, 2.3 * coarse)
    full = _full_distance(near, pieces, origin, coarse)

    def volume(closing: float) -> float:
        return float((~_exterior(full, dist, closing, coarse)).sum()) * coarse**3

    skin = 0.5 * float((dist <= 0.7 * coarse).sum()) * coarse**3
    base = volume(1.05 * coarse) - skin
    # The jump that an enclosed inside makes, not the slow gain of rounded inner corners.
    steps = np.array([0.015, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09, 0.1, 0.11, 0.12, 0.135, 0.15, 0.17, 0.19])
    steps = np.append(steps, [0.21, 0.24, 0.27, 0.3])
    box = float(np.prod(np.maximum(extent, coarse)))
    before = base
    for closing in steps[steps <= largest + 1e-9]:
        now = volume(float(closing)) - skin
        if now - before > 0.12 * box and now > 1.7 * before:
            return float(closing) * 1.02
        before = now
    return None


def _surface_samples(pieces: Floats, count: int = 12_000) -> tuple[Floats, npt.NDArray[np.int64], float]:
    """Area-weighted points (stratified by area, R2 sequence inside a piece), their piece, and the area."""
    a = pieces[:, 1] - pieces[:, 0]
    b = pieces[:, 2] - pieces[:, 0]
    area = np.linalg.norm(np.cross(a, b), axis=1) / 2
    total = float(area.sum())
    cumulated = np.cumsum(area)
    k = np.arange(count)
    chosen = np.minimum(np.searchsorted(cumulated, (k + 0.5) / count * total), len(pieces) - 1)
    u = (0.5 + k * 0.7548776662466927) % 1.0
    v = (0.5 + k * 0.5698402909980532) % 1.0
    flip = u + v > 1
    u[flip], v[flip] = 1 - u[flip], 1 - v[flip]
    points = pieces[chosen, 0] + u[:, None] * a[chosen] + v[:, None] * b[chosen]
    return points, chosen, total
