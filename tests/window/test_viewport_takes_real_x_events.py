"""A hand on a real mouse: X events by xdotool hover, click, drag, turn the wheel and press keys in
the viewport."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from tests.helpers import x11
from tests.helpers.facts import facts_in

pytestmark = [
    pytest.mark.gui,
    pytest.mark.skipif(
        bool(x11.missing_programs()),
        reason=f"missing programs: {', '.join(x11.missing_programs())}",
    ),
]
ROOT = Path(__file__).resolve().parents[2]

#: Writes, after every event, where the spheres are on the screen and what the document says.
PROGRAM = """
import sys
from pathlib import Path
from PySide6.QtWidgets import QApplication
app = QApplication([])
from tests.helpers.facts import keep_writing
from tests.helpers.viewport import BASE, HIGH, LOW, TIP, Stage, boxes
shown = Stage(boxes(Path(sys.argv[1])), (600, 450))
shown.window.setWindowTitle("boxes")

def facts():
    places = {}
    for name, ref in (("base", BASE), ("low", LOW), ("high", HIGH), ("tip", TIP)):
        if ref in shown.scene.table.row:
            place = shown.canvas.mapToGlobal(shown.at(ref))
            places[name] = [place.x(), place.y()]
    hover = shown.session.hover.sphere
    return {
        "places": places,
        "selected": [f"{r.frame}{r.index}" for r in shown.session.selection.spheres],
        "hover": f"{hover.frame}{hover.index}" if hover else None,
        "position": shown.document.position,
        "label": shown.document.undo_label,
        "tip": [*shown.sphere(TIP).center, shown.sphere(TIP).radius],
        "distance": shown.camera.view.distance,
    }

timer = keep_writing(facts, Path(sys.argv[2]))
app.exec()
"""


def test_hover_click_drag_wheel_and_keys(tmp_path: Path) -> None:
    facts = tmp_path / "facts.json"

    def now() -> dict[str, Any]:
        return facts_in(facts)

    with x11.Desktop(800, 600) as desktop:
        desktop.start(
            [sys.executable, "-c", PROGRAM, str(tmp_path), str(facts)],
            env={"PYTHONPATH": str(ROOT)},
        )
        window = desktop.wait_for_window("^boxes$")
        desktop.focus(window)
        x11.wait_for(lambda: now().get("places"))

        x, y = now()["places"]["low"]
        desktop.move(x, y)
        x11.wait_for(lambda: now()["hover"] == "arm0")
        desktop.click(x, y)
        x11.wait_for(lambda: now()["selected"] == ["arm0"])

        before = now()["tip"]
        x, y = now()["places"]["tip"]
        desktop.drag((x, y), (x + 60, y + 20))
        # The sphere ends where the pointer does; it is on its way before.
        x11.wait_for(
            lambda: (
                abs(now()["places"]["tip"][0] - x - 60) <= 3
                and abs(now()["places"]["tip"][1] - y - 20) <= 3
            )
        )
        after = now()
        assert after["position"] == 1
        assert after["selected"] == ["tip0"]
        assert after["label"].startswith("Move sphere ")
        assert after["tip"] != before

        distance = after["distance"]
        x, y = after["places"]["tip"]
        desktop.wheel(x, y, 2)
        x11.wait_for(lambda: now()["label"].startswith("Resize sphere "))
        assert now()["tip"][3] > 0.07
        assert now()["distance"] == distance

        desktop.key("Right")
        x11.wait_for(lambda: now()["label"].startswith("Move sphere "))
        position = now()["position"]
        desktop.key("Delete")
        x11.wait_for(lambda: now()["position"] == position + 1)
        assert now()["label"].startswith("Delete sphere ")
