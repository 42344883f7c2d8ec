"""The command that sets self-collision buffers for planning."""

from __future__ import annotations

from editor_app.core.document.commands.self_collision import MaskFile
from editor_app.core.document.document import Document
from editor_app.core.model.counting import format_percent
from editor_app.core.tasks.task import Job, Task
from editor_app.core.tasks.work import locate_robot
from editor_app.plugins.planning.verbs import self_buffers
from editor_app.plugins.planning.window.actions import SELF_BUFFERS
from editor_app.window.robot_job import RobotJob
from editor_app.window.workbench import Workbench


class SelfBuffersAction(RobotJob):
    """Mask › Set buffers for planning."""

    module = self_buffers

    def __init__(self, workbench: Workbench) -> None:
        label = "Set self-collision buffers for planning"
        super().__init__(workbench, SELF_BUFFERS, "XRDF514", label, "self-collision buffers")

    def job(self, document: Document) -> Job:
        return Task(self_buffers.self_buffers, locate_robot(document), mask=MaskFile.XRDF)

    def take(self, result: self_buffers.SelfBuffers) -> None:
        if not result.changed:
            self._session.message.emit("No buffers reduce false collisions further.")
            return
        self._session.execute(result.change)
        before, after = (
            format_percent(result.before.needless.value),
            format_percent(result.after.needless.value),
        )
        self._session.message.emit(
            f"False collisions: {after} of the free configurations (before: {before})."
        )
