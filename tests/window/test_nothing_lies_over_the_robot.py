"""Cards, legends and notes over the view are all known to framing, and the robot and its handles
lie beside them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtTest import QSignalSpy
from PySide6.QtWidgets import QFrame, QWidget

from editor_app.core.document.commands.lists import SetItems
from editor_app.core.document.selection import Selection
from editor_app.core.model.frozen import FrozenDict
from editor_app.window.main_window import MainWindow
from editor_app.window.viewport.overlays import are_clear
from editor_app.window.viewport.view import Viewport
from tests.helpers.fitting_windows import (
    LONG,
    nothing_goes_on_running,
    nothing_of_qt_is_left,
    robot,
    run_tool,
    window,
)
from tests.helpers.robots import copy_of_sample
from tests.helpers.viewport import handle_tip
from tests.helpers.windows import open_in, wait_until

__all__ = ["nothing_goes_on_running", "nothing_of_qt_is_left", "robot", "window"]


@pytest.fixture
def view(robot: MainWindow) -> Iterator[Viewport]:
    """The view of the sample robot, that nobody has turned yet."""
    made = robot.viewport
    assert made is not None
    robot.session.set_display(visuals=True, spheres=True)
    made.standard_view("iso")
    made.scene.framing.is_moved_by_hand = False
    made.reset_camera()
    made.scene.framing.is_moved_by_hand = False
    yield made
    robot.central.toast.dismiss()
    robot.session.set_display(visuals=True, spheres=True)


def place(widget: QWidget) -> QRect:
    return QRect(widget.mapToGlobal(QPoint(0, 0)), widget.size())


def strangers(window: MainWindow) -> list[str]:
    """Widgets that are seen where the view is, and that framing has not been told of."""
    view = window.viewport
    assert view is not None
    expected = {*view.overlays.widgets(), *view.overlays.passing}

    def is_expected(widget: QWidget) -> bool:
        return widget in expected or any(part.isAncestorOf(widget) for part in expected)

    return [
        f"{type(widget).__name__} {widget.objectName()}"
        for widget in window.findChildren(QWidget)
        if widget.isVisible()
        and not widget.isWindow()
        and widget is not view
        and not widget.isAncestorOf(view)
        and place(widget).intersects(place(view))
        and not is_expected(widget)
    ]


def show_toast(window: MainWindow) -> QWidget:
    window.session.refused.emit("Create a geometry group first.")
    return window.central.toast


def show_legend(window: MainWindow) -> QWidget:
    heat = window.fitting.heat_map
    heat.set_on(True)
    wait_until(lambda: heat.links, LONG)
    assert heat._legend is not None
    return heat._legend


def show_note(window: MainWindow) -> QWidget:
    window.session.set_display(spheres=False)
    assert window.viewport is not None
    return window.viewport.hidden_note


def show_tool_box(window: MainWindow) -> QWidget:
    group = window.session.active_group
    assert group is not None
    table = window.viewport.scene.table  # type: ignore[union-attr]
    frame = table.refs[0].frame
    window.session.select(
        Selection(spheres=tuple(ref for ref in table.refs if ref.frame == frame)[:2])
    )
    run_tool(window, "connect")
    return window.fitting.tool_box


def test_a_tool_box_over_the_view_is_known_to_framing(robot: MainWindow, view: Viewport) -> None:
    shown = show_tool_box(robot)
    assert shown.isVisible()
    assert shown in view.overlays.widgets()
    wait_until(view.scene.framing.holds_robot, 60)
    assert strangers(robot) == []


def test_all_others_at_once_are_known_and_leave_the_robot_free(
    robot: MainWindow, view: Viewport
) -> None:
    widgets = []
    for show in (show_legend, show_note, show_toast):
        widgets.append(shown := show(robot))
        assert shown.isVisible()
        assert shown in view.overlays.widgets()
        assert strangers(robot) == []
    wait_until(view.scene.framing.holds_robot, 60)
    for number, one in enumerate(widgets):
        for other in widgets[number + 1 :]:
            assert not one.isVisible() or not place(one).intersects(place(other)), (one, other)
    assert strangers(robot) == []


def test_a_camera_that_a_person_moved_stays_and_the_toast_finds_a_free_place(
    robot: MainWindow, view: Viewport
) -> None:
    # The robot fills the lower edge.
    camera = view.scene.camera
    view.reset_camera()
    camera.pan(0.0, 60.0)
    before = camera.view
    toast = show_toast(robot)
    covers = view.overlays.covers()
    assert camera.view == before
    points = view.scene.framing.content_points()
    assert points is not None
    at = [c for c, w in zip(covers, view.overlays.widgets(), strict=True) if w is toast]
    assert are_clear(camera.project(points)[:, :2], at)


def test_a_robot_that_a_command_poses_out_of_the_view_comes_back(
    robot: MainWindow, view: Viewport
) -> None:
    framing, session = view.scene.framing, robot.session
    # The arm folds, the view is filled by it, and the arm stretches upwards.
    folded = {"shoulder_pitch_joint": 0.7, "elbow_pitch_joint": 1.2, "wrist_pitch_joint": 0.0}
    session.execute(SetItems("xrdf.default_joint_positions", FrozenDict(folded)))
    wait_until(lambda: not view.posed._pause.isActive())
    view.reset_camera()
    wait_until(framing.holds_robot, 60)
    session.execute(
        SetItems("xrdf.default_joint_positions", FrozenDict(dict.fromkeys(folded, 0.0)))
    )
    assert not framing.holds_robot()
    wait_until(framing.holds_robot, 60)
    session.undo()
    session.undo()


def test_the_card_of_the_next_step_lies_beside_the_robot(
    window: MainWindow, tmp_path: Path
) -> None:
    window.session.open(None)
    open_in(window, copy_of_sample(tmp_path / "robot", bare=True))
    view, steps = window.viewport, window.fitting.first_steps
    assert view is not None
    wait_until(lambda: steps._card is not None and steps._card.isVisible(), LONG)
    assert steps._card in view.overlays.widgets()
    wait_until(view.scene.framing.holds_robot, 60)
    assert strangers(window) == []
    # When it goes, the robot takes its room.
    before = view.scene.camera.view.distance
    steps._card.closed.click()
    wait_until(lambda: view.scene.camera.view.distance < before, 60)
    assert view.scene.framing.holds_robot()
    window.session.open(None)


def test_the_first_frame_with_a_card_has_the_robot_beside_it(
    robot: MainWindow, view: Viewport
) -> None:
    card = QFrame(view)
    card.setGeometry(60, 0, view.width() - 120, view.height() // 3)
    came = QSignalSpy(view.overlays.came)

    def is_free() -> bool:
        return view.scene.framing.free_of_robot()(view.overlays._place_of(card))

    try:
        card.show()
        assert not is_free(), "it would hide nothing"
        # The view draws a frame of its own, and makes room before it does: a frame that was on its
        # way comes before all that waits for the event loop.
        assert came.count()
        assert view.canvas.before_paint is not None
        view.canvas.before_paint()
        assert is_free()
    finally:
        card.setParent(None)
        card.deleteLater()


def test_a_widget_that_nobody_told_of_is_known_all_the_same(
    robot: MainWindow, view: Viewport
) -> None:
    """The next card will be made by somebody who has not read how it is done."""
    before = view.scene.camera.view
    card = QWidget(view)
    card.setGeometry(0, 0, view.width(), view.height() // 3)
    card.show()
    wait_until(lambda: view.scene.camera.view != before, 60)
    assert view.scene.framing.holds_robot()
    assert strangers(robot) == []
    view.overlays.let_pass(card)
    assert not [w for w in view.overlays.widgets() if w is card]
    view.overlays.passing.remove(card)
    card.setParent(None)
    card.deleteLater()


def _ends_of_handles(view: Viewport) -> Any:
    gizmo = view.scene.gizmo
    return view.scene.camera.project(gizmo.position + gizmo.length * gizmo._drawn.T)[:, :2]


def test_handles_end_in_the_view_where_it_is_framed_and_where_it_is_not(
    robot: MainWindow, view: Viewport
) -> None:
    scene = view.scene
    highest = max(
        scene.table.refs, key=lambda ref: float(scene.table.world[scene.table.row[ref]][2])
    )
    robot.session.select(Selection(spheres=(highest,)))
    scene.set_gizmo_in_link(False)
    view.reset_camera()
    gizmo = scene.gizmo
    assert gizmo.is_shown
    assert all(scene.camera.is_free(*end) for end in _ends_of_handles(view))
    assert gizmo._sides.tolist() == [1.0, 1.0, 1.0]
    # Near the upper edge, the arrow that would leave the view points downwards, and is dragged
    # there.
    at = scene.camera.project(gizmo.position)[0]
    scene.camera.pan(0.0, 30.0 - float(at[1]))
    assert all(scene.camera.is_free(*end) for end in _ends_of_handles(view))
    assert gizmo._sides[2] == -1.0
    tip = handle_tip(gizmo, gizmo._arrows[2])
    picked = gizmo.pick(*scene.camera.project(tip)[0, :2])
    assert picked == gizmo._arrows[2]
    assert np.allclose(gizmo.axes, np.eye(3)), "what is moved along is the same"
    scene.set_gizmo_in_link(True)


def test_handles_for_posing_are_seen_in_whole_when_they_are_asked_for(
    robot: MainWindow, view: Viewport
) -> None:
    gizmo = view.scene.gizmo
    view.set_tool("pose")
    assert gizmo.has_rings
    assert gizmo.is_seen()
    # Somebody who looks at something is not taken away from it.
    view.set_tool("select")
    view.scene.move_camera(lambda: view.scene.camera.pan(0.0, 300.0))
    before = view.scene.camera.view
    view.set_tool("pose")
    assert not gizmo.is_seen()
    assert view.scene.camera.view == before
    view.set_tool("select")
