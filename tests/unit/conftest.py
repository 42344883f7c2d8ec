"""Property tests measure no time: on a machine that is busy, values are drawn slowly, and examples take long."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

from tests.helpers.breadth import examples

settings.register_profile(
    "steady", deadline=None, max_examples=examples(100), suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("steady")
