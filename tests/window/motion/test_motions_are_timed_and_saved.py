"""Motions get times, are judged by the limits of the joints, and are saved as robots read them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolBar, QToolButton

from editor_app.core.document.beside import Beside
from editor_app.core.formats.trajectories import TrajectoryFormat, read_trajectory
from editor_app.core.model.trajectory import Trajectory
from editor_app.plugins.motion.window.panel import BUTTONS, MotionPanel
from editor_app.window import dialogs
from editor_app.window.main_window import MainWindow
from tests.helpers.documents import make_document
from tests.helpers.mask_fixtures import nothing_goes_on_running, one_window
from tests.helpers.robots import sample_urdf
from tests.helpers.windows import answer, open_in, put_back, wait_until

__all__ = ["nothing_goes_on_running", "one_window"]


@pytest.fixture
def window(one_window: MainWindow) -> Iterator[MainWindow]:
    one_window.session.open(None)
    open_in(one_window, sample_urdf())
    yield one_window
    one_window.session.set_beside(Beside(), "")
    one_window.motion.controller.set_trajectory(None)
    wait_until(lambda: not one_window.motion.controller.is_busy)
    put_back(one_window)


@pytest.fixture
def panel(window: MainWindow) -> MotionPanel:
    return window.motion.show_panel()


def until(qtbot: Any, condition: Callable[[], object]) -> None:
    qtbot.waitUntil(lambda: bool(condition()), timeout=120_000)


def click(panel: MotionPanel, window: MainWindow, name: str) -> None:
    """The button of an action in the panel."""
    action = window.registry[name]
    window.registry.refresh()
    (button,) = (b for b in panel.findChildren(QToolButton) if b.defaultAction() is action)
    assert button.isEnabled(), action.toolTip()
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def straight(window: MainWindow, times: tuple[float, float] | None) -> Trajectory:
    tree = window.session.tree
    joint = tree.independent[0]
    start = window.session.pose[joint]
    return Trajectory((joint,), ((start,), (start + 0.5,)), times)


def test_a_planned_motion_has_times_and_is_saved_for_the_robot(
    window: MainWindow,
    panel: MotionPanel,
    qtbot: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    controller = window.motion.controller
    click(panel, window, "motion.try")
    until(qtbot, lambda: not controller.is_busy)
    motion = controller.player.trajectory
    assert motion is not None, panel.results.sentence.text()
    assert motion.times is not None
    assert controller.player.duration == motion.times[-1]
    assert "points, proven free" in panel.results.sentence.text()
    assert "s within the limits of velocity, acceleration and jerk" in panel.results.sentence.text()
    assert "Too fast" not in panel.verdict.text()
    controller.player.pause()
    for kind in TrajectoryFormat:
        path = tmp_path / f"motion{kind.suffix}"
        monkeypatch.setattr(dialogs, "choose_save_file", lambda *_, path=path: str(path))
        click(panel, window, "motion.save")
        assert window.motion.forms.isVisible()
        (action,) = (a for a in window.motion.forms.actions() if a.text().startswith(kind.value))
        window.motion.forms.close()
        action.trigger()
        again = read_trajectory(path)
        assert (again.points, again.times) == (motion.points, motion.times)
    assert again.velocities == motion.velocities


def test_a_planned_motion_is_not_lost_without_a_question(
    window: MainWindow,
    panel: MotionPanel,
    qtbot: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    controller, seen = window.motion.controller, list[str]()
    controller.set_trajectory(straight(window, (0.0, 2.0)))
    answer("cancel", seen)
    assert window.files.may_lose_document(), "a motion of a file can be opened again"
    controller.time_motion()
    until(qtbot, lambda: not controller.is_busy)
    motion = controller.player.trajectory
    assert motion is not None
    question = f"Save the changes to the computed motion ({len(motion)} points)?"
    window.registry.trigger("file.close")
    assert window.session.has_robot
    window.files.reload()
    before = window.session.document
    wait_until(lambda: window.session.document is not before and not window.files.is_opening)
    assert controller.player.trajectory is motion, "the same robot keeps it"
    path = tmp_path / "kept.csv"
    monkeypatch.setattr(dialogs, "choose_save_file", lambda *_: str(path))
    answer("save", seen)
    make_document(tmp_path)
    open_in(window, tmp_path / "arm.urdf")
    assert [text.replace("<b>", "").replace("</b>", "") for text in seen] == [question, question]
    assert read_trajectory(path).points == motion.points
    assert controller.player.trajectory is None
    assert window.files.may_lose_document()


def test_a_motion_through_poses_gets_times_when_its_form_wants_them(
    window: MainWindow,
    panel: MotionPanel,
    qtbot: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    controller = window.motion.controller
    controller.set_trajectory(straight(window, None))
    until(qtbot, lambda: not controller.is_busy)
    plain, driven = tmp_path / "points.csv", tmp_path / "driven.yaml"
    monkeypatch.setattr(dialogs, "choose_save_file", lambda *_: str(plain))
    assert window.motion.save_as(TrajectoryFormat.CSV)
    assert read_trajectory(plain) == straight(window, None)
    monkeypatch.setattr(dialogs, "choose_save_file", lambda *_: str(driven))
    assert not window.motion.save_as(TrajectoryFormat.ROS), "times are looked for in the background"
    until(qtbot, lambda: not controller.is_busy)
    saved = read_trajectory(driven)
    assert saved == controller.player.trajectory
    assert saved.times is not None
    monkeypatch.setattr(dialogs, "choose_save_file", lambda *_: "")
    assert not window.motion.save_as(TrajectoryFormat.MOVEIT)


def test_a_motion_that_is_too_fast_is_told_with_its_joint_and_slowed_by_one_click(
    window: MainWindow, panel: MotionPanel, qtbot: Any
) -> None:
    controller = window.motion.controller
    controller.set_trajectory(straight(window, (0.0, 0.01)))
    until(qtbot, lambda: not controller.is_busy and panel.verdict.text())
    joint = straight(window, None).joints[0]
    assert f"Too fast: {joint} has velocity 50 rad/s at 0.005 s" in panel.verdict.text()
    click(panel, window, "motion.time")
    until(qtbot, lambda: not controller.is_busy)
    until(qtbot, lambda: panel.verdict.text())
    assert "Too fast" not in panel.verdict.text()
    assert controller.player.duration > 0.2


def test_the_report_of_a_motion_is_written(
    window: MainWindow,
    panel: MotionPanel,
    qtbot: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    controller = window.motion.controller
    controller.set_trajectory(straight(window, (0.0, 3.0)))
    until(qtbot, lambda: not controller.is_busy)
    page = tmp_path / "way.html"
    monkeypatch.setattr(dialogs, "choose_save_file", lambda *_: str(page.with_suffix("")))
    click(panel, window, "motion.report")
    until(qtbot, page.is_file)
    until(qtbot, lambda: not controller.is_busy)
    text = page.read_text(encoding="utf-8")
    assert "Proven on every straight line" in text
    assert "3.00 s, 2 points" in text


def test_no_button_is_pushed_out_of_a_narrow_window(window: MainWindow, panel: MotionPanel) -> None:
    assert isinstance(panel, MotionPanel)
    (bar,) = panel.findChildren(QToolBar)
    assert [action.text() for action in bar.actions() if not action.isSeparator()] == [
        window.registry[name].text() for name in BUTTONS if name
    ]
    # What has no room stands behind the arrow of the bar, which is within it.
    assert bar.minimumSizeHint().width() < 300
    assert panel.minimumSizeHint().width() < 1000
