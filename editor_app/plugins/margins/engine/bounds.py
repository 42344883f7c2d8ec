"""Lower bounds of the clearance between two links while joints and frames deviate within their
tolerances.

Two spheres with centres a and b and the vector v = b - a between them keep |v| minus their radii.
Three upper bounds of the loss of |v| over the whole box of deviations hold, and the least of them
counts:

1. Each column moves a centre by a chord of at most 2 R sin(t / 2), R being the largest radius about
   its axis in the box; columns above the common ancestor of both links move both alike and do not
   count.
2. |v| >= n·v for the nominal direction n: the gradient of n·v, and half of the largest second
   derivative in the box.
3. The gradient and the second derivatives of |v| itself, and a sixth of the largest third
   derivative in the box. With p = |v|: |p'''| <= |v'''| + 3 |v'||v''| / p + 2 / sqrt(3) |v'|³ / p²,
   by differentiating p² = v·v.

The derivatives of a point on a chain of screws are products w_i x (w_j x (... r)) with the axes
from the base outwards; their lengths are at most the radius about the last axis.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from editor_app.core.arrays import F64, I64
from editor_app.plugins.margins.engine.columns import Columns, ColumnState

#: Metres that rounding takes from a bound at most.
SLACK = 1e-9
#: Pairs of spheres that are compared at a time.
_MOST = 200_000
_THIRD = 2.0 / math.sqrt(3.0)


@dataclass(frozen=True, eq=False)
class BufferedSpheres:
    """`centers` (n, 3) in the frame, `radii` (n,), metres, buffers included."""

    frame: int
    centers: F64
    radii: F64

    def at(self, poses: F64) -> F64:
        """(k, n, 3) centres in the root's frame, at poses (k, frames, 4, 4)."""
        pose = poses[:, self.frame]
        turned = np.einsum("kij,nj->kni", pose[:, :3, :3], self.centers)
        return np.asarray(turned + pose[:, None, :3, 3])


@dataclass(frozen=True, eq=False)
class ClearanceBound:
    """Per configuration (k,): the nominal `clearance`, and the `margin` that no deviation goes
    below, in metres.

    `worst` (k, variables): the deviations, in -1..1, that take most of it by the derivatives.
    `influence` (k, variables + 1): metres that each variable, and the movement, move the links
    against each other, about.
    """

    clearance: F64
    margin: F64
    worst: F64
    influence: F64


@dataclass(frozen=True, eq=False)
class SphereMotion:
    """One link of a pair: its centres (k, n, 3), per column the Jacobian (k, n, c, 3) and its
    length `radii` (k, n, c), and over the box the length of the displacement, and of the first,
    second and third derivative along any deviation, each (k, n)."""

    centres: F64
    jacobian: F64
    radii: F64
    displacement: F64
    first: F64
    second: F64
    third: F64


