"""The tests' own guards: each kind of leak, warning and lost exception fails the test that caused
it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.gui
ROOT = Path(__file__).resolve().parents[2]

CONFTEST = """
from tests.helpers.qt_fixtures import nothing_of_qt_is_left
from tests.conftest import nothing_goes_on_running
"""
GUILTY = """
import subprocess, sys, threading, time
from PySide6.QtCore import QObject, QThread, QTimer, Signal, qWarning
from PySide6.QtWidgets import QMainWindow

kept = []

class Window(QMainWindow):
    pass

def test_timer(qtbot):
    timer = QTimer(); timer.start(50); kept.append(timer)

def test_single_shot(qtbot):
    QTimer.singleShot(60_000, lambda: None)

def test_thread(qtbot):
    thread = QThread(); thread.start(); kept.append(thread)

def test_visible_window(qtbot):
    window = Window(); window.setWindowTitle("lost"); window.show(); kept.append(window)

def test_hidden_window(qtbot):
    kept.append(Window())

def test_qt_warning(qtbot):
    qWarning("something is not as it should be")

def test_exception_in_a_slot(qtbot):
    class Sender(QObject):
        sent = Signal()
    sender = Sender()
    sender.sent.connect(lambda: 1 / 0)
    sender.sent.emit()

def test_process():
    kept.append(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(30)"]))

def test_python_thread():
    thread = threading.Thread(target=time.sleep, args=(3,)); thread.start()
"""
INNOCENT = """
import subprocess, sys, threading
from PySide6.QtCore import Qt, QThread, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QMainWindow

def test_window_that_qtbot_closes(qtbot):
    window = QMainWindow(); qtbot.addWidget(window); window.show()

def test_timer_that_stops(qtbot):
    timer = QTimer(); timer.start(5); qtbot.waitSignal(timer.timeout).wait(); timer.stop()

def test_shot_that_fires(qtbot):
    fired = []
    QTimer.singleShot(1, lambda: fired.append(1))
    qtbot.waitUntil(lambda: fired == [1])

def test_shot_whose_receiver_is_gone(qtbot):
    timer = QTimer()
    QTimer.singleShot(60_000, timer, lambda: None)
    timer.deleteLater()

def test_thread_that_ends(qtbot):
    thread = QThread(); thread.start(); thread.quit(); thread.wait()

def test_popup_that_qt_keeps(qtbot):
    combo = QComboBox(); qtbot.addWidget(combo); combo.addItems(["a", "b"]); combo.show(); combo.showPopup()

def test_process_that_ends():
    subprocess.run([sys.executable, "-c", "pass"], check=True)

def test_python_thread_that_ends():
    thread = threading.Thread(target=lambda: None); thread.start()

def test_double_click(qtbot):
    window = QMainWindow(); qtbot.addWidget(window); window.show()
    QTest.mouseDClick(window, Qt.MouseButton.LeftButton)

def test_no_button_is_held_from_the_test_before(qtbot):
    assert QGuiApplication.mouseButtons() == Qt.MouseButton.NoButton
"""


def run_inner(pytester: pytest.Pytester, source: str) -> pytest.RunResult:
    pytester.makeconftest(CONFTEST)
    path = pytester.makepyfile(source)
    command = [
        sys.executable,
        "-P",
        "-m",
        "pytest",
        "-c",
        str(ROOT / "pyproject.toml"),
        "-v",
        str(path),
    ]
    command += ["-p", "no:cacheprovider"]
    return pytester.run(*command, timeout=90)


def test_the_guilty_fail_and_are_told_why(pytester: pytest.Pytester) -> None:
    result = run_inner(pytester, GUILTY)
    # A warning and an exception fail the test itself; what it leaves is seen after it has passed.
    result.assert_outcomes(passed=7, failed=2, errors=7)
    output = result.stdout.str()
    for sign in (
        "active QTimer of 50 ms, started at *test_timer*",
        "QTimer.singleShot that has not fired, from *test_single_shot*",
        "running QThread, started at *test_thread*",
        "window Window 'lost' (visible)",
        "window Window ''",
        "something is not as it should be",
        "ZeroDivisionError",
        "time.sleep(30)",
        "thread <Thread*",
    ):
        result.stdout.fnmatch_lines([f"*{sign}*".replace("[", "[[]")])
    assert "Fatal" not in output


def test_the_innocent_pass(pytester: pytest.Pytester) -> None:
    run_inner(pytester, INNOCENT).assert_outcomes(passed=10)
