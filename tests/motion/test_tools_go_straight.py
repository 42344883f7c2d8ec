"""Straight lines of a tool: on the line by pinocchio, near it between the points, proven free, and
what stops them."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

import editor_app
from editor_app.cli import run_command
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.model.scene import BoxShape, Obstacle, Scene
from editor_app.core.space.kinematics.forward import compute_forward, compute_forward_batch
from editor_app.core.space.kinematics.inverse import ToolSolver, ToolTarget
from editor_app.core.space.kinematics.straight import LedLine, lead
from editor_app.core.space.kinematics.transforms import build_axis_rotation
from editor_app.core.space.kinematics.tree import KinematicTree, build_tree
from editor_app.core.text.source import SourceText
from tests.helpers.breadth import of_each_kind
from tests.helpers.joint_samples import sample_joints
from tests.helpers.robots import example_robots, shared_robots, ur10
from tests.helpers.sphere_robots import joint, robot_of

#: With a lift that slides and seven joints; seven joints; six joints.
ROBOTS = (
    (example_robots() / "tiago_description/robots/tiago_no_hand.urdf", "arm_tool_link"),
    (example_robots() / "panda_description/urdf/panda.urdf", "panda_hand"),
    (ur10(), "tool0"),
)


def led_lines(
    tree: KinematicTree, frame: str, count: int
) -> list[tuple[LedLine, np.ndarray, np.ndarray, dict[str, float]]]:
    """Lines of 0.3 m and up to 1 rad from random poses: each with start and goal (4, 4) of the
    frame, and pose."""
    rng = np.random.default_rng(7)
    lines = []
    for values in sample_joints(tree, count, seed=11):
        pose = dict(zip(tree.independent, values.tolist(), strict=True))
        start = compute_forward(tree, pose)[tree.index[frame]]
        goal = start.copy()
        way, axis = rng.normal(size=3), rng.normal(size=3)
        goal[:3, 3] += 0.3 * way / np.linalg.norm(way)
        goal[:3, :3] = (
            build_axis_rotation(axis.tolist(), float(rng.uniform(0.0, 1.0))) @ start[:3, :3]
        )
        solver = ToolSolver(tree, [frame], pose)
        first = np.array([pose[name] for name in solver.chain.variables])
        lines.append(
            (lead(solver, ToolTarget(frame, goal[:3, 3], goal[:3, :3]), first), start, goal, pose)
        )
    return lines


@pytest.mark.parametrize(
    ("path", "frame"), of_each_kind(ROBOTS, ROBOTS[1:2]), ids=lambda value: Path(value).stem
)
def test_points_are_on_the_line_and_the_way_between_them_near_it(path: Path, frame: str) -> None:
    pin = pytest.importorskip("pinocchio", reason="pin has wheels for Linux only")
    tree = build_tree(read_urdf(SourceText.read(path)).value)
    model = pin.buildModelFromUrdf(str(path))
    data = model.createData()

    def place(pose: dict[str, float]) -> Any:
        configuration = pin.neutral(model)
        for name, value in pose.items():
            each = model.joints[model.getJointId(name)]
            if each.nq == 2:
                configuration[each.idx_q : each.idx_q + 2] = math.cos(value), math.sin(value)
            else:
                configuration[each.idx_q] = value
        pin.framesForwardKinematics(model, data, configuration)
        return data.oMf[model.getFrameId(frame)].homogeneous

    lines = led_lines(tree, frame, 12)
    wholes = 0
    for led, start, goal, pose in lines:
        wholes += led.is_whole
        assert led.shares[0] == 0.0
        assert (np.diff(led.shares) > 0.0).all()
        turns = Slerp([0.0, 1.0], Rotation.from_matrix([start[:3, :3], goal[:3, :3]]))
        for values, share in zip(led.values, led.shares, strict=True):
            seen = place({**pose, **dict(zip(led.variables, values.tolist(), strict=True))})
            wanted = start[:3, 3] + share * (goal[:3, 3] - start[:3, 3])
            assert np.abs(seen[:3, 3] - wanted).max() < 1e-9
            assert np.abs(seen[:3, :3] - turns(share).as_matrix()).max() < 1e-9
        for limits in ((name, tree.joint(name)) for name in led.variables):
            column = led.values[:, led.variables.index(limits[0])]
            if limits[1] is not None and limits[1].limits is not None:
                assert column.min() >= limits[1].limits[0] - 1e-12
                assert column.max() <= limits[1].limits[1] + 1e-12
        # Between the points: what is promised holds at 20 places of each piece.
        shares = np.linspace(0.0, 1.0, 21)
        for k, (one, other) in enumerate(itertools.pairwise(led.values)):
            way = one + shares[:, None] * (other - one)
            worlds = compute_forward_batch(tree, led.variables, way, pose)[:, tree.index[frame]]
            at = led.shares[k] + shares * (led.shares[k + 1] - led.shares[k])
            wanted = start[:3, 3] + at[:, None] * (goal[:3, 3] - start[:3, 3])
            assert np.linalg.norm(worlds[:, :3, 3] - wanted, axis=1).max() <= led.deviation + 1e-9
            angles = (Rotation.from_matrix(worlds[:, :3, :3]) * turns(at).inv()).magnitude()
            assert angles.max() <= led.turn_deviation + 1e-9
    assert 0 < wholes < len(lines), "some come to their end, some are stopped: both are seen here"


def planar_arm(limit: float = math.pi) -> Any:
    """Three links of 0.4 m in a plane; the tool is the end of the third."""
    names = ("base", "one", "two", "three")
    joints = [
        joint(
            f"j{k}",
            names[k],
            names[k + 1],
            xyz=(0.4 if k else 0.0, 0.0, 0.0),
            limits=(-math.pi, limit if k == 1 else math.pi),
        )
        for k in range(3)
    ]
    row = [(0.1 * k, 0.0, 0.0, 0.03) for k in range(1, 4)]
    return robot_of(joints, {"one": row, "two": row, "three": row})


BENT = {"j0": 0.3, "j1": 0.6, "j2": 0.5}


def test_a_line_is_free_at_every_place_or_says_what_collides_where() -> None:
    robot = planar_arm()
    target = editor_app.tool_target(robot, "three", "-0.2 0.1 0", pose=BENT, relative=True)
    line = editor_app.plan_straight(robot, BENT, target)
    assert line.end is editor_app.LineEnd.WHOLE
    assert line.path is line.begun
    assert line.why == ""
    assert line.length == pytest.approx(math.hypot(0.2, 0.1))
    assert line.deviation <= 1e-4
    assert editor_app.collide(robot, line.path).all_free
    end = line.path.pose(len(line.path) - 1)
    assert editor_app.frame_pose(robot, "three", pose=end).position == pytest.approx(
        tuple(target.position), abs=1e-9
    )
    # A post in the way of the last link: the line goes to it, and no further.
    x, y, _ = (editor_app.frame_pose(robot, "three", pose=end).matrix @ (0.3, 0.0, 0.0, 1.0))[:3]
    post = Scene((Obstacle("post", BoxShape((0.02, 0.02, 1.0)), (x, y, 0.0)),))
    stopped = editor_app.plan_straight(robot, BENT, target, scene=post)
    assert stopped.end is editor_app.LineEnd.COLLISION
    assert stopped.path is None
    assert stopped.pair is not None
    assert "post" in stopped.pair
    assert 0.0 < stopped.share < 1.0
    assert "post collide" in stopped.why
    begun = editor_app.collide(robot, stopped.begun, scene=post)
    assert begun.all_free
    # The next piece of the free line, begun where this one ends, does touch.
    further = editor_app.collide(robot, line.path, scene=post)
    assert not further.all_free
    assert len(stopped.begun) == min(p.index for p in further.passages if not p.free) + 1
    with pytest.raises(editor_app.Refused, match="start is in collision"):
        editor_app.plan_straight(
            robot, line.path.pose(len(line.path) - 1), target, scene=touching(robot, line.path)
        )


def test_a_line_keeps_away_as_a_planned_path_does() -> None:
    robot = planar_arm()
    target = editor_app.tool_target(robot, "three", "-0.2 0.1 0", pose=BENT, relative=True)
    free = editor_app.plan_straight(robot, BENT, target)
    assert free.path is not None
    x, y, _ = (
        editor_app.frame_pose(robot, "three", pose=free.path.pose(len(free.path) - 1)).matrix
        @ (0.3, 0, 0, 1.0)
    )[:3]
    beside = Scene((Obstacle("post", BoxShape((0.02, 0.02, 1.0)), (x, y + 0.07, 0.0)),))
    gap = min(moment.clearance or 0.0 for moment in moments(robot, free.path, beside))
    assert 0.001 < gap < 0.1, "the line passes the post"
    for asked in (0.5 * gap, 2.0 * gap):
        away = editor_app.KeepAway(obstacles=asked)
        line = editor_app.plan_straight(robot, BENT, target, scene=beside, keep_away=away)
        assert all(
            (moment.clearance or 0.0) >= asked - 1e-9
            for moment in moments(robot, line.begun, beside)
        )
        assert (line.path is None) == (asked > gap)
        if line.path is None:
            assert line.end is editor_app.LineEnd.COLLISION
            assert f"post come nearer than {asked * 1e3:g} mm" in line.why
        else:
            assert line.told == f"proven free, at least {asked * 1e3:g} mm from obstacles"
    # Without obstacles nothing is said of them.
    bare = editor_app.plan_straight(
        robot, BENT, target, keep_away=editor_app.KeepAway(obstacles=0.01)
    )
    assert bare.told == "proven free"
    near = Scene((Obstacle("post", BoxShape((0.02, 0.02, 1.0)), place_beside(robot)),))
    with pytest.raises(
        editor_app.Refused,
        match=r"start is closer than the minimum distance: .* post come nearer than 50 mm",
    ):
        editor_app.plan_straight(
            robot, BENT, target, scene=near, keep_away=editor_app.KeepAway(obstacles=0.05)
        )
    with pytest.raises(ValueError, match="a length of 0 m or more"):
        editor_app.KeepAway(obstacles=math.nan)


def moments(robot: Any, path: Any, scene: Scene) -> list[Any]:
    collided = editor_app.collide(robot, path, scene=scene)
    return [collided.moment(k) for k in range(len(path))]


def place_beside(robot: Any) -> tuple[float, float, float]:
    """20 mm from the last sphere of the arm where it is bent."""
    x, y, _ = (editor_app.frame_pose(robot, "three", pose=BENT).matrix @ (0.3, 0.06, 0.0, 1.0))[:3]
    return float(x), float(y), 0.0


def touching(robot: Any, path: Any) -> Scene:
    end = editor_app.frame_pose(robot, "three", pose=path.pose(len(path) - 1)).position
    return Scene((Obstacle("block", BoxShape((0.2, 0.2, 0.2)), end),))


def test_a_limit_and_a_singularity_are_told_apart_with_their_joints() -> None:
    held = planar_arm(limit=0.8)
    target = editor_app.tool_target(held, "three", "-0.4 0 0", pose=BENT, relative=True)
    line = editor_app.plan_straight(held, BENT, target)
    assert line.end is editor_app.LineEnd.LIMIT
    assert line.limits == (("j1", True),)
    assert "j1 is at its upper limit" in line.why
    assert line.begun.pose(len(line.begun) - 1)["j1"] == pytest.approx(0.8, abs=2e-3)
    assert editor_app.plan_straight(planar_arm(), BENT, target).path is not None, (
        "the limit alone stops it"
    )
    # Away from the base the arm becomes straight: the elbow would have to race, and no posture
    # reaches the end.
    far = editor_app.tool_target(held, "three", "1 0 0", pose=BENT, relative=True)
    stretched = editor_app.plan_straight(held, BENT, far)
    assert stretched.end is editor_app.LineEnd.SINGULAR
    assert stretched.singular
    assert "out of reach" in stretched.why
    assert "mm short" in stretched.rest
    assert stretched.path is None
    nothing = editor_app.plan_straight(held, BENT, target, locked=["j0", "j1", "j2"])
    assert nothing.share == 0.0
    assert "no controlled joint" in nothing.why
    with pytest.raises(editor_app.Refused, match="outside the limits of j1"):
        editor_app.plan_straight(held, {"j1": 1.0}, target)


def test_a_way_without_a_length_and_one_that_turns_alone_are_lines_too() -> None:
    robot = planar_arm()
    here = editor_app.tool_target(robot, "three", "0 0 0", pose=BENT, relative=True)
    assert editor_app.plan_straight(robot, BENT, here).path is not None
    hardly = editor_app.tool_target(
        robot, "three", "0 0 0.1 rpy 0 0 1e-13", pose=BENT, relative=True
    )
    assert "singular" in editor_app.plan_straight(robot, BENT, hardly).why, "out of its plane"
    turned = editor_app.tool_target(robot, "three", "0 0 0 rpy 0 0 30deg", pose=BENT, relative=True)
    line = editor_app.plan_straight(robot, BENT, turned)
    assert line.path is not None
    assert line.turn == pytest.approx(math.radians(30.0))
    start = editor_app.frame_pose(robot, "three", pose=BENT).position
    for k in range(len(line.path)):
        assert editor_app.frame_pose(
            robot, "three", pose=line.path.pose(k)
        ).position == pytest.approx(start, abs=1e-9)


def test_the_command_leads_the_tool_and_says_what_stops_it(capsys: Any, tmp_path: Path) -> None:
    urdf, out = shared_robots() / "ur10e" / "ur10e.urdf", tmp_path / "line.csv"

    def run(*arguments: object) -> tuple[int, Any, str]:
        code = run_command("plan", [str(urdf), *map(str, arguments), "--format", "json"])
        given = capsys.readouterr()
        return code, json.loads(given.out) if given.out else None, given.err

    code, report, _ = run(
        "--from", "default", "--tool", "tool0", "--by", "0 0 -0.1", "--straight", "-o", out
    )
    assert code == 0
    assert report["proven_free"]
    assert report["length_m"] == pytest.approx(0.1)
    path = editor_app.read_trajectory(out)
    robot = editor_app.open_robot(urdf)
    assert editor_app.collide(robot, path).all_free
    first, last = (
        editor_app.frame_pose(robot, "tool0", pose=path.pose(k)).position
        for k in (0, len(path) - 1)
    )
    assert np.subtract(last, first) == pytest.approx([0.0, 0.0, -0.1], abs=1e-9)
    code, report, _ = run("--from", "default", "--to", "3 0 0", "--straight")
    assert code == 1
    assert report["path"] is None
    assert report["singular"] or report["limits"]
    assert report["why"]
    code, report, _ = run("--from", "default", "--tool", "tool0", "--to", "0.5 0.2 0.5")
    assert code == 0
    goal = dict(zip(report["joints"], report["path"][-1], strict=True))
    assert editor_app.frame_pose(robot, "tool0", pose=goal).position == pytest.approx(
        (0.5, 0.2, 0.5), abs=1e-4
    )
    for wrong in (
        ("--straight",),
        ("--by", "0 0 1"),
        ("--from", "default", "--in", "tool0", "--to", "random"),
    ):
        assert run(*wrong)[0] == 2
