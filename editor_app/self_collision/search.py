"""Local search: from given configurations down to a smaller clearance of one pair."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from editor_app.self_collision.chains import Chain
from editor_app.self_collision.types import F64

#: Passes over all joints of a chain; it ends earlier when a pass gains less than 1e-8 m.
SWEEPS = 30


def descend(chain: Chain, start: F64) -> tuple[float, F64]:
    """Coordinate descent with exact line searches from `start` (k,): the clearance in metres and where (k,)."""
    from editor_app.self_collision import kernels_chain

    x = np.clip(np.asarray(start, float), chain.lower, chain.upper)
    clearance = kernels_chain.descend(
        chain.links, chain.sliding, chain.variable, chain.gain, chain.shift, chain.alone,
        chain.lower, chain.upper, chain.first, chain.second, x, SWEEPS,
    )  # fmt: skip
    return float(clearance), x


def search(chain: Chain, starts: Sequence[F64], enough: float = -np.inf) -> tuple[float, F64]:
    """The best of several descents; stops at a clearance of `enough` or less. `starts` must not be empty."""
    best, at = np.inf, np.asarray(starts[0], float)
    for start in starts:
        clearance, x = descend(chain, start)
        if clearance < best:
            best, at = clearance, x
        if best <= enough:
            break
    return best, at


def spread_starts(chain: Chain, count: int, seed: int) -> list[F64]:
    """`count` configurations spread over the chain's box, and its middle first."""
    middle = 0.5 * (chain.lower + chain.upper)
    rng = np.random.default_rng([seed, len(chain.variables)])
    others = chain.lower + rng.random((max(0, count - 1), len(chain.variables))) * (chain.upper - chain.lower)
    return [middle, *others] if count else []
