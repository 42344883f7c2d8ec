"""Fit spheres to one solid: by number, or to a tolerance, with radii as the mode asks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from editor_app.core.arrays import F64
from editor_app.core.tasks.task import SILENT, TaskReporter
from editor_app.features.spheres.engine import optimiser
from editor_app.features.spheres.engine.certificate import grow_to_cover
from editor_app.features.spheres.engine.clipped import (
    IN_THE_PLANE,
    above_planes,
    band_limit,
    clipped_problem,
    lifted_to_cover,
    to_cover,
)
from editor_app.features.spheres.engine.enclosing import least_ball
from editor_app.features.spheres.engine.field import sample_field
from editor_app.features.spheres.engine.inside import exact_depth, search_inside
from editor_app.features.spheres.engine.moves import refilled
from editor_app.features.spheres.engine.problem import (
    HELD,
    PLANS,
    FitProblem,
    SearchEffort,
    compute_greatest_radii,
    offset_to_cover,
)
from editor_app.features.spheres.engine.quality import Protrusion, sample_columns
from editor_app.features.spheres.engine.search import number_for_slack, patches, search_spheres
from editor_app.features.spheres.engine.settings import FitSettings, FittingError, Plane
from editor_app.features.spheres.engine.solid import ROUNDING, Solid, required_triangles

#: How much further than they do spheres count as standing out where it is most crowded.
STRESS = 8.0
#: A place is crowded as far as this from a point that says so, metres.
_REACH = 0.005
#: Points further outside than this say nothing of the spheres, metres.
_FAR = 0.025
#: Voxels for a field that tells crowded places apart, metres.
_VOXEL = 0.004
#: A body is a ball where no part of the least ball around it stands out by more than this share of
#: its radius.
_ROUND = 0.03
#: Share of a ball's surface that triangles with their corners on it have at least.
_BALL_AREA = 0.9
#: Spheres beyond those that stand out by no more than this (metres) add nothing: no program keeps
#: less of a distance.
_FINE = 5e-4
#: Diagonal (metres) from which on no usual number of spheres stands out by so little.
_LARGE = 0.05


def fit_solid(
    solid: Solid,
    settings: FitSettings,
    notes: list[str],
    reporter: TaskReporter = SILENT,
) -> F64:
    """Return spheres (n,4) in metres for a solid, without padding; the number of the settings is
    not exceeded."""
    plan = PLANS[settings.effort]
    to_tolerance = settings.tolerance_m is not None and settings.mode != "inside"
    if settings.tolerance_m is not None and to_tolerance:
        solid = solid.finer(settings.tolerance_m / 4)
    searched = crowded(solid, settings.crowd) if settings.crowd else solid
    problem = _problem(searched, settings, notes, reporter)
    spheres = _as_ball(problem, settings, solid)
    if spheres is None and to_tolerance:
        spheres = _fit_to_tolerance(problem, plan, settings, notes)
    elif spheres is None:
        assert settings.number is not None
        number = useful_number(solid, settings.number)
        spheres = _fit_number(replace(problem, number=number), plan, settings, notes, solid)
    return solid.spheres_from_canonical(spheres)


def useful_number(solid: Solid, most: int) -> int:
    """Return how many spheres, of at most ``most``, a solid has use for: on a tiny one, more are as
    good as fewer."""
    if solid.diagonal > _LARGE:
        return most
    return max(1, min(most, number_for_slack(solid, _FINE / solid.diagonal, most, 0.0, 2.0)))


def covered_by(solid: Solid, spheres: F64) -> bool:
    """Return whether each piece of the surface that can be reached lies in one of spheres (n,4),
    metres."""
    return not len(_open_corners(solid, solid.spheres_to_canonical(spheres)))


def _open_corners(solid: Solid, spheres: F64) -> F64:
    """Corners (k,3) of the pieces of the reachable surface of which no one sphere (n,4) holds all
    three."""
    required = required_triangles(solid)
    if not len(spheres):
        return solid.to_canonical(solid.mesh.vertices[np.unique(solid.mesh.faces[required])])
    pieces = solid.pieces[required[solid.parent]]
    is_open = np.ones(len(pieces), bool)
    for x, y, z, radius in spheres:
        is_open &= (((pieces - (x, y, z)) ** 2).sum(2) > (radius + ROUNDING) ** 2).any(1)
    return pieces[is_open].reshape(-1, 3)


def ball_of(solid: Solid) -> tuple[F64, float] | None:
    """Return the sphere (4; canonical frame) that a solid is, and how far it stands out of its
    triangles; None for another body."""
    if "ball" not in solid.cache:
        ball = least_ball(_open_corners(solid, np.zeros((0, 4))))
        is_ball = bool(solid.unit_area > _BALL_AREA * 4 * np.pi * ball[3] ** 2)
        most = float(Protrusion.of(solid, ball[None]).most[0]) if is_ball else np.inf
        solid.cache["ball"] = (ball, most) if most <= _ROUND * ball[3] else None
    return solid.cache["ball"]  # type: ignore[return-value]


def _as_ball(problem: FitProblem, settings: FitSettings, solid: Solid) -> F64 | None:
    """The one sphere (1,4) of a solid that is a ball, none beside locked spheres that hold it; None
    for other bodies, and where limits do not allow it."""
    round_body = ball_of(solid)
    if round_body is None or round_body[1] * solid.diagonal > (settings.tolerance_m or np.inf):
        return None
    ball = round_body[0]
    if settings.mode == "inside":
        ball = np.array([*ball[:3], exact_depth(solid, ball[None, :3])[0]])
    return (
        _allowed(problem, ball) if len(_open_corners(solid, problem.locked)) else np.zeros((0, 4))
    )


def _allowed(problem: FitProblem, ball: F64) -> F64 | None:
    """The sphere (4) as the only one (1,4), a hair larger for the proof; None where it breaks a
    limit."""
    grown = np.array([[*ball[:3], max(ball[3] * (1 + 1e-8), problem.rmin)]])
    is_apart = (
        problem.mirror is not None
        and abs(ball[:3] @ problem.mirror[:3] - problem.mirror[3]) > ROUNDING
    )
    return (
        None
        if is_apart
        or grown[0, 3] > compute_greatest_radii(replace(problem, cap=1.0), grown)[0] + ROUNDING
        else grown
    )


def _least_cover(problem: FitProblem) -> F64 | None:
    """The smallest sphere (1,4) that covers everything that locked spheres leave open, or none
    where they leave nothing open; None where limits do not allow it."""
    corners = _open_corners(problem.solid, problem.locked)
    if not len(corners):
        return np.zeros((0, 4))
    if problem.mirror is not None:
        image = (
            corners
            - 2 * (corners @ problem.mirror[:3] - problem.mirror[3])[:, None] * problem.mirror[:3]
        )
        corners = np.vstack([corners, image])
    ball = least_ball(corners)
    ball[3] += 4 * ROUNDING * bool(len(problem.locked))
    return _allowed(problem, ball)


def _fit_to_tolerance(
    problem: FitProblem, plan: SearchEffort, settings: FitSettings, notes: list[str]
) -> F64:
    """Fewest spheres found whose greatest protrusion stays within the tolerance.

    The greedy cover gives an upper bound; joint optimisation needs fewer, so the number is searched
    below it. What a fit leaves open gets spheres of its own, so that a detailed mesh ends with more
    spheres instead of with a failure.
    """
    assert settings.tolerance_m is not None
    solid = problem.solid
    limit = settings.tolerance_m / solid.diagonal
    least = _least_cover(problem)
    if least is not None and settings.mode == "balanced" and len(least):
        least = finish(problem, least, settings, [])
    if least is not None and greatest_protrusion(problem, least) <= limit:
        return least
    most = number_for_slack(solid, limit, settings.max_number, 0.0, 2.0)
    if most > settings.max_number:
        notes.append(
            f"The tolerance of {1000 * settings.tolerance_m:.1f} mm needs more than "
            f"{settings.max_number} spheres; "
            f"fitted with {settings.max_number}."
        )
        most = settings.max_number
    # A hair below: figures are taken with other sample points than the fit's.
    margin = min(problem.margin, 0.12 * limit)
    problem = replace(
        problem, cap=(0.82 if settings.mode == "cover" else 0.93) * limit, margin=margin, pull=0.02
    )
    best, high = _fewest_that_keep(problem, settings, limit, max(1, round(0.8 * most)))
    if best is not None and plan is PLANS["fast"]:
        return best
    last = _patched(replace(problem, number=high), plan, settings)
    if _keeps(problem, last, limit) and (best is None or len(last) <= len(best)):
        return last
    if best is not None:
        return best
    reached = greatest_protrusion(problem, last) * solid.diagonal
    notes.append(
        f"{len(last)} spheres cannot cover the surface within the tolerance of "
        f"{1000 * settings.tolerance_m:.1f} mm (maximum protrusion {1000 * reached:.1f} mm); allow "
        "more spheres "
        "or a greater tolerance."
    )
    return last


def _fewest_that_keep(
    problem: FitProblem, settings: FitSettings, limit: float, high: int
) -> tuple[F64 | None, int]:
    """The smallest quick fit that was seen to keep the tolerance, None for none, and the number to
    try last."""
    best: F64 | None = None
    low = 0
    for _ in range(_TRIES):
        if problem.reporter.cancelled() or (best is not None and high - low <= max(1, high // 12)):
            break
        number = high if best is None else (low + high) // 2
        spheres = _patched(
            replace(problem, number=number, reporter=problem.reporter.quiet),
            PLANS["fast"],
            settings,
        )
        if _keeps(problem, spheres, limit) and (best is None or len(spheres) < len(best)):
            best, high = spheres, len(spheres)
        if best is None or len(spheres) > number:
            low = number
        if best is None:
            if number >= settings.max_number:
                break
            high = min(settings.max_number, round(1.25 * number) + 1)
    return best, high


_TRIES = 7


def _patched(problem: FitProblem, plan: SearchEffort, settings: FitSettings) -> F64:
    """A fit with ``number`` spheres, and as many more as the surface that it leaves open takes."""
    spheres = _fit_number(problem, plan, settings, [], problem.solid)
    if problem.mirror is not None:
        return spheres
    corners = None
    if settings.mode == "cover":
        # The proof asks for whole triangles, also for what of them lies enclosed and has no
        # samples.
        wanted = problem.solid.pieces[
            required_triangles(problem.solid)[problem.solid.parent]
        ].reshape(-1, 3)
        corners = _reachable(problem, np.unique(np.round(wanted, 5), axis=0))
    # What the proof made them grow beyond the cap is taken back: the patches stand in.
    top = compute_greatest_radii(problem, spheres)
    spheres = np.column_stack([spheres[:, :3], np.minimum(spheres[:, 3], top)])
    more = patches(problem, spheres, settings.max_number - len(spheres), corners)
    return finish(problem, np.vstack([spheres, more]), settings, [])


def _keeps(problem: FitProblem, spheres: F64, limit: float) -> bool:
    """Whether the tolerance holds and the surface is covered as far as the mode asks."""
    every = np.ascontiguousarray(np.vstack([spheres, problem.locked]))
    gap, _ = optimiser.gaps(sample_columns(_reachable(problem, problem.solid.check_samples)), every)
    share = float((gap <= 1e-6).mean())
    return share >= problem.quantile - 0.0005 and greatest_protrusion(problem, spheres) <= limit


def greatest_protrusion(problem: FitProblem, spheres: F64) -> float:
    """How far the spheres (n,4) stand out at most, beside the locked ones. Canonical frame."""
    if not len(spheres):
        return 0.0
    every = np.ascontiguousarray(np.vstack([spheres, problem.locked]))
    return float(Protrusion.of(problem.solid, every).most[: len(spheres)].max())


def _fit_number(
    problem: FitProblem, plan: SearchEffort, settings: FitSettings, notes: list[str], solid: Solid
) -> F64:
    """`solid`: the shape that is fitted; the problem's may rise more steeply where it is
    crowded."""
    if settings.mode == "inside":
        spheres = search_inside(problem, plan, settings.inside_tolerance_m / solid.diagonal)
        if len(spheres) < problem.number:
            notes.append(
                f"Only {len(spheres)} of {problem.number} spheres fit inside; there is no space "
                "for more."
            )
        return spheres
    least = _least_cover(problem) if problem.number == 1 else None
    if least is not None and settings.mode == "cover":
        return least
    if len(problem.planes):
        fast = PLANS["fast"]
        problem = clipped_problem(
            problem, lambda free: finish(free, search_spheres(free, fast), settings, []), solid
        )
    spheres = finish(problem, search_spheres(problem, plan), settings, notes)
    if len(problem.planes):
        problem, spheres = _asking_less(problem, plan, spheres, settings)
    if least is not None and len(least):
        # Balanced: from the middle of the least ball or from the search, whichever covers as much
        # with less.
        spheres = min(
            spheres, finish(problem, least, settings, notes), key=lambda sphere: float(sphere[0, 3])
        )
    if settings.tolerance_m is not None:
        # The fewest are wanted.
        return spheres
    return refilled(problem, plan, spheres, lambda changed: finish(problem, changed, settings, []))


def _asking_less(
    problem: FitProblem, plan: SearchEffort, spheres: F64, settings: FitSettings
) -> tuple[FitProblem, F64]:
    """The problem and its spheres, with less asked for next to the planes where they stand out too
    far for it."""
    most = greatest_protrusion(problem, spheres)
    for factor in (1.3, 1.7):
        if most <= 1.25 * problem.cap or problem.reporter.cancelled():
            break
        easier = replace(problem, band=factor * problem.band)
        other = finish(easier, search_spheres(easier, plan), settings, [])
        stands_out = greatest_protrusion(easier, other)
        if stands_out < most:
            most, problem, spheres = stands_out, easier, other
    return problem, spheres


def finish(problem: FitProblem, spheres: F64, settings: FitSettings, notes: list[str]) -> F64:
    """Radii as the mode asks: 99 % of the surface covered, or every triangle with proof."""
    if settings.mode == "balanced":
        points = sample_columns(_reachable(problem, problem.solid.check_samples))
        top = compute_greatest_radii(problem, spheres)
        left, out = points, spheres.copy()
        if len(problem.locked):
            left = points[:, optimiser.gaps(points, problem.locked)[0] > HELD]
        for _ in range(3):
            move = offset_to_cover(left, out, 0.99, left.shape[1] / points.shape[1])
            out[:, 3] = np.clip(out[:, 3] + move, problem.rmin, top)
        return out
    return _cover(problem, spheres, settings, notes)


def _cover(problem: FitProblem, spheres: F64, settings: FitSettings, notes: list[str]) -> F64:
    """Grow until the proof succeeds; before that, what is open is shared out with the least
    growth."""
    n = len(spheres)
    # The canonical triangles are rounded: what locked spheres hold exactly is held by them.
    locked = problem.locked + (0.0, 0.0, 0.0, 2 * ROUNDING)
    every = np.ascontiguousarray(np.vstack([spheres, locked]))
    # The tolerance is judged by the protrusion that results, which may be less than growth
    # suggests.
    free = replace(problem, cap=1.0)
    limit = np.concatenate([compute_greatest_radii(free, spheres), locked[:, 3]])
    capped = np.concatenate([compute_greatest_radii(problem, spheres), locked[:, 3]])
    every[:n, 3] = np.minimum(every[:n, 3], limit[:n])
    triangles = to_cover(problem)
    leaf = min(0.002, 0.1 * problem.cap)
    if len(problem.planes):
        # Next to a plane, growth ends where spheres stand out too far; above the band, everything
        # is covered.
        every, _ = grow_to_cover(triangles, every, leaf, np.minimum(limit, capped))
        triangles, _ = above_planes(triangles, problem.planes, band_limit(problem))
    grown, stuck = grow_to_cover(triangles, every, leaf, limit)
    if stuck and len(problem.planes) == 1 and problem.mirror is None:
        grown, stuck = lifted_to_cover(problem, triangles, grown, n)
    if stuck:
        reasons = []
        if len(problem.planes):
            reasons.append("clip planes")
        if problem.rmax < 2.0:
            reasons.append("the largest radius")
        notes.append(
            f"Some of the surface is uncovered because of {' and '.join(reasons) or 'the limits'}."
        )
    out = np.asarray(grown[:n])
    # The canonical triangles are rounded; the proof is made for the mesh itself.
    out[:, 3] = np.minimum(out[:, 3] + 4 * ROUNDING, np.maximum(limit[:n], out[:, 3]))
    if problem.mirror is not None:
        # Growing saw one side before the other: each pair takes the greater radius, which still
        # covers.
        normal, offset = problem.mirror[:3], problem.mirror[3]
        image = out[:, :3] - 2 * (out[:, :3] @ normal - offset)[:, None] * normal
        twin = np.linalg.norm(image[:, None] - out[None, :, :3], axis=2).argmin(1)
        out[:, 3] = np.maximum(out[:, 3], out[twin, 3])
    return out


def _reachable(problem: FitProblem, points: F64) -> F64:
    for plane in problem.planes:
        points = points[points @ plane[:3] - plane[3] > problem.band]
    return points if len(points) else problem.solid.check_samples


def problem_of(solid: Solid, settings: FitSettings, *, locked: npt.ArrayLike) -> FitProblem:
    """The problem in the canonical frame for given settings, with these locked spheres (n,4)."""
    rows = tuple((x, y, z, r) for x, y, z, r in np.asarray(locked, float).reshape(-1, 4).tolist())
    return _problem(solid, replace(settings, locked=rows, mirror=None), [])


def _problem(
    solid: Solid,
    settings: FitSettings,
    notes: list[str],
    reporter: TaskReporter = SILENT,
) -> FitProblem:
    size = solid.diagonal
    rmax = 2.0
    if settings.max_radius is not None:
        rmax = (settings.max_radius - settings.padding) / size
        if rmax <= 0:
            raise FittingError(
                f"The padding ({settings.padding} m) uses up the largest radius "
                f"({settings.max_radius} m)."
            )
    rmin = max(1e-4, (settings.min_radius - settings.padding) / size)
    planes = np.array(
        [_canonical_plane(solid, plane, settings.padding) for plane in settings.clip_planes]
    )
    locked = solid.spheres_to_canonical(settings.locked) if settings.locked else np.zeros((0, 4))
    if len(planes):
        # What lies in the plane is covered by what the robot stands on.
        allowed = (settings.padding + IN_THE_PLANE) / size
        behind = [float((solid.samples @ p[:3] - p[3] < -allowed).mean()) for p in planes]
        if max(behind) > 0.005:
            notes.append(
                f"{100 * max(behind):.0f} % of the surface is behind a clip plane and is left out."
            )
    cover = settings.mode == "cover"
    return FitProblem(
        solid,
        1,
        seed=settings.seed,
        rmin=rmin,
        rmax=rmax,
        locked=np.ascontiguousarray(locked),
        planes=planes.reshape(-1, 4),
        mirror=_canonical_plane(solid, settings.mirror, 0.0)
        if settings.mirror is not None
        else None,
        quantile=1.0 if cover else 0.99,
        stiffness=5e4 if cover else 3e4,
        # Corners weigh little among the samples: aiming a little beyond them leaves less to grow
        # for the proof.
        margin=0.004 if cover else 0.0,
        gamma=60.0 if cover else 30.0,
        stiff_gamma=5.0 if cover else 2.5,
        pull=0.2 if cover else 0.3,
        reporter=reporter,
    )


def _canonical_plane(solid: Solid, plane: Plane, padding: float) -> F64:
    """Unit normal and offset in the canonical frame; moved inwards by the padding that is added
    later."""
    normal = np.asarray(plane.normal, float)
    normal = normal / np.linalg.norm(normal)
    turned = solid.turn @ normal
    point = solid.to_canonical(np.asarray(plane.point, float))[0]
    return np.array([*turned, float(point @ turned) + padding / solid.diagonal])


def crowded(solid: Solid, crowd: npt.ArrayLike) -> Solid:
    """The solid with a field that rises up to ``1 + STRESS`` times as steeply outside, where points
    of ``crowd`` (k, 4: x, y, z in metres in the mesh's frame, weight) are.

    For the search alone: what its field says of distances is too much.
    """
    from scipy.ndimage import gaussian_filter

    rows = np.asarray(crowd, float).reshape(-1, 4)
    if not len(rows):
        return solid
    solid = solid.finer(_VOXEL)
    points = solid.to_canonical(rows[:, :3])
    cells = np.floor((points - solid.origin) / solid.h).astype(np.int64)
    inside = np.all((cells >= 0) & (cells < solid.phi.shape), axis=1)
    cells, weights, points = cells[inside], rows[inside, 3], np.ascontiguousarray(points[inside])
    above = np.asarray(sample_field(solid.phi, solid.origin, solid.h, points)) * solid.diagonal
    near = above < _FAR
    density = np.zeros(solid.phi.shape)
    np.add.at(density, tuple(cells[near].T), weights[near])
    density = gaussian_filter(density, _REACH / solid.diagonal / solid.h, mode="constant")
    most = float(density.max())
    if most <= 0.0:
        return solid
    stress = 1.0 + STRESS * np.sqrt(density / most)
    phi = np.where(solid.phi > 0.0, solid.phi * stress, solid.phi).astype(np.float32)
    return replace(solid, phi=phi, cache={})
