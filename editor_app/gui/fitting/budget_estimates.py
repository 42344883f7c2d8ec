"""How far budgets of spheres would let them stand out, estimated in the background before a fit."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject, Signal

from editor_app.gui.fitting.context import FitContext
from editor_app.gui.jobs import JobSlot, ThreadReport
from editor_app.gui.timers import Wait, after
from editor_app.operations.budget_outlook import BudgetOutlook as Outlook
from editor_app.operations.budget_outlook import Protrusion, budget_outlook
from editor_app.operations.fit_choices import tool_weights


class BudgetEstimates(QObject):
    """Estimates for the links that are asked about; one per window, so that card and panel look once."""

    changed = Signal()

    def __init__(self, context: FitContext, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._wanted: tuple[tuple[str, ...], int] | None = None
        self._cached: tuple[object, Outlook] | None = None
        self._work = JobSlot(context.window_jobs, quiet=True)
        self._later = after(self, self._look, Wait.BUDGET_ESTIMATES)
        context.session.document_opened.connect(lambda _: self._forget())
        context.kind_changed.connect(self._again)

    def stands_out(
        self, links: tuple[str, ...], total: int, weights: Mapping[str, float] | None = None
    ) -> Protrusion | None:
        """How far the spheres would stand out; None as long as that is not known, which `changed` tells.

        `weights`: how much links count; by default by what the robot works with.
        """
        key, most = self._key(links), 2 * total
        if self._cached is not None and self._cached[0] == key and self._cached[1].most >= total:
            robot = self._context.session.robot
            if weights is None and robot is not None:
                weights = tool_weights(robot)
            return self._cached[1].stands_out(total, weights)
        if self._wanted is None or self._wanted[0] != links or self._wanted[1] < most:
            self._wanted = links, most
            self._later.start()
        return None

    def stop(self) -> None:
        """Nothing is looked at until somebody asks again."""
        self._later.stop()
        self._wanted = None
        self._work.drop()

    # -- inside

    def _forget(self) -> None:
        # Another robot may have links of the same names.
        self.stop()
        self._cached = None

    def _key(self, links: tuple[str, ...]) -> object:
        return links, self._context.kind, self._context.surfaces.partial

    def _again(self) -> None:
        if self._wanted is not None:
            self._work.drop()
            self._later.start()

    def _look(self) -> None:
        if self._wanted is None or self._context.is_comparing:
            return
        links, most = self._wanted
        meshes = tuple(mesh for link in links if (mesh := self._context.mesh(link, whole=True)) is not None)
        if not meshes:
            return
        key = self._key(links)
        self._context.warm()
        executor = self._context.robot_executor

        def work(report: ThreadReport) -> Outlook:
            return budget_outlook(meshes, most, executor=executor, cancel=report.is_cancelled)

        def done(outlook: Outlook) -> None:
            self._cached = key, outlook
            self.changed.emit()

        # The fit itself tells what is wrong.
        self._work.run("Estimating budgets", work, done, in_thread=True, failed=lambda _: None)
