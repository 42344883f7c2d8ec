"""The X server of a test process: it ends after the application that draws on it, so that passing
tests end with 0."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.gui
ROOT = Path(__file__).resolve().parents[2]

# Qt is loaded before the server starts, as in a run of everything; at the end the closed window
# still draws by OpenGL.
PROCESS = """
import sys
sys.path[:0] = [sys.argv[1], sys.argv[1] + "/packaging"]
from PySide6.QtOpenGLWidgets import QOpenGLWidget
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMainWindow
from tests.helpers.xvfb import own_display
own_display()
application = QApplication([])
window = QMainWindow()
window.setCentralWidget(QOpenGLWidget())
window.show()
assert QTest.qWaitForWindowExposed(window)
QTest.qWait(300)
window.close()
"""


@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="Windows and macOS have screens of their own"
)
def test_a_process_with_a_closed_window_ends_without_a_failure() -> None:
    process = subprocess.run(
        [sys.executable, "-P", "-c", PROCESS, str(ROOT)], capture_output=True, timeout=120
    )
    assert process.returncode == 0, process.stderr.decode()
