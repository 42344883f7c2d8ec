"""A thread that is done after the window was closed tells nobody: a signal of an object that goes
crashed the end."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from editor_app.window.jobs import Jobs


class Told:
    """Takes the place of a signal."""

    def __init__(self) -> None:
        self.count = 0

    def emit(self, *_: object) -> None:
        self.count += 1


@pytest.mark.parametrize("fails", [False, True])
def test_nothing_is_told_after_the_end(
    qapp: Any, monkeypatch: pytest.MonkeyPatch, fails: bool
) -> None:
    jobs, told, may_end = Jobs(), Told(), threading.Event()

    def work(_: object) -> None:
        assert may_end.wait(60)
        if fails:
            raise ValueError

    jobs.run("work that lasts", work, in_thread=True)
    (thread,) = [t for t in threading.enumerate() if t.name == "work that lasts"]
    monkeypatch.setattr(jobs, "_posted", told)
    jobs.close()
    may_end.set()
    thread.join(60)
    assert not thread.is_alive()
    assert told.count == 0
