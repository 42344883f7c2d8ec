"""The planner: paths are free on a dense sampling, repeat with the seed, and what blocks is
named."""

from __future__ import annotations

import contextlib
import itertools
import math

import numpy as np
import pytest

from editor_app.core.document.opening import open_document
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.scene import BoxShape, Obstacle, Scene
from editor_app.core.model.trajectory import Trajectory
from editor_app.core.tasks.work import Cancelled, Refused
from editor_app.plugins.motion.engine.model import build_motion_model
from editor_app.plugins.motion.engine.results import Outcome
from editor_app.plugins.motion.verbs.collide import collide
from editor_app.plugins.motion.verbs.plan import plan_between, plan_to_random, smoke_test
from tests.helpers.robots import shared_robots
from tests.helpers.sphere_robots import joint, random_robot, robot_of


def planar_arm() -> RobotDescription:
    """Three links of 0.4 m in a plane."""
    names = ("base", "one", "two", "three")
    joints = [
        joint(
            f"j{k}",
            names[k],
            names[k + 1],
            xyz=(0.4 if k else 0.0, 0.0, 0.0),
            limits=(-math.pi, math.pi),
        )
        for k in range(3)
    ]
    row = [(0.1 * k, 0.0, 0.0, 0.03) for k in range(1, 4)]
    return robot_of(joints, {"one": row, "two": row, "three": row})


#: A wall on either side of the arm; it has to fold to turn past the first.
WALLS = Scene((Obstacle("wall", BoxShape((0.6, 0.1, 1.0)), (0.0, 0.75, 0.0)),))


def pose(*values: float) -> Trajectory:
    return Trajectory(("j0", "j1", "j2"), (values,))


def test_a_path_past_a_wall_is_free_at_every_place() -> None:
    robot = planar_arm()
    start, goal = pose(0.2, 0.0, 0.0), pose(3.0, 0.0, 0.0)
    straight = collide(robot, Trajectory(start.joints, (*start.points, *goal.points)), scene=WALLS)
    assert straight.free.all()
    assert not straight.all_free
    plan = plan_between(robot, start, goal, scene=WALLS)
    assert plan.path is not None
    assert plan.path.points[0] == start.points[0]
    assert plan.path.points[-1] == goal.points[0]
    assert collide(robot, plan.path, scene=WALLS).all_free
    model = build_motion_model(robot, WALLS)
    points = np.array(plan.path.points)
    for a, b in itertools.pairwise(points):
        assert (
            model.first_collisions(a + np.linspace(0.0, 1.0, 2000)[:, None] * (b - a)) < 0
        ).all()
    again = plan_between(robot, start, goal, scene=WALLS)
    assert again.path == plan.path


def test_what_is_in_the_way_is_named() -> None:
    robot = planar_arm()
    blocked = plan_between(robot, pose(math.pi / 2, 0.0, 0.0), pose(0.0, 0.0, 0.0), scene=WALLS)
    assert blocked.outcome is Outcome.START_BLOCKED
    assert blocked.path is None
    assert "wall" in blocked.blocking[0][0]
    far = plan_between(robot, pose(0.0, 0.0, 0.0), pose(9.0, 0.0, 0.0))
    assert far.outcome is Outcome.OUT_OF_RANGE
    over = f"{math.degrees(9.0 - math.pi):.1f}°"
    assert far.why == f"goal: j0 at 515.7°, {over} above its upper limit 180.0°", (
        "which pose, which joint, by how much"
    )
    shell = Scene((Obstacle("shell", BoxShape((5.0, 5.0, 5.0))),))
    with pytest.raises(Refused, match="shell"):
        smoke_test(robot, 2, scene=shell)
    with pytest.raises(Refused, match="no joint 'elbow'"):
        plan_between(robot, Trajectory(("elbow",), ((0.0,),)), pose(0.0, 0.0, 0.0))


def test_the_smoke_test_says_why_as_a_plan_does() -> None:
    """Posts on both sides of the first link: what a query alone is told, the smoke test counts."""
    robot = planar_arm()
    ring = Scene(
        tuple(Obstacle(f"post{y}", BoxShape((0.04, 0.04, 1.0)), (0.0, y, 0.0)) for y in (-0.2, 0.2))
    )
    test = smoke_test(robot, 12, scene=ring, seconds=0.3)
    assert test.solved < 12
    assert sum(count for _, count in test.reasons) == 12 - test.solved
    assert all(reason.startswith("no motion: ") for reason, _ in test.reasons)
    assert test.told.startswith(
        f"{test.solved} of 12 queries planned; {test.reasons[0][1]}: no motion: "
    )
    counts = [count for _, count in test.reasons]
    assert counts == sorted(counts, reverse=True)
    free = smoke_test(robot, 3, scene=Scene())
    assert (free.told, free.reasons) == ("3 of 3 queries planned", ())


def test_the_smoke_test_repeats_and_can_be_stopped() -> None:
    one, other = (smoke_test(planar_arm(), 20, scene=WALLS, seed=3) for _ in range(2))
    assert (one.outcomes, one.lengths, one.free_share) == (
        other.outcomes,
        other.lengths,
        other.free_share,
    )
    assert one.solved == 20
    assert 0.0 < one.free_share < 1.0
    assert one.blocking
    with pytest.raises(Cancelled):
        smoke_test(planar_arm(), 20, cancel=lambda: True)
    assert plan_to_random(planar_arm(), pose(0.0, 0.0, 0.0), scene=WALLS).path is not None


@pytest.mark.parametrize("seed", range(6))
def test_random_robots_with_mimic_and_sliding_joints(seed: int) -> None:
    robot = random_robot(seed)
    with contextlib.suppress(Refused):
        # Some of these robots overlap nearly everywhere; the others are planned for.
        test = smoke_test(robot, 5, seed=seed, seconds=2.0)
        assert len(test.outcomes) == 5
        assert test.solved > 0


def test_ur10e_with_nvidias_spheres_gets_about() -> None:
    folder = shared_robots() / "ur10e"
    test = smoke_test(open_document(folder / "ur10e.urdf", folder / "ur10e.xrdf").robot, 100)
    assert test.solved >= 95
