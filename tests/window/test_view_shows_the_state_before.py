"""The ghost: what spheres and links were like is seen while they change, and longer where that is
wanted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QSettings, Qt

from editor_app.core.document.commands import DeleteSpheres, SetJoint, SetSpheres
from editor_app.core.document.saving import save_document
from editor_app.core.document.selection import Selection
from editor_app.core.model.pose import Pose
from editor_app.core.model.xrdf import CollisionSphere
from editor_app.window.session import Session, SphereRadius
from editor_app.window.settings import Settings
from editor_app.window.viewport.picture import PictureOptions
from editor_app.window.viewport.tools import Tool
from tests.helpers.viewport import HIGH, LOW, TIP, Stage, boxes, stage, take_picture
from tests.helpers.windows import wait_until


@pytest.fixture
def scene(qapp: object, tmp_path: Path) -> Iterator[Stage]:
    with stage(boxes(tmp_path)) as shown:
        shown.session.set_display(visuals=False, grid=False)
        shown.view.standard_view("right")
        shown.view.reset_camera()
        shown.settle()
        yield shown


def balls(scene: Stage) -> list[tuple[float, ...]]:
    """Centre and radius of each outline, rounded to the tenth of a millimetre."""
    centers, radii = scene.scene.ghost.balls
    return sorted(
        tuple(round(float(v), 4) for v in (*center, radius))
        for center, radius in zip(centers, radii, strict=True)
    )


def ball(center: Any, radius: float) -> tuple[float, ...]:
    return tuple(round(float(v), 4) for v in (*center, radius))


def test_a_dragged_sphere_leaves_its_start_until_the_drag_ends(scene: Stage) -> None:
    start, at = scene.world(LOW), scene.at(LOW)
    scene.press(at)
    scene.move(at + QPoint(10, 0))
    assert balls(scene) == [ball(start, 0.09)]
    scene.settle()
    first = scene.scene.ghost._balls.centers
    scene.move(at + QPoint(30, 10))
    # Further steps add nothing and make nothing anew.
    assert scene.scene.ghost._balls.centers is first
    assert balls(scene) == [ball(start, 0.09)]
    # Nobody can point at it.
    here = scene.at(LOW)
    assert scene.scene.aim.pick(here.x(), here.y()).sphere == LOW
    picked = scene.scene.aim.pick(at.x() - 15, at.y())
    assert picked.sphere is None
    scene.release(at + QPoint(30, 10))
    assert balls(scene) == []
    scene.press(scene.at(LOW))
    scene.move(scene.at(LOW) + QPoint(-25, 0))
    assert len(balls(scene)) == 1
    scene.key(Qt.Key.Key_Escape)
    assert balls(scene) == []


def test_the_wheel_leaves_the_former_radius_as_it_is_drawn(scene: Stage) -> None:
    scene.session.set_display(sphere_radius=SphereRadius.WORLD)
    scene.session.select(Selection(spheres=(HIGH,)))
    # A turn of the wheel, before a slow frame can end it.
    scene.view.interaction.edits.turn(3, False, QPointF(scene.at(HIGH)))
    # The arm's buffer for the world is 20 mm.
    assert balls(scene) == [ball(scene.world(HIGH), 0.11)]
    wait_until(lambda: not balls(scene), 60)
    assert scene.sphere(HIGH).radius > 0.09


def test_the_switch_keeps_what_was_before_the_last_change_and_undo_goes_one_further_back(
    scene: Stage,
) -> None:
    low, tip = scene.world(LOW), scene.world(TIP)
    execute = scene.session.execute
    execute(SetSpheres(((LOW, CollisionSphere((0.1, 0.0, 0.2), 0.09)),), "Move"))
    execute(SetSpheres(((HIGH, CollisionSphere((0.0, 0.0, 0.45), 0.05)),), "Resize"))
    execute(DeleteSpheres((TIP,)))
    assert balls(scene) == []
    scene.registry.trigger("view.former")
    assert balls(scene) == [ball(tip, 0.07)]
    scene.session.undo()
    assert balls(scene) == [ball(scene.world(HIGH), 0.09)]
    scene.session.undo()
    assert balls(scene) == [ball(low, 0.09)]
    scene.session.undo()
    assert balls(scene) == []
    scene.session.redo()
    assert balls(scene) == [ball(low, 0.09)]
    # It stays with its link, and is as hidden as spheres are.
    beside = scene.world(LOW)
    execute(SetSpheres(((LOW, CollisionSphere((0.2, 0.0, 0.2), 0.09)),), "Move"))
    assert balls(scene) == [ball(beside, 0.09)]
    scene.session.set_joint("turn", 1.0)
    scene.session.set_display(visuals=True)
    turned = scene.scene.poses["arm"] @ (0.1, 0.0, 0.2, 1.0)
    assert balls(scene) == [ball(turned[:3], 0.09)]
    scene.session.set_hidden(frozenset({"arm"}))
    assert balls(scene) == []
    scene.session.set_hidden(frozenset())
    scene.session.set_display(spheres=False)
    assert balls(scene) == []
    scene.session.set_display(spheres=True, former=False)
    wait_until(lambda: not balls(scene), 60)


def test_a_link_that_is_posed_leaves_its_mesh_where_it_was(scene: Stage) -> None:
    scene.session.set_display(visuals=True)
    scene.view.standard_view("iso")
    scene.view.reset_camera()
    scene.view.set_tool(Tool.POSE)
    scene.settle()
    ghost = scene.scene.ghost
    at = scene.pixel(scene.scene.poses["arm"][:3, 3] + (0.0, 0.0, 0.3))
    scene.press(at)
    scene.move(at + QPoint(30, 0))
    assert scene.session.pose["turn"] != 0.0
    assert ghost.links == {"arm", "tip"}
    # Links with a mesh need no outlines of their spheres.
    assert balls(scene) == []
    scene.release(at + QPoint(30, 0))
    assert ghost.links == frozenset()
    # A slider: until it rests.
    scene.session.set_joint("nod", 0.5)
    assert ghost.links == {"tip"}
    wait_until(lambda: not ghost.links, 60)
    scene.session.set_display(former=True)
    assert ghost.links == {"tip"}
    scene.session.set_joint("turn", 0.3)
    assert ghost.links == {"arm", "tip"}
    scene.session.set_hidden(frozenset({"tip"}))
    assert ghost.links == {"arm"}
    # What is played or gone to is no edit.
    scene.session.set_pose(Pose({"turn": 1.0}))
    assert ghost.links == frozenset()


def test_links_without_meshes_leave_their_spheres_where_they_were(scene: Stage) -> None:
    before = [scene.world(ref) for ref in (LOW, HIGH)]
    scene.session.set_hidden(frozenset({"tip"}))
    scene.session.set_display(former=True)
    scene.session.execute(SetSpheres(((LOW, CollisionSphere((0.1, 0.0, 0.2), 0.09)),), "Move"))
    scene.session.undo()
    scene.session.set_joint("turn", 1.0)
    assert balls(scene) == [ball(place, 0.09) for place in before]


def test_pictures_leave_the_ghost_out_as_they_do_the_selection(scene: Stage) -> None:
    scene.session.set_display(former=True)
    scene.session.execute(SetSpheres(((LOW, CollisionSphere((0.3, 0.0, 0.2), 0.09)),), "Move"))
    scene.settle()

    def picture(marks: bool) -> bytes:
        image = take_picture(scene.view, PictureOptions(marks=marks))
        return bytes(image.constBits())

    marked, plain = picture(True), picture(False)
    scene.session.set_display(former=False)
    assert marked != plain
    assert picture(True) == plain


def test_the_saved_state_is_shown_until_it_is_saved_anew(scene: Stage) -> None:
    low, tip, high = scene.world(LOW), scene.world(TIP), scene.world(HIGH)
    execute = scene.session.execute
    execute(SetSpheres(((LOW, CollisionSphere((0.1, 0.0, 0.2), 0.09)),), "Move"))
    execute(SetSpheres(((LOW, CollisionSphere((0.2, 0.0, 0.2), 0.05)),), "Move"))
    execute(DeleteSpheres((TIP,)))
    scene.registry.trigger("view.former")
    scene.registry.trigger("view.since_saved")
    assert not scene.registry["view.former"].isChecked()
    # All that differs from the file, not the last step alone.
    assert balls(scene) == sorted([ball(low, 0.09), ball(tip, 0.07)])
    # A drag of a sphere that nobody has touched yet joins them.
    at = scene.at(HIGH)
    scene.press(at)
    scene.move(at + QPoint(20, 0))
    assert balls(scene) == sorted([ball(low, 0.09), ball(tip, 0.07), ball(high, 0.09)])
    scene.release(at + QPoint(20, 0))
    assert len(balls(scene)) == 3
    save_document(scene.document)
    assert balls(scene) == []
    scene.session.undo()
    assert len(balls(scene)) == 1
    save_document(scene.document)
    assert balls(scene) == []


def test_links_that_an_edited_joint_put_elsewhere_stand_where_the_file_has_them(
    scene: Stage,
) -> None:
    scene.session.set_display(visuals=True, since_saved=True)
    ghost, session = scene.scene.ghost, scene.session
    session.set_joint("turn", 0.4)
    wait_until(lambda: not ghost.links, 60)
    was = np.array(scene.scene.poses["tip"])
    joint = next(joint for joint in session.robot.urdf.joints if joint.name == "nod")  # type: ignore[union-attr]
    origin = replace(joint.origin, xyz=(0.0, 0.3, 0.7))
    assert session.execute(SetJoint("nod", replace(joint, origin=origin)))
    assert ghost.links == {"tip"}

    def place() -> Any:
        matrix = ghost._parts["tip"][0][1].GetUserMatrix()
        return np.array(
            [[matrix.GetElement(row, column) for column in range(4)] for row in range(4)]
        )

    assert place() == pytest.approx(was)
    # It is posed as the robot is.
    session.set_pose(Pose({"turn": 0.0, "nod": 0.0}))
    assert place() != pytest.approx(was)
    session.undo()
    assert ghost.links == frozenset()


def test_the_switch_is_remembered(qapp: object, tmp_path: Path) -> None:
    settings = Settings(QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat))
    session = Session()
    before = session.display
    session.set_display(former=True)
    settings.remember_display(before, session.display)
    other = Session()
    settings.apply_display(other)
    assert other.display.former
    assert np.isclose(other.display.sphere_opacity, before.sphere_opacity)
