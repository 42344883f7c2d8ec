"""For tests of single panels on the small robot: what an edit changes in the file, and the undo of it."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QApplication
from pytestqt.qtbot import QtBot

from editor_app.core.model.findings import SphereRef
from editor_app.core.model.xrdf import Xrdf
from editor_app.window.bindings.panel import Panel
from editor_app.window.session import AngleUnit, LengthUnit, Session
from tests.helpers.panels import changed_lines, small_session, type_into
from tests.helpers.small_robot import XRDF_TEXT

UPPER = tuple(SphereRef("spheres", "upper", i) for i in range(2))


@pytest.fixture
def session(qtbot: QtBot) -> Session:
    session = small_session()
    session.set_display(length_unit=LengthUnit.MILLIMETRE, angle_unit=AngleUnit.DEGREE)
    return session


def xrdf(session: Session) -> Xrdf:
    return session.robot.xrdf


def check(session: Session, lines: list[str], steps: int = 1) -> None:
    """The text differs in these lines alone, by so many steps, and undoing them gives the first text back."""
    document = session.document
    assert changed_lines(XRDF_TEXT, document.xrdf_text) == lines
    assert document.position == steps
    for _ in range(steps):
        session.undo()
    assert document.xrdf_text == XRDF_TEXT


def click(qtbot: QtBot, button: QAbstractButton) -> None:
    assert button.isVisible()
    assert button.isEnabled()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    QApplication.processEvents()


def add(qtbot: QtBot, panel: Panel, name: str, value: str) -> None:
    """Chooses `value` in the box called `name` and presses its button."""
    from editor_app.window.bindings.choice_box import NameBox

    box = next(box for box in panel.findChildren(NameBox) if box.accessibleName() == name)
    type_into(qtbot, box, value, enter=False)
    button = next(b for b in panel.findChildren(QAbstractButton) if b.accessibleName() == name and b.isVisible())
    click(qtbot, button)
