"""Gives the memory of closed robots back to the system, so that it does not grow over a day of opening robots; and
looks for what holds itself where widgets may go.
"""

from __future__ import annotations

import ctypes
import gc
import sys
import threading
from typing import Any

from PySide6.QtCore import QObject, QTimer

from editor_app.window.session import Session
from editor_app.window.timers import Later, Wait, after

#: From malloc.h of the GNU library.
_M_ARENA_MAX = -8


def returns_memory(session: Session) -> Later:
    """Gives memory back a while after a robot was opened or closed, until the timer is stopped; one per window.

    The C library of Linux keeps freed memory between what is still used, and takes more for the next robot where the
    gaps do not fit: 0.4 MB a robot, for ever, though nothing is held. Other systems do this better by themselves.
    """
    # In a thread: with a gigabyte it takes some hundredths of a second.
    start = lambda: threading.Thread(target=give_back, daemon=True, name="memory return").start()  # noqa: E731
    return after(session, start, Wait.MEMORY, on=(session.document_opened,))


class CycleCollector(QTimer):
    """Collects cycles of objects in the thread of the window alone, while Python's own collector is disabled.

    That one collects in whichever thread allocates. A cycle may hold widgets, and a widget that goes in a thread which
    reads a file ends the program.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent, interval=Wait.CYCLES)
        self.timeout.connect(self.collect)
        self.start()

    def collect(self) -> None:
        """Collects the oldest generation that has grown beyond its threshold."""
        counts = zip(gc.get_count(), gc.get_threshold(), strict=True)
        grown = [generation for generation, (count, most) in enumerate(counts) if count > most]
        if grown:
            gc.collect(grown[-1])


def give_back() -> bool:
    """Gives the free pages of the heap back to the system; False where the C library has no such call."""
    trim = _of_the_c_library("malloc_trim")
    if trim is None:
        return False
    trim.argtypes, trim.restype = (ctypes.c_size_t,), ctypes.c_int
    trim(0)
    return True


def keep_the_heap_together() -> bool:
    """Two heaps for all threads instead of eight a processor, each with gaps of its own; before threads are started.

    False where the C library has no such call.
    """
    option = _of_the_c_library("mallopt")
    if option is None:
        return False
    option.argtypes, option.restype = (ctypes.c_int, ctypes.c_int), ctypes.c_int
    return bool(option(_M_ARENA_MAX, 2))


def _of_the_c_library(name: str) -> Any:
    if not sys.platform.startswith("linux"):
        return None
    try:
        return getattr(ctypes.CDLL(None), name, None)
    except OSError:
        return None
