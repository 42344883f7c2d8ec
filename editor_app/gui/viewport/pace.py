"""Keeps moving things fluent where drawing is slow (software OpenGL): coarser meshes as long as something moves."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Protocol

from PySide6.QtCore import QObject, Signal

from editor_app.gui.timers import Wait, after

#: Computes in a thread of its own, and returns what the window's thread has to do with it.
Work = Callable[[], Callable[[], None]]

#: A frame that takes longer than this makes moving things stutter (seconds).
SLOW = 0.035


class Coarsenable(Protocol):
    """A layer that can be drawn more quickly and less well."""

    def set_coarse(self, coarse: bool) -> None: ...


class Pace(QObject):
    """Watches how long frames take. Where they are quick, nothing is ever simplified."""

    _computed = Signal()

    def __init__(
        self,
        layers: tuple[Coarsenable, ...],
        work: Callable[[], Work | None],
        redraw: Callable[[], None],
        parent: QObject,
    ) -> None:
        """`work` gives what prepares the layers a little further, None when they are ready."""
        super().__init__(parent)
        self._layers, self._work = layers, work
        self._redraw = redraw
        self._average = 0.0
        self.is_coarse = False
        self._still = after(self, self._settle, Wait.FULL_DRAWING)
        self._thread: ThreadPoolExecutor | None = None
        self._running: Future[Callable[[], None]] | None = None
        self._computed.connect(self._take)

    def frame_took(self, seconds: float) -> None:
        """To be told after each frame."""
        if not self.is_coarse:
            self._average = seconds if self._average == 0.0 else 0.7 * self._average + 0.3 * seconds

    def moved(self) -> None:
        """Something moves under the user's hand: camera, joint, sphere."""
        # Longer than a frame takes, or every other one would be drawn in full.
        self._still.start(max(Wait.FULL_DRAWING, round(min(self._average, 0.6) * 2500)))
        if self._average < SLOW:
            return
        if not self.is_coarse:
            self.is_coarse = True
            self._prepare_next()
            for layer in self._layers:
                layer.set_coarse(True)

    def rest(self) -> None:
        """Draws everything in full from now on, until something moves again: for a picture."""
        self._still.stop()
        self._settle()

    def end(self) -> None:
        """Waits for what the thread is at; nothing of it is taken."""
        self._still.stop()
        self._running = None
        if self._thread is not None:
            self._thread.shutdown(cancel_futures=True)
            self._thread = None

    def _prepare_next(self) -> None:
        if self._running is not None:
            return
        # One link after the other: each is drawn coarser as soon as it can be.
        work = self._work()
        if work is None:
            return
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, "coarse meshes")
        self._running = self._thread.submit(work)
        self._running.add_done_callback(lambda _: self._computed.emit())

    def _take(self) -> None:
        running, self._running = self._running, None
        if running is None:
            return
        running.result()()
        for layer in self._layers:
            layer.set_coarse(self.is_coarse)
        self._prepare_next()

    def _settle(self) -> None:
        if self.is_coarse:
            self.is_coarse = False
            for layer in self._layers:
                layer.set_coarse(False)
            self._redraw()
