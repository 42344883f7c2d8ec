"""The tool Measure: clicks make notes that follow the robot, in the units of the window, until they
are cleared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QTreeWidgetItem

from editor_app.core.document.commands import DeleteSpheres, SetSpheres
from editor_app.core.document.selection import NOTHING, Selection
from editor_app.core.model.xrdf import CollisionSphere
from editor_app.plugins.measuring.window.panel import MeasurementsPanel
from editor_app.plugins.measuring.window.ruler import TOOL
from editor_app.window.bindings.quantity import LENGTH
from editor_app.window.session import LengthUnit
from editor_app.window.viewport.tools import Tool
from tests.helpers.viewport import BASE, HIGH, LOW, Stage, boxes, label_of, stage

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
        assert shown.view.interaction.tool == TOOL
        yield shown


def texts(scene: Stage) -> list[str]:
    return [drawn.text for drawn in scene.aids.ruler._drawn]


def lines(scene: Stage) -> bool:
    return NOTES in scene.scene.overlay.names


def test_two_spheres_give_their_distance_and_gap_and_the_note_follows(scene: Stage) -> None:
    low, high = scene.world(LOW), scene.world(HIGH)
    scene.hover(scene.at(LOW))
    assert label_of(scene.view) == "centre of sphere 1 of arm"
    scene.click(scene.at(LOW))
    scene.hover(scene.at(HIGH))
    length = float(np.linalg.norm(high - low))
    assert length == pytest.approx(0.25)
    assert "250 mm · gap 70 mm" in label_of(scene.view)
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


def test_a_third_place_with_shift_makes_an_angle_and_a_sphere_twice_its_radius(
    scene: Stage,
) -> None:
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
    ruler = scene.aids.ruler
    places = [ruler.place(anchor) for anchor in ruler.notes[0].anchors]
    assert [anchor.name for anchor in ruler.notes[0].anchors] == [
        "surface of base",
        "surface of base",
    ]
    # A pixel of the small view is some millimetres.
    pixel = scene.camera.metres_per_pixel(np.array([0.0, 0.15, 0.1]))
    for place, x in zip(places, (-0.15, 0.15), strict=True):
        assert place is not None
        assert place.point == pytest.approx((x, 0.15, 0.1), abs=1.5 * pixel)
    length = float(np.linalg.norm(places[1].point - places[0].point))  # type: ignore[union-attr]
    assert texts(scene) == [f"{LENGTH.described(length, scene.session.display)} · faces 0°"]


def test_esc_goes_back_one_step_at_a_time_and_notes_stay(scene: Stage, tmp_path: Path) -> None:
    scene.click(scene.at(LOW))
    scene.click(scene.at(HIGH))
    scene.click(scene.at(BASE))
    ruler = scene.aids.ruler
    assert ruler.pending is not None
    scene.key(Qt.Key.Key_Escape)
    assert ruler.pending is None
    assert scene.view.interaction.tool == TOOL
    scene.key(Qt.Key.Key_Escape)
    assert scene.view.interaction.tool is Tool.SELECT
    assert label_of(scene.view) == ""
    assert len(texts(scene)) == 1
    # The same robot, read again, keeps its notes; another one has nothing measured.
    scene.session.open(boxes(tmp_path))
    assert len(texts(scene)) == 1
    other = tmp_path / "other"
    other.mkdir()
    scene.session.open(boxes(other))
    assert texts(scene) == []


def middle_of_note(scene: Stage, number: int) -> QPoint:
    """Where the text of a note begins, and a little into it."""
    places = scene.scene.overlay.texts_of(NOTES)
    return scene.pixel(places[number][0]) + QPoint(12, 0)


def test_one_note_is_chosen_named_hidden_copied_and_removed(scene: Stage) -> None:
    for one, other in ((LOW, HIGH), (LOW, BASE)):
        scene.click(scene.at(one))
        scene.click(scene.at(other))
    ruler, registry = scene.aids.ruler, scene.registry
    far = float(np.linalg.norm(scene.world(LOW) - scene.world(BASE)))
    assert len(texts(scene)) == 2
    assert registry["measure.remove"].isEnabled() is False
    scene.click(middle_of_note(scene, 0))
    assert ruler.chosen == 0
    assert ruler.pending is None
    ruler.rename(0, " reach ")
    assert texts(scene)[0] == "reach: 250 mm · gap 70 mm"
    registry.trigger("measure.copy")
    copied = QGuiApplication.clipboard().text()
    assert copied == (
        "reach: 250 mm · gap 70 mm (x 0, y 0, z 250 mm), centre of sphere 1 of arm → centre of "
        "sphere 2 of arm"
    )
    registry.trigger("measure.hide")
    assert len(texts(scene)) == 1
    registry.trigger("measure.show_all")
    assert len(texts(scene)) == 2
    # Esc lets the note go before it leaves the tool; what is hidden cannot be pointed at.
    scene.key(Qt.Key.Key_Escape)
    assert ruler.chosen is None
    assert scene.view.interaction.tool == TOOL
    scene.click(middle_of_note(scene, 0))
    scene.key(Qt.Key.Key_Delete)
    assert [float(text.split()[0]) for text in texts(scene)] == [
        pytest.approx(1000 * far, abs=0.01)
    ]
    assert scene.document.undo_label is None
    # With nothing chosen the key is that of the spheres.
    scene.view.set_tool(Tool.SELECT)
    scene.session.select(Selection(spheres=(HIGH,)))
    scene.settle()
    scene.key(Qt.Key.Key_Delete)
    assert scene.document.undo_label is not None
    assert len(ruler.notes) == 1


def test_a_note_stays_with_its_sphere_when_others_go_and_says_when_it_is_gone_itself(
    scene: Stage,
) -> None:
    scene.click(scene.at(HIGH))
    scene.click(scene.at(BASE))
    ruler, before = scene.aids.ruler, texts(scene)
    # The second sphere of the arm is the first one then.
    scene.session.execute(DeleteSpheres((LOW,)))
    assert texts(scene) == before
    assert ruler.notes[0].anchors[0].name == "centre of sphere 1 of arm"
    scene.session.execute(DeleteSpheres((LOW,)))
    assert texts(scene) == []
    assert ruler.told(0) is None
    assert "no longer exists" in ruler.line_of(0)
    scene.session.undo()
    assert texts(scene) == before
    scene.session.undo()
    assert texts(scene) == before
    assert ruler.notes[0].anchors[0].name == "centre of sphere 2 of arm"


def test_a_surface_that_has_another_shape_is_called_stale(scene: Stage) -> None:
    scene.session.set_display(visuals=True, spheres=False)
    scene.settle()
    scene.click(scene.pixel(scene.scene.poses["arm"][:3, 3] + (0.0, 0.0, 0.2)))
    scene.click(scene.pixel(scene.scene.poses["arm"][:3, 3] + (0.0, 0.0, 0.5)))
    assert not scene.aids.ruler.notes[0].is_stale
    scene.session.set_joint("turn", 0.7)
    assert not scene.aids.ruler.notes[0].is_stale
    urdf = scene.document.robot.urdf
    links = tuple(replace(link, visuals=()) if link.name == "arm" else link for link in urdf.links)
    old = scene.document.robot
    scene.session.robot_changed.emit(old, old.with_urdf(replace(urdf, links=links)))
    assert texts(scene)[0].endswith("shapes changed since")


def test_the_panel_lists_the_notes_and_acts_on_one(scene: Stage) -> None:
    for one, other in ((LOW, HIGH), (LOW, BASE)):
        scene.click(scene.at(one))
        scene.click(scene.at(other))
    ruler = scene.aids.ruler

    class Bench:
        session, registry, viewport = scene.session, scene.registry, scene.view

    panel = MeasurementsPanel(Bench(), scene.window)  # type: ignore[arg-type]
    panel.set_ruler(ruler)
    panel.setGeometry(0, 0, 500, 200)
    panel.show()
    rows = panel.list

    def row(number: int) -> QTreeWidgetItem:
        item = rows.topLevelItem(number)
        assert item is not None
        return item

    assert [row(k).text(1) for k in range(2)] == texts(scene)
    assert row(0).text(4) == "250.000", "as many decimals in each row"
    rows.setCurrentItem(row(1))
    assert ruler.chosen == 1
    row(1).setText(0, "to the base")
    assert texts(scene)[1].startswith("to the base: ")
    row(0).setCheckState(0, Qt.CheckState.Unchecked)
    assert len(texts(scene)) == 1
    before = row(0).text(1)
    scene.session.set_display(length_unit=LengthUnit.METRE)
    assert row(0).text(1) != before
    rows.setCurrentItem(row(0))
    QTest.keyClick(rows, Qt.Key.Key_Delete)
    assert [note.name for note in ruler.notes] == ["to the base"]
    assert rows.topLevelItemCount() == 1
    scene.registry.trigger("measure.clear")
    assert not rows.rows()
    panel.close()
    panel.deleteLater()
