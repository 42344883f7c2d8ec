"""The solid that spheres are fitted to: outer surface, signed distance field, samples.

The field lives in a canonical frame (bounding box centred at the origin, diagonal 1, axes ordered
by extent, turned so that the lighter half points to +): a fit does not depend on units, position,
or mirroring at a coordinate plane.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from editor_app.core.arrays import F32, F64, I32, I64, Bools
from editor_app.features.spheres.engine import field as kernels
from editor_app.features.spheres.engine import voxels
from editor_app.features.spheres.engine.pieces import (
    CleanMesh,
    clean_mesh,
    closed_bodies,
    compute_areas,
    find_pieces_in_cells,
    split_large,
    third_moments,
)
from editor_app.features.spheres.engine.settings import FittingError

BASE_CLOSING = 0.0105
ROUNDING = 1e-7
_CELLS = 110_000
#: Points of the surface, half of which a fit gets to see.
SAMPLES = 48_000
#: A solid of less volume, in cubes of the diagonal, has none.
_NO_VOLUME = 1e-9
#: Thickness of a flat mesh, in diagonals: more than rounding in a file of floats of four bytes.
_FLAT_THICKNESS = 1e-6
#: Share of its box that an open mesh fills, below which its walls alone count as solid (hollow
#: shank 6 %, calf 16 %).
_SHEETS = 0.1
#: The deepest value of the field of sheets, in voxels.
_SHEET_DEPTH = -1.5
_LARGEST_CLOSING = 0.15
#: A closing that was found on another grid is widened until this grid agrees: what is closed has
#: this share at least.
_WIDER, _SAME_VOLUME = (1.0, 1.1, 1.22, 1.4), 0.7
_LARGEST_CLOSING_OF_SHEETS = 0.22
_CLOSING_STEPS = np.array(
    [
        0.02,
        0.03,
        0.04,
        0.05,
        0.06,
        0.07,
        0.08,
        0.09,
        0.1,
        0.11,
        0.12,
        0.135,
        0.15,
        0.17,
        0.195,
        0.22,
    ]
)


@dataclass(frozen=True, eq=False)
class Solid:
    """A mesh prepared for fitting; reuse it for every fit of the same mesh. Build it with
    ``build_solid``.

    Arrays in the canonical frame: ``phi`` (signed distance at voxel centres, negative inside,
    float32), ``origin`` (corner of the grid), ``h`` (voxel size), ``pieces`` (k,3,3) triangles cut
    to a few voxels, ``outer`` (k) whether a piece can be reached from outside, ``samples`` (m,3)
    area-weighted points of the outer surface, ``check_samples`` others of the same kind that no fit
    gets to see. ``x_canonical = (x - centre) @ turn.T / diagonal``. Metric properties: ``diagonal``
    (m), ``volume`` (m³), ``outer_area`` (m²), ``closing_m``. ``is_flat``: the mesh is a surface
    alone, with no inside that voxels or the triangles tell.
    """

    mesh: CleanMesh
    centre: F64
    turn: F64
    diagonal: float
    origin: F64
    h: float
    phi: F32
    pieces: F64
    outer: Bools
    parent: I32
    samples: F64
    check_samples: F64
    inner_points: F64
    unit_volume: float
    unit_area: float
    closing: float
    closed_off: bool
    is_flat: bool
    notes: tuple[str, ...]
    cache: dict[object, object] = field(default_factory=dict, repr=False)

    @property
    def volume(self) -> float:
        return 0.0 if self.is_flat else self.unit_volume * self.diagonal**3

    @property
    def outer_area(self) -> float:
        return self.unit_area * self.diagonal**2

    @property
    def closing_m(self) -> float:
        return self.closing * self.diagonal

    def to_canonical(self, points: npt.ArrayLike) -> F64:
        """Points (n,3) of the mesh's frame in the canonical frame."""
        return np.asarray(
            (np.asarray(points, float).reshape(-1, 3) - self.centre) @ self.turn.T / self.diagonal
        )

    def spheres_to_canonical(self, spheres: npt.ArrayLike) -> F64:
        s = np.asarray(spheres, float).reshape(-1, 4)
        return np.column_stack([self.to_canonical(s[:, :3]), s[:, 3] / self.diagonal])

    def spheres_from_canonical(self, spheres: npt.ArrayLike) -> F64:
        s = np.asarray(spheres, float).reshape(-1, 4)
        return np.column_stack(
            [s[:, :3] @ self.turn * self.diagonal + self.centre, s[:, 3] * self.diagonal]
        )

    def finer(self, voxel_m: float) -> Solid:
        """This solid, or the same with voxels no larger than ``voxel_m`` (down to 1/260 of the
        diagonal); kept."""
        size = max(voxel_m, self.diagonal / 260)
        if self.h * self.diagonal <= 1.05 * size:
            return self
        key = ("finer", round(size / self.diagonal, 4))
        if key not in self.cache:
            closing = (
                self.closing_m
                if self.closed_off
                else max(BASE_CLOSING, 1.05 * self.h) * self.diagonal
            )
            for wider in _WIDER:
                fine = build_solid(
                    self.mesh.vertices, self.mesh.faces, closing_m=wider * closing, voxel_m=size
                )
                if not self.closed_off or fine.unit_volume > _SAME_VOLUME * self.unit_volume:
                    break
            self.cache[key] = fine
        return self.cache[key]  # type: ignore[return-value]

    def points(self, count: int) -> F64:
        """About twice ``count`` points (k,3) of the outer surface in the mesh's frame, metres:
        samples and corners."""
        parts = [each[:: max(1, len(each) // count)] for each in (self.samples, self.corners())]
        return np.concatenate(parts) @ self.turn * self.diagonal + self.centre

    def corners(self) -> F64:
        """Corners (k,3) of outer pieces, one per half voxel; canonical frame."""
        corners = self.cache.get("corners")
        if corners is None:
            points = self.pieces[self.outer].reshape(-1, 3)
            cell = np.round((points - self.origin) / (0.5 * self.h)).astype(np.int64)
            packed = (cell[:, 0] * 4096 + cell[:, 1]) * 4096 + cell[:, 2]
            _, first = np.unique(packed, return_index=True)
            chosen = points[np.sort(first)]
            # Corners of the mesh itself come first; of a fine mesh a part is enough.
            corners = self.cache["corners"] = chosen[:: max(1, len(chosen) // 12000)]
        return corners  # type: ignore[return-value]

    def signed_distance(self, points: npt.ArrayLike) -> F64:
        """Signed distance in metres (negative inside) of points (n,3) in the mesh's frame; about
        h/10 accurate."""
        return np.asarray(
            kernels.sample_field(self.phi, self.origin, self.h, self.to_canonical(points))
            * self.diagonal
        )


def build_solid(
    vertices: npt.ArrayLike,
    faces: npt.ArrayLike,
    *,
    closing_m: float | None = None,
    voxel_m: float | None = None,
) -> Solid:
    """Prepare a mesh (vertices (n,3) in metres, faces (m,3)) for fitting.

    closing_m: openings narrower than twice this are closed; None: 1 % of the diagonal, or, when the
    mesh turns out to be an open shell or a hollow assembly, the smallest radius that closes it.
    voxel_m: size of a voxel, at least 1/260 of the diagonal; None: about 1/84 to 1/150, by shape.
    Raises FittingError when no triangle with an area is left.
    """
    notes: list[str] = []
    mesh = clean_mesh(vertices, faces, notes)
    if len(mesh.faces) == 0:
        raise FittingError("The mesh has no triangle with an area: " + " ".join(notes))
    lo, hi = mesh.vertices.min(0), mesh.vertices.max(0)
    centre, diagonal = (lo + hi) / 2, float(np.linalg.norm(hi - lo))
    turn = _canonical_axes(mesh, centre, diagonal)
    triangles = _canonical_triangles(mesh, centre, turn, diagonal)
    extent = np.round(np.abs(turn) @ (hi - lo) / diagonal, 7)
    h = float(
        np.clip((np.prod(np.maximum(extent, 0.02)) / _CELLS) ** (1 / 3), 1 / 150, 1 / 84).round(9)
    )
    if voxel_m is not None:
        h = max(voxel_m / diagonal, 1 / 260)
    pieces, parent = split_large(triangles, 4 * h)
    band = _closed_band(mesh, pieces, extent, h, diagonal, closing_m, notes)
    origin, closing = band.origin, band.closing
    phi, reach = _signed_distance(band, pieces, h)
    points, of_piece, unit_area = _surface_samples(pieces)
    cell = np.clip(((points - origin) / h).astype(np.int64), 0, np.array(phi.shape) - 1)
    outside = reach[cell[:, 0], cell[:, 1], cell[:, 2]]
    if not outside.any():
        outside[:] = True
    outer = find_pieces_in_cells(pieces, reach, origin, h)
    outer[of_piece[outside]] = True
    hidden_share = 1 - float(outside.mean())
    if hidden_share > 0.02:
        notes.append(f"{100 * hidden_share:.0f} % of the surface is enclosed and counts as filled.")

    inner = np.argwhere(phi < -0.25 * h)
    unit_volume, is_flat = (
        float(np.clip(0.5 - phi / h, 0.0, 1.0).sum(dtype=np.float64) * h**3),
        False,
    )
    if not band.closed_off and phi.min() > _SHEET_DEPTH * h:
        bodies = closed_bodies(mesh)
        if len(bodies) == 1 or not len(inner):
            # Voxels do not resolve so thin a body; the volume of a closed mesh is exact.
            corners = (mesh.vertices[mesh.faces] - centre) / diagonal
            exact = sum((abs(_volume_within(corners[body])) for body in bodies), 0.0)
            is_flat = exact < _NO_VOLUME
            unit_volume = unit_volume if is_flat else exact
    is_flat = is_flat or _is_planar(mesh.vertices[mesh.faces].reshape(-1, 3), diagonal)
    if is_flat:
        notes.append(
            "The mesh is a surface without an inside: it has no volume and no excess volume."
        )
    elif (
        not band.closed_off and unit_volume < _SHEETS * np.prod(extent) and not closed_bodies(mesh)
    ):
        notes.append(
            "The mesh is open and only its walls count as solid: excess volume is unreliable."
        )
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
        samples=np.ascontiguousarray(points[::2][outside[::2]]),
        check_samples=np.ascontiguousarray(points[1::2][outside[1::2]]),
        inner_points=inner_points,
        unit_volume=unit_volume,
        unit_area=unit_area * float(outside.mean()),
        closing=closing,
        closed_off=band.closed_off,
        is_flat=is_flat,
        notes=tuple(notes),
    )


def _is_planar(points: F64, diagonal: float) -> bool:
    """Whether points (n,3) lie in one plane. Voxels of a sheet are partly solid, by where the grid
    lies."""
    return bool(np.linalg.eigvalsh(np.cov(points.T))[0] < (_FLAT_THICKNESS * diagonal) ** 2)


def has_inside(solid: Solid) -> bool:
    """Return whether a sphere can lie inside: of a sheet, open or curved, its voxels alone are
    solid."""
    if solid.is_flat:
        return False
    return (
        solid.closed_off
        or bool(solid.phi.min() <= _SHEET_DEPTH * solid.h)
        or bool(closed_bodies(solid.mesh))
    )


def required_triangles(solid: Solid) -> Bools:
    """Mask over ``solid.mesh.faces``: the triangles of which any part can be reached from
    outside."""
    mask = np.zeros(len(solid.mesh.faces), bool)
    mask[solid.parent[solid.outer]] = True
    return mask


@dataclass(frozen=True, eq=False)
class _Band:
    """Cells near the surface: distance and nearest piece of each (-1: none near), and whether it is
    outside."""

    origin: F64
    dist: F32
    near: I32
    exterior: Bools
    closing: float
    closed_off: bool


def _closed_band(
    mesh: CleanMesh,
    pieces: F64,
    extent: F64,
    h: float,
    diagonal: float,
    closing_m: float | None,
    notes: list[str],
) -> _Band:
    """The cells around the surface, openings closed as `build_solid` says; what was closed by
    itself is noted."""
    pad = 4
    closing = BASE_CLOSING if closing_m is None else max(closing_m / diagonal, 1.05 * h)
    if closing_m is not None:
        pad += int(np.ceil(closing / h))
    origin, dims = _grid(extent, h, pad)
    dist, near = kernels.band_distance(pieces, origin, h, dims, 1.6 * h)
    wall_distance = dist
    if closing > 2 * h:
        wall_distance = kernels.beyond_band(dist, near, h)
    exterior = _exterior(wall_distance, dist, max(closing, 1.05 * h), h)
    closed_off = closing_m is not None and closing > max(2 * h, 1.3 * BASE_CLOSING)
    if closing_m is None:
        share = float(
            (exterior.size - np.count_nonzero(exterior)) * h**3 / np.prod(np.maximum(extent, h))
        )
        shell_closing = _closing_of_shell(mesh, (dist, near, origin), extent, h, share)
        if shell_closing is not None:
            volume = shell_closing[1]
            closed_off = True
            for wider in _WIDER:
                closing = wider * shell_closing[0]
                more = 4 + int(np.ceil(closing / h)) - pad
                if more > 0:
                    # A wider margin for the same cells.
                    dist = np.pad(dist, more, constant_values=kernels.FAR)
                    near = np.pad(near, more, constant_values=np.int32(-1))
                    pad += more
                    origin, dims = origin - more * h, dist.shape
                exterior = _exterior(kernels.beyond_band(dist, near, h), dist, closing, h)
                if float((~exterior).sum()) * h**3 > _SAME_VOLUME * volume:
                    break
            notes.append(
                f"An open shell or hollow assembly: openings up to {2000 * closing * diagonal:.1f} "
                "mm were closed "
                "and the inside counts as solid."
            )
    closing = max(closing, 1.05 * h)
    if pad > 4:
        # The wide margin only served the closing.
        cut = (slice(pad - 4, 4 - pad),) * 3
        dist, near, exterior = (np.ascontiguousarray(a[cut]) for a in (dist, near, exterior))
        origin, dims = origin + (pad - 4) * h, dist.shape
    return _Band(origin, dist, near, exterior, closing, closed_off)


def _signed_distance(band: _Band, pieces: F64, h: float) -> tuple[F32, Bools]:
    """Distance to the outer surface (negative inside), and the cells that the outside reaches."""
    dist, near, exterior, origin = band.dist, band.near, band.exterior, band.origin
    solid = kernels.inside_of_band(~exterior, exterior, dist, near, pieces, origin, h)
    reach = voxels.dilate(exterior, 2.7)
    edge = ~exterior & voxels.dilate(exterior, 1.0)
    # Where the outside ends although no surface is near, an opening was closed: its cells are the
    # surface there.
    closure = edge & (dist > h)
    near = np.where(closure, np.int32(-1), near)
    seeds = ((near >= 0) & reach & (dist < 0.95 * h)) | closure
    magnitude = kernels.distance_to_seeds(seeds, near, pieces, origin, h)
    return np.ascontiguousarray(np.where(solid, -magnitude, magnitude).astype(np.float32)), reach


def _volume_within(triangles: F64) -> float:
    """Volume within closed triangles (n,3,3), by the divergence theorem; its sign is that of their
    winding."""
    return (
        float(
            np.einsum("ij,ij->i", triangles[:, 0], np.cross(triangles[:, 1], triangles[:, 2])).sum()
        )
        / 6
    )


def _grid(extent: F64, h: float, pad: int) -> tuple[F64, tuple[int, int, int]]:
    cells = np.ceil(extent / h).astype(int) + 2 * pad
    return -cells * h / 2, (int(cells[0]), int(cells[1]), int(cells[2]))


def _canonical_axes(mesh: CleanMesh, centre: F64, diagonal: float) -> F64:
    """Signed permutation: axes by falling extent, each turned so that the third moment of the
    surface is positive."""
    third = third_moments(mesh.vertices, mesh.faces, centre, diagonal)
    extent = np.ptp(mesh.vertices, axis=0) / diagonal
    order = np.argsort(-np.round(extent, 6), kind="stable")
    turn = np.zeros((3, 3))
    for row, axis in enumerate(order):
        turn[row, axis] = -1.0 if third[axis] < -1e-9 else 1.0
    return turn


def _canonical_triangles(mesh: CleanMesh, centre: F64, turn: F64, diagonal: float) -> F64:
    """Triangles (m,3,3) in the canonical frame, rounded to ROUNDING and with their corners in a
    fixed order: a mesh that was moved, scaled or mirrored gives the same numbers to the last bit,
    hence the same fit."""
    points = np.round((mesh.vertices - centre) @ turn.T / diagonal, 7) + 0.0
    grid = np.round(points * 1e7).astype(np.int64)
    key = (grid[:, 0] << 36) + (grid[:, 1] << 18) + grid[:, 2]
    order = np.argsort(key[mesh.faces], axis=1, kind="stable")
    return np.ascontiguousarray(points[np.take_along_axis(mesh.faces, order, axis=1)])


def _exterior(wall_distance: F32, dist: F32, closing: float, h: float) -> Bools:
    """Cells that a ball of radius ``closing`` coming from outside can sweep."""
    reached = voxels.passable(wall_distance, np.array([closing], np.float32)) > 0
    return _swept(reached, dist, closing, h)


def _swept(exterior: Bools, dist: F32, closing: float, h: float) -> Bools:
    if closing <= 6 * h:
        exterior = voxels.dilate(exterior, closing / h * 1.0001)
    else:
        exterior = voxels.dilate_exactly(exterior, closing / h * 1.0001)
    return np.asarray(exterior & (dist > 0.7 * h))


def _closing_of_shell(
    mesh: CleanMesh,
    band: tuple[F32, I32, F64],
    extent: F64,
    h: float,
    share: float,
) -> tuple[float, float] | None:
    """Smallest closing radius that makes a hollow thing solid, and its volume then; None when it is
    no open shell.

    ``share``: how much of its bounding box the mesh fills as it stands. A single watertight body is
    taken at its word.
    """
    if share > 0.4:
        return None
    bodies = closed_bodies(mesh)
    if len(bodies) == 1:
        return None
    largest = _LARGEST_CLOSING if bodies else _LARGEST_CLOSING_OF_SHEETS
    coarse = max(h, 1 / 50)
    origin, dims = _grid(extent, coarse, 4 + int(np.ceil(largest / coarse)))
    dist, near, corner = band
    axes = [start + (np.arange(n) + 0.5) * coarse for start, n in zip(origin, dims, strict=True)]
    centres = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    field = kernels.sample_field(kernels.beyond_band(dist, near, h), corner, h, centres)
    full = np.ascontiguousarray(field.reshape(dims).astype(np.float32))
    skin = 0.5 * float((full <= 0.7 * coarse).sum()) * coarse**3
    box = float(np.prod(np.maximum(extent, coarse)))

    tried = _CLOSING_STEPS[(largest + 1e-9 >= _CLOSING_STEPS) & (1.05 * coarse < _CLOSING_STEPS)]
    sizes = np.array([1.05 * coarse, *tried])
    passing_sizes = voxels.passable(full, sizes.astype(np.float32))

    def volume(k: int) -> float:
        exterior = _swept(passing_sizes > k, full, float(sizes[k]), coarse)
        return (exterior.size - int(np.count_nonzero(exterior))) * coarse**3 - skin

    # What counts is the jump that an enclosed inside makes, not the slow gain of rounded inner
    # corners.
    before, most = volume(0), volume(len(sizes) - 1)
    if most < 1.7 * before or most - before < 0.12 * box:
        return None
    for k in range(1, len(sizes)):
        now = volume(k)
        if now - before > 0.12 * box and now > 1.7 * before:
            return float(sizes[k]) * 1.02, now
        before = now
    return None


def _surface_samples(pieces: F64, count: int = SAMPLES) -> tuple[F64, I64, float]:
    """Area-weighted points (stratified by area), their piece, and the area."""
    cumulated = np.cumsum(compute_areas(pieces))
    total = float(cumulated[-1])
    chosen = np.minimum(
        np.searchsorted(cumulated, (np.arange(count) + 0.5) / count * total), len(pieces) - 1
    )
    # Random, not a low-discrepancy sequence: strided subsets of those are badly spread.
    u, v = np.random.default_rng(5).random((2, count))
    flip = u + v > 1
    u[flip], v[flip] = 1 - u[flip], 1 - v[flip]
    t = pieces[chosen]
    points = t[:, 0] + u[:, None] * (t[:, 1] - t[:, 0]) + v[:, None] * (t[:, 2] - t[:, 0])
    return points, chosen, total
