"""Parts of a mesh that lie apart from the rest and are too small for its grid, or too thin for its
samples.

A leftover triangle of a drawing, a screw or a marker a metre away from a link: voxels of the whole
say nothing of it, and points spread over the surface hardly ever fall on it. Each such part is a
solid of its own, with a grid of its own.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from editor_app.core.arrays import F64, I64, Bools
from editor_app.features.spheres.engine.pieces import compute_areas, connected_parts
from editor_app.features.spheres.engine.search import number_for_slack
from editor_app.features.spheres.engine.solid import SAMPLES, Solid, build_solid
from editor_app.features.spheres.engine.surface import outside_distance

#: Surfaces nearer to each other than about one to two of these, in voxels, belong together.
_CELL = 3
#: A part smaller than this, in voxels, is below the grid.
_SMALL = 6
#: A place with fewer points of the surface around it has none that a fit could go by.
_FEW = 2
#: How often the slack that parts share is halved.
_HALVINGS = 14


@dataclass(frozen=True, eq=False)
class LoosePart:
    """A part of a mesh as a solid; `reach`: how far it reaches beyond the main part (m), at the
    place `spot` (3) in the mesh's frame (m)."""

    solid: Solid
    reach: float
    spot: F64

    @property
    def text(self) -> str:
        """A sentence for people."""
        x, y, z = self.spot
        return (
            f"A part of {1000 * self.solid.diagonal:.3g} mm in size extends "
            f"{1000 * self.reach:.3g} mm beyond "
            f"the rest of the mesh, at ({x:.3f}, {y:.3f}, {z:.3f})"
        )


def split_solid(solid: Solid, most: int) -> tuple[LoosePart, ...]:
    """Return at most ``most`` parts of a solid, the main one first; the solid alone where nothing
    lies apart."""
    key = ("parts", most)
    if key not in solid.cache:
        groups = _groups(solid, most)
        solids = [
            build_solid(solid.mesh.vertices, solid.mesh.faces[group])
            for group in groups
            if len(groups) > 1
        ]
        solid.cache[key] = tuple(_part(each, solids[0]) for each in solids) or (
            LoosePart(solid, 0.0, solid.centre),
        )
    return solid.cache[key]  # type: ignore[return-value]


def count_part_spheres(parts: Sequence[LoosePart], slack: float, most: int) -> int:
    """Return how many spheres parts need that stand out by no more than ``slack`` (m); above
    ``most``: even more."""
    return sum(_numbers(parts, slack, most))


def _numbers(parts: Sequence[LoosePart], slack: float, most: int) -> list[int]:
    return [
        max(1, number_for_slack(part.solid, slack / part.solid.diagonal, most, 0.0, 10.0))
        for part in parts
    ]


def shared_out(parts: Sequence[LoosePart], number: int) -> list[int]:
    """Return the number of spheres of each part, at least one, with which all stand out about
    equally."""
    low, high = 0.0, max(part.solid.diagonal for part in parts)
    best = [1] * len(parts)
    for _ in range(_HALVINGS):
        slack = (low + high) / 2
        numbers = _numbers(parts, slack, number)
        if sum(numbers) <= number:
            high, best = slack, numbers
        else:
            low = slack
    best[0] += number - sum(best)
    return best


def _part(solid: Solid, main: Solid) -> LoosePart:
    spots = solid.mesh.vertices
    distances = outside_distance(main, main.to_canonical(spots)) * main.diagonal
    return LoosePart(solid, float(distances.max()), spots[int(distances.argmax())])


