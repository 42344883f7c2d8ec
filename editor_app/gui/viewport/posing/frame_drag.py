"""What the handles hold: a frame that is moved and turned, by a handle or by itself in the view plane."""

from __future__ import annotations

from abc import ABC, abstractmethod

from PySide6.QtCore import QPointF, Qt

from editor_app.gui.signed_text import turned_by
from editor_app.gui.viewport.camera import Array
from editor_app.gui.viewport.gizmo import Handle
from editor_app.gui.viewport.posing.pointer import Pull
from editor_app.gui.viewport.view import Viewport


class FrameDrag(ABC):
    """A drag of `name`, which stood at the (4, 4) `pose` in the base frame. Esc puts it back."""

    def __init__(
        self, view: Viewport, name: str, pose: Array, handle: Handle | None, start: QPointF, moves: str = ""
    ) -> None:
        """`moves`: what the hint says is moved; default: `name`."""
        self._view, self._name, self._pose, self._handle = view, name, pose.copy(), handle
        gizmo = view.scene.gizmo
        self._pull = Pull(view.scene.camera, gizmo.position, gizmo.axes, handle, start)
        way = "in the view plane" if handle is None else f"{'about' if handle.is_ring else 'along'} {handle.name}"
        self.hint = f"Moves {moves or name} {way} · Shift: fine · Ctrl: steps · Esc puts it back"

    @property
    def is_turn(self) -> bool:
        """Whether a ring is dragged, which leaves the place."""
        return self._handle is not None and self._handle.is_ring

    def move(self, at: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        shift, turn = self._pull.to(at, modifiers)
        pose = self._pose.copy()
        pose[:3, 3] += shift
        if self.is_turn:
            pose[:3, :3] = turn @ pose[:3, :3]
        self._view.scene.pace.moved()
        words = self.take(pose)
        if self._handle is not None and self._handle.is_ring:
            words = f"{self._handle.name} {turned_by(self._pull.angle)}"
        self._view.interaction.label_changed.emit(f"{self._name}\n{words}", at)

    @abstractmethod
    def take(self, pose: Array) -> str:
        """Puts it to a (4, 4) pose in the base frame; gives the words about the place."""

    @abstractmethod
    def finish(self) -> None:
        """It stays where it is."""

    @abstractmethod
    def cancel(self) -> None:
        """It goes back to where it was."""
