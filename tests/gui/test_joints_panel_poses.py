"""The joints panel: poses within the limits, shows who follows whom, makes a pose the default."""

from __future__ import annotations

import math

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from editor_app.edit.commands.default_positions import SetDefaultPositions
from editor_app.edit.selection import Selection
from editor_app.gui.panels.joints.joint_row import JointRow
from editor_app.gui.panels.joints.panel import JointsPanel
from editor_app.gui.session import AngleUnit, LengthUnit, Session
from editor_app.gui.window.main_window import MainWindow
from editor_app.model.frozen import FrozenDict
from tests.helpers.one_window import nothing_goes_on_running, one_window, window

__all__ = ["nothing_goes_on_running", "one_window", "window"]


@pytest.fixture
def panel(window: MainWindow) -> JointsPanel:
    panel = window.docks.show("joints")
    assert isinstance(panel, JointsPanel)
    panel.filter.clear()
    window.session.set_display(angle_unit=AngleUnit.DEGREE, length_unit=LengthUnit.MILLIMETRE)
    return panel


def type_into(row: JointRow, text: str) -> None:
    row.field.setFocus()
    row.field.selectAll()
    QTest.keyClicks(row.field, text)
    QTest.keyClick(row.field, Qt.Key.Key_Return)


def turn_wheel(widget: QWidget) -> None:
    at = QPointF(widget.rect().center())
    event = QWheelEvent(
        at,
        widget.mapToGlobal(at),
        QPoint(),
        QPoint(0, 120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(widget, event)


def test_has_a_row_for_each_movable_joint(panel: JointsPanel) -> None:
    assert list(panel.rows) == ["shoulder", "elbow", "grip", "follow"]
    assert all(row.isVisible() for row in panel.rows.values())


def test_starts_at_the_default_positions(panel: JointsPanel) -> None:
    assert panel.rows["elbow"].field.text() == f"{math.degrees(0.5):.3f}"
    assert panel.rows["grip"].field.text() == "200"
    assert panel.rows["shoulder"].field.text() == "0"


def test_the_slider_runs_from_limit_to_limit(window: MainWindow, panel: JointsPanel) -> None:
    row = panel.rows["shoulder"]
    row.slider.setValue(row.slider.maximum())
    assert window.session.pose["shoulder"] == pytest.approx(2.0)
    row.slider.setValue(row.slider.minimum())
    assert window.session.pose["shoulder"] == pytest.approx(-3.0)


def test_numbers_are_typed_in_any_unit(window: MainWindow, panel: JointsPanel) -> None:
    type_into(panel.rows["shoulder"], "45")
    assert window.session.pose["shoulder"] == pytest.approx(math.pi / 4)
    type_into(panel.rows["shoulder"], "0.5 rad")
    assert window.session.pose["shoulder"] == pytest.approx(0.5)
    type_into(panel.rows["grip"], "0.3 m")
    assert window.session.pose["grip"] == pytest.approx(0.3)


def test_a_number_outside_the_limits_is_refused(window: MainWindow, panel: JointsPanel) -> None:
    type_into(panel.rows["shoulder"], "200")
    assert window.session.pose["shoulder"] == 0.0
    assert panel.rows["shoulder"].field.property("invalid")


def test_units_switch_in_the_fields_and_are_remembered(window: MainWindow, panel: JointsPanel) -> None:
    panel.angle_button.click()
    panel.length_button.click()
    assert panel.rows["elbow"].field.text() == "0.5"
    assert panel.rows["grip"].field.text() == "0.2"
    assert panel.angle_button.text() == "rad"
    later = Session()
    window.settings.apply_display(later)
    assert (later.display.angle_unit, later.display.length_unit) == ("rad", "m")


def test_a_follower_follows_cannot_be_moved_and_says_whom_it_follows(window: MainWindow, panel: JointsPanel) -> None:
    row = panel.rows["follow"]
    assert not row.field.isEnabled()
    assert not row.slider.isVisible()
    assert row.follows.whole_text == "follows grip"
    panel.rows["grip"].slider.setValue(panel.rows["grip"].slider.maximum())
    assert row.position == pytest.approx(0.4)


def test_a_double_click_puts_one_joint_back(window: MainWindow, panel: JointsPanel) -> None:
    window.session.set_pose(window.session.pose.set("elbow", 2.0).set("shoulder", 1.0))
    slider = panel.rows["elbow"].slider
    QTest.mouseDClick(slider, Qt.MouseButton.LeftButton)
    assert window.session.pose["elbow"] == 0.5
    assert window.session.pose["shoulder"] == 1.0


def test_the_wheel_moves_a_joint_only_when_it_has_the_focus(window: MainWindow, panel: JointsPanel) -> None:
    row = panel.rows["shoulder"]
    panel.filter.setFocus()
    for widget in (row.slider, row.field):
        turn_wheel(widget)
    assert window.session.pose["shoulder"] == 0.0
    row.slider.setFocus()
    turn_wheel(row.slider)
    assert window.session.pose["shoulder"] > 0.0


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        ("robot.pose_zero", (0.0, 0.0, 0.1)),
        ("robot.pose_middle", (-0.5, 0.0, 0.25)),
        ("robot.pose_default", (0.0, 0.5, 0.2)),
    ],
)
def test_named_poses_stay_within_the_limits(
    window: MainWindow, panel: JointsPanel, action: str, expected: tuple[float, ...]
) -> None:
    window.registry.trigger("robot.pose_random")
    for name, row in panel.rows.items():
        if row.joint.limits is not None and row.joint.mimic is None:
            lower, upper = row.joint.limits
            assert lower <= window.session.pose[name] <= upper
    window.registry.trigger(action)
    pose = window.session.pose
    assert (pose["shoulder"], pose["elbow"], pose["grip"]) == pytest.approx(expected)


def test_make_default_is_one_step_that_can_be_undone(window: MainWindow, panel: JointsPanel) -> None:
    window.session.set_joint("shoulder", 1.25)
    window.registry.trigger("robot.make_default")
    document = window.session.document
    assert document is not None
    assert document.robot.xrdf.default_joint_positions == {"shoulder": 1.25, "elbow": 0.5, "grip": 0.2}
    assert "shoulder: 1.25" in document.xrdf_text
    assert len(document.history) == 2
    window.registry.trigger("edit.undo")
    assert document.robot.xrdf.default_joint_positions == {"shoulder": 0.0, "elbow": 0.5, "grip": 0.2}


def test_a_default_outside_the_limits_is_marked(window: MainWindow, panel: JointsPanel) -> None:
    row = panel.rows["shoulder"]
    assert row.mark.toolTip() == ""
    window.session.execute(SetDefaultPositions(FrozenDict({"shoulder": 2.5})))
    assert "outside the limits" in row.mark.toolTip()
    window.session.undo()
    assert row.mark.toolTip() == ""


def test_the_filter_and_a_click_on_a_name(window: MainWindow, panel: JointsPanel) -> None:
    QTest.keyClicks(panel.filter, "elb")
    assert [name for name, row in panel.rows.items() if row.isVisible()] == ["elbow"]
    QTest.mouseClick(panel.rows["elbow"].name, Qt.MouseButton.LeftButton)
    assert window.session.selection == Selection(links=("lower",), joints=("elbow",))


def test_rows_use_the_width(window: MainWindow, panel: JointsPanel) -> None:
    xs = {row.x() for row in panel.rows.values()}
    assert len(xs) > 1, "1280 pixels hold more than one column"
    assert max(row.geometry().right() for row in panel.rows.values()) <= panel.area.viewport().width()
