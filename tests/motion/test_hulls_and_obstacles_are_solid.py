"""Meshes, hulls and obstacles that lie wholly within one another: no surfaces cross, and yet they
touch."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from editor_app.core.model.scene import BoxShape, MeshShape, Obstacle, Scene, SphereShape
from editor_app.features.masks.engine.meshes import MeshModel, corners_of, hull_of
from editor_app.features.masks.engine.warmup import small_robot
from editor_app.plugins.motion.engine.mesh_motion import MeshMotion
from editor_app.plugins.motion.engine.model import build_motion_model
from tests.helpers.sphere_robots import joint, robot_of


@pytest.mark.parametrize("hulls", [True, False])
def test_what_is_wholly_inside_touches(hulls: bool) -> None:
    """Hulls are solid, and so are obstacles; only a mesh of the robot is its surface."""
    robot = robot_of([joint("j", "base", "arm", xyz=(1.0, 0.0, 0.0))], {"base": [], "arm": []})
    edges = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    vertices, faces = hull_of(edges, np.zeros((0, 3), np.int32))
    meshes = MeshModel(robot, {"arm": (vertices * 0.4, faces)}, hulls)
    shell = MeshShape(
        None,
        (1.0, 1.0, 1.0),
        tuple(map(tuple, vertices.tolist())),
        tuple(map(tuple, faces.tolist())),
    )
    open_shell = replace(shell, triangles=shell.triangles[2:])
    grain = BoxShape((0.02, 0.02, 0.02))
    for shape, touches in (
        (grain, hulls),
        (replace(shell, scale=(0.02, 0.02, 0.02)), hulls),
        (BoxShape((2.0, 2.0, 2.0)), True),
        (SphereShape(1.5), True),
        (replace(shell, scale=(3.0, 3.0, 3.0)), True),
        (replace(open_shell, scale=(3.0, 3.0, 3.0)), False),
    ):
        for position, expected in (((1.0, 0.0, 0.0), touches), ((9.0, 0.0, 0.0), False)):
            motion = MeshMotion(robot, meshes, Scene((Obstacle("it", shape, position),)), None)
            [row] = [r for r in range(motion.motion.row_count) if motion.motion.is_touch(r)]
            values = np.zeros(len(motion.motion.variables))
            assert motion.touches(row, values) is expected, (shape, position)
            assert (motion.distance(row, values) == 0.0) is expected, (shape, position)


def test_every_piece_of_a_mesh_has_a_corner() -> None:
    triangle = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]])
    vertices = np.concatenate([triangle, triangle + 5.0])
    faces = np.array([[0, 1, 2], [1, 3, 2], [4, 5, 6], [5, 7, 6]], np.int32)
    corners = corners_of(vertices, faces)
    assert sorted(bool((corner >= 5.0).any()) for corner in corners) == [False, True]


@pytest.mark.parametrize("count", [0, 1, 3])
def test_arrays_for_kernels_lie_in_one_order_whatever_the_scene(count: int) -> None:
    """numba compiles a kernel again, for seconds, for every order of axes that it meets."""
    boxes = (
        Obstacle(f"box {i}", BoxShape((0.1, 0.1, 0.1)), (9.0, float(i), 0.0)) for i in range(count)
    )
    model = build_motion_model(small_robot(), Scene(tuple(boxes)), ())
    arrays = {**model.fixed._asdict(), **model._room._asdict()}
    assert not [
        name
        for name, array in arrays.items()
        if isinstance(array, np.ndarray) and not array.flags.c_contiguous
    ]
