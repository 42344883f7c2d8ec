"""One fit of some links: the verb in a thread, its work in the window's processes, its news in the GUI thread."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, Signal

from editor_app.gui import jobs
from editor_app.gui.fitting.context import FitContext
from editor_app.operations.work import Cancelled
from editor_app.tasks.job import Report
from editor_app.tasks.worker import JobError

if TYPE_CHECKING:
    from editor_app.fitting.links import LinkMesh
    from editor_app.fitting.settings import FitSettings
    from editor_app.operations.fit_choices import FitChoices


class FitRun(QObject):
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
    #: The user asked the status bar to end it.
    cancel_asked = Signal()

    # Queued: the verb speaks in threads of its own.
    _said = Signal(object, object)

    def __init__(
        self,
        context: FitContext,
        meshes: Sequence[LinkMesh],
        settings: FitSettings,
        total: int | None,
        choices: FitChoices,
        parent: QObject | None = None,
    ) -> None:
        """`total`: spheres to share out; None: every mesh gets the settings as they are."""
        super().__init__(parent)
        document = context.session.document
        assert document is not None
        self._robot, self._urdf_path, self._packages = document.robot, document.urdf_path, document.packages
        self._choices = choices
        self._context = context
        self._settings = settings
        self._total = total
        self._meshes = tuple(meshes)
        self._over = threading.Event()
        self._said.connect(self._say, Qt.ConnectionType.QueuedConnection)
        #: Share of each link's work that is done.
        self.fractions = {mesh.link: 0.0 for mesh in meshes}
        self.started = time.monotonic()

    @property
    def seconds(self) -> float:
        """Since the start."""
        return time.monotonic() - self.started

    def start(self, *, quiet: bool = False) -> None:
        """`quiet`: the status bar tells nothing of it."""
        self._context.window_jobs.run_in_thread(
            "Fitting spheres",
            self._work,
            on_done=lambda _: self._end(),
            on_error=self._fail,
            on_cancelled=lambda: None if self._over.is_set() else self.cancel_asked.emit(),
            quiet=quiet,
        )

    def stop(self) -> None:
        """No more signals; the processes end what they do at their next look, and stay for the next run."""
        self._over.set()

    # -- in the thread of the verb

    def _work(self, report: Report) -> None:
        from editor_app.operations.fit import fit_meshes
        from editor_app.operations.fit_choices import with_choices

        def tell(fraction: float, sentence: str) -> None:
            # Once the status bar has cancelled it, the report says so by an exception; `stop` follows.
            with contextlib.suppress(jobs.Cancelled):
                done = sum(f >= 1 for f in self.fractions.values())
                report.progress(fraction, f"{done} of {len(self.fractions)} links")
            self._post(self.told.emit, sentence)

        with contextlib.suppress(Cancelled):
            meshes, _ = with_choices(self._robot, self._urdf_path, self._packages, self._meshes, self._choices)
            fit_meshes(
                meshes,
                self._settings,
                self._total,
                executor=self._context.robot_executor,
                progress=tell,
                cancel=self._over.is_set,
                on_links=lambda links, fraction: self._post(self._tell, links, fraction),
                on_fits=lambda fits: self._post(self.fitted.emit, fits),
            )

    def _post(self, function: Callable[..., Any], *values: Any) -> None:
        # The window may be gone before the verb has noticed.
        with contextlib.suppress(RuntimeError):
            self._said.emit(function, values)

    # -- in the GUI thread

    def _say(self, function: Callable[..., Any], values: tuple[Any, ...]) -> None:
        if not self._over.is_set():
            function(*values)

    def _tell(self, links: tuple[str, ...], fraction: float) -> None:
        for link in links:
            self.fractions[link] = fraction
            self.progressed.emit(link, fraction)

    def _end(self) -> None:
        if not self._over.is_set():
            self._over.set()
            self.finished.emit()

    def _fail(self, error: JobError) -> None:
        if not self._over.is_set():
            self.stop()
            self.failed.emit(error)
