"""Straight lines in joint space: what is proven free is free on a dense sampling, and grazing ones
are caught."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.scene import (
    BoxShape,
    CylinderShape,
    MeshShape,
    Obstacle,
    Scene,
    SphereShape,
)
from editor_app.core.model.trajectory import Trajectory
from editor_app.core.model.urdf import JointType
from editor_app.core.space.kinematics.tree import adjacent_pairs
from editor_app.plugins.motion.engine.kernels import FREE, HIT
from editor_app.plugins.motion.engine.model import (
    MotionModel,
    build_motion_model,
    with_obstacles_moved,
)
from editor_app.plugins.motion.verbs.collide import collide
from tests.helpers.sphere_robots import brute_force, joint, random_robot, robot_of

TETRAHEDRON = MeshShape(
    None, (1.0, 1.0, 1.0),
    ((0.0, 0.0, 0.0), (0.3, 0.0, 0.0), (0.0, 0.3, 0.0), (0.0, 0.0, 0.3)),
    ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)),
)  # fmt: skip
SCENE = Scene(
    (
        Obstacle("box", BoxShape((0.2, 0.3, 0.1)), (0.5, 0.1, 0.2), (0.8, 0.6, 0.0, 0.0)),
        Obstacle("ball", SphereShape(0.1), (-0.4, 0.3, 0.0)),
        Obstacle("post", CylinderShape(0.05, 0.8), (0.2, -0.5, 0.1), (0.6, 0.0, 0.8, 0.0)),
        Obstacle("mesh", TETRAHEDRON, (-0.3, -0.4, 0.3), (0.5, 0.5, 0.5, 0.5)),
    )
)


def ends(model: MotionModel, count: int, seed: int) -> np.ndarray:
    """Configurations whose joints turn up to half a turn beyond their limits, too: proofs hold
    there as well."""
    rng = np.random.default_rng(seed)
    return rng.uniform(-1.0, 1.0, (count, len(model.variables))) * np.where(
        model.spheres.upper > 1.0, 3.0, 0.6
    )


def dense(model: MotionModel, one: np.ndarray, other: np.ndarray, count: int = 1500) -> np.ndarray:
    """Smallest clearance of what counts at `count` places of the line."""
    return model.least_clearances(one + np.linspace(0.0, 1.0, count)[:, None] * (other - one))[0]


@pytest.mark.parametrize("seed", range(12))
def test_lines_of_random_robots(seed: int) -> None:
    """FREE is never said of a line that a dense sampling sees touch; no sample is lower than the
    worst place."""
    robot = random_robot(seed)
    model = build_motion_model(robot, SCENE if seed % 2 else Scene(), adjacent_pairs(robot))
    values = ends(model, 13, seed)
    free = 0
    for one, other in itertools.pairwise(values):
        clearance = dense(model, one, other)
        line, worst = model.line(one, other), model.worst(one, other)
        assert not (line.status == FREE and clearance.min() <= 0.0)
        if line.status == HIT:
            here = model.row_clearances(
                (one + line.at * (other - one))[None], 0.0, np.array([line.row])
            )[1]
            assert len(here) == 1
        assert worst.clearance <= clearance.min() + 1e-4 + 1e-9
        assert worst.decided
        assert bool(worst.touching) == (worst.clearance <= 0.0) == (line.status == HIT)
        free += line.free
    short = [model.line(q, q + 1e-3) for q in values]
    assert any(line.free for line in short) or all(model.first_collisions(values) >= 0)
    assert free + sum(line.free for line in short) > 0 or seed % 2


def one_arm(radius: float) -> RobotDescription:
    """A ball at the end of a metre-long arm, and one fixed ball that it passes."""
    return robot_of(
        [
            joint("turn", "base", "arm", limits=(-3.0, 3.0)),
            joint(
                "fixed",
                "base",
                "post",
                kind=JointType.FIXED,
                xyz=(math.cos(0.5), math.sin(0.5), 0.1),
            ),
        ],
        {"arm": [(1.0, 0.0, 0.0, 0.05)], "post": [(0.0, 0.0, 0.0, radius)]},
    )


def test_a_trajectory_that_grazes_between_two_samples_is_caught() -> None:
    """Both points are free by far; between them the balls overlap by a micrometre, on a thousandth
    of the way."""
    for depth, caught in ((1e-6, True), (-1e-6, False)):
        robot = one_arm(0.05 + depth)
        model = build_motion_model(robot, masked=())
        collisions = collide(
            robot, Trajectory(("turn",), ((-1.0,), (2.0,)), (0.0, 3.0)), model=model
        )
        assert collisions.free.all()
        assert collisions.all_free is not caught
        (passage,) = collisions.passages
        assert passage.free is not caught
        assert not passage.undecided
        worst = collisions.worst()
        assert worst is not None
        assert worst.at == pytest.approx(0.5, abs=0.01)
        assert worst.time == pytest.approx(1.5, abs=0.03)
        assert set(worst.nearest) == {"arm", "post"}
        if caught:
            assert {passage.touches[0].first, passage.touches[0].second} == {"arm", "post"}


def test_clearances_and_depths_are_those_of_plain_numbers() -> None:
    robot = random_robot(3)
    model = build_motion_model(robot)
    values = ends(model, 40, 1)
    clearance, _ = model.least_clearances(values, np.arange(model.row_count))
    spots, gaps = model.row_clearances(values)
    for n, row in enumerate(values):
        expected = brute_force(robot, dict(zip(model.variables, row.tolist(), strict=True)))
        assert clearance[n] == pytest.approx(min(expected.values()), abs=1e-12)
        touching = {
            frozenset(model.names(int(s[1]))): g
            for s, g in zip(spots, gaps, strict=True)
            if s[0] == n
        }
        assert touching.keys() == {pair for pair, gap in expected.items() if gap <= 0.0}
        for pair, gap in touching.items():
            assert gap == pytest.approx(expected[pair], abs=1e-12)
    first = model.first_collisions(values)
    assert ((first >= 0) == (model.least_clearances(values)[0] <= 0.0)).all()


def test_obstacles_are_solid_and_links_may_be_allowed_to_touch() -> None:
    """A ball deep inside a box, a cylinder or a closed mesh collides, not only one at the
    surface."""
    for shape in (
        BoxShape((2.0, 2.0, 2.0)),
        CylinderShape(1.0, 2.0),
        SphereShape(1.0),
        TETRAHEDRON,
    ):
        robot = robot_of(
            [joint("slide", "base", "ball", kind=JointType.PRISMATIC)],
            {"ball": [(0.0, 0.0, 0.0, 0.01)]},
        )
        place = (-0.06, -0.06, -0.06) if shape is TETRAHEDRON else (0.0, 0.0, 0.0)
        scene = Scene((Obstacle("solid", shape, place),))
        model = build_motion_model(robot, scene)
        inside, outside = np.zeros((1, 1)), np.full((1, 1), 5.0)
        assert model.first_collisions(inside)[0] >= 0
        assert model.first_collisions(outside)[0] == -1
        assert model.names(0) == ("ball", "solid")
        assert not model.line(inside[0], outside[0]).free
        allowed = Scene((Obstacle("solid", shape, place, may_touch=("ball",)),))
        assert build_motion_model(robot, allowed).first_collisions(inside)[0] == -1


def test_obstacles_that_were_moved_are_as_if_built_there() -> None:
    robot = robot_of(
        [joint("j", "base", "one", xyz=(0.0, 0.0, 0.0))], {"one": [(0.3, 0.0, 0.0, 0.1)]}
    )
    box = Obstacle("box", BoxShape((0.2, 0.3, 0.4)), (2.0, 0.0, 0.0))
    ball = Obstacle("ball", SphereShape(0.1), (0.0, 2.0, 0.0))
    first = Scene((box, ball))
    model = build_motion_model(robot, first)
    values = np.linspace(-1.5, 1.5, 40)[:, None]
    assert (model.first_collisions(values) < 0).all()
    elsewhere = replace(box, position=(0.35, 0.1, 0.0), orientation_wxyz=(0.8, 0.0, 0.6, 0.0))
    moved = with_obstacles_moved(model, first.with_obstacle(elsewhere))
    assert moved is not None
    fresh = build_motion_model(robot, first.with_obstacle(elsewhere))
    for one, other in zip(
        moved.least_clearances(values), fresh.least_clearances(values), strict=True
    ):
        np.testing.assert_array_equal(one, other)
    assert (moved.first_collisions(values) >= 0).any()
    larger = replace(box, shape=BoxShape((0.2, 0.3, 0.5)))
    assert with_obstacles_moved(model, first.with_obstacle(larger)) is None
    assert with_obstacles_moved(model, first.without("ball")) is None
    assert (
        with_obstacles_moved(model, first.with_obstacle(replace(box, may_touch=("one",)))) is None
    )


def test_mesh_distances_are_those_of_plain_numpy() -> None:
    from editor_app.core.space.geometry.distance import compute_mesh_distances

    rng = np.random.default_rng(5)
    vertices = rng.normal(size=(60, 3))
    faces = rng.integers(0, 60, (90, 3)).astype(np.int32)
    shape = MeshShape(
        None,
        (1.0, 1.0, 1.0),
        tuple(map(tuple, vertices.tolist())),
        tuple(map(tuple, faces.tolist())),
    )
    robot = robot_of(
        [joint("slide", "base", "ball", kind=JointType.PRISMATIC)],
        {"ball": [(0.0, 0.0, 0.0, 0.01)]},
    )
    for place in rng.normal(size=(20, 3)).tolist():
        scene = Scene((Obstacle("soup", shape, (place[0], place[1], place[2])),))
        clearance, _ = build_motion_model(robot, scene).least_clearances(np.zeros((1, 1)))
        expected = compute_mesh_distances(-np.array([place]), vertices, faces)[0] - 0.01
        assert clearance[0] == pytest.approx(expected, abs=1e-12)
