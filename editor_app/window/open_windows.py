"""The windows that are open, each with a document, session and journal of its own; and ends from
outside.

Signals of the system (SIGTERM, SIGHUP, Ctrl-C) and the end of the desktop session cannot wait for
an answer, so nothing is asked: what is unsaved stays in the journal, and the next start offers it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from PySide6.QtCore import QObject, QPoint, QSocketNotifier, Signal
from PySide6.QtWidgets import QApplication, QMainWindow

from editor_app.window.editor_window import EditorWindow
from editor_app.window.session import DisplayOptions
from editor_app.window.settings import SHARED_DISPLAY

#: Seconds after which the process ends whatever still holds it up; the journal is written before
#: they begin.
_LONGEST = 10.0


class EndSignals(QObject):
    """Turns signals of the system into `received`, in the GUI thread; `close` gives them back.

    One per process, made in its main thread: Python runs handlers between two instructions of that
    thread, which Qt's event loop does not come to. The signal's number arrives through a socket
    that Qt watches.
    """

    #: The number of the signal.
    received = Signal(int)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._receiver, self._sender = socket.socketpair()
        for end in (self._receiver, self._sender):
            end.setblocking(False)
        self._notifier = QSocketNotifier(self._receiver.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._read)
        self._old_descriptor = signal.set_wakeup_fd(
            self._sender.fileno(), warn_on_full_buffer=False
        )
        names = ("SIGTERM", "SIGHUP", "SIGINT", "SIGBREAK")
        numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
        self._old_handlers = {number: signal.signal(number, _do_nothing) for number in numbers}

    def close(self) -> None:
        """Signals do again what they did before."""
        for number, handler in self._old_handlers.items():
            signal.signal(number, handler)
        self._old_handlers = {}
        signal.set_wakeup_fd(self._old_descriptor)
        self._notifier.setEnabled(False)
        self._receiver.close()
        self._sender.close()

    def _read(self) -> None:
        data = b""
        with contextlib.suppress(OSError):
            data = self._receiver.recv(64)
        for number in data:
            if number in self._old_handlers:
                self.received.emit(number)


def end_soon(code: int, end_workers: Callable[[], object]) -> None:
    """Ends the process with `code` in a while, if nothing else has: a dialog or a long call may
    hold it up."""

    def end() -> None:
        with contextlib.suppress(Exception):
            end_workers()
        os._exit(code)

    timer = threading.Timer(_LONGEST, end)
    timer.daemon = True
    timer.start()


def _do_nothing(number: int, frame: FrameType | None) -> None:
    """The signal arrives through the socket; without a handler of Python nothing would be written
    to it."""


#: Pixels by which a new window stands lower and further right than the one that it came from.
_OFFSET = 36


class OpenWindows(QObject):
    """One for the program. A window that is closed is forgotten, and goes."""

    def __init__(self) -> None:
        super().__init__()
        self._windows: list[EditorWindow] = []

    def __iter__(self) -> Any:
        return iter(tuple(self._windows))

    def __len__(self) -> int:
        return len(self._windows)

    def adopt(self, window: EditorWindow) -> None:
        self._windows.append(window)
        window.session.display_changed.connect(self._share)

    def forget(self, window: EditorWindow) -> None:
        if window in self._windows:
            self._windows.remove(window)

    def present(self, window: EditorWindow, beside: QMainWindow) -> None:
        """Shows a window that has just been made; it looks like the one it comes from."""
        window.crash.install()
        shown = window.qt_window
        shown.show()
        shown.resize(beside.size())
        shown.move(beside.pos() + QPoint(_OFFSET, _OFFSET))
        window.on_screen.begin()
        shown.raise_()
        shown.activateWindow()
        # What an earlier session left unsaved was offered in the first window.
        window.start_background(offer=False)

    def showing(self, urdf: Path, xrdf: Path | None, asking: EditorWindow) -> EditorWindow | None:
        """Another window than `asking` in which this robot is open; with `xrdf`, together with that
        file."""
        for window in self._windows:
            document = window.session.document
            if window is asking or document.urdf_path is None:
                continue
            same = _same(document.urdf_path, urdf) or (
                document.expansion is not None and _same(document.expansion.source, urdf)
            )
            other_xrdf = xrdf is not None and (
                document.xrdf_path is None or not _same(document.xrdf_path, xrdf)
            )
            if same and not other_xrdf:
                return window
        return None

    def quit(self) -> None:
        """Closes each window in turn; the first that is kept open ends it."""
        for window in tuple(self._windows):
            window.qt_window.activateWindow()
            if not window.qt_window.close():
                return

    def keep_unsaved_work(self, *_: object) -> None:
        """The desktop session may end now: what is unsaved goes to the journals, and closing does
        not ask."""
        for window in tuple(self._windows):
            window.keep_unsaved_work()

    def end_at_once(self, signal_number: int) -> None:
        """The system ends the process (SIGTERM): nothing is asked, and what is unsaved stays in the
        journals."""
        code, windows = 128 + signal_number, tuple(self._windows)
        for window in windows:
            window.journaling.keep()

        def end_workers() -> None:
            for window in windows:
                window.jobs.close()

        end_soon(code, end_workers)
        self.shutdown()
        QApplication.exit(code)

    def shutdown(self) -> None:
        """Ends what runs in the windows without asking; what is unsaved stays in the journals."""
        for window in tuple(self._windows):
            window.shutdown(keep_unsaved=True)

    def _share(self, display: DisplayOptions) -> None:
        """Units and habits are the same in all windows; what is drawn is each window's own
        business."""
        shared = {name: getattr(display, name) for name in SHARED_DISPLAY}
        for window in self:
            window.session.set_display(**shared)


def _same(a: Path, b: Path) -> bool:
    try:
        return a.samefile(b)
    except OSError:
        return a.absolute() == b.absolute()
