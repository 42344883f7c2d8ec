"""A window that goes while a panel has the focus ends quietly: nothing is asked of it any more."""

from __future__ import annotations

from typing import Any

import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QDockWidget, QMainWindow, QPushButton, QWidget

from editor_app.window.docks.docks import FocusInSight
from tests.helpers.windows import wait_until


def test_the_focus_of_a_destroyed_window_is_not_followed(qapp: Any) -> None:
    window = QMainWindow()
    window.setCentralWidget(QWidget())
    dock = QDockWidget("Panel", window)
    button = QPushButton("Button")
    dock.setWidget(button)
    window.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, dock)
    focus = FocusInSight(window)
    focus.watch(dock)
    window.show()
    window.activateWindow()
    button.setFocus()
    wait_until(lambda: QApplication.focusWidget() is button)
    # Told of exceptions in slots, pytest-qt fails the test.
    shiboken6.delete(window)
    qapp.processEvents()
    assert not shiboken6.isValid(window)
