"""The planner keeps away by what was asked, at every place: held against distances that know
nothing of it."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from editor_app.core.document.opening import open_document
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.scene import BoxShape, CylinderShape, Obstacle, Scene, SphereShape
from editor_app.core.model.trajectory import Trajectory
from editor_app.core.model.urdf import JointType
from editor_app.core.tasks.work import Refused
from editor_app.plugins.motion.engine.model import MotionModel, build_motion_model
from editor_app.plugins.motion.engine.results import KeepAway, Outcome, PlannerSettings, Stretch
from editor_app.plugins.motion.verbs.collide import mask_of
from editor_app.plugins.motion.verbs.plan import Planned, plan_between, smoke_test
from editor_app.plugins.motion.verbs.times import time_motion
from tests.helpers.clearances import between, obstacle_clearances, self_clearances
from tests.helpers.robots import shared_robots
from tests.helpers.sphere_robots import joint, robot_of
from tests.motion.test_planned_paths_are_free import WALLS, planar_arm, pose

#: Metres; a place between two points is interpolated in another order of sums than the proof's.
ROUNDING = 1e-9
CELL = Scene(
    (
        Obstacle("table", BoxShape((3.0, 3.0, 0.05)), (0.0, 0.0, -0.3)),
        Obstacle("post", CylinderShape(0.05, 1.2), (0.9, 0.5, 0.5), (0.9238795325112867, 0.3826834323650898, 0.0, 0.0)),
        Obstacle("ball", SphereShape(0.12), (-0.8, 0.7, 0.6)),
        Obstacle("shelf", BoxShape((0.5, 0.2, 0.04)), (0.3, -0.9, 0.9), (0.9659258, 0.0, 0.0, 0.258819)),
    )
)  # fmt: skip


def asking(
    obstacles: float = 0.0, itself: float = 0.0, seed: int = 0, seconds: float = 5.0
) -> PlannerSettings:
    return PlannerSettings(seconds, seed=seed, keep_away=KeepAway(obstacles, itself))


def assert_kept(
    robot: RobotDescription, scene: Scene, planned: Planned, count: int = 4000
) -> tuple[float, float]:
    """Holds the path against what it says of itself; the smallest clearances (self, obstacles) of
    what is not told."""
    assert planned.path is not None
    path = planned.path
    points = np.array(path.points)
    keep = planned.kept
    told = {frozenset(each.names): each for each in planned.nearer}
    place = replace(path, points=tuple(map(tuple, between(points, count).tolist())))
    masked = frozenset(frozenset((pair.first, pair.second)) for pair in mask_of(robot) or ())
    least = []
    for asked, gaps in (
        (keep.itself, self_clearances(robot, place, masked, keep.itself + 0.05)),
        (keep.obstacles, obstacle_clearances(robot, place, scene)),
    ):
        rest = [math.inf]
        for names, clearance in gaps.items():
            near = told.get(frozenset(names))
            if near is None:
                assert clearance.min() > asked - ROUNDING, names
                rest.append(float(clearance.min()))
            elif near.stretch is Stretch.WHOLE:
                assert clearance.min() > -ROUNDING, names
            else:
                assert clearance.min() > 0.9 * near.clearance - ROUNDING, names
                # From where the margin is reached on, it is kept.
                inwards = clearance if near.stretch is Stretch.START else clearance[::-1]
                first = int(np.argmax(inwards > asked))
                both = {
                    each.stretch
                    for each in planned.nearer
                    if frozenset(each.names) == frozenset(names)
                }
                assert len(both) > 1 or (inwards[first:] > asked - ROUNDING).all(), names
        least.append(min(rest))
    return least[0], least[1]


def test_a_path_past_a_wall_keeps_away_from_it() -> None:
    robot = planar_arm()
    start, goal = pose(0.2, 0.0, 0.0), pose(3.0, 0.0, 0.0)
    near = plan_between(robot, start, goal, scene=WALLS)
    assert near.told.endswith("points, proven free")
    for keep in (0.02, 0.1):
        planned = plan_between(robot, start, goal, scene=WALLS, settings=asking(keep))
        assert not planned.nearer
        assert f"proven free, at least {keep * 1e3:g} mm from obstacles" in planned.told
        _, least = assert_kept(robot, WALLS, planned)
        assert least > keep
    again = plan_between(robot, start, goal, scene=WALLS, settings=asking(0.1))
    assert again.path == planned.path
    impossible = plan_between(robot, start, goal, scene=WALLS, settings=asking(0.45, seconds=0.5))
    assert impossible.outcome is Outcome.TIMED_OUT
    assert "a path with less distance exists: " in impossible.why, (
        "what is asked is too much, and that is told"
    )
    assert impossible.closest[0][1] < 0.45


def test_smoothing_keeps_away_and_the_margin_is_of_use() -> None:
    """Of many paths past the wall some come nearer than 50 mm when nothing is asked, and none when
    it is."""
    robot = planar_arm()
    start, goal = pose(0.2, 0.0, 0.0), pose(3.0, 0.0, 0.0)
    least = {}
    for keep in (0.0, 0.05):
        ways = [
            plan_between(robot, start, goal, scene=WALLS, settings=asking(keep, seed=seed))
            for seed in range(12)
        ]
        least[keep] = min(assert_kept(robot, WALLS, planned)[1] for planned in ways)
    assert 0.0 < least[0.0] < 0.05 < least[0.05]


@pytest.mark.parametrize("turn", [1.6, -1.2, 3.0])
def test_ur10e_in_a_cell_keeps_both_clearances(turn: float) -> None:
    folder = shared_robots() / "ur10e"
    robot = open_document(folder / "ur10e.urdf", folder / "ur10e.xrdf").robot
    start, goal = {"shoulder_pan_joint": 0.0}, {"shoulder_pan_joint": turn, "elbow_joint": -1.0}
    planned = plan_between(robot, start, goal, scene=CELL, settings=asking(0.02, 0.002))
    assert "at least 20 mm from obstacles, 2 mm from itself" in planned.told
    assert_kept(robot, CELL, planned)


def test_a_start_that_is_nearer_is_told_by_name_and_left() -> None:
    robot = planar_arm()
    # The wall's face is at y = 0.7; the tip of the arm reaches to 10 mm from it.
    wall = Scene((Obstacle("wall", BoxShape((4.0, 0.1, 1.0)), (0.0, 0.75, 0.0)),))
    near = pose(math.asin((0.7 - 0.03 - 0.01) / 1.1), 0.0, 0.0)
    planned = plan_between(robot, near, pose(-1.0, 0.0, 0.0), scene=wall, settings=asking(0.05))
    assert planned.path is not None
    assert planned.path.points[0] == near.points[0]
    (told,) = planned.nearer
    assert (told.names, told.stretch) == (("three", "wall"), Stretch.START)
    assert told.clearance == pytest.approx(0.01, abs=1e-6)
    assert planned.told.endswith(
        "at least 50 mm from obstacles; closer are three and wall 10.0 mm at the start"
    )
    assert_kept(robot, wall, planned)
    back = plan_between(robot, pose(-1.0, 0.0, 0.0), near, scene=wall, settings=asking(0.05))
    assert [each.stretch for each in back.nearer] == [Stretch.GOAL]
    assert back.path is not None
    assert back.path.points[-1] == near.points[0]
    assert_kept(robot, wall, back)


def test_corners_are_rounded_within_what_is_kept() -> None:
    robot = planar_arm()
    start, goal = pose(0.2, 0.0, 0.0), pose(3.0, 0.0, 0.0)
    planned = plan_between(robot, start, goal, scene=WALLS, settings=asking(0.05))
    assert planned.path is not None
    timed = time_motion(robot, planned.path, scene=WALLS, keep_away=KeepAway(0.05))
    points = np.array(timed.motion.points)
    dense = Trajectory(timed.motion.joints, tuple(map(tuple, between(points, 6000).tolist())))
    gaps = obstacle_clearances(robot, dense, WALLS)
    assert min(each.min() for each in gaps.values()) > 0.05 - ROUNDING
    assert timed.rounded or timed.corners == 0


def test_where_no_way_out_keeps_more_what_is_possible_is_kept_and_told() -> None:
    """The tip slides in a slot that is 20 mm wider than it on either side; 50 mm are nowhere in
    reach."""
    slot = Scene(
        tuple(
            Obstacle(f"side {k}", BoxShape((4.0, 0.1, 1.0)), (0.0, y, 0.0))
            for k, y in enumerate((-0.1, 0.1))
        )
    )
    robot = robot_of(
        [
            joint(
                "slide",
                "base",
                "tip",
                kind=JointType.PRISMATIC,
                axis=(1.0, 0.0, 0.0),
                limits=(-0.5, 0.5),
            )
        ],
        {"tip": [(0.0, 0.0, 0.0, 0.03)], "base": [(0.0, 0.0, 5.0, 0.03)]},
    )
    start, goal = Trajectory(("slide",), ((-0.4,),)), Trajectory(("slide",), ((0.4,),))
    planned = plan_between(robot, start, goal, scene=slot, settings=asking(0.05))
    assert planned.path is not None
    assert {each.names for each in planned.nearer} == {("tip", "side 0"), ("tip", "side 1")}
    assert all(each.stretch is Stretch.WHOLE for each in planned.nearer)
    assert all(each.clearance == pytest.approx(0.02) for each in planned.nearer)
    assert "20.0 mm on the whole path" in planned.told


def test_the_smoke_test_keeps_away_too() -> None:
    robot = planar_arm()
    free, kept = (
        smoke_test(robot, 10, scene=WALLS, keep_away=keep)
        for keep in (KeepAway(), KeepAway(0.05, 0.01))
    )
    assert kept.solved == 10
    assert kept.free_share < free.free_share
    assert kept.kept == KeepAway(0.05, 0.01)
    with pytest.raises(
        Refused, match="no link is 5000 mm from obstacles in any of 256 random configurations"
    ):
        smoke_test(robot, 3, scene=WALLS, keep_away=KeepAway(5.0))
    for length in (-0.01, math.nan):
        with pytest.raises(ValueError, match="a length of 0 m or more"):
            KeepAway(length)


def test_free_ends_are_looked_at_once_where_nothing_is_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What is nearer than its margin is a question of its own for every pair: a third of a simple
    query's time."""
    robot = planar_arm()
    model = build_motion_model(robot)
    model.keeping(KeepAway())
    asked: list[object] = []
    monkeypatch.setattr(MotionModel, "row_clearances", lambda self, *given: asked.append(given))
    planned = plan_between(
        robot, pose(0.0, 0.0, 0.0), pose(0.3, 0.2, 0.1), settings=PlannerSettings(5.0), model=model
    )
    assert planned.path is not None
    assert not asked


