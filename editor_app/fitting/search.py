"""The search for good spheres on a prepared solid: starts, joint optimisation, teleports, polish. Canonical frame."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt
from scipy.spatial import cKDTree

from editor_app.fitting import optimiser
from editor_app.fitting.field import sample_field
from editor_app.fitting.quality import sample_columns
from editor_app.fitting.solid import Floats, Solid
from editor_app.fitting.start import candidates_of, cover_start

Progress = Callable[[float, str], None]


@dataclass(frozen=True)
class Plan:
    """How much work to spend: points looked at, starts and steps for each, how many of the best starts go on and how
    often each moves a sphere elsewhere, and points and steps of the polish."""

    points: int
    starts: int
    start_steps: int
    chains: int
    teleports: int
    teleport_steps: int
    final_points: int
    final_steps: int


PLANS = {
    "fast": Plan(2000, 1, 120, 1, 8, 50, 12000, 140),
    "normal": Plan(3000, 3, 120, 3, 24, 60, 24000, 400),
    "best": Plan(3000, 8, 150, 5, 50, 70, 24000, 700),
}


@dataclass(frozen=True, eq=False)
class Problem:
    """What is fitted, in the canonical frame. ``quantile``: share of the surface that has to be covered."""

    solid: Solid
    number: int
    seed: int = 0
    rmin: float = 1e-4
    rmax: float = 2.0
    locked: Floats = field(default_factory=lambda: np.zeros((0, 4)))
    planes: Floats = field(default_factory=lambda: np.zeros((0, 4)))
    mirror: Floats | None = None
    quantile: float = 0.99
    lam: float = 100.0
    stiffness: float = 30000.0
    pull: float = 0.2
    margin: float = 0.0
    gamma: float = 30.0
    cap: float = 1.0
    surface: Floats | None = None
    is_cancelled: Callable[[], bool] | None = None
    on_progress: Progress | None = None

    def restricted(self, surface: Floats) -> Problem:
        """The same problem with only these points (n,3) of the surface to cover."""
        return replace(self, surface=surface)

    def points(self, count: int, corners: bool = False) -> npt.NDArray[np.float32]:
        """About ``count`` of the surface samples, without those that the clip planes put out of reach; (3,m).

        corners: the corners of the triangles too, which random samples miss by nature.
        """
        key = ("points", count, corners, self.planes.tobytes())
        known = self.solid.cache.get(key) if self.surface is None else None
        if known is None:
            samples = self.solid.samples if self.surface is None else self.surface
            samples = samples[:: max(1, len(samples) // count)]
            if corners and self.surface is None:
                samples = np.vstack([samples, self.solid.corners()])
            # Every batch of the optimiser sees the whole surface.
            blocks = max(1, round(len(samples) / _BATCH))
            samples = np.concatenate([samples[k::blocks] for k in range(blocks)])
            for plane in self.planes:
                samples = samples[samples @ plane[:3] - plane[3] > 0.01]
            if len(samples) == 0:
                samples = self.solid.samples[:1]
            known = sample_columns(samples)
            if self.surface is None:
                self.solid.cache[key] = known
        return known  # type: ignore[return-value]


def search(problem: Problem, plan: Plan) -> Floats:
    """Best spheres found (n,4), the locked ones not among them."""
    if problem.number > _MANY:
        # Many spheres are less a matter of luck, and each start is dear.
        plan = replace(plan, starts=1, chains=1, final_steps=min(plan.final_steps, 240))
    _report(problem, 0.05, "covering the surface")
    pool: list[tuple[float, Floats, npt.NDArray[np.int64]]] = []
    for k in range(plan.starts):
        if _cancelled(problem) and pool:
            break
        spheres, partner = _start(problem, k)
        spheres = _run(problem, spheres, partner, plan.points, plan.start_steps, 0.008, 0.3)
        pool.append((score(problem, spheres), spheres, partner))
        _report(problem, 0.1 + 0.2 * (k + 1) / plan.starts, "trying starts")
    pool.sort(key=lambda entry: entry[0])
    best: tuple[float, Floats] | None = None
    for k, (value, spheres, partner) in enumerate(pool[: plan.chains]):
        if best is not None and _cancelled(problem):
            break

        def tell(fraction: float, text: str, done: int = k) -> None:
            _report(problem, 0.3 + 0.6 * (done + 0.8 * fraction) / plan.chains, text)

        if problem.mirror is None:
            spheres = _teleports(problem, plan, value, spheres, tell)
        tell(1.0, "polishing")
        spheres = _polish(problem, plan, spheres, partner)
        value = score(problem, spheres, fine=True) if plan.chains > 1 else 0.0
        if best is None or value < best[0]:
            best = value, spheres
    assert best is not None
    return best[1]


def _polish(problem: Problem, plan: Plan, spheres: Floats, partner: npt.NDArray[np.int64]) -> Floats:
    """First the usual loss on more points; then, inflated to the coverage that is asked for, a stiff loss that holds
    this coverage (and gives up on the share that may stay open) while everything else pulls in."""
    spheres = _run(problem, spheres, partner, plan.final_points, plan.final_steps // 2, 0.004, 1.0)
    spheres = inflated(problem, spheres)
    return _run(
        problem,
        spheres,
        partner,
        plan.final_points,
        plan.final_steps,
        0.003,
        0.1,
        stiff=True,
        corners=problem.quantile >= 1,
    )


def inflated(problem: Problem, spheres: Floats) -> Floats:
    """All radii changed by the one offset that covers ``quantile`` of the surface."""
    s = spheres.copy()
    points = problem.points(8000, problem.quantile >= 1)
    for _ in range(2):
        gap, _ = optimiser.gaps(points, np.ascontiguousarray(_with_locked(problem, s)))
        s[:, 3] = np.clip(s[:, 3] + np.quantile(gap, problem.quantile), problem.rmin, greatest_radii(problem, s))
    return s


def greatest_radii(problem: Problem, spheres: Floats) -> Floats:
    """How large each sphere (n,4) may get where it stands: largest radius, clip planes, cap on protrusion."""
    top = np.full(len(spheres), problem.rmax)
    for plane in problem.planes:
        top = np.minimum(top, spheres[:, :3] @ plane[:3] - plane[3])
    if problem.cap < 1:
        solid = problem.solid
        top = np.minimum(top, problem.cap - sample_field(solid.phi, solid.origin, solid.h, spheres[:, :3].copy()))
    return np.asarray(np.maximum(top, min(problem.rmin, problem.rmax)))


def patches(problem: Problem, spheres: Floats, most: int, corners: Floats | None = None) -> Floats:
    """At most ``most`` further spheres, as large as they may be, greedily placed on what of the surface is open
    (and of further points ``corners`` (n,3))."""
    points = problem.points(24_000, problem.quantile >= 1)
    if corners is not None:
        points = np.ascontiguousarray(np.hstack([points, sample_columns(corners)]))
    gap, _ = optimiser.gaps(points, np.ascontiguousarray(_with_locked(problem, spheres)))
    allowed = int((1 - problem.quantile) * 0.6 * len(gap))
    bare = points[:, gap > -0.002 * problem.cap].T.astype(float)
    if len(bare) <= allowed or most < 1:
        return np.zeros((0, 4))
    inner, _ = candidates_of(problem.solid)
    centres = np.vstack([bare[:: max(1, len(bare) // 1500)], inner])
    radius = greatest_radii(problem, np.column_stack([centres, np.zeros(len(centres))]))
    reached = cKDTree(bare).query_ball_point(centres, 0.98 * np.maximum(radius, 0), return_sorted=True)
    is_open = np.ones(len(bare), bool)
    queue = [(-len(some), i) for i, some in enumerate(reached) if some and radius[i] > problem.rmin]
    heapq.heapify(queue)
    chosen: list[int] = []
    while queue and len(chosen) < most and int(is_open.sum()) > allowed:
        gain, i = heapq.heappop(queue)
        fresh = int(is_open[reached[i]].sum())
        if fresh == -gain:
            chosen.append(i)
            is_open[reached[i]] = False
        elif fresh:
            heapq.heappush(queue, (-fresh, i))
    return np.column_stack([centres[chosen], radius[chosen]])


def polish(problem: Problem, plan: Plan, spheres: Floats) -> Floats:
    """Optimise given spheres (n,4) where they stand, without teleports."""
    return _polish(problem, plan, spheres, -np.ones(len(spheres), np.int64))


def score(problem: Problem, spheres: Floats, *, fine: bool = False) -> float:
    """Excess, mean and greatest protrusion in one figure (their weighted geometric mean), at equal coverage.

    To cover everything, the greatest gap of some samples would be a matter of luck: 99.5 % are compared.
    """
    s = spheres.copy()
    solid = problem.solid
    points = problem.points(24_000 if fine else 4000)
    for _ in range(2):
        gap, _ = optimiser.gaps(points, _with_locked(problem, s))
        s[:, 3] = np.maximum(s[:, 3] + np.quantile(gap, min(problem.quantile, 0.995)), 1e-6)
    every = _with_locked(problem, s)
    size, rays = (1 / 110, _DIRECTIONS_FINE) if fine else (1 / 64, _DIRECTIONS_OF_SCORE)
    excess = optimiser.excess_volume(every, solid.phi, solid.origin, solid.h, size)
    mean, most, _, _ = optimiser.protrusions(every, solid.phi, solid.origin, solid.h, rays)
    relative = excess / max(solid.unit_volume, 1e-9)
    return float((relative + 1e-4) ** 0.45 * (mean + 1e-5) ** 0.25 * (most + 1e-4) ** 0.3)


_BATCH = 3000
_MANY = 64
_DIRECTIONS = optimiser.directions(48)
_DIRECTIONS_FINE = optimiser.directions(400, 1)[0]
_DIRECTIONS_OF_SCORE = optimiser.directions(160, 1)[0]


def _run(
    problem: Problem,
    spheres: Floats,
    partner: npt.NDArray[np.int64],
    points: int,
    steps: int,
    rate: float,
    lam_start: float,
    *,
    stiff: bool = False,
    corners: bool = False,
    around: tuple[npt.NDArray[np.bool_], npt.NDArray[np.int32]] | None = None,
) -> Floats:
    if len(spheres) == 0:
        return spheres
    solid = problem.solid
    every = _with_locked(problem, spheres)
    free = np.zeros(len(every), np.bool_)
    free[: len(spheres)] = True
    partners = -np.ones(len(every), np.int64)
    partners[: len(spheres)] = partner
    lam = problem.stiffness if stiff else problem.lam
    target = _enough_points(problem, points, len(spheres), corners)
    batch = max(_BATCH, 50 * len(spheres))
    if around is not None:
        near, owner = around
        free[: len(spheres)] = near
        mine = np.zeros(len(every), np.bool_)
        mine[: len(spheres)] = near
        mine = mine[owner]
        share = mine.mean()
        if share == 0:
            # Neither these spheres nor their surroundings have anything to cover.
            return spheres
        target = np.ascontiguousarray(target[:, mine])
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
        _DIRECTIONS,
        max(solid.unit_area, 1e-6),
        steps,
        rate,
        lam * lam_start,
        lam,
        problem.margin if stiff else 0.0,
        problem.pull if stiff else 0.0,
        problem.gamma * (5 if stiff else 1),
        0.04 if stiff else 0.08,
        problem.rmin,
        problem.rmax,
        max(0.0, 0.9 * (1 - problem.quantile)) if stiff else 0.0,
        problem.cap,
        batch,
        stiff,
    )
    return np.asarray(out[: len(spheres)])


def _enough_points(problem: Problem, count: int, spheres: int, corners: bool = False) -> npt.NDArray[np.float32]:
    """``count`` points, or more: each sphere needs enough of its own, else it fits the points and not the surface."""
    return problem.points(max(count, min(24_000, 100 * spheres)), corners)


def _with_locked(problem: Problem, spheres: Floats) -> Floats:
    return np.vstack([spheres, problem.locked]) if len(problem.locked) else spheres


def _start(problem: Problem, attempt: int) -> tuple[Floats, npt.NDArray[np.int64]]:
    spheres, _ = cover_start(
        problem.solid,
        problem.number,
        seed=problem.seed + attempt,
        lowest=problem.rmin,
        highest=problem.rmax,
        locked=problem.locked,
    )
    if problem.mirror is not None:
        return _symmetric(problem, spheres)
    spheres = _fill_up(problem, spheres, problem.number)
    return spheres, -np.ones(len(spheres), np.int64)


def _fill_up(problem: Problem, spheres: Floats, number: int) -> Floats:
    """Split the sphere that stands out most until there are ``number``."""
    if len(spheres) == 0:
        samples = problem.solid.samples
        spheres = np.array([[*samples[len(samples) // 2], max(problem.rmin, 0.02)]])
    while len(spheres) < number:
        cost = _standing_out(problem, spheres)
        i = int(np.argmax(cost))
        spheres = np.vstack([np.delete(spheres, i, 0), _halves(problem, spheres, i)])
    return spheres


def _standing_out(problem: Problem, spheres: Floats) -> Floats:
    solid = problem.solid
    every = _with_locked(problem, spheres)
    _, _, _, each = optimiser.protrusions(every, solid.phi, solid.origin, solid.h, _DIRECTIONS_OF_SCORE)
    return np.asarray(each[: len(spheres)] * spheres[:, 3] + 1e-9 * spheres[:, 3])


def _halves(problem: Problem, spheres: Floats, i: int) -> Floats:
    """Two spheres in place of sphere i, apart along the widest spread of the surface that only it covers."""
    points = problem.points(2500)
    _, owner = optimiser.gaps(points, _with_locked(problem, spheres))
    mine = points[:, owner == i].T.astype(float)
    x, y, z, r = spheres[i]
    axis = np.array([1.0, 0.0, 0.0])
    if len(mine) > 3:
        centred = mine - mine.mean(0)
        axis = np.linalg.eigh(centred.T @ centred)[1][:, 2]
    spread = 0.45 * r
    middle = np.array([x, y, z])
    return np.array([[*(middle + spread * axis), 0.85 * r], [*(middle - spread * axis), 0.85 * r]])


def _teleports(problem: Problem, plan: Plan, best: float, spheres: Floats, tell: Progress) -> Floats:
    """Take the sphere that is missed least, put it where one stands out most, re-optimise around both places; keep
    what is better."""
    n = len(spheres)
    if n < 2:
        return spheres
    moves, owner = _moves(problem, plan, spheres)
    for k in range(plan.teleports):
        if _cancelled(problem) or not moves:
            break
        victim, crowd = moves.pop()
        two = _halves(problem, spheres, crowd)
        moved = spheres.copy()
        moved[crowd], moved[victim] = two[0], two[1]
        near = _touching(spheres, np.vstack([spheres[[victim, crowd]], two]))
        moved = _run(problem, moved, _alone(n), plan.points, plan.teleport_steps, 0.008, 0.5, around=(near, owner))
        value = score(problem, moved)
        if value < best * 0.998:
            best, spheres = value, moved
            moves, owner = _moves(problem, plan, spheres)
        tell((k + 1) / plan.teleports, "moving spheres to better places")
    return spheres


def _touching(spheres: Floats, others: Floats) -> npt.NDArray[np.bool_]:
    """Which of ``spheres`` overlap one of ``others``."""
    apart = np.linalg.norm(spheres[:, None, :3] - others[None, :, :3], axis=2)
    return np.asarray((apart < spheres[:, None, 3] + others[None, :, 3]).any(1))


def _alone(count: int) -> npt.NDArray[np.int64]:
    """No sphere has a mirror image."""
    return -np.ones(count, np.int64)


def _moves(problem: Problem, plan: Plan, spheres: Floats) -> tuple[list[tuple[int, int]], npt.NDArray[np.int32]]:
    """Pairs (sphere to take, sphere to split), the most promising last, and for every point its nearest sphere."""
    n = len(spheres)
    every = np.ascontiguousarray(_with_locked(problem, spheres))
    points = _enough_points(problem, plan.points, n)
    some = points[:, :: max(1, points.shape[1] // 2500)]
    gap = np.linalg.norm(some.T[:, None] - every[None, :, :3].astype(np.float32), axis=2) - every[:, 3]
    owner = np.argmin(gap, axis=1)
    gap[np.arange(len(gap)), owner] = np.inf
    second = np.maximum(gap.min(1), 0.0)
    missed = np.bincount(owner, second**2, minlength=len(every))[:n]
    crowded = _standing_out(problem, spheres)
    gain = crowded[None, :] / crowded.max() - missed[:, None] / (np.median(missed) + 1e-12)
    np.fill_diagonal(gain, -np.inf)
    best = np.argsort(gain, axis=None, kind="stable")[n:][-3 * plan.teleports :]
    return [(int(flat) // n, int(flat) % n) for flat in best], optimiser.gaps(points, every)[1]


def _symmetric(problem: Problem, spheres: Floats) -> tuple[Floats, npt.NDArray[np.int64]]:
    """A symmetric start with exactly ``number`` spheres: pairs, and singles on the plane."""
    assert problem.mirror is not None
    normal, offset = problem.mirror[:3], problem.mirror[3]
    side = spheres[:, :3] @ normal - offset
    singles = list(spheres[np.abs(side) < 0.35 * spheres[:, 3]])
    plus, minus = spheres[side >= 0.35 * spheres[:, 3]], spheres[side <= -0.35 * spheres[:, 3]]
    half = list(plus if len(plus) >= len(minus) else minus)
    points = problem.points(2500)
    while len(singles) + 2 * len(half) > problem.number:
        if len(singles) + 2 * len(half) == problem.number + 1 and singles:
            singles.pop(int(np.argmin([s[3] for s in singles])))
        elif half:
            half.pop(int(np.argmin([s[3] for s in half])))
        else:
            singles.pop(int(np.argmin([s[3] for s in singles])))
    while len(singles) + 2 * len(half) < problem.number:
        every = _mirrored(singles, half, normal, offset)
        if len(every):
            gap, _ = optimiser.gaps(points, np.ascontiguousarray(_with_locked(problem, every)))
            spot = points[:, int(np.argmax(gap))].astype(float)
        else:
            spot = points[:, 0].astype(float)
        sphere = np.array([*spot, max(problem.rmin, 0.05)])
        if problem.number - len(singles) - 2 * len(half) == 1:
            singles.append(sphere)
        else:
            half.append(sphere)
    every = _mirrored(singles, half, normal, offset)
    s, p = len(singles), len(half)
    partner = np.concatenate([np.arange(s), s + p + np.arange(p), s + np.arange(p)]).astype(np.int64)
    return every, partner


def _mirrored(singles: list[Floats], half: list[Floats], normal: Floats, offset: float) -> Floats:
    one = np.array(singles).reshape(-1, 4)
    two = np.array(half).reshape(-1, 4)
    one = one.copy()
    one[:, :3] -= (one[:, :3] @ normal - offset)[:, None] * normal
    twin = two.copy()
    twin[:, :3] -= 2 * (two[:, :3] @ normal - offset)[:, None] * normal
    return np.vstack([one, two, twin])


def _cancelled(problem: Problem) -> bool:
    return problem.is_cancelled is not None and problem.is_cancelled()


def _report(problem: Problem, fraction: float, text: str) -> None:
    if problem.on_progress is not None:
        problem.on_progress(fraction, text)
