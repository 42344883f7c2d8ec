"""What `run.py` shows on a machine without a display comes to its end: also where a fit gives what
is there already."""

from __future__ import annotations

from pathlib import Path

import pytest

from editor_app.window import demo
from editor_app.window.main_window import MainWindow
from tests.helpers.fitting_windows import (
    LONG,
    nothing_goes_on_running,
    nothing_of_qt_is_left,
    window,
)
from tests.helpers.robots import copy_of_sample
from tests.helpers.windows import open_in, settle, wait_until

__all__ = ["nothing_goes_on_running", "nothing_of_qt_is_left", "window"]


def test_a_fit_that_gives_the_spheres_of_the_link_ends_the_wait(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "TIMEOUT", 60.0)
    path = copy_of_sample(tmp_path / "robot")
    open_in(window, path)
    wait_until(
        lambda: not window.meshes.is_loading and bool(window.fitting.context.links_with_mesh()),
        LONG,
    )
    driver = demo.Demo(window, tmp_path / "out", [path])
    driver._fit_and_mask()
    fitted = window.session.robot
    driver._fit_and_mask()
    assert window.session.robot == fitted
    window.session.open(None)
    settle(window)
