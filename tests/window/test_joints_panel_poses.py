"""The joints panel: poses within the limits, shows who follows whom, makes a pose the default."""

from __future__ import annotations

import math

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QLineEdit,
    QListWidgetItem,
    QSlider,
    QStyle,
    QStyleOptionFrame,
    QStyleOptionSlider,
    QWidget,
)

from editor_app.core.document.beside import read_poses
from editor_app.core.document.commands import RemoveJoints
from editor_app.core.document.commands.lists import set_item
from editor_app.core.document.selection import NOTHING, Selection
from editor_app.core.model.findings import SphereRef
from editor_app.window.joints.joint_row import JointRow
from editor_app.window.joints.panel import JointsPanel
from editor_app.window.main_window import MainWindow
from editor_app.window.session import AngleUnit, LengthUnit, Session
from tests.helpers.windows import focus, open_in, wait_until


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


def panel_pose(panel: JointsPanel, joint: str) -> float:
    window = panel.window()
    assert isinstance(window, MainWindow)
    return window.session.pose[joint]


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


def test_return_in_a_number_goes_on_to_the_next_and_stays_in_the_last(panel: JointsPanel) -> None:
    first, second, last = panel.rows["shoulder"], panel.rows["elbow"], panel.rows["grip"]
    type_into(first, "10")
    assert second.field.hasFocus()
    QTest.keyClicks(second.field, "20")
    QTest.keyClick(second.field, Qt.Key.Key_Return)
    assert last.field.hasFocus()
    QTest.keyClick(last.field, Qt.Key.Key_Return)
    assert last.field.hasFocus()
    assert math.degrees(panel_pose(panel, "shoulder")) == pytest.approx(10)
    assert math.degrees(panel_pose(panel, "elbow")) == pytest.approx(20)


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


def test_units_switch_in_the_fields_and_are_remembered(
    window: MainWindow, panel: JointsPanel
) -> None:
    panel.angle_button.click()
    panel.length_button.click()
    assert panel.rows["elbow"].field.text() == "0.5"
    assert panel.rows["grip"].field.text() == "0.2"
    assert panel.angle_button.text() == "rad"
    later = Session()
    window.settings.apply_display(later)
    assert (later.display.angle_unit, later.display.length_unit) == ("rad", "m")


def test_a_follower_follows_cannot_be_moved_and_says_whom_it_follows(
    window: MainWindow, panel: JointsPanel
) -> None:
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


def test_the_wheel_moves_a_joint_only_when_it_has_the_focus(
    window: MainWindow, panel: JointsPanel
) -> None:
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


def test_make_default_is_one_step_that_can_be_undone(
    window: MainWindow, panel: JointsPanel
) -> None:
    window.session.set_joint("shoulder", 1.25)
    window.registry.trigger("robot.make_default")
    document = window.session.document
    assert document.robot.xrdf.default_joint_positions == {
        "shoulder": 1.25,
        "elbow": 0.5,
        "grip": 0.2,
    }
    assert "shoulder: 1.25" in document.xrdf_text
    assert len(document.history) == 2
    window.registry.trigger("edit.undo")
    assert document.robot.xrdf.default_joint_positions == {
        "shoulder": 0.0,
        "elbow": 0.5,
        "grip": 0.2,
    }


def test_joints_outside_the_c_space_bear_a_lock(window: MainWindow, panel: JointsPanel) -> None:
    robot = window.session.robot
    assert robot.xrdf.cspace is not None
    controlled = robot.xrdf.cspace.joint_names or ()
    free = {name for name, row in panel.rows.items() if row.joint.mimic is None}
    assert {name for name, row in panel.rows.items() if row.is_locked} == free - set(controlled)
    window.session.execute(RemoveJoints((0,)))
    assert panel.rows[controlled[0]].is_locked
    assert "outside the c-space" in panel.rows[controlled[0]].mark.toolTip()
    window.session.undo()
    assert not panel.rows[controlled[0]].is_locked


def test_a_default_outside_the_limits_is_marked(window: MainWindow, panel: JointsPanel) -> None:
    row = panel.rows["shoulder"]
    assert row.mark.toolTip() == ""
    window.session.execute(set_item("xrdf.default_joint_positions", "shoulder", 2.5))
    assert "outside the limits" in row.mark.toolTip()
    window.session.undo()
    assert row.mark.toolTip() == ""


def test_the_filter_and_a_click_on_a_name(window: MainWindow, panel: JointsPanel) -> None:
    QTest.keyClicks(panel.filter, "elb")
    assert [name for name, row in panel.rows.items() if row.isVisible()] == ["elbow"]
    QTest.mouseClick(panel.rows["elbow"].name, Qt.MouseButton.LeftButton)
    assert window.session.selection == Selection(links=("lower",), joints=("elbow",))


