"""Runs the tests of the robot in a window after each edit, and adds tests by use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from editor_app.core.document.replacing import SaveError
from editor_app.core.document.writing import write_files
from editor_app.core.model.inputs import Inputs
from editor_app.core.model.refusal import Refusal
from editor_app.core.tasks.task import Job, Task
from editor_app.core.tasks.worker import JobError
from editor_app.core.text.source import SourceText
from editor_app.core.verbs.robot_sources import RobotSources
from editor_app.plugins.motion.window.feature import KINDS, MotionTools
from editor_app.plugins.robot_tests.verbs import keep_tests, run_tests
from editor_app.window import dialogs
from editor_app.window.jobs import JobSlot
from editor_app.window.timers import Wait, after
from editor_app.window.workbench import Workbench

DOCK = "tests"


class SuiteRuns(QObject):
    """One per window. While `is_shown`, an edit that settles runs the tests again."""

    #: The report, the state of the work or the test file changed.
    changed = Signal()

    def __init__(self, workbench: Workbench, parent: QObject) -> None:
        super().__init__(parent)
        self._docks, self._window = workbench.docks, workbench.qt_window
        self._session = workbench.session
        self._player = workbench.part(MotionTools).controller.player
        self._judging, self._writing = (
            JobSlot(workbench.jobs, self.changed.emit),
            JobSlot(workbench.jobs),
        )
        self._timer = after(self, self._start, Wait.SLOW_CHECKS)
        #: The results of the last run; None before the first one.
        self.report: run_tests.TestReport | None = None
        #: Whether the robot changed since `report`.
        self.is_stale = False
        #: Why the tests could not be run; "" where they could.
        self.trouble = ""
        #: Whether the panel is in sight.
        self.is_shown: Callable[[], bool] = lambda: False
        self._session.document_opened.connect(self._forget)
        self._session.robot_settled.connect(self._again)

    def stop(self) -> None:
        """End timers and jobs."""
        self._timer.stop()
        self._judging.drop()
        self._writing.drop()

    # -- the test file

    @property
    def path(self) -> Path | None:
        """The test file of the robot, whether or not it exists; None for a robot in no file."""
        try:
            return run_tests.suite_file(self._session.document)
        except Refusal:
            return None

    @property
    def is_running(self) -> bool:
        return self._judging.is_running

    def no_file(self) -> str | None:
        return (
            "Save the robot first: its tests are in a file next to it."
            if self.path is None
            else None
        )

    def has_file(self) -> str | None:
        return (
            f"{self.path.name} exists already."
            if self.path is not None and self.path.is_file()
            else None
        )

    def no_tests(self) -> str | None:
        has_tests = self.path is not None and self.path.is_file()
        return (
            None
            if has_tests
            else "The robot has no tests: propose some, or keep a configuration as test."
        )

    def no_motion(self) -> str | None:
        motion = self._player.trajectory
        return None if motion is not None and len(motion) > 1 else "Plan a motion first."

    def no_target(self) -> str | None:
        return None if self._session.reaching.put is not None else "Move a tool to a target first."

    def no_frame(self) -> str | None:
        return None if self._session.selection.links else "Select a link or frame first."

    def no_measurement(self) -> str | None:
        measured = self._session.measured
        return None if len(measured) == 2 else "Select a measurement between two points first."

    # -- running

    def run_now(self) -> None:
        """Run the tests, and show the panel."""
        self._docks.show(DOCK)
        self._timer.stop()
        self._start()

    def cancel(self) -> None:
        """End a run; the results of the run before stay."""
        self._timer.stop()
        self._judging.cancel()

    def _forget(self, *_: object) -> None:
        self.stop()
        self.report, self.is_stale, self.trouble = None, False, ""
        self.changed.emit()
        self._again()

    def _again(self, *_: object) -> None:
        self.is_stale = self.report is not None
        self._judging.drop()
        if self.is_shown() and self._session.has_robot:
            self._timer.start()
        self.changed.emit()

    def follow_visibility(self) -> None:
        """The panel came into sight: results of another robot are renewed."""
        if (
            (self.report is None or self.is_stale)
            and self._session.has_robot
            and not self.is_running
        ):
            self._timer.start()

    def _start(self) -> None:
        path = self.path
        if path is None or not path.is_file() or not self._session.has_robot:
            self.changed.emit()
            return
        job = self._job(keep_tests.judge_file, path)
        if job is not None:
            self._judging.run("Running tests", job, self._take, failed=self._fail)

    def _job(self, function: Callable[..., Any], *arguments: Any) -> Job | None:
        try:
            return Task(function, RobotSources.of(self._session.document), *arguments)
        except Refusal as error:
            self._show_trouble(str(error))
            return None

    def _take(self, report: run_tests.TestReport) -> None:
        self.report, self.is_stale, self.trouble = report, False, ""
        self.changed.emit()

    def _fail(self, error: JobError) -> None:
        if not isinstance(error.exception, Refusal):
            self._show_trouble(f"The tests could not be run: {error.message}")
        else:
            self._show_trouble(str(error.exception))

    def _show_trouble(self, sentence: str) -> None:
        self.report, self.trouble = None, sentence
        self.changed.emit()

    # -- tests by use

    def keep_pose(self) -> None:
        """Add the present configuration as a test: free, or in collision, as measured."""
        job = self._job(keep_tests.configuration_test, self._session.pose)
        if job is not None:
            self._writing.run("Measuring the configuration", job, self._add, failed=self._refuse)

    def keep_motion(self) -> None:
        """Add the motion as a test: the planner connects its ends."""
        motion = self._player.trajectory
        if motion is not None:
            self._add(keep_tests.motion_test(motion.pose(0), motion.pose(len(motion) - 1)))

    def keep_target(self) -> None:
        """Add the target of the tool as a test: the tool reaches it."""
        put = self._session.reaching.put
        if put is not None:
            self._add(keep_tests.reach_test(self._session.document, put.targets[0]))

    def keep_place(self) -> None:
        """Add the place of the selected frame at the present configuration as a test."""
        frame = self._session.selection.links[-1]
        reference = self._session.reaching.reference
        reference = "" if reference == frame else reference
        self._add(
            keep_tests.frame_test(self._session.document, frame, self._session.pose, reference)
        )

    def keep_measurement(self) -> None:
        """Add the chosen measurement of two points as a test: they keep their distance."""
        self._add(
            keep_tests.distance_test(
                self._session.document, self._session.measured, self._session.pose
            )
        )

    def keep_recorded(self) -> None:
        """Ask for a trajectory file or bag, and add the test that its motion stays possible."""
        path = self.path
        if path is None:
            return
        name = dialogs.choose_file(
            self._window, "Keep a recorded motion as test", str(path.parent), KINDS
        )
        if not name:
            return
        job = self._job(keep_tests.keep_recorded, Path(name), path)
        if job is not None:
            self._writing.run("Reading the motion", job, self._add, failed=self._refuse)

    def propose(self) -> None:
        """Write a first test file."""
        job = self._job(keep_tests.propose_text)
        if job is not None:
            self._writing.run(
                "Proposing tests",
                job,
                lambda text: self.write(text.encode(), Inputs()),
                failed=self._refuse,
            )

    def _add(self, test: Mapping[str, Any]) -> None:
        path = self.path
        if path is None:
            return
        try:
            old = SourceText.read(path) if path.is_file() else None
            new, _ = keep_tests.add_test(old, test, self._session.document)
        except Refusal as error:
            self._session.refused.emit(str(error))
            return
        self.write(new.data, Inputs.of([] if old is None else [path]))

    def write(self, data: bytes, inputs: Inputs) -> bool:
        """Write the test file and run the tests; return whether it was written. `inputs`: the file
        as it was read."""
        path = self.path
        if path is None:
            return False
        try:
            write_files([(path, data)], inputs, in_place=[path], make_folders=False)
        except SaveError as error:
            self._session.refused.emit(str(error))
            return False
        self._session.noticed.emit(f"Wrote {path.name}.")
        self.run_now()
        return True

    def _refuse(self, error: JobError) -> None:
        self._session.refused.emit(error.message)
