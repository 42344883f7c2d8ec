"""The start of a window: work that can wait begins after the first complete frame, and competes with nothing."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from editor_app.gui.timers import after

#: Seconds after which the start counts as over even if no frame was drawn: a window may be hidden or minimised.
LONGEST = 60
#: The same once the 3D view is there, and only has to draw.
LONGEST_TO_DRAW = 10


class Start(QObject):
    """One per window. Over unless `begin` was called: a window without a view need not wait for one."""

    ended = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._running = False
        self._limit = after(self, self.end)

    @property
    def is_over(self) -> bool:
        return not self._running

    def begin(self) -> None:
        """The view is on its way."""
        if not self._running:
            self._running = True
            self._limit.start(LONGEST * 1000)

    def view_made(self) -> None:
        """The view is made; its first frame is awaited."""
        if self._running:
            self._limit.start(LONGEST_TO_DRAW * 1000)

    def end(self) -> None:
        """The first frame is on the screen, or none will come. May be called more than once."""
        if not self._running:
            return
        self._running = False
        self._limit.stop()
        self.ended.emit()

    def after(self, run: Callable[[], object]) -> None:
        """Calls `run` when the start is over: now, or once later."""
        if not self._running:
            run()
            return

        def once() -> None:
            self.ended.disconnect(once)
            run()

        self.ended.connect(once)

    def stop(self) -> None:
        """The window closes: nothing that waits is run any more."""
        self._running = False
        self._limit.stop()
