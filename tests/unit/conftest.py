"""Property tests measure no time: on a machine that is busy, values are drawn slowly, and examples take long."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests.helpers.breadth import examples

settings.register_profile(
    "steady", deadline=None, max_examples=examples(100), suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("steady")


@pytest.fixture(scope="module", autouse=True)
def survivors_are_not_looked_through_again() -> Iterator[None]:
    """What a module's tests leave stays to the end: looking through it for cycles took a tenth of the tests' time.

    Readers and hypothesis make thousands of objects without cycles: Python's own thresholds collect a hundred times a
    second.
    """
    thresholds = gc.get_threshold()
    gc.set_threshold(20_000, 20, 20)
    yield
    gc.set_threshold(*thresholds)
    gc.collect()
    gc.freeze()
