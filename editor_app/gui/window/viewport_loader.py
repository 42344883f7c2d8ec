"""Brings the 3D view in after the window is on the screen: importing VTK takes longer than everything else together."""

from __future__ import annotations

import importlib
import sys
import threading
import traceback
from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, QTimer, Signal, SignalInstance
from PySide6.QtWidgets import QWidget

from editor_app.late import import_late, load

_MODULE = "editor_app.gui.viewport.view"
#: What pyvista imports at its own import and only figures and charts need; more than a tenth of the start.
_LATE = "matplotlib.pyplot"
#: About how many modules come with the view. Only the bar of the waiting page goes by it.
_MODULES = 560


class ViewportLoader(QObject):
    """Imports in a thread, so that the window answers meanwhile; the widget itself is made in the GUI thread."""

    failed = Signal(str)
    #: About which share is there.
    progress = Signal(float)
    _imported = Signal()

    def __init__(self, make: Callable[[], QWidget], on_made: Callable[[QWidget], object], parent: QObject) -> None:
        super().__init__(parent)
        self._make = make
        self._on_made = on_made
        self._thread: threading.Thread | None = None
        self._imported.connect(self._finish, Qt.ConnectionType.QueuedConnection)
        self._before = 0
        self._tick = QTimer(self, interval=1000)
        self._tick.timeout.connect(self._tell)

    def start(self) -> None:
        """Begins; later calls do nothing."""
        if self._thread is None:
            self._before = len(sys.modules)
            self._tick.start()
            self._thread = threading.Thread(target=self._import, name="viewport import", daemon=True)
            self._thread.start()

    def wait(self) -> None:
        """Until the import is over: an interpreter that ends in the middle of one may crash."""
        if self._thread is not None:
            self._thread.join(30)

    def _import(self) -> None:
        try:
            import_late(_LATE)
            load(importlib.import_module(_MODULE))
        except Exception:
            self._emit(self.failed, traceback.format_exc())
        else:
            self._emit(self._imported)

    def _tell(self) -> None:
        if self._thread is None or not self._thread.is_alive():
            self._tick.stop()
        self.progress.emit(min(1.0, (len(sys.modules) - self._before) / _MODULES))

    def _emit(self, signal: SignalInstance, *arguments: object) -> None:
        try:
            signal.emit(*arguments)
        except RuntimeError:
            # The window was closed meanwhile.
            pass

    def _finish(self) -> None:
        self._tick.stop()
        self._on_made(self._make())
