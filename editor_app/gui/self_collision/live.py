"""Overlaps of unmasked pairs at the present pose, kept up to date while a slider or a sphere is dragged."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QObject, Signal

from editor_app.gui.jobs import Jobs
from editor_app.gui.session import Session
from editor_app.gui.timers import after
from editor_app.model.robot import RobotDescription
from editor_app.model.xrdf import LinkPair
from editor_app.operations.live_overlaps import PoseOverlaps
from editor_app.operations.mask_changes import ignored_pairs
from editor_app.operations.pair_distances import PrepareDistances
from editor_app.self_collision.results import Overlap


class LiveOverlaps(QObject):
    """One per window. Asleep until `wake`: the compiled code must be there before the window's thread uses it."""

    #: `overlaps` are others.
    changed = Signal()

    def __init__(self, session: Session, jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._jobs = jobs
        self._state = "asleep"
        #: Why nothing comes although it was asked for; "" while it may still come.
        self.trouble = ""
        self.at_pose = PoseOverlaps()
        self._ignored: frozenset[LinkPair] = frozenset()
        # Signals of a drag come in bursts: one look per turn of the event loop.
        self._timer = after(self, self.look)
        session.document_opened.connect(self._on_opened)
        session.robot_changed.connect(self._on_robot)
        session.calibration_changed.connect(self._later)
        session.pose_changed.connect(self._later)

    @property
    def is_ready(self) -> bool:
        """Whether `overlaps` says something about the present pose."""
        return self._state == "ready" and self.at_pose.is_known

    @property
    def overlaps(self) -> tuple[Overlap, ...]:
        """Pairs that overlap at this pose and are not ignored."""
        return self.at_pose.overlaps

    @property
    def is_asleep(self) -> bool:
        return self._state == "asleep"

    def wake(self) -> None:
        """Compiles in a worker what is not compiled yet, then loads it here; nothing happens the second time.

        After a cancel or an error it begins anew.
        """
        if self._state not in ("asleep", "failed"):
            return
        self._state, self.trouble = "preparing", ""
        self._jobs.run(
            "Preparing distances",
            PrepareDistances(),
            self._load,
            on_error=self._give_up,
            on_cancelled=self._on_cancelled,
        )
        self.changed.emit()

    def stop(self) -> None:
        """Follows nothing any more."""
        self._state = "stopped"
        self._timer.stop()

    def _load(self, _: object) -> None:
        self._jobs.run_in_thread(
            "Loading distances", lambda _: PoseOverlaps.load(), self._ready, self._give_up, quiet=True
        )

    def _give_up(self, error: Any) -> None:
        self._state = "failed"
        self.trouble = f"Overlaps cannot be shown live: {error.message}"
        self._session.message.emit(self.trouble)
        self.changed.emit()

    def _on_cancelled(self) -> None:
        if self._state == "stopped":
            return
        self._state = "asleep"
        self.trouble = "Preparing was cancelled: overlaps are not known."
        self.changed.emit()

    def _ready(self, _: object) -> None:
        self._state = "ready"
        self._on_opened(self._session.document)

    # -- following

    def _on_opened(self, document: object) -> None:
        self.at_pose.forget()
        robot = self._session.robot
        self._ignored = ignored_pairs(robot) if robot is not None else frozenset()
        if robot is None or self._state != "ready":
            self.changed.emit()
        else:
            self._later()

    def _on_robot(self, old: RobotDescription, new: RobotDescription) -> None:
        if new.xrdf is old.xrdf and new.urdf is old.urdf:
            return
        if new.xrdf.self_collision is not old.xrdf.self_collision:
            self._ignored = ignored_pairs(new)
        self._later()

    def _later(self, *_: object) -> None:
        if self._state == "ready" and not self._timer.isActive():
            self._timer.start()

    @property
    def is_due(self) -> bool:
        """Whether `overlaps` were computed for a robot or pose before."""
        return self._timer.isActive()

    def look_if_due(self) -> None:
        """Does at once what would be done when the event loop is idle."""
        if self.is_due:
            self.look()

    def look(self) -> None:
        """Brings `overlaps` up to date now."""
        self._timer.stop()
        robot = self._session.shown_robot
        if robot is None or self._state != "ready":
            return
        self.at_pose.look(robot, self._session.pose, self._ignored)
        self.changed.emit()
