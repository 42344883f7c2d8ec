"""Until the first complete frame is on the screen nothing competes with it; afterwards everything
is made up for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit

from editor_app.window.main_window import MainWindow
from editor_app.window.start import Start
from editor_app.window.timers import Wait
from tests.helpers.documents import CLEAN, make_document
from tests.helpers.isolation import ROOT
from tests.helpers.windows import open_in, open_window, wait_until

#: Libraries that take longer to load than the window, and modules that the view does without.
LIBRARIES = {"scipy", "trimesh", "numba"}
ENGINES = {
    "multiprocessing",
    "editor_app.plugins.motion.verbs.collide",
    "editor_app.plugins.motion.engine.model",
    "editor_app.features.masks.engine.free_pose",
}
LOADED = (
    "print(*(name for name, module in sys.modules.items() if type(module).__name__ == 'module'))"
)


def loaded_by(program: str) -> set[str]:
    """Return the modules that a process has run after `program`; late ones that wait are none of
    them."""
    command = [sys.executable, "-c", f"import sys\n{program}\n{LOADED}"]
    return {
        *subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout.split()
    }


def test_the_view_loads_no_engine_before_its_first_frame() -> None:
    loaded = loaded_by(
        "from editor_app.core.document.opening import open_document\n"
        "from editor_app.window.viewport.view import Viewport"
    )
    assert "editor_app.window.viewport.layers.overlay" in loaded
    assert loaded & (LIBRARIES | ENGINES) == set()


def test_the_parts_of_a_window_load_no_library_that_computes() -> None:
    loaded = loaded_by(
        "import editor_app.window.main_window\nfrom editor_app.window.window_part import "
        "part_classes\npart_classes()"
    )
    assert "editor_app.plugins.motion.window.feature" in loaded
    assert loaded & LIBRARIES == set()


def test_what_waits_runs_once_when_the_start_is_over(qapp: Any) -> None:
    start, ran = Start(), []
    start.after(lambda: ran.append("at once"))
    assert ran == ["at once"]
    start.begin()
    assert not start.is_over
    start.after(lambda: ran.append("later"))
    assert ran == ["at once"]
    start.end()
    start.end()
    start.begin()
    start.end()
    assert ran == ["at once", "later"]


def test_what_waits_for_a_window_that_closes_is_not_run(qapp: Any) -> None:
    start, ran = Start(), []
    start.begin()
    start.after(lambda: ran.append("never"))
    start.stop()
    start.end()
    assert ran == []


def test_slow_checks_wait_for_the_frame(
    qapp: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Wait, "SLOW_CHECKS", 20)
    make_document(tmp_path, CLEAN)
    with open_window(tmp_path) as window:
        window.start.begin()
        open_in(window, tmp_path / "arm.urdf")
        QTest.qWait(200)
        assert window.checks.slow.is_busy
        assert "Checking meshes and masks" not in [job.name for job in window.jobs.running]
        window.start.end()
        wait_until(lambda: not window.checks.slow.is_busy, 60)


def test_the_complete_frame_ends_the_start(qapp: Any, tmp_path: Path) -> None:
    make_document(tmp_path, CLEAN)
    with open_window(tmp_path, viewport=True) as window:
        drawn: list[bool] = []
        window.viewport_ready.connect(
            lambda view: view.complete_frame_drawn.connect(
                lambda: drawn.append(window.start.is_over)
            )
        )
        window.files.open(tmp_path / "arm.urdf")
        window.start_background()
        assert not window.start.is_over
        wait_until(lambda: window.start.is_over, 60)
        assert drawn, "it ended without a frame"


def test_a_window_without_a_robot_does_not_wait_for_a_frame(qapp: Any, tmp_path: Path) -> None:
    with open_window(tmp_path, viewport=True) as window:
        window.start_background()
        wait_until(lambda: window.start.is_over, 60)
        assert window.viewport is not None


class _Paints(QObject):
    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.count += event.type() == QEvent.Type.Paint
        return False


def test_the_waiting_page_is_not_drawn_all_the_time(qapp: Any, tmp_path: Path) -> None:
    """Each drawing of any part is one of the whole window by OpenGL."""
    with open_window(tmp_path) as window:
        window.central.show_waiting("Preparing the 3D view …")
        QTest.qWait(200)
        paints = _Paints()
        bar = window.central.waiting.bar
        bar.installEventFilter(paints)
        QTest.qWait(600)
        assert paints.count == 0
        window.central.waiting.bar.set_share(0.5)
        wait_until(lambda: paints.count > 0)
        bar.removeEventFilter(paints)


def test_the_view_has_the_keys_when_it_appears(qapp: Any, tmp_path: Path) -> None:
    make_document(tmp_path, CLEAN)
    with open_window(tmp_path, tmp_path / "arm.urdf", viewport=True) as window:
        wait_until(lambda: window.viewport is not None, 60)
        assert window.viewport is not None
        canvas = window.viewport.canvas
        wait_until(lambda: window.focusWidget() is canvas)


def test_the_view_takes_the_keys_from_nobody_who_types(
    qapp: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_document(tmp_path, CLEAN)
    load = MainWindow.load_viewport
    monkeypatch.setattr(MainWindow, "load_viewport", lambda window: None)
    with open_window(tmp_path, tmp_path / "arm.urdf", viewport=True) as window:
        field = next(
            f for f in window.docks.panel("links").findChildren(QLineEdit) if f.isVisible()
        )
        field.setFocus()
        wait_until(lambda: window.focusWidget() is field)
        QTest.keyClicks(field, "gri")
        load(window)
        wait_until(lambda: window.viewport is not None and window.viewport.isVisible(), 60)
        focus = window.focusWidget()
        assert focus is not None
        QTest.keyClicks(focus, "pper")
        assert field.text() == "gripper"


def test_a_panel_behind_others_is_not_made_and_no_fit_is_prepared_before_the_frame(
    qapp: Any, tmp_path: Path
) -> None:
    box = '<collision><geometry><box size="1 1 1"/></geometry></collision>'
    (tmp_path / "bare.urdf").write_text(f'<robot name="bare"><link name="a">{box}</link></robot>')
    with open_window(tmp_path, folded=True) as window:
        wait_until(lambda: window.docks.dock("xrdf").widget() is not None)
        assert window.docks.dock("fit").widget() is None, "it is a tab behind others"
        window.start.begin()
        open_in(window, tmp_path / "bare.urdf")
        QTest.qWait(2 * Wait.BUDGET_ESTIMATES)
        assert not window.fitting.context.robot_executor.has_processes
        window.start.end()