def test_margins_decide_as_enlarged_spheres_do() -> None:
    """A row's margin is to the kernels what larger radii are: yes or no, lines, and what lies
    within."""
    robot, keep = planar_arm(), KeepAway(0.04, 0.04)
    assert robot.xrdf.geometry is not None
    group = robot.xrdf.geometry[0]
    grown = {
        link: tuple(replace(ball, radius=ball.radius + 0.02) for ball in balls)
        for link, balls in group.spheres.items()
    }
    larger = robot.with_xrdf(
        replace(robot.xrdf, geometry=(replace(group, spheres=type(group.spheres)(grown)),))
    )
    model, enlarged = build_motion_model(robot), build_motion_model(larger)
    kept = model.keeping(keep)
    rng = np.random.default_rng(0)
    values = rng.uniform(-math.pi, math.pi, (400, 3))
    assert ((kept.first_collisions(values) < 0) == (enlarged.first_collisions(values) < 0)).all()
    lines = [
        (kept.line(a, b).free, enlarged.line(a, b).free) for a, b in itertools.pairwise(values)
    ]
    assert all(one == other for one, other in lines)
    assert len({one for one, _ in lines}) == 2
    near, _ = kept.nearer(values)
    assert set(near[:, 0].tolist()) == set(
        np.flatnonzero(enlarged.first_collisions(values) >= 0).tolist()
    )


