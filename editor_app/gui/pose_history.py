"""Poses before the present one: back and forward by keys of their own, apart from the steps of the document."""

from __future__ import annotations

import time

from PySide6.QtCore import QObject

from editor_app.gui.action_tables import POSE_HISTORY
from editor_app.gui.actions import ActionRegistry
from editor_app.gui.session import Session
from editor_app.gui.timers import Wait
from editor_app.model.pose import Pose

#: Poses that are kept.
MOST = 200
#: Radians and metres that nobody sees: a motion ends where its goal was put, but for the solver's last digits.
_SEEN = 1e-6


class PoseHistory(QObject):
    """One per window. A pose counts when the joints had come to rest: a drag, or a motion that is played, is one."""

    def __init__(self, session: Session, registry: ActionRegistry, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._poses: list[Pose] = []
        self._place = 0
        #: The last pose, and when the joints moved to it.
        self._present, self._moved = session.free_pose, 0.0
        self._going = False
        session.document_opened.connect(self._on_opened)
        session.pose_changed.connect(self._on_pose)
        registry.add(POSE_HISTORY, self)

    @property
    def before(self) -> bool:
        """Whether there is a pose to go back to."""
        return self._place > 0 or (bool(self._poses) and not _same(self._poses[self._place], self._session.free_pose))

    @property
    def after(self) -> bool:
        """Whether there is a pose to go forward to."""
        return self._place + 1 < len(self._poses)

    def back(self) -> None:
        # The present one is a pose to come back to as well.
        self._keep(self._session.free_pose)
        self._go(self._place - 1)

    def forward(self) -> None:
        self._go(self._place + 1)

    def _go(self, place: int) -> None:
        if 0 <= place < len(self._poses):
            self._place, self._going = place, True
            try:
                self._session.move_joints(self._poses[place])
            finally:
                self._going = False

    def _keep(self, pose: Pose) -> None:
        if pose and not (self._poses and _same(self._poses[self._place], pose)):
            self._poses = [*self._poses[: self._place + 1], pose][-MOST:]
            self._place = len(self._poses) - 1

    def _on_pose(self, _: object) -> None:
        now, pose = time.monotonic(), self._session.free_pose
        if not self._going:
            if now - self._moved > Wait.JOINTS_REST / 1000.0:
                self._keep(self._present)
            if self._poses and not _same(self._poses[self._place], pose):
                # What came after the pose that is left comes no more.
                self._poses = self._poses[: self._place + 1]
        self._present, self._moved = pose, now

    def _on_opened(self, _: object) -> None:
        self._present = self._session.free_pose
        self._poses, self._place = [self._present] if self._present else [], 0


def _same(one: Pose, other: Pose) -> bool:
    return one.keys() == other.keys() and all(abs(one[joint] - other[joint]) <= _SEEN for joint in one)
