"""Motion in the view: an obstacle under the handles, and the camera that goes along with a robot
while it plays."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, QPointF

from editor_app.core.arrays import F64
from editor_app.core.space.kinematics.transforms import matrix_to_quaternion
from editor_app.plugins.motion.window.controller import MotionController
from editor_app.plugins.motion.window.player import Player
from editor_app.window.viewport.camera import CameraView
from editor_app.window.viewport.frame_drag import FrameDrag, Hand, told_along, told_at
from editor_app.window.viewport.gizmo import Grip, Handle
from editor_app.window.viewport.scene import ViewScene
from editor_app.window.viewport.view import Viewport


def grip_of(controller: MotionController, view: Viewport, name: str) -> Grip | None:
    """The handles of the obstacle `name`; None while it is not drawn."""
    pose = view.scene.obstacles.pose(name)
    return (
        None
        if pose is None
        else Grip(name, pose, partial(ObstacleDrag, controller, view.interaction.hand, name, pose))
    )


class ObstacleDrag(FrameDrag):
    """One step; Esc puts it back."""

    def __init__(
        self,
        controller: MotionController,
        hand: Hand,
        name: str,
        pose: F64,
        handle: Handle | None,
        start: QPointF,
    ) -> None:
        super().__init__(hand, name, pose, handle, start)
        self._controller = controller

    def take(self, pose: F64) -> str:
        obstacle = self._controller.scene.get(self._name)
        if obstacle is None:
            return ""
        x, y, z = pose[:3, 3].tolist()
        orientation = (
            matrix_to_quaternion(pose[:3, :3]) if self.is_turn else obstacle.orientation_wxyz
        )
        moved = replace(obstacle, position=(x, y, z), orientation_wxyz=orientation)
        scene = self._controller.scene.with_obstacle(moved)
        self._controller.set_scene(scene, f"Move {self._name}", merge=("obstacle", self._name))
        display = self._session.display
        moved_by = told_along(self._pull.along, display)
        return f"{moved_by} {display.length_unit}\n{told_at((x, y, z), display)}"


class RobotInView(QObject):
    """One per view."""

    def __init__(self, player: Player, scene: ViewScene, parent: QObject) -> None:
        super().__init__(parent)
        self._player, self._scene = player, scene
        #: Where the camera stood when the robot was last seen whole; None: somebody looks at a part
        #: of it.
        self._seen_from: CameraView | None = None
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
