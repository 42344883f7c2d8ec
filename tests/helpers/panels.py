"""Panels driven by keys and mouse, alone on the small robot: what an edit changes in the file, and
its undo."""

from __future__ import annotations

import contextlib
import difflib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QApplication, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from editor_app.core.document.document import Document
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.model.findings import SphereRef
from editor_app.core.model.xrdf import Xrdf
from editor_app.core.text.source import SourceText
from editor_app.window.bindings.choice_box import NameBox
from editor_app.window.bindings.panel import Panel
from editor_app.window.bindings.rows_view import RowsView
from editor_app.window.findings_feed import FindingsFeed
from editor_app.window.jobs import Jobs
from editor_app.window.session import AngleUnit, LengthUnit, Session
from editor_app.window.source.source_view import SourcePanel
from tests.helpers.documents import make_document
from tests.helpers.small_robot import URDF_TEXT, XRDF_TEXT
from tests.helpers.windows import focus

W = TypeVar("W", bound=QWidget)


def small_session(xrdf: str = XRDF_TEXT) -> Session:
    session = Session()
    session.open(
        Document(read_urdf(SourceText.from_text(URDF_TEXT)), read_xrdf(SourceText.from_text(xrdf)))
    )
    return session


def shown(qtbot: QtBot, widget: W, width: int = 340) -> W:
    """The widget in its own active window."""
    qtbot.addWidget(widget)
    widget.resize(width, 700)
    with qtbot.waitExposed(widget):
        widget.show()
    widget.activateWindow()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is widget)
    return widget


def type_into(qtbot: QtBot, field: QLineEdit | NameBox, text: str, *, enter: bool = True) -> None:
    """Clicks into the field, replaces what is there, and presses Enter."""
    line = field.lineEdit() if isinstance(field, NameBox) else field
    assert line is not None
    qtbot.mouseClick(line, Qt.MouseButton.LeftButton)
    assert line.hasFocus()
    line.selectAll()
    # The box gets the keys, not its line: so it is for a person.
    if not text:
        qtbot.keyClick(field, Qt.Key.Key_Delete)
    qtbot.keyClicks(field, text)
    if enter:
        qtbot.keyClick(field, Qt.Key.Key_Return)


def edit_cell(
    qtbot: QtBot, view: RowsView, row: int, column: int, text: str, end: Qt.Key = Qt.Key.Key_Return
) -> None:
    """Double-clicks a cell, types, and presses Enter, or the key `end`."""
    index = view.model().index(row, column)
    view.scrollTo(index)
    place = view.visualRect(index).center()
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    qtbot.mouseDClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert view.state() == QAbstractItemView.State.EditingState
    # The editor has the keys once its window is the active one.
    qtbot.waitUntil(lambda: isinstance(QApplication.focusWidget(), (NameBox, QLineEdit)))
    focused = QApplication.focusWidget()
    line = focused.lineEdit() if isinstance(focused, NameBox) else focused
    assert isinstance(line, QLineEdit)
    line.selectAll()
    qtbot.keyClicks(focused, text)
    qtbot.keyClick(focused, end)
    QApplication.processEvents()


def click_cell(
    qtbot: QtBot, view: RowsView, row: int, column: int = 0, *, ctrl: bool = False
) -> None:
    index = view.model().index(row, column)
    view.scrollTo(index)
    keys = Qt.KeyboardModifier.ControlModifier if ctrl else Qt.KeyboardModifier.NoModifier
    qtbot.mouseClick(
        view.viewport(), Qt.MouseButton.LeftButton, keys, view.visualRect(index).center()
    )


def drag_row(qtbot: QtBot, view: RowsView, row: int, to: int) -> None:
    """What dropping a dragged row does; the platform's own drag loop cannot be driven from a
    test."""
    from PySide6.QtCore import QMimeData, QPointF
    from PySide6.QtGui import QDropEvent

    mime: QMimeData = view.rows_model.mimeData([view.model().index(row, 0)])
    rect = view.visualRect(view.model().index(to, 0))
    place = QPointF(rect.center().x(), rect.bottom() - 1 if to > row else rect.top() + 1)
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    event = QDropEvent(place, Qt.DropAction.MoveAction, mime, buttons, keys)
    view.dropEvent(event)


def drag_mouse(qtbot: QtBot, widget: QWidget, by: int, *, release: bool = True) -> None:
    """Presses, moves sideways in steps, and releases."""
    start = widget.rect().center()
    qtbot.mousePress(widget, Qt.MouseButton.LeftButton, pos=start)
    for i in range(1, 5):
        _move(widget, start + QPoint(by * i // 4, 0))
    if release:
        qtbot.mouseRelease(widget, Qt.MouseButton.LeftButton, pos=start + QPoint(by, 0))


def _move(widget: QWidget, place: QPoint) -> None:
    # QTest.mouseMove moves the real pointer without a pressed button.
    from PySide6.QtCore import QEvent, QPointF
    from PySide6.QtGui import QMouseEvent

    event = QMouseEvent(
        QEvent.Type.MouseMove,
        QPointF(place),
        QPointF(widget.mapToGlobal(place)),
        Qt.MouseButton.NoButton,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(widget, event)


def changed_lines(before: str, after: str) -> list[str]:
    """The lines that differ, with - and + in front."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm="")
    return [line for line in lines if line[0] in "+-" and not line.startswith(("+++", "---"))]


UPPER = tuple(SphereRef("spheres", "upper", i) for i in range(2))


@pytest.fixture
def session(qtbot: QtBot) -> Session:
    session = small_session()
    session.set_display(length_unit=LengthUnit.MILLIMETRE, angle_unit=AngleUnit.DEGREE)
    return session


def xrdf(session: Session) -> Xrdf:
    return session.robot.xrdf


def check(session: Session, lines: list[str], steps: int = 1) -> None:
    """The text differs in these lines alone, by so many steps, and undoing them gives the first
    text back."""
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
    button = next(
        b
        for b in panel.findChildren(QAbstractButton)
        if b.accessibleName() == name and b.isVisible()
    )
    click(qtbot, button)


@contextlib.contextmanager
def source_panel() -> Iterator[SourcePanel]:
    """With a session without a robot; closed at the end."""
    session, jobs = Session(), Jobs()
    panel = SourcePanel(session, jobs, FindingsFeed(session, jobs))
    try:
        yield panel
    finally:
        session.open(None)
        jobs.close()


@contextlib.contextmanager
def panel_to_type_in(qtbot: Any, folder: Path) -> Iterator[SourcePanel]:
    """With a document of `folder`, in the active window, its editor has the keyboard."""
    with source_panel() as panel:
        qtbot.addWidget(panel)
        panel.resize(900, 500)
        panel._session.open(make_document(folder))
        panel.show()
        panel.refresh()
        focus(panel.editor)
        yield panel
