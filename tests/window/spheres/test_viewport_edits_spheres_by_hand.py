"""Dragging, nudging, the wheel and clicks on surfaces change the document by what the hand did, in
one step each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from editor_app.core.document.selection import NOTHING, Selection
from editor_app.window.viewport.gizmo import Handle
from tests.helpers.viewport import (
    BASE,
    HIGH,
    LOW,
    TIP,
    XRDF,
    Stage,
    boxes,
    handle_tip,
    label_of,
    shown,
    stage,
)
from tests.helpers.windows import wait_until

__all__ = ["shown"]

pytestmark = pytest.mark.gui
NONE = Qt.KeyboardModifier.NoModifier
CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
ALT = Qt.KeyboardModifier.AltModifier


def offset(shown: Stage, ref: Any, before: Any) -> Any:
    return shown.world(ref) - before


class Pause:
    """Of quick edits, which makes them one run: however slow the machine, a run ends by `rest`
    alone."""

    def __init__(self, shown: Stage) -> None:
        self._timer = shown.view.interaction.edits._pause
        self._interval = self._timer.interval()
        self._timer.setInterval(600_000)

    def rest(self) -> None:
        """The hand rests for as long as ends a run."""
        self._timer.start(self._interval)
        wait_until(lambda: not self._timer.isActive(), 60)
        self._timer.setInterval(600_000)


def on_surface(shown: Stage, link: str, point: Any) -> float:
    """Distance of a point from the surface of the link's box."""
    pose = shown.session.transform(link)
    assert pose is not None
    local = (np.asarray(point) - pose[:3, 3]) @ pose[:3, :3]
    boxes = {
        "arm": ([0.0, 0.0, 0.3], [0.05, 0.05, 0.3]),
        "tip": ([0.0, 0.0, 0.0], [0.1, 0.03, 0.03]),
    }
    middle, half = np.array(boxes[link])
    away = np.abs(local - middle) - half
    return float(np.linalg.norm(np.maximum(away, 0)) + abs(min(away.max(), 0)))


def test_a_drag_moves_a_sphere_in_the_view_plane_and_is_one_step(shown: Stage) -> None:
    before, start = shown.world(TIP), shown.at(TIP)
    end = start + QPoint(60, -25)
    scale = shown.camera.metres_per_pixel(before)
    expected = shown.camera.right * 60 * scale + shown.camera.up * 25 * scale
    text = shown.document.xrdf_text
    view = shown.camera.view
    shown.drag(start, end)
    assert offset(shown, TIP, before) == pytest.approx(expected, abs=2e-6)
    assert shown.session.selection.spheres == (TIP,)
    assert shown.camera.view == view
    assert shown.document.position == 1
    assert shown.document.undo_label == "Move sphere 1 of tip"
    # Only the centre changed; the radius is written as it was.
    assert shown.sphere(TIP).radius == 0.07
    shown.session.undo()
    assert shown.world(TIP) == pytest.approx(before, abs=1e-12)
    assert shown.document.xrdf_text == text


def test_all_selected_spheres_move_together_across_links(shown: Stage) -> None:
    shown.session.select(Selection(spheres=(LOW, TIP, HIGH)))
    before = {r: shown.world(r) for r in (LOW, HIGH, TIP, BASE)}
    start = shown.at(HIGH) + QPoint(-9, 0)
    shown.drag(start, start + QPoint(40, 12))
    moved = {r: offset(shown, r, w) for r, w in before.items()}
    assert np.linalg.norm(moved[HIGH]) > 0.01
    for ref in (LOW, TIP):
        assert moved[ref] == pytest.approx(moved[HIGH], abs=2e-6)
    assert moved[BASE] == pytest.approx(np.zeros(3))
    assert shown.document.undo_label == "Move 3 spheres of 2 links"
    assert shown.document.position == 1


def test_escape_in_the_middle_of_a_drag_puts_it_back(shown: Stage) -> None:
    before, start = shown.world(TIP), shown.at(TIP)
    shown.press(start)
    shown.move(start + QPoint(30, 10))
    shown.move(start + QPoint(60, 20))
    assert np.linalg.norm(offset(shown, TIP, before)) > 0.01
    assert "mm" in label_of(shown.view)
    QTest.keyClick(shown.canvas, Qt.Key.Key_Escape)
    assert shown.world(TIP) == pytest.approx(before, abs=1e-12)
    assert shown.document.position == 0
    assert len(shown.document.history) == 1
    # What the hand still does before it lets go counts no more.
    shown.move(start + QPoint(90, 20))
    shown.release(start + QPoint(90, 20))
    assert shown.document.position == 0
    assert shown.world(TIP) == pytest.approx(before, abs=1e-12)
    assert label_of(shown.view) == ""


