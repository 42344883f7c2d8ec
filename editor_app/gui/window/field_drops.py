"""Files dragged over a field go to the window, as everywhere else in it: their addresses are no text to be typed."""

from __future__ import annotations

import shiboken6
from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtGui import QDragEnterEvent
from PySide6.QtWidgets import QLineEdit, QMainWindow, QPlainTextEdit, QTextEdit, QWidget


class FilesPassFields(QObject):
    """Fields and texts of a window take no drops while files are dragged over it; words from elsewhere they take."""

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._passing: list[QWidget] = []
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if watched is self._window:
            if kind == QEvent.Type.Show:
                # Qt asks which widget takes a drag before any widget hears of it; the system's window hears first.
                self._window.windowHandle().installEventFilter(self)
        elif kind == QEvent.Type.DragEnter and isinstance(event, QDragEnterEvent):
            self._restore()
            if event.mimeData().hasUrls():
                self._passing = [place for place in self._fields() if place.acceptDrops()]
                for place in self._passing:
                    place.setAcceptDrops(False)
        elif kind in (QEvent.Type.DragLeave, QEvent.Type.Drop):
            # Once the drop was taken.
            QTimer.singleShot(0, self, self._restore)
        return False

    def _fields(self) -> list[QWidget]:
        texts = [*self._window.findChildren(QPlainTextEdit), *self._window.findChildren(QTextEdit)]
        return [*self._window.findChildren(QLineEdit), *texts, *(text.viewport() for text in texts)]

    def _restore(self) -> None:
        for place in self._passing:
            if shiboken6.isValid(place):
                place.setAcceptDrops(True)
        self._passing = []
