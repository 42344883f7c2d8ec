"""The command that makes a first file of a bare robot, as the verb `new` does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import cast

from PySide6.QtCore import Signal

from editor_app.core.document.document import Document
from editor_app.core.tasks.task import Job
from editor_app.features.draft.verbs import first_file, new_settings
from editor_app.features.draft.window.actions import FIRST_FILE
from editor_app.features.spheres.engine.settings import Effort, Mode
from editor_app.features.spheres.fit_session import Accepted
from editor_app.features.spheres.verbs.fit_choices import FitChoices
from editor_app.features.spheres.window.context import FitContext
from editor_app.window.actions.action_tables import NO_ROBOT
from editor_app.window.robot_job import RobotJob
from editor_app.window.workbench import Workbench


class FirstFileAction(RobotJob):
    """Robot › Create XRDF: the result of the command `new --fit --mask`, as one undo step."""

    module = first_file
    doing = "Creating"
    stage_changed = Signal()

    def __init__(
        self,
        workbench: Workbench,
        context: FitContext,
        accepted: Callable[[Accepted], object],
    ) -> None:
        """`accepted` hears of the links that got spheres."""
        super().__init__(workbench, FIRST_FILE, "XRDF312", "Create XRDF", "an XRDF")
        self._context = context
        self._accepted = accepted
        #: The present stage of the progress: the title of a step of `new`.
        self.stage = ""

    @property
    def is_running(self) -> bool:
        return self._work.is_running

    def show_progress(self, share: float, sentence: str) -> None:
        stage = sentence.partition(": ")[0]
        if stage != self.stage:
            self.stage = stage
            self.stage_changed.emit()

    def cancel(self) -> None:
        self._work.cancel()

    def refusal(self) -> str | None:
        robot = self._session.robot
        if not self._session.has_robot:
            return NO_ROBOT
        if self._work.is_running:
            return "The XRDF is already being created."
        if any(
            spheres for group in robot.xrdf.geometry or () for spheres in group.spheres.values()
        ):
            return "The robot already has spheres. Fit tighter, or compute the mask."
        return (
            None if self._context.has_link_with_mesh else "No link has a shape to fit spheres to."
        )

    def job(self, document: Document) -> Job:
        self.stage = ""
        defaults = self._context.defaults()
        mode, effort = cast("Mode", defaults.mode), cast("Effort", defaults.effort)
        choices = FitChoices(mount=self._context.mount_used, mode=mode, effort=effort)
        return first_file.first_file_job(
            document, replace(new_settings.WHOLE, choices=choices, budget=defaults.spheres or None)
        )

    def take(self, result: first_file.WriteFirstFile) -> None:
        if self._session.execute(result):
            self._accepted({each.link: (each.result, each.spheres, None) for each in result.links})
