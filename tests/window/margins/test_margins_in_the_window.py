"""The panel Margins proves margins in the background, shows a pair, and sets buffers as one
step."""

from __future__ import annotations

from pathlib import Path

from editor_app.window.main_window import MainWindow
from tests.helpers.fitting_windows import LONG, nothing_goes_on_running, nothing_of_qt_is_left
from tests.helpers.fitting_windows import window_alone as window
from tests.helpers.windows import open_in, settle, wait_until
from tests.margins.test_margins import write_arm

__all__ = ["nothing_goes_on_running", "nothing_of_qt_is_left", "window"]


def test_margins_are_proven_and_buffers_are_one_step(window: MainWindow, tmp_path: Path) -> None:
    open_in(window, write_arm(tmp_path))
    bounds, session = window.proven_margins.bounds, window.session
    assert "Open a trajectory" in window.registry["margins.motion"].toolTip()
    session.set_joint("lift", 1.2)
    window.registry.trigger("margins.pose")
    panel = window.docks.panel("margins")
    wait_until(lambda: bounds.result is not None, LONG)
    assert panel.model.rowCount() == len(bounds.result.pairs)
    assert panel.state.text().startswith("No deviation leaves less than")
    first = bounds.result.least.loss
    # A mounting error takes more.
    panel.frame.setCurrentText("hand")
    panel.frame.activated.emit(panel.frame.currentIndex())
    session.set_joint("lift", 0.0)
    panel.show_row(0)
    assert session.pose["lift"] == 1.2
    assert len(session.selection.links) == 2
    before = bounds.result
    window.registry.trigger("margins.pose")
    wait_until(lambda: bounds.result is not before, LONG)
    assert max(pair.loss for pair in bounds.result.pairs) > first
    text = session.document.xrdf_text
    window.registry.trigger("margins.buffers")
    wait_until(lambda: "# proven margin for" in session.document.xrdf_text, LONG)
    wait_until(lambda: bounds.is_stale, LONG)
    session.undo()
    assert session.document.xrdf_text == text
    session.open(None)
    settle(window)
    assert bounds.result is None