def pair_bound(
    columns: Columns,
    one: BufferedSpheres,
    other: BufferedSpheres,
    state: ColumnState,
    *,
    spans: F64 | None = None,
    shares: F64 | None = None,
) -> ClearanceBound:
    """Bound the clearance of two links around k configurations.

    `spans` (k, independent joints): half of a straight movement; the margin holds for all of it.
    `shares` (k, variables): the part of each tolerance that the deviations around the state may
    still use, 0..1; default 1.
    """
    count = max(1, _MOST // max(1, len(one.radii) * len(other.radii)))
    spans = np.zeros((len(state.poses), columns.rates.shape[1])) if spans is None else spans
    shares = np.ones((len(state.poses), columns.variable_count)) if shares is None else shares
    parts = []
    for start in range(0, len(state.poses), count):
        some = slice(start, start + count)
        parts.append(_bound(columns, one, other, state.rows(some), spans[some], shares[some]))
    names = ("clearance", "margin", "worst", "influence")
    return ClearanceBound(
        *(np.concatenate([getattr(part, name) for part in parts]) for name in names)
    )


def _bound(
    columns: Columns,
    one: BufferedSpheres,
    other: BufferedSpheres,
    state: ColumnState,
    spans: F64,
    shares: F64,
) -> ClearanceBound:
    ancestor = columns.common(one.frame, other.frame)
    chains = [columns.chain(each.frame, ancestor) for each in (one, other)]
    directions = state.directions
    count = len(directions)
    # (k, c, v): movement of each column by each variable in -1..1; the last variable is the way
    # along the path.
    path = (spans @ columns.rates.T)[..., None]
    scaled = np.concatenate([columns.scaled * shares[:, None], path], axis=2)
    limits = np.abs(scaled).sum(axis=2)
    sides = [
        sphere_motion(columns, each, chain, state, limits)
        for each, chain in zip((one, other), chains, strict=True)
    ]
    a, b = sides
    between = b.centres[:, None] - a.centres[:, :, None]
    length = np.linalg.norm(between, axis=3)
    clearance = length - one.radii[:, None] - other.radii
    quick = clearance - np.minimum(a.displacement[:, :, None] + b.displacement[:, None], length)
    flat = clearance.reshape(count, -1).argmin(axis=1)
    nearest = np.column_stack([np.arange(count), *np.unravel_index(flat, clearance.shape[1:])])
    turning, axes = columns.turning[np.concatenate(chains)], directions[:, np.concatenate(chains)]
    scaled = scaled[:, np.concatenate(chains)]

    def refine(rows: I64) -> tuple[F64, F64]:
        k, i, j = rows.T
        loss, worst = _losses(
            between[k, i, j],
            length[k, i, j],
            np.concatenate([-a.jacobian[k, i], b.jacobian[k, j]], axis=1),
            axes[k],
            turning,
            len(chains[0]),
            scaled[k],
            *(
                getattr(a, name)[k, i] + getattr(b, name)[k, j]
                for name in ("displacement", "first", "second", "third")
            ),
        )
        return np.maximum(quick[k, i, j], clearance[k, i, j] - loss), worst

    margin, worst = refine(nearest)
    rows = np.argwhere(quick < margin[:, None, None])
    for start in range(0, len(rows), _MOST // 40):
        part = rows[start : start + _MOST // 40]
        bound, deviation = refine(part)
        order = np.argsort(-bound, kind="stable")
        # The least one is written last.
        lower = order[bound[order] < margin[part[order, 0]]]
        margin[part[lower, 0]], worst[part[lower, 0]] = bound[lower], deviation[lower]
    reach = np.concatenate([side.radii.max(axis=1, initial=0.0) for side in sides], axis=1)
    influence = np.einsum("kc,kcv->kv", reach, np.abs(scaled))
    return ClearanceBound(
        clearance.reshape(count, -1).min(axis=1), margin - SLACK, worst[:, :-1], influence
    )


def sphere_motion(
    columns: Columns, spheres: BufferedSpheres, chain: I64, state: ColumnState, limits: F64
) -> SphereMotion:
    """Bound how spheres move while the columns of a chain move by at most `limits` (k, c): of all
    columns."""
    centres, turning, limits = spheres.at(state.poses), columns.turning[chain], limits[:, chain]
    points, axes = state.points[:, chain], state.directions[:, chain]
    turned = np.cross(axes[:, None], centres[:, :, None] - points[:, None])
    jacobian = np.where(turning[:, None], turned, np.broadcast_to(axes[:, None], turned.shape))
    radii = np.linalg.norm(jacobian, axis=3)
    inner = np.cumsum(np.where(turning, limits, 0.0), axis=1) - np.where(turning, limits, 0.0)
    displacement, first, second, third = (np.zeros(centres.shape[:2]) for _ in range(4))
    for column in range(len(turning) - 1, -1, -1):
        limit, before = limits[:, column, None], inner[:, column, None]
        if turning[column]:
            radius = radii[:, :, column] + displacement
            chord = 2.0 * np.sin(0.5 * np.minimum(limit, np.pi))
            second += radius * (2.0 * before * limit + limit**2)
            third += radius * (3.0 * before**2 * limit + 3.0 * before * limit**2 + limit**3)
        else:
            radius, chord = np.ones(centres.shape[:2]), limit
            second += 2.0 * before * limit
            third += 3.0 * before**2 * limit
        first += radius * limit
        displacement = displacement + radius * chord
    return SphereMotion(centres, jacobian, radii, displacement, first, second, third)


def _losses(
    between: F64, length: F64, jacobian: F64, axes: F64, turning: np.ndarray, split: int, scaled: F64,
    displacement: F64, first: F64, second: F64, third: F64,
) -> tuple[F64, F64]:  # fmt: skip
    """(m,) upper bounds of the loss, (m, v) the deviations that lose most. Columns before `split`
    are of one link."""
    safe = np.maximum(length, 1e-12)
    normal = between / safe[:, None]
    gradient = np.einsum("mci,mi->mc", jacobian, normal)
    outer = np.where(turning[:, None], np.cross(normal[:, None], axes), 0.0)
    curve = np.zeros((len(length), len(turning), len(turning)))
    for part in (slice(0, split), slice(split, None)):
        upper = np.triu(np.einsum("mci,mdi->mcd", outer[:, part], jacobian[:, part]))
        curve[:, part, part] = upper + np.triu(upper, 1).transpose(0, 2, 1)
    across = (
        np.einsum("mci,mdi->mcd", jacobian, jacobian) - gradient[:, :, None] * gradient[:, None]
    )
    bent = curve + across / safe[:, None, None]
    slope = np.einsum("mc,mcv->mv", gradient, scaled)
    bend = np.einsum("mcv,mcd,mdw->mvw", scaled, bent, scaled, optimize=True)
    straight = np.abs(slope).sum(axis=1) + 0.5 * second
    quadratic, worst = _least_of_quadratic(slope, bend)
    left = length - displacement
    room = np.maximum(left, 1e-12)
    rest = (third + 3.0 * first * second / room + _THIRD * first**3 / room**2) / 6.0
    quadratic = np.where(left > 1e-9, quadratic + rest, np.inf)
    return np.minimum(np.minimum(straight, quadratic), np.minimum(displacement, length)), worst


def _least_of_quadratic(slope: F64, bend: F64) -> tuple[F64, F64]:
    """(m,) upper bounds of -slope·e - e·bend·e / 2 for e in -1..1, and (m, v) where it is large."""
    reach = np.abs(bend).sum(axis=2)
    # Where the slope keeps its sign in the box, the corner is certain.
    sign = np.where(np.abs(slope) > reach, -np.sign(slope), 0.0)
    is_sure = sign != 0.0
    both = is_sure[:, :, None] & is_sure[:, None]
    signed = -bend * sign[:, :, None] * sign[:, None]
    spread = np.abs(bend)
    diagonal = np.arange(bend.shape[1])
    spread[:, diagonal, diagonal] = np.maximum(-bend[:, diagonal, diagonal], 0.0)
    least = np.abs(slope).sum(axis=1) + 0.5 * np.where(both, signed, spread).sum(axis=(1, 2))
    return least, np.where(slope > 0.0, -1.0, 1.0)


def clearances(one: BufferedSpheres, other: BufferedSpheres, poses: F64) -> F64:
    """(k,) exact clearances of two links at poses (k, frames, 4, 4), in metres."""
    gap = np.linalg.norm(other.at(poses)[:, None] - one.at(poses)[:, :, None], axis=3)
    return np.asarray((gap - one.radii[:, None] - other.radii).reshape(len(poses), -1).min(axis=1))


def attack(
    columns: Columns, one: BufferedSpheres, other: BufferedSpheres, values: F64, start: F64
) -> tuple[float, F64]:
    """The least clearance that a search among the corners of the box finds, in metres, and the
    deviations (v,) there.

    `values` (independent joints,): the nominal configuration; `start` (v,): deviations in -1..1 to
    begin with.
    """
    best = start.copy()
    least = float(clearances(one, other, columns.state(values[None], best[None]).poses)[0])
    for _ in range(3):
        tries = np.concatenate(
            [_with_each(best, -best), _with_each(best, np.zeros_like(best)), 0.5 * best[None]]
        )
        gaps = clearances(one, other, columns.state(values[None], tries).poses)
        k = int(gaps.argmin()) if len(gaps) else 0
        if not len(gaps) or gaps[k] >= least - SLACK:
            break
        best, least = tries[k], float(gaps[k])
    return least, best


def _with_each(base: F64, changed: F64) -> F64:
    """(v, v): `base` with one number after the other taken from `changed`."""
    return np.where(np.eye(len(base), dtype=np.bool_), changed, base)


def sample_clearance(
    columns: Columns,
    one: BufferedSpheres,
    other: BufferedSpheres,
    values: F64,
    count: int,
    seed: int,
) -> float:
    """The least clearance in metres of `count` random deviations, half of them at corners of the
    box."""
    rng = np.random.default_rng(seed)
    least = math.inf
    for start in range(0, count, 500):
        deviations = rng.uniform(-1.0, 1.0, (min(500, count - start), columns.variable_count))
        deviations[::2] = np.sign(deviations[::2])
        least = min(
            least,
            float(clearances(one, other, columns.state(values[None], deviations).poses).min()),
        )
    return least
