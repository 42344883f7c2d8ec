"""Worker processes without a job: they end, or give memory back where they keep results for the
next job."""

from __future__ import annotations

import os
import queue
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from editor_app.core.tasks import worker
from editor_app.core.tasks.heap import DROPS, drop_results
from editor_app.core.tasks.task import TaskReporter
from editor_app.core.tasks.worker import JobHandle, WorkerPool


@dataclass(frozen=True)
class Process:
    """Returns the number of its process after so many seconds."""

    seconds: float = 0.0

    def __call__(self, reporter: TaskReporter) -> int:
        time.sleep(self.seconds)
        return os.getpid()


@dataclass(frozen=True)
class Note:
    path: Path

    def __call__(self, reporter: TaskReporter) -> None:
        with self.path.open("a") as file:
            file.write(f"{os.getpid()}\n")


@pytest.fixture(autouse=True)
def a_minute_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "IDLE_SECONDS", 0.01)


@pytest.fixture
def pool(tmp_path: Path) -> Iterator[WorkerPool]:
    pool = WorkerPool(2, on_idle=Note(tmp_path / "rests"))
    yield pool
    pool.close()


def process_of(
    pool: WorkerPool, name: str = "job", *, is_kept: bool = False, seconds: float = 0.0
) -> int:
    answers: queue.Queue[int] = queue.Queue()
    pool.submit(
        JobHandle(
            name, Process(seconds), on_end=lambda _, value: answers.put(value), is_kept=is_kept
        )
    )
    return answers.get(timeout=60)


def wait_until(condition: object) -> None:
    assert callable(condition)
    for _ in range(6000):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("it never happened")


def test_a_process_without_a_job_ends_and_the_next_job_has_another_one(pool: WorkerPool) -> None:
    first = process_of(pool)
    wait_until(lambda: not pool._workers)
    assert process_of(pool) != first
    wait_until(lambda: not pool._workers)
    with pytest.raises(ProcessLookupError):
        os.kill(first, 0)


def test_a_job_that_takes_longer_is_not_ended(pool: WorkerPool) -> None:
    assert process_of(pool, seconds=0.2) > 0


def test_a_process_that_keeps_results_gives_memory_back_once_and_stays(
    pool: WorkerPool, tmp_path: Path
) -> None:
    rests = tmp_path / "rests"
    first = process_of(pool, "check", is_kept=True)
    wait_until(rests.exists)
    wait_until(lambda: all(each.handle is None for each in pool._workers))
    assert process_of(pool, "check", is_kept=True) == first
    wait_until(lambda: rests.read_text() == f"{first}\n" * 2)


def test_other_jobs_leave_the_process_with_results_alone(
    pool: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "IDLE_SECONDS", 60.0)
    kept = process_of(pool, "check", is_kept=True)
    other = process_of(pool)
    assert other != kept
    assert process_of(pool, "check", is_kept=True) == kept
    assert process_of(pool) == other
    assert {each.kept == {"check"} for each in pool._workers} == {True, False}


def test_both_processes_work_where_many_jobs_wait(
    pool: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "IDLE_SECONDS", 60.0)
    process_of(pool, "check", is_kept=True)
    both, over = set(), threading.Semaphore(0)

    def take(process: int) -> None:
        both.add(process)
        over.release()

    for _ in range(6):
        pool.submit(JobHandle("job", Process(), on_end=lambda _, value: take(value)))
    for _ in range(6):
        assert over.acquire(timeout=60)
    assert len(both) <= 2
    assert not pool._waiting


def test_results_that_can_be_computed_again_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    dropped = []
    monkeypatch.setattr("editor_app.core.tasks.heap.DROPS", [lambda: dropped.append("meshes")])
    drop_results(None)  # type: ignore[arg-type]
    assert dropped == ["meshes"]
    assert isinstance(DROPS, list)
