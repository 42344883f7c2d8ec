"""The timeline: a dropped trajectory is played and measured, the worst moment is a click, obstacles
glow."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageSequence
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QImage, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolButton

from editor_app.core.document.selection import Selection
from editor_app.core.model.scene import EMPTY_SCENE, BoxShape, CylinderShape, Obstacle, SphereShape
from editor_app.core.model.trajectory import Trajectory
from editor_app.plugins.motion.engine.results import Outcome
from editor_app.plugins.motion.verbs.plan import SmokeTest
from editor_app.plugins.motion.window.obstacles_shown import ObstaclesShown
from editor_app.plugins.motion.window.panel import MotionPanel
from editor_app.plugins.motion.window.player import FilmExport
from editor_app.plugins.motion.window.plot import PlotPoint
from editor_app.window.main_window import MainWindow
from editor_app.window.viewport.gizmo import Handle
from tests.helpers.mask_fixtures import nothing_goes_on_running, one_window_with_view
from tests.helpers.robots import sample_urdf
from tests.helpers.viewport import handle_tip
from tests.helpers.windows import open_in, put_back, wait_until

__all__ = ["nothing_goes_on_running", "one_window_with_view"]


@pytest.fixture
def window(one_window_with_view: MainWindow) -> Iterator[MainWindow]:
    one_window_with_view.session.open(None)
    open_in(one_window_with_view, sample_urdf())
    wait_until(lambda: one_window_with_view.self_collision.live.is_ready)
    yield one_window_with_view
    one_window_with_view.motion.controller.set_trajectory(None)
    one_window_with_view.motion.controller.set_scene(EMPTY_SCENE)
    wait_until(lambda: not one_window_with_view.motion.controller.is_busy)
    put_back(one_window_with_view)
    assert one_window_with_view.viewport is not None
    one_window_with_view.viewport.scene.pace.end()


@pytest.fixture
def panel(window: MainWindow) -> MotionPanel:
    return window.motion.show_panel()


def until(qtbot: Any, condition: Callable[[], object]) -> None:
    qtbot.waitUntil(lambda: bool(condition()), timeout=120_000)


def joint_names(window: MainWindow) -> tuple[str, str]:
    tree = window.session.tree
    return tree.independent[0], tree.independent[1]


def drop(window: MainWindow, path: Path, text: str) -> None:
    path.write_text(text)
    window.open_files([path])


def test_a_dropped_trajectory_is_measured_and_the_worst_moment_is_a_click(
    window: MainWindow, panel: MotionPanel, qtbot: Any, tmp_path: Path
) -> None:
    one, other = joint_names(window)
    drop(window, tmp_path / "way.csv", f"time,{one},{other}\n0,0,0\n1,0.4,0.2\n3,-0.6,0.1\n")
    controller = window.motion.controller
    until(qtbot, lambda: controller.collided)
    readings, worst = controller.readings()
    assert worst is not None
    assert min(reading.clearance for reading in readings) >= worst.clearance - 1e-4
    assert panel.verdict.text()
    spot = panel.plot._point(worst)
    QTest.mouseClick(panel.plot, Qt.MouseButton.LeftButton, pos=QPointF(spot.x() + 3, 20).toPoint())
    assert controller.player.seconds == worst.seconds
    controller.player.seek(2.0)
    assert window.session.pose[one] == pytest.approx(-0.1)
    panel.slider.setValue(0)
    assert window.session.pose[one] == pytest.approx(0.0)


def test_play_moves_the_robot_and_stops_at_the_end(
    window: MainWindow, panel: MotionPanel, qtbot: Any
) -> None:
    one, _ = joint_names(window)
    controller, session = window.motion.controller, window.session
    controller.store_pose()
    session.set_pose(session.pose.set(one, session.pose[one] + 0.3))
    controller.store_pose()
    end = session.pose[one]
    assert controller.player.trajectory is not None
    assert len(controller.player.trajectory) == 2
    panel.speed.setCurrentIndex(panel.speed.count() - 1)
    panel.speed.activated.emit(panel.speed.currentIndex())
    panel.play_button.click()
    until(qtbot, lambda: not controller.player.is_playing)
    assert session.pose[one] == pytest.approx(end)
    assert controller.player.seconds == controller.player.duration
    assert not session.document.is_modified


def test_an_obstacle_is_shown_and_what_touches_it_is_told(
    window: MainWindow, panel: MotionPanel, qtbot: Any
) -> None:
    assert window.viewport is not None
    panel.tabs.setCurrentWidget(panel.scene)
    panel.scene.add("block", BoxShape((3.0, 3.0, 3.0)))
    panel.scene.add("far", SphereShape(0.1))
    panel.scene.place[0].edited.emit(9.0, False)
    assert window.viewport.scene.obstacles._shown.keys() == {"block", "far"}
    scene = window.motion.controller.scene
    assert scene.obstacles[1].position[0] == 9.0
    until(qtbot, lambda: window.motion.shown.touches)
    assert {name for _, name, _ in window.motion.shown.touches} == {"block"}
    assert "block" in panel.scene.contacts.whole_text
    assert panel.scene.contacts.isVisible()
    assert panel.scene.contacts.geometry().bottom() <= panel.scene.details.geometry().top(), (
        "above what may be cut"
    )
    counter = window.motion.counter
    hit = {link for link, _, _ in window.motion.shown.touches}
    assert counter.text() == f"{len(hit)} links collide with an obstacle"
    assert counter.isVisible()
    panel.scene.choose(0)
    panel.scene.fields[0].edited.emit(-1.0, False)
    assert window.motion.controller.scene.obstacles[0].shape == BoxShape((3.0, 3.0, 3.0))
    panel.scene.remove_button.click()
    until(qtbot, lambda: not window.motion.shown.touches)
    assert window.viewport.scene.obstacles._shown.keys() == {"far"}
    assert counter.text() == "No obstacle touched"
    panel.scene.remove_button.click()
    until(qtbot, lambda: not counter.isVisible())


def test_an_obstacle_is_dragged_in_the_view(
    window: MainWindow, panel: MotionPanel, qtbot: Any
) -> None:
    viewport, controller, shown = window.viewport, window.motion.controller, window.motion.shown
    assert viewport is not None
    scene, canvas, camera = viewport.scene, viewport.canvas, viewport.scene.camera
    viewport.reset_camera()
    panel.scene.add("block", BoxShape((0.05, 0.05, 0.05)))
    assert shown.taken == "block"
    assert scene.gizmo.has_rings
    first = controller.scene.obstacles[0]
    reach = scene.gizmo.length

    def handle(grip: Handle) -> QPoint:
        x, y = camera.project(handle_tip(scene.gizmo, grip))[0, :2]
        assert scene.gizmo.pick(x, y) == grip
        return QPointF(x, y).toPoint()

    def pull(start: QPoint, by: QPoint, end: bool = True) -> None:
        QTest.mousePress(canvas, Qt.MouseButton.LeftButton, pos=start)
        for share in (0.3, 0.6, 1.0):
            drag_to(canvas, start + by * share)
        if end:
            QTest.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=start + by)

    pull(handle(Handle(2, False)), QPoint(0, -30))
    moved = controller.scene.obstacles[0]
    assert moved.position[2] > first.position[2] + 0.1 * reach
    assert moved.position[:2] == pytest.approx(first.position[:2])
    assert panel.scene.place[2].value == pytest.approx(moved.position[2])
    pose = scene.obstacles.pose("block")
    assert pose is not None
    assert tuple(pose[:3, 3]) == moved.position
    pull(handle(Handle(2, False, True)), QPoint(25, 10))
    assert controller.scene.obstacles[0].orientation_wxyz != moved.orientation_wxyz
    assert controller.scene.obstacles[0].position == pytest.approx(moved.position)
    turned = controller.scene
    pull(handle(Handle(0, False)), QPoint(20, 20), end=False)
    assert controller.scene != turned
    QTest.keyClick(canvas, Qt.Key.Key_Escape)
    QTest.mouseRelease(canvas, Qt.MouseButton.LeftButton)
    assert controller.scene == turned
    QTest.keyClick(canvas, Qt.Key.Key_Escape)
    assert shown.taken == ""
    assert not scene.gizmo.is_shown
    # A click in the view takes it again; its side follows the pointer in the view plane.
    x, y = camera.project(np.array(turned.obstacles[0].position))[0, :2]
    middle = QPointF(x, y).toPoint()
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=middle)
    assert shown.taken == "block"
    pull(middle, QPoint(-12, 0))
    now = np.array(controller.scene.obstacles[0].position)
    assert camera.project(now)[0, 0] == pytest.approx(x - 12, abs=2.0)
    # Into the robot: what touches glows while it is there.
    link = window.session.transforms[-1][:3, 3]
    controller.set_scene(
        controller.scene.with_obstacle(replace(first, position=tuple(link.tolist())))
    )
    until(qtbot, lambda: shown.touches)
    assert "obstacle contacts" in scene.overlay.names
    window.session.select(Selection(links=(window.session.tree.frames[1],)))
    assert shown.taken == ""
    document = window.session.document
    assert [step.label for step in document.history[-4:]] == [*3 * ["Move block"], "Change scene"]
    window.session.undo()
    window.session.undo()
    assert controller.scene == turned, "each drag is one step; the one that Esc took back is none"


def test_results_come(window: MainWindow, panel: MotionPanel, qtbot: Any) -> None:
    controller = window.motion.controller
    panel.tabs.setCurrentWidget(panel.results)
    # Before anything was tried, there is a sentence and no empty table.
    assert panel.results.hint.isVisible()
    assert not panel.results.tests.isVisible()
    window.registry["motion.smoke"].trigger()
    until(qtbot, lambda: not controller.is_busy)
    table = panel.results.tests
    assert table.isVisible()
    assert [table.headerItem().text(k) for k in range(table.columnCount())] == ["", "as opened"]
    window.registry["motion.try"].trigger()
    until(qtbot, lambda: not controller.is_busy)
    assert panel.results.sentence.text()
    controller.player.pause()


def test_a_plan_that_fails_leaves_no_motion_of_the_plan_before_to_be_saved(
    window: MainWindow, panel: MotionPanel, qtbot: Any
) -> None:
    controller, registry = panel.results._controller, window.registry
    joint = joint_names(window)[0]
    controller.set_trajectory(None)

    def is_savable() -> bool:
        registry.refresh()
        return registry["motion.save"].isEnabled()

    def plan_to(position: float) -> None:
        controller.try_motion(Trajectory((joint,), ((position,),)))
        until(qtbot, lambda: not controller.is_busy)

    here = window.session.pose[joint]
    plan_to(here + 0.02)
    controller.player.pause()
    planned = controller.player.trajectory
    assert planned is not None
    assert is_savable()
    plan_to(1e3)
    assert panel.results.sentence.text().startswith("No motion: ")
    assert controller.player.trajectory is None
    assert not is_savable()
    # A motion of a file is nobody's plan: it stays, and is said to be another one.
    controller.set_trajectory(planned)
    plan_to(1e3)
    assert controller.player.trajectory is planned
    assert panel.results.sentence.text().endswith("The view still shows an earlier motion.")


def test_smoke_tests_before_and_after_an_edit_stand_side_by_side(
    panel: MotionPanel, qtbot: Any
) -> None:
    def tested(solved: int, median: float, free: float, **blocking: float) -> SmokeTest:
        outcomes = (Outcome.SOLVED,) * solved + (Outcome.TIMED_OUT,) * (10 - solved)
        pairs = tuple(((name, "wall"), share) for name, share in blocking.items())
        return SmokeTest(10, 0, free, 100, outcomes, (median,) * 10, (1.0,) * solved, pairs)

    controller = panel.results._controller
    controller.tests = [
        (tested(7, 2.0, 0.5, elbow=0.3, wrist=0.2), "as opened"),
        (tested(9, 1.5, 0.6, wrist=0.25, hand=0.01), "Shrink sphere"),
    ]
    controller.result_came.emit("")
    table = panel.results.tests
    assert table.isVisible()

    def cells(item: Any) -> list[str]:
        return [item.text(k) for k in range(table.columnCount())]

    def top(row: int) -> Any:
        return table.topLevelItem(row)

    def pairs() -> list[list[str]]:
        return [cells(top(3).child(k)) for k in range(top(3).childCount())]

    assert cells(table.headerItem()) == ["", "as opened", "Shrink sphere", "Change"]
    measured = [cells(top(k)) for k in range(3)]
    assert measured == [
        ["Free poses", "50.0 %", "60.0 %", "+10.0 %"],
        ["Queries solved", "70.0 %", "90.0 %", "+20.0 %"],
        ["Median CPU time", "2.0 ms", "1.5 ms", "−0.5 ms"],
    ]
    assert pairs() == [
        ["elbow – wall", "30.0 %", "0.0 %", "−30.0 %"],
        ["wrist – wall", "20.0 %", "25.0 %", "+5.0 %"],
        ["hand – wall", "0.0 %", "1.0 %", "+1.0 %"],
    ]
    for column, order, first in (
        (2, Qt.SortOrder.DescendingOrder, "wrist"),
        (3, Qt.SortOrder.AscendingOrder, "elbow"),
    ):
        table.sortByColumn(column, order)
        assert pairs()[0][0].startswith(first)
        assert top(0).text(0) == "Free poses"
    controller.tests = []
    controller.result_came.emit("")
    assert not table.isVisible()


def test_a_motion_is_planned_to_where_the_tool_was_dragged(
    window: MainWindow, panel: MotionPanel, qtbot: Any
) -> None:
    registry, viewport, session = window.registry, window.viewport, window.session
    assert viewport is not None
    controller, canvas, gizmo = window.motion.controller, viewport.canvas, viewport.scene.gizmo
    viewport.set_tool("pose")
    registry.refresh()
    assert "Drag a tool first" in registry["motion.to_tool"].toolTip()
    before = dict(session.pose)
    at = viewport.scene.camera.project(handle_tip(gizmo, Handle(2, False)))[0, :2]
    start, end = (QPointF(at[0], at[1] + down).toPoint() for down in (0, 40))
    QTest.mousePress(canvas, Qt.MouseButton.LeftButton, pos=start)
    for share in (0.3, 0.6, 1.0):
        drag_to(canvas, start + (end - start) * share)
    QTest.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=end)
    dragged = session.reaching.put
    assert dragged is not None
    assert dict(dragged.before) == before
    tool = dragged.targets[0].frame
    goal = session.transform(tool)
    assert goal is not None
    goal = goal.copy()
    assert dict(session.pose) != before
    registry.refresh()
    registry["motion.to_tool"].trigger()
    until(qtbot, lambda: not controller.is_busy)
    trajectory = controller.player.trajectory
    assert trajectory is not None, panel.results.sentence.text()
    assert trajectory.pose(0) == {name: before[name] for name in trajectory.joints}
    until(qtbot, lambda: not controller.player.is_playing)
    controller.player.seek(controller.player.duration)
    arrived = session.transform(tool)
    assert arrived is not None
    np.testing.assert_allclose(arrived, goal, atol=5e-4)
    assert window.session.document.undo_label is None
    viewport.set_tool("select")


def drag_to(canvas: Any, at: QPoint) -> None:
    place = QPointF(at)
    event = QMouseEvent(
        QEvent.Type.MouseMove,
        place,
        QPointF(canvas.mapToGlobal(at)),
        Qt.MouseButton.NoButton,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(canvas, event)


def test_a_film_lasts_as_long_as_the_motion(
    window: MainWindow, panel: MotionPanel, qtbot: Any, tmp_path: Path
) -> None:
    one, other = joint_names(window)
    drop(window, tmp_path / "way.csv", f"time,{one},{other}\n0,0,0\n1,0.4,0.2\n")
    player = window.motion.controller.player
    until(qtbot, lambda: player.trajectory is not None and player.duration == 1.0)
    ends: list[str] = []
    film = window.motion.export_film(tmp_path / "film.gif")
    film.ended.connect(ends.append)
    until(qtbot, lambda: ends)
    assert ends == [""]
    # A GIF holds equal frames once, for longer: what the view had drawn decides over their number,
    # not over the time.
    speed = player.speed
    with Image.open(tmp_path / "film.gif") as picture:
        seconds = sum(frame.info["duration"] for frame in ImageSequence.Iterator(picture)) / 1000
    assert seconds == pytest.approx(1.0 / speed + 0.05, abs=0.03)


def test_each_frame_of_a_film_is_taken_at_a_pose_of_its_own(
    window: MainWindow, panel: MotionPanel, qtbot: Any, tmp_path: Path
) -> None:
    one, other = joint_names(window)
    drop(window, tmp_path / "way.csv", f"time,{one},{other}\n0,0,0\n1,0.4,0.2\n")
    player = window.motion.controller.player
    until(qtbot, lambda: player.trajectory is not None and player.duration == 1.0)
    poses: list[float] = []

    def picture() -> QImage:
        poses.append(window.session.pose[one])
        image = QImage(64, 48, QImage.Format.Format_RGB888)
        image.fill(QColor.fromHsvF(0.0, 0.0, poses[-1] / 0.4))
        return image

    ends: list[str] = []
    film = FilmExport(player, picture, tmp_path / "film.gif")
    film.ended.connect(ends.append)
    film.start()
    until(qtbot, lambda: ends)
    assert ends == [""]
    assert poses == pytest.approx(np.linspace(0.0, 0.4, len(poses)).tolist())
    with Image.open(tmp_path / "film.gif") as written:
        assert len(poses) > 3
        assert getattr(written, "n_frames", 1) > 3


def test_a_scene_is_dropped_and_nonsense_is_left_to_others(
    window: MainWindow, panel: MotionPanel, qtbot: Any, tmp_path: Path
) -> None:
    text = (
        "format: xrdf-editor-scene\nobstacles:\n  - {name: table, box: {size: [1, 1, 0.1]}, "
        "position: [0, 0, -2]}\n"
    )
    drop(window, tmp_path / "room.yaml", text)
    wait_until(lambda: [o.name for o in window.motion.controller.scene.obstacles] == ["table"])
    assert window.motion.file_use(tmp_path / "robot.urdf") is None
    (tmp_path / "robot.yaml").write_text("format: xrdf\ncspace:\n  joint_names: [a]\n")
    assert window.motion.file_use(tmp_path / "robot.yaml") is None


def test_the_plot_maps_clicks_to_times(panel: MotionPanel) -> None:
    panel.plot.show_readings([PlotPoint(0.0, 0.1), PlotPoint(2.0, -0.1)], 2.0, None)
    seen: list[float] = []
    panel.plot.clicked.connect(seen.append)
    area = panel.plot._area()
    QTest.mouseClick(panel.plot, Qt.MouseButton.LeftButton, pos=area.center().toPoint())
    assert seen == [pytest.approx(1.0, abs=0.02)]


def test_the_goals_open_below_their_button(window: MainWindow, panel: MotionPanel) -> None:
    button = next(
        b
        for b in panel.findChildren(QToolButton)
        if b.defaultAction() is window.registry["motion.to"]
    )
    button.click()
    goals = window.motion.goals
    wait_until(goals.isVisible)
    corner = button.mapToGlobal(button.rect().bottomLeft())
    assert goals.x() == corner.x()
    assert goals.y() <= corner.y() + 1, "below it, or above where the screen ends"
    listed = [entry.text for entry in window.poses.entries()]
    offered = [action.text() for action in goals.actions()]
    assert offered[2 : 2 + len(listed)] == listed, "by the names of the list beside the sliders"
    goals.close()


def test_goals_open_below_the_button_that_asks_for_them(
    window: MainWindow, panel: MotionPanel
) -> None:
    action = window.registry["motion.to"]
    button = next(b for b in panel.findChildren(QToolButton) if b.defaultAction() is action)
    wait_until(button.isVisible)
    button.click()
    menu = QApplication.activePopupWidget()
    assert menu is not None
    try:
        corner = button.mapToGlobal(QPoint(0, button.height()))
        screen = button.screen().availableGeometry()
        assert abs(menu.x() - corner.x()) <= 2 or menu.geometry().right() >= screen.right() - 2
        # Below it, or right above it where the screen ends.
        assert (
            abs(menu.y() - corner.y()) <= 2
            or menu.geometry().bottom() <= button.mapToGlobal(QPoint()).y() + 2
        )
    finally:
        menu.close()


def test_a_new_obstacle_is_no_larger_than_the_robot(window: MainWindow, panel: MotionPanel) -> None:
    menu = panel.scene.add_button.menu()
    for action in menu.actions()[:3]:
        action.trigger()
    reach = np.linalg.norm(window.session.transforms[:, :3, 3], axis=1).max()
    obstacles = window.motion.controller.scene.obstacles
    assert [type(obstacle.shape) for obstacle in obstacles] == [
        BoxShape,
        SphereShape,
        CylinderShape,
    ]
    for obstacle in obstacles:
        sizes = (
            obstacle.shape.size
            if isinstance(obstacle.shape, BoxShape)
            else (2 * obstacle.shape.radius,)
        )  # type: ignore[union-attr]
        assert 0.05 * reach < max(sizes) < 0.5 * max(reach, 1.0)
        assert 0 < np.linalg.norm(obstacle.position) < max(reach, 1.0)
    assert (0.4 if reach >= 1.0 else round(0.4 * reach, 2)) == obstacles[0].shape.size[0]  # type: ignore[union-attr]


def test_preparing_that_was_cancelled_begins_again_with_the_next_obstacle(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    controller = window.motion.controller
    cancels: list[Callable[[], object]] = []

    run_jobs = window.jobs.run

    def run(name: str, *work: Any, **choices: Any) -> object:
        # Slow checks of the findings may begin meanwhile.
        if name != "Preparing motion":
            return run_jobs(name, *work, **choices)
        cancels.append(choices["on_cancelled"])
        return None

    shown = ObstaclesShown(controller, window.jobs)
    monkeypatch.setattr(window.jobs, "run", run)
    scene = EMPTY_SCENE.with_obstacle(Obstacle("box", BoxShape((0.1, 0.1, 0.1)), (5.0, 0.0, 0.0)))
    shown._on_scene(scene)
    shown._on_scene(scene)
    assert len(cancels) == 1
    cancels[0]()
    shown._on_scene(scene)
    assert len(cancels) == 2
    shown.stop()
    shown.deleteLater()
    # Alone, the test is over before the window has warmed the fits up.
    wait_until(lambda: not window.fitting._warm_later.isActive())
