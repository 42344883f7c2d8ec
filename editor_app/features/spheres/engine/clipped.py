"""A fit that planes clip: what next to a plane no sphere reaches without standing out too far is
given up.

All in the canonical frame. A sphere that stays above a plane and covers a wall down to it is a tiny
one, or stands out as far as it is large. A clipped fit therefore keeps the protrusion of the
unclipped one; the surface that stays open lies in a band above the plane, and the proof holds above
that band.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from editor_app.core.arrays import F64, I64, Bools
from editor_app.features.spheres.engine import optimiser
from editor_app.features.spheres.engine.certificate import certify, prove
from editor_app.features.spheres.engine.problem import DIRECTIONS_FINE, FitProblem, with_locked
from editor_app.features.spheres.engine.quality import sample_columns
from editor_app.features.spheres.engine.results import Certificate
from editor_app.features.spheres.engine.settings import Plane
from editor_app.features.spheres.engine.solid import Solid, required_triangles

#: How much further than in the unclipped fit spheres may stand out.
_LEEWAY = 1.15
#: The band next to a plane that is not asked of the search, by the protrusion that is allowed.
_BAND = 0.6
#: Above so many times the protrusion that is allowed, no surface is given up for a plane.
_GIVEN_UP = 3.0
#: What is open higher than so many times the greatest protrusion is not blamed on the plane. The
#: cap may be unused.
_HIGHEST = 4.0
#: Share of the height above the planes that may be given up at most.
_MOST = 0.5
#: How often a sphere is lifted to cover what is open.
_RAISES = 60
#: How often the proof is tried with a higher band.
_LIFTS = 20
#: Surface this near to a plane (metres) lies in it.
IN_THE_PLANE = 1e-3


def clipped_problem(
    problem: FitProblem, unclipped: Callable[[FitProblem], F64], solid: Solid
) -> FitProblem:
    """The problem with the protrusion of the unclipped fit as its cap, and with the band that is
    not asked for.

    ``unclipped`` makes the fit without planes; it stands out from ``solid``.
    """
    free = replace(problem, planes=np.zeros((0, 4)), reporter=problem.reporter.quiet)
    every = np.ascontiguousarray(with_locked(problem, unclipped(free)))
    most = optimiser.protrusions(every, solid.phi, solid.origin, solid.h, DIRECTIONS_FINE)[1]
    cap = min(problem.cap, max(_LEEWAY * most, 0.01))
    return replace(problem, cap=cap, band=max(problem.band, _BAND * cap))


def heights(planes: F64, points: F64) -> F64:
    """How far points (..., 3) lie above the lowest of planes (k,4)."""
    return np.asarray((points @ planes[:, :3].T - planes[:, 3]).min(-1))


def lifted_to_cover(
    problem: FitProblem, triangles: F64, spheres: F64, count: int
) -> tuple[F64, int]:
    """Spheres (n,4), of which the first ``count`` may change, grown where a plane stopped them; and
    what stays open.

    A sphere that rests on the one plane moves away from it by as much as it grows: it holds what it
    held.
    """
    s = spheres.copy()
    up = problem.planes[0, :3]
    open_ = 0
    for _ in range(_RAISES):
        open_, spot, _ = prove(triangles, s, 1e-3)
        if open_ == 0:
            break
        off = spot - s[:count, :3]
        distance = np.linalg.norm(off, axis=1)
        # Lifted by t, a sphere holds the spot when |off - t up| <= r + t.
        radius = s[:count, 3]
        needed = (distance**2 - radius**2) / np.maximum(2 * (radius + off @ up), 1e-9)
        needed[(radius + off @ up <= 1e-6) | (radius + needed > problem.rmax)] = np.inf
        i = int(np.argmin(needed))
        if not np.isfinite(needed[i]):
            break
        step = max(float(needed[i]), 0.0) + 5e-4
        s[i, :3] += step * up
        s[i, 3] += step
    return s, open_


def band_limit(problem: FitProblem) -> float:
    """Height above the planes from which on everything has to be covered."""
    most = float(heights(problem.planes, problem.solid.check_samples).max(initial=0.0))
    return min(_GIVEN_UP * problem.cap, _MOST * most)


def above_planes(triangles: F64, planes: F64, height: float) -> tuple[F64, I64]:
    """Return the part of triangles (n,3,3) more than ``height`` above all planes, cut into
    triangles, and their origins."""
    parent = np.arange(len(triangles))
    for plane in planes:
        side = triangles @ plane[:3] - plane[3] - height
        above = side > 0
        count = above.sum(1)
        parts, owners = [triangles[count == 3]], [parent[count == 3]]
        for corner_count, flip in ((1, False), (2, True)):
            chosen = np.flatnonzero(count == corner_count)
            if not len(chosen):
                continue
            # The corner that is alone on its side comes first.
            lone = (above[chosen] ^ flip).argmax(1)
            order = (lone[:, None] + np.arange(3)) % 3
            t = np.take_along_axis(triangles[chosen], order[:, :, None], 1)
            s = np.take_along_axis(side[chosen], order, 1)
            one = t[:, 0] + (s[:, 0] / (s[:, 0] - s[:, 1]))[:, None] * (t[:, 1] - t[:, 0])
            two = t[:, 0] + (s[:, 0] / (s[:, 0] - s[:, 2]))[:, None] * (t[:, 2] - t[:, 0])
            cut = (
                [(t[:, 0], one, two)]
                if corner_count == 1
                else [(one, t[:, 1], t[:, 2]), (one, t[:, 2], two)]
            )
            parts += [np.stack(corners, 1) for corners in cut]
            owners += [parent[chosen]] * len(cut)
        triangles, parent = np.concatenate(parts), np.concatenate(owners)
    return np.ascontiguousarray(triangles), parent


def to_cover(problem: FitProblem) -> F64:
    """Return what has to be covered, as triangles (n,3,3): pieces of those that can be reached,
    above the planes."""
    solid = problem.solid
    triangles = np.ascontiguousarray(solid.pieces[required_triangles(solid)[solid.parent]])
    return above_planes(triangles, problem.planes, 0.0)[0] if len(problem.planes) else triangles


def to_prove(problem: FitProblem) -> F64:
    """Return what has to be proven covered, as triangles (n,3,3): above the band that may be given
    up for planes."""
    triangles = to_cover(problem)
    return (
        above_planes(triangles, problem.planes, band_limit(problem))[0]
        if len(problem.planes)
        else triangles
    )


def _samples_above(solid: Solid, spheres: F64, planes: Sequence[Plane]) -> tuple[F64, Bools]:
    """Heights (n) of samples of the surface above the planes (m), and which of them (n) are
    open."""
    samples = solid.check_samples
    points = solid.spheres_from_canonical(np.column_stack([samples, np.zeros(len(samples))]))[:, :3]
    above = heights(plane_rows(planes), points)
    points, above = points[above > IN_THE_PLANE], above[above > IN_THE_PLANE]
    if not len(points) or not len(spheres):
        return above, np.ones(len(above), bool)
    gap, _ = optimiser.gaps(sample_columns(points), np.ascontiguousarray(spheres))
    return above, np.asarray(gap > 1e-5)


def proof_above(
    solid: Solid, required: Bools, spheres: F64, planes: Sequence[Plane]
) -> Certificate:
    """The proof for the required triangles of a solid (mask over its mesh's faces) above the band
    that was given up.

    spheres (n,4) and planes in metres. The share given up is one of the whole surface, with the
    face in a plane. Where surface is open higher above the planes than ``_HIGHEST`` times the
    greatest protrusion, or nowhere, the proof is that of the whole surface.
    """
    vertices, faces = solid.mesh.vertices, solid.mesh.faces
    whole = certify(vertices, faces, spheres, required=required)
    if whole.certified or not len(spheres):
        return whole
    rows = plane_rows(planes)
    triangles = np.ascontiguousarray(np.asarray(vertices, float)[np.asarray(faces)[required]])
    shape = np.ascontiguousarray(solid.spheres_to_canonical(spheres))
    cap = (
        optimiser.protrusions(shape, solid.phi, solid.origin, solid.h, DIRECTIONS_FINE)[1]
        * solid.diagonal
    )
    sampled, is_open = _samples_above(solid, spheres, planes)
    highest = min(_HIGHEST * cap, (_MOST + 0.1) * float(sampled.max(initial=0.0))) + IN_THE_PLANE
    band = min(highest, float(sampled[is_open].max(initial=0.0)) + IN_THE_PLANE)
    for lift in range(1, _LIFTS + 1):
        above, _ = above_planes(triangles, rows, band)
        if not len(above):
            break
        open_, spot, _ = prove(above, spheres, 2e-5 * solid.diagonal)
        if open_ == 0:
            gap, _ = optimiser.gaps(sample_columns(solid.check_samples), shape)
            return replace(whole, band_m=band, given_up=float((gap > 1e-7).mean()))
        if band >= highest:
            break
        band = min(highest, max(float(heights(rows, spot)), band) + 0.02 * lift * cap)
    return whole


def plane_rows(planes: Sequence[Plane]) -> F64:
    """(k,4): unit normals and offsets, in the frame and unit of the planes."""
    rows = []
    for plane in planes:
        normal = np.asarray(plane.normal, float) / np.linalg.norm(plane.normal)
        rows.append([*normal, float(normal @ np.asarray(plane.point, float))])
    return np.array(rows).reshape(-1, 4)
