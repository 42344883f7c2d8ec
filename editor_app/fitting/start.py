"""Where the fit starts: a greedy cover by medial and interior points with the least slack that N spheres allow."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from editor_app.fitting.compiled import compiled
from editor_app.fitting.solid import Floats, Solid

_CANDIDATES = 1100
_POINTS = 900


def candidates_of(solid: Solid) -> tuple[Floats, Floats]:
    """Points (k,3) where a sphere may start, and the depth of the solid there (k); canonical frame."""
    candidates = solid.cache.get("candidates")
    if candidates is None:
        inner = solid.inner_points
        cell = np.round((inner - solid.origin) / solid.h - 0.5).astype(np.int64)
        depth = -solid.phi[cell[:, 0], cell[:, 1], cell[:, 2]].astype(float)
        ridge = _ridge(solid.phi, cell, solid.h)
        rng = np.random.default_rng(3)
        medial = np.flatnonzero(ridge)
        other = np.flatnonzero(~ridge)
        medial = _thin(medial, (2 * _CANDIDATES) // 3, rng)
        other = _thin(other, _CANDIDATES - len(medial), rng)
        chosen = np.sort(np.concatenate([medial, other]))
        points, depths = inner[chosen], depth[chosen]
        if len(points) < _CANDIDATES // 2:
            # Sheets thinner than a voxel have no inside to speak of: their own surface serves.
            skin = solid.samples[:: max(1, len(solid.samples) // (_CANDIDATES // 2))]
            points, depths = np.vstack([points, skin]), np.concatenate([depths, np.zeros(len(skin))])
        candidates = solid.cache["candidates"] = (points, depths)
    return candidates  # type: ignore[return-value]


def _thin(index: npt.NDArray[np.int64], count: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    return index if len(index) <= count else np.sort(rng.choice(index, count, replace=False))


@compiled()
def _ridge(phi: np.ndarray, cell: np.ndarray, h: float) -> np.ndarray:
    """Inner voxels near the medial axis: the gradient of the distance is well below 1 there."""
    out = np.zeros(len(cell), np.bool_)
    for i in range(len(cell)):
        x, y, z = cell[i, 0], cell[i, 1], cell[i, 2]
        gx = phi[x + 1, y, z] - phi[x - 1, y, z]
        gy = phi[x, y + 1, z] - phi[x, y - 1, z]
        gz = phi[x, y, z + 1] - phi[x, y, z - 1]
        out[i] = np.sqrt(gx * gx + gy * gy + gz * gz) < 1.5 * h
    return out


@compiled()
def _greedy(
    distance: np.ndarray, depth: np.ndarray, slack: float, most: int, lowest: float, highest: float, covered: np.ndarray
) -> np.ndarray:
    """Greedy cover; distance (m,k) of targets to candidates, float32; returns chosen candidates, longer than ``most``
    when it does not suffice. Gains are kept up to date, each target being taken off once."""
    m, k = distance.shape
    reach = np.empty(k, np.float32)
    for i in range(k):
        reach[i] = min(max(depth[i] + slack, lowest), highest)
    gain = np.zeros(k, np.int32)
    open_ = ~covered
    left = 0
    for j in range(m):
        if open_[j]:
            left += 1
            row = distance[j]
            for i in range(k):
                gain[i] += np.int32(row[i] <= reach[i])
    chosen = np.empty(most + 1, np.int64)
    n = 0
    while left > 0 and n <= most:
        best = int(np.argmax(gain))
        if gain[best] <= 0:
            break
        if n < most:
            for j in range(m):
                row = distance[j]
                if open_[j] and row[best] <= reach[best]:
                    open_[j] = False
                    left -= 1
                    for i in range(k):
                        gain[i] -= np.int32(row[i] <= reach[i])
        chosen[n] = best
        n += 1
    return chosen[:n]


def cover_start(
    solid: Solid,
    number: int,
    *,
    seed: int = 0,
    lowest: float = 0.0,
    highest: float = 10.0,
    locked: Floats | None = None,
) -> tuple[Floats, float]:
    """At most ``number`` spheres (n,4) that cover the surface samples, with the least slack; and that slack."""
    points, depth, distance, target = _distances(solid, seed)
    covered = np.zeros(len(target), bool)
    if locked is not None and len(locked):
        covered = (np.linalg.norm(target[:, None] - locked[None, :, :3], axis=2) <= locked[:, 3]).any(1)
    if covered.all():
        return np.zeros((0, 4)), 0.0
    low, high = 0.0, 0.6
    best = np.zeros(0, np.int64)
    for _ in range(7):
        slack = (low + high) / 2 if high < 0.6 else 0.08
        chosen = _greedy(distance, depth, slack, number, lowest, highest, covered)
        if len(chosen) <= number:
            best, high = chosen, slack
        else:
            low = slack
            if high >= 0.6:
                high = 0.6 if slack < 0.08 else high
                low, high = slack, min(0.6, 4 * slack) if len(best) == 0 else high
    if len(best) == 0:
        high = 0.6
        best = _greedy(distance, depth, high, number, lowest, highest, covered)[:number]
    radius = np.clip(depth[best] + high, max(lowest, 1e-4), highest)
    return np.column_stack([points[best], radius]), high


def number_for_slack(solid: Solid, slack: float, most: int, lowest: float, highest: float) -> int:
    """How many spheres a greedy cover needs when none may stand out by more than ``slack``; most + 1: even more."""
    _, depth, distance, target = _distances(solid, 0)
    return len(_greedy(distance, depth, slack, most, lowest, highest, np.zeros(len(target), bool)))


def _distances(solid: Solid, seed: int) -> tuple[Floats, Floats, npt.NDArray[np.float32], Floats]:
    key = ("start", seed % 7)
    distances = solid.cache.get(key)
    if distances is None:
        points, depth = candidates_of(solid)
        step = max(1, len(solid.samples) // _POINTS)
        target = solid.samples[(seed % 7) % step :: step][:_POINTS]
        a, b = points.astype(np.float32), target.astype(np.float32)
        square = (b**2).sum(1)[:, None] + (a**2).sum(1)[None] - 2 * (b @ a.T)
        distance = np.sqrt(np.maximum(square, 0))
        distances = solid.cache[key] = (points, depth, distance, target)
    return distances  # type: ignore[return-value]
