"""Commands that look for something about the whole robot in the background; each is a remedy of
findings, too."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from types import ModuleType
from typing import Any

from PySide6.QtCore import QObject

from editor_app.core.document.document import Document
from editor_app.core.tasks.task import Job
from editor_app.window.actions.action_tables import NO_ROBOT, ActionSpec
from editor_app.window.jobs import JobSlot
from editor_app.window.workbench import Workbench


class RobotJob(QObject):
    """Its result is taken as one step, if the robot is still the same.

    `table` has the command, which is the remedy `label` of findings of `code`, too. `goal`: what is
    looked for.
    """

    #: Of the job.
    module: ModuleType
    #: What is done meanwhile, before the goal.
    doing = "Searching for"

    def __init__(
        self, workbench: Workbench, table: Sequence[ActionSpec], code: str, label: str, goal: str
    ) -> None:
        super().__init__(workbench.qt_window)
        self._session = workbench.session
        self._goal = goal
        self._jobs = workbench.jobs
        self._work = JobSlot(workbench.jobs, workbench.registry.refresh_later)
        workbench.registry.add(table, self)
        workbench.feed.register_remedy(code, label, lambda _: self.run())

    def job(self, document: Document) -> Job:
        """Return the picklable job to run."""
        raise AssertionError("every command has its job")

    def take(self, result: Any) -> None:
        """Called with what the job gives, when the robot is still the same."""

    def show_progress(self, share: float, sentence: str) -> None:
        """Receive the progress of the job; the status bar shows it as well."""

    def refusal(self) -> str | None:
        robot = self._session.robot
        if not self._session.has_robot:
            return NO_ROBOT
        if self._work.is_running:
            return f"The search for {self._goal} is running."
        spheres = robot.xrdf.spheres_of(robot.xrdf.self_group).values()
        return None if sum(map(bool, spheres)) > 1 else "Fit spheres to two links first."

    def run(self) -> None:
        document = self._session.document
        if (refusal := self.refusal()) is not None:
            self._session.refused.emit(refusal)
            return
        self._work.run_loaded(
            f"{self.doing} {self._goal}",
            self.module,
            partial(self.job, document),
            self.take,
            progress=self.show_progress,
            failed=partial(self._jobs.refuse, self._session.refused.emit),
            about=lambda: self._session.robot,
            stale=partial(self._tell_stale, document),
        )

    def _tell_stale(self, document: Document) -> None:
        if self._session.document is document:
            self._session.refused.emit(f"The robot changed. Search for {self._goal} again.")
