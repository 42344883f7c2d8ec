"""Screen readers: everything that the keyboard reaches says what it is."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QDockWidget

from editor_app.edit.commands.srdf_parts import NewSrdf
from editor_app.edit.selection import Selection
from editor_app.gui.window.main_window import MainWindow
from tests.helpers.focus_stops import nameless, stops
from tests.helpers.one_window import nothing_goes_on_running, one_window, window

__all__ = ["nothing_goes_on_running", "one_window", "window"]


@pytest.fixture(scope="module")
def with_panels(one_window: MainWindow) -> MainWindow:
    """Every panel is made; their menus go with the window."""
    # No fit is made here: its process and its compiled engine would take longer than all tests.
    one_window.fitting.context.warm_preview = lambda: None  # type: ignore[method-assign]
    one_window.fitting.context.warm = lambda: None  # type: ignore[method-assign]
    for spec in one_window.findChildren(QDockWidget):
        one_window.docks.panel(spec.objectName().removeprefix("dock."))
    return one_window


@pytest.fixture
def whole(with_panels: MainWindow, window: MainWindow) -> Iterator[MainWindow]:
    """With something selected, so that forms are filled."""
    window.session.execute(NewSrdf())
    window.session.select(Selection(links=("upper",), joints=("shoulder",)))
    yield window
    window.session.select(Selection())


def test_every_stop_of_the_window_has_a_name(whole: MainWindow) -> None:
    assert len(stops(whole)) > 150
    assert not nameless(whole), "\n".join(nameless(whole))
