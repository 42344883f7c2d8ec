"""Number fields and their labels by real keys, wheel and mouse."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QAction, QKeySequence, QWheelEvent
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from editor_app.edit.selection import Selection
from editor_app.gui.bindings.number_field import NumberField, ScrubLabel
from editor_app.gui.panels.selection.panel import SelectionNumbers
from editor_app.gui.session import LengthUnit, Session
from editor_app.model.findings import SphereRef
from editor_app.model.xrdf import CollisionSphere
from tests.helpers.panels import drag_mouse, shown, small_session, type_into
from tests.helpers.small_robot import XRDF_TEXT

pytestmark = pytest.mark.gui

REF = SphereRef("spheres", "upper", 0)


@pytest.fixture
def session(qtbot: QtBot) -> Session:
    # A number with more digits than are shown.
    session = small_session(XRDF_TEXT.replace("center: [0, 0, 0.1]", "center: [0.0951667123, 0, 0.1]"))
    session.select(Selection(spheres=(REF,)))
    return session


@pytest.fixture
def panel(qtbot: QtBot, session: Session) -> SelectionNumbers:
    return shown(qtbot, SelectionNumbers(session))


def sphere(session: Session) -> CollisionSphere:
    assert session.robot is not None
    return session.robot.xrdf.group("spheres").spheres["upper"][0]  # type: ignore[union-attr]


def steps(session: Session) -> int:
    assert session.document is not None
    return session.document.position


def test_looking_changes_nothing(qtbot: QtBot, session: Session, panel: SelectionNumbers) -> None:
    x = panel.axes[0]
    panel.axes[1].setFocus()
    assert x.text() == "95.167"
    qtbot.mouseClick(x, Qt.MouseButton.LeftButton)
    assert x.text() == "95.1667123", "all digits while it is edited"
    qtbot.keyClick(x, Qt.Key.Key_Return)
    panel.axes[1].setFocus()
    assert x.text() == "95.167"
    session.set_display(length_unit=LengthUnit.METRE)
    assert x.text() == "0.095167"[: len(x.text())]
    type_into(qtbot, x, "0.0951667123")
    assert steps(session) == 0
    assert sphere(session).center[0] == 0.0951667123
    assert "0.0951667123 m" in x.toolTip()


def test_esc_takes_back_what_is_typed(qtbot: QtBot, session: Session, panel: SelectionNumbers) -> None:
    type_into(qtbot, panel.axes[0], "77", enter=False)
    qtbot.keyClick(panel.axes[0], Qt.Key.Key_Escape)
    panel.axes[1].setFocus()
    assert steps(session) == 0
    assert panel.axes[0].text() == "95.167"


def test_leaving_the_field_takes_what_is_typed(qtbot: QtBot, session: Session, panel: SelectionNumbers) -> None:
    type_into(qtbot, panel.axes[0], "77", enter=False)
    qtbot.keyClick(panel.axes[0], Qt.Key.Key_Tab)
    assert sphere(session).center[0] == 0.077
    assert panel.axes[1].hasFocus(), "tab order goes from x to y"
    assert sphere(session).center[1:] == (0.0, 0.1)


def test_what_is_no_number_is_marked_with_its_reason(qtbot: QtBot, session: Session, panel: SelectionNumbers) -> None:
    x = panel.axes[0]
    type_into(qtbot, x, "10 deg")
    assert x.property("invalid") is True
    assert "deg" in x.toolTip()
    assert "deg" in panel.messages.text
    assert x.accessibleDescription()
    assert steps(session) == 0
    type_into(qtbot, x, "10 mm")
    assert not x.property("invalid")
    assert sphere(session).center[0] == 0.01


def test_arrow_keys_step_and_are_one_step_to_undo(qtbot: QtBot, session: Session, panel: SelectionNumbers) -> None:
    z = panel.axes[2]
    # However slow the machine is, these are one gesture, and its end is waited for.
    z._pause.setInterval(100_000)
    qtbot.mouseClick(z, Qt.MouseButton.LeftButton)
    qtbot.keyClick(z, Qt.Key.Key_Up)
    qtbot.keyClick(z, Qt.Key.Key_Up, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClick(z, Qt.Key.Key_Down, Qt.KeyboardModifier.ControlModifier)
    assert sphere(session).center[2] == 0.1109
    assert steps(session) == 1
    with qtbot.waitSignal(z.finished):
        z._pause.start(10)
    qtbot.keyClick(z, Qt.Key.Key_Down)
    assert steps(session) == 2
    panel.axes[0].setFocus()
    session.undo()
    assert sphere(session).center[2] == 0.1109
    session.undo()
    assert sphere(session).center[2] == 0.1


def wheel(widget: QWidget, delta: int) -> bool:
    place = QPointF(widget.rect().center())
    event = QWheelEvent(
        place,
        QPointF(widget.mapToGlobal(place)),
        QPoint(),
        QPoint(0, delta),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(widget, event)
    return event.isAccepted()


def test_the_wheel_steps_only_with_focus(qtbot: QtBot, session: Session, panel: SelectionNumbers) -> None:
    radius = panel.radius
    panel.axes[0].setFocus()
    wheel(radius, 120)
    assert steps(session) == 0
    radius.setFocus()
    for _ in range(4):
        wheel(radius, 30)
    assert sphere(session).radius == 0.081, "a touchpad's small turns add up to one step"
    wheel(radius, -240)
    assert sphere(session).radius == 0.079
    assert steps(session) == 1


def label_of(panel: SelectionNumbers, field: NumberField) -> ScrubLabel:
    return next(label for label in panel.findChildren(ScrubLabel) if label.buddy() is field)


def test_dragging_the_label_is_one_step(qtbot: QtBot, session: Session, panel: SelectionNumbers) -> None:
    label = label_of(panel, panel.axes[1])
    drag_mouse(qtbot, label, 40)
    assert sphere(session).center[1] == 0.01
    drag_mouse(qtbot, label, -20)
    assert sphere(session).center[1] == 0.005
    assert steps(session) == 2


def test_esc_in_a_drag_leaves_no_trace(qtbot: QtBot, session: Session, panel: SelectionNumbers) -> None:
    label = label_of(panel, panel.axes[1])
    drag_mouse(qtbot, label, 40, release=False)
    assert sphere(session).center[1] == 0.01
    qtbot.keyClick(label, Qt.Key.Key_Escape)
    assert sphere(session).center[1] == 0.0
    assert steps(session) == 0
    qtbot.mouseRelease(label, Qt.MouseButton.LeftButton)
    assert session.document is not None
    assert len(session.document.history) == 1


def test_a_click_on_the_label_goes_to_the_field(qtbot: QtBot, panel: SelectionNumbers) -> None:
    qtbot.mouseClick(label_of(panel, panel.radius), Qt.MouseButton.LeftButton)
    assert panel.radius.hasFocus()
    assert panel.radius.hasSelectedText()


def test_typing_is_not_lost_to_an_undo(qtbot: QtBot, session: Session, panel: SelectionNumbers) -> None:
    type_into(qtbot, panel.axes[0], "10")
    type_into(qtbot, panel.axes[1], "33", enter=False)
    session.undo()
    assert panel.axes[0].text() == "95.167"
    assert panel.axes[1].text() == "33"
    qtbot.keyClick(panel.axes[1], Qt.Key.Key_Return)
    assert sphere(session).center[1] == 0.033


def test_limits(qtbot: QtBot) -> None:
    holder = QWidget()
    field = NumberField(name="Limited")
    QVBoxLayout(holder).addWidget(field)
    values: list[float] = []

    def take(value: float, _: bool) -> None:
        values.append(value)
        field.set_value(value)

    field.edited.connect(take)
    field.set_limits(0.0, 1.0)
    field.set_value(0.95)
    shown(qtbot, holder)
    type_into(qtbot, field, "2")
    assert field.property("invalid") is True
    assert "From 0 to 1" in field.toolTip()
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    qtbot.keyClick(field, Qt.Key.Key_Up)
    qtbot.keyClick(field, Qt.Key.Key_Up)
    assert values == [1.0], "steps stop at the limit"
    field.set_value(3.0)
    assert field.property("invalid") is True, "also when the file says so"


def test_undo_is_the_fields_while_one_types_and_the_documents_afterwards(
    qtbot: QtBot, session: Session, panel: SelectionNumbers
) -> None:
    undo = QAction("Undo", panel, shortcut=QKeySequence(QKeySequence.StandardKey.Undo))
    undo.triggered.connect(session.undo)
    panel.addAction(undo)
    control, x = Qt.KeyboardModifier.ControlModifier, panel.axes[0]
    type_into(qtbot, x, "77")
    assert x.hasFocus()
    type_into(qtbot, x, "88", enter=False)
    qtbot.keyClick(x, Qt.Key.Key_Z, control)
    assert steps(session) == 1, "what is being typed is taken back first"
    qtbot.keyClick(x, Qt.Key.Key_Escape)
    qtbot.keyClick(x, Qt.Key.Key_Z, control)
    assert steps(session) == 0
    assert sphere(session).center[0] == 0.0951667123