def test_undo_keys_during_a_drag_do_nothing(shown: Stage) -> None:
    start = shown.at(TIP)
    shown.session.select(Selection(spheres=(TIP,)))
    shown.press(start)
    shown.move(start + QPoint(30, 10))
    QTest.keyClick(shown.canvas, Qt.Key.Key_Delete)
    assert shown.document.robot.xrdf.group("balls").spheres["tip"][0].radius == 0.07  # type: ignore[union-attr]
    shown.release(start + QPoint(30, 10))
    assert shown.document.position == 1


def test_escape_otherwise_goes_one_step_back(shown: Stage) -> None:
    shown.click(shown.at(TIP))
    shown.key(Qt.Key.Key_A)
    assert shown.view.interaction.tool == "add"
    shown.key(Qt.Key.Key_Escape)
    assert shown.view.interaction.tool == "select"
    assert shown.session.selection.spheres == (TIP,)
    shown.key(Qt.Key.Key_Escape)
    assert shown.session.selection == NOTHING


def test_a_drag_on_nothing_moves_the_camera_and_not_the_document(shown: Stage) -> None:
    for button in (
        Qt.MouseButton.LeftButton,
        Qt.MouseButton.MiddleButton,
        Qt.MouseButton.RightButton,
    ):
        view = shown.camera.view
        corner = QPoint(shown.canvas.width() - 20, shown.canvas.height() - 20)
        assert shown.scene.aim.pick(*corner.toTuple()).link is None
        shown.drag(corner, corner - QPoint(25, 10), button=button)
        after = shown.camera.view
        assert after != view, button
        assert (after.focus == view.focus) is (button is Qt.MouseButton.LeftButton)
        assert shown.document.position == 0
        assert shown.session.selection == NOTHING


def test_alt_orbits_also_from_a_sphere(shown: Stage) -> None:
    view, start = shown.camera.view, shown.at(TIP)
    shown.drag(start, start + QPoint(40, 0), ALT)
    assert shown.camera.view.azimuth != view.azimuth
    assert shown.document.position == 0


def test_shift_slides_the_centre_along_the_surface(shown: Stage) -> None:
    shown.click(shown.at(HIGH))
    start = shown.at(HIGH) + QPoint(-8, 0)
    shown.press(start)
    for step in ((4, 8), (3, 20), (120, 10)):
        at = start + QPoint(*step)
        shown.move(at, SHIFT)
        # Also where the pointer is beside the mesh: then it is the nearest point of it.
        assert on_surface(shown, "arm", shown.world(HIGH)) < 5e-6
    shown.release(start + QPoint(120, 10), SHIFT)
    assert shown.document.position == 1


@pytest.mark.parametrize("in_link", [True, False])
def test_an_arrow_of_the_gizmo_moves_along_its_axis_alone(shown: Stage, in_link: bool) -> None:
    shown.session.select(Selection(spheres=(TIP,)))
    shown.view.scene.set_gizmo_in_link(in_link)
    shown.settle()
    gizmo, before, old = shown.scene.gizmo, shown.world(TIP), shown.center(TIP)
    handle = Handle(2, False)
    start = shown.pixel(handle_tip(gizmo, handle))
    assert gizmo.pick(start.x(), start.y()) == handle
    axis = gizmo.axes[:, 2].copy()
    ends = shown.camera.project(np.stack([before, before + axis * 0.1]))
    end = start + QPoint(*np.round((ends[1] - ends[0])[:2]).astype(int).tolist())
    shown.drag(start, end)
    moved = offset(shown, TIP, before)
    assert moved @ axis == pytest.approx(0.1, abs=0.01)
    assert moved == pytest.approx(axis * (moved @ axis), abs=2e-6)
    if in_link:
        # Numbers of the other axes are left exactly as they are written.
        assert shown.center(TIP)[:2] == old[:2]
    else:
        assert axis == pytest.approx([0, 0, 1])
    assert shown.document.position == 1


