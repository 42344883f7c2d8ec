"""Links may touch an obstacle near the start of a motion, or near its end, and nowhere else: held
against numpy."""

from __future__ import annotations

import itertools
import math
import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from editor_app.core.document.opening import open_document
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.scene import BoxShape, Obstacle, Scene, SphereShape
from editor_app.core.model.trajectory import Trajectory
from editor_app.core.space.geometry.link_geometry import link_geometry
from editor_app.core.space.geometry.mesh import merge_parts
from editor_app.core.space.kinematics.forward import compute_forward_batch
from editor_app.core.space.kinematics.tree import get_tree
from editor_app.core.verbs.pose import default_pose, frame_poses
from editor_app.core.verbs.tool_places import frame_pose, tool_target
from editor_app.plugins.motion.engine.allowed_contacts import AllowedContacts
from editor_app.plugins.motion.engine.model import build_motion_model, with_obstacles_moved
from editor_app.plugins.motion.engine.obstacles import SceneError
from editor_app.plugins.motion.engine.results import KeepAway, Outcome, PlannerSettings, Stretch
from editor_app.plugins.motion.verbs.collide import collide
from editor_app.plugins.motion.verbs.motion_report import report_motion
from editor_app.plugins.motion.verbs.plan import Planned, plan_between, plan_to_tool
from editor_app.plugins.motion.verbs.straight import LineEnd, plan_straight
from editor_app.plugins.motion.verbs.times import time_motion
from tests.helpers.breadth import of_each_kind
from tests.helpers.clearances import between, obstacle_clearances, placed_spheres
from tests.helpers.robots import copy_of_sample, shared_robots
from tests.helpers.sphere_robots import random_robot
from tests.motion.test_planned_paths_are_free import planar_arm, pose

#: The arm's last ball (y = 0.55 at the first pose, radius 30 mm) reaches 10 mm into the wall.
WALL = Obstacle("wall", BoxShape((4.0, 0.2, 1.0)), (0.0, 0.67, 0.0))
AT_WALL = pose(*np.deg2rad([30.0, 0.0, 0.0]))
AWAY = pose(0.0, 0.3, 0.3)


def at_start(distance: float = 0.05) -> Scene:
    return Scene((replace(WALL, may_touch_at_start=("three",), touch_distance=distance),))


def at_end(distance: float = 0.05) -> Scene:
    return Scene((replace(WALL, may_touch_at_end=("three",), touch_distance=distance),))


def assert_leaves(
    robot: RobotDescription,
    motion: Trajectory,
    scene: Scene,
    link: str,
    distance: float,
    *,
    backwards: bool = False,
) -> None:
    """The link touches at the first place, and is free from where it has moved by the distance on;
    the rest is free."""
    points = between(np.array(motion.points), 20_000)
    if backwards:
        points = points[::-1]
    dense = replace(
        motion,
        points=tuple(map(tuple, points.tolist())),
        times=None,
        velocities=None,
        accelerations=None,
    )
    everywhere = Scene(tuple(replace(each, may_touch=()) for each in scene.obstacles))
    gaps = obstacle_clearances(robot, dense, everywhere)
    touching = {names for names, gap in gaps.items() if gap.min() <= 0.0}
    assert {name for name, _ in touching} == {link}
    centres = placed_spheres(robot, dense, for_obstacles=True)[link][0]
    moved = np.linalg.norm(centres - centres[0], axis=2).max(axis=1)
    first = int(np.argmax(moved > distance))
    for names in touching:
        assert gaps[names][0] <= 0.0
        assert gaps[names][first:].min() > 0.0


def test_a_start_in_contact_is_left_within_the_distance() -> None:
    robot = planar_arm()
    refused = plan_between(robot, AT_WALL, AWAY, scene=Scene((WALL,)))
    assert refused.outcome is Outcome.START_BLOCKED
    for seed, distance in of_each_kind(
        list(itertools.product(range(4), (0.03, 0.1))), [(0, 0.03), (1, 0.1)]
    ):
        settings = PlannerSettings(seed=seed)
        planned = plan_between(robot, AT_WALL, AWAY, scene=at_start(distance), settings=settings)
        assert planned.path is not None
        assert_leaves(robot, planned.path, at_start(distance), "three", distance)
        assert planned.told.endswith("; closer are three 10.0 mm in wall at the start, as allowed")
        assert collide(robot, planned.path, scene=at_start(distance)).all_free
    assert plan_between(robot, AWAY, AT_WALL, scene=at_start()).outcome is Outcome.GOAL_BLOCKED


