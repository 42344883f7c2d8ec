"""An obstacle under the handles of the view: it is moved and turned, and the scene follows every step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QPointF, Qt

from editor_app.gui.motion.controller import MotionController
from editor_app.gui.signed_text import turned_by
from editor_app.gui.viewport.camera import Array
from editor_app.gui.viewport.drags import length, signed_length
from editor_app.gui.viewport.gizmo import Handle
from editor_app.gui.viewport.posing.pointer import Pull
from editor_app.gui.viewport.view import Viewport
from editor_app.kinematics.transforms import matrix_to_quaternion

Modifiers = Qt.KeyboardModifier


class ObstacleGrip:
    """The handles of the obstacle `name`, in its own directions or in the directions of the base."""

    def __init__(self, controller: MotionController, view: Viewport, name: str) -> None:
        self._controller, self._view = controller, view
        self.name = name

    def place(self) -> tuple[Array, Array] | None:
        pose = self._view.scene.obstacles.pose(self.name)
        if pose is None:
            return None
        return pose[:3, 3], pose[:3, :3] if self._view.scene.gizmo_in_link else np.eye(3)

    def drag(self, handle: Handle | None, start: QPointF) -> ObstacleDrag:
        return ObstacleDrag(self._controller, self._view, self.name, handle, start, self._view.interaction.tell_at)


class ObstacleDrag:
    """By a handle, or by itself in the view plane: one step; Esc puts it back."""

    def __init__(
        self,
        controller: MotionController,
        view: Viewport,
        name: str,
        handle: Handle | None,
        start: QPointF,
        tell: Callable[[str, QPointF], None],
    ) -> None:
        self._controller, self._view, self._name, self._handle, self._tell = controller, view, name, handle, tell
        pose = view.scene.obstacles.pose(name)
        self._pose = np.eye(4) if pose is None else pose.copy()
        gizmo = view.scene.gizmo
        self._pull = Pull(view.scene.camera, gizmo.position, gizmo.axes, handle, start)
        way = "in the view plane" if handle is None else f"{'about' if handle.is_ring else 'along'} {handle.name}"
        self.hint = f"Moves {name} {way} · Shift: fine · Ctrl: steps · Esc puts it back"

    def move(self, at: QPointF, modifiers: Modifiers) -> None:
        obstacle = self._controller.scene.get(self._name)
        if obstacle is None:
            return
        shift, turn = self._pull.to(at, modifiers)
        x, y, z = (self._pose[:3, 3] + shift).tolist()
        orientation = obstacle.orientation_wxyz
        if self._handle is not None and self._handle.is_ring:
            orientation = matrix_to_quaternion(turn @ self._pose[:3, :3])
        moved = replace(obstacle, position=(x, y, z), orientation_wxyz=orientation)
        self._view.scene.pace.moved()
        scene = self._controller.scene.with_obstacle(moved)
        self._controller.set_scene(scene, f"Move {self._name}", merge=("obstacle", self._name))
        self._tell(self._describe((x, y, z)), at)

    def finish(self) -> None:
        """It stays where it is."""
        self._controller.session.seal()

    def cancel(self) -> None:
        self._controller.session.abandon()

    def _describe(self, position: tuple[float, float, float]) -> str:
        if self._handle is not None and self._handle.is_ring:
            return f"{self._name}\n{self._handle.name} {turned_by(self._pull.angle)}"
        unit = self._controller.session.display.length_unit
        moved = "   ".join(f"{n} {signed_length(v, unit)}" for n, v in zip("xyz", self._pull.along, strict=True))
        place = "   ".join(length(value, unit) for value in position)
        return f"{self._name}\n{moved} {unit}\nat {place} {unit}"
