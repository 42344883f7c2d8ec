"""An analysis of self-collision in several threads: same result, prompt end."""

from __future__ import annotations

import itertools
import threading
from dataclasses import replace

import numpy as np
import pytest

from editor_app.features.masks.engine.analysis import analyse
from editor_app.features.masks.engine.model import SphereModel, build_sphere_model
from editor_app.features.masks.engine.results import PAIR_ARRAYS, Analysis, AnalysisSettings
from editor_app.features.masks.engine.threads import Crew
from tests.helpers.sphere_robots import random_robot

#: Few enough proofs for some pairs to stay open.
SETTINGS = AnalysisSettings(samples=6000, certify_seconds=0.01, search_starts=3)


@pytest.fixture(scope="module")
def model() -> SphereModel:
    return build_sphere_model(random_robot(4, n_links=10, per_link=5))


def differing(one: Analysis, other: Analysis) -> list[str]:
    return [
        name
        for name in PAIR_ARRAYS
        if not np.array_equal(getattr(one, name), getattr(other, name), equal_nan=True)
    ]


def test_the_result_does_not_depend_on_the_number_of_threads(model: SphereModel) -> None:
    alone = analyse(model, SETTINGS, threads=1)
    assert np.isfinite(alone.certified).any()
    assert alone.hits.any()
    for threads in (2, 3):
        assert differing(alone, analyse(model, SETTINGS, threads=threads)) == []


def test_the_result_does_not_depend_on_the_clock(
    model: SphereModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = analyse(model, SETTINGS, threads=1)
    hours = itertools.count(0.0, 3600.0)
    monkeypatch.setattr(
        "editor_app.features.masks.engine.analysis.time.monotonic", lambda: next(hours)
    )
    assert differing(usual, analyse(model, SETTINGS, threads=2)) == []


def test_more_time_for_proofs_leaves_fewer_pairs_open(model: SphereModel) -> None:
    proven = [
        int(
            np.isfinite(
                analyse(model, replace(SETTINGS, certify_seconds=seconds), threads=2).certified
            ).sum()
        )
        for seconds in (0.0, 0.005, 0.3)
    ]
    assert proven[0] < proven[1] <= proven[2]


def test_an_error_in_a_thread_reaches_the_caller() -> None:
    def fail(number: int) -> int:
        if number == 3:
            raise ValueError("third")
        return number

    with Crew(2) as crew, pytest.raises(ValueError, match="third"):
        list(crew.map(fail, range(100)))


def test_threads_end_with_the_work() -> None:
    waiting, begun = threading.Event(), threading.Event()

    def endless(_: int) -> None:
        begun.set()
        while not waiting.wait(0.001):
            crew.pause()

    def stop() -> None:
        if begun.is_set():
            raise InterruptedError

    with pytest.raises(InterruptedError), Crew(2, stop) as crew:
        list(crew.map(endless, range(50)))
    assert not [each for each in threading.enumerate() if each.name.startswith("self-collision")]
