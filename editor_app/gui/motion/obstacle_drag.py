"""An obstacle under the handles of the view: it is moved and turned, and the scene follows every step."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from PySide6.QtCore import QPointF

from editor_app.gui.motion.controller import MotionController
from editor_app.gui.viewport.camera import Array
from editor_app.gui.viewport.frame_drag import FrameDrag, Hand, told_along, told_at
from editor_app.gui.viewport.gizmo import Grip, Handle
from editor_app.gui.viewport.view import Viewport
from editor_app.kinematics.transforms import matrix_to_quaternion


def grip_of(controller: MotionController, view: Viewport, name: str) -> Grip | None:
    """The handles of the obstacle `name`; None while it is not drawn."""
    pose = view.scene.obstacles.pose(name)
    return (
        None if pose is None else Grip(name, pose, partial(ObstacleDrag, controller, view.interaction.hand, name, pose))
    )


class ObstacleDrag(FrameDrag):
    """One step; Esc puts it back."""

    def __init__(
        self, controller: MotionController, hand: Hand, name: str, pose: Array, handle: Handle | None, start: QPointF
    ) -> None:
        super().__init__(hand, name, pose, handle, start)
        self._controller = controller

    def take(self, pose: Array) -> str:
        obstacle = self._controller.scene.get(self._name)
        if obstacle is None:
            return ""
        x, y, z = pose[:3, 3].tolist()
        orientation = matrix_to_quaternion(pose[:3, :3]) if self.is_turn else obstacle.orientation_wxyz
        moved = replace(obstacle, position=(x, y, z), orientation_wxyz=orientation)
        scene = self._controller.scene.with_obstacle(moved)
        self._controller.set_scene(scene, f"Move {self._name}", merge=("obstacle", self._name))
        display = self._session.display
        moved_by = told_along(self._pull.along, display)
        return f"{moved_by} {display.length_unit}\n{told_at((x, y, z), display)}"

    def finish(self) -> None:
        self._session.seal()

    def cancel(self) -> None:
        self._session.abandon()
