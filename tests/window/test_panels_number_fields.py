"""Number fields and their labels by real keys, wheel and mouse."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QAction, QKeySequence, QWheelEvent
from PySide6.QtWidgets import QApplication, QToolTip, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from editor_app.core.document.commands import get_sphere
from editor_app.core.document.selection import Selection
from editor_app.core.model.findings import SphereRef
from editor_app.core.model.xrdf import CollisionSphere
from editor_app.window.bindings.number_field import NumberField, ScrubLabel
from editor_app.window.bindings.quantity import LENGTH
from editor_app.window.selection.panel import SelectionNumbers
from editor_app.window.session import LengthUnit, Session
from tests.helpers.panels import drag_mouse, shown, small_session, type_into
from tests.helpers.small_robot import XRDF_TEXT

pytestmark = pytest.mark.gui

REF = SphereRef("spheres", "upper", 0)
#: Radii 80, 60 and -10 mm.
MANY = (REF, SphereRef("spheres", "upper", 1), SphereRef("spheres", "hand", 0))


@pytest.fixture
def session(qtbot: QtBot) -> Session:
    # A number with more digits than are shown.
    session = small_session(
        XRDF_TEXT.replace("center: [0, 0, 0.1]", "center: [0.0951667123, 0, 0.1]")
    )
    session.select(Selection(spheres=(REF,)))
    return session


@pytest.fixture
def panel(qtbot: QtBot, session: Session) -> SelectionNumbers:
    return shown(qtbot, SelectionNumbers(session))


def sphere(session: Session) -> CollisionSphere:
    return session.robot.xrdf.group("spheres").spheres["upper"][0]  # type: ignore[union-attr]


def steps(session: Session) -> int:
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


def test_esc_takes_back_what_is_typed(
    qtbot: QtBot, session: Session, panel: SelectionNumbers
) -> None:
    type_into(qtbot, panel.axes[0], "77", enter=False)
    qtbot.keyClick(panel.axes[0], Qt.Key.Key_Escape)
    panel.axes[1].setFocus()
    assert steps(session) == 0
    assert panel.axes[0].text() == "95.167"


def test_leaving_the_field_takes_what_is_typed(
    qtbot: QtBot, session: Session, panel: SelectionNumbers
) -> None:
    type_into(qtbot, panel.axes[0], "77", enter=False)
    qtbot.keyClick(panel.axes[0], Qt.Key.Key_Tab)
    assert sphere(session).center[0] == 0.077
    assert panel.axes[1].hasFocus(), "tab order goes from x to y"
    assert sphere(session).center[1:] == (0.0, 0.1)


def test_what_is_no_number_is_marked_with_its_reason(
    qtbot: QtBot, session: Session, panel: SelectionNumbers
) -> None:
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


def test_arrow_keys_step_and_are_one_step_to_undo(
    qtbot: QtBot, session: Session, panel: SelectionNumbers
) -> None:
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


def test_the_wheel_steps_only_with_focus(
    qtbot: QtBot, session: Session, panel: SelectionNumbers
) -> None:
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


def test_dragging_the_label_is_one_step(
    qtbot: QtBot, session: Session, panel: SelectionNumbers
) -> None:
    label = label_of(panel, panel.axes[1])
    drag_mouse(qtbot, label, 40)
    assert sphere(session).center[1] == 0.01
    drag_mouse(qtbot, label, -20)
    assert sphere(session).center[1] == 0.005
    assert steps(session) == 2


def test_esc_in_a_drag_leaves_no_trace(
    qtbot: QtBot, session: Session, panel: SelectionNumbers
) -> None:
    label = label_of(panel, panel.axes[1])
    drag_mouse(qtbot, label, 40, release=False)
    assert sphere(session).center[1] == 0.01
    qtbot.keyClick(label, Qt.Key.Key_Escape)
    assert sphere(session).center[1] == 0.0
    assert steps(session) == 0
    qtbot.mouseRelease(label, Qt.MouseButton.LeftButton)
    assert len(session.document.history) == 1


def test_a_click_on_the_label_goes_to_the_field(qtbot: QtBot, panel: SelectionNumbers) -> None:
    qtbot.mouseClick(label_of(panel, panel.radius), Qt.MouseButton.LeftButton)
    assert panel.radius.hasFocus()
    assert panel.radius.hasSelectedText()


def test_typing_is_not_lost_to_an_undo(
    qtbot: QtBot, session: Session, panel: SelectionNumbers
) -> None:
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


@pytest.mark.parametrize("clicks", [1, 2, 3, 4])
def test_every_click_selects_the_whole_value_so_that_typing_replaces_it(
    qtbot: QtBot, session: Session, panel: SelectionNumbers, clicks: int
) -> None:
    z = panel.axes[2]
    panel.axes[0].setFocus()
    place = QPoint(z.width() - 8, z.height() // 2)
    for click in range(clicks):
        # As a person clicks who is in a hurry: the second of two presses is a double click.
        (qtbot.mouseDClick if click % 2 else qtbot.mouseClick)(
            z, Qt.MouseButton.LeftButton, pos=place
        )
        assert z.selectedText() == z.text() == "100"
    qtbot.keyClicks(z, "200")
    qtbot.keyClick(z, Qt.Key.Key_Return)
    assert sphere(session).center[2] == 0.2


def test_the_whole_value_is_selected_however_the_focus_comes(
    qtbot: QtBot, session: Session, panel: SelectionNumbers
) -> None:
    for reason in (
        Qt.FocusReason.TabFocusReason,
        Qt.FocusReason.ShortcutFocusReason,
        Qt.FocusReason.OtherFocusReason,
    ):
        panel.axes[0].setFocus()
        panel.axes[2].setFocus(reason)
        assert panel.axes[2].selectedText() == "100"


@pytest.fixture
def many(qtbot: QtBot) -> tuple[Session, SelectionNumbers]:
    session = small_session(XRDF_TEXT)
    session.select(Selection(spheres=MANY))
    return session, shown(qtbot, SelectionNumbers(session))


def radii(session: Session) -> list[float]:
    return [get_sphere(session.robot, ref).radius for ref in MANY]


@pytest.mark.parametrize(
    ("typed", "wanted", "told"),
    [
        ("+1", [0.081, 0.061, -0.009], "Adds 1 mm to each of the 3 values."),
        ("-5 mm", [0.075, 0.055, -0.015], "Subtracts 5 mm from each of the 3 values."),
        ("+1 cm", [0.09, 0.07, 0.0], "Adds 10 mm to each of the 3 values."),
        ("*1.1", [0.088, 0.066, -0.011], "Multiplies each of the 3 values by 1.1."),
        ("/2", [0.04, 0.03, -0.005], "Multiplies each of the 3 values by 0.5."),
        ("+10 %", [0.088, 0.066, -0.011], "Multiplies each of the 3 values by 1.1."),
        ("-10%", [0.072, 0.054, -0.009], "Multiplies each of the 3 values by 0.9."),
        ("7", [0.007] * 3, "Sets all 3 values to 7 mm."),
        ("=-7", [-0.007] * 3, "Sets all 3 values to −7 mm."),
    ],
)
def test_many_values_change_by_as_much_each_and_it_is_said_before(
    qtbot: QtBot, many: tuple[Session, SelectionNumbers], typed: str, wanted: list[float], told: str
) -> None:
    session, panel = many
    field = panel.radius
    before = radii(session)
    qtbot.mouseClick(field, Qt.MouseButton.LeftButton)
    qtbot.keyClicks(field, typed)
    assert field.accessibleDescription() == told
    assert QToolTip.text() == told
    assert radii(session) == before
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert radii(session) == wanted
    assert steps(session) == 1
    session.undo()
    assert radii(session) == before


def test_the_wheel_and_arrows_change_each_of_many_values(
    qtbot: QtBot, many: tuple[Session, SelectionNumbers]
) -> None:
    session, panel = many
    panel.radius.setFocus()
    for _ in range(2):
        qtbot.keyClick(panel.radius, Qt.Key.Key_Up)
    assert radii(session) == [0.082, 0.062, -0.008]
    panel.radius.end_gesture()
    assert steps(session) == 1


def test_a_part_of_one_value_may_be_typed_too(
    qtbot: QtBot, session: Session, panel: SelectionNumbers
) -> None:
    type_into(qtbot, panel.radius, "*1.1")
    assert sphere(session).radius == 0.088
    type_into(qtbot, panel.axes[2], "-5")
    assert sphere(session).center[2] == -0.005, "in a field of one value a sign is the value's own"
    type_into(qtbot, panel.axes[2], "10 %")
    assert sphere(session).center[2] == -0.005
    assert "+10 % or -10 %" in panel.axes[2].accessibleDescription()


@pytest.mark.parametrize(
    ("value", "widest", "shown_there"),
    [
        (-0.157166, "-157.17", "-157.17"),
        (-0.157166, "-157", "-157"),
        (0.353111, "353.", "353"),
        (1.2345678, "1234.", "1235"),
        (-1e-6, "-.001", "-.001"),
    ],
)
def test_a_number_that_does_not_fit_loses_decimals_and_never_its_head(
    qtbot: QtBot, value: float, widest: str, shown_there: str
) -> None:
    box = QWidget()
    field = NumberField(LENGTH, "x", box)
    field.hide_unit()
    field.setMinimumWidth(0)
    field.set_value(value)
    shown(qtbot, box)
    field.clearFocus()
    assert field.shown_text() == field.text()
    metrics = field.fontMetrics()
    field.resize(metrics.horizontalAdvance(widest) + field.width() - field.room, field.height())
    assert field.shown_text() == shown_there
    assert metrics.horizontalAdvance(field.shown_text()) <= field.room
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    assert field.shown_text() == field.text(), "whole while it is edited"
    assert field.cursorPosition() == 0, "from its head"
    assert field.selectedText() == field.text()


def test_what_was_typed_into_a_narrow_field_is_seen_from_its_head(qtbot: QtBot) -> None:
    box = QWidget()
    field = NumberField(LENGTH, "x", box)
    field.setMinimumWidth(0)
    field.set_value(0.2993431)
    field.edited.connect(lambda value, live: field.set_value(value))
    shown(qtbot, box)
    field.resize(
        field.fontMetrics().horizontalAdvance("299.3") + field.width() - field.room, field.height()
    )
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    for text in ("+=60", "=-159.3431"):
        field.selectAll()
        qtbot.keyClicks(field, text)
        qtbot.keyClick(field, Qt.Key.Key_Return)
        assert field.hasFocus()
        assert field.cursorPosition() == 0, field.text()
    assert field.value == pytest.approx(-0.1593431)
    field.step(1)
    assert field.cursorPosition() == 0


def test_a_number_of_which_every_digit_counts_ends_in_an_ellipsis(qtbot: QtBot) -> None:
    box = QWidget()
    field = NumberField(LENGTH, "x", box)
    field.setMinimumWidth(0)
    shown(qtbot, box)
    field.clearFocus()
    for value in (0.000245, 123.456789):
        field.set_value(value)
        field.resize(
            field.fontMetrics().horizontalAdvance("0.2") + field.width() - field.room,
            field.height(),
        )
        assert field.shown_text().endswith("…")
        assert field.text().startswith(field.shown_text()[:-1])