def test_a_goal_in_contact_is_reached_within_the_distance() -> None:
    robot = planar_arm()
    planned = plan_between(robot, AWAY, AT_WALL, scene=at_end())
    assert planned.path is not None
    assert_leaves(robot, planned.path, at_end(), "three", 0.05, backwards=True)
    assert [each.stretch for each in planned.nearer] == [Stretch.GOAL]
    assert plan_between(robot, AT_WALL, AWAY, scene=at_end()).outcome is Outcome.START_BLOCKED


def test_the_rest_of_the_way_keeps_its_clearance_from_what_was_touched() -> None:
    robot = planar_arm()
    scene = at_start(0.08)
    settings = PlannerSettings(keep_away=KeepAway(0.02))
    planned = plan_between(robot, AT_WALL, AWAY, scene=scene, settings=settings)
    assert planned.path is not None
    dense = replace(
        planned.path,
        points=tuple(map(tuple, between(np.array(planned.path.points), 20_000).tolist())),
    )
    gap = obstacle_clearances(robot, dense, scene)["three", "wall"]
    first = int(np.argmax(gap > 0.02))
    assert (gap[first:] > 0.02 - 1e-9).all()


def test_what_does_not_come_free_in_time_is_told() -> None:
    planned = plan_between(planar_arm(), AT_WALL, AWAY, scene=at_start(0.005))
    assert planned.path is None
    assert planned.outcome is Outcome.STUCK
    assert planned.told == (
        "no motion: links that touch an obstacle at the start or goal do not separate within their "
        "distance; "
        "most often blocking: three and wall"
    )


def test_collide_counts_a_contact_from_the_distance_on() -> None:
    robot = planar_arm()
    off = Trajectory(AT_WALL.joints, (*AT_WALL.points, (0.3, 0.0, 0.0)), (0.0, 1.0))
    free = collide(robot, off, scene=at_start(0.05))
    assert free.all_free
    assert free.moment(0).touches[0].masked
    (note,) = [note for note in free.notes if "may touch" in note]
    assert note.startswith("three may touch wall until 0.203"), note
    assert note.endswith(" s, within 50 mm of its start")
    soon = collide(robot, off, scene=at_start(0.005))
    assert soon.free.all(), "the first point is at the start itself"
    assert not soon.all_free
    (touch,) = soon.passages[0].touches
    assert (touch.first, touch.second, touch.is_obstacle) == ("three", "wall", True)
    assert 0.0 < (touch.at or 0.0) < 0.1
    assert not collide(robot, off, scene=Scene((WALL,))).all_free
    back = Trajectory(off.joints, off.points[::-1])
    assert not collide(robot, back, scene=at_start()).all_free
    assert collide(robot, back, scene=at_end()).all_free
    there_and_back = Trajectory(off.joints, (*off.points, *off.points[:1]))
    assert not collide(robot, there_and_back, scene=at_start()).all_free, (
        "once it has left, it counts to the end"
    )
    both = Scene((replace(at_start().obstacles[0], may_touch_at_end=("three",)),))
    assert collide(robot, there_and_back, scene=both).all_free
    assert not collide(robot, AT_WALL, scene=at_start()).all_free, "a pose alone is no motion"
    assert pickle.loads(pickle.dumps(free)).moment(0) == free.moment(0)


def test_a_link_that_slides_along_what_it_touches_collides() -> None:
    """The last ball stays 10 mm in the wall for all of the 46 mm that it moves."""
    robot = planar_arm()
    angles = np.linspace(math.radians(30.0), math.radians(22.0), 40).tolist()
    slide = Trajectory(
        AT_WALL.joints,
        tuple((a, 0.0, math.asin((0.55 - 0.8 * math.sin(a)) / 0.3) - a) for a in angles),
    )
    collided = collide(robot, slide, scene=at_start(0.02))
    assert not collided.all_free
    assert collide(robot, slide, scene=at_start(1.0)).all_free
    colliding = [k for k, passage in enumerate(collided.passages) if not passage.free]
    assert colliding == list(range(colliding[0], 39))


