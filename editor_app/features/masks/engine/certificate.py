"""Proof that a pair never collides: branch and bound over the box of its joints' limits (method in
kernels_chain)."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from editor_app.core.arrays import F64
from editor_app.features.masks.engine import kernels_chain
from editor_app.features.masks.engine.chains import Chain

#: Rounding allowance per metre of extent. A coordinate goes through at most some hundred
#: double-precision steps, whose relative errors are 1.1e-16 each, and the box's centres and
#: half-widths add as much: below 1e-12 per metre in all.
SLACK_PER_METRE = 1e-9
PAIRS_PER_BOX, USUAL_JOINTS = 12, 6


class Verdict(IntEnum):
    """OPEN: not decided yet; PROVEN: above the target everywhere; HIT: a configuration at or below
    it is known."""

    OPEN = 0
    PROVEN = 1
    HIT = 2


class BoxSearch:
    """Decides whether the clearance of a pair stays above `target` metres everywhere; can be
    interrupted.

    `bound`: when PROVEN, a lower bound of the clearance over the whole box (>= target).
    `clearance`, `values`: the smallest clearance seen, and the chain's variables there (k,). A
    clearance within 1e-7 m above the target is a HIT.
    """

    def __init__(self, chain: Chain, target: float = 0.0) -> None:
        self.chain = chain
        self.target = target
        self.slack = SLACK_PER_METRE * max(1.0, chain.extent)
        self.verdict = Verdict.OPEN
        k = len(chain.variables)
        pairs = len(chain.first) * len(chain.second)
        self._centres = np.zeros((256, k))
        self._halves = np.zeros((256, k))
        self._lists = np.zeros((256, 2), np.int64)
        self._pool = np.zeros(16 * pairs + 64, np.int32)
        self._pool[:pairs] = np.arange(pairs)
        self._centres[0] = 0.5 * (chain.lower + chain.upper)
        # Wide enough that rounding of the halves leaves no gap at the ends.
        self._halves[0] = 0.5 * (chain.upper - chain.lower) * (1.0 + 1e-15) + 1e-300
        self._lists[0] = 0, pairs
        self._state = np.array([1, 0, 0], np.int64)
        self._bracket = np.array([np.inf, np.inf])
        self._witness = self._centres[0].copy()

    @property
    def boxes(self) -> int:
        """Boxes looked at so far."""
        return int(self._state[1])

    @property
    def work(self) -> int:
        """Sphere pairs looked at so far."""
        return int(self._state[2])

    @property
    def cost(self) -> int:
        """CPU time so far, in sphere pairs at the ends of `USUAL_JOINTS` joints: a box costs about
        `PAIRS_PER_BOX`."""
        return (self.work + PAIRS_PER_BOX * self.boxes) * len(self.chain.variable) // USUAL_JOINTS

    @property
    def bound(self) -> float:
        """Lower bound of the clearance over all boxes cleared so far, metres."""
        return float(self._bracket[0])

    @property
    def clearance(self) -> float:
        """Smallest clearance seen so far, metres."""
        return float(self._bracket[1])

    @property
    def values(self) -> F64:
        """The chain's variables (k,) at `clearance`."""
        return np.asarray(np.clip(self._witness, self.chain.lower, self.chain.upper), float)

    def step(self, work: int) -> Verdict:
        """Goes on for about `work` sphere pairs (20 to 60 ns each)."""
        chain = self.chain
        while self.verdict is Verdict.OPEN:
            status = kernels_chain.search_boxes(
                chain.links,
                chain.sliding,
                chain.variable,
                chain.gain,
                chain.shift,
                chain.alone,
                chain.first,
                chain.second,
                chain.ball_first,
                chain.ball_second,
                self._centres,
                self._halves,
                self._lists,
                self._pool,
                self._state,
                self._bracket,
                self._witness,
                float(self.target),
                float(self.slack),
                int(work),
            )
            if status != _FULL:
                self.verdict = Verdict(status)
                break
            self._centres = np.concatenate([self._centres, np.zeros_like(self._centres)])
            self._halves = np.concatenate([self._halves, np.zeros_like(self._halves)])
            self._lists = np.concatenate([self._lists, np.zeros_like(self._lists)])
            self._pool = np.concatenate([self._pool, np.zeros_like(self._pool)])
        return self.verdict


_FULL = 3
