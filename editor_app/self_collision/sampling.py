"""Sampling all pairs over the joint limits: smallest clearance, number of collisions and where, per pair."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from editor_app.kinematics.sobol import Sobol
from editor_app.self_collision import kernels_sampling as kernels
from editor_app.self_collision.model import SphereModel
from editor_app.self_collision.packing import packed
from editor_app.self_collision.types import F32, F64, I32, I64

#: A chunk between two words of progress takes about this long in seconds.
CHUNK_SECONDS = 0.05


@dataclass(frozen=True)
class Samples:
    """What is known after `count` configurations of a sequence; rows belong to `rows` of the model's pairs."""

    count: int
    rows: I64
    #: (n,) smallest clearance in metres, in single precision (about 1e-6 m); infinite when count is 0.
    clearance: F64
    #: (n,) number of the configuration that has it; -1 when count is 0.
    at: I64
    #: (n,) configurations in which the pair collides (clearance <= 0).
    hits: I64


class Sampler:
    """Goes through the first `count` points of a seeded sequence over the box of the model's variables.

    The result depends on model, seed and count alone, not on how the run is divided.
    """

    def __init__(self, model: SphereModel, count: int, seed: int = 0, rows: I64 | None = None) -> None:
        """`rows`: the pairs to look at (default: all). Raises ValueError unless 1 <= count <= 2^30."""
        self.model = model
        self.count = count
        self.rows: I64 = np.arange(len(model.pairs)) if rows is None else np.asarray(rows, np.int64)
        self.done = 0
        self._sobol = Sobol(len(model.variables), seed, count)
        pairs = model.pairs[self.rows]
        # The frame of more spheres first: its spheres are the inner loop, which a look at its ball can spare.
        sizes = np.diff(model.starts)[pairs]
        self._pairs = np.ascontiguousarray(np.where(sizes[:, :1] < sizes[:, 1:], pairs[:, ::-1], pairs))
        self._best: F32 = np.full(len(self.rows), np.inf, np.float32)
        self._at: I64 = np.full(len(self.rows), -1, np.int64)
        self._hits: I64 = np.zeros(len(self.rows), np.int64)
        self._low: I32 | None = None
        self._fixed = packed(model, self.rows)
        self._speed = 0.0

    def samples(self) -> Samples:
        """What is known so far."""
        return Samples(self.done, self.rows, self._best.astype(float), self._at.copy(), self._hits.copy())

    def values_of(self, numbers: I64) -> F64:
        """(k, n): the variables at configurations of the sequence."""
        m = self.model
        return np.asarray(m.lower + self._sobol.unit(np.asarray(numbers)) * (m.upper - m.lower))

    def values(self, number: int) -> F64:
        """The variables (n,) at one configuration of the sequence."""
        return np.asarray(self.values_of(np.array([number]))[0])

    def step(self, blocks: int) -> None:
        """Takes up to `blocks` times 256 further configurations into account."""
        if self._low is None:
            self._low = self._sobol.low(kernels.BLOCK_BITS).view(np.int32)
            self._room = kernels.workspace(len(self._fixed.parent), self._fixed.starts, self._pairs)
        start = self.done
        end = min(self.count, start + blocks * kernels.BLOCK)
        if end <= start:
            return
        bases = self._sobol.bases(np.arange(start, end, kernels.BLOCK)).view(np.int32)
        began = time.perf_counter()
        kernels.sample_blocks(
            bases, self._low, start, end, self._fixed, self._pairs, *self._room, self._best, self._at, self._hits
        )
        self._speed = len(bases) / max(time.perf_counter() - began, 1e-6)
        self.done = end

    def run(self, on_step: Callable[[float], None] | None = None) -> Samples:
        """All that is left, in chunks of about 50 ms; `on_step` hears the share that is done."""
        while self.done < self.count:
            self.step(max(1, min(4096, int(self._speed * CHUNK_SECONDS))) if self._speed else 1)
            if on_step is not None:
                on_step(self.done / self.count)
        return self.samples()

    def clearances(self, row: int, count: int) -> F32:
        """(count,) clearance of one pair in each of the first `count` configurations, metres: its distribution."""
        count = min(count, self.count)
        result: F32 = np.empty(count, np.float32)
        bases = self._sobol.bases(np.arange(0, count, kernels.BLOCK)).view(np.int32)
        low = self._sobol.low(kernels.BLOCK_BITS).view(np.int32)
        first, second = self.model.pairs[row].tolist()
        fixed = packed(self.model, np.array([row]))
        *_, room = kernels.workspace(len(fixed.parent), fixed.starts, self.model.pairs[row : row + 1])
        kernels.clearance_blocks(bases, low, fixed, first, second, room, result)
        return result