def test_a_plane_of_the_gizmo_keeps_its_normal(shown: Stage) -> None:
    shown.session.select(Selection(spheres=(TIP,)))
    shown.settle()
    gizmo, before = shown.scene.gizmo, shown.world(TIP)
    handle = next(
        h
        for h in (Handle(i, True) for i in range(3))
        if gizmo.pick(*(shown.pixel(handle_tip(gizmo, h)).toTuple())) == h
    )
    start = shown.pixel(handle_tip(gizmo, handle))
    shown.drag(start, start + QPoint(30, 18))
    moved = offset(shown, TIP, before)
    assert np.linalg.norm(moved) > 0.005
    assert abs(moved @ gizmo.axes[:, handle.axis]) < 2e-6


def test_the_gizmo_is_as_large_on_the_screen_from_near_and_far(shown: Stage) -> None:
    shown.session.select(Selection(spheres=(TIP,)))
    gizmo, camera = shown.scene.gizmo, shown.camera

    def size() -> float:
        return float(gizmo.length / camera.metres_per_pixel(gizmo.position))

    near = size()
    camera.zoom(3.0)
    assert size() == pytest.approx(near, rel=1e-6)
    matrix = gizmo.actors[0].GetUserMatrix()
    assert np.linalg.norm([matrix.GetElement(i, 0) for i in range(3)]) == pytest.approx(
        gizmo.length, rel=1e-9
    )


def test_the_wheel_over_a_selected_sphere_turns_its_radius_in_one_step(shown: Stage) -> None:
    pause = Pause(shown)
    shown.click(shown.at(TIP))
    view = shown.camera.view
    for _ in range(4):
        shown.wheel(shown.at(TIP), 1)
    shown.wheel(shown.at(TIP), -1, SHIFT)
    # 2.5 % of 70 mm is 1 mm when rounded down to 1, 2, 5.
    assert shown.sphere(TIP).radius == pytest.approx(0.07 + 4 * 0.001 - 0.0001)
    assert shown.camera.view == view
    assert shown.document.position == 1
    assert shown.document.undo_label == "Resize sphere 1 of tip"
    pause.rest()
    shown.wheel(shown.at(TIP), 1)
    assert shown.document.position == 2
    shown.session.undo()
    shown.session.undo()
    assert shown.sphere(TIP).radius == 0.07


def test_the_wheel_elsewhere_zooms_to_what_is_under_the_pointer(shown: Stage) -> None:
    shown.session.select(Selection(spheres=(TIP,)))
    point = shown.scene.aim.pick(*shown.at(LOW).toTuple()).point
    at = shown.pixel(point)
    distance = shown.camera.view.distance
    shown.wheel(at, 3)
    assert shown.camera.view.distance < distance
    assert (shown.pixel(point) - at).manhattanLength() <= 2
    assert shown.document.position == 0
    # Touchpads send small parts of a notch; they add up.
    before = shown.camera.view.distance
    for _ in range(8):
        shown.wheel(at, 1 / 8)
    assert shown.camera.view.distance == pytest.approx(before * 0.88, rel=1e-6)


def test_a_click_with_the_add_tool_puts_a_sphere_on_the_surface(shown: Stage) -> None:
    shown.session.set_display(spheres=True)
    shown.key(Qt.Key.Key_A)
    pose = shown.session.transform("arm")
    assert pose is not None
    at = shown.pixel(pose[:3, :3] @ [0, 0, 0.55] + pose[:3, 3])
    shown.hover(at)
    assert shown.scene.overlay.names
    shown.click(at)
    spheres = shown.document.robot.xrdf.group("balls").spheres["arm"]  # type: ignore[union-attr]
    assert len(spheres) == 3
    added = shown.session.selection.spheres[0]
    assert (added.frame, added.index) == ("arm", 2)
    assert on_surface(shown, "arm", shown.world(added)) < 2e-6
    # As large as its neighbours, which are.
    assert spheres[2].radius == pytest.approx(0.09, rel=0.1)
    assert shown.document.position == 1
    # The tool stays, for the next one.
    assert shown.view.interaction.tool == "add"
    shown.session.undo()
    assert len(shown.document.robot.xrdf.group("balls").spheres["arm"]) == 2  # type: ignore[union-attr]


