"""Real mouse events on the viewport: what is clicked, boxed or hovered is what gets selected."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt

from editor_app.core.document.commands import SetSpheres
from editor_app.core.document.selection import NOTHING, Selection
from editor_app.core.model.xrdf import CollisionSphere
from editor_app.window.session import Hover, SphereRadius
from tests.helpers.viewport import BASE, HIGH, HOLLOW, LOW, TIP, Stage, boxes, shown, stage

__all__ = ["shown"]

pytestmark = pytest.mark.gui
CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


def test_a_click_selects_the_sphere_under_the_pointer(shown: Stage) -> None:
    for ref in (BASE, LOW, HIGH, TIP):
        shown.click(shown.at(ref))
        assert shown.session.selection == Selection(spheres=(ref,))


def test_a_click_beside_all_spheres_selects_the_link(shown: Stage) -> None:
    pose = shown.session.transform("arm")
    assert pose is not None
    # Between the two spheres of the arm, on the middle of its box.
    shown.click(shown.pixel(pose[:3, :3] @ [0, 0, 0.325] + pose[:3, 3]))
    assert shown.session.selection == Selection(links=("arm",))


def test_a_click_on_nothing_clears_and_ctrl_toggles(shown: Stage) -> None:
    shown.click(shown.at(LOW))
    shown.click(shown.at(HIGH), CTRL)
    assert shown.session.selection == Selection(spheres=(LOW, HIGH))
    shown.click(shown.at(LOW), CTRL)
    assert shown.session.selection == Selection(spheres=(HIGH,))
    corner = QPoint(shown.canvas.width() - 8, shown.canvas.height() - 8)
    shown.click(corner, CTRL)
    assert shown.session.selection == Selection(spheres=(HIGH,))
    shown.click(corner)
    assert shown.session.selection == NOTHING


def test_an_opaque_mesh_hides_a_sphere_and_a_translucent_one_does_not(
    shown: Stage, tmp_path: Path
) -> None:
    small = shown.sphere(TIP)
    from editor_app.core.document.commands.spheres import SetSpheres
    from editor_app.core.model.xrdf import CollisionSphere

    shown.session.execute(SetSpheres(((TIP, CollisionSphere((0.0, 0.0, 0.0), 0.02)),)))
    assert small.radius > 0.02
    shown.click(shown.at(TIP))
    assert shown.session.selection == Selection(links=("tip",))
    shown.session.set_display(mesh_opacity=0.5)
    shown.click(shown.at(TIP))
    assert shown.session.selection == Selection(spheres=(TIP,))
    shown.session.select(NOTHING)
    shown.session.set_display(mesh_opacity=1.0, visuals=False)
    shown.click(shown.at(TIP))
    assert shown.session.selection == Selection(spheres=(TIP,))


def test_a_sphere_without_a_radius_can_be_clicked(shown: Stage) -> None:
    assert shown.scene.spheres._cloud.radii[shown.scene.table.row[HOLLOW]] == 0.0
    shown.click(shown.at(HOLLOW))
    assert shown.session.selection == Selection(spheres=(HOLLOW,))


def test_a_sphere_that_is_switched_off_has_a_small_marker(shown: Stage) -> None:
    # -10 stands in many files for no sphere at all: a marker of that size would fill the view, and
    # take every click.
    row = shown.scene.table.row[HOLLOW]
    assert shown.session.execute(
        SetSpheres(((HOLLOW, CollisionSphere((-0.25, 0.0, 0.0), -10.0)),), "Switch off")
    )
    assert shown.scene.table.reach[row] == pytest.approx(0.1)
    shown.session.set_display(visuals=False)
    shown.click(shown.at(TIP))
    assert shown.session.selection == Selection(spheres=(TIP,))


def test_hidden_links_and_their_spheres_are_not_picked(shown: Stage) -> None:
    shown.session.set_hidden(frozenset({"arm"}))
    shown.click(shown.at(LOW))
    assert "arm" not in shown.session.selection.frames
    shown.session.select(NOTHING)
    shown.session.set_display(spheres=False)
    shown.click(shown.at(TIP))
    assert not shown.session.selection.spheres


def test_hover_tells_before_a_click_commits(shown: Stage) -> None:
    shown.hover(shown.at(TIP))
    assert shown.session.hover == Hover(link="tip", sphere=TIP)
    assert "tip" in shown.view.interaction.hint
    row = shown.scene.table.row[TIP]
    lit = shown.scene.spheres._cloud.colours[row].astype(int)
    shown.hover(QPoint(shown.canvas.width() - 8, shown.canvas.height() - 8))
    assert shown.session.hover == Hover()
    plain = shown.scene.spheres._cloud.colours[row].astype(int)
    assert lit[:3].sum() > plain[:3].sum()
    assert shown.session.selection == NOTHING


@pytest.mark.parametrize("by_key", [False, True])
def test_a_box_selects_the_spheres_in_it(shown: Stage, by_key: bool) -> None:
    if by_key:
        shown.key(Qt.Key.Key_B)
    margin = QPoint(60, 30)
    start, end = shown.at(HIGH) - margin, shown.at(LOW) + margin
    assert shown.scene.aim.pick(start.x(), start.y()).link is None
    shown.drag(start, end, Qt.KeyboardModifier.NoModifier if by_key else SHIFT)
    assert set(shown.session.selection.spheres) == {LOW, HIGH}
    view = shown.camera.view
    shown.drag(start, end, SHIFT | CTRL)
    assert shown.camera.view == view
    assert shown.view.interaction.tool == "select"


def test_selected_spheres_stand_out_in_the_accent_colour(shown: Stage) -> None:
    row = shown.scene.table.row[HIGH]
    before = shown.scene.spheres._cloud.colours[row].copy()
    shown.session.select(Selection(spheres=(HIGH,)))
    after = shown.scene.spheres._cloud.colours[row]
    assert np.abs(after[:3] / 255 - np.array(shown.scene.accent)).max() < 0.01
    assert after[3] > before[3]


def test_spheres_of_a_selected_link_turn_to_the_accent_colour(shown: Stage) -> None:
    row, other = shown.scene.table.row[HIGH], shown.scene.table.row[BASE]
    layer, accent = shown.scene.spheres, np.array(shown.scene.accent)
    before, beside = (layer._cloud.colours[each][:3] / 255 for each in (row, other))
    shown.session.select(Selection(links=(HIGH.frame,)))
    after = layer._cloud.colours[row][:3] / 255
    assert np.abs(after - (before + accent) / 2).max() < 0.01
    assert np.abs(layer._cloud.colours[other][:3] / 255 - beside).max() < 0.01


def test_links_have_colours_of_their_own_that_stay(shown: Stage) -> None:
    layer, table = shown.scene.spheres, shown.scene.table
    colours = {r: tuple(layer._cloud.colours[table.row[r]][:3]) for r in table.refs}
    assert colours[LOW] == colours[HIGH]
    assert len({colours[BASE], colours[LOW], colours[TIP]}) == 3
    from editor_app.core.document.commands.spheres import DeleteSpheres

    shown.session.execute(DeleteSpheres((BASE,)))
    assert tuple(layer._cloud.colours[table.row[LOW]][:3]) == colours[LOW]


def test_the_radius_can_be_that_of_the_world_or_of_self_collision(shown: Stage) -> None:
    def drawn(ref: object) -> float:
        return float(shown.scene.spheres._cloud.radii[shown.scene.table.row[ref]])

    assert drawn(LOW) == pytest.approx(0.09)
    shown.session.set_display(sphere_radius=SphereRadius.WORLD)
    assert drawn(LOW) == pytest.approx(0.11)
    assert drawn(TIP) == pytest.approx(0.07)
    shown.session.set_display(sphere_radius=SphereRadius.SELF)
    assert drawn(TIP) == pytest.approx(0.08)
    # 0.09 - 0.2 takes it out of self-collision: no ball, but still something to click.
    assert drawn(LOW) == 0.0
    shown.session.set_display(visuals=False)
    shown.click(shown.at(LOW))
    assert shown.session.selection == Selection(spheres=(LOW,))


def test_spheres_of_a_cloned_group_belong_to_that_group(qapp: object, tmp_path: Path) -> None:
    from tests.helpers.viewport import XRDF

    text = XRDF.replace("format_version: 1.0", "format_version: 2.0").replace(
        "\ncollision:", "\nworld_collision:"
    )
    text = text.replace("geometry: balls", "geometry: more")
    text += (
        "  more:\n    clone: [balls]\n    spheres:\n      tip:\n        - {center: [0.0, 0.3, "
        "0.0], radius: 0.05}\n"
    )
    with stage(boxes(tmp_path, text)) as shown:
        assert shown.session.active_group == "more"
        shown.click(shown.at(HIGH))
        assert shown.session.selection.spheres == (HIGH,)
        assert {r.group for r in shown.scene.table.refs} == {"balls", "more"}


def test_a_double_click_selects_all_spheres_of_the_link(shown: Stage) -> None:
    from PySide6.QtTest import QTest

    QTest.mouseDClick(
        shown.canvas, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, shown.at(LOW)
    )
    assert set(shown.session.selection.spheres) == {LOW, HIGH}
