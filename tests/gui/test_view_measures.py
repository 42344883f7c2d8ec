"""The tool Measure: clicks make notes that follow the robot, in the units of the window, until they are cleared."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt

from editor_app.edit.commands import SetSpheres
from editor_app.edit.selection import NOTHING
from editor_app.gui.bindings.quantity import LENGTH
from editor_app.gui.session import LengthUnit
from editor_app.gui.viewport.tools import Tool
from editor_app.model.xrdf import CollisionSphere
from tests.helpers.viewport import BASE, HIGH, LOW, Stage, boxes, stage

SHIFT = Qt.KeyboardModifier.ShiftModifier
NOTES = "viewport.measured"


@pytest.fixture
def scene(qapp: object, tmp_path: Path) -> Iterator[Stage]:
    with stage(boxes(tmp_path)) as shown:
        # Spheres inside opaque boxes cannot be pointed at.
        shown.session.set_display(visuals=False)
        shown.view.standard_view("right")
        shown.view.reset_camera()
        shown.settle()
        shown.key(Qt.Key.Key_D)
        assert shown.view.interaction.tool is Tool.MEASURE
        yield shown


def texts(scene: Stage) -> list[str]:
    return scene.view.interaction.ruler.texts()


def lines(scene: Stage) -> bool:
    return NOTES in scene.scene.overlay.names


def test_two_spheres_give_their_distance_and_gap_and_the_note_follows(scene: Stage) -> None:
    low, high = scene.world(LOW), scene.world(HIGH)
    scene.hover(scene.at(LOW))
    assert scene.view.label == "centre of sphere 1 of arm"
    scene.click(scene.at(LOW))
    scene.hover(scene.at(HIGH))
    length = float(np.linalg.norm(high - low))
    assert length == pytest.approx(0.25)
    assert "250 mm · gap 70 mm" in scene.view.label
    assert not lines(scene)
    scene.click(scene.at(HIGH))
    assert texts(scene) == ["250 mm · gap 70 mm"]
    assert lines(scene)
    # Nothing is selected or moved by measuring.
    assert scene.session.selection == NOTHING
    assert scene.document.undo_label is None
    scene.session.set_display(length_unit=LengthUnit.METRE)
    assert texts(scene) == ["0.25 m · gap 0.07 m"]
    x, y, z = scene.center(HIGH)
    scene.session.execute(SetSpheres(((HIGH, CollisionSphere((x, y, z + 0.1), 0.09)),), "Move"))
    assert texts(scene) == ["0.35 m · gap 0.17 m"]
    scene.session.undo()
    scene.view.set_tool(Tool.SELECT)
    assert texts(scene) == ["0.25 m · gap 0.07 m"]
    scene.registry.trigger("measure.clear")
    assert texts(scene) == []
    assert not lines(scene)


def test_a_third_place_with_shift_makes_an_angle_and_a_sphere_twice_its_radius(scene: Stage) -> None:
    scene.click(scene.at(LOW))
    scene.click(scene.at(HIGH))
    scene.click(scene.at(BASE) + QPoint(0, 0), SHIFT)
    a, corner, b = (scene.world(ref) for ref in (LOW, HIGH, BASE))
    one, other = a - corner, b - corner
    angle = np.degrees(np.arccos(one @ other / np.linalg.norm(one) / np.linalg.norm(other)))
    assert len(texts(scene)) == 1
    assert float(texts(scene)[0].removesuffix("°").strip()) == pytest.approx(angle, abs=0.01)
    scene.click(scene.at(LOW))
    scene.click(scene.at(LOW))
    assert texts(scene)[1] == "r 90 mm"


def test_surfaces_are_measured_with_the_angle_of_their_faces(scene: Stage) -> None:
    scene.session.set_display(visuals=True, spheres=False)
    scene.session.set_hidden(frozenset({"arm", "tip"}))
    scene.view.standard_view("top")
    scene.view.reset_camera()
    scene.settle()
    one, other = (scene.pixel(np.array([x, 0.15, 0.1])) for x in (-0.15, 0.15))
    scene.click(one)
    scene.click(other)
    ruler = scene.view.interaction.ruler
    places = [ruler.place(anchor) for anchor in ruler.notes[0]]
    assert [anchor.name for anchor in ruler.notes[0]] == ["surface of base", "surface of base"]
    # A pixel of the small view is some millimetres.
    pixel = scene.camera.metres_per_pixel(np.array([0.0, 0.15, 0.1]))
    for place, x in zip(places, (-0.15, 0.15), strict=True):
        assert place is not None
        assert place.point == pytest.approx((x, 0.15, 0.1), abs=1.5 * pixel)
    length = float(np.linalg.norm(places[1].point - places[0].point))  # type: ignore[union-attr]
    assert texts(scene) == [f"{LENGTH.described(length, scene.session.display)} · faces 0°"]


def test_esc_goes_back_one_step_at_a_time_and_notes_stay(scene: Stage) -> None:
    scene.click(scene.at(LOW))
    scene.click(scene.at(HIGH))
    scene.click(scene.at(BASE))
    ruler = scene.view.interaction.ruler
    assert ruler.pending is not None
    scene.key(Qt.Key.Key_Escape)
    assert ruler.pending is None
    assert scene.view.interaction.tool is Tool.MEASURE
    scene.key(Qt.Key.Key_Escape)
    assert scene.view.interaction.tool is Tool.SELECT
    assert scene.view.label == ""
    assert len(texts(scene)) == 1
    # Another robot has nothing measured.
    scene.session.open(scene.document)
    assert texts(scene) == []
