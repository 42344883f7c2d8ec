"""A button that has the focus looks different, however it came by it: Space would press it."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QPushButton,
    QRadioButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from editor_app.window.theme import ThemeChoice, theme
from tests.helpers.windows import focus, wait_until


@pytest.mark.parametrize("choice", [ThemeChoice.LIGHT, ThemeChoice.DARK])
@pytest.mark.parametrize(
    "reason", [Qt.FocusReason.OtherFocusReason, Qt.FocusReason.MouseFocusReason]
)
def test_focused_buttons_look_different(
    qtbot: Any, qapp: QApplication, choice: ThemeChoice, reason: Any
) -> None:
    theme().install(qapp)
    theme().choose(choice)
    box = QWidget()
    qtbot.addWidget(box)
    layout = QVBoxLayout(box)
    first = QPushButton("first")
    buttons: list[QWidget] = [kind("Add") for kind in (QPushButton, QCheckBox, QRadioButton)]
    raised = QToolButton()
    raised.setText("Add")
    raised.setAutoRaise(True)
    raised.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    for widget in (first, *buttons, raised):
        layout.addWidget(widget)
    box.show()
    focus(first)
    for button in (*buttons, raised):
        before = button.grab().toImage()
        button.setFocus(reason)
        wait_until(button.hasFocus)
        assert button.grab().toImage() != before, type(button).__name__
        first.setFocus(reason)
    theme().choose(ThemeChoice.SYSTEM)
