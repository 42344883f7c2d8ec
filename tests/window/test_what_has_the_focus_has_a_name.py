"""Everything that the keyboard reaches says what it is, and Tab reaches it in the order in which
one reads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDockWidget, QPlainTextEdit, QWidget

from editor_app.core.document.commands.srdf_parts import NewSrdf
from editor_app.core.document.selection import Selection
from editor_app.features.masks.window.panel import SelfCollisionPanel
from editor_app.window.main_window import MainWindow
from tests.helpers.focus_stops import against_reading, label, nameless, places_in_order, stops
from tests.helpers.windows import settle


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


def _focus(widget: QWidget) -> None:
    """As Tab gives it."""
    widget.setFocus(Qt.FocusReason.TabFocusReason)
    widget.window().setAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange)


def _looks(widget: QWidget) -> QImage:
    """With a few pixels around it, where frames are."""
    top = widget.window()
    place = QRect(widget.mapTo(top, QPoint(0, 0)), widget.size()).adjusted(-4, -4, 4, 4)
    return top.grab(place).toImage()


def test_what_has_the_focus_can_be_seen(whole: MainWindow) -> None:
    blind, asked = [], 0
    for dock in whole.findChildren(QDockWidget):
        panel: Any = whole.docks.show(dock.objectName().removeprefix("dock."))
        for section in getattr(panel, "sections", {}).values():
            section.set_open(True)
        settle(whole)
        for widget in stops(dock):
            # A text has its caret, which blinks.
            if (
                not widget.isEnabled()
                or widget.visibleRegion().isEmpty()
                or isinstance(widget, QPlainTextEdit)
            ):
                continue
            elsewhere = whole.docks.dock(
                "links" if dock.objectName() != "dock.links" else "selection"
            )
            _focus(next(each for each in stops(elsewhere) if each.isEnabled() and each.isVisible()))
            before = _looks(widget)
            _focus(widget)
            if QApplication.focusWidget() is not widget:
                continue
            asked += 1
            if _looks(widget) == before:
                blind.append(f"{dock.windowTitle()}: {label(widget)}")
    assert asked > 60
    assert not blind, "\n".join(blind)


def test_tab_goes_through_every_panel_as_one_reads_it(whole: MainWindow) -> None:
    bad: dict[str, list[str]] = {}
    for dock in whole.findChildren(QDockWidget):
        panel: Any = whole.docks.show(dock.objectName().removeprefix("dock."))
        for section in getattr(panel, "sections", {}).values():
            section.set_open(True)
        for page in range(len(panel.pages)) if isinstance(panel, SelfCollisionPanel) else range(1):
            if isinstance(panel, SelfCollisionPanel):
                panel.show_page(page)
            # Layouts settle in a turn or two; what stays is a fault.
            for _ in range(100):
                QTest.qWait(5)
                bad[f"{dock.windowTitle()} {page}"] = steps = against_reading(
                    places_in_order(panel)
                )
                if not steps:
                    break
    assert not any(bad.values()), "\n".join(
        f"{panel}: {step}" for panel, steps in bad.items() for step in steps
    )
