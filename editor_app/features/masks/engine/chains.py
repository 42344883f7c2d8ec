"""The chain of joints between the two frames of a pair: what proofs and the local search work
on."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from editor_app.core.arrays import F64
from editor_app.features.masks.engine import kernels_chain
from editor_app.features.masks.engine.model import SphereModel, Way


@dataclass(frozen=True)
class Chain(Way):
    """The way between two frames; for the convention see kernels_chain."""

    first: F64
    second: F64
    ball_first: F64
    ball_second: F64

    def start(self, values: F64) -> F64:
        """The chain's variables (k,) from the model's (n,): brought into the range by whole turns,
        else clamped."""
        x = values[list(self.variables)].copy()
        for n, k in enumerate(self.variable.tolist()):
            if self.alone[n] and not self.sliding[n] and not self.lower[k] <= x[k] <= self.upper[k]:
                turn = 2.0 * math.pi / abs(self.gain[n])
                x[k] = self.lower[k] + (x[k] - self.lower[k]) % turn
        return np.clip(x, self.lower, self.upper)


def build_chain(model: SphereModel, row: int) -> Chain | None:
    """The chain of a pair; None when nothing moves its frames against each other."""
    i, j = model.pairs[row].tolist()
    bodies = int(model.frame_body[i]), int(model.frame_body[j])
    if bodies[0] == bodies[1]:
        return None
    if bodies not in model.chain_ways:
        model.chain_ways[bodies] = _way(model, *bodies)
    way = model.chain_ways[bodies]
    a = np.ascontiguousarray(model.spheres[model.starts[i] : model.starts[i + 1]])
    b = np.ascontiguousarray(model.spheres[model.starts[j] : model.starts[j + 1]])
    reach = float(
        np.sqrt((a[:, :3] ** 2).sum(axis=1).max()) + np.sqrt((b[:, :3] ** 2).sum(axis=1).max())
    )
    return Chain(
        **{**vars(way), "extent": way.extent + reach},
        first=a,
        second=b,
        ball_first=model.bounds[i].copy(),
        ball_second=model.bounds[j].copy(),
    )


def _way(model: SphereModel, body_a: int, body_b: int) -> Way:
    up, down = model.body_path[body_a], model.body_path[body_b]
    below = set(down)
    common = next(body for body in up if body in below)
    bodies = model.bodies
    # From a to the common body, each joint backwards; then down to b.
    joints: list[tuple[int, float]] = []
    links: list[F64] = [np.eye(4)]
    for body in up[: up.index(common)]:
        joints.append((body, -1.0))
        links.append(_inverse(bodies.origin[body]))
    for body in reversed(down[: down.index(common)]):
        links[-1] = links[-1] @ _square(bodies.origin[body])
        joints.append((body, 1.0))
        links.append(np.eye(4))
    dofs = [int(bodies.dof[body]) for body, _ in joints]
    variables = tuple(sorted(set(dofs)))
    places, counts = {dof: k for k, dof in enumerate(variables)}, Counter(dofs)
    variable = np.array([places[dof] for dof in dofs], np.int64)
    gain = np.array([sign * bodies.scale[body] for body, sign in joints])
    shift = np.array([sign * bodies.offset[body] for body, sign in joints])
    sliding = np.array([bodies.prismatic[body] for body, _ in joints], np.uint8)
    alone = np.array([counts[dof] == 1 for dof in dofs], np.uint8)
    lower, upper = model.lower[list(variables)].copy(), model.upper[list(variables)].copy()
    for n in range(len(joints)):
        # More than a full turn of a joint brings nothing new.
        k = variable[n]
        if alone[n] and not sliding[n] and (upper[k] - lower[k]) * abs(gain[n]) > 2.0 * math.pi:
            upper[k] = lower[k] + 2.0 * math.pi / abs(gain[n])
    slides = sum(
        float(
            np.max(
                np.abs(
                    [
                        gain[n] * lower[variable[n]] + shift[n],
                        gain[n] * upper[variable[n]] + shift[n],
                    ]
                )
            )
        )
        for n in range(len(joints))
        if sliding[n]
    )
    rigid = np.ascontiguousarray(np.array(links)[:, :3])
    lengths = float(np.sqrt((rigid[:, :, 3] ** 2).sum(axis=1)).sum())
    return Way(
        rigid, sliding, variable, gain, shift, alone, variables, lower, upper, lengths + slides
    )


def _square(matrix: F64) -> F64:
    result = np.eye(4)
    result[:3] = matrix
    return result


def _inverse(matrix: F64) -> F64:
    result = np.eye(4)
    result[:3, :3] = matrix[:, :3].T
    result[:3, 3] = -(matrix[:, :3].T @ matrix[:, 3])
    return result


#: Passes over all joints of a chain; it ends earlier when a pass gains less than 1e-8 m.
SWEEPS = 30


def descend_chain(chain: Chain, start: F64) -> tuple[float, F64]:
    """Coordinate descent with exact line searches from `start` (k,): the clearance in metres and
    where (k,)."""
    x = np.clip(np.asarray(start, float), chain.lower, chain.upper)
    clearance = kernels_chain.descend(
        chain.links, chain.sliding, chain.variable, chain.gain, chain.shift, chain.alone,
        chain.lower, chain.upper, chain.first, chain.second, x, SWEEPS,
    )  # fmt: skip
    return float(clearance), x


def search_chain(chain: Chain, starts: Iterable[F64], enough: float = -np.inf) -> tuple[float, F64]:
    """The best of several descents; stops at a clearance of `enough` or less. `starts` must not be
    empty."""
    best, at = np.inf, chain.lower
    for start in starts:
        clearance, x = descend_chain(chain, start)
        if clearance < best:
            best, at = clearance, x
        if best <= enough:
            break
    return best, at


def spread_starts(chain: Chain, count: int, seed: int) -> list[F64]:
    """`count` configurations spread over the chain's box, and its middle first."""
    middle = 0.5 * (chain.lower + chain.upper)
    rng = np.random.default_rng([seed, len(chain.variables)])
    others = chain.lower + rng.random((max(0, count - 1), len(chain.variables))) * (
        chain.upper - chain.lower
    )
    return [middle, *others] if count else []