@pytest.mark.parametrize("seed", of_each_kind(range(4), (0,)))
def test_the_place_from_which_on_a_contact_counts_is_never_too_late(seed: int) -> None:
    """On random polylines of random robots, to within a millionth of a line, as a dense sampling
    sees it."""
    robot = random_robot(seed)
    rng = np.random.default_rng(seed)
    frames = tuple(robot.xrdf.spheres_of(robot.xrdf.self_group))
    for distance in (0.01, 0.2, 1.0):
        ball = Obstacle(
            "ball", SphereShape(0.1), (5.0, 0.0, 0.0), may_touch_at_start=frames, may_touch_at_end=frames,
            touch_distance=distance,
        )  # fmt: skip
        model = build_motion_model(robot, Scene((ball,)))
        values = rng.uniform(-1.0, 1.0, (6, len(model.variables)))
        contacts = AllowedContacts(model, values)
        steps = 4000
        places = np.linspace(0.0, 5.0, 5 * steps + 1)
        dense = np.column_stack([np.interp(places, np.arange(6), column) for column in values.T])
        trajectory = Trajectory(model.variables, tuple(map(tuple, dense.tolist())))
        centres = placed_spheres(robot, trajectory, for_obstacles=True)
        for row in model.limited.tolist():
            link = centres[model.names(row)[0]][0]
            for side, counts in ((0, places), (1, 5.0 - places)):
                home = link[-1 if side else 0]
                moved = np.linalg.norm(link - home, axis=2).max(axis=1)[:: -1 if side else 1]
                seen = (
                    counts[int(np.argmax(moved > distance))] if (moved > distance).any() else None
                )
                begin = contacts._begin[row - len(model.spheres.pairs)]
                end = contacts._end[row - len(model.spheres.pairs)]
                if seen is None:
                    assert end == -math.inf if side else begin == math.inf
                elif side:
                    assert seen - 1e-9 <= end <= seen + 1.0 / steps + 1e-5
                else:
                    assert seen - 1.0 / steps - 1e-5 <= begin <= seen + 1e-9


def test_a_tool_leaves_a_wall_in_a_straight_line() -> None:
    robot, bent = planar_arm(), pose(*np.deg2rad([70.0, -60.0, 10.0]))
    off, onwards = (
        tool_target(robot, "three", f"{y} m", pose=bent, relative=True)
        for y in ("0, -0.1, 0", "0, 0.1, 0")
    )
    line = plan_straight(robot, bent, off, scene=at_start())
    assert line.end is LineEnd.WHOLE
    assert line.path is not None
    assert_leaves(robot, line.path, at_start(), "three", 0.05)
    deeper = plan_straight(robot, bent, onwards, scene=at_start())
    assert deeper.end is LineEnd.COLLISION
    assert deeper.pair == ("three", "wall")
    assert 0.5 <= deeper.share < 0.56, "the contact counts when the link has moved by 50 mm of 100"
    last = line.path.pose(len(line.path) - 1)
    back = tool_target(robot, "three", "0, 0.1, 0 m", pose=last, relative=True)
    assert plan_straight(robot, last, back, scene=at_end()).end is LineEnd.WHOLE
    assert plan_straight(robot, last, back, scene=at_start()).end is LineEnd.COLLISION


def test_times_keep_what_the_path_keeps_and_the_report_says_what_may_touch() -> None:
    robot = planar_arm()
    planned = plan_between(robot, AT_WALL, pose(-1.5, 1.0, 1.0), scene=at_start())
    assert planned.path is not None
    timed = time_motion(robot, planned.path, scene=at_start())
    assert_leaves(robot, timed.motion, at_start(), "three", 0.05)
    report = report_motion(robot, timed.motion, scene=at_start())
    assert report.is_free
    assert report.to_obstacles is not None
    assert report.to_obstacles.proven
    assert report.to_obstacles.clearance > 0.0
    assert np.isfinite(report.to_obstacles.curve).all()
    assert any("three may touch wall until" in note for note in report.notes)


def test_other_times_of_contact_are_another_model_and_a_distance_is_above_zero() -> None:
    robot, scene = planar_arm(), at_start()
    model = build_motion_model(robot, scene)
    assert with_obstacles_moved(model, at_start(0.06)) is None
    assert with_obstacles_moved(model, at_end()) is None
    moved = with_obstacles_moved(
        model, Scene((replace(scene.obstacles[0], position=(0.0, 0.8, 0.0)),))
    )
    assert moved is not None
    assert moved.limited.tolist() == model.limited.tolist() != []
    with pytest.raises(SceneError, match="not above 0"):
        build_motion_model(robot, at_start(0.0))