def test_dragging_on_with_the_add_tool_sets_the_radius_in_the_same_step(shown: Stage) -> None:
    shown.view.set_tool("add")
    pose = shown.session.transform("arm")
    assert pose is not None
    at = shown.pixel(pose[:3, :3] @ [0, 0, 0.55] + pose[:3, 3])
    shown.drag(at, at + QPoint(50, 0))
    added = shown.session.selection.spheres[0]
    scale = shown.camera.metres_per_pixel(shown.world(added))
    assert shown.sphere(added).radius == pytest.approx(50 * scale, abs=1e-3)
    assert shown.document.position == 1
    assert on_surface(shown, "arm", shown.world(added)) < 2e-6


def test_a_first_sphere_of_a_link_suits_the_size_of_the_link(qapp: object, tmp_path: Path) -> None:
    bare = (
        XRDF[: XRDF.index("      base:\n        -")] + XRDF[XRDF.index("      tip:\n        -") :]
    )
    with stage(boxes(tmp_path, bare)) as shown:
        shown.view.set_tool("add")
        pose = shown.session.transform("arm")
        assert pose is not None
        shown.click(shown.pixel(pose[:3, :3] @ [0, 0, 0.3] + pose[:3, 3]))
        added = shown.session.selection.spheres[0]
        assert added.frame == "arm"
        assert 0.03 <= shown.sphere(added).radius <= 0.08


def test_delete_and_duplicate(shown: Stage) -> None:
    shown.click(shown.at(HIGH))
    shown.key(Qt.Key.Key_D, CTRL)
    spheres = shown.document.robot.xrdf.group("balls").spheres["arm"]  # type: ignore[union-attr]
    assert len(spheres) == 3
    assert spheres[2].radius == spheres[1].radius
    assert spheres[2].center != spheres[1].center
    assert shown.session.selection.spheres[0].index == 2
    assert shown.document.position == 1
    shown.key(Qt.Key.Key_Delete)
    assert shown.document.robot.xrdf.group("balls").spheres["arm"] == spheres[:2]  # type: ignore[union-attr]
    assert shown.session.selection == NOTHING
    shown.session.undo()
    shown.session.undo()
    assert shown.document.position == 0
    assert len(shown.scene.table) == 5


def test_arrow_keys_nudge_along_the_axes_of_the_view(shown: Stage) -> None:
    pause = Pause(shown)
    shown.click(shown.at(TIP))
    for modifiers, step in ((NONE, 0.001), (SHIFT, 0.01), (CTRL, 0.0001)):
        before, position = shown.world(TIP), shown.document.position
        shown.key(Qt.Key.Key_Right, modifiers)
        assert offset(shown, TIP, before) == pytest.approx(shown.camera.right * step, abs=2e-6)
        shown.key(Qt.Key.Key_Up, modifiers)
        expected = (shown.camera.right + shown.camera.up) * step
        assert offset(shown, TIP, before) == pytest.approx(expected, abs=2e-6)
        # Presses that follow each other quickly are one step.
        assert shown.document.position == position + 1
        assert shown.document.undo_label == "Move sphere 1 of tip"
        pause.rest()
    start = shown.document.history[0].state.robot.xrdf
    for _ in range(3):
        shown.session.undo()
    assert shown.document.robot.xrdf == start


def test_a_second_button_calls_a_drag_off(shown: Stage) -> None:
    before, start = shown.world(TIP), shown.at(TIP)
    shown.press(start)
    shown.move(start + QPoint(40, 0))
    QTest.mousePress(shown.canvas, Qt.MouseButton.RightButton, NONE, start + QPoint(40, 0))
    assert shown.world(TIP) == pytest.approx(before, abs=1e-12)
    # A button that stays down would hold every view of later tests.
    shown.release(start, button=Qt.MouseButton.RightButton)
    shown.release(start)
    assert shown.document.position == 0


def test_a_section_that_must_not_be_edited_refuses_and_stays(
    qapp: object, tmp_path: Path, qtbot: Any
) -> None:
    doubled = XRDF + "      tip:\n        - {center: [0.0, 0.0, 0.0], radius: 0.01}\n"
    document = boxes(tmp_path, doubled)
    assert document.state.xrdf_source.read_only
    with stage(document) as shown:
        ref = next(r for r in shown.scene.table.refs if r.frame == "tip")
        shown.session.set_display(visuals=False)
        with qtbot.waitSignal(shown.session.refused):
            shown.drag(shown.at(ref), shown.at(ref) + QPoint(50, 10))
        assert document.position == 0
