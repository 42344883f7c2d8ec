"""One pair looked at closely: its closest configurations, a search for closer ones, its distances."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from editor_app.self_collision.chains import chain_of, descend, search, spread_starts
from editor_app.self_collision.live import LiveDistances
from editor_app.self_collision.model import SphereModel
from editor_app.self_collision.results import Distribution, Witness
from editor_app.self_collision.sampling import Sampler
from editor_app.self_collision.types import F64

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
    chain = chain_of(model, row)
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
        clearance, better = descend(chain, x)
        if any(np.abs((better - other) / span).max() < APART for _, other in chosen):
            continue
        chosen.append((clearance, better))
        if len(chosen) == count:
            break
    witnesses = [witness_at(model, row, _full(model, chain.variables, x)) for _, x in chosen]
    return tuple(sorted(witnesses, key=lambda witness: witness.clearance))


def search_closer(model: SphereModel, row: int, pose: Mapping[str, float], starts: int = 64, seed: int = 0) -> Witness:
    """The closest configuration that descents from `pose` and from `starts` others reach."""
    chain = chain_of(model, row)
    if chain is None:
        return witness_at(model, row, model.default)
    first = chain.start(model.values(pose))
    _, x = search(chain, [first, *spread_starts(chain, starts, seed)])
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
