"""Spheres move and change their size by millimetres, so that they decide more configurations as the
meshes do.

The loss, by Adam: of each configuration the pair of spheres that meets deepest, with self-collision
buffers taken off, counts as refused by ``s(depth / soft)``, s the logistic function. A free one
costs what it is refused, a touching one `WORSE` times what it is let pass; points of a surface that
no sphere of its frame covers cost their distance squared.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np

from editor_app.core.arrays import F64, I64, Bools
from editor_app.features.spheres.engine.optimiser import gaps as gaps_to_spheres
from editor_app.features.spheres.engine.quality import sample_columns
from editor_app.plugins.motion.engine.buffer_program import GROWTH, SHARE, WORSE, shrink_limit
from editor_app.plugins.motion.engine.model import MotionModel
from editor_app.plugins.motion.engine.self_buffers import Thresholds

#: Overlaps about the threshold count so softly, metres; what is further from it is decided,
#: whatever moves.
_SOFT, _DECIDED = 0.001, 0.012
#: A step of the descent, metres; steps between two looks at which spheres meet, and looks.
_STEP, _STEPS, _LOOKS = 3e-4, 60, 4
#: Buffers belong to many spheres: they move by this share of a step.
_BUFFERS = 0.3
#: Covered points lie so deep in a sphere, metres; how much an open millimetre costs.
_COVERED, _OPEN = 0.001, 1e6
#: Spheres overlap by so much, metres, where meshes touch: of many thin places that are made even,
#: some were not seen.
_OVERLAP = 0.0025
#: What a metre costs that a sphere stands out more, at so many metres, and in proportion elsewhere:
#: obstacles meet it.
_STANDS_OUT, _USUALLY = 0.05, 0.02
#: Depths of centres are compared so far apart, metres.
_ASIDE = 0.002
#: Means of gradients and of their squares, of which so small ones move nothing.
_MEAN, _SQUARES, _SMALL = 0.9, 0.98, 1e-3


@dataclass(frozen=True, slots=True)
class SurfaceSample:
    """The surface of a frame: `points` (m, 3) that its spheres keep covered, and how far outside
    its surface points (n, 3) are, negative within; in the frame, metres."""

    points: F64
    distance: Callable[[F64], F64]


def settled(
    model: MotionModel, thresholds: Thresholds, rows: Collection[int], shrink: Mapping[str, float],
    surfaces: Mapping[str, SurfaceSample],
) -> dict[str, F64]:  # fmt: skip
    """Frame -> its spheres (k, 4: centre in the frame, radius, metres), settled, for the frames of
    `surfaces`.

    `rows`: pairs that count. `shrink`: frame -> metres less for self-collision, to begin with.
    Spheres of frames without one of the `surfaces` stay.
    """
    spheres = model.spheres
    balls, owner = (
        spheres.spheres.copy(),
        np.repeat(np.arange(len(spheres.frames)), np.diff(spheres.starts)),
    )
    moving = [frame for frame, name in enumerate(spheres.frames) if name in surfaces]
    names, poses = (
        [spheres.frames[frame] for frame in moving],
        [spheres.frame_pose[frame] for frame in moving],
    )
    parts = [slice(*spheres.starts[frame : frame + 2].tolist()) for frame in moving]
    points = [
        sample_columns(surfaces[k].points @ pose[:, :3].T + pose[:, 3])
        for k, pose in zip(names, poses, strict=True)
    ]
    # Radii of the model have present buffers: they cover without.
    buffers = np.outer(
        [spheres.buffers.get(frame, 0.0) for frame in spheres.frames], [0.0, 0.0, 0.0, 1.0]
    )[owner]
    less = np.array([shrink.get(frame, 0.0) for frame in spheres.frames])
    limits = np.array([shrink_limit(model, frame) for frame in range(len(spheres.frames))])
    smallest = (limits / SHARE)[owner]
    descents = _Descent(balls.shape), _Descent(less.shape)
    near, active = thresholds.near(model, rows), np.arange(len(thresholds.values))
    for look in range(_LOOKS):
        present = _with_balls(model, balls)
        if look:
            # What was decided stays so.
            near = present.row_clearances(
                thresholds.values[active], 2 * GROWTH, np.array(sorted(rows), np.int64)
            )
            near[0][:, 0] = active[near[0][:, 0]]
        meetings = _Meetings.of(present, thresholds, near, less)
        active = meetings.configurations
        start = balls.copy()
        for _ in range(_STEPS):
            slope, slope_less = meetings.slopes(balls - start, less)
            for name, part, columns, pose in zip(names, parts, points, poses, strict=True):
                bare = balls[part] - buffers[part]
                slope[part] += _uncovered(columns, bare) + _standing_out(surfaces[name], pose, bare)
            slope[~np.isin(owner, moving)] = 0.0
            balls = balls - _STEP * descents[0].step(slope)
            balls[:, 3] = np.maximum(balls[:, 3], smallest)
            less = np.clip(less - _BUFFERS * _STEP * descents[1].step(slope_less), -GROWTH, limits)
    for part, pose in zip(parts, poses, strict=True):
        balls[part, :3] = (balls[part, :3] - pose[:, 3]) @ pose[:, :3]
    balls -= buffers
    return {frame: balls[part] for frame, part in zip(names, parts, strict=True)}


class _Descent:
    """Adam: steps of one or less against slopes. A centre (columns 0 to 2 of 4) has one second
    moment: its step must not depend on the axes."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.count, self.mean, self.squares = 0, np.zeros(shape), np.zeros(shape)

    def step(self, slope: F64) -> F64:
        squares = slope**2
        if slope.ndim > 1:
            squares[:, :3] = squares[:, :3].sum(axis=1, keepdims=True)
        self.count += 1
        self.mean += (1.0 - _MEAN) * (slope - self.mean)
        self.squares += (1.0 - _SQUARES) * (squares - self.squares)
        mean, spread = (
            self.mean / (1.0 - _MEAN**self.count),
            np.sqrt(self.squares / (1.0 - _SQUARES**self.count)),
        )
        return np.asarray(mean / (spread + _SMALL))


