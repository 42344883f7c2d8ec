"""Looks for closed intervals of the joints, which sliders and the view then show."""

from __future__ import annotations

from editor_app.core.document.document import Document
from editor_app.core.model.counting import format_count
from editor_app.core.tasks.task import Job, Task
from editor_app.core.tasks.work import locate_robot
from editor_app.plugins.motion.verbs import passages
from editor_app.plugins.motion.window.actions import CLOSED_INTERVALS
from editor_app.window.robot_job import RobotJob
from editor_app.window.workbench import Workbench


class ClosedIntervalsAction(RobotJob):
    """Robot › Pose › Show closed intervals."""

    module = passages

    def __init__(self, workbench: Workbench) -> None:
        label = "Show closed intervals of joints"
        super().__init__(workbench, CLOSED_INTERVALS, "XRDF515", label, "closed intervals")
        self._docks = workbench.docks

    def job(self, document: Document) -> Job:
        return Task(passages.find_closed_intervals, locate_robot(document))

    def take(self, result: passages.ClosedIntervals) -> None:
        self._session.closed.show(dict(result.by_joint))
        if result.by_joint:
            self._docks.show("joints")
        spheres_alone = sum(
            each.by_meshes is False for of in result.by_joint.values() for each in of
        )
        count = sum(map(len, result.by_joint.values()))
        text = (
            f"{format_count(count, 'closed interval')} of the joints, {spheres_alone} by spheres "
            "alone."
        )
        if not count:
            text = "No interval of a joint is closed."
        if result.barriers and not spheres_alone:
            text += (
                f" Spheres alone close {format_count(len(result.barriers), 'passage')} of joints "
                "together (XRDF515)."
            )
        self._session.message.emit(text)
