"""Posing in the view: links turn their joints, handles pull tools; no step of the history, nothing
beyond a limit."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt

from editor_app.core.document.opening import open_document
from editor_app.core.document.selection import Selection
from editor_app.window.viewport.gizmo import Handle
from editor_app.window.viewport.picture import PictureOptions
from editor_app.window.viewport.tools import Tool
from tests.helpers.viewport import Stage, boxes, handle_tip, label_of, stage, take_picture

SHIFT, CTRL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier

TWO_ARMS = """<robot name="two arms"><link name="base"/>
  <link name="torso"><visual><geometry><box size="0.2 0.2 0.2"/></geometry></visual></link>
  {links}
  <joint name="waist" type="revolute"><parent link="base"/><child link="torso"/><axis xyz="0 0 1"/>
    <limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
  {joints}
</robot>
"""
LINK = """<link name="{s}{k}">
  <visual><origin xyz="0.15 0 0"/><geometry><box size="0.3 0.05 0.05"/></geometry></visual></link>"""
JOINT = """<joint name="{s}{k}_joint" type="revolute"><parent link="{parent}"/><child link="{s}{k}"/>
  <origin xyz="{x} {y} 0"/><axis xyz="0 0 1"/><limit lower="-2.5" upper="2.5" effort="1" velocity="1"/></joint>"""


@pytest.fixture
def scene(qapp: object, tmp_path: Path) -> Iterator[Stage]:
    with stage(boxes(tmp_path)) as shown:
        # The handles stand at the lower link, away from the one that is dragged.
        shown.session.select(Selection(links=("arm",)))
        shown.view.set_tool(Tool.POSE)
        shown.session.move_joints({"turn": 0.3, "nod": 0.2})
        shown.settle()
        yield shown


def place(scene: Stage, link: str, local: tuple[float, float, float]) -> np.ndarray:
    pose = scene.session.transform(link)
    assert pose is not None
    return pose[:3, :3] @ np.array(local) + pose[:3, 3]


def surface_point(scene: Stage, link: str, at: QPoint) -> np.ndarray:
    """What is grabbed there, in the frame of the link."""
    pick = scene.view.interaction._pick(at.toPointF())
    assert pick.link == link
    assert pick.point is not None
    pose = scene.session.transform(link)
    assert pose is not None
    return pose[:3, :3].T @ (pick.point - pose[:3, 3])


def tip_end(scene: Stage) -> QPoint:
    return scene.pixel(place(scene, "tip", (0.08, 0.0, 0.03)))


def test_what_is_grabbed_follows_the_pointer(scene: Stage) -> None:
    scene.view.standard_view("right")
    start = tip_end(scene)
    local = surface_point(scene, "tip", start)
    before = scene.session.pose
    # A place that the joint can bring the grabbed point to: where it would be a third of a radian
    # on.
    scene.session.move_joints({"nod": before["nod"] + 0.35})
    goal = scene.pixel(place(scene, "tip", tuple(local)))
    scene.session.move_joints({"nod": before["nod"]})
    steps = scene.document.undo_label
    scene.press(start)
    for k in range(1, 9):
        scene.move(start + (goal - start) * (k / 8))
    assert "nod" in label_of(scene.view)
    assert "viewport.joint" in scene.scene.overlay.names
    scene.release(goal)
    assert scene.session.pose["nod"] == pytest.approx(before["nod"] + 0.35, abs=0.03)
    assert scene.session.pose["turn"] == before["turn"]
    seen = scene.pixel(place(scene, "tip", tuple(local)))
    assert (seen - goal).manhattanLength() <= 4
    assert scene.document.undo_label == steps
    assert label_of(scene.view) == ""


def test_it_stops_at_the_limit_and_comes_back_with_the_pointer(scene: Stage) -> None:
    scene.view.standard_view("right")
    start = tip_end(scene)
    far = scene.pixel(place(scene, "tip", (-0.5, 0.0, 0.9)))
    low = scene.pixel(place(scene, "tip", (-0.5, 0.0, -0.9)))
    for beyond, limit in ((low, 1.0), (far, -1.0)):
        scene.session.move_joints({"nod": 0.2})
        scene.press(start)
        for k in range(1, 17):
            scene.move(start + (beyond - start) * (k / 16))
        assert scene.session.pose["nod"] == limit
        assert "at its limit" in label_of(scene.view)
        for k in range(15, -1, -1):
            scene.move(start + (beyond - start) * (k / 16))
        scene.release(start)
        assert scene.session.pose["nod"] == pytest.approx(0.2, abs=0.02)


def test_escape_puts_it_back(scene: Stage) -> None:
    start = tip_end(scene)
    before = dict(scene.session.pose)
    scene.press(start)
    scene.move(start + QPoint(30, 40))
    assert dict(scene.session.pose) != before
    scene.key(Qt.Key.Key_Escape)
    assert dict(scene.session.pose) == before
    assert "viewport.joint" not in scene.scene.overlay.names
    scene.release(start)


def test_shift_is_a_tenth_and_control_goes_in_steps(scene: Stage) -> None:
    scene.view.standard_view("right")
    start = tip_end(scene)
    end = start + QPoint(8, 24)
    turned = []
    for modifiers in (Qt.KeyboardModifier.NoModifier, SHIFT):
        scene.session.move_joints({"nod": 0.2})
        scene.drag(start, end, modifiers)
        turned.append(scene.session.pose["nod"] - 0.2)
    assert abs(turned[0]) > 0.05
    # Angles are not proportional to pixels so near the axis.
    assert 0.0 < turned[1] / turned[0] < 0.3
    scene.session.move_joints({"nod": 0.2})
    scene.drag(start, end, CTRL)
    steps = scene.session.pose["nod"] / math.radians(5.0)
    assert steps == pytest.approx(round(steps), abs=1e-9)


def test_tab_takes_the_joint_above_also_in_a_drag(scene: Stage) -> None:
    at = tip_end(scene)
    scene.hover(at)
    assert "nod" in scene.view.interaction.hint
    scene.key(Qt.Key.Key_Tab)
    assert "turns turn" in scene.view.interaction.hint
    assert scene.window.focusWidget() is scene.canvas
    before = dict(scene.session.pose)
    scene.press(at)
    scene.move(at + QPoint(40, 0))
    assert scene.session.pose["turn"] != before["turn"]
    assert scene.session.pose["nod"] == before["nod"]
    scene.key(Qt.Key.Key_Tab)
    assert scene.session.pose["turn"] == before["turn"]
    assert scene.session.pose["nod"] != before["nod"]
    scene.key(Qt.Key.Key_Escape)
    scene.release(at)
    assert dict(scene.session.pose) == before


def test_a_locked_joint_is_passed_over(scene: Stage) -> None:
    scene.session.set_locked("nod", True)
    at = tip_end(scene)
    scene.hover(at)
    assert "turns turn" in scene.view.interaction.hint
    scene.drag(at, at + QPoint(40, 0))
    assert scene.session.pose["nod"] == 0.2
    assert scene.session.pose["turn"] != 0.3
    scene.session.set_locked("turn", True)
    scene.hover(tip_end(scene))
    assert "no joint above it can be moved" in scene.view.interaction.hint


def test_beside_the_robot_a_drag_orbits(scene: Stage) -> None:
    before, pose = scene.camera.view, dict(scene.session.pose)
    scene.drag(QPoint(500, 390), QPoint(460, 380))
    assert scene.camera.view != before
    assert dict(scene.session.pose) == pose


def handle_at(scene: Stage, handle: Handle) -> QPoint:
    at = scene.pixel(handle_tip(scene.scene.gizmo, handle))
    assert scene.scene.gizmo.pick(at.x(), at.y()) == handle
    return at


def test_the_tool_follows_its_handle_and_shows_where_it_stops(scene: Stage) -> None:
    """The tip can only go around: straight up it must stop, at once and named."""
    scene.session.select(Selection())
    assert scene.view.interaction.poser.tool == "tip"
    scene.view.scene.set_gizmo_in_link(False)
    at = handle_at(scene, Handle(2, False))
    before = dict(scene.session.pose)
    steps = scene.document.undo_label
    scene.press(at)
    for k in range(1, 6):
        scene.move(at + QPoint(0, -10 * k))
    assert "viewport.out of reach" in scene.scene.overlay.names
    assert "stops" in label_of(scene.view)
    assert " mm short" in label_of(scene.view)
    scene.key(Qt.Key.Key_Escape)
    assert dict(scene.session.pose) == before
    assert "viewport.out of reach" not in scene.scene.overlay.names
    scene.release(at)
    assert scene.document.undo_label == steps


def test_a_ring_turns_the_tool(scene: Stage) -> None:
    at = handle_at(scene, Handle(2, False, True))
    before = scene.session.pose["turn"]
    scene.press(at)
    for k in range(1, 6):
        scene.move(at + QPoint(6 * k, 0))
    label = label_of(scene.view)
    scene.release(at + QPoint(30, 0))
    turned = scene.session.pose["turn"] - before
    assert abs(turned) > 0.05
    assert f"{math.degrees(turned):+.1f}°".replace("-", "−") in label
    assert scene.session.pose["nod"] == 0.2


@pytest.fixture
def arms(qapp: object, tmp_path: Path) -> Iterator[Stage]:
    links = "".join(LINK.format(s=s, k=k) for s in "lr" for k in range(3))
    joints = "".join(
        JOINT.format(
            s=s, k=k, parent=f"{s}{k - 1}" if k else "torso", x=0.3 if k else 0.0, y=0 if k else y
        )
        for s, y in (("l", 0.2), ("r", -0.2))
        for k in range(3)
    )
    path = tmp_path / "arms.urdf"
    path.write_text(TWO_ARMS.format(links=links, joints=joints))
    with stage(open_document(path, new_xrdf=True)) as shown:
        shown.view.set_tool(Tool.POSE)
        shown.view.standard_view("top")
        yield shown


def test_a_tool_that_is_held_stays_while_the_other_goes(arms: Stage) -> None:
    session, reaching = arms.session, arms.session.reaching
    session.move_joints(
        {"l1_joint": 0.8, "l2_joint": -0.9, "r1_joint": -0.8, "r2_joint": 0.9, "waist": 0.1}
    )
    session.select(Selection(links=("r2",)))
    arms.registry["pose.hold"].trigger()
    assert reaching.held == ("r2",)
    held = session.transform("r2")
    assert held is not None
    session.select(Selection(links=("l2",)))
    arms.view.scene.set_gizmo_in_link(False)
    arms.settle()
    at = handle_at(arms, Handle(0, False))
    start = session.pose
    first = place(arms, "l2", (0, 0, 0))
    arms.drag(at, at + QPoint(25, 0))
    now = session.transform("r2")
    assert now is not None
    np.testing.assert_allclose(now, held, atol=2e-4)
    assert place(arms, "l2", (0, 0, 0))[0] - first[0] > 0.02
    assert abs(place(arms, "l2", (0, 0, 0))[1] - first[1]) < 2e-4
    assert reaching.put is not None
    assert reaching.put.before == start
    assert [target.frame for target in reaching.put.targets] == ["l2", "r2"]


def test_a_tool_that_is_held_is_marked_until_it_is_released(arms: Stage) -> None:
    session, overlay = arms.session, arms.scene.overlay
    marks = "viewport.held"

    def texts() -> list[str]:
        labels = overlay._lines[marks][1] if marks in overlay.names else None
        return [line for lines in labels._lines for line in lines] if labels is not None else []

    session.select(Selection(links=("r2",)))
    arms.registry["pose.hold"].trigger()
    # It has the handles itself: nothing would hold it.
    assert marks not in overlay.names
    session.select(Selection(links=("l2",)))
    assert texts() == ["held: r2"]
    at = arms.pixel(place(arms, "r2", (0, 0, 0)))
    arms.hover(at)
    assert "r2 is held" in arms.view.interaction.hint
    # It goes with the arm, and only posing speaks of it.
    before = overlay.texts_of(marks)[0][0].copy()
    session.move_joints({"r0_joint": 0.4})
    assert np.linalg.norm(overlay.texts_of(marks)[0][0] - before) > 0.05
    arms.view.set_tool(Tool.SELECT)
    assert marks not in overlay.names
    arms.view.set_tool(Tool.POSE)
    assert texts() == ["held: r2"]
    # A click on the mark brings the handles there; it is released where it was held.
    arms.click(arms.pixel(place(arms, "r2", (0, 0, 0))))
    assert session.selection.links == ("r2",)
    arms.registry["pose.hold"].trigger()
    session.select(Selection(links=("l2",)))
    assert marks not in overlay.names
    assert session.reaching.held == ()


def test_a_picture_shows_neither_handles_nor_marks_of_posing(arms: Stage) -> None:
    session = arms.session
    arms.view.set_tool(Tool.SELECT)
    plain = take_picture(arms.view, PictureOptions())
    arms.view.set_tool(Tool.POSE)
    session.select(Selection(links=("r2",)))
    arms.registry["pose.hold"].trigger()
    session.select(Selection(links=("l2",)))
    arms.hover(arms.pixel(place(arms, "l0", (0.15, 0, 0))))
    assert {"viewport.held", "viewport.joint"} <= arms.scene.overlay.names
    assert arms.scene.gizmo.has_rings
    assert take_picture(arms.view, PictureOptions()) == plain
    assert take_picture(arms.view, PictureOptions(marks=True)) != plain
    assert all(actor.GetVisibility() for actor in arms.scene.gizmo.actors)
