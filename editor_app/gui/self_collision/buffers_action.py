"""The command that sets self-collision buffers for planning, and its remedy in the list of findings."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from editor_app.gui.action_tables import NO_ROBOT, SELF_BUFFERS
from editor_app.gui.jobs import JobSlot
from editor_app.model.counting import percent

if TYPE_CHECKING:
    from editor_app.edit.document import Document
    from editor_app.gui.workbench import Workbench
    from editor_app.operations.self_buffers import SelfBuffers


class SelfBuffersAction(QObject):
    """Mask › Set buffers for planning: in the background, taken as one step."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench.qt_window)
        self._session = workbench.session
        self._work = JobSlot(workbench.jobs, workbench.registry.refresh_later)
        workbench.registry.add(SELF_BUFFERS, self)
        workbench.feed.register_remedy(
            lambda finding: finding.code == "XRDF514", "Set self-collision buffers for planning", lambda _: self.run()
        )

    def refusal(self) -> str | None:
        robot = self._session.robot
        if robot is None:
            return NO_ROBOT
        if self._work.is_running:
            return "Buffers are being looked for."
        spheres = robot.xrdf.spheres_of(robot.xrdf.self_group).values()
        return None if sum(map(bool, spheres)) > 1 else "Fit spheres to two links first."

    def run(self) -> None:
        from editor_app.operations.self_buffers import FindSelfBuffers

        document = self._session.document
        if document is None or (refusal := self.refusal()) is not None:
            self._session.refused.emit(NO_ROBOT if document is None else refusal)
            return
        self._work.run(
            "Looking for self-collision buffers",
            FindSelfBuffers.of(document),
            self._take,
            about=lambda: self._session.robot,
            stale=partial(self._tell_stale, document),
        )

    def _tell_stale(self, document: Document) -> None:
        if self._session.document is document:
            self._session.refused.emit("The robot was changed meanwhile: set buffers for planning again.")

    def _take(self, buffers: SelfBuffers) -> None:
        if not buffers.changed:
            self._session.message.emit("No buffers make the spheres decide more like the meshes.")
            return
        self._session.execute(buffers.change)
        before, after = percent(buffers.before.needless.value), percent(buffers.after.needless.value)
        self._session.message.emit(f"Self-collision refuses {after} of the free configurations, {before} before.")
