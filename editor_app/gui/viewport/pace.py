"""Keeps moving things fluent where drawing is slow (software OpenGL): coarser meshes as long as something moves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from PySide6.QtCore import QObject, QTimer

#: A frame that takes longer than this makes moving things stutter (seconds).
SLOW = 0.035
#: Stillness after which everything is drawn in full again (milliseconds).
_STILL = 250


class Coarsenable(Protocol):
    """A layer that can be drawn more quickly and less well."""

    def make_one_coarse(self) -> bool: ...
    def set_coarse(self, coarse: bool) -> None: ...


class Pace(QObject):
    """Watches how long frames take. Where they are quick, nothing is ever simplified."""

    def __init__(self, layers: tuple[Coarsenable, ...], redraw: Callable[[], None], parent: QObject) -> None:
        super().__init__(parent)
        self._layers = layers
        self._redraw = redraw
        self._average = 0.0
        self._coarse = False
        self._still = QTimer(self, singleShot=True, interval=_STILL)
        self._still.timeout.connect(self._settle)
        self._prepare = QTimer(self, interval=0)
        self._prepare.timeout.connect(self._prepare_one)

    @property
    def is_coarse(self) -> bool:
        return self._coarse

    def frame_took(self, seconds: float) -> None:
        """To be told after each frame."""
        if not self._coarse:
            self._average = seconds if self._average == 0.0 else 0.7 * self._average + 0.3 * seconds

    def moved(self) -> None:
        """Something moves under the user's hand: camera, joint, sphere."""
        # Longer than a frame takes, or every other one would be drawn in full.
        self._still.start(max(_STILL, round(min(self._average, 0.6) * 2500)))
        if self._average < SLOW:
            return
        if not self._coarse:
            self._coarse = True
            self._prepare.start()
            for layer in self._layers:
                layer.set_coarse(True)

    def end(self) -> None:
        self._still.stop()
        self._prepare.stop()

    def _prepare_one(self) -> None:
        # One link at a time: the window stays alive meanwhile.
        for layer in self._layers:
            if layer.make_one_coarse():
                layer.set_coarse(self._coarse)
                return
        self._prepare.stop()

    def _settle(self) -> None:
        if self._coarse:
            self._coarse = False
            for layer in self._layers:
                layer.set_coarse(False)
            self._redraw()
