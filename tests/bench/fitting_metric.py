"""The measure of the sphere benchmark, written anew: no open3d, no libigl.

Reference: the outer solid on a grid of diagonal/192 (cavities filled, gaps narrower than twice the
closing closed), 20,000 area-weighted points of its outer surface, 200,000 random points around the
spheres for the excess volume, 40,000 points on the spheres for the protrusion; distances from a
KD-tree over a dense sampling of the surface. It differs from the original measure
(`../shared/bench/spheres/metric.py`) by a few per cent.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from editor_app.features.spheres.engine.solid import Solid, build_solid

# Closing radius as a share of the diagonal, for meshes that are open shells.
CLOSING = {"tiago_base_vis": 0.12, "talos_torso2_vis": 0.12, "z1_link02_col": 0.06}


@dataclass(frozen=True)
class Measured:
    """At the coverage the spheres have: shares, and protrusions in per cent of the diagonal."""

    coverage: float
    excess: float
    protrusion_mean: float
    protrusion_max: float


class Reference:
    """A mesh to measure spheres against."""

    def __init__(
        self, vertices: np.ndarray, faces: np.ndarray, closing: float | None = None
    ) -> None:
        diagonal = float(np.linalg.norm(np.ptp(vertices[np.unique(faces)], axis=0)))
        asked = None if closing is None else closing * diagonal
        self.solid: Solid = build_solid(vertices, faces, closing_m=asked, voxel_m=diagonal / 192)
        pieces = self.solid.pieces[self.solid.outer]
        rng = np.random.default_rng(0)
        area = np.linalg.norm(
            np.cross(pieces[:, 1] - pieces[:, 0], pieces[:, 2] - pieces[:, 0]), axis=1
        )
        chosen = rng.choice(len(pieces), 250_000, p=area / area.sum())
        u, v = rng.random((2, len(chosen)))
        over = u + v > 1
        u[over], v[over] = 1 - u[over], 1 - v[over]
        t = pieces[chosen]
        self.surface = t[:, 0] + u[:, None] * (t[:, 1] - t[:, 0]) + v[:, None] * (t[:, 2] - t[:, 0])
        self.points = self.surface[:20_000]
        self.tree = cKDTree(self.surface)

    def measure(self, spheres: np.ndarray) -> Measured:
        """Figures of spheres (n,4) in the mesh's frame."""
        s = self.solid.spheres_to_canonical(spheres)
        rng = np.random.default_rng(1)
        low, high = (s[:, :3] - s[:, 3:]).min(0), (s[:, :3] + s[:, 3:]).max(0)
        points = low + rng.random((200_000, 3)) * (high - low)
        points = points[_gap(points, s) <= 0]
        outside = self._outside(points)
        excess = np.prod(high - low) * outside.sum() / 200_000 / self.solid.unit_volume
        where, weight = [], []
        share = s[:, 3] ** 2 / (s[:, 3] ** 2).sum()
        for i, (x, y, z, r) in enumerate(s):
            on = np.array([x, y, z]) + r * _fibonacci(max(24, int(40_000 * share[i])))
            free = _gap(on, np.delete(s, i, 0)) > -1e-9 if len(s) > 1 else np.ones(len(on), bool)
            where.append(on[free])
            weight.append(np.full(int(free.sum()), r * r / len(on)))
        exposed, weights = np.concatenate(where), np.concatenate(weight)
        distance = np.zeros(len(exposed))
        out = self._outside(exposed)
        distance[out] = self.tree.query(exposed[out])[0]
        return Measured(
            float((_gap(self.points, s) <= 1e-9).mean()),
            float(excess),
            100 * float((distance * weights).sum() / max(weights.sum(), 1e-12)),
            100 * float(distance.max(initial=0)),
        )

    def at_equal_coverage(self, spheres: np.ndarray, share: float = 0.99) -> Measured:
        """The same after adding to all radii the one offset that covers ``share`` of the
        surface."""
        s = np.array(spheres, float).reshape(-1, 4)
        points = self.points @ self.solid.turn * self.solid.diagonal + self.solid.centre
        for _ in range(6):
            offset = float(np.quantile(_gap(points, s), share))
            s[:, 3] += offset
            s = s[s[:, 3] > 1e-6]
            if abs(offset) < 1e-7:
                break
        return self.measure(s)

    def _outside(self, canonical: np.ndarray) -> np.ndarray:
        back = canonical @ self.solid.turn * self.solid.diagonal + self.solid.centre
        return np.asarray(self.solid.signed_distance(back) > 0)


def _gap(points: np.ndarray, spheres: np.ndarray) -> np.ndarray:
    best = np.full(len(points), np.inf)
    for x, y, z, r in spheres:
        np.minimum(best, np.linalg.norm(points - (x, y, z), axis=1) - r, out=best)
    return best


def _fibonacci(count: int) -> np.ndarray:
    k = np.arange(count) + 0.5
    polar, around = np.arccos(1 - 2 * k / count), np.pi * (1 + 5**0.5) * k
    return np.stack(
        [np.cos(around) * np.sin(polar), np.sin(around) * np.sin(polar), np.cos(polar)], 1
    )
