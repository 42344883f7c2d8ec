"""What the handles hold: a frame that is moved and turned, by a handle or by itself in the view plane."""

from __future__ import annotations

from abc import ABC, abstractmethod

from PySide6.QtCore import QPointF, Qt

from editor_app.gui.bindings.quantity import turned_by
from editor_app.gui.viewport.camera import Array
from editor_app.gui.viewport.gizmo import Gizmo, Handle
from editor_app.gui.viewport.posing.pointer import Hand, Pull
from editor_app.kinematics.transforms import matrix_origin
from editor_app.model.origin import Origin

#: Digits behind the point, of metres and radians: what a hand places is no finer than a micrometre.
DIGITS = 6


class FrameDrag(ABC):
    """A drag of `name`, which stood at the (4, 4) `pose` in the base frame. Esc puts it back."""

    def __init__(
        self, hand: Hand, name: str, pose: Array, handle: Handle | None, start: QPointF, moves: str = "",
        gizmo: Gizmo | None = None,
    ) -> None:  # fmt: skip
        """`moves`: what the hint says is moved; default: `name`. `gizmo`: the handles; default: the selection's."""
        self._session, self._scene, self._tell = hand
        self._name, self._pose, self._handle = name, pose.copy(), handle
        gizmo = gizmo or self._scene.gizmo
        self._pull = Pull(self._scene.camera, gizmo.position, gizmo.axes, handle, start)
        way = "in the view plane" if handle is None else f"{'about' if handle.is_ring else 'along'} {handle.name}"
        verb = "Turns" if self.is_turn else "Moves"
        self.hint = f"{verb} {moves or name} {way} · Shift: fine · Ctrl: steps · Esc puts it back"

    @property
    def is_turn(self) -> bool:
        """Whether a ring is dragged, which leaves the place."""
        return self._handle is not None and self._handle.is_ring

    def move(self, at: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        shift, turn = self._pull.to(at, modifiers)
        pose = self._pose.copy()
        pose[:3, 3] += shift
        pose[:3, :3] = turn @ pose[:3, :3]
        self._scene.pace.moved()
        words = self.take(pose)
        if self._handle is not None and self._handle.is_ring:
            words = f"{self._handle.name} {turned_by(self._pull.angle)}"
        self._tell(f"{self._name}\n{words}{self.problem()}", at)

    @abstractmethod
    def take(self, pose: Array) -> str:
        """Puts it to a (4, 4) pose in the base frame; gives the words about the place."""

    def problem(self) -> str:
        """A line about what keeps it from its place, with its line break."""
        return ""

    @abstractmethod
    def finish(self) -> None:
        """It stays where it is."""

    @abstractmethod
    def cancel(self) -> None:
        """It goes back to where it was."""


def hand_origin(matrix: Array) -> Origin:
    """A (4, 4) pose as a hand places it."""
    placed = matrix_origin(matrix)
    x, y, z, roll, pitch, yaw = (round(value, DIGITS) + 0.0 for value in (*placed.xyz, *placed.rpy))
    return Origin((x, y, z), (roll, pitch, yaw))