def test_rows_use_the_width(window: MainWindow, panel: JointsPanel) -> None:
    """One column with long sliders while all rows can be seen; more columns where they cannot."""

    def columns() -> int:
        return len({row.x() for row in panel.rows.values()})

    rows = list(panel.rows.values())
    assert columns() == 1
    # The name, number and lock take what they need; the slider has the rest.
    assert all(row.slider.width() > row.width() / 2 for row in rows if row.slider.isVisible())
    height = rows[0].height()
    panel.setMaximumHeight(panel.height() - panel.area.height() + 2 * height)
    wait_until(lambda: columns() > 1)
    assert max(row.geometry().right() for row in rows) <= panel.area.viewport().width()
    panel.setMaximumHeight(16777215)
    wait_until(lambda: columns() == 1)


def test_a_locked_joint_stays_whatever_poses_the_robot(
    window: MainWindow, panel: JointsPanel
) -> None:
    session, row = window.session, panel.rows["elbow"]
    session.set_joint("elbow", 1.0)
    QTest.mouseClick(row.lock, Qt.MouseButton.LeftButton)
    assert session.locked == {"elbow"}
    assert not row.slider.isEnabled()
    assert not row.field.isEnabled()
    for action in ("zero", "default", "middle", "random"):
        window.registry.trigger(f"robot.pose_{action}")
        assert session.pose["elbow"] == 1.0
    QTest.mouseClick(row.lock, Qt.MouseButton.LeftButton)
    assert row.slider.isEnabled()
    window.registry.trigger("robot.pose_zero")
    assert session.pose["elbow"] == 0.0


def test_shift_makes_the_slider_fine(window: MainWindow, panel: JointsPanel) -> None:
    slider = panel.rows["shoulder"].slider
    ways = []
    for modifiers in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier):
        window.session.set_joint("shoulder", 0.0)
        start = handle_of(slider)
        QTest.mousePress(slider, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, start)
        for x in (10, 30, 60):
            place = QPointF(start + QPoint(x, 0))
            event = QMouseEvent(
                QEvent.Type.MouseMove, place, slider.mapToGlobal(place), Qt.MouseButton.NoButton,
                Qt.MouseButton.LeftButton, modifiers,
            )  # fmt: skip
            QApplication.sendEvent(slider, event)
        QTest.mouseRelease(slider, Qt.MouseButton.LeftButton, modifiers, start + QPoint(60, 0))
        ways.append(window.session.pose["shoulder"])
    assert ways[0] > 0.1
    assert ways[1] == pytest.approx(ways[0] / 10, rel=0.05)


def handle_of(slider: QSlider) -> QPoint:
    option = QStyleOptionSlider()
    slider.initStyleOption(option)
    style = slider.style()
    return style.subControlRect(
        QStyle.ComplexControl.CC_Slider, option, QStyle.SubControl.SC_SliderHandle, slider
    ).center()


@pytest.mark.parametrize("unit", list(AngleUnit))
def test_numbers_are_never_cut(window: MainWindow, panel: JointsPanel, unit: AngleUnit) -> None:
    window.session.set_display(angle_unit=unit)
    field = panel.rows["shoulder"].field
    option = QStyleOptionFrame()
    field.initStyleOption(option)
    inside = field.style().subElementRect(QStyle.SubElement.SE_LineEditContents, option, field)
    # Qt keeps two pixels on each side of the text.
    room = inside.width() - field.textMargins().left() - field.textMargins().right() - 4
    for position in (-2.9876543, -1.7777777, 1.2345678):
        window.session.set_joint("shoulder", position)
        assert field.fontMetrics().horizontalAdvance(field.text()) <= room


def listed(panel: JointsPanel) -> list[str]:
    assert panel.poses is not None
    return [panel.poses.list.item(k).text() for k in range(panel.poses.list.count())]


def item(panel: JointsPanel, text: str) -> QListWidgetItem:
    assert panel.poses is not None
    [listed] = panel.poses.list.findItems(text, Qt.MatchFlag.MatchExactly)
    return listed