def _groups(solid: Solid, most: int) -> list[I64]:
    """Faces of each part, the main part first; parts that are nearest to each other are one where
    there would be more than ``most``."""
    pieces = solid.pieces[solid.outer]
    corners = np.concatenate([pieces, pieces.mean(1, keepdims=True)], axis=1)
    size = _CELL * solid.h
    thin = _is_thin(solid, corners[:, 3], size)
    owner = np.zeros(len(corners), np.int64)
    for chosen in (~thin, thin):
        if chosen.any():
            owner[chosen] = _clusters(corners[chosen], size) + owner.max() + 1
    if (owner == owner[0]).all():
        return [np.arange(len(solid.mesh.faces))]
    names, owner = np.unique(owner, return_inverse=True)
    low, high = (np.full((len(names), 3), sign * np.inf) for sign in (1, -1))
    np.minimum.at(low, owner, pieces.min(1))
    np.maximum.at(high, owner, pieces.max(1))
    extent = np.linalg.norm(high - low, axis=1)
    is_small = extent < _SMALL * solid.h
    is_small[owner[thin]] = True
    # What is resolved, near or far, is one part: the grid serves all of it.
    main = np.flatnonzero(~is_small) if not is_small.all() else np.array([extent.argmax()])
    parts = [main, *(np.array([name]) for name in np.flatnonzero(is_small) if name != main[0])]
    while len(parts) > most:
        lows, highs = (
            np.array([limit(of[part], axis=0) for part in parts])
            for limit, of in ((np.min, low), (np.max, high))
        )
        span = np.maximum(highs[:, None], highs) - np.minimum(lows[:, None], lows)
        together = np.linalg.norm(span, axis=2) + np.diag(np.full(len(parts), np.inf))
        first, second = sorted(np.unravel_index(int(together.argmin()), together.shape))
        parts[first] = np.concatenate([parts[first], parts.pop(second)])
    # What lies enclosed is of the main part.
    groups = [np.unique(solid.parent[solid.outer][np.isin(owner, part)]) for part in parts]
    enclosed = np.setdiff1d(np.arange(len(solid.mesh.faces)), np.concatenate(groups))
    return [np.concatenate([groups[0], enclosed]), *groups[1:]]


def _is_thin(solid: Solid, middles: F64, size: float) -> Bools:
    """Which outer pieces (n), by their middles (n,3), are of slivers: triangles too thin to get
    surface points."""
    cells = _Cells(middles, size)
    parent = solid.parent[solid.outer]
    area = compute_areas(solid.pieces[solid.outer])
    points = np.bincount(cells.of_points, area) / area.sum() * SAMPLES
    around = points.copy()
    for first, second in (cells.touching.T, cells.touching.T[::-1]):
        around += np.bincount(first, points[second], minlength=cells.count)
    return np.isin(parent, parent[around[cells.of_points] < _FEW])


def _clusters(corners: F64, size: float) -> I64:
    """For each piece (n), by its corners and middle (n,4,3), the first cell of its cluster: of
    cells that touch."""
    cells = _Cells(corners.reshape(-1, 3), size)
    place = cells.of_points.reshape(-1, 4)
    edges = [place[place[:, 0] != place[:, k]][:, [0, k]] for k in (1, 2, 3)]
    return connected_parts(cells.count, np.concatenate([cells.touching, *edges]))[place[:, 0]]


class _Cells:
    """Cells of a grid that points of the canonical frame occupy: how many, that of each point (n),
    and the pairs (k,2) that touch."""

    def __init__(self, points: F64, size: float) -> None:
        across = int(np.ceil(1 / size)) + 4
        index = np.floor((points + 0.5) / size).astype(np.int64) + 1
        flat = (index[:, 0] * across + index[:, 1]) * across + index[:, 2]
        is_occupied = np.zeros(across**3, bool)
        is_occupied[flat] = True
        occupied = np.flatnonzero(is_occupied)
        rank = np.full(across**3, -1)
        rank[occupied] = np.arange(len(occupied))
        # Of each two directions that are opposite, one.
        around = [
            (x * across + y) * across + z for x, y, z in itertools.product((-1, 0, 1), repeat=3)
        ][14:]
        others = rank[occupied[:, None] + np.array(around)]
        first, direction = np.nonzero(others >= 0)
        self.count = len(occupied)
        self.of_points: I64 = rank[flat]
        self.touching: I64 = np.column_stack([first, others[first, direction]])
