"""A job that takes all memory is ended by its worker's limit, says so, and the worker goes on."""

from __future__ import annotations

import queue
import sys
from typing import Any

import pytest

from editor_app.core.tasks.worker import JobError, JobHandle, WorkerPool


class TakeAll:
    """Asks for more than any machine has."""

    def __call__(self, report: Any) -> int:
        return len(bytearray(1 << 44))


class Limit:
    def __call__(self, report: Any) -> int:
        import resource

        return resource.getrlimit(resource.RLIMIT_AS)[0]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the limit is that of Linux")
def test_the_limit_is_told_and_the_worker_goes_on() -> None:
    pool = WorkerPool()
    try:
        failed: queue.Queue[JobError] = queue.Queue()
        done: queue.Queue[int] = queue.Queue()
        pool.submit(JobHandle("a", TakeAll(), on_end=lambda _, error: failed.put(error)))
        pool.submit(JobHandle("b", Limit(), on_end=lambda _, value: done.put(value)))
        error = failed.get(timeout=60)
        assert "memory" in error.message
        # What is told in a panel, and not as a fault of the program.
        assert isinstance(error.exception, MemoryError)
        assert done.get(timeout=60) > 1 << 30
    finally:
        pool.close()
