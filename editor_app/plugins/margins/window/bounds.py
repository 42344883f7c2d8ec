"""Proves margins of the robot in a window in a worker process, and sets buffers for tolerances as
one step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, Signal

from editor_app.core.model.refusal import Refusal
from editor_app.core.model.trajectory import Trajectory
from editor_app.core.tasks.task import Task
from editor_app.core.tasks.work import locate_robot
from editor_app.core.tasks.worker import JobError
from editor_app.plugins.margins import tolerances
from editor_app.plugins.margins.verbs import margin_buffers, margins
from editor_app.plugins.motion.window.feature import MotionTools
from editor_app.window.jobs import JobSlot
from editor_app.window.workbench import Workbench

DOCK = "margins"
#: Of all turning joints, radians; of all sliding joints, metres, until other tolerances are typed.
_TURNING, _SLIDING = 0.1 * 3.141592653589793 / 180.0, 1e-4


class MarginBounds(QObject):
    """One per window. `turning`, `sliding`: ± of all joints; `frame` with `mounting`: ± of one
    frame ("": none)."""

    #: The result or the state of the work changed.
    changed = Signal()

    def __init__(self, workbench: Workbench, parent: QObject) -> None:
        super().__init__(parent)
        self._workbench, self._session = workbench, workbench.session
        self._player = workbench.part(MotionTools).controller.player
        self.no_motion = self._player.no_motion
        self._work = JobSlot(workbench.jobs, self._refresh)
        self.turning, self.sliding = _TURNING, _SLIDING
        self.frame, self.mounting = "", tolerances.FrameTolerance(1e-3, 0.0)
        #: The margins of the last run; None before the first one.
        self.result: margins.Margins | None = None
        #: Whether the robot changed since `result`.
        self.is_stale = False
        #: Why there is no result; "" where there is one.
        self.trouble = ""
        self._session.document_opened.connect(self._forget)
        self._session.robot_settled.connect(self._on_robot)

    @property
    def is_running(self) -> bool:
        return self._work.is_running

    def no_work(self) -> str | None:
        return "Margins are being proven." if self._work.is_running else None

    def bound_pose(self) -> None:
        """Prove the margins at the configuration that is shown."""
        self._bound(Trajectory.of_pose(self._session.pose))

    def bound_motion(self) -> None:
        """Prove the margins along the motion."""
        motion = self._player.trajectory
        if motion is not None:
            self._bound(motion)

    def set_buffers(self) -> None:
        """Set buffers that make up for the tolerances, as one step."""
        make = lambda: Task(  # noqa: E731
            margin_buffers.margin_buffers, locate_robot(self._session.document), self.chosen()
        )
        self._run("Computing buffers", margin_buffers, make, self._take_buffers)

    def chosen(self) -> tolerances.Tolerances:
        """The tolerances that the panel shows."""
        every = tolerances.Tolerances.same(self._session.tree, self.turning, self.sliding)
        return (
            replace(every, frames=every.frames.set(self.frame, self.mounting))
            if self.frame
            else every
        )

    def cancel(self) -> None:
        """End the work; the result before stays."""
        self._work.cancel()

    def stop(self) -> None:
        """End the work: the window closes."""
        self._work.drop()

    def _bound(self, motion: Trajectory) -> None:
        self._workbench.docks.show(DOCK)
        make = lambda: Task(  # noqa: E731
            margins.margins, locate_robot(self._session.document), motion, self.chosen()
        )
        self._run("Proving margins", margins, make, self._take)

    def _run(
        self, name: str, module: object, make: Callable[[], object], take: Callable[..., object]
    ) -> None:
        robot = lambda: self._session.robot  # noqa: E731
        stale = partial(
            self._session.refused.emit, "The robot changed meanwhile. Prove its margins again."
        )
        self._work.run_loaded(name, module, make, take, failed=self._fail, about=robot, stale=stale)  # type: ignore[arg-type]

    def _take(self, result: margins.Margins) -> None:
        self.result, self.is_stale, self.trouble = result, False, ""

    def _take_buffers(self, result: margin_buffers.MarginBuffers) -> None:
        if not result.changes:
            self._session.message.emit("The present buffers make up for the tolerances.")
            return
        count = sum(map(len, result.changes.values()))
        if self._session.execute(result.change):
            self._session.noticed.emit(f"Set {count} buffers for the tolerances.")

    def _fail(self, error: JobError) -> None:
        if isinstance(error.exception, Refusal):
            self.trouble = error.message[:1].upper() + error.message[1:] + "."
            self._session.refused.emit(self.trouble)
        else:
            self._workbench.jobs.failed_unexpectedly.emit(None, error)

    def _on_robot(self, *_: object) -> None:
        self.is_stale = self.result is not None
        self.changed.emit()

    def _forget(self, *_: object) -> None:
        self._work.drop()
        self.result, self.is_stale, self.trouble, self.frame = None, False, "", ""
        self._refresh()

    def _refresh(self) -> None:
        self._workbench.registry.refresh_later()
        self.changed.emit()
