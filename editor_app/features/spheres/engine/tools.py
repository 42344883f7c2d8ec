"""Hand tools: pure functions, spheres in, spheres out. A sphere is a row x, y, z, r in metres, in
the mesh's frame.

Those that need to know the link take its prepared ``Solid`` (``build_solid``). ``selected`` are row
numbers; what is not selected comes back bit for bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from editor_app.core.arrays import F64, I64
from editor_app.features.spheres.engine import optimiser
from editor_app.features.spheres.engine.certificate import grow_to_cover
from editor_app.features.spheres.engine.field import sample_field
from editor_app.features.spheres.engine.inside import exact_depth
from editor_app.features.spheres.engine.problem import (
    PLANS,
    FitProblem,
    compute_greatest_radii,
    inflated,
)
from editor_app.features.spheres.engine.quality import sample_columns
from editor_app.features.spheres.engine.search import polish
from editor_app.features.spheres.engine.settings import FitSettings, FittingError, Plane
from editor_app.features.spheres.engine.solid import Solid
from editor_app.features.spheres.engine.solid_fit import problem_of

Series = Literal["linear", "geometric"]


def connect(
    first: npt.ArrayLike, second: npt.ArrayLike, count: int, series: Series = "linear"
) -> F64:
    """``count`` spheres (count,4) between two spheres, the two not included.

    linear: centres evenly spaced, radii in arithmetic series: all touch the cone around the two.
    geometric: radii in geometric series and gaps in proportion to them, so that neighbours overlap
    alike (a chain that tapers). Raises FittingError for a negative count or radius, a value that is
    not finite and, with geometric, a radius of 0.
    """
    a, b = np.asarray(first, float).reshape(4), np.asarray(second, float).reshape(4)
    _refuse_impossible(np.stack([a, b]))
    if count < 0:
        raise FittingError(f"The number of spheres between must not be negative, not {count}.")
    t = np.arange(1, count + 1) / (count + 1)
    if series == "linear":
        return np.asarray(a + t[:, None] * (b - a))
    if a[3] <= 0 or b[3] <= 0:
        raise FittingError("A geometric series needs two radii greater than 0.")
    radii = a[3] * (b[3] / a[3]) ** np.concatenate([[0], t, [1]])
    steps = radii[:-1] + radii[1:]
    t = np.cumsum(steps)[:-1] / steps.sum()
    return np.column_stack([a[:3] + t[:, None] * (b[:3] - a[:3]), radii[1:-1]])


def scale(spheres: npt.ArrayLike, factor: float = 1.0, offset: float = 0.0) -> F64:
    """Radii times ``factor`` plus ``offset`` (m), at least a tenth of a millimetre; centres stay.

    Raises FittingError for a factor that is not positive, and for an offset that is not finite.
    """
    s = _rows(spheres)
    if not (0 < factor < np.inf and np.isfinite(offset)):
        raise FittingError(
            f"The factor must be greater than 0, not {factor}, and the offset finite, not {offset}."
        )
    s[:, 3] = np.maximum(s[:, 3] * factor + offset, 1e-4)
    return s


def snap_to_medial_axis(solid: Solid, spheres: npt.ArrayLike) -> F64:
    """Centres climb the depth to the nearest ridge; radii become the depth there. Spheres outside
    come in first."""
    s = solid.spheres_to_canonical(spheres)
    if len(s) == 0:
        return _rows(spheres)
    centres = s[:, :3].copy()
    step = np.full(len(s), 2 * solid.h)
    depths = _depth(solid, centres)
    for _ in range(300):
        moved = centres + step[:, None] * _slope(solid, centres)
        moved_depth = _depth(solid, moved)
        # An ordinary climb goes on for ever along a slowly widening body; a ridge is where the gain
        # falls below half.
        better = moved_depth > depths + 0.5 * step
        centres[better], depths[better] = moved[better], moved_depth[better]
        step[~better] *= 0.5
        if step.max() < 1e-4:
            break
    radius = np.maximum(exact_depth(solid, centres), 1e-4)
    return solid.spheres_from_canonical(np.column_stack([centres, radius]))


def grow_to_touch(
    solid: Solid, spheres: npt.ArrayLike, selected: Sequence[int] | None = None
) -> F64:
    """Each selected sphere inside the solid grows until it touches the surface; larger ones stay as
    they are."""
    s = _rows(spheres)
    chosen = _chosen(s, selected)
    c = solid.spheres_to_canonical(s[chosen])
    depth = exact_depth(solid, np.ascontiguousarray(c[:, :3])) * solid.diagonal
    s[chosen, 3] = np.maximum(s[chosen, 3], depth)
    return s


def shrink_to_fit(
    solid: Solid,
    spheres: npt.ArrayLike,
    selected: Sequence[int] | None = None,
    *,
    keep_cover: bool = True,
) -> F64:
    """Each selected sphere, the one that stands out most first, shrinks as far as it can.

    keep_cover: as far as the part of the surface that only this sphere covers allows; else until it
    is inside.
    """
    s = _rows(spheres)
    chosen = _chosen(s, selected)
    c = np.ascontiguousarray(solid.spheres_to_canonical(s))
    depth = exact_depth(solid, np.ascontiguousarray(c[:, :3]))
    if not keep_cover:
        c[chosen, 3] = np.minimum(c[chosen, 3], np.maximum(depth[chosen], 1e-4))
    else:
        points = np.vstack([solid.corners(), solid.samples[::2]])
        for i in sorted(chosen, key=lambda k: depth[k] - c[k, 3]):
            distance = np.linalg.norm(points - c[i, :3], axis=1)
            inside = distance <= c[i, 3]
            others = np.delete(c, i, 0)
            if len(others) and inside.any():
                gap, _ = optimiser.gaps(
                    sample_columns(points[inside]), np.ascontiguousarray(others)
                )
                needed = distance[inside][gap > -1e-6]
            else:
                needed = distance[inside]
            c[i, 3] = min(
                c[i, 3], max(float(needed.max(initial=0.0)), 1e-4, min(depth[i], c[i, 3]))
            )
    s[chosen, 3] = c[chosen, 3] * solid.diagonal
    return s


def split(sphere: npt.ArrayLike, solid: Solid | None = None) -> F64:
    """Two spheres (2,4) in place of one, side by side along the link where it covers it (x without
    a solid).

    Raises FittingError for a negative radius, and for values that are not finite.
    """
    s = np.asarray(sphere, float).reshape(4)
    _refuse_impossible(s[None])
    axis = np.array([1.0, 0.0, 0.0])
    if solid is not None:
        c = solid.spheres_to_canonical(s)[0]
        samples = solid.samples[np.linalg.norm(solid.samples - c[:3], axis=1) <= 1.02 * c[3]]
        if len(samples) > 3:
            centred = samples - samples.mean(0)
            axis = solid.turn.T @ np.linalg.eigh(centred.T @ centred)[1][:, 2]
    axis = axis * np.sign(axis[np.argmax(np.abs(axis))])
    move = 0.45 * s[3] * axis
    return np.array([[*(s[:3] - move), 0.85 * s[3]], [*(s[:3] + move), 0.85 * s[3]]])


def merge(spheres: npt.ArrayLike) -> F64:
    """The smallest sphere (4) around all given ones (Badoiu-Clarkson steps, then closed exactly).

    Raises FittingError for no sphere, and for one whose radius is negative or whose values are not
    finite.
    """
    s = _rows(spheres)
    if len(s) == 0:
        raise FittingError("No spheres to merge.")
    _refuse_impossible(s)
    if len(s) == 1:
        return np.asarray(s[0])
    if len(s) == 2:
        return _around_two(s[0], s[1])
    centre = s[:, :3].mean(0)
    for k in range(2000):
        reach = np.linalg.norm(s[:, :3] - centre, axis=1) + s[:, 3]
        far = int(np.argmax(reach))
        away = s[far, :3] - centre
        length = float(np.linalg.norm(away))
        if length == 0:
            break
        # Towards the far end of the farthest ball, by a step that shrinks.
        centre = centre + away / length * reach[far] / (k + 2)
    radius = float((np.linalg.norm(s[:, :3] - centre, axis=1) + s[:, 3]).max())
    best: F64 = np.array([*centre, radius])
    pairs = [_around_two(s[i], s[k]) for i in range(len(s)) for k in range(i)]
    for pair in pairs:
        if pair[3] < best[3] and (
            np.linalg.norm(s[:, :3] - pair[:3], axis=1) + s[:, 3]
        ).max() <= pair[3] * (1 + 1e-9):
            best = pair
    return best


def _around_two(a: F64, b: F64) -> F64:
    d = float(np.linalg.norm(b[:3] - a[:3]))
    if d + b[3] <= a[3]:
        return a.copy()
    if d + a[3] <= b[3]:
        return b.copy()
    radius = (d + a[3] + b[3]) / 2
    return np.array([*(a[:3] + (b[:3] - a[:3]) * (radius - a[3]) / d), radius])


def _refuse_impossible(spheres: F64) -> None:
    """Raises FittingError for a sphere (row of (n,4)) with a negative radius or a value that is not
    finite."""
    for row in spheres[~(np.isfinite(spheres).all(1) & (spheres[:, 3] >= 0))][:1]:
        x, y, z, radius = map(float, row)
        raise FittingError(
            f"The sphere at ({x:g}, {y:g}, {z:g}) has the radius {radius:g}: use a positive, "
            "finite radius."
        )


def mirror(spheres: npt.ArrayLike, plane: Plane) -> F64:
    """The mirror image of each sphere."""
    s = _rows(spheres)
    normal = np.asarray(plane.normal, float)
    normal = normal / np.linalg.norm(normal)
    side = (s[:, :3] - np.asarray(plane.point, float)) @ normal
    s[:, :3] -= 2 * side[:, None] * normal
    return s


def fill_axis(
    start: npt.ArrayLike,
    end: npt.ArrayLike,
    radius: float,
    count: int,
    *,
    cover: bool = True,
    half_width: float = 0.0,
) -> F64:
    """``count`` equal spheres along the axis of a cylinder or box from ``start`` to ``end``
    (centres of its end faces).

    radius: of the cylinder; of a box the half height of its cross-section, with ``half_width`` the
    other half side. cover: the spheres cover the body, ends and edges included, with the least
    radius; else they stay inside.
    """
    a, b = np.asarray(start, float).reshape(3), np.asarray(end, float).reshape(3)
    if count < 1 or not radius > 0 or half_width < 0:
        raise FittingError("Filling needs at least one sphere and a radius greater than 0.")
    length = float(np.linalg.norm(b - a))
    reach = float(np.hypot(radius, half_width)) if half_width else radius
    if cover:
        t = (np.arange(count) + 0.5) / count
        r = float(np.hypot(reach, length / count / 2))
    else:
        r = min(radius, half_width) if half_width else radius
        r = min(r, length / 2) if length > 0 else r
        inset = r / length if length > 0 else 0.0
        t = np.linspace(inset, 1 - inset, count) if count > 1 else np.array([0.5])
    return np.column_stack([a + t[:, None] * (b - a), np.full(count, r)])


def improve(
    solid: Solid,
    spheres: npt.ArrayLike,
    selected: Sequence[int],
    settings: FitSettings | None = None,
) -> F64:
    """Re-optimise only the selected spheres, all others locked; number and order stay.

    settings: radii, clip planes, mode (cover or balanced), effort; its number, mirror and locked
    spheres are not used. The selected ones take over what the others leave open, but nothing the
    others cover already.
    """
    s = _rows(spheres)
    chosen = _chosen(s, selected)
    if len(chosen) == 0:
        return s
    rest = np.delete(np.arange(len(s)), chosen)
    settings = settings or FitSettings(number=len(chosen), mode="balanced")
    base = problem_of(solid, settings, locked=s[rest])
    moving = solid.spheres_to_canonical(s[chosen])
    near = _around(base, moving)
    out = polish(near, PLANS[settings.effort], moving)
    if settings.mode == "cover":
        every = np.ascontiguousarray(np.vstack([out, base.locked]))
        limit = np.concatenate([compute_greatest_radii(base, out), base.locked[:, 3]])
        was = np.ascontiguousarray(np.vstack([moving, base.locked]))
        touched = _touched(solid, was, len(moving))
        out = (
            grow_to_cover(touched, every, 0.002, limit)[0][: len(out)]
            if len(touched)
            else inflated(near, out)
        )
    s[chosen] = solid.spheres_from_canonical(out)
    return s


def _around(problem: FitProblem, moving: F64) -> FitProblem:
    """The problem seen by the moving spheres: only surface they cover or have nearest counts."""
    samples = problem.solid.samples
    every = np.ascontiguousarray(np.vstack([moving, problem.locked]))
    _, owner = optimiser.gaps(sample_columns(samples), every)
    covers = np.zeros(len(samples), bool)
    for x, y, z, r in moving:
        covers |= np.linalg.norm(samples - (x, y, z), axis=1) <= 1.02 * r
    return replace(problem, surface=samples[covers | (owner < len(moving))])


def _touched(solid: Solid, spheres: F64, count: int) -> F64:
    """Outer pieces that only the first ``count`` spheres reach, by all corners lying in the union
    before."""
    pieces = solid.pieces[solid.outer]
    gap, owner = optimiser.gaps(sample_columns(pieces.reshape(-1, 3)), spheres)
    covered = (gap.reshape(-1, 3) <= 1e-6).all(1) & (owner.reshape(-1, 3) < count).any(1)
    return np.ascontiguousarray(pieces[covered])


def _depth(solid: Solid, points: F64) -> F64:
    return np.asarray(-sample_field(solid.phi, solid.origin, solid.h, np.ascontiguousarray(points)))


def _slope(solid: Solid, points: F64) -> F64:
    """Unit direction in which the depth grows, by central differences over a voxel."""
    out = np.empty_like(points)
    for a in range(3):
        step = np.zeros(3)
        step[a] = solid.h
        out[:, a] = _depth(solid, points + step) - _depth(solid, points - step)
    length = np.linalg.norm(out, axis=1)
    return np.asarray(out / np.maximum(length, 1e-12)[:, None])


def _rows(spheres: npt.ArrayLike) -> F64:
    return np.array(spheres, float).reshape(-1, 4)


def _chosen(spheres: F64, selected: Sequence[int] | None) -> I64:
    if selected is None:
        return np.arange(len(spheres))
    index = np.unique(np.asarray(list(selected), np.int64))
    if len(index) and (index[0] < 0 or index[-1] >= len(spheres)):
        raise FittingError(f"No sphere {int(index[-1])}: the group has {len(spheres)}.")
    return index