def test_failures_name_pose_joint_limit_and_pair() -> None:
    robot = planar_arm()
    named = Trajectory.of_pose({"j0": math.pi / 2}, "Pose 1")
    far = plan_between(
        robot, named, Trajectory.of_pose({"j1": -4.0, "j2": 9.0}, "Pose 2"), scene=WALLS
    )
    assert far.outcome is Outcome.OUT_OF_RANGE
    assert far.why == (
        "goal (Pose 2): j2 at 515.7°, 335.7° above its upper limit 180.0°, "
        "j1 at -229.2°, 49.2° below its lower limit -180.0°"
    )
    blocked = plan_between(robot, named, named, scene=WALLS)
    assert blocked.outcome is Outcome.START_BLOCKED
    assert blocked.why.startswith("start (Pose 1): two and wall overlap by ")
    assert "; goal (Pose 1): two and wall overlap by " in blocked.why
    assert blocked.told.startswith(
        "no motion: the start is in collision; start (Pose 1): two and wall overlap by"
    )
    assert blocked.blocking[0][0] == ("two", "wall")


def test_what_cannot_be_kept_is_proven_and_told_with_joint_and_interval() -> None:
    """A ball at the end of an arm passes a fixed one at 3 mm, which is not 5."""
    post = (math.cos(0.5), math.sin(0.5), 0.103)
    robot = robot_of(
        [
            joint("turn", "base", "arm", limits=(-2.0, 2.0)),
            joint("fixed", "base", "post", kind=JointType.FIXED, xyz=post),
        ],
        {"arm": [(1.0, 0.0, 0.0, 0.05)], "post": [(0.0, 0.0, 0.0, 0.05)]},
    )
    start, goal = Trajectory(("turn",), ((-1.0,),)), Trajectory(("turn",), ((1.0,),))
    model = build_motion_model(robot, Scene(), ())
    kept = plan_between(robot, start, goal, settings=asking(itself=0.002), model=model)
    assert "at least 2 mm from itself" in kept.told
    assert_kept(robot, Scene(), kept)
    apart = plan_between(robot, start, goal, settings=asking(itself=0.005), model=model)
    assert apart.outcome is Outcome.APART
    assert apart.barrier is not None
    assert apart.barrier.lower < 0.5 < apart.barrier.upper
    assert apart.why.startswith("turn cannot pass ")
    assert (
        "arm and post come nearer than 5 mm there; a path with less distance exists: arm and post "
        "3.0 mm" in apart.why
    )
