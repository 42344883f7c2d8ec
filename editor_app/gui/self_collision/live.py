"""Overlaps of unmasked pairs at the present pose, kept up to date while a slider or a sphere is dragged."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from editor_app.gui.jobs import Compiled, Jobs
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
        self._code = Compiled(jobs, "distances", PrepareDistances(), lambda _: PoseOverlaps.load(), self._on_code)
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
        return self._code.state == "ready" and self.at_pose.is_known

    @property
    def trouble(self) -> str:
        """Why nothing comes although it was asked for; "" while it may still come."""
        return self._code.trouble and f"Overlaps cannot be shown live: {self._code.trouble}"

    @property
    def overlaps(self) -> tuple[Overlap, ...]:
        """Pairs that overlap at this pose and are not ignored."""
        return self.at_pose.overlaps

    @property
    def is_asleep(self) -> bool:
        return self._code.state == "asleep"

    def wake(self) -> None:
        """Gets the compiled code; nothing happens the second time."""
        self._code.wake()

    def stop(self) -> None:
        """Follows nothing any more."""
        self._code.stop()
        self._timer.stop()

    def _on_code(self) -> None:
        if self._code.state == "failed":
            self._session.message.emit(self.trouble)
        self._on_opened(self._session.document)

    # -- following

    def _on_opened(self, document: object) -> None:
        self.at_pose.forget()
        robot = self._session.robot
        self._ignored = ignored_pairs(robot) if robot is not None else frozenset()
        if robot is None or self._code.state != "ready":
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
        if self._code.state == "ready" and not self._timer.isActive():
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
        if robot is None or self._code.state != "ready":
            return
        self.at_pose.look(robot, self._session.pose, self._ignored)
        self.changed.emit()
