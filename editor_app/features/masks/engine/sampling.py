"""Sampling all pairs over the joint limits: smallest clearance, number of collisions and where, per
pair.

The kernels take a model in single precision, with only what the wanted pairs need, in frames that
suit. Turning a body's frame about its own joint axis changes nothing but the zero of the joint and
the numbers of what is fixed to the body. So each frame is turned such that the step to its first
child is a tilt about x alone (the Euler angles z, x, z of the step: the outer two go into the
joints). For axes that are parallel or at right angles, as they mostly are, that tilt costs nothing
at all.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from editor_app.core.arrays import F32, F64, I32, I64, U8
from editor_app.core.space.kinematics.sobol import Sobol
from editor_app.features.masks.engine import kernels_sampling as kernels
from editor_app.features.masks.engine.chains import (
    build_chain,
    descend_chain,
    search_chain,
    spread_starts,
)
from editor_app.features.masks.engine.live import LiveDistances
from editor_app.features.masks.engine.model import SphereModel
from editor_app.features.masks.engine.results import Distribution, Witness
from editor_app.features.masks.engine.threads import Crew

#: Sines, cosines and metres of a fixed step below this count as 0: less than single precision can
#: tell.
NOTHING = 3e-8
#: What a bounding ball's radius grows by, relatively, so that rounding its centre leaves its
#: spheres inside.
ROUNDED_UP = np.float32(1.000001)


class AxisStep(IntEnum):
    """How a body's joint axis stands to that of its parent's."""

    ANY = 0
    #: Turned about the parent's x axis.
    TILTED = 1
    PARALLEL = 2
    #: Turned about x by 90 degrees, or by 180.
    SQUARE = 3
    OPPOSITE = 4


class Packed(NamedTuple):
    """In the order of the kernels' parameters. Body 0 stands still; the others come after their
    parents."""

    parent: I32
    #: Variable that moves the body, and its value: start + span * (an integer below 2^24); turns or
    #: metres.
    dof: I32
    prismatic: I32
    start: F32
    span: F32
    step: I32
    #: (n, 12): rows of the fixed step from the parent (R | t).
    origin: F32
    frame_body: I32
    #: Whether a wanted pair has the frame.
    used: U8
    starts: I32
    spheres: F32
    bounds: F32


def packed(model: SphereModel, rows: I64) -> Packed:
    """Frames and spheres as in the model; bodies that none of the pairs `rows` needs are left
    out."""
    bodies = model.bodies
    wanted = np.zeros(len(model.frames), bool)
    wanted[model.pairs[rows].ravel()] = True
    kept = [
        0,
        *sorted(
            {b for i in np.flatnonzero(wanted) for b in model.body_path[int(model.frame_body[i])]}
            - {0}
        ),
    ]
    number = {body: k for k, body in enumerate(kept)}
    parents = [number.get(int(bodies.parent[body]), 0) for body in kept]
    turns = np.zeros(len(kept))
    steps: list[F64] = [np.eye(3, 4)]
    kinds = [AxisStep.ANY]
    tilts = [(0.0, 0.0, 0.0), *(_euler(bodies.origin[body][:, :3]) for body in kept[1:])]
    for k in range(1, len(kept)):
        first = next((c for c in range(k + 1, len(kept)) if parents[c] == k), None)
        if first is not None and not bodies.prismatic[kept[k]]:
            turns[k] = tilts[first][0]
    start, span = np.zeros(len(kept)), np.zeros(len(kept))
    for k in range(1, len(kept)):
        body, before = kept[k], turns[parents[k]]
        inner = tilts[k][2]
        place = _about_z(-before) @ bodies.origin[body]
        slides = bool(bodies.prismatic[body])
        if not slides:
            # Rz(-before) Rz(outer) Rx(tilt) Rz(inner): the last goes into the joint.
            place[:, :3] = place[:, :3] @ _about_z(-inner)
        place[np.abs(place) < NOTHING] = 0.0
        steps.append(place)
        kinds.append(_kind(place))
        dof, scale = int(bodies.dof[body]), float(bodies.scale[body])
        low, unit = scale * model.lower[dof] + bodies.offset[body], 1.0
        if not slides:
            low, unit = low + inner + turns[k], 1.0 / (2.0 * math.pi)
        span[k] = unit * scale * (model.upper[dof] - model.lower[dof]) * 2.0**-24
        start[k] = unit * low
        if not slides:
            start[k] -= round(float(start[k]))
    spheres, bounds = model.spheres.copy(), model.bounds.copy()
    frame_body = np.array([number.get(int(body), 0) for body in model.frame_body], np.int32)
    for i in range(len(model.frames)):
        back = _about_z(-turns[frame_body[i]]).T
        part = slice(model.starts[i], model.starts[i + 1])
        spheres[part, :3] = spheres[part, :3] @ back
        bounds[i, :3] = bounds[i, :3] @ back
    balls = bounds.astype(np.float32)
    balls[:, 3] = np.nextafter(balls[:, 3] * ROUNDED_UP, np.float32(np.inf))
    return Packed(
        np.array(parents, np.int32),
        np.ascontiguousarray(bodies.dof[kept]),
        bodies.prismatic[kept].astype(np.int32),
        start.astype(np.float32),
        span.astype(np.float32),
        np.array(kinds, np.int32),
        np.array(steps).reshape(len(kept), 12).astype(np.float32),
        frame_body,
        wanted.astype(np.uint8),
        model.starts,
        spheres.astype(np.float32),
        balls,
    )


def _about_z(angle: float) -> F64:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([(c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0)])


def _euler(rotation: F64) -> tuple[float, float, float]:
    """(o, t, i) with rotation = Rz(o) Rx(t) Rz(i), t >= 0; o is 0 where only o + i or o - i is
    determined."""
    sine = math.hypot(rotation[0, 2], rotation[1, 2])
    outer = math.atan2(rotation[0, 2], -rotation[1, 2]) if sine >= NOTHING else 0.0
    rest = _about_z(-outer) @ rotation
    # Its first row is (cos i, -sin i, 0).
    return outer, math.atan2(sine, rotation[2, 2]), math.atan2(-rest[0, 1], rest[0, 0])


def _kind(step: F64) -> AxisStep:
    if (
        np.abs(step[0, :3] - (1.0, 0.0, 0.0)).max() > NOTHING
        or np.abs(step[:, 0] - (1.0, 0.0, 0.0)).max() > NOTHING
    ):
        return AxisStep.ANY
    if step[2, 1] == 0.0:
        return AxisStep.PARALLEL if step[1, 1] > 0.0 else AxisStep.OPPOSITE
    return AxisStep.SQUARE if step[1, 1] == 0.0 and step[2, 1] > 0.0 else AxisStep.TILTED


#: A call of the kernel takes about this long in seconds.
CHUNK_SECONDS = 0.05
#: Slices of the sequence that are sampled at the same time, and how many blocks each has at most.
SLICES, MOST_BLOCKS = 8, 8


@dataclass(frozen=True)
class Samples:
    """The results after `count` configurations of a sequence; rows belong to `rows` of the model's
    pairs."""

    count: int
    rows: I64
    #: (n,) smallest clearance in metres, in single precision (about 1e-6 m); infinite when count is
    #: 0.
    clearance: F64
    #: (n,) number of the configuration that has it; -1 when count is 0.
    at: I64
    #: (n,) configurations in which the pair collides (clearance <= 0).
    hits: I64


def _steps(count: int) -> Iterator[list[range]]:
    """Yield the slices of each step: the first block alone, then slices that grow as the smallest
    clearances settle."""
    end, blocks = min(kernels.BLOCK, count), 1
    yield [range(end)]
    while end < count:
        edges = [min(end + k * blocks * kernels.BLOCK, count) for k in range(SLICES + 1)]
        yield [range(first, last) for first, last in pairwise(edges) if first < last]
        end, blocks = edges[-1], min(2 * blocks, MOST_BLOCKS)


class Sampler:
    """Goes through the first `count` points of a seeded sequence over the box of the model's
    variables.

    The result depends on model, seed and count alone, not on the number of threads.
    """

    def __init__(
        self, model: SphereModel, count: int, seed: int = 0, rows: I64 | None = None
    ) -> None:
        """`rows`: the pairs to look at (default: all).

        Raises ValueError unless 1 <= count <= 2^30, and Refused where a joint that moves a pair
        slides without end.
        """
        self.model = model
        self.count = count
        self.rows: I64 = np.arange(len(model.pairs)) if rows is None else np.asarray(rows, np.int64)
        model.refuse_endless(
            model.variables[k] for row in self.rows.tolist() for k in model.path_variables(row)
        )
        self.done = 0
        self._sobol = Sobol(len(model.variables), seed, count)
        pairs = model.pairs[self.rows]
        # The frame of more spheres first: its spheres are the inner loop, which a look at its ball
        # can spare.
        sizes = np.diff(model.starts)[pairs]
        self._pairs = np.ascontiguousarray(
            np.where(sizes[:, :1] < sizes[:, 1:], pairs[:, ::-1], pairs)
        )
        self._best: F32 = np.full(len(self.rows), np.inf, np.float32)
        self._at: I64 = np.full(len(self.rows), -1, np.int64)
        self._hits: I64 = np.zeros(len(self.rows), np.int64)
        self._fixed = packed(model, self.rows)
        self._speed = 0.0

    def samples(self) -> Samples:
        """Return the results so far."""
        return Samples(
            self.done, self.rows, self._best.astype(float), self._at.copy(), self._hits.copy()
        )

    def values_of(self, numbers: I64) -> F64:
        """(k, n): the variables at configurations of the sequence."""
        m = self.model
        return np.asarray(m.lower + self._sobol.unit(np.asarray(numbers)) * (m.upper - m.lower))

    def values(self, number: int) -> F64:
        """The variables (n,) at one configuration of the sequence."""
        return np.asarray(self.values_of(np.array([number]))[0])

    def run(
        self, on_step: Callable[[float], None] | None = None, crew: Crew | None = None
    ) -> Samples:
        """All configurations, in the threads of `crew` (default: in this one); `on_step` gets the
        share that is done.

        In each step all slices begin with the smallest clearances of the steps before, so that the
        result does not depend on which thread takes which slice.
        """
        crew = crew or Crew(1)
        self._low = self._sobol.low(kernels.BLOCK_BITS).view(np.int32)
        self._room = kernels.workspace(len(self._fixed.parent), self._fixed.starts, self._pairs)
        for slices in _steps(self.count):
            for best, at, hits in list(crew.map(partial(self._sample, crew), slices)):
                is_closer = best < self._best
                self._best[is_closer], self._at[is_closer] = best[is_closer], at[is_closer]
                self._hits += hits
            self.done = slices[-1].stop
            if on_step is not None:
                on_step(self.done / self.count)
        return self.samples()

    def _sample(self, crew: Crew, numbers: range) -> tuple[F32, I64, I64]:
        """Smallest clearances, where, and collisions in a slice of the sequence, by calls of about
        50 ms."""
        rows, sides, work = self._room
        best, at, hits = self._best.copy(), self._at.copy(), np.zeros_like(self._hits)
        room, start = np.zeros_like(work), numbers.start
        while start < numbers.stop:
            blocks = max(1, int(self._speed * CHUNK_SECONDS))
            end = min(numbers.stop, start + blocks * kernels.BLOCK)
            bases = self._sobol.bases(np.arange(start, end, kernels.BLOCK)).view(np.int32)
            began = time.perf_counter()
            kernels.sample_blocks(
                bases,
                self._low,
                start,
                end,
                self._fixed,
                self._pairs,
                rows,
                sides,
                room,
                best,
                at,
                hits,
            )
            self._speed = len(bases) / max(time.perf_counter() - began, 1e-6)
            start = end
            crew.pause()
        return best, at, hits

    def clearances(self, row: int, count: int) -> F32:
        """(count,) clearance of one pair in each of the first `count` configurations, metres: its
        distribution."""
        count = min(count, self.count)
        result: F32 = np.empty(count, np.float32)
        bases = self._sobol.bases(np.arange(0, count, kernels.BLOCK)).view(np.int32)
        low = self._sobol.low(kernels.BLOCK_BITS).view(np.int32)
        first, second = self.model.pairs[row].tolist()
        fixed = packed(self.model, np.array([row]))
        *_, room = kernels.workspace(
            len(fixed.parent), fixed.starts, self.model.pairs[row : row + 1]
        )
        kernels.clearance_blocks(bases, low, fixed, first, second, room, result)
        return result


#: Two configurations are different when a joint that matters differs by this share of its range.
APART = 0.15


def witness_at(model: SphereModel, row: int, values: F64) -> Witness:
    """The pair at variables (n,) of the model."""
    live = LiveDistances(model)
    live.set_values(values, np.array([row]))
    closest = live.closest(row)
    return Witness(model.pose_of(values, row), closest.gap, (closest.first, closest.second))


def closest_configurations(
    model: SphereModel, row: int, count: int = 8, samples: int = 20_000, seed: int = 0
) -> tuple[Witness, ...]:
    """Up to `count` different configurations of small clearance, closest first.

    The closest of the samples that differ from each other, each led on to a nearby minimum.
    """
    chain = build_chain(model, row)
    if chain is None:
        return (witness_at(model, row, model.default),)
    sampler = Sampler(model, samples, seed)
    order = np.argsort(sampler.clearances(row, samples), kind="stable")[: max(64, 16 * count)]
    span = np.maximum(chain.upper - chain.lower, 1e-9)
    chosen: list[tuple[float, F64]] = []
    for values in sampler.values_of(order.astype(np.int64)):
        x = chain.start(values)
        if any(np.abs((x - other) / span).max() < APART for _, other in chosen):
            continue
        clearance, better = descend_chain(chain, x)
        if any(np.abs((better - other) / span).max() < APART for _, other in chosen):
            continue
        chosen.append((clearance, better))
        if len(chosen) == count:
            break
    witnesses = [witness_at(model, row, _full(model, chain.variables, x)) for _, x in chosen]
    return tuple(sorted(witnesses, key=lambda witness: witness.clearance))


def search_closer(
    model: SphereModel, row: int, pose: Mapping[str, float], starts: int = 64, seed: int = 0
) -> Witness:
    """The closest configuration that descents from `pose` and from `starts` others reach.

    Raises Refused where a joint that moves the pair slides without end.
    """
    model.refuse_endless(model.variables[k] for k in model.path_variables(row))
    chain = build_chain(model, row)
    if chain is None:
        return witness_at(model, row, model.default)
    first = chain.start(model.values(pose))
    _, x = search_chain(chain, [first, *spread_starts(chain, starts, seed)])
    return witness_at(model, row, _full(model, chain.variables, x))


def distance_distribution(
    model: SphereModel, row: int, samples: int = 20_000, seed: int = 0, bins: int = 60
) -> Distribution:
    """Histogram of a pair's clearance over the joint limits."""
    clearances = Sampler(model, samples, seed).clearances(row, samples).astype(float)
    low, high = float(clearances.min()), float(clearances.max())
    counts, edges = np.histogram(clearances, bins, (low, high if high > low else low + 1e-6))
    return Distribution(counts.astype(np.int64), edges, float((clearances <= 0.0).mean()), samples)


def _full(model: SphereModel, variables: tuple[int, ...], x: F64) -> F64:
    values = model.default.copy()
    values[list(variables)] = x
    return values
