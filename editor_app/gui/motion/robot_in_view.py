"""The camera goes along with a robot that leaves the view while a motion plays, unless a person looks at a part."""

from __future__ import annotations

from PySide6.QtCore import QObject

from editor_app.gui.motion.player import Player
from editor_app.gui.viewport.camera import View
from editor_app.gui.viewport.scene import Scene


class RobotInView(QObject):
    """One per view."""

    def __init__(self, player: Player, scene: Scene, parent: QObject) -> None:
        super().__init__(parent)
        self._player, self._scene = player, scene
        #: Where the camera stood when the robot was last seen whole; None: somebody looks at a part of it.
        self._seen_from: View | None = None
        player.playing_changed.connect(self._on_playing)
        player.moved.connect(self._look)
        # The last places of a short motion are told while the camera is still on its way.
        scene.following.arrived.connect(self._look)

    def _on_playing(self, playing: bool) -> None:
        if playing:
            self._seen_from = self._scene.camera.view if self._scene.framing.holds_robot() else None
        elif not self._scene.following.is_moving:
            self._seen_from = None

    def _look(self, *_: float) -> None:
        scene = self._scene
        if self._seen_from is None or scene.following.is_moving:
            return
        if scene.framing.holds_robot():
            self._seen_from = scene.camera.view if self._player.is_playing else None
        elif self._seen_from == scene.camera.view or scene.following.was_last_to_move:
            scene.framing.keep_in_view()
        else:
            self._seen_from = None
