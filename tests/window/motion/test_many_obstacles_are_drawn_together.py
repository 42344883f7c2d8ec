"""More than some hundred obstacles share actors; picking, moving, marking and framing are as with
one actor each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from editor_app.core.model.scene import BoxShape, CylinderShape, Obstacle, Scene, SphereShape
from editor_app.plugins.motion.window.panel import MotionPanel
from editor_app.window.main_window import MainWindow
from editor_app.window.viewport.camera import ViewRay
from editor_app.window.viewport.layers import obstacles as layers
from editor_app.window.viewport.layers.obstacles import ObstacleLayer
from editor_app.window.viewport.palette import scene_colours
from tests.helpers.windows import settle, wait_until
from tests.window.motion.test_motion_plays_and_plans import (
    nothing_goes_on_running,
    one_window_with_view,
    window,
)

__all__ = ["nothing_goes_on_running", "one_window_with_view", "window"]

COUNT = 3 * layers.MANY


def crowd(count: int) -> Scene:
    rng = np.random.default_rng(1)
    shapes = SphereShape(0.05), BoxShape((0.1, 0.06, 0.2)), CylinderShape(0.03, 0.2)
    obstacles = []
    for k in range(count):
        place, turn = rng.uniform(-2.0, 2.0, 3), rng.normal(size=4)
        turn /= np.linalg.norm(turn)
        obstacles.append(
            Obstacle(f"o{k}", shapes[k % 3], tuple(place.tolist()), tuple(turn.tolist()))
        )
    return Scene(tuple(obstacles))


@pytest.fixture
def layer(window: MainWindow) -> Iterator[ObstacleLayer]:
    window.motion.show_panel()
    assert window.viewport is not None
    yield window.viewport.scene.obstacles
    window.motion.controller.set_scene(Scene())
    settle(window)


def colours(layer: ObstacleLayer, name: str) -> np.ndarray:
    block = layer._block_of[name]
    first = int(block._counts[: list(block.names).index(name)].sum())
    scalars: Any = block._data.GetPointData().GetScalars()
    return np.array(scalars.GetTuple3(first)) / 255.0


def test_few_actors_draw_many_and_a_ray_meets_what_it_met(
    window: MainWindow, layer: ObstacleLayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = crowd(COUNT)
    rng = np.random.default_rng(2)
    rays = []
    for _ in range(60):
        origin, goal = rng.uniform(-4.0, 4.0, 3), rng.uniform(-1.5, 1.5, 3)
        rays.append(ViewRay(origin, (goal - origin) / np.linalg.norm(goal - origin)))
    window.motion.controller.set_scene(scene)
    assert layer._shown.keys() == {obstacle.name for obstacle in scene.obstacles}
    assert len(list(layer.actors)) == 2
    looks = [(ray, span) for ray in rays for span in ((0.0, 100.0), (3.0, 100.0))]
    together = [layer.pick(ray, span) for ray, span in looks]
    boxes = layer.boxes()
    monkeypatch.setattr(layers, "_FACES", 0)
    window.motion.controller.set_scene(Scene())
    window.motion.controller.set_scene(scene)
    assert len(list(layer.actors)) == COUNT
    same = 0
    for (ray, span), one in zip(looks, together, strict=True):
        other = layer.pick(ray, span)
        assert (one is None) is (other is None)
        if one is not None and other is not None:
            assert one[0] == other[0]
            away = float((other[1] - one[1]) @ ray.direction)
            # VTK's locator misses a triangle now and then, and meets the far side.
            assert abs(away) < 0.25
            same += away < 1e-5
    assert same > 30
    # Each obstacle is within a box of its own.
    places = {obstacle.name: obstacle.position for obstacle in scene.obstacles}
    for corners in boxes:
        assert any(
            (corners.min(axis=0) < place).all() and (place < corners.max(axis=0)).all()
            for place in places.values()
        )


def test_one_of_many_is_marked_moved_removed_and_comes_back(
    window: MainWindow, layer: ObstacleLayer
) -> None:
    controller, scene = window.motion.controller, crowd(COUNT)
    controller.set_scene(scene)
    window.motion.shown.choose("o7")
    layer.mark("o7", frozenset(("o8",)))
    now = scene_colours()
    for name, colour in (("o7", now.accent), ("o8", now.error), ("o9", now.collision)):
        np.testing.assert_allclose(colours(layer, name), colour, atol=0.003)
    others = [block for block in layer._blocks if "o7" not in block.names]
    arrays = [block._data.GetPoints() for block in others]
    moved = replace(scene.obstacles[7], position=(9.0, 0.0, 0.0))
    controller.set_scene(scene.with_obstacle(moved))
    assert [block._data.GetPoints() for block in others] == arrays, "the others are left alone"
    hit = layer.pick(ViewRay(np.array([9.0, 0.0, 5.0]), np.array([0.0, 0.0, -1.0])))
    assert hit is not None
    assert hit[0] == "o7"
    np.testing.assert_allclose(colours(layer, "o7"), now.accent, atol=0.003)
    controller.set_scene(scene.without("o7"))
    assert "o7" not in layer._shown
    assert layer.pick(ViewRay(np.array([9.0, 0.0, 5.0]), np.array([0.0, 0.0, -1.0]))) is None
    window.session.undo()
    assert layer._shown.keys() == {obstacle.name for obstacle in scene.obstacles}
    pose = layer.pose("o7")
    assert pose is not None
    assert tuple(pose[:3, 3]) == (9.0, 0.0, 0.0)
    controller.set_scene(crowd(5))
    assert len(list(layer.actors)) == 5
    assert not any(block.is_shared for block in layer._blocks)


def test_the_list_shows_all_and_follows_the_view(
    window: MainWindow, layer: ObstacleLayer, tmp_path: Path
) -> None:
    panel = window.motion.show_panel()
    assert isinstance(panel, MotionPanel)
    window.motion.controller.set_scene(crowd(COUNT))
    wait_until(lambda: panel.scene.names.items[COUNT - 1].name == f"o{COUNT - 1}")
    window.motion.shown.take("o250")
    assert panel.scene.row == 250
    assert panel.scene.name.text() == "o250"
    panel.scene.choose(3)
    assert panel.scene.name.text() == "o3"
