"""Picking of things under the pointer: rays against spheres in numpy, against meshes by VTK's cell
locators, against a section.

The locators live in the frame of their link, so a pose change costs nothing: the ray is moved
instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from vtkmodules.vtkCommonCore import reference
from vtkmodules.vtkCommonDataModel import vtkGenericCell, vtkPolyData, vtkStaticCellLocator

from editor_app.core.arrays import F64, Bools
from editor_app.window.viewport.camera import ViewRay

_reference: Any = reference


@dataclass(frozen=True, slots=True)
class SurfaceHit:
    """A point of a link's mesh. `point` and `normal` (towards the viewer) in the base frame;
    `triangle`: its number."""

    link: str
    point: F64
    normal: F64
    distance: float
    triangle: int = 0


def ray_spheres(
    ray: ViewRay,
    centers: F64,
    radii: F64,
    candidates: Bools,
    span: tuple[float, float] = (0.0, np.inf),
) -> tuple[int, float] | None:
    """The nearest sphere that the ray enters: (row, distance). From inside a sphere, its far side
    counts.

    `span`: the distances between which spheres are there at all; a ball that begins before it is
    met on its face.
    """
    if not len(centers):
        return None
    relative = centers - ray.origin
    along = relative @ ray.direction
    off = np.einsum("ij,ij->i", relative, relative) - along * along
    room = radii * radii - off
    hit = candidates & (room > 0)
    rows = np.flatnonzero(hit)
    if not len(rows):
        return None
    half = np.sqrt(room[rows])
    enter = along[rows] - half
    leave = along[rows] + half
    start, end = span
    distance = np.where(
        enter > start, enter, np.where(leave > start, start, np.inf) if start > 0 else leave
    )
    distance[(distance <= 0) | (distance > end)] = np.inf
    best = int(np.argmin(distance))
    return (int(rows[best]), float(distance[best])) if np.isfinite(distance[best]) else None


def in_rectangle(screen: F64, x0: float, y0: float, x1: float, y1: float) -> Bools:
    """(n, 3) projected points -> (n,) whether they lie in the rectangle, in front of the eye."""
    low, high = (min(x0, x1), min(y0, y1)), (max(x0, x1), max(y0, y1))
    with np.errstate(invalid="ignore"):
        inside = (screen[:, :2] >= low) & (screen[:, :2] <= high)
        return inside.all(axis=1) & (screen[:, 2] > 0)


def near_segments(starts: F64, ends: F64, x: float, y: float) -> float:
    """Distance of a pixel from the nearest of the segments between (n, 2) and (n, 2) pixels;
    infinite for NaN."""
    along, toward = ends - starts, np.array([x, y]) - starts
    sizes = np.maximum(np.einsum("ij,ij->i", along, along), 1e-9)
    share = np.clip(np.einsum("ij,ij->i", toward, along) / sizes, 0.0, 1.0)
    away = np.linalg.norm(toward - share[:, None] * along, axis=1)
    return float(np.nan_to_num(away, nan=np.inf).min())


#: Metres. With a tolerance of 0, VTK misses one of twenty rays at faces that are parallel to an
#: axis.
_TOLERANCE = 1e-9
#: (4, 3) directions on all sides in which a point may lie open.
_WAYS_OUT = np.array(
    [[0.61, 0.57, 0.55], [0.53, -0.63, -0.57], [-0.59, 0.51, -0.63], [-0.55, -0.59, 0.59]]
)


@dataclass(frozen=True, slots=True, eq=False)
class HalfSpace:
    """Points p with `normal` (3,) of length 1 and normal @ p >= `offset` (metres), in the base
    frame."""

    normal: F64
    offset: float

    def heights(self, points: F64) -> F64:
        """(n, 3) points -> (n,) metres above the plane; below zero is cut away."""
        above: F64 = points @ self.normal - self.offset
        return above

    def seen_from(self, view: F64) -> tuple[list[float], float]:
        """Normal (3,) and offset in the coordinates of a camera; `view` (4, 4) leads there from the
        base frame."""
        normal = view[:3, :3] @ self.normal
        return normal.tolist(), self.offset + float(normal @ view[:3, 3])

    def span(self, ray: ViewRay) -> tuple[float, float] | None:
        """Distances between which the ray lies on this side; None when it never does."""
        slope = float(self.normal @ ray.direction)
        height = float(self.normal @ ray.origin) - self.offset
        if abs(slope) < 1e-12:
            return (0.0, np.inf) if height >= 0.0 else None
        crossing = -height / slope
        if slope > 0.0:
            return max(0.0, crossing), np.inf
        return (0.0, crossing) if crossing > 0.0 else None


#: No section: all of it is left.
WHOLE = HalfSpace(np.zeros(3), -1.0)


class LinkSurface:
    """The mesh of one link with a locator, which builds itself when it is first asked; in the
    link's frame."""

    def __init__(self, poly_data: vtkPolyData) -> None:
        self._cell = vtkGenericCell()
        self._locator: Any = vtkStaticCellLocator()
        self._locator.SetDataSet(poly_data)
        bounds = np.array(poly_data.GetBounds()).reshape(3, 2)
        self.low, self.high = bounds[:, 0], bounds[:, 1]
        #: (8, 3) of the box around it.
        self.corners: F64 = np.array(
            [[bounds[k, (i >> k) & 1] for k in range(3)] for i in range(8)]
        )

    def intersect(self, start: F64, end: F64) -> tuple[float, F64, F64, int] | None:
        """First hit of a segment: (parameter 0..1, point, normal of the triangle, its number)."""
        t, sub, cell_id = _reference(0.0), _reference(0), _reference(0)
        point, pcoords = [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]
        if not self._locator.IntersectWithLine(
            start, end, _TOLERANCE, t, point, pcoords, sub, cell_id, self._cell
        ):
            return None
        points = self._cell.GetPoints()
        a, b, c = (np.array(points.GetPoint(i)) for i in range(3))
        normal = np.cross(b - a, c - a)
        length = float(np.linalg.norm(normal))
        return (
            float(t),
            np.array(point),
            normal / length if length > 0 else np.zeros(3),
            int(cell_id),
        )

    def height_over(self, point: F64) -> float:
        """Metres from the mesh to a point (3,) outside of it; 0 for one that it surrounds."""
        away = float(np.linalg.norm(point - self.closest(point)))
        # Surrounded: no way out misses the mesh. Open meshes surround little.
        length = float(np.linalg.norm(self.high - self.low)) + away
        return (
            0.0
            if all(self.intersect(point, point + length * way) is not None for way in _WAYS_OUT)
            else away
        )

    def closest(self, point: F64) -> F64:
        nearest, cell_id, sub, squared = (
            [0.0, 0.0, 0.0],
            _reference(0),
            _reference(0),
            _reference(0.0),
        )
        self._locator.FindClosestPoint(point, nearest, self._cell, cell_id, sub, squared)
        return np.array(nearest)


