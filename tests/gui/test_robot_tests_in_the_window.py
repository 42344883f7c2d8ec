"""The panel Tests runs the tests of the robot in the background, shows a failed one, and adds tests by use."""

from __future__ import annotations

from pathlib import Path

import editor_app
from editor_app.window.main_window import MainWindow
from tests.helpers.fitting_windows import LONG, nothing_goes_on_running, nothing_of_qt_is_left
from tests.helpers.fitting_windows import window_alone as window
from tests.helpers.turner import HEAD, write_turner
from tests.helpers.windows import open_in, settle, wait_until

__all__ = ["nothing_goes_on_running", "nothing_of_qt_is_left", "window"]


def test_an_edit_runs_the_tests_and_a_click_shows_the_failure(window: MainWindow, tmp_path: Path) -> None:
    urdf = write_turner(tmp_path / "robot")
    path = urdf.with_name("turner.tests.yaml")
    path.write_text(
        HEAD + "  - {name: side, free: {at: {yaw: 1.0}}}\n  - {name: reset, limits: {joint: yaw, velocity: 2}}\n",
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
    wait_until(lambda: not testing.is_stale and testing.report is not None and not testing.report.is_passed, LONG)
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