def test_poses_are_stored_renamed_reached_and_forgotten(
    window: MainWindow, panel: JointsPanel
) -> None:
    session, book = window.session, window.poses
    text = session.document.xrdf_text
    assert listed(panel) == ["Default"]
    session.set_joint("shoulder", 1.25)
    window.registry.trigger("pose.store")
    assert panel.poses is not None
    editor = panel.poses.list.findChild(QLineEdit)
    assert editor is not None
    editor.setText("reach out")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    wait_until(lambda: [entry.name for entry in book.entries()] == ["Default", "reach out"])
    assert listed(panel) == ["Default", "reach out"]
    session.set_joint("shoulder", -1.0)
    window.registry.trigger("pose.store")
    book.rename(book.chosen[0], "reach out")
    assert listed(panel) == ["Default", "reach out", "Pose 1"], "a name that is taken is refused"
    panel.poses.list.itemActivated.emit(item(panel, "reach out"))
    assert session.pose["shoulder"] == 1.25
    # They are there when the robot is opened again, and in none of its files.
    document = session.document
    urdf = document.urdf_path
    assert urdf is not None
    assert window.files.may_lose_document(), "they are kept: nobody is asked"
    window.registry.trigger("file.close")
    assert listed(panel) == []
    open_in(window, urdf)
    document = session.document
    assert listed(panel) == ["Default", "reach out", "Pose 1"]
    assert document.xrdf_text == text
    assert document.undo_label is None
    assert not document.is_modified
    assert "reach" not in "".join(path.read_text() for path in urdf.parent.glob("*.?rdf"))
    panel.poses.list.clearSelection()
    for name in ("reach out", "Pose 1"):
        item(panel, name).setSelected(True)
    # The key is the list's own: it deletes no sphere that is selected.
    session.select(Selection(spheres=(SphereRef("spheres", "lower", 0),)))
    QTest.keyClick(panel.poses.list, Qt.Key.Key_Delete)
    assert listed(panel) == ["Default"]
    assert document.xrdf_text == text
    session.select(NOTHING)
    # What deletes, renames and stores is a step, and each state is what is kept.
    assert document.undo_label == "Delete reach out, Pose 1"
    assert read_poses(urdf) == {}
    focus(window)
    QTest.qWait(1)  # What an action may do is asked when the loop is idle.
    QTest.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    wait_until(lambda: listed(panel) == ["Default", "reach out", "Pose 1"])
    assert list(read_poses(urdf)) == ["reach out", "Pose 1"]
    book.rename(book.entries()[1], "far")
    assert list(read_poses(urdf)) == ["far", "Pose 1"]
    session.undo()
    assert listed(panel) == ["Default", "reach out", "Pose 1"]
    window.registry.trigger("file.close")
    open_in(window, urdf)
    assert listed(panel) == ["Default", "reach out", "Pose 1"]


def test_two_poses_are_blended(window: MainWindow, panel: JointsPanel) -> None:
    session, box = window.session, panel.poses
    assert box is not None
    assert box.blend.isHidden()
    session.set_pose(session.pose.set("shoulder", -1.0).set("elbow", 2.0))
    window.registry.trigger("pose.store")
    box.list.clearSelection()
    item(panel, "Default").setSelected(True)
    item(panel, "Pose 1").setSelected(True)
    assert not box.blend.isHidden()
    assert box.blend_label.whole_text == "Default → Pose 1"
    for share in (1.0, 0.25, 0.0):
        box.blend.setValue(round(share * box.blend.maximum()))
        assert session.pose["shoulder"] == pytest.approx(-share)
        assert session.pose["elbow"] == pytest.approx(0.5 + 1.5 * share)
    session.undo()
    assert listed(panel) == ["Default"]
    assert box.blend.isHidden(), "one of the two is gone"


def test_poses_are_pasted_and_copied(window: MainWindow, panel: JointsPanel) -> None:
    session, clipboard = window.session, QApplication.clipboard()
    clipboard.setText("name: [elbow, shoulder, stranger]\nposition: [1.5, -0.5, 3.0]\n---\n")
    window.registry.trigger("pose.paste")
    assert (session.pose["elbow"], session.pose["shoulder"]) == (1.5, -0.5)
    # Over the view, where the robot has moved.
    toast = window.central.toast
    assert toast.isVisible()
    assert toast.text == "Set 2 joints. Not in this robot: stranger."
    toast.dismiss()
    for kind in ("yaml", "python"):
        window.registry.trigger(f"pose.copy_{kind}")
        window.registry.trigger("robot.pose_zero")
        window.registry.trigger("pose.paste")
        assert (session.pose["elbow"], session.pose["shoulder"]) == (1.5, -0.5)
    assert not toast.isVisible(), "nothing was left out"
    refusals: list[str] = []
    session.refused.connect(refusals.append)
    clipboard.setText("good morning")
    window.registry.trigger("pose.paste")
    session.refused.disconnect(refusals.append)
    assert len(refusals) == 1
    assert "no pose" in refusals[0]
    assert session.pose["elbow"] == 1.5