@dataclass(frozen=True)
class _Meetings:
    """Where spheres nearly decide, ordered by configuration: `spots` (m, 2) spheres, `frames` (m,
    2), `clearances` (m,) metres, `away` (m, 2, 4): how a clearance changes as either sphere moves
    and grows. `configurations` (k,), and `first` (k,): where each begins; `weights` (k,): what it
    costs to decide wrongly, negative where free."""

    spots: I64
    frames: I64
    clearances: F64
    away: F64
    configurations: I64
    first: I64
    weights: F64

    @classmethod
    def of(
        cls, model: MotionModel, thresholds: Thresholds, near: tuple[I64, F64], less: F64
    ) -> _Meetings:
        """`near`: spots and clearances, as of `Thresholds.near`."""
        (spots, clearances), spheres, collides = near, model.spheres, thresholds.collides
        frames = np.asarray(spheres.pairs, np.int64)[spots[:, 1]]
        left = clearances + less[frames].sum(axis=1)
        decided = np.zeros(len(collides), bool)
        decided[spots[left < -_DECIDED, 0]] = True
        kept = np.flatnonzero((left < _DECIDED) & ~decided[spots[:, 0]])
        kept = kept[np.argsort(spots[kept, 0], kind="stable")]
        spots, clearances, frames = spots[kept], clearances[kept], frames[kept]
        configurations, first, place = np.unique(
            spots[:, 0], return_index=True, return_inverse=True
        )
        poses = model.body_poses(thresholds.values[configurations])
        bodies = spheres.frame_body[frames]
        turns, shifts = (poses[place[:, None], bodies][..., k] for k in (slice(3), 3))
        centres = np.einsum("nkij,nkj->nki", turns, spheres.spheres[spots[:, 2:], :3]) + shifts
        apart = centres[:, 0] - centres[:, 1]
        apart /= np.maximum(np.linalg.norm(apart, axis=1), 1e-9)[:, None]
        away = np.full((len(spots), 2, 4), -1.0)
        away[..., :3] = np.einsum("nkji,nkj->nki", turns, np.stack([apart, -apart], axis=1))
        touch: Bools = collides[configurations]
        weights = np.where(
            touch, WORSE / max(1, int(collides.sum())), -1.0 / max(1, int((~collides).sum()))
        )
        return cls(spots[:, 2:], frames, clearances, away, configurations, first, weights)

    def slopes(self, moved: F64, less: F64) -> tuple[F64, F64]:
        """How the loss changes with spheres (n, 4) that have `moved`, and with what is taken off
        frames (f,)."""
        if not len(self.first):
            return np.zeros_like(moved), np.zeros_like(less)
        gaps = self.clearances + less[self.frames].sum(axis=1)
        for k in range(2):
            gaps += np.einsum("ni,ni->n", self.away[:, k], moved[self.spots[:, k]])
        # Of each configuration the pair that is nearest.
        least = np.minimum.reduceat(gaps, self.first)
        nearest = np.flatnonzero(gaps == np.repeat(least, np.diff([*self.first, len(gaps)])))
        nearest = nearest[np.searchsorted(nearest, self.first)]
        touch = self.weights > 0.0
        passed = 1.0 / (
            1.0 + np.exp(-np.clip(least + np.where(touch, _OVERLAP, 0.0), -0.05, 0.05) / _SOFT)
        )
        # What is let pass by far is not given up.
        steep = np.maximum(passed * (1.0 - passed), np.where(touch & (passed > 0.5), 0.125, 0.0))
        by_gap = self.weights * steep / _SOFT
        slope = _summed(
            self.spots[nearest].ravel(),
            (by_gap[:, None, None] * self.away[nearest]).reshape(-1, 4),
            moved,
        )
        slope_less = np.bincount(
            self.frames[nearest].ravel(), np.repeat(by_gap, 2), len(less)
        ).astype(float)
        return slope, slope_less