def test_an_arm_leaves_its_table_and_lands_on_it_again() -> None:
    """UR10e: the hand stands 4 mm in the table at both ends; the base stands on it all the way."""
    folder = shared_robots() / "ur10e"
    robot = open_document(folder / "ur10e.urdf", folder / "ur10e.xrdf").robot
    start = {
        "shoulder_lift_joint": -0.8,
        "elbow_joint": 2.0,
        "wrist_1_joint": -2.77,
        "wrist_2_joint": -1.5708,
    }
    goal = {**start, "shoulder_pan_joint": 1.4}
    ends = Trajectory.of_pose(start, "start")
    hand = "wrist_3_link"
    centres, radii = placed_spheres(robot, ends, for_obstacles=True)[hand]
    top = float((centres[0, :, 2] - radii).min()) + 0.004
    table = Obstacle(
        "table", BoxShape((4.0, 4.0, 0.1)), (0.0, 0.0, top - 0.05),
        may_touch=("base_link", "base_link_inertia", "shoulder_link"),
        may_touch_at_start=(hand,), may_touch_at_end=(hand,), touch_distance=0.04,
    )  # fmt: skip
    scene = Scene((table,))
    planned = plan_between(robot, start, goal, scene=scene)
    assert planned.path is not None, planned.told
    assert {each.stretch for each in planned.nearer} == {Stretch.START, Stretch.GOAL}
    both = plan_to_tool(
        robot,
        start,
        tool_target(robot, hand, frame_pose(robot, hand, pose=goal)),
        near=goal,
        scene=scene,
    )
    for each in (planned, both):
        assert isinstance(each, Planned)
        assert each.path is not None, each.told
        path = np.array(each.path.points)
        assert collide(robot, each.path, scene=scene).all_free
        dense = replace(each.path, points=tuple(map(tuple, between(path, 20_000).tolist())))
        gap = obstacle_clearances(robot, dense, scene)[hand, "table"]
        links = placed_spheres(robot, dense, for_obstacles=True)[hand][0]
        away = [np.linalg.norm(links - links[end], axis=2).max(axis=1) for end in (0, -1)]
        first, last = (
            int(np.argmax(away[0] > 0.04)),
            len(gap) - int(np.argmax(away[1][::-1] > 0.04)),
        )
        assert gap[0] < 0.0
        assert gap[-1] < 0.0
        assert first < last
        assert (gap[first:last] > 0.0).all()


def test_meshes_count_from_where_the_link_has_moved_by_the_distance(tmp_path: Path) -> None:
    """Held against the vertices alone: fingers that lift off a table leave it where their lowest
    vertex does."""
    document = open_document(copy_of_sample(tmp_path / "arm"))
    robot, links = document.robot, ("left_finger_link", "right_finger_link")
    default = default_pose(document)
    x, y, z = frame_poses(document, default)["grasp_frame"][:3, 3].tolist()
    table = Obstacle("table", BoxShape((0.4, 0.4, 0.1)), (x, y, z - 0.06), may_touch_at_start=links)
    lifted = {**default, "shoulder_pitch_joint": default["shoulder_pitch_joint"] - 0.4}
    motion = Trajectory(
        tuple(default), (tuple(default.values()), tuple(lifted.values())), (0.0, 1.0)
    )
    points = between(np.array(motion.points), 2_000)
    dense = replace(motion, points=tuple(map(tuple, points.tolist())), times=None)
    tree, moved = get_tree(robot), placed_spheres(robot, dense, for_obstacles=True)
    world = compute_forward_batch(
        tree,
        [name for name in motion.joints if name in tree.independent],
        points[:, : len(tree.independent)],
    )
    needed = 0.0
    for link in links:
        vertices, _ = merge_parts(
            link_geometry(robot.urdf, document.urdf_path, link, "collision").parts
        )
        places = world[:, tree.index[link]]
        lowest = (places[:, 2, :3] @ vertices.T + places[:, 2, 3:]).min(axis=1)
        leaves = int(np.argmax(lowest > z - 0.01))
        assert leaves > 0, "the mesh touches at the start"
        centres = moved[link][0]
        needed = max(needed, float(np.linalg.norm(centres[leaves] - centres[0], axis=1).max()))
    for share, is_free in ((0.97, False), (1.03, True)):
        scene = Scene((replace(table, touch_distance=share * needed),))
        assert collide(document, motion, geometry="meshes", scene=scene).all_free is is_free
    assert not collide(
        document, motion, geometry="meshes", scene=Scene((replace(table, may_touch_at_start=()),))
    ).all_free
