"""The start of a window: its frame is on the screen, the 3D view comes after it, and work that can
wait begins last."""

from __future__ import annotations

import importlib
import sys
import threading
from collections.abc import Callable, Iterable
from types import ModuleType

from PySide6.QtCore import (
    QCoreApplication,
    QEvent,
    QObject,
    QPoint,
    QRect,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtWidgets import QWidget

from editor_app.core.late import import_late, load_late
from editor_app.core.tasks.worker import JobError
from editor_app.window.jobs import Jobs, JobSlot
from editor_app.window.timers import Wait, after

#: Seconds after which the start counts as over even if no frame was drawn: a window may be hidden
#: or minimised.
LONGEST = 60
#: The same once the 3D view is there, and only has to draw.
LONGEST_TO_DRAW = 10


class Start(QObject):
    """One per window. Over unless `begin` was called: a window without a view need not wait for
    one."""

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
        if self._running:
            self.ended.connect(run, Qt.ConnectionType.SingleShotConnection)
        else:
            run()

    def stop(self) -> None:
        """The window closes: nothing that waits is run any more."""
        self._running = False
        self._limit.stop()


_MODULE = "editor_app.window.viewport.view"
#: What pyvista imports at its own import and only figures and charts need; more than a tenth of the
#: start.
_LATE = "matplotlib.pyplot"
#: About how many modules come with the view. Only the bar of the waiting page goes by it.
_MODULES = 560


def import_view(modules: Iterable[ModuleType] = ()) -> ModuleType:
    """The module of the 3D view, without what the first frame does not need; and the late
    `modules`."""
    import_late(_LATE)
    module = importlib.import_module(_MODULE)
    for each in (module, *modules):
        load_late(each)
    return module


class ViewportLoader(QObject):
    """Imports in a thread, so that the window answers meanwhile; the widget itself is made in the
    GUI thread."""

    #: About which share is there.
    progress = Signal(float)

    def __init__(
        self,
        jobs: Jobs,
        make: Callable[[], object],
        failed: Callable[[JobError], object],
        parent: QObject,
        modules: Iterable[ModuleType] = (),
    ) -> None:
        """`make` makes the widget, once its modules and the late `modules` are there."""
        super().__init__(parent)
        self._work = JobSlot(jobs, quiet=True)
        self._make, self._failed, self._modules = make, failed, tuple(modules)
        #: Modules that were there when it began.
        self._before: int | None = None
        self._is_over = threading.Event()
        self._tick = QTimer(self, interval=1000)
        self._tick.timeout.connect(self._tell)

    def start(self) -> None:
        """Begins; later calls do nothing."""
        if self._before is None:
            self._before = len(sys.modules)
            self._tick.start()
            self._work.run(
                "Loading the 3D view",
                self._import,
                self._finish,
                in_thread=True,
                failed=self._failed,
            )

    def wait(self) -> None:
        """Until the import is over: an interpreter that ends in the middle of one may crash."""
        if self._before is not None:
            self._is_over.wait(30)

    def _import(self, _: object) -> None:
        try:
            import_view(self._modules)
        finally:
            self._is_over.set()

    def _tell(self) -> None:
        if self._is_over.is_set():
            self._tick.stop()
        self.progress.emit(min(1.0, (len(sys.modules) - (self._before or 0)) / _MODULES))

    def _finish(self, _: object) -> None:
        self._tick.stop()
        self._make()


#: Corrections before a window manager that places windows by rules of its own is left to them.
_CORRECTIONS = 4


class WholeOnScreen(QObject):
    """For one window, from `begin` until its frame was drawn. The frame's size is known only after
    showing."""

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
        elif kind in (
            QEvent.Type.Move,
            QEvent.Type.Resize,
            QEvent.Type.UpdateRequest,
            QEvent.Type.WindowActivate,
        ):
            # The frame's arrival has no event of its own; one of these comes with it.
            self._look.start()
        return super().eventFilter(watched, event)

    def _correct(self) -> None:
        window = self._window
        if (
            not window.isVisible()
            or window.isMaximized()
            or window.isFullScreen()
            or window.isMinimized()
        ):
            return
        frame, inner, room = (
            window.frameGeometry(),
            window.geometry(),
            window.screen().availableGeometry(),
        )
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
    """The nearest place for a frame inside `room`; the top left corner counts more where it is
    larger."""
    x = max(min(place.x(), room.right() + 1 - size.width()), room.left())
    y = max(min(place.y(), room.bottom() + 1 - size.height()), room.top())
    return QPoint(x, y)
