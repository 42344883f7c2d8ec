"""Jobs in worker processes: results, progress, errors, death of the process, and a cancel that
works at once."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from editor_app.core.tasks.task import TaskReporter
from editor_app.core.tasks.worker import JobError, JobHandle, JobState, WorkerPool


@dataclass(frozen=True)
class Add:
    a: int
    b: int

    def __call__(self, reporter: TaskReporter) -> int:
        reporter.progress(0.5, "adding")
        reporter.partial(self.a)
        return self.a + self.b


@dataclass(frozen=True)
class Fail:
    def __call__(self, reporter: TaskReporter) -> None:
        raise ValueError("no such mesh")


@dataclass(frozen=True)
class Die:
    def __call__(self, reporter: TaskReporter) -> None:
        os._exit(3)


@dataclass(frozen=True)
class Busy:
    """Holds the interpreter lock in C code, as a library call would."""

    def __call__(self, reporter: TaskReporter) -> int:
        reporter.partial("started")
        return len(str(7**6_000_000))


@dataclass(frozen=True)
class Patient:
    """Ends when it is asked to; returns its process."""

    def __call__(self, reporter: TaskReporter) -> int:
        reporter.partial("started")
        while not reporter.cancelled():
            time.sleep(0.01)
        return os.getpid()


class Outcome:
    def __init__(self, job: Any) -> None:
        self.partials: list[Any] = []
        self.progress: list[tuple[float, str]] = []
        self.result: Any = None
        self.error: JobError | None = None
        self.cancelled = False
        self.over = threading.Event()
        self.heard = threading.Event()
        self.handle = JobHandle(
            "test",
            job,
            TaskReporter(
                lambda share, sentence: self.progress.append((share, sentence)), self._partial
            ),
            self._end,
        )

    def _partial(self, value: Any) -> None:
        self.partials.append(value)
        self.heard.set()

    def _end(self, state: JobState, value: Any) -> None:
        if state is JobState.DONE:
            self.result = value
        elif state is JobState.FAILED:
            self.error = value
        else:
            self.cancelled = True
        self.over.set()


@pytest.fixture
def pool() -> Iterator[WorkerPool]:
    pool = WorkerPool(1)
    yield pool
    pool.close()


def submit(pool: WorkerPool, job: Any) -> Outcome:
    outcome = Outcome(job)
    pool.submit(outcome.handle)
    return outcome


def test_a_job_gives_progress_partial_results_and_its_result(pool: WorkerPool) -> None:
    outcome = submit(pool, Add(2, 3))
    assert outcome.over.wait(60)
    assert (outcome.result, outcome.partials, outcome.progress) == (5, [2], [(0.5, "adding")])
    assert outcome.handle.state is JobState.DONE


def test_an_exception_arrives_with_its_traceback_and_the_pool_goes_on(pool: WorkerPool) -> None:
    failed, after = submit(pool, Fail()), submit(pool, Add(1, 1))
    assert failed.over.wait(60)
    assert after.over.wait(60)
    assert failed.error is not None
    assert failed.error.message == "no such mesh"
    assert isinstance(failed.error.exception, ValueError)
    assert "Traceback" in failed.error.traceback
    assert after.result == 2


def test_a_process_that_dies_is_reported_and_replaced(pool: WorkerPool) -> None:
    died, after = submit(pool, Die()), submit(pool, Add(1, 1))
    assert died.over.wait(60)
    assert died.error is not None
    assert "exit code 3" in died.error.message
    assert after.over.wait(60)
    assert after.result == 2


def test_cancel_ends_a_running_c_call_at_once_and_the_next_job_runs(pool: WorkerPool) -> None:
    busy = submit(pool, Busy())
    assert busy.heard.wait(60)
    begin = time.monotonic()
    pool.cancel(busy.handle)
    assert busy.cancelled
    # The call itself would take many times longer; the bound is generous because machines are
    # noisy.
    assert time.monotonic() - begin < 5
    after = submit(pool, Add(1, 1))
    assert after.over.wait(60)
    assert after.result == 2
    assert busy.result is None


def test_cancel_of_a_waiting_job_leaves_the_running_one_alone(pool: WorkerPool) -> None:
    running, waiting = submit(pool, Add(20, 3)), submit(pool, Add(4, 5))
    pool.cancel(waiting.handle)
    assert waiting.cancelled
    assert running.over.wait(60)
    assert running.result == 23
    assert waiting.result is None


def test_close_cancels_everything_and_leaves_no_process() -> None:
    pool = WorkerPool(1)
    busy, waiting = submit(pool, Busy()), submit(pool, Add(1, 1))
    assert busy.heard.wait(60)
    pool.close()
    assert busy.cancelled
    assert waiting.cancelled
    assert not [t for t in threading.enumerate() if t.name == "worker reader"]
    with pytest.raises(RuntimeError):
        pool.submit(Outcome(Add(1, 1)).handle)


def test_a_stopped_job_ends_by_itself_and_its_process_stays(pool: WorkerPool) -> None:
    first = submit(pool, Patient())
    assert first.heard.wait(60)
    # The second is stopped while it waits: it ends at its first look.
    second, third = submit(pool, Patient()), submit(pool, Patient())
    pool.stop(second.handle)
    pool.stop(first.handle)
    assert first.over.wait(60)
    assert second.over.wait(60)
    # A stop that comes after the end stops nothing else.
    pool.stop(first.handle)
    pool.stop(second.handle)
    assert third.heard.wait(60)
    assert not third.over.wait(0.2)
    pool.stop(third.handle)
    assert third.over.wait(60)
    assert first.result == second.result == third.result
