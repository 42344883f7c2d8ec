"""Poses before the present one: back and forward by keys of their own, apart from the steps of the document."""

from __future__ import annotations

from PySide6.QtCore import QObject

from editor_app.gui.action_tables import POSE_HISTORY
from editor_app.gui.actions import ActionRegistry
from editor_app.gui.session import Session
from editor_app.gui.timers import Wait, after
from editor_app.model.pose import Pose

#: Poses that are kept.
MOST = 200
#: Radians and metres that nobody sees: a motion ends where its goal was put, but for the solver's last digits.
_SEEN = 1e-6


class PoseHistory(QObject):
    """One per window. A pose counts when the joints have come to rest: a drag, or a motion that is played, is one."""

    def __init__(self, session: Session, registry: ActionRegistry, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._registry = session, registry
        self._poses: list[Pose] = []
        self._place = 0
        self._later = after(self, self._take, Wait.JOINTS_REST)
        session.document_opened.connect(self._on_opened)
        session.pose_changed.connect(self._later.soon)
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
        # What has not come to rest is a pose to come back to as well.
        self._take()
        self._go(self._place - 1)

    def forward(self) -> None:
        self._go(self._place + 1)

    def _go(self, place: int) -> None:
        if 0 <= place < len(self._poses):
            self._place = place
            self._session.move_joints(self._poses[place])
            self._later.stop()
            self._registry.refresh_later()

    def _take(self) -> None:
        self._later.stop()
        pose = self._session.free_pose
        if not pose or (self._poses and _same(self._poses[self._place], pose)):
            return
        self._poses = [*self._poses[: self._place + 1], pose][-MOST:]
        self._place = len(self._poses) - 1
        self._registry.refresh_later()

    def _on_opened(self, _: object) -> None:
        self._poses, self._place = [], 0
        self._take()


def _same(one: Pose, other: Pose) -> bool:
    return one.keys() == other.keys() and all(abs(one[joint] - other[joint]) <= _SEEN for joint in one)
