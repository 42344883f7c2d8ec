"""A selected sphere's ring is its radius; Ctrl snaps what is dragged; a sphere that leaves its link
is reported."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt

from editor_app.core.document.selection import Selection
from editor_app.window.viewport.radius_ring import ring_at
from tests.helpers.viewport import HIGH, LOW, TIP, Stage, label_of, shown
from tests.helpers.windows import open_window, reopen_sample, wait_until

__all__ = ["shown"]

CTRL = Qt.KeyboardModifier.ControlModifier


def _ring(shown: Stage, ref: Any) -> tuple[QPoint, np.ndarray]:
    """A pixel on the ring of a sphere that no arrow covers, and the direction (2,) away from its
    centre."""
    middle, row = shown.at(ref), shown.scene.table.row[ref]
    pixels = shown.scene.table.shown[row] / shown.camera.metres_per_pixel(shown.world(ref))
    for angle in np.linspace(0.0, 2 * np.pi, 48):
        away = np.array([np.cos(angle), np.sin(angle)])
        at = middle + QPoint(*np.round(away * pixels).astype(int).tolist())
        if shown.scene.gizmo.pick(at.x(), at.y()) is None:
            return at, away
    raise AssertionError("arrows cover the whole ring")


def test_the_ring_of_a_selected_sphere_changes_its_radius_alone(shown: Stage) -> None:
    shown.session.select(Selection(spheres=(HIGH,)))
    shown.settle()
    center, before = shown.center(HIGH), shown.sphere(HIGH).radius
    at, away = _ring(shown, HIGH)
    shown.hover(at)
    assert "radius" in shown.view.interaction.hint
    end = at + QPoint(*np.round(20 * away).astype(int).tolist())
    by = 20 * shown.camera.metres_per_pixel(shown.world(HIGH))
    shown.press(at)
    shown.move(end)
    assert "Δr" in label_of(shown.view)
    shown.release(end)
    assert shown.sphere(HIGH).radius == pytest.approx(before + by, rel=0.1)
    assert shown.center(HIGH) == center
    assert shown.document.undo_label == "Resize sphere 2 of arm"
    assert shown.document.position == 1
    shown.session.undo()
    # Towards the middle it shrinks, in whole millimetres with Ctrl, and keeps a radius.
    at, away = _ring(shown, HIGH)
    shown.drag(at, at - QPoint(*np.round(9 * away).astype(int).tolist()), CTRL)
    radius = shown.sphere(HIGH).radius
    assert 0.0 < radius < before
    assert 1000 * radius == pytest.approx(round(1000 * radius), abs=1e-6)


def test_the_inside_moves_and_escape_puts_the_radius_back(shown: Stage) -> None:
    shown.session.select(Selection(spheres=(HIGH,)))
    shown.settle()
    before, center = shown.sphere(HIGH).radius, shown.center(HIGH)
    start = shown.at(HIGH)
    assert ring_at(shown.session, shown.scene, start.toPointF()) is None
    shown.drag(start, start + QPoint(18, 6))
    assert shown.sphere(HIGH).radius == before
    assert shown.center(HIGH) != center
    at, away = _ring(shown, HIGH)
    shown.press(at)
    shown.move(at + QPoint(*np.round(20 * away).astype(int).tolist()))
    assert shown.sphere(HIGH).radius > before
    shown.key(Qt.Key.Key_Escape)
    assert shown.sphere(HIGH).radius == before


def test_all_selected_radii_change_by_the_same_length(shown: Stage) -> None:
    shown.session.select(Selection(spheres=(TIP, LOW, HIGH)))
    shown.settle()
    refs = (TIP, LOW, HIGH)
    before = [shown.sphere(ref).radius for ref in refs]
    at, away = _ring(shown, HIGH)
    shown.drag(at, at + QPoint(*np.round(15 * away).astype(int).tolist()))
    changes = [shown.sphere(ref).radius - radius for ref, radius in zip(refs, before, strict=True)]
    assert changes[0] > 0.002
    assert changes == pytest.approx([changes[0]] * 3, abs=2e-6)


def test_control_snaps_to_an_axis_the_surface_or_a_grid_and_says_so(shown: Stage) -> None:
    seen: dict[str, tuple[float, float, float]] = {}
    start = shown.at(HIGH)
    shown.press(start)
    for across in range(6, 160, 6):
        shown.move(start + QPoint(across, 0), CTRL)
        words = label_of(shown.view).splitlines()
        assert words[0].startswith("Δx")
        seen.setdefault(next(each for each in words if each.startswith("on ")), shown.center(HIGH))
        assert "viewport.snap" in shown.scene.overlay.names
    shown.release(start + QPoint(159, 0), CTRL)
    assert "viewport.snap" not in shown.scene.overlay.names
    axis = next(center for name, center in seen.items() if name == "on axis z of arm")
    assert axis[:2] == pytest.approx((0.0, 0.0), abs=2e-6)
    surface = next(center for name, center in seen.items() if name == "on the surface of arm")
    # The box of the link: 0.1 across.
    assert max(abs(surface[0]), abs(surface[1])) == pytest.approx(0.05, abs=2e-6)
    name, grid = next(
        (name, center) for name, center in seen.items() if name.startswith("on a grid of")
    )
    cell = float(name.split()[-2]) / 1000
    assert np.array(grid) / cell == pytest.approx(np.round(np.array(grid) / cell), abs=1e-3)


def test_a_sphere_that_leaves_its_link_is_reported_at_once(shown: Stage) -> None:
    said: list[str] = []
    shown.session.refused.connect(said.append)
    start = shown.at(HIGH)
    # Still around the mesh.
    shown.drag(start, start + QPoint(12, 0))
    assert not said
    start = shown.at(HIGH)
    shown.press(start)
    shown.move(start + QPoint(150, 0))
    assert "away from arm" in label_of(shown.view)
    shown.release(start + QPoint(150, 0))
    [sentence] = said
    assert sentence.startswith("The sphere is ")
    assert "mm away from arm" in sentence


def test_a_small_sphere_inside_of_its_link_has_not_left_it(shown: Stage) -> None:
    # In the middle of a box of 0.4 by 0.4 by 0.2.
    assert shown.scene.aim.height_over("base", np.array([0.01, 0.02, 0.0])) == 0.0
    assert shown.scene.aim.height_over("base", np.array([0.0, 0.0, -0.15])) == pytest.approx(0.05)
    assert shown.scene.aim.height_over("tip", np.array([9.0, 0.0, 0.0])) > 8.0
    assert shown.scene.aim.height_over("nowhere", np.zeros(3)) is None


def test_no_ray_from_inside_of_a_box_misses_its_faces(shown: Stage) -> None:
    surface = shown.scene.visuals.surfaces["base"]
    rng = np.random.default_rng(0)
    for _ in range(500):
        start = rng.uniform(-1.0, 1.0, 3) * np.array([0.19, 0.19, 0.09])
        way = rng.normal(size=3)
        assert (
            surface.intersect(start, start + rng.uniform(0.6, 2.0) * way / np.linalg.norm(way))
            is not None
        )


def test_keys_of_spheres_work_from_the_tree(qapp: Any, tmp_path: Path) -> None:
    from tests.helpers.windows import focus, press

    with open_window(tmp_path, viewport=True) as window:
        window.start_background(offer=False)
        reopen_sample(window, tmp_path)
        wait_until(lambda: window.viewport is not None)
        robot = window.session.robot
        group = robot.xrdf.group(window.session.active_group)
        assert group is not None
        link = next(iter(group.spheres))
        window.session.select(Selection(links=(link,)))
        tree = window.docks.panel("links").tree
        focus(tree)
        wait_until(window.registry["spheres.select_of_link"].isEnabled)
        press(tree, Qt.Key.Key_L)
        wait_until(lambda: bool(window.session.selection.spheres))
        assert {ref.frame for ref in window.session.selection.spheres} == {link}
        wait_until(window.registry["view.hide"].isEnabled)
        press(tree, Qt.Key.Key_H)
        wait_until(lambda: link in window.session.hidden)
