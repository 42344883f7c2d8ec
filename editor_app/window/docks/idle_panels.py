"""Makes panels that were not shown yet while nobody uses the window, so that a first visit does not
stall it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import ModuleType

from PySide6.QtCore import QObject, QPoint, Qt, QTimer
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QApplication

from editor_app.core.late import is_loaded, load_late
from editor_app.window.docks.docks import Docks
from editor_app.window.jobs import Jobs, JobSlot
from editor_app.window.timers import Wait


class IdlePanels(QObject):
    """One per window. A step loads the code of a panel, in a thread, makes the panel, or puts it
    into its dock."""

    def __init__(
        self, docks: Docks, jobs: Jobs, is_busy: Callable[[], bool], parent: QObject
    ) -> None:
        """`is_busy`: something comes that the user waits for."""
        super().__init__(parent)
        self._docks, self._is_busy = docks, is_busy
        self._loading = JobSlot(jobs, quiet=True)
        self._pointer = QPoint()
        #: Clear while code is loaded in a thread.
        self._is_over = threading.Event()
        self._is_over.set()
        self._tick = QTimer(self, interval=Wait.IDLE_STEP)
        self._tick.timeout.connect(self._step)

    def begin(self) -> None:
        self._tick.start()

    def stop(self) -> None:
        """The window closes: an interpreter that ends in the middle of an import may crash."""
        self._tick.stop()
        self._loading.drop()
        self._is_over.wait(30)

    def _step(self) -> None:
        before, self._pointer = self._pointer, QCursor.pos()
        if before != self._pointer or self._loading.is_running or self._is_busy() or _is_in_use():
            return
        unmade = self._docks.unmade()
        if not unmade:
            self._tick.stop()
            return
        module = self._docks.spec(unmade[0]).module
        if module is not None and not is_loaded(module):
            self._is_over.clear()
            self._loading.run("Loading panels", lambda _: self._load(module), in_thread=True)
            return
        self._docks.make_step(unmade[0])

    def _load(self, module: ModuleType) -> None:
        try:
            load_late(module)
        finally:
            self._is_over.set()


def _is_in_use() -> bool:
    """Whether a button is down, a menu or a question is open, or a text is being typed."""
    if QApplication.mouseButtons() is not Qt.MouseButton.NoButton:
        return True
    if QApplication.activePopupWidget() is not None or QApplication.activeModalWidget() is not None:
        return True
    focus = QApplication.focusWidget()
    return focus is not None and focus.testAttribute(Qt.WidgetAttribute.WA_InputMethodEnabled)
