"""PySide6 6.12.0 on Python 3.11 damages a reference count at every emit and aborts; the pinned one
must not."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.gui

PROGRAM = """
import sys
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QApplication, QSlider

class Sender(QObject):
    flag = Signal(bool)
    number = Signal(int)
    thing = Signal(object)
    empty = Signal()

app = QApplication([])
sender, received = Sender(), []
sender.flag.connect(received.append)
sender.number.connect(received.append)
sender.thing.connect(received.append, Qt.ConnectionType.QueuedConnection)
sender.empty.connect(lambda: received.append(None))
slider = QSlider()
slider.valueChanged.connect(received.append)
for k in range(10_000):
    sender.flag.emit(k % 2 == 0)
    sender.number.emit(k)
    sender.thing.emit((k, None))
    sender.empty.emit()
    slider.setValue(k % 90 + 1)
    app.processEvents()
assert len(received) == 50_000, len(received)
"""


def test_ten_thousand_emits_leave_the_interpreter_whole() -> None:
    # In a process of its own: what is tested for ends the interpreter.
    finished = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=100, check=False
    )
    assert finished.returncode == 0, finished.stderr[-2000:]
