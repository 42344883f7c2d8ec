"""One fit of a whole robot: looks at every mesh, shares the spheres out, fits; all of it in several processes."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from editor_app.gui.fitting.context import FitContext
from editor_app.operations.link_fits import StopFile
from editor_app.operations.robot_fit import FitOneJob, LossOf, plan_of_budget, plan_of_settings
from editor_app.tasks.job import Report
from editor_app.tasks.worker import JobError

if TYPE_CHECKING:
    from editor_app.fitting.budget import LossCurve
    from editor_app.fitting.links import LinkFit, LinkJob, LinkMesh
    from editor_app.fitting.settings import FitSettings

#: Share of a link's bar that sharing out takes.
_PLANNING = 0.12


class RobotRun(QObject):
    """Signals come in the GUI thread, and none after `stop`."""

    #: A sentence on what is being done.
    told = Signal(str)
    #: (link, fraction)
    progressed = Signal(str, float)
    #: LinkFits of links with the same mesh, as they are done.
    fitted = Signal(list)
    #: Everything is fitted.
    finished = Signal()
    #: JobError
    failed = Signal(object)
    #: Somebody asked the status bar to end it.
    cancel_asked = Signal()

    def __init__(
        self,
        context: FitContext,
        meshes: Sequence[LinkMesh],
        settings: FitSettings,
        total: int | None,
        parent: QObject | None = None,
    ) -> None:
        """`total`: spheres to share out; None: every mesh gets the settings as they are."""
        super().__init__(parent)
        self._context = context
        self._settings = settings
        self._total = total
        self._meshes = tuple(meshes)
        #: Links that have the same mesh, with it; known after the first look.
        self._groups: list[tuple[tuple[str, ...], LinkMesh]] = []
        self._curves: dict[tuple[str, ...], LossCurve | None] = {}
        self._left = 0
        #: Ends the thread that feeds the status bar; `fractions` is what it reads.
        self._over = threading.Event()
        self._stop: StopFile = context.stop_file("robot", fresh=True)
        self.fractions = {mesh.link: 0.0 for mesh in meshes}
        self.started = time.monotonic()

    @property
    def seconds(self) -> float:
        """Since the start."""
        return time.monotonic() - self.started

    @property
    def shared(self) -> int:
        """Links that have the mesh of another."""
        return len(self.fractions) - len(self._groups)

    def start(self) -> None:
        from editor_app.fitting.links import distinct

        self._context.window_jobs.run_in_thread(
            "Fitting the robot", self._follow, on_cancelled=lambda: None if self._over.is_set() else self._ask_cancel()
        )
        self.told.emit("Looking at the meshes…")
        # In a thread: half a second for the dozens of meshes of a humanoid, and nothing to send to another process.
        self._context.window_jobs.run_in_thread(
            "Looking for meshes that are alike",
            lambda _: distinct(self._meshes),
            on_done=self._unless_over(self._take_groups),
            on_error=self._unless_over(self._fail),
            quiet=True,
        )

    def _take_groups(self, groups: list[tuple[tuple[str, ...], LinkMesh]]) -> None:
        self._groups = groups
        if self._total is None:
            self._fit(plan_of_settings(groups, self._settings))
            return
        # The finest meshes first, so that the processes end together.
        for links, mesh in sorted(groups, key=lambda group: -len(group[1].faces)):
            self._submit(
                f"Sharing out the spheres of {links[0]}",
                LossOf(mesh, self._total, self._stop),
                lambda curve, links=links: self._take_curve(links, curve),
            )

    def stop(self) -> None:
        """No more signals; the processes end what they do at their next look, and stay for the next run."""
        self._over.set()
        self._stop.set()

    # -- inside

    def _ask_cancel(self) -> None:
        self.cancel_asked.emit()

    def _submit(self, name: str, job: Any, on_done: Any, on_progress: Any = None) -> None:
        self._context.robot_jobs.run(
            name,
            job,
            on_done=self._unless_over(on_done),
            on_error=self._unless_over(self._fail),
            on_progress=self._unless_over(on_progress or (lambda *_: None)),
            quiet=True,
        )

    def _unless_over(self, function: Any) -> Any:
        return lambda *values: None if self._over.is_set() else function(*values)

    def _tell(self, links: tuple[str, ...], fraction: float) -> None:
        for link in links:
            self.fractions[link] = fraction
            self.progressed.emit(link, fraction)

    def _take_curve(self, links: tuple[str, ...], curve: LossCurve | None) -> None:
        from editor_app.fitting.settings import FittingError

        assert self._total is not None
        self._curves[links] = curve
        self._tell(links, _PLANNING)
        if len(self._curves) < len(self._groups):
            self.told.emit(f"Sharing out the spheres: {len(self._curves)} of {len(self._groups)} meshes…")
            return
        try:
            jobs = plan_of_budget(self._groups, self._curves, self._total, self._settings)
        except FittingError as why:
            self._fail(JobError(str(why), "", why))
            return
        self._fit(jobs)

    def _fit(self, jobs: list[LinkJob]) -> None:
        self._left = len(jobs)
        number = self.shared
        alike = f" {number} with the mesh of another: fitted once." if number else ""
        self.told.emit(f"Fitting {len(self.fractions)} links…{alike}")
        for job in jobs:
            self._submit(
                f"Fitting {job.links[0]}",
                FitOneJob(job, self._stop),
                self._take_fits,
                lambda fraction, _, links=job.links: self._tell(links, _PLANNING + (1 - _PLANNING) * fraction),
            )

    def _take_fits(self, fits: list[LinkFit]) -> None:
        for fit in fits:
            self.fractions[fit.link] = 1.0
        self._left -= 1
        if self._left == 0:
            self._over.set()
        self.fitted.emit(fits)
        if self._left == 0:
            self.finished.emit()

    def _fail(self, error: JobError) -> None:
        self.stop()
        self.failed.emit(error)

    def _follow(self, report: Report) -> None:
        """Feeds the status bar until the run is over."""
        while not self._over.wait(0.5):
            values = list(self.fractions.values())
            done = sum(f >= 1 for f in values)
            report.progress(sum(values) / max(1, len(values)), f"{done} of {len(values)} links")
