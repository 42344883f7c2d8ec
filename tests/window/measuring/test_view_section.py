"""The section plane: what it cuts is neither drawn nor pointed at, and its handles move, tilt and
put it back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt

from editor_app.plugins.measuring.window.section import OUTLINE, Cut
from editor_app.window.viewport.camera import ViewRay
from editor_app.window.viewport.gizmo import Handle
from editor_app.window.viewport.layers.meshes import HeatMapLayer
from editor_app.window.viewport.layers.obstacles import DrawnSurface
from editor_app.window.viewport.palette import CUT_COLOUR
from editor_app.window.viewport.picking import HalfSpace
from tests.helpers.viewport import (
    BASE,
    LOW,
    Geometry,
    Stage,
    box_part,
    boxes,
    handle_tip,
    label_of,
    save_picture,
    stage,
)

ARROW, RING = Handle(2, False), Handle(0, False, True)
#: On the upper face of the base's box, left and right of the middle.
LEFT, RIGHT = np.array([-0.15, -0.15, 0.1]), np.array([0.15, -0.15, 0.1])


@pytest.fixture
def scene(qapp: object, tmp_path: Path) -> Iterator[Stage]:
    with stage(boxes(tmp_path)) as shown:
        shown.session.set_display(grid=False, visuals=True, spheres=False)
        shown.session.set_hidden(frozenset({"arm", "tip"}))
        shown.view.standard_view("top")
        shown.view.reset_camera()
        shown.settle()
        yield shown


def section(scene: Stage) -> Any:
    return scene.aids.section


def link_at(scene: Stage, point: Any) -> str | None:
    pixel = scene.pixel(point)
    link: str | None = scene.scene.aim.pick(pixel.x(), pixel.y()).link
    return link


def colour_at(scene: Stage, point: Any) -> tuple[int, int, int]:
    """As it is drawn now."""
    image = scene.view.canvas.picture()
    pixel = scene.pixel(point) * image.devicePixelRatio()
    colour = image.pixelColor(pixel)
    return colour.red(), colour.green(), colour.blue()


def far(a: tuple[int, int, int], b: tuple[int, int, int]) -> bool:
    return sum(abs(x - y) for x, y in zip(a, b, strict=True)) > 30


def handle(scene: Stage, which: Handle) -> QPoint:
    return scene.pixel(handle_tip(scene.aids.section.gizmo, which))


def test_the_cut_half_is_neither_drawn_nor_pointed_at_and_flips(scene: Stage) -> None:
    whole = colour_at(scene, LEFT), colour_at(scene, RIGHT)
    assert link_at(scene, LEFT) == link_at(scene, RIGHT) == "base"
    scene.key(Qt.Key.Key_Q)
    assert section(scene).is_on
    # The arrow points to what is cut away: x above the middle. A hollow box shows its floor, from
    # within.
    section(scene).place(np.array([0.0, 0.0, 0.0]), section(scene).axes)
    assert link_at(scene, LEFT) == "base"
    assert link_at(scene, RIGHT) is None
    assert not far(colour_at(scene, LEFT), whole[0])
    assert far(colour_at(scene, RIGHT), whole[1])
    scene.key(Qt.Key.Key_Q, Qt.KeyboardModifier.ShiftModifier)
    assert (link_at(scene, LEFT), link_at(scene, RIGHT)) == (None, "base")
    assert far(colour_at(scene, LEFT), whole[0])
    # Spheres alone: meshes are whole again.
    scene.registry.trigger("section.cut_spheres")
    assert link_at(scene, LEFT) == "base"
    assert not far(colour_at(scene, LEFT), whole[0])
    scene.registry.trigger("section.cut_meshes")
    assert link_at(scene, LEFT) is None
    scene.key(Qt.Key.Key_Q)
    assert not section(scene).is_on
    assert link_at(scene, LEFT) == "base"
    assert not far(colour_at(scene, LEFT), whole[0])
    assert OUTLINE not in scene.scene.overlay.names
    assert scene.document.undo_label is None


def test_balls_are_cut_to_their_face_on_the_plane(scene: Stage) -> None:
    scene.session.set_display(visuals=False, spheres=True, sphere_opacity=1.0)
    scene.session.set_hidden(frozenset({"arm", "tip"}))
    # Away from the middle, where no handle is drawn.
    place = np.array([0.0, -0.2, 0.0])
    ground = colour_at(scene, (-0.24, -0.24, 0.0))
    assert far(colour_at(scene, place + (0.1, 0, 0)), ground)
    section(scene).set_axis(0)
    section(scene).place(np.zeros(3), section(scene).axes)
    assert not far(colour_at(scene, place + (0.1, 0, 0)), ground)
    assert far(colour_at(scene, place - (0.1, 0, 0)), ground)
    # Across z, seen from above, the ball is as wide as before and flat.
    section(scene).set_axis(2)
    section(scene).place(np.zeros(3), section(scene).axes)
    assert far(colour_at(scene, place), ground)
    assert not far(colour_at(scene, place), colour_at(scene, (0.15, 0.1, 0.0)))
    pixel = scene.pixel(place)
    pick = scene.scene.aim.pick(pixel.x(), pixel.y())
    assert pick.sphere == BASE
    assert pick.point[2] == pytest.approx(0.0, abs=1e-6)
    scene.registry.trigger("section.cut_meshes")
    assert scene.scene.aim.pick(pixel.x(), pixel.y()).point[2] > 0.1


def test_the_arrow_moves_it_the_rings_tilt_it_and_esc_puts_it_back(scene: Stage) -> None:
    scene.session.set_hidden(frozenset())
    scene.view.standard_view("right")
    scene.view.reset_camera()
    scene.registry.trigger("section.across_x")
    before = section(scene).position.copy()
    start = handle(scene, ARROW)
    scene.hover(start)
    assert scene.view.interaction.hint.startswith("Drag moves the section plane")
    scene.press(start)
    scene.move(start + QPoint(20, 0))
    scene.move(start + QPoint(40, 0))
    assert section(scene).position[0] > before[0]
    assert section(scene).position[1:] == pytest.approx(before[1:])
    assert label_of(scene.view).startswith("Section\n+")
    scene.key(Qt.Key.Key_Escape)
    assert section(scene).position == pytest.approx(before)
    scene.release(start + QPoint(40, 0))
    assert section(scene).position == pytest.approx(before)
    scene.drag(start, start + QPoint(40, 0))
    moved = section(scene).position[0] - before[0]
    assert moved == pytest.approx(40 * scene.camera.metres_per_pixel(before), rel=0.05)
    # A plane that is moved cuts there.
    kept = scene.scene.aim.cut_of_meshes
    assert kept.heights(section(scene).position[None])[0] == pytest.approx(0.0, abs=1e-9)
    grab = handle(scene, RING)
    scene.drag(grab, grab + QPoint(0, 30))
    assert abs(section(scene).axes[0, 2]) < 1.0 - 1e-4
    assert section(scene).axes.T @ section(scene).axes == pytest.approx(np.eye(3), abs=1e-9)


def test_meshes_that_come_later_are_cut_and_another_robot_starts_whole(
    scene: Stage, tmp_path: Path
) -> None:
    scene.registry.trigger("section.across_x")
    section(scene).place(np.zeros(3), section(scene).axes)
    scene.meshes.put("base", "visual", Geometry((box_part((0.4, 0.4, 0.3), (0.0, 0.0, 0.0)),)))
    scene.settle()
    left, right = (np.array([x, -0.15, 0.15]) for x in (-0.15, 0.15))
    assert (link_at(scene, left), link_at(scene, right)) == ("base", None)
    assert far(colour_at(scene, left), colour_at(scene, right))
    # Pictures show the cut, but no handles; these are there again afterwards.
    save_picture(scene.view, tmp_path / "cut.png")
    assert (tmp_path / "cut.png").stat().st_size > 0
    assert scene.aids.section.gizmo.is_shown
    # The same robot, read again, stays cut.
    scene.session.open(boxes(tmp_path))
    assert section(scene).is_on
    assert OUTLINE in scene.scene.overlay.names
    other = tmp_path / "other"
    other.mkdir()
    scene.session.open(boxes(other))
    assert not section(scene).is_on
    assert not scene.aids.section.gizmo.is_shown
    assert section(scene).cut is Cut.BOTH
    assert scene.world(LOW) is not None


def test_a_ray_lies_on_a_side_between_two_distances() -> None:
    half = HalfSpace(np.array([1.0, 0.0, 0.0]), 2.0)
    along = np.array([1.0, 0.0, 0.0])
    assert half.span(ViewRay(np.zeros(3), along)) == (2.0, np.inf)
    assert half.span(ViewRay(np.array([5.0, 0.0, 0.0]), along)) == (0.0, np.inf)
    assert half.span(ViewRay(np.array([5.0, 0.0, 0.0]), -along)) == (0.0, 3.0)
    assert half.span(ViewRay(np.zeros(3), -along)) is None
    assert half.span(ViewRay(np.zeros(3), np.array([0.0, 1.0, 0.0]))) is None


def test_obstacles_heat_maps_and_previews_are_cut_too(scene: Stage) -> None:
    part = box_part((0.4, 0.4, 0.3), (0.0, 0.0, 0.0))
    faces = np.asarray(part.faces, np.int32)
    scene.session.set_hidden(frozenset({"base", "arm", "tip"}))
    heat = HeatMapLayer(scene.canvas.main)
    scene.scene.cut_layers.append(heat)
    section(scene).set_axis(0)
    section(scene).place(np.zeros(3), section(scene).axes)
    left, right = (np.array([x, -0.15, 0.15]) for x in (-0.15, 0.15))
    empty = colour_at(scene, left), colour_at(scene, right)

    def is_cut() -> bool:
        return far(colour_at(scene, left), empty[0]) and not is_seen(right, 1)

    def is_seen(place: Any, side: int) -> bool:
        return far(colour_at(scene, place), empty[side])

    # What comes after the plane is cut as well.
    heat.set_mesh("base", part.vertices, faces)
    heat.set_poses({"base": np.eye(4)}, frozenset())
    heat.set_values("base", np.full(len(part.vertices), 0.02), 0.02)
    assert is_cut()
    heat.clear()
    scene.scene.show_obstacles({"box": DrawnSurface((part.vertices, faces), np.eye(4))})
    assert is_cut()
    hits = [scene.scene.aim.pick(scene.pixel(p).x(), scene.pixel(p).y()).ray for p in (left, right)]
    spans = [scene.scene.aim.cut_of_meshes.span(ray) or (0.0, 0.0) for ray in hits]
    picks = [scene.scene.obstacles.pick(ray, span) for ray, span in zip(hits, spans, strict=True)]
    assert picks[0] is not None
    # Seen from above through the cut, the ray passes beside what is left.
    assert picks[1] is None
    section(scene).toggle()
    assert is_seen(right, 1)
    section(scene).toggle()
    section(scene).place(np.zeros(3), section(scene).axes)
    scene.scene.show_obstacles({})
    balls = np.array([left, right])
    scene.view.overlay.set_spheres(
        "test", balls, np.array([0.05, 0.05]), np.array([0.2, 0.4, 0.9, 1.0])
    )
    assert is_cut()
    scene.registry.trigger("section.cut_meshes")
    assert is_seen(right, 1)


def test_a_cut_box_shows_a_flat_face_with_a_line_around_it(scene: Stage) -> None:
    scene.view.standard_view("front")
    scene.view.reset_camera()
    section(scene).set_axis(0)
    section(scene).place(np.array([-0.1, 0.0, 0.0]), section(scene).axes)
    section(scene).show_marks(False)
    scene.settle()
    inside = [
        colour_at(scene, (-0.1, y, z)) for y, z in ((-0.12, -0.05), (0.12, 0.05), (0.05, 0.04))
    ]
    # One colour, whatever the light does to the walls behind it.
    assert not far(inside[0], inside[1])
    assert not far(inside[0], inside[2])
    wanted = tuple(round(255 * v) for v in CUT_COLOUR)
    assert not far(inside[0], wanted)  # type: ignore[arg-type]
    section(scene).toggle()
    assert far(colour_at(scene, (-0.1, 0.12, 0.05)), inside[1])