def pick_surface(
    ray: ViewRay,
    surfaces: Mapping[str, LinkSurface],
    poses: Mapping[str, F64],
    links: Iterable[str],
    reach: float,
    start: float = 0.0,
) -> SurfaceHit | None:
    """The nearest point of the links' meshes on the ray; `poses` are (4, 4) per link.

    Only points at distances from `start` to `reach` (metres) count.
    """
    if start >= reach:
        return None
    if start > 0.0:
        beyond = pick_surface(
            ViewRay(ray.at(start), ray.direction), surfaces, poses, links, reach - start
        )
        return None if beyond is None else replace(beyond, distance=beyond.distance + start)
    best: SurfaceHit | None = None
    limit = reach
    for link in links:
        surface, pose = surfaces.get(link), poses.get(link)
        if surface is None or pose is None:
            continue
        rotation = pose[:3, :3]
        origin = (ray.origin - pose[:3, 3]) @ rotation
        direction = ray.direction @ rotation
        span = _slab(origin, direction, surface.low, surface.high)
        if span is None or span[0] > limit:
            continue
        hit = surface.intersect(origin, origin + direction * limit)
        if hit is None:
            continue
        t, point, normal, triangle = hit
        distance = t * limit
        facing = rotation @ normal
        if facing @ ray.direction > 0:
            facing = -facing
        best = SurfaceHit(link, rotation @ point + pose[:3, 3], facing, distance, triangle)
        limit = distance
    return best


def _slab(start: F64, direction: F64, low: F64, high: F64) -> tuple[float, float] | None:
    with np.errstate(divide="ignore", invalid="ignore"):
        a, b = (low - 1e-6 - start) / direction, (high + 1e-6 - start) / direction
    near, far = float(np.nanmax(np.minimum(a, b))), float(np.nanmin(np.maximum(a, b)))
    return (near, far) if far >= max(near, 0.0) else None
