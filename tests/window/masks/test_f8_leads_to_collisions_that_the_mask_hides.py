"""F8 through the findings of a robot whose mask hides collisions: the rules that take their time
are reached, too."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from editor_app.features.checks.window.panel import FindingsPanel
from tests.helpers.finding_examples import texts_with
from tests.helpers.windows import open_window, wait_until

LONG = 120


def is_longer(things: list[str], number: int) -> bool:
    return len(things) > number


def test_f8_comes_to_the_pair_whose_meshes_touch_behind_the_mask(qapp: Any, tmp_path: Path) -> None:
    robot = tmp_path / "robot"
    robot.mkdir()
    for name, text in texts_with("XRDF513").items():
        (robot / name).write_text(text, encoding="utf-8")
    with open_window(tmp_path, robot / "arm.urdf") as window:
        panel = window.docks.show("findings")
        assert isinstance(panel, FindingsPanel)
        wait_until(lambda: "XRDF513" in {finding.code for finding in panel.shown}, LONG)
        wait_until(window.registry["view.next_finding"].isEnabled, LONG)
        walked: list[str] = []
        panel.activated.connect(lambda finding: walked.append(finding.code))
        # Once round; others may still come meanwhile.
        for _ in range(2 * len(panel.shown)):
            before = len(walked)
            QTest.keyClick(window, Qt.Key.Key_F8)
            wait_until(partial(is_longer, walked, before), LONG)
            if walked[-1] == "XRDF513":
                break
        assert walked[-1] == "XRDF513"
        finding = panel.current
        assert finding is not None
        assert set(finding.subject.links) == {"base", "lower"}
        # The pair is selected everywhere, and its place in the file is known.
        chosen = window.session.selection
        names = {
            *chosen.links,
            *(name for pair in chosen.pairs for name in (pair.first, pair.second)),
        }
        assert names == {"base", "lower"}
        assert finding.location is not None
