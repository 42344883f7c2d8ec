"""Threads and the window ask for the texts of different states at once: each gets the texts of its
own state."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from editor_app.core.model.frozen import remembers


@pytest.fixture
def threads_take_turns_all_the_time() -> Iterator[None]:
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("threads_take_turns_all_the_time")
def test_a_thread_is_not_handed_what_another_one_asked_for() -> None:
    @remembers(1)
    def made_of(state: object) -> object:
        return state

    def mistaken() -> int:
        state = object()
        return sum(made_of(state) is not state for _ in range(20_000))

    with ThreadPoolExecutor(4) as pool:
        assert sum(future.result() for future in [pool.submit(mistaken) for _ in range(4)]) == 0
