"""The window sets self-collision buffers in the background: one step, one undo, told in the status
bar."""

from __future__ import annotations

from pathlib import Path

from editor_app.window.main_window import MainWindow
from tests.helpers.fitting_windows import LONG, nothing_goes_on_running, nothing_of_qt_is_left
from tests.helpers.fitting_windows import window_alone as window
from tests.helpers.robots import copy_of_sample
from tests.helpers.windows import open_in, settle, wait_until

__all__ = ["nothing_goes_on_running", "nothing_of_qt_is_left", "window"]


def test_buffers_are_one_step_and_one_undo_takes_them_back(
    window: MainWindow, tmp_path: Path
) -> None:
    open_in(window, copy_of_sample(tmp_path / "robot"))
    session = window.session
    document = session.document
    text = document.xrdf_text
    told: list[str] = []
    session.message.connect(told.append)
    window.registry.trigger("mask.buffers")
    assert (
        window.planning.self_buffers.refusal()
        == "The search for self-collision buffers is running."
    )
    wait_until(lambda: bool(told), LONG)
    assert told[0].startswith("False collisions: ")
    assert len(document.history) == 2
    assert "set against the meshes" in document.xrdf_text
    session.undo()
    assert document.xrdf_text == text
    session.open(None)
    settle(window)
