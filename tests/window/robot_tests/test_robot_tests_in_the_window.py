"""The panel Tests runs the tests of the robot in the background, shows a failed one, and adds tests
by use."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest

import editor_app
from editor_app.__main__ import main
from editor_app.core.document.selection import Selection
from editor_app.core.space.kinematics.inverse import ToolTarget
from editor_app.window import dialogs
from editor_app.window.main_window import MainWindow
from editor_app.window.reaching import Put
from tests.helpers.fitting_windows import LONG, nothing_goes_on_running, nothing_of_qt_is_left
from tests.helpers.fitting_windows import window_alone as window
from tests.helpers.robots import copy_of_sample
from tests.helpers.turner import HEAD, write_turner
from tests.helpers.windows import open_in, settle, wait_until

__all__ = ["nothing_goes_on_running", "nothing_of_qt_is_left", "window"]


def test_an_edit_runs_the_tests_and_a_click_shows_the_failure(
    window: MainWindow, tmp_path: Path
) -> None:
    urdf = write_turner(tmp_path / "robot")
    path = urdf.with_name("turner.tests.yaml")
    path.write_text(
        HEAD
        + (
            "  - {name: side, free: {at: {yaw: 1.0}}}\n  - {name: reset, limits: {joint: yaw, "
            "velocity: 2}}\n"
        ),
        encoding="utf-8",
    )
    open_in(window, urdf)
    testing, session = window.robot_testing.runs, window.session
    assert not window.docks.dock("tests").isVisible()
    window.registry.trigger("tests.run")
    wait_until(lambda: testing.report is not None, LONG)
    panel = window.docks.panel("tests")
    assert panel.state.text().endswith("2 passed")
    assert [panel.model.look(each, 0).text for each in panel.model.items] == ["passed", "passed"]
    # The sphere of the arm grows over the post.
    sphere = editor_app.SphereRef("balls", "arm", 0)
    large = editor_app.CollisionSphere((0.3, 0.0, 0.0), 0.25)
    session.execute(editor_app.commands.SetSpheres(((sphere, large),), "Grow"))
    wait_until(
        lambda: (
            not testing.is_stale and testing.report is not None and not testing.report.is_passed
        ),
        LONG,
    )
    assert panel.model.look(panel.model.items[0], 0).text == "failed"
    panel.show_row(0)
    assert session.pose["yaw"] == 1.0
    assert {*session.selection.links} == {"arm", "post"}
    session.undo()
    wait_until(lambda: testing.report is not None and testing.report.is_passed, LONG)
    session.open(None)
    settle(window)
    assert testing.report is None


def test_the_pose_in_view_is_kept_as_test(window: MainWindow, tmp_path: Path) -> None:
    urdf = write_turner(tmp_path / "robot")
    open_in(window, urdf)
    path = urdf.with_name("turner.tests.yaml")
    testing, session = window.robot_testing.runs, window.session
    window.registry.trigger("tests.keep_pose")
    wait_until(path.is_file, LONG)
    session.set_joint("yaw", 1.5)
    before = path.read_text(encoding="utf-8")
    window.registry.trigger("tests.keep_pose")
    wait_until(lambda: path.read_text(encoding="utf-8") != before, LONG)
    text = path.read_text(encoding="utf-8")
    assert text.startswith(before.rstrip("\n"))
    assert "arm collides with post" in text
    wait_until(lambda: testing.report is not None and len(testing.report.results) == 2, LONG)
    assert testing.report is not None
    assert testing.report.told == "2 passed"
    assert "exists already" in window.registry["tests.propose"].toolTip()
    session.open(None)
    settle(window)


def test_target_place_measurement_and_recording_are_kept_as_tests(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    urdf = write_turner(tmp_path / "robot")
    open_in(window, urdf)
    path, session, registry = urdf.with_name("turner.tests.yaml"), window.session, window.registry
    runs = window.robot_testing.runs
    assert (runs.no_target(), runs.no_frame(), runs.no_measurement()) == (
        "Move a tool to a target first.",
        "Select a link or frame first.",
        "Select a measurement between two points first.",
    )
    session.set_joint("yaw", 0.5)
    session.reaching.put = Put(session.pose, (ToolTarget("tip", np.array([0.0, 0.4, 0.0])),))
    session.measured = (("tip", (0.0, 0.0, 0.1)), ("post", (0.0, 0.0, 0.0)))
    session.select(Selection(links=("tip",)))
    motion = tmp_path / "robot" / "run.csv"
    motion.write_text("time,yaw\n0,0\n1,0.5\n", encoding="utf-8")
    monkeypatch.setattr(dialogs, "choose_file", lambda *_: str(motion))
    assert runs.no_target() is runs.no_frame() is runs.no_measurement() is None
    for action in ("target", "place", "measurement", "recorded"):
        before = path.read_bytes() if path.is_file() else b""
        registry.trigger(f"tests.keep_{action}")
        wait_until(lambda before=before: path.is_file() and path.read_bytes() != before, LONG)  # type: ignore[misc]
    wait_until(lambda: runs.report is not None and len(runs.report.results) == 4, LONG)
    assert runs.report is not None
    assert [each.test.kind.KEY for each in runs.report.results] == [
        "reach",
        "frame",
        "distance",
        "motion",
    ]
    assert runs.report.is_passed
    # The command writes the same bytes as the window.
    other = write_turner(tmp_path / "other")
    (tmp_path / "other" / "run.csv").write_bytes(motion.read_bytes())
    assert main(["test", str(other), "--keep-from", str(tmp_path / "other" / "run.csv")]) == 0
    last = path.read_text(encoding="utf-8").partition('  - name: "run.csv')[2]
    assert (
        other.with_name("turner.tests.yaml")
        .read_text(encoding="utf-8")
        .partition('  - name: "run.csv')[2]
        == last
    )


def test_the_text_of_the_test_file_has_completion_faults_and_its_own_undo(
    window: MainWindow, tmp_path: Path
) -> None:
    urdf = write_turner(tmp_path / "robot")
    path = urdf.with_name("turner.tests.yaml")
    path.write_text(
        HEAD + "  - {name: reset, limits: {joint: yaw, velocity: 2}}\n", encoding="utf-8"
    )
    open_in(window, urdf)
    runs = window.robot_testing.runs
    window.registry.trigger("tests.run")
    panel = window.docks.panel("tests")
    wait_until(lambda: runs.report is not None, LONG)
    panel.edit_button.click()
    text = panel.text
    assert text.editor.toPlainText() == path.read_text(encoding="utf-8")
    text.editor.setFocus()
    wait_until(text.editor.hasFocus)
    text.editor.moveCursor(QTextCursor.MoveOperation.End)
    QTest.keyClicks(text.editor, "  - name: new")
    QTest.keyClick(text.editor, Qt.Key.Key_Return)
    QTest.keyClicks(text.editor, "  refe:")
    wait_until(lambda: "unknown key 'refe'" in text.state.text(), LONG)
    for _ in range(5):
        QTest.keyClick(text.editor, Qt.Key.Key_Backspace)
    QTest.keyClicks(text.editor, "rea")
    wait_until(lambda: text.helper.popup is not None, LONG)
    assert [item.label for item in text.helper.popup.items] == ["reach"]
    QTest.keyClick(text.editor, Qt.Key.Key_Return)
    assert text.editor.toPlainText().rstrip().endswith("reach:")
    before = window.session.document.xrdf_text
    QTest.keyClick(text.editor, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert text.editor.toPlainText().rstrip().endswith("rea")
    assert window.session.document.xrdf_text == before
    text.editor.setPlainText(HEAD + "  - {name: reset, limits: {joint: yaw, velocity: 3}}\n")
    text.editor.document().setModified(True)
    text.save_button.click()
    assert "velocity: 3" in path.read_text(encoding="utf-8")
    wait_until(lambda: runs.report is not None and not runs.report.is_passed, LONG)
    # Another program writes the file while it is edited here.
    text.editor.insertPlainText("# mine\n")
    path.write_text(HEAD, encoding="utf-8")
    text.save_button.click()
    assert path.read_text(encoding="utf-8") == HEAD
    assert text.is_modified
    text.editor.document().setModified(False)


def test_a_motion_that_is_shown_and_not_stored_is_kept_as_a_test(
    window: MainWindow, tmp_path: Path
) -> None:
    open_in(window, copy_of_sample(tmp_path / "robot"))
    joints = ("base_yaw_joint", "shoulder_pitch_joint")
    motion = editor_app.Trajectory(joints, ((0.0, 0.0), (0.1, 0.1)))
    assert "Plan a motion" in window.registry["tests.keep_motion"].toolTip()
    window.motion.controller.player.set_trajectory(motion)
    assert window.session.document.beside.trajectory is None
    window.registry.trigger("tests.keep_motion")
    wait_until(lambda: (tmp_path / "robot" / "heron.tests.yaml").is_file())
    assert "plan:" in (tmp_path / "robot" / "heron.tests.yaml").read_text(encoding="utf-8")
