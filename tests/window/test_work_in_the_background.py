"""Work in the background: it gives way to the window, reports its stage, and its time left does not
rise."""

from __future__ import annotations

import os
import queue
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtTest import QTest

from editor_app.core.tasks.task import Task
from editor_app.core.tasks.worker import NICENESS, JobError, JobHandle, JobState, WorkerPool
from editor_app.window.jobs import RunningJob
from editor_app.window.main_window import MainWindow
from tests.helpers.windows import focus, open_window, reopen, settle, wait_until


def _niceness(reporter: Any) -> int:
    return os.nice(0)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has classes of priority")
@pytest.mark.parametrize("behind_window", [False, True])
def test_workers_of_a_window_have_a_lower_priority(behind_window: bool) -> None:
    pool, answers = WorkerPool(behind_window=behind_window), queue.Queue[int]()
    try:
        pool.submit(
            JobHandle("niceness", Task(_niceness), on_end=lambda _, value: answers.put(value))
        )
        before = os.nice(0)
        assert answers.get(timeout=60) == (max(before, NICENESS) if behind_window else before)
    finally:
        pool.close()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has classes of priority")
def test_the_window_computes_in_workers_that_give_way(window: MainWindow) -> None:
    answers: list[int] = []
    for each in (window.jobs, window.fitting.context.preview_jobs):
        each.run("Niceness", Task(_niceness), answers.append)
    window.fitting.context.robot_executor.submit_job(Task(_niceness)).add_done_callback(
        lambda future: answers.append(future.result())
    )
    wait_until(lambda: len(answers) == 3)
    assert set(answers) == {max(os.nice(0), NICENESS)}


def test_the_time_left_never_rises(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    monkeypatch.setattr("editor_app.window.jobs.time.monotonic", lambda: clock[0])
    job = RunningJob("Fitting", started=100.0)
    left: list[float] = []
    # A slow beginning, a quick middle, a slow end.
    for seconds, share in ((1, 0.01), (10, 0.1), (20, 0.5), (40, 0.6), (80, 0.7), (90, 0.99)):
        clock[0] = 100.0 + seconds
        job.take_progress(share, "")
        if job.seconds_left is not None:
            left.append(job.seconds_left)
    assert left == [90.0, 20.0, 0.0, 0.0, 0.0]


def test_the_stage_of_a_job_is_shown_and_its_button_stays(window: MainWindow) -> None:
    go_on, stage = threading.Event(), ["Reading"]

    def work(reporter: Any) -> None:
        while not go_on.wait(0.01):
            reporter.progress(0.5, stage[0])

    widget = window.status.jobs
    window.jobs.run("Fitting spheres", work, in_thread=True)
    try:
        wait_until(lambda: widget.isVisible() and "Reading" in widget._text.text())
        place = widget.cancel_button.mapTo(window, widget.cancel_button.rect().center())
        stage[0] = "Fitting the links of the left arm"
        wait_until(lambda: "left arm" in widget._text.text())
        window.session.set_findings_known(False)
        wait_until(lambda: "Checking" in window.status.problems.text())
        assert widget.cancel_button.mapTo(window, widget.cancel_button.rect().center()) == place
    finally:
        go_on.set()
        wait_until(lambda: not window.jobs.running)
        window.session.set_findings_known(True)


class _Gated:
    """A connection whose `send` waits, as that of a process that still starts."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self.gate = threading.Event()

    def send(self, value: Any) -> None:
        self.gate.wait()
        self._connection.send(value)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)


def test_nobody_waits_for_a_process_that_starts_to_take_its_job() -> None:
    pool, answers = WorkerPool(), queue.Queue[int]()
    try:
        pool.warm()
        worker = pool._workers[0]
        connection = worker._connection = _Gated(worker._connection)  # type: ignore[assignment]
        handle = pool.submit(
            JobHandle("niceness", Task(_niceness), on_end=lambda _, value: answers.put(value))
        )
        assert handle.state is JobState.RUNNING
        connection.gate.set()
        assert answers.get(timeout=60) == os.nice(0)
    finally:
        pool.close()


def test_a_job_that_cannot_be_sent_fails_with_its_reason() -> None:
    pool, errors = WorkerPool(), queue.Queue[JobError]()
    try:
        pool.submit(
            JobHandle("lambda", lambda reporter: 1, on_end=lambda _, error: errors.put(error))
        )
        assert "local object" in errors.get(timeout=60).message
    finally:
        pool.close()


def test_panels_are_made_while_nobody_uses_the_window(qapp: Any, tmp_path: Path) -> None:
    with open_window(tmp_path) as window:
        reopen(window, tmp_path)
        links = window.docks.panel("links")
        focus(links.filter)
        unmade = window.docks.unmade()
        assert "self-collision" in unmade
        window.idle_panels._tick.setInterval(5)
        window.idle_panels.begin()
        QTest.qWait(60)
        assert window.docks.unmade() == unmade, "somebody types"
        focus(links.tree)
        wait_until(lambda: not window.docks.unmade())
        assert window.docks.bottom.front() is window.docks.dock("joints"), (
            "nothing comes to the front"
        )
        settle(window)