def _uncovered(columns: np.ndarray, balls: F64) -> F64:
    """(k, 4): how the cost of open points (3, m) changes as spheres (k, 4) move and grow."""
    gaps, nearest = gaps_to_spheres(columns, np.ascontiguousarray(balls))
    is_open = gaps > -_COVERED
    at = nearest[is_open]
    to_centre = balls[at, :3] - columns[:, is_open].T
    weights = 2.0 * _OPEN * (gaps[is_open] + _COVERED) / columns.shape[1]
    distances = np.maximum(np.linalg.norm(to_centre, axis=1), 1e-9)
    slopes = np.column_stack([to_centre * (weights / distances)[:, None], -weights])
    return _summed(at, slopes, balls)


def _standing_out(surface: SurfaceSample, pose: F64, balls: F64) -> F64:
    """(k, 4): how the cost of what spheres (k, 4) stand out changes as they move and grow. A sphere
    stands out by no more than its radius and how far outside its centre is."""
    aside = _ASIDE * np.vstack([np.zeros((1, 3)), np.eye(3), -np.eye(3)])
    centres = (balls[:, :3] - pose[:, 3]) @ pose[:, :3]
    outside = surface.distance((centres + aside[:, None]).reshape(-1, 3)).reshape(7, -1)
    prices = _STANDS_OUT / _USUALLY * np.maximum(0.0, outside[0] + balls[:, 3])
    away = (outside[1:4] - outside[4:]).T / (2 * _ASIDE) @ pose[:, :3].T
    return np.asarray(np.column_stack([away, np.ones(len(balls))]) * prices[:, None], float)


def _summed(spheres: I64, slopes: F64, balls: F64) -> F64:
    """(n, 4): slopes (m, 4) of these spheres (m,) added up, for each of the balls (n, 4)."""
    places = (4 * spheres[:, None] + np.arange(4)).ravel()
    return np.asarray(np.bincount(places, slopes.ravel(), balls.size).reshape(balls.shape), float)


def _with_balls(model: MotionModel, balls: F64) -> MotionModel:
    spheres, bounds = model.spheres, model.spheres.bounds.copy()
    moved = balls - spheres.spheres
    bounds[:, 3] += float((np.linalg.norm(moved[:, :3], axis=1) + moved[:, 3]).max(initial=0.0))
    return replace(model, spheres=replace(spheres, spheres=balls.copy(), bounds=bounds))
