"""The end-to-end helpers themselves: clicks, drags, keys and the wheel of xdotool reach a Qt
window."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.helpers import screenshots, x11

pytestmark = [
    pytest.mark.gui,
    pytest.mark.skipif(
        bool(x11.missing_programs()),
        reason=f"missing programs: {', '.join(x11.missing_programs())}",
    ),
]

PROGRAM = """
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication, QWidget

class Listener(QWidget):
    def say(self, *words):
        print(*words, flush=True)
    def mousePressEvent(self, event):
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        self.say("press", event.button().name, int(event.position().x()), int(event.position().y()), shift)
    def mouseMoveEvent(self, event):
        self.say("move", int(event.position().x()))
    def mouseReleaseEvent(self, event):
        self.say("release", int(event.position().x()), int(event.position().y()))
    def mouseDoubleClickEvent(self, event):
        self.say("double")
    def wheelEvent(self, event):
        self.say("wheel", event.angleDelta().y())
    def keyPressEvent(self, event):
        self.say("key", event.text() or event.key())

app = QApplication([])
window = Listener()
window.setWindowTitle("listener")
palette = QPalette()
palette.setColor(QPalette.ColorRole.Window, QColor(200, 30, 30))
window.setPalette(palette)
window.resize(400, 300)
window.show()
app.exec()
"""


def test_events_arrive_where_they_were_aimed(tmp_path: Path) -> None:
    log = tmp_path / "events.txt"

    def said(text: str) -> bool:
        return text in log.read_text()

    with x11.Desktop(800, 600) as desktop:
        with log.open("w") as output:
            desktop.start([sys.executable, "-c", PROGRAM], stdout=output)
        window = desktop.wait_for_window("^listener$")
        desktop.focus(window)
        left, top, width, height = desktop.position(window)
        assert (width, height) == (400, 300)
        x11.wait_for(
            lambda: (
                screenshots.count_near(desktop.picture(tmp_path / "screen.png"), (200, 30, 30))
                > 100_000
            )
        )

        desktop.click(left + 40, top + 50, modifiers=("shift",))
        x11.wait_for(lambda: said("press LeftButton 40 50 True"))
        desktop.drag((left + 100, top + 100), (left + 200, top + 150), button=3)
        x11.wait_for(
            lambda: (
                said("press RightButton 100 100 False")
                and said("move 150")
                and said("release 200 150")
            )
        )
        desktop.click(left + 60, top + 60, repeat=2)
        x11.wait_for(lambda: said("double"))
        desktop.wheel(left + 60, top + 60, -2)
        x11.wait_for(lambda: log.read_text().count("wheel -120") == 2)
        desktop.type("aB7")
        x11.wait_for(lambda: said("key a") and said("key B") and said("key 7"))
        assert desktop.window_titles() == ["listener"]
