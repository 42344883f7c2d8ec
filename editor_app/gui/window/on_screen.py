"""A window comes up with its whole frame on the screen: the title bar, too, by which it is moved."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, QRect, QSize
from PySide6.QtWidgets import QWidget

from editor_app.gui.timers import Wait, after

#: Corrections before a window manager that places windows by rules of its own is left to them.
_CORRECTIONS = 4


class WholeOnScreen(QObject):
    """For one window, from `begin` until its frame was drawn. The frame's size is known only after showing."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._left = 0
        self._look = after(self, self._correct)
        self._limit = after(self, self._end, Wait.WINDOW_FRAME)
        application = QCoreApplication.instance()
        if application is not None:
            # As the program ends, the timers may go before a window that is still shown hides.
            application.aboutToQuit.connect(self._end)

    def begin(self) -> None:
        """The window is being shown, or was moved by the program."""
        self._left = _CORRECTIONS
        self._window.installEventFilter(self)
        self._limit.start()
        self._look.start()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind == QEvent.Type.Hide:
            self._end()
        elif kind in (QEvent.Type.Move, QEvent.Type.Resize, QEvent.Type.UpdateRequest, QEvent.Type.WindowActivate):
            # The frame's arrival has no event of its own; one of these comes with it.
            self._look.start()
        return super().eventFilter(watched, event)

    def _correct(self) -> None:
        window = self._window
        if not window.isVisible() or window.isMaximized() or window.isFullScreen() or window.isMinimized():
            return
        frame, inner, room = window.frameGeometry(), window.geometry(), window.screen().availableGeometry()
        around = frame.size() - inner.size()
        size = (room.size() - around).boundedTo(inner.size()).expandedTo(window.minimumSize())
        place = _moved_into(room, frame.topLeft(), size + around)
        if (size == inner.size() and place == frame.topLeft()) or not self._left:
            return
        self._left -= 1
        if size != inner.size():
            window.resize(size)
        window.move(place)

    def _end(self) -> None:
        self._limit.stop()
        self._look.stop()
        self._window.removeEventFilter(self)


def _moved_into(room: QRect, place: QPoint, size: QSize) -> QPoint:
    """The nearest place for a frame inside `room`; the top left corner counts more where it is larger."""
    x = max(min(place.x(), room.right() + 1 - size.width()), room.left())
    y = max(min(place.y(), room.bottom() + 1 - size.height()), room.top())
    return QPoint(x, y)
