"""The camera goes along with a robot that was posed out of the view or behind a card, once it rests."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from editor_app.gui.session import Session
from editor_app.gui.timers import Wait, after
from editor_app.gui.viewport.camera import View
from editor_app.gui.viewport.scene import Scene

#: Room around the robot: it stays nearly as large as it was.
_MARGIN = 1.1


class PosedRobot(QObject):
    """One per view. A part that somebody looks at from near stays what is looked at."""

    def __init__(self, session: Session, scene: Scene, is_held: Callable[[], bool], parent: QObject) -> None:
        """`is_held`: whether a button is down, so that posing goes on however long the hand rests."""
        super().__init__(parent)
        self._scene, self._is_held = scene, is_held
        #: Where the camera stood when posing began; None: nothing is posed, or the robot was not seen whole.
        self._seen_from: View | None = None
        self._pause = after(self, self._rested, Wait.JOINTS_REST)
        session.posing.connect(self._on_posing)
        session.document_opened.connect(self.stop)

    def end(self) -> None:
        """A drag in the view is over, or was called off."""
        if self._pause.isActive():
            self._pause.start(0)

    def stop(self, *_: object) -> None:
        """The view goes, or the robot."""
        self._pause.stop()
        self._seen_from = None

    def _on_posing(self) -> None:
        scene = self._scene
        if not self._pause.isActive():
            self._seen_from = scene.camera.view if scene.framing.holds_robot() else None
        self._pause.start(Wait.JOINTS_REST)

    def _rested(self) -> None:
        if self._is_held():
            self._pause.start(Wait.JOINTS_REST)
            return
        seen_from, self._seen_from = self._seen_from, None
        scene = self._scene
        if seen_from is not None and (seen_from == scene.camera.view or scene.following.was_last_to_move):
            scene.framing.keep_in_view(_MARGIN)
