"""Ends from outside: signals of the system (SIGTERM, SIGHUP, Ctrl-C) and the end of the desktop session.

They cannot wait for an answer, so nothing is asked: what is unsaved stays in the journal, and the next start offers it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import threading
from collections.abc import Callable
from types import FrameType

from PySide6.QtCore import QObject, QSocketNotifier, Signal

#: Seconds after which the process ends whatever still holds it up; the journal is written before they begin.
_LONGEST = 10.0


class EndSignals(QObject):
    """Turns signals of the system into `received`, in the GUI thread; `close` gives them back.

    One per process, made in its main thread: Python runs handlers between two instructions of that thread, which
    Qt's event loop does not come to. The signal's number arrives through a socket that Qt watches.
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
        self._old_descriptor = signal.set_wakeup_fd(self._sender.fileno(), warn_on_full_buffer=False)
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
    """Ends the process with `code` in a while, if nothing else has: a dialog or a long call may hold it up."""

    def end() -> None:
        with contextlib.suppress(Exception):
            end_workers()
        os._exit(code)

    timer = threading.Timer(_LONGEST, end)
    timer.daemon = True
    timer.start()


def _do_nothing(number: int, frame: FrameType | None) -> None:
    """The signal arrives through the socket; without a handler of Python nothing would be written to it."""
