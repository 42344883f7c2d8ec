"""Reordering by a real drag: Qt runs a loop of its own for it, which only events of the X server
reach."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.helpers import x11

pytestmark = [
    pytest.mark.gui,
    pytest.mark.skipif(
        bool(x11.missing_programs()),
        reason=f"missing programs: {', '.join(x11.missing_programs())}",
    ),
]

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication
from editor_app.window.xrdf.modifiers import ToolFramesPanel
from editor_app.core.document.commands import SetToolFrames
from tests.helpers.panels import small_session

app = QApplication([])
session = small_session()
session.execute(SetToolFrames(("base", "upper", "fore", "hand")))
panel = ToolFramesPanel(session)
panel.setWindowTitle("tool frames")
panel.resize(340, 300)
panel.show()
app.processEvents()
view = panel.view
def place(row):
    point = view.viewport().mapTo(panel, view.visualRect(view.model().index(row, 0)).center())
    return f"{point.x()} {point.y()}"
height = view.rowHeight(0)
print("rows", place(0), place(2), height, flush=True)
session.robot_changed.connect(lambda old, new: print(*new.xrdf.tool_frames, flush=True))
app.exec()
"""


def test_a_row_is_dragged_below_another(tmp_path: Path) -> None:
    log = tmp_path / "said.txt"

    def line(number: int) -> list[str]:
        lines = log.read_text().splitlines()
        return lines[number].split() if len(lines) > number else []

    with x11.Desktop(800, 600) as desktop:
        with log.open("w") as output:
            desktop.start([sys.executable, "-c", PROGRAM, str(ROOT)], stdout=output)
        window = desktop.wait_for_window("^tool frames$")
        x11.wait_for(lambda: line(0))
        x, y, _, y2, height = map(int, line(0)[1:])
        left, top, _, _ = desktop.position(window)
        desktop.drag((left + x, top + y), (left + x, top + y2 + height // 2 - 3), steps=20)
        x11.wait_for(lambda: line(1))
        assert line(1) == ["upper", "fore", "base", "hand"]
