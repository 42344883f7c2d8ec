"""Screen readers: everything that the keyboard reaches says what it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QComboBox, QDialog, QDockWidget, QScrollArea, QWidget

from editor_app.edit.commands.srdf_parts import NewSrdf
from editor_app.edit.selection import Selection
from editor_app.gui.window.main_window import MainWindow
from tests.helpers.one_window import nothing_goes_on_running, one_window, window
from tests.helpers.windows import wait_until

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


def stops(top: QWidget) -> list[QWidget]:
    """The widgets below `top` that Tab can stop at, shown or not."""
    widgets = []
    for widget in top.findChildren(QWidget):
        if not widget.focusPolicy() & Qt.FocusPolicy.TabFocus or isinstance(widget, QScrollArea):
            continue
        if widget.focusProxy() is not None or _is_inside(widget):
            continue
        widgets.append(widget)
    return widgets


def _is_inside(widget: QWidget) -> bool:
    """Whether it is a part of another widget, as the list of a combo box: Tab stops at that one."""
    at = widget.parentWidget()
    while at is not None and not isinstance(at, (QComboBox, QAbstractSpinBox)):
        at = at.parentWidget()
    return at is not None


def nameless(top: QWidget) -> list[str]:
    """The widgets that a screen reader has no name for, with their way down."""
    bad = []
    for widget in stops(top):
        interface = QAccessible.queryAccessibleInterface(widget)
        name = interface.text(QAccessible.Text.Name) if interface is not None else ""
        if not name.strip():
            way: list[str] = []
            at: QWidget | None = widget
            while at is not None and at is not top:
                way.append(at.objectName() or type(at).__name__)
                at = at.parentWidget()
            bad.append(" < ".join(way[:5]))
    return bad


def test_every_stop_of_the_window_has_a_name(whole: MainWindow) -> None:
    assert len(stops(whole)) > 150
    assert not nameless(whole), "\n".join(nameless(whole))


@pytest.mark.parametrize("action", ["edit.preferences", "help.shortcuts", "robot.mend"])
def test_every_stop_of_a_dialog_has_a_name(window: MainWindow, action: str) -> None:
    window.registry.trigger(action)
    dialog: Any = QApplication.activeModalWidget()
    assert isinstance(dialog, QDialog)
    name = dialog.objectName()
    try:
        assert len(stops(dialog)) > 2
        assert not nameless(dialog), "\n".join(nameless(dialog))
    finally:
        dialog.reject()
        wait_until(lambda: window.findChild(QDialog, name) is None, 60.0)
