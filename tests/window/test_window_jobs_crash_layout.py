"""Long work shows itself and can be cancelled; a defect is reported and the window lives; the
layout is remembered."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QTabBar, QToolButton

from editor_app.core.tasks.worker import JobError, JobState
from editor_app.window.docks.docks import DockSpec
from editor_app.window.docks.status_bar import duration
from editor_app.window.jobs import Jobs
from editor_app.window.main_window import MainWindow
from tests.helpers.windows import button, open_window, reopen, settle, wait_until


class Count:
    """A job for the worker: reports, gives partial results, and takes its time."""

    def __init__(self, steps: int, pause: float, fails: bool = False) -> None:
        self.steps, self.pause, self.fails = steps, pause, fails

    def __call__(self, report: Any) -> int:
        for i in range(self.steps):
            report.progress(i / self.steps, f"step {i}")
            report.partial(i)
            time.sleep(self.pause)
        if self.fails:
            raise ValueError("seven is not a mesh")
        return self.steps


@pytest.fixture
def jobs(qapp: Any) -> Iterator[Jobs]:
    jobs = Jobs()
    yield jobs
    jobs.close()
    jobs.deleteLater()


class RunsOut:
    def __call__(self, report: Any) -> None:
        raise MemoryError


def test_results_of_a_worker_arrive_in_the_gui_thread_in_order(jobs: Jobs) -> None:
    seen: list[Any] = []
    threads: set[threading.Thread] = set()

    def note(*values: Any) -> None:
        threads.add(threading.current_thread())
        seen.append(values[-1])

    jobs.run("Count", Count(3, 0.0), on_done=lambda value: note("done", value), on_partial=note)
    wait_until(lambda: not jobs.running, 60)
    assert seen == [0, 1, 2, 3]
    assert threads == {threading.main_thread()}


def test_a_cancelled_job_ends_at_once_and_calls_nothing_else(jobs: Jobs) -> None:
    seen: list[str] = []
    job = jobs.run(
        "Count",
        Count(1, 600.0),
        on_done=lambda _: seen.append("done"),
        on_partial=lambda _: seen.append("partial"),
        on_error=lambda _: seen.append("error"),
        on_cancelled=lambda: seen.append("cancelled"),
    )
    wait_until(lambda: "partial" in seen, 60)
    job.cancel()
    wait_until(lambda: job.is_over, 10)
    assert seen == ["partial", "cancelled"]


def test_a_job_that_comes_after_the_end_does_not_begin() -> None:
    jobs = Jobs()
    jobs.close()
    assert jobs.run("Late", Count(1, 0.0)).state is JobState.CANCELLED
    assert not jobs.running


def test_an_error_nobody_takes_is_told_with_its_traceback(jobs: Jobs) -> None:
    told: list[JobError] = []
    jobs.failed_unexpectedly.connect(lambda job, error: told.append(error))
    jobs.run("Count", Count(0, 0.0, fails=True))
    wait_until(lambda: bool(told), 60)
    assert "seven is not a mesh" in told[0].message
    assert "Count" in told[0].traceback or "__call__" in told[0].traceback


def test_running_work_is_named_in_the_status_bar_and_can_be_cancelled_there(
    window: MainWindow,
) -> None:
    go_on = threading.Event()
    ended: list[str] = []

    def work(report: Any) -> None:
        while not go_on.wait(0.01):
            report.progress(0.5, "half")

    window.jobs.run(
        "Fitting spheres", work, on_cancelled=lambda: ended.append("cancelled"), in_thread=True
    )
    widget = window.status.jobs
    wait_until(widget.isVisible)
    assert widget.cancel_button.toolTip() == "Cancel: Fitting spheres"
    QTest.mouseClick(widget.cancel_button, Qt.MouseButton.LeftButton)
    assert ended == ["cancelled"]
    assert not widget.isVisible()
    go_on.set()


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.2, "1 s"), (59, "59 s"), (60, "1 min"), (130, "2 min 10 s"), (3900, "1 h 5 min")],
)
def test_time_left_is_said_in_words(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_an_unexpected_exception_is_reported_and_a_copy_can_be_saved(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from editor_app.window import dialogs

    monkeypatch.setattr(dialogs, "choose_save_file", lambda *_: str(tmp_path / "rescued.xrdf"))
    previous = sys.excepthook
    window.crash.install()
    # A window that is presented again.
    window.crash.install()
    try:
        try:
            raise ZeroDivisionError("a defect")
        except ZeroDivisionError:
            sys.excepthook(*sys.exc_info())  # type: ignore[arg-type]
        dialog = window.crash.dialog
        assert dialog is not None
        wait_until(dialog.isVisible)
        report = dialog.text.toPlainText()
        assert "ZeroDivisionError: a defect" in report
        assert "xrdf-editor" in report
        assert "arm.urdf" in report
        button(dialog, "copy").click()
        assert QApplication.clipboard().text() == report
        button(dialog, "save_copy").click()
        assert (tmp_path / "rescued.xrdf").read_text() == (tmp_path / "arm.xrdf").read_text()
        button(dialog, "go_on").click()
    finally:
        window.crash.uninstall()
    assert sys.excepthook is previous
    assert window.isVisible()
    window.session.set_joint("shoulder", 1.0)
    assert window.session.pose["shoulder"] == 1.0


def test_a_job_that_runs_out_of_memory_is_no_fault_of_the_editor(window: MainWindow) -> None:
    told: list[str] = []
    window.session.refused.connect(told.append)
    window.jobs.run("Measuring", RunsOut(), on_done=lambda _: None)
    wait_until(lambda: bool(told))
    assert "more memory than a background process may use" in told[0]
    assert window.crash.dialog is None or not window.crash.dialog.isVisible()


def test_more_exceptions_join_the_open_report(window: MainWindow) -> None:
    window.crash.caught.emit("first trace")
    window.crash.caught.emit("second trace")
    dialog = window.crash.dialog
    assert dialog is not None
    assert "first trace" in dialog.text.toPlainText()
    assert "second trace" in dialog.text.toPlainText()
    dialog.accept()


def test_the_layout_is_remembered_and_can_be_reset(qapp: Any, tmp_path: Path) -> None:
    with open_window(tmp_path) as window:
        window.docks.dock("findings").hide()
        window.docks.dock("links").hide()
        window.resize(1100, 650)
        QTest.qWait(20)
    with open_window(tmp_path) as window:
        assert window.docks.dock("findings").isHidden()
        assert window.docks.dock("links").isHidden()
        assert (window.width(), window.height()) == (1100, 650)
        window.registry.trigger("view.reset_layout")
        QTest.qWait(20)
        assert not window.docks.dock("findings").isHidden()
        assert window.docks.dock("history").isHidden(), "the menu View shows it"
        assert window.docks.dock("links").isVisible()


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080)])
def test_everything_has_its_place_at_this_size(
    qapp: Any, tmp_path: Path, size: tuple[int, int]
) -> None:
    with open_window(tmp_path, size=size) as window:
        reopen(window, tmp_path)
        QTest.qWait(50)
        assert (window.width(), window.height()) == size
        left, right = window.docks.dock("links").geometry(), window.docks.dock("xrdf").geometry()
        above, bottom = (
            window.docks.dock("selection").geometry(),
            window.docks.dock("joints").geometry(),
        )
        centre = window.central.geometry()
        assert left.right() < centre.left() < centre.right() < right.left()
        assert above.bottom() < right.top()
        assert max(left.bottom(), right.bottom(), centre.bottom()) < bottom.top()
        assert centre.width() >= size[0] * 0.45
        # With the panels below it open; folded, as at the first start on a low screen, it has more.
        assert centre.height() >= size[1] * 0.45
        assert bottom.left() <= left.left() + 4
        assert bottom.right() >= right.right() - 4
        assert above.height() >= 120
        assert right.height() >= 130
        settle(window)


def test_a_dock_that_is_registered_late_finds_its_place(qapp: Any, tmp_path: Path) -> None:
    def tabs(window: MainWindow) -> list[str]:
        # The docks at the side have a bar, too.
        bars = [b for b in window.findChildren(QTabBar) if b.parent() is window and b.isVisible()]
        titles_of_bars = [[bar.tabText(i) for i in range(bar.count())] for bar in bars]
        return next(titles for titles in titles_of_bars if "Joints" in titles)

    with open_window(tmp_path) as window:
        before = tabs(window)
        assert before[0] == "Joints"
        assert "History" not in before, "the menu View shows it"
        window.docks.register(
            DockSpec("late", "Late", "flag", "bottom", lambda: QLabel("here"), order=15)
        )
        QTest.qWait(20)
        assert set(tabs(window)) == {*before, "Late"}
        assert isinstance(window.docks.show("late"), QLabel)
        assert "view.panel.late" in window.registry
        window.docks.reset()
        QTest.qWait(20)
        assert tabs(window) == ["Joints", "Late", *before[1:]]


def test_everything_that_can_be_focused_has_a_name(window: MainWindow) -> None:
    for name in ("links", "joints", "findings", "history"):
        panel = window.docks.show(name)
        for kind in (QLineEdit, QToolButton):
            for widget in panel.findChildren(kind):
                if isinstance(widget.parent(), QLineEdit):
                    # Qt's own button that clears a field.
                    continue
                named = widget.accessibleName() or widget.toolTip() or widget.property("text")
                assert named, f"{kind.__name__} without a name in {name}"


def test_the_window_stays_the_same_when_the_view_joins_it(qapp: Any, tmp_path: Path) -> None:
    """Qt makes a window anew, with a black flash, when OpenGL comes into it unexpectedly."""
    with open_window(tmp_path, viewport=True) as window:
        assert window.viewport is None
        before = int(window.winId())
        window.load_viewport()
        wait_until(lambda: window.viewport is not None, 60)
        assert int(window.winId()) == before
