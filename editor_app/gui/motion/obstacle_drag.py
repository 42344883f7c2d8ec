"""An obstacle under the handles of the view: it is moved and turned, and the scene follows every step."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from PySide6.QtCore import QPointF, Qt

from editor_app.gui.bindings.quantity import LENGTH
from editor_app.gui.motion.controller import MotionController
from editor_app.gui.signed_text import turned_by
from editor_app.gui.viewport.camera import Array
from editor_app.gui.viewport.gizmo import Grip, Handle
from editor_app.gui.viewport.posing.pointer import Pull, told_along
from editor_app.gui.viewport.view import Viewport
from editor_app.kinematics.transforms import matrix_to_quaternion

Modifiers = Qt.KeyboardModifier


def grip_of(controller: MotionController, view: Viewport, name: str) -> Grip | None:
    """The handles of the obstacle `name`; None while it is not drawn."""
    pose = view.scene.obstacles.pose(name)
    return None if pose is None else Grip(name, pose, partial(ObstacleDrag, controller, view, name, pose))


class ObstacleDrag:
    """By a handle, or by itself in the view plane: one step; Esc puts it back."""

    def __init__(
        self,
        controller: MotionController,
        view: Viewport,
        name: str,
        pose: Array,
        handle: Handle | None,
        start: QPointF,
    ) -> None:
        self._controller, self._view, self._name, self._pose, self._handle = controller, view, name, pose, handle
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
        self._view.interaction.label_changed.emit(self._describe((x, y, z)), at)

    def finish(self) -> None:
        """It stays where it is."""
        self._controller.session.seal()

    def cancel(self) -> None:
        self._controller.session.abandon()

    def _describe(self, position: tuple[float, float, float]) -> str:
        if self._handle is not None and self._handle.is_ring:
            return f"{self._name}\n{self._handle.name} {turned_by(self._pull.angle)}"
        display = self._controller.session.display
        moved, unit = told_along(self._pull.along, display), display.length_unit
        place = "   ".join(LENGTH.column(value, display) for value in position)
        return f"{self._name}\n{moved} {unit}\nat {place} {unit}"
