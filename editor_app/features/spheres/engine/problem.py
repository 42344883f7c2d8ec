"""Problem of a search for spheres, its effort, and the score of spheres. Canonical frame."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from editor_app.core.arrays import F32, F64, I32, I64, Bools
from editor_app.core.tasks.task import SILENT, TaskReporter
from editor_app.features.spheres.engine import optimiser
from editor_app.features.spheres.engine.field import sample_field
from editor_app.features.spheres.engine.quality import sample_columns
from editor_app.features.spheres.engine.solid import Solid

_BATCH = 3000
#: What lies this far outside a locked sphere is on it, but for rounding.
HELD = 1e-6
DIRECTIONS_FINE = optimiser.directions(400, 1)[0]
DIRECTIONS_OF_SCORE = optimiser.directions(160, 1)[0]
# Turned from step to step: few suffice while spheres are still on the move.
_DIRECTIONS = optimiser.directions(32)
_DIRECTIONS_STIFF = optimiser.directions(48)


@dataclass(frozen=True)
class SearchEffort:
    """How much work to spend: points looked at; starts and steps for each; how many of the best
    starts go on, how often each moves a sphere elsewhere and how often two are crossed, with steps
    for either; points and steps of the polish; and how often the sphere that stands out most is
    pushed back in the end."""

    points: int
    starts: int
    start_steps: int
    chains: int
    teleports: int
    crossings: int
    move_steps: int
    final_points: int
    final_steps: int
    pushes: int


PLANS = {
    "fast": SearchEffort(2000, 1, 120, 1, 8, 0, 50, 12000, 140, 0),
    "normal": SearchEffort(3000, 3, 120, 3, 28, 42, 60, 24000, 400, 40),
    "best": SearchEffort(3000, 8, 150, 5, 60, 150, 70, 24000, 700, 60),
}


@dataclass(frozen=True, eq=False)
class FitProblem:
    """The shape to fit, in the canonical frame. ``quantile``: share of the surface that has to be
    covered. ``band``: what lies less than this above a plane is not asked for. ``surface``: points
    (n,3) that alone have to be covered."""

    solid: Solid
    number: int
    seed: int = 0
    rmin: float = 1e-4
    rmax: float = 2.0
    locked: F64 = field(default_factory=lambda: np.zeros((0, 4)))
    planes: F64 = field(default_factory=lambda: np.zeros((0, 4)))
    mirror: F64 | None = None
    quantile: float = 0.99
    lam: float = 100.0
    stiffness: float = 30000.0
    pull: float = 0.3
    margin: float = 0.0
    gamma: float = 30.0
    stiff_gamma: float = 2.5
    cap: float = 1.0
    band: float = 0.01
    surface: F64 | None = None
    reporter: TaskReporter = SILENT

    def points(self, count: int, corners: bool = False) -> F32:
        """About ``count`` of the surface samples, without those that the clip planes put out of
        reach or that locked spheres cover; (3,m), may be empty.

        corners: the corners of the triangles too, which random samples miss by nature.
        """
        key = ("points", count, corners, self.planes.tobytes(), self.band, self.locked.tobytes())
        columns = self.solid.cache.get(key) if self.surface is None else None
        if columns is None:
            samples = self.solid.samples if self.surface is None else self.surface
            samples = samples[:: max(1, len(samples) // count)]
            if corners and self.surface is None:
                samples = np.vstack([samples, self.solid.corners()])
            # Every batch of the optimiser sees the whole surface.
            blocks = max(1, round(len(samples) / _BATCH))
            samples = np.concatenate([samples[k::blocks] for k in range(blocks)])
            for plane in self.planes:
                samples = samples[samples @ plane[:3] - plane[3] > self.band]
            if len(samples) == 0:
                samples = self.solid.samples[:1]
            columns = sample_columns(samples)
            if len(self.locked):
                columns = np.ascontiguousarray(
                    columns[:, optimiser.gaps(columns, self.locked)[0] > HELD]
                )
            if self.surface is None:
                self.solid.cache[key] = columns
        return columns  # type: ignore[return-value]

    def open_share(self) -> float:
        """Share of the surface within reach that no locked sphere covers."""
        if not len(self.locked):
            return 1.0
        every = replace(self, locked=np.zeros((0, 4))).points(24_000)
        return float(self.points(24_000).shape[1] / every.shape[1])


def refine_spheres(
    problem: FitProblem,
    spheres: F64,
    partner: I64,
    points: int,
    steps: int,
    rate: float,
    lam_start: float,
    *,
    stiff: bool = False,
    corners: bool = False,
    around: tuple[Bools, I32] | None = None,
) -> F64:
    if len(spheres) == 0:
        return spheres
    solid = problem.solid
    every = with_locked(problem, spheres)
    free = np.zeros(len(every), np.bool_)
    free[: len(spheres)] = True
    partners = -np.ones(len(every), np.int64)
    partners[: len(spheres)] = partner
    lam = problem.stiffness if stiff else problem.lam
    target = enough_points(problem, points, len(spheres), corners)
    if target.shape[1] == 0:
        return spheres
    open_share = problem.open_share()
    lam *= open_share
    batch = max(_BATCH, 50 * len(spheres))
    if around is not None:
        near, owner = around
        free[: len(spheres)] = near
        near_sphere = np.zeros(len(every), np.bool_)
        near_sphere[: len(spheres)] = near
        near_sphere = near_sphere[owner]
        share = near_sphere.mean()
        if share == 0:
            # Neither these spheres nor their surroundings have anything to cover.
            return spheres
        target = np.ascontiguousarray(target[:, near_sphere])
        lam *= share
        batch = max(64, int(batch * share))
    out = optimiser.optimise(
        np.ascontiguousarray(every),
        free,
        partners,
        problem.mirror if problem.mirror is not None else np.zeros(4),
        problem.planes,
        target,
        solid.phi,
        solid.origin,
        solid.h,
        _DIRECTIONS_STIFF if stiff else _DIRECTIONS,
        max(solid.unit_area, 1e-6),
        optimiser.Descent(
            steps=steps,
            rate=float(rate),
            lam0=float(lam * lam_start),
            lam1=float(lam),
            margin=float(problem.margin) if stiff else 0.0,
            lin=float(problem.pull) if stiff else 0.0,
            gamma=float(problem.gamma * (problem.stiff_gamma if stiff else 1)),
            buried=0.04 if stiff else 0.08,
            rmin=float(problem.rmin),
            rmax=float(problem.rmax),
            trim=float(min(0.9, 0.9 * (1 - problem.quantile) / open_share)) if stiff else 0.0,
            cap=float(problem.cap),
            batch=batch,
            shape=stiff,
            covering=len(spheres),
        ),
    )
    return np.asarray(out[: len(spheres)])


def enough_points(problem: FitProblem, count: int, spheres: int, corners: bool = False) -> F32:
    """``count`` points, or more: each sphere needs enough of its own, else it fits the points and
    not the surface."""
    return problem.points(max(count, min(24_000, 100 * spheres)), corners)


def with_locked(problem: FitProblem, spheres: F64) -> F64:
    """The spheres, and after them those that do not move."""
    return np.vstack([spheres, problem.locked]) if len(problem.locked) else spheres


def inflated(problem: FitProblem, spheres: F64) -> F64:
    """All radii changed by the one offset that covers ``quantile`` of the surface."""
    s = spheres.copy()
    points = problem.points(8000, problem.quantile >= 1)
    for _ in range(2):
        s[:, 3] += offset_to_cover(points, s, problem.quantile, problem.open_share())
        s[:, 3] = np.clip(s[:, 3], problem.rmin, compute_greatest_radii(problem, s))
    return s


def offset_to_cover(points: F32, spheres: F64, share: float, open_share: float = 1.0) -> float:
    """Return the offset of all radii so that spheres (n,4) cover ``share`` of a surface, of which
    points (3,m) stand for ``open_share`` and the rest is covered as it is."""
    gap, _ = optimiser.gaps(points, np.ascontiguousarray(spheres))
    if len(gap) == 0:
        return -float(spheres[:, 3].max(initial=0.0))
    every = round(len(gap) / open_share) - 1
    at = len(gap) - 1 - (every - int(share * every))
    return float(np.partition(gap, at)[at]) if at >= 0 else -float(spheres[:, 3].max(initial=0.0))


def compute_greatest_radii(problem: FitProblem, spheres: F64) -> F64:
    """How large each sphere (n,4) may get where it stands: largest radius, clip planes, cap on
    protrusion."""
    top = np.full(len(spheres), problem.rmax)
    for plane in problem.planes:
        top = np.minimum(top, spheres[:, :3] @ plane[:3] - plane[3])
    if problem.cap < 1:
        solid = problem.solid
        top = np.minimum(
            top, problem.cap - sample_field(solid.phi, solid.origin, solid.h, spheres[:, :3].copy())
        )
    return np.asarray(np.maximum(top, min(problem.rmin, problem.rmax)))


def score(problem: FitProblem, spheres: F64, *, fine: bool = False) -> float:
    """Excess, mean and greatest protrusion in one figure (their weighted geometric mean), at equal
    coverage.

    To cover everything, the greatest gap of some samples would be a matter of luck: 99.5 % are
    compared.
    """
    at_coverage = inflated_to(
        problem, spheres, problem.points(24_000 if fine else 4000), min(problem.quantile, 0.995)
    )
    size, rays = (1 / 110, DIRECTIONS_FINE) if fine else (1 / 64, DIRECTIONS_OF_SCORE)
    return score_spheres(problem, at_coverage, size, rays)[0]


def score_spheres(problem: FitProblem, spheres: F64, size: float, rays: F64) -> tuple[float, F64]:
    """The score of spheres as they are, lower is better, and how far each stands out; cells of
    ``size`` are counted."""
    solid = problem.solid
    every = np.ascontiguousarray(with_locked(problem, spheres))
    excess = optimiser.excess_volume(every, solid.phi, solid.origin, solid.h, size)
    mean, most, _, each = optimiser.protrusions(every, solid.phi, solid.origin, solid.h, rays)
    relative = excess / max(solid.unit_volume, 1e-9)
    # The greatest protrusion differs five times as much between equally good fits as the other two.
    return float((relative + 1e-4) ** 0.6 * (mean + 1e-5) ** 0.25 * (most + 1e-4) ** 0.15), each[
        : len(spheres)
    ]


def inflated_to(problem: FitProblem, spheres: F64, points: F32, share: float) -> F64:
    """All radii changed by the one offset that covers ``share`` of points (3,m), whatever their
    limits."""
    s = spheres.copy()
    s[:, 3] = np.maximum(s[:, 3] + offset_to_cover(points, s, share, problem.open_share()), 1e-6)
    return s
