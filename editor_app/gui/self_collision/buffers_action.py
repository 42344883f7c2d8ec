"""The command that sets self-collision buffers for planning, and its remedy in the list of findings."""

from __future__ import annotations

from editor_app.edit.document import Document
from editor_app.gui.action_tables import SELF_BUFFERS
from editor_app.gui.robot_job import RobotJob
from editor_app.gui.workbench import Workbench
from editor_app.model.counting import percent
from editor_app.operations import self_buffers


class SelfBuffersAction(RobotJob):
    """Mask › Set buffers for planning."""

    module = "editor_app.operations.self_buffers"

    def __init__(self, workbench: Workbench) -> None:
        label = "Set self-collision buffers for planning"
        super().__init__(workbench, SELF_BUFFERS, "XRDF514", label, "self-collision buffers")

    def job(self, document: Document) -> self_buffers.FindSelfBuffers:
        return self_buffers.FindSelfBuffers.of(document)

    def take(self, result: self_buffers.SelfBuffers) -> None:
        if not result.changed:
            self._session.message.emit("No buffers make the spheres decide more like the meshes.")
            return
        self._session.execute(result.change)
        before, after = percent(result.before.needless.value), percent(result.after.needless.value)
        self._session.message.emit(f"Self-collision refuses {after} of the free configurations, {before} before.")
