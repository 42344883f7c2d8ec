"""Of the runs of a slot one counts: a replaced or dropped run tells nothing, and a stale result is
not taken."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from editor_app.core.late import import_late, is_loaded
from editor_app.window.jobs import Jobs, JobSlot
from editor_app.window.main_window import MainWindow
from editor_app.window.robot_job import RobotJob
from tests.helpers.windows import wait_until


class Gate:
    """Work in a thread that ends when it is let: it reports first, and gives its name."""

    def __init__(self, name: str, error: Exception | None = None) -> None:
        self.name, self.error = name, error
        self.opened = threading.Event()

    def __call__(self, report: Any) -> str:
        report.progress(0.5, self.name)
        assert self.opened.wait(60)
        if self.error is not None:
            raise self.error
        return self.name


def all_told_of(gate: Gate) -> None:
    """Its thread is over, and what the thread posted has arrived."""
    wait_until(lambda: all(thread.name != gate.name for thread in threading.enumerate()), 60)
    QApplication.processEvents()


class Slot:
    """A slot and all that it told, in order."""

    def __init__(self, jobs: Jobs) -> None:
        self.told: list[Any] = []
        self.slot = JobSlot(jobs, lambda: self.told.append(("running", self.slot.is_running)))

    def run(self, gate: Gate, about: Callable[[], object] = lambda: None) -> None:
        self.slot.run(
            gate.name,
            gate,
            lambda value: self.told.append(("taken", value, self.slot.is_running)),
            in_thread=True,
            progress=lambda fraction, sentence: self.told.append(("progress", sentence)),
            failed=lambda error: self.told.append(("failed", error.message)),
            about=about,
            stale=lambda: self.told.append("stale"),
        )


@pytest.fixture
def jobs(qapp: Any) -> Iterator[Jobs]:
    jobs = Jobs()
    yield jobs
    jobs.close()
    jobs.deleteLater()


@pytest.fixture
def watched(jobs: Jobs) -> Slot:
    return Slot(jobs)


def test_a_result_is_taken_and_the_slot_is_free_by_then(watched: Slot) -> None:
    gate = Gate("one")
    watched.run(gate)
    gate.opened.set()
    wait_until(lambda: not watched.slot.is_running, 60)

    assert watched.told == [
        ("running", True),
        ("progress", "one"),
        ("taken", "one", False),
        ("running", False),
    ]


@pytest.mark.parametrize("error", [None, ValueError("seven is not a mesh")])
def test_a_second_run_replaces_the_first_whose_end_is_not_told(
    jobs: Jobs, watched: Slot, error: Exception | None
) -> None:
    first, second = Gate("first", error), Gate("second")
    watched.run(first)
    wait_until(lambda: ("progress", "first") in watched.told, 60)
    watched.run(second)
    assert [each.name for each in jobs.running] == ["second"]
    first.opened.set()
    all_told_of(first)
    assert watched.slot.is_running, "the end of the first is not the end of the second"
    second.opened.set()
    wait_until(lambda: not watched.slot.is_running, 60)

    assert [each for each in watched.told if each[0] in ("taken", "failed")] == [
        ("taken", "second", False)
    ]
    assert [each for each in watched.told if each[0] == "running"] == [
        ("running", True),
        ("running", True),
        ("running", False),
    ]


def test_a_result_about_what_is_no_longer_shown_is_stale(watched: Slot) -> None:
    subjects, gate = [object()], Gate("one")
    watched.run(gate, lambda: subjects[-1])
    wait_until(lambda: ("progress", "one") in watched.told, 60)
    subjects.append(object())
    gate.opened.set()
    wait_until(lambda: not watched.slot.is_running, 60)

    assert watched.told[2:] == ["stale", ("running", False)]


def test_a_dropped_run_tells_nothing_and_a_cancelled_one_that_it_ended(
    jobs: Jobs, watched: Slot
) -> None:
    dropped, cancelled = Gate("dropped"), Gate("cancelled")
    watched.run(dropped)
    watched.slot.drop()
    assert not watched.slot.is_running
    assert jobs.running == ()
    dropped.opened.set()
    all_told_of(dropped)
    assert watched.told == [("running", True)]

    watched.run(cancelled)
    watched.slot.cancel()
    cancelled.opened.set()
    all_told_of(cancelled)
    assert watched.told == [("running", True), ("running", True), ("running", False)]


def test_an_error_goes_to_the_slot_and_without_a_taker_to_the_crash_dialog(
    jobs: Jobs, watched: Slot
) -> None:
    unexpected: list[str] = []
    jobs.failed_unexpectedly.connect(lambda _, error: unexpected.append(error.message))
    handled, unhandled = (
        Gate("handled", ValueError("no mesh")),
        Gate("unhandled", ValueError("no robot")),
    )
    handled.opened.set()
    unhandled.opened.set()
    watched.run(handled)
    wait_until(lambda: not watched.slot.is_running, 60)
    assert ("failed", "no mesh") in watched.told
    assert unexpected == []

    watched.slot.run("unhandled", unhandled, in_thread=True)
    wait_until(lambda: not watched.slot.is_running, 60)
    assert unexpected == ["no robot"]


class Plain:
    """A job of a worker process."""

    def __call__(self, report: Any) -> str:
        return "done"


def late(name: str) -> ModuleType:
    """A module as `late_modules` gives it: in `sys.modules`, but its code has not run."""
    sys.modules.pop(name, None)
    assert import_late(name)
    return sys.modules[name]


def test_a_module_is_loaded_in_a_thread_before_its_job_is_made(
    jobs: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    module = late("colorsys")
    slot, told = JobSlot(jobs), list[Any]()

    def make() -> Plain:
        told.append(
            ("made", is_loaded(module), threading.current_thread() is threading.main_thread())
        )
        return Plain()

    slot.run_loaded("work", module, make, told.append)
    assert told == []
    assert slot.is_running
    wait_until(lambda: not slot.is_running, 60)
    assert told == [("made", True, True), "done"]
    # A run that was dropped while its module was loaded makes nothing.
    module = late("colorsys")
    slot.run_loaded("work", module, make, told.append)
    slot.drop()
    wait_until(lambda: is_loaded(module) and not jobs.running, 60)
    QApplication.processEvents()
    assert len(told) == 2


def test_every_command_that_looks_for_something_names_the_module_of_its_job(
    window: MainWindow,
) -> None:
    document = window.session.document
    commands = [
        each
        for each in window.findChildren(RobotJob)
        if not each.module.__name__.startswith("tests.")
    ]
    assert len(commands) >= 4
    for command in commands:
        job: Any = command.job(document)
        assert job.function.__module__ == command.module.__name__
