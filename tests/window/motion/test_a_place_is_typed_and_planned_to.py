"""Where the selected frame is: live while posing; typed, stepped and pasted as a target; planned
to, also in a line."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton

import editor_app
from editor_app.core.document.opening import open_document
from editor_app.core.document.selection import Selection
from editor_app.core.formats.trajectories import TrajectoryFormat
from editor_app.window.bindings.number_field import NumberField
from editor_app.window.joints.panel import JointsPanel
from editor_app.window.main_window import MainWindow
from editor_app.window.reaching import Keep
from editor_app.window.selection.place_box import PlaceBox
from editor_app.window.session import AngleUnit, LengthUnit, Session
from tests.helpers.mask_fixtures import nothing_goes_on_running, one_window_with_view
from tests.helpers.panels import shown, type_into
from tests.helpers.robots import shared_robots, ur10
from tests.helpers.windows import open_in, put_back, wait_until

__all__ = ["nothing_goes_on_running", "one_window_with_view"]

pytestmark = pytest.mark.gui


@pytest.fixture
def session(qapp: object) -> Session:
    session = Session()
    session.open(open_document(ur10()))
    session.select(Selection(links=("tool0",)))
    return session


def box_of(qtbot: Any, session: Session) -> PlaceBox:
    box: PlaceBox = shown(qtbot, PlaceBox(session))
    box.show_frame("tool0")
    return box


def numbers(fields: Sequence[NumberField]) -> tuple[float, ...]:
    return tuple(field.value if field.value is not None else math.nan for field in fields)


def test_numbers_follow_the_pose_in_any_frame(qtbot: Any, session: Session) -> None:
    box = box_of(qtbot, session)
    for reference in ("", "forearm_link", "tool0"):
        session.reaching.set_reference(reference)
        for joint in ("elbow_joint", "wrist_2_joint"):
            session.move_joints({joint: session.pose[joint] + 0.2})
            qtbot.wait(1)
            place = editor_app.frame_pose(session.robot, "tool0", reference, session.free_pose)
            assert numbers(box.position) == pytest.approx(place.position, abs=1e-7)
            assert numbers(box.rotation) == pytest.approx(place.rpy, abs=2e-8)
            assert [
                float(n.replace("−", "-")) for n in box.quaternion.text().split()
            ] == pytest.approx(place.quaternion_xyzw, abs=1e-4)
            axis, angle = place.axis_angle
            told = box.axis.text().replace("−", "-").replace("°", "").split()
            assert [float(n) for n in told[:3]] == pytest.approx(axis, abs=1e-3)
            assert float(told[4]) == pytest.approx(math.degrees(angle), abs=1e-3)


def test_what_is_typed_is_where_the_tool_goes(qtbot: Any, session: Session) -> None:
    box = box_of(qtbot, session)
    start, turned = session.pose, numbers(box.rotation)
    type_into(qtbot, box.position[0], "400 mm")
    type_into(qtbot, box.position[2], "0.6 m")
    place = session.transform("tool0")
    assert place is not None
    assert (place[0, 3], place[2, 3]) == pytest.approx((0.4, 0.6), abs=1e-9)
    assert numbers(box.rotation) == pytest.approx(turned, abs=2e-8), "the rotation is kept"
    assert box.position[0].value == 0.4, "no noise of the solver in what was typed"
    type_into(qtbot, box.rotation[2], "-60 deg")
    assert box.rotation[2].value == math.radians(-60.0)
    type_into(qtbot, box.position[1], "+=50 mm")
    assert numbers(box.rotation)[2] == math.radians(-60.0)
    # One target, from the pose before all that was typed.
    put = session.reaching.put
    assert put is not None
    assert put.before == start
    assert session.document.undo_label is None
    # A move of the robot by anything else ends the series.
    session.move_joints({"elbow_joint": session.pose["elbow_joint"] + 0.01})
    present = session.pose
    qtbot.wait(1)
    type_into(qtbot, box.position[0], "390 mm")
    assert session.reaching.put is not None
    assert session.reaching.put.before == present


def test_in_itself_it_is_moved_by_what_is_typed_along_its_own_axes(
    qtbot: Any, session: Session
) -> None:
    session.reaching.set_reference("tool0")
    box = box_of(qtbot, session)
    before = session.transform("tool0").copy()  # type: ignore[union-attr]
    assert numbers(box.position) == (0.0, 0.0, 0.0)
    type_into(qtbot, box.position[2], "30 mm")
    now = session.transform("tool0")
    assert now is not None
    assert now[:3, 3] == pytest.approx(before[:3, 3] + 0.03 * before[:3, 2], abs=1e-9)
    assert numbers(box.position) == (0.0, 0.0, 0.0)
    # Keys step it, and Esc at the label takes a gesture back: here the wheel's.
    box.position[2].step(5.0)
    box.position[2].step(5.0)
    stepped = session.transform("tool0")
    assert stepped is not None
    assert stepped[:3, 3] == pytest.approx(now[:3, 3] + 0.01 * now[:3, 2], abs=1e-8)
    box.position[2].abandon_gesture()
    assert session.transform("tool0") == pytest.approx(now, abs=1e-12)


def test_in_a_frame_that_the_arm_carries_its_joints_stay(qtbot: Any, session: Session) -> None:
    session.reaching.set_reference("forearm_link")
    box = box_of(qtbot, session)
    before = session.pose
    place = numbers(box.position)
    session.reaching.keep(Keep.NOTHING)
    type_into(qtbot, box.position[0], f"{place[0] * 1e3 - 5.0} mm")
    for joint in ("shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint"):
        assert session.pose[joint] == before[joint]
    assert session.pose != before


def test_what_is_out_of_reach_is_told_with_what_is_missing(qtbot: Any, session: Session) -> None:
    box = box_of(qtbot, session)
    messages: list[str] = []
    session.message.connect(messages.append)
    type_into(qtbot, box.position[2], "9 m")
    assert box.short.isVisible()
    reach = session.transform("tool0")
    assert reach is not None
    missing = math.hypot(*(np.array([*session.reaching.put.targets[0].position]) - reach[:3, 3]))  # type: ignore[union-attr]
    assert f"Stops {missing * 1e3:.1f} mm" in box.short.text()
    assert "short" in box.short.text()
    type_into(qtbot, box.position[2], "0.7 m")
    assert not box.short.isVisible()
    held = (
        "shoulder_pan_joint",
        "shoulder_lift_joint",
        "elbow_joint",
        "wrist_1_joint",
        "wrist_2_joint",
    )
    for joint in (*held, "wrist_3_joint"):
        session.set_locked(joint, True)
    type_into(qtbot, box.position[2], "0.6 m")
    assert "all joints that move it are locked" in box.short.text()


def test_a_frame_that_nothing_moves_is_told_and_not_typed(qtbot: Any, session: Session) -> None:
    box = box_of(qtbot, session)
    box.show_frame("base_link")
    assert all(field.isReadOnly() for field in (*box.position, *box.rotation))
    assert numbers(box.position) == (0.0, 0.0, 0.0)
    box.show_frame("tool0")
    assert not any(field.isReadOnly() for field in (*box.position, *box.rotation))
    box.show_frame(None)
    assert box.isHidden()


def test_units_are_those_of_the_window(qtbot: Any, session: Session) -> None:
    box = box_of(qtbot, session)
    session.set_display(length_unit=LengthUnit.METRE, angle_unit=AngleUnit.RADIAN)
    assert [unit.text() for unit in box._units] == ["m", "rad"]
    type_into(qtbot, box.position[0], "0.41")
    assert box.position[0].value == 0.41


@pytest.fixture(scope="module")
def ur10e() -> Path:
    """Asked for before the window: where the robot is not, none is opened that goes on
    measuring."""
    return shared_robots() / "ur10e" / "ur10e.urdf"


@pytest.fixture
def window(ur10e: Path, one_window_with_view: MainWindow) -> Iterator[MainWindow]:
    one_window_with_view.session.open(None)
    open_in(one_window_with_view, ur10e)
    wait_until(lambda: one_window_with_view.self_collision.live.is_ready)
    yield one_window_with_view
    one_window_with_view.motion.controller.set_trajectory(None)
    wait_until(lambda: not one_window_with_view.motion.controller.is_busy)
    put_back(one_window_with_view)
    assert one_window_with_view.viewport is not None
    one_window_with_view.viewport.scene.pace.end()


def until(qtbot: Any, condition: Callable[[], object]) -> None:
    qtbot.waitUntil(lambda: bool(condition()), timeout=120_000)


def enter(field: NumberField, text: str) -> None:
    """Typed, in a window that need not have the focus."""
    field.setText(text)
    field.setModified(True)
    assert field.commit()


def click(button: QToolButton) -> None:
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def test_type_a_target_plan_and_go_straight(
    window: MainWindow, qtbot: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, controller = window.session, window.motion.controller
    session.select(Selection(links=("tool0",)))
    panel = window.docks.show("selection")
    box = panel.numbers.place  # type: ignore[attr-defined]
    plan, straight = box.tries
    assert not plan.isEnabled()
    assert "first" in plan.toolTip()
    qtbot.waitUntil(lambda: plan.height() > 15)
    start = session.pose
    z = box.position[2].value
    enter(box.position[2], "-=120 mm")
    goal = session.transform("tool0")
    assert goal is not None
    goal = goal.copy()
    assert goal[2, 3] == pytest.approx(z - 0.12, abs=1e-7)
    for button, name in ((straight, "straight line of 120.0 mm"), (plan, "proven free")):
        assert button.isEnabled()
        click(button)
        until(qtbot, lambda: not controller.is_busy)
        trajectory = controller.player.trajectory
        motion = window.motion.show_panel()
        assert trajectory is not None, motion.results.sentence.text()
        assert name in motion.results.sentence.text()
        assert trajectory.pose(0) == {joint: start[joint] for joint in trajectory.joints}
        controller.player.pause()
        controller.player.seek(controller.player.duration)
        arrived = session.transform("tool0")
        assert arrived is not None
        np.testing.assert_allclose(arrived, goal, atol=5e-4)
    path = tmp_path / "motion.csv"
    monkeypatch.setattr("editor_app.window.dialogs.save_target", lambda *_: path)
    assert window.motion.save_as(TrajectoryFormat.CSV)
    assert len(editor_app.read_trajectory(path)) == len(controller.player.trajectory or ())
    # Beyond its reach: what is free of the line is shown, and what stops it is told.
    controller.player.seek(0.0)
    enter(box.position[2], "3 m")
    click(straight)
    until(qtbot, lambda: not controller.is_busy)
    sentence = window.motion.show_panel().results.sentence.text()
    assert sentence.startswith("No straight line: it ends at ")
    assert "out of reach" in sentence


def test_a_place_is_copied_and_pasted(window: MainWindow, qtbot: Any) -> None:
    session, registry = window.session, window.registry
    clipboard = QGuiApplication.clipboard()
    session.select(Selection(links=("tool0",)))
    place = session.transform("tool0")
    assert place is not None
    place = place.copy()
    start = session.pose
    for kind, word in (
        ("urdf", "<origin"),
        ("xrdf", "fixed_transform"),
        ("ros", "frame_id: base_link"),
    ):
        registry[f"place.copy_{kind}"].trigger()
        assert word in clipboard.text()
        session.move_joints(
            {
                "elbow_joint": start["elbow_joint"] + 0.3,
                "wrist_1_joint": start["wrist_1_joint"] - 0.2,
            }
        )
        assert session.transform("tool0") != pytest.approx(place, abs=1e-3)
        registry["place.paste"].trigger()
        assert session.transform("tool0") == pytest.approx(place, abs=1e-8)
    refused: list[str] = []
    session.refused.connect(refused.append)
    clipboard.setText("no place at all")
    registry["place.paste"].trigger()
    assert refused
    clipboard.clear()


def rest(window: MainWindow) -> None:
    """The joints have stood still for a while."""
    window.pose_history._moved -= 10.0


def test_what_is_posed_is_undone_by_keys_of_its_own(window: MainWindow, qtbot: Any) -> None:
    session, registry = window.session, window.registry
    poses = [dict(session.free_pose)]
    assert not window.pose_history.before
    rest(window)
    assert registry["pose.back"].shortcut().toString() == "Alt+Z"
    for k in (1, 2):
        # Steps of one drag are one pose.
        for _ in range(4):
            session.move_joints({"elbow_joint": session.pose["elbow_joint"] - 0.05 * k})
        poses.append(dict(session.free_pose))
        rest(window)
    session.move_joints({"wrist_1_joint": session.pose["wrist_1_joint"] + 0.2})
    poses.append(dict(session.free_pose))
    # What nobody sees is no other pose.
    rest(window)
    session.move_joints({"elbow_joint": session.pose["elbow_joint"] + 1e-9})
    rest(window)
    session.move_joints({"elbow_joint": poses[-1]["elbow_joint"]})
    for expected in reversed(poses[:-1]):
        registry["pose.back"].trigger()
        assert dict(session.free_pose) == expected
    registry.refresh()
    assert not registry["pose.back"].isEnabled()
    for expected in poses[1:]:
        registry["pose.forward"].trigger()
        assert dict(session.free_pose) == expected
    registry.refresh()
    assert not registry["pose.forward"].isEnabled()
    assert session.document.undo_label is None
    # Another pose takes the place of those that came after.
    registry["pose.back"].trigger()
    session.move_joints({"wrist_2_joint": 0.5})
    rest(window)
    registry.refresh()
    assert not registry["pose.forward"].isEnabled()
    registry["pose.back"].trigger()
    assert dict(session.free_pose) == poses[2]
    # Poses that differ in a joint that is locked by now are none to go to: the action would do
    # nothing.
    rest(window)
    session.set_locked("wrist_2_joint", True)
    registry.refresh()
    assert not registry["pose.forward"].isEnabled()
    assert registry["pose.back"].isEnabled()
    while registry["pose.back"].isEnabled():
        before = dict(session.pose)
        registry["pose.back"].trigger()
        assert dict(session.pose) != before
        registry.refresh()
    session.set_locked("wrist_2_joint", False)
    registry.refresh()
    assert registry["pose.forward"].isEnabled()


def test_a_tool_keeps_its_rotation_or_its_tilt_and_a_joint_moves_last(window: MainWindow) -> None:
    session, registry = window.session, window.registry
    reaching = session.reaching
    place = session.transform("tool0")
    assert place is not None
    place = place.copy()
    place[:3, 3] += (0.0, 0.05, 0.0)

    def target() -> editor_app.ToolTarget:
        return reaching.targets(reaching.solver("tool0"), place, turned=False)[0]

    registry.refresh()
    assert registry["pose.keep_rotation"].isChecked()
    assert target().rotation is not None
    assert not target().upright
    registry["pose.keep_upright"].trigger()
    registry.refresh()
    assert not registry["pose.keep_rotation"].isChecked()
    assert target().upright
    registry["pose.keep_upright"].trigger()
    assert target().rotation is None
    registry["pose.keep_rotation"].trigger()
    assert reaching.keeps is Keep.ROTATION
    session.select(Selection(joints=("shoulder_pan_joint",)))
    registry.refresh()
    registry["pose.last"].trigger()
    assert reaching.last == {"shoulder_pan_joint"}
    solver = reaching.solver("tool0")
    assert solver.chain.readiness[solver.chain.variables.index("shoulder_pan_joint")] < 0.1
    registry.refresh()
    assert registry["pose.last"].isChecked()
    joints = window.docks.show("joints")
    assert isinstance(joints, JointsPanel)
    row = joints.rows["shoulder_pan_joint"]
    assert row.is_last
    assert row.mark.toolTip().startswith("Moves last: ")
    assert not row.mark.pixmap().isNull()
    registry["pose.last"].trigger()
    assert not reaching.last
    assert not row.is_last
    session.select(Selection())
    registry.refresh()
    assert "Select a movable joint" in registry["pose.last"].toolTip()
