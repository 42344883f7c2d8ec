"""Gives the memory of closed robots back to the system, so that it does not grow over a day of
opening robots; and looks for what holds itself where widgets may go.
"""

from __future__ import annotations

import gc
import threading

from PySide6.QtCore import QObject, QTimer

from editor_app.core.tasks.heap import give_back
from editor_app.window.session import Session
from editor_app.window.timers import Later, Wait, after


def returns_memory(session: Session) -> Later:
    """Give memory back a while after a robot was opened, closed or checked, until the timer is
    stopped; one per window.

    The C library of Linux keeps freed memory between what is still used, and takes more for the
    next robot where the gaps do not fit: 0.4 MB a robot, for ever, though nothing is held. Other
    systems do this better by themselves.
    """
    # In a thread: with a gigabyte it takes some hundredths of a second.
    start = lambda: threading.Thread(target=give_back, daemon=True, name="memory return").start()  # noqa: E731
    return after(
        session, start, Wait.MEMORY, on=(session.document_opened, session.findings_changed)
    )


class CycleCollector(QTimer):
    """Collects cycles of objects in the thread of the window alone, while Python's own collector is
    disabled.

    That one collects in whichever thread allocates. A cycle may hold widgets, and a widget that
    goes in a thread which reads a file ends the program.
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
