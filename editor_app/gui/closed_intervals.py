"""Intervals of joints that spheres close whatever the other joints do: looked for in the background."""

from __future__ import annotations

from typing import TYPE_CHECKING

from editor_app.gui.action_tables import CLOSED_INTERVALS
from editor_app.gui.robot_job import RobotJob
from editor_app.model.counting import counted

if TYPE_CHECKING:
    from editor_app.edit.document import Document
    from editor_app.gui.workbench import Workbench
    from editor_app.operations.passages import ClosedIntervals, FindClosedIntervals


class ClosedIntervalsAction(RobotJob):
    """Robot › Show closed intervals."""

    def __init__(self, workbench: Workbench) -> None:
        label = "Show closed intervals of the joints"
        super().__init__(workbench, CLOSED_INTERVALS, "XRDF515", label, "closed intervals")
        self._docks = workbench.docks

    def job(self, document: Document) -> FindClosedIntervals:
        from editor_app.model.frozen import FrozenDict
        from editor_app.operations.passages import FindClosedIntervals

        return FindClosedIntervals(document.robot, document.urdf_path, FrozenDict(document.packages))

    def take(self, result: ClosedIntervals) -> None:
        self._session.closed.show(dict(result.by_joint))
        if result.by_joint:
            self._docks.show("joints")
        spheres_alone = sum(each.by_meshes is False for of in result.by_joint.values() for each in of)
        count = sum(map(len, result.by_joint.values()))
        text = f"{counted(count, 'closed interval')} of the joints, {spheres_alone} by spheres alone."
        if not count:
            text = "No interval of a joint is closed whatever the other joints do."
        if result.barriers and not spheres_alone:
            text += f" Spheres alone close {counted(len(result.barriers), 'passage')} of joints together (XRDF515)."
        self._session.message.emit(text)
