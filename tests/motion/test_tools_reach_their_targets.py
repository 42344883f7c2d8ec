"""Inverse kinematics: what was reached forwards is reached backwards, within limits; the rest says
how far it is."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import editor_app
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.space.kinematics.forward import compute_forward, compute_forward_batch
from editor_app.core.space.kinematics.inverse import ToolSolver, ToolTarget, rotation_vectors
from editor_app.core.space.kinematics.structure import KinematicTree
from editor_app.core.space.kinematics.transforms import build_axis_rotation
from editor_app.core.space.kinematics.tree import build_tree
from editor_app.core.text.source import SourceText
from tests.helpers.joint_samples import sample_joints
from tests.helpers.robots import example_robots, sample_urdf, shared_robots

#: Robot of example-robot-data, and the frame that is brought to its targets.
ARMS = (
    ("panda_description/urdf/panda.urdf", "panda_hand"),
    ("ur_description/urdf/ur5_robot.urdf", "tool0"),
    ("kinova_description/robots/kinova.urdf", "j2s6s200_link_6"),
    ("baxter_description/urdf/baxter.urdf", "left_gripper"),
    ("tiago_description/robots/tiago_no_hand.urdf", "arm_7_link"),
)
COUNT = 12


def tree_at(path: Path) -> KinematicTree:
    return build_tree(read_urdf(SourceText.read(path)).value)


def assert_within_limits(tree: KinematicTree, pose: dict[str, float]) -> None:
    for name, value in pose.items():
        joint = tree.joint(name)
        assert joint is not None
        if joint.limits is not None and joint.mimic is None:
            assert joint.limits[0] - 1e-12 <= value <= joint.limits[1] + 1e-12, name


def assert_reaches(tree: KinematicTree, frame: str, count: int) -> None:
    worlds = compute_forward_batch(tree, tree.independent, sample_joints(tree, count, seed=5))[
        :, tree.index[frame]
    ]
    solver = ToolSolver(tree, [frame], {})
    for world in worlds:
        reached = solver.search([ToolTarget(frame, world[:3, 3], world[:3, :3])], {})[0]
        assert reached.is_reached, (frame, reached)
        assert_within_limits(tree, dict(reached.pose))
        # Measured again by the forward kinematics of the whole tree, which another test holds
        # against pinocchio.
        arrived = compute_forward(tree, reached.pose)[tree.index[frame]]
        assert np.linalg.norm(arrived[:3, 3] - world[:3, 3]) <= 1e-4
        assert np.linalg.norm(rotation_vectors(world[:3, :3] @ arrived[:3, :3].T)) <= math.radians(
            0.1
        )


@pytest.mark.parametrize(("name", "frame"), ARMS, ids=lambda value: Path(value).stem)
def test_targets_from_forward_kinematics_are_reached(name: str, frame: str) -> None:
    assert_reaches(tree_at(example_robots() / name), frame, COUNT)


def test_the_shared_arm_reaches_too() -> None:
    assert_reaches(tree_at(shared_robots() / "ur10e" / "ur10e.urdf"), "tool0", COUNT)


def test_jacobians_agree_with_pinocchio() -> None:
    pin = pytest.importorskip("pinocchio", reason="pin has wheels for Linux only")
    path = example_robots() / ARMS[0][0]
    tree = tree_at(path)
    model = pin.buildModelFromUrdf(str(path))
    data = model.createData()
    chain = ToolSolver(tree, ["panda_hand"], {}).chain
    for values in sample_joints(tree, 4, seed=2):
        q = np.array(values)
        place = [tree.independent.index(name) for name in chain.variables]
        joints, tools = chain.poses(q[place][None])
        moved, turned = chain.jacobian(joints, tools)
        configuration = pin.neutral(model)
        for name, value in zip(tree.independent, q, strict=True):
            configuration[model.joints[model.getJointId(name)].idx_q] = value
        theirs = pin.computeFrameJacobian(
            model, data, configuration, model.getFrameId("panda_hand"), pin.LOCAL_WORLD_ALIGNED
        )
        columns = [model.joints[model.getJointId(name)].idx_v for name in chain.variables]
        np.testing.assert_allclose(
            np.concatenate([moved[0, 0], turned[0, 0]]), theirs[:, columns], atol=1e-9
        )


def test_what_is_too_far_is_approached_and_says_so() -> None:
    tree = tree_at(example_robots() / "ur_description/urdf/ur5_robot.urdf")
    solver = ToolSolver(tree, ["tool0"], {})
    far = ToolTarget("tool0", np.array([3.0, 0.0, 0.4]))
    pose = {"shoulder_lift_joint": -1.2, "elbow_joint": 1.4}
    for _ in range(12):  # a hand that keeps pulling
        stretched = solver.follow([far], pose)
        pose = dict(stretched.pose)
    assert not stretched.is_reached
    # The UR5's reach is 850 mm to the wrist's centre, its last links add some 100 mm: what is left
    # is the rest.
    assert 1.9 < stretched.distances[0] < 2.2
    assert stretched.angles == (0.0,)
    assert_within_limits(tree, pose)


def test_a_joint_that_stops_the_tool_is_named() -> None:
    tree = tree_at(example_robots() / "panda_description/urdf/panda.urdf")
    start = {"panda_joint4": -1.5, "panda_joint6": 1.5}
    solver = ToolSolver(tree, ["panda_hand"], start)
    here = compute_forward(tree, start)[tree.index["panda_hand"]]
    turned = build_axis_rotation(here[:3, 2], 2.9999) @ here[:3, :3]
    locked = ToolSolver(
        tree, ["panda_hand"], start, [name for name in tree.independent if name != "panda_joint7"]
    )
    stopped = locked.follow([ToolTarget("panda_hand", here[:3, 3], turned)], start, 60)
    assert stopped.at_limits == ("panda_joint7",)
    assert not stopped.is_reached
    assert {n for n, v in stopped.pose.items() if abs(v - solver._rest[n]) > 1e-12} == {
        "panda_joint7"
    }


def test_two_arms_go_to_two_places() -> None:
    tree = tree_at(example_robots() / "baxter_description/urdf/baxter.urdf")
    frames = ["left_gripper", "right_gripper"]
    world = compute_forward_batch(tree, tree.independent, sample_joints(tree, 6, seed=9))
    solver = ToolSolver(tree, frames, {})
    for poses in world:
        places = [poses[tree.index[frame]] for frame in frames]
        targets = [ToolTarget(f, p[:3, 3], p[:3, :3]) for f, p in zip(frames, places, strict=True)]
        reached = solver.search(targets, {}, tries=240)[0]
        assert reached.is_reached, reached


def test_mimic_joints_follow_and_their_limits_count(tmp_path: Path) -> None:
    path = tmp_path / "claw.urdf"
    path.write_text(
        '<robot name="claw"><link name="base"/><link name="one"/><link name="two"/>'
        '<joint name="lead" type="revolute"><parent link="base"/><child link="one"/><axis xyz="0 0 '
        '1"/>'
        '<limit lower="-2" upper="2" effort="1" velocity="1"/></joint>'
        '<joint name="follow" type="revolute"><parent link="one"/><child link="two"/><origin '
        'xyz="1 0 0"/>'
        '<axis xyz="0 0 1"/><mimic joint="lead" multiplier="2"/>'
        '<limit lower="-2" upper="2" effort="1" velocity="1"/></joint></robot>'
    )
    tree = tree_at(path)
    solver = ToolSolver(tree, ["two"], {})
    assert solver.chain.variables == ("lead",)
    place = compute_forward(tree, {"lead": 0.7})[tree.index["two"]]
    reached = solver.search([ToolTarget("two", place[:3, 3], place[:3, :3])], {})[0]
    assert reached.is_reached
    assert (
        reached.pose["follow"]
        == pytest.approx(2 * reached.pose["lead"])
        == pytest.approx(1.4, abs=1e-6)
    )
    beyond = compute_forward(tree, {"lead": 1.6})[tree.index["two"]]
    stopped = solver.search([ToolTarget("two", beyond[:3, 3], beyond[:3, :3])], {})[0]
    assert stopped.pose["lead"] == pytest.approx(1.0)
    assert stopped.at_limits == ("lead",)


def test_half_a_turn_is_found() -> None:
    for axis in np.eye(3):
        for angle in (math.pi, math.pi - 1e-5, 3.0, 1e-9, 0.0):
            vector = rotation_vectors(build_axis_rotation(axis.tolist(), angle)[None])[0]
            assert np.linalg.norm(vector) == pytest.approx(angle, abs=1e-9)
            assert np.allclose(
                build_axis_rotation(axis.tolist(), angle), _rotation(vector), atol=1e-7
            )


def _rotation(vector: np.ndarray) -> np.ndarray:
    angle = float(np.linalg.norm(vector))
    return build_axis_rotation((vector / angle).tolist(), angle) if angle > 0 else np.eye(3)


def test_the_verb_refuses_what_is_no_target() -> None:
    robot = editor_app.open_robot(sample_urdf())
    target = editor_app.ToolTarget("flange_link", np.array([0.3, 0.0, 0.4]))
    with pytest.raises(editor_app.Refused, match="no frame 'nowhere'"):
        editor_app.reach(robot, [editor_app.ToolTarget("nowhere", np.zeros(3))])
    with pytest.raises(editor_app.Refused, match="no joint 'knee'"):
        editor_app.reach(robot, [target], locked=["knee"])
    with pytest.raises(editor_app.Refused, match="one target per frame"):
        editor_app.reach(robot, [target, target])
    with pytest.raises(editor_app.Refused, match="not three numbers"):
        editor_app.reach(
            robot, [editor_app.ToolTarget("flange_link", np.array([math.nan, 0.0, 0.0]))]
        )
    with pytest.raises(editor_app.Refused, match="not a rotation matrix"):
        editor_app.reach(robot, [editor_app.ToolTarget("flange_link", np.zeros(3), -np.eye(3))])


def test_a_plan_to_a_tool_ends_there_and_passes_what_collides() -> None:
    robot = editor_app.open_robot(sample_urdf())
    start = editor_app.state_pose(robot, "default")
    flange = editor_app.frame_poses(robot, {"shoulder_pitch_joint": 0.5})["flange_link"]
    target = editor_app.ToolTarget("flange_link", flange[:3, 3], flange[:3, :3])
    planned = editor_app.plan_to_tool(robot, start, [target])
    assert planned.path is not None
    end = editor_app.frame_poses(robot, dict(planned.path.pose(len(planned.path) - 1)))[
        "flange_link"
    ]
    assert np.linalg.norm(end[:3, 3] - flange[:3, 3]) <= 1e-4
    assert editor_app.collide(robot, planned.path).all_free
    with pytest.raises(editor_app.Refused, match=r"out of reach: .* mm short"):
        editor_app.plan_to_tool(
            robot, start, [editor_app.ToolTarget("flange_link", np.array([9.0, 0.0, 0.0]))]
        )
    room = editor_app.scene
    block = room.Scene(
        (room.Obstacle("block", room.BoxShape((0.1, 0.1, 0.1)), tuple(flange[:3, 3].tolist())),)
    )
    with pytest.raises(
        editor_app.Refused, match=r"only in collision; most often blocking: .* and block"
    ):
        editor_app.plan_to_tool(robot, start, [target], scene=block)


def test_a_waist_moves_last_and_fingers_hold_nothing_back() -> None:
    tree = tree_at(example_robots() / "g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf")
    palm = compute_forward(tree, {})[tree.index["left_hand_palm_link"]]
    solver = ToolSolver(tree, ["left_hand_palm_link"], {})
    near = solver.follow(
        [ToolTarget("left_hand_palm_link", palm[:3, 3] + (0.1, 0.0, 0.1), palm[:3, :3])], {}, 120
    )
    far = solver.follow(
        [ToolTarget("left_hand_palm_link", palm[:3, 3] + (0.25, 0.1, 0.2), palm[:3, :3])], {}, 120
    )
    waist = [name for name in solver.chain.variables if name.startswith("waist")]
    assert len(waist) == 3
    assert near.is_reached
    # The arm alone gets there; with all joints alike the waist turned by 0.14 rad.
    assert max(abs(near.pose[name]) for name in waist) < 0.03
    # Beyond the arm's room the waist comes along.
    assert far.is_reached
    assert max(abs(far.pose[name]) for name in waist) > 0.1
    # An arm that carries a hand alone has no joint that waits.
    panda = tree_at(example_robots() / "panda_description/urdf/panda.urdf")
    assert (ToolSolver(panda, ["panda_hand"], {}).chain.readiness == 1.0).all()


def test_a_weight_says_which_joint_moves_last_and_none_holds_it() -> None:
    tree = tree_at(example_robots() / "panda_description/urdf/panda.urdf")
    pose = {"panda_joint2": -0.4, "panda_joint4": -1.8, "panda_joint6": 1.5}
    hand = compute_forward(tree, pose)[tree.index["panda_hand"]]
    target = ToolTarget("panda_hand", hand[:3, 3] + (0.05, 0.12, 0.0), hand[:3, :3])
    turned = {}
    for weight in (1.0, 0.05, 0.0):
        solver = ToolSolver(tree, ["panda_hand"], pose, weights={"panda_joint1": weight})
        reached = solver.follow([target], pose, 120)
        assert reached.is_reached, weight
        turned[weight] = abs(reached.pose["panda_joint1"])
        assert ("panda_joint1" in solver.chain.variables) == (weight > 0.0)
    assert turned[0.0] == 0.0
    assert turned[0.05] < 0.2 * turned[1.0]
    # What was said of a joint counts, also where it carries another limb.
    humanoid = tree_at(example_robots() / "g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf")
    chain = ToolSolver(
        humanoid, ["left_hand_palm_link"], {}, weights={"waist_yaw_joint": 1.0}
    ).chain
    weights = dict(zip(chain.variables, chain.readiness.tolist(), strict=True))
    assert weights["waist_yaw_joint"] == 1.0
    assert weights["waist_roll_joint"] < 1.0
    robot = editor_app.open_robot(sample_urdf())
    for wrong, reason in (
        ({"knee": 1.0}, "no joint 'knee'"),
        ({"shoulder_pitch_joint": -1.0}, "0 or more"),
    ):
        with pytest.raises(editor_app.Refused, match=reason):
            editor_app.reach(robot, ToolTarget("flange_link", np.zeros(3)), weights=wrong)


def test_an_upright_tool_keeps_its_tilt_and_may_turn_about_the_vertical() -> None:
    tree = tree_at(example_robots() / "panda_description/urdf/panda.urdf")
    pose = {"panda_joint2": -0.4, "panda_joint4": -1.8, "panda_joint6": 1.5}
    hand = compute_forward(tree, pose)[tree.index["panda_hand"]]
    up = hand[:3, :3].T @ (0.0, 0.0, 1.0)
    held = [f"panda_joint{k}" for k in (5, 7)]
    solver = ToolSolver(tree, ["panda_hand"], pose, held)
    place = hand[:3, 3] + (-0.1, 0.2, 0.05)
    free = solver.search([ToolTarget("panda_hand", place, hand[:3, :3], upright=True)], pose)[0]
    arrived = compute_forward(tree, free.pose)[tree.index["panda_hand"]]
    assert free.is_reached
    assert arrived[:3, 3] == pytest.approx(place, abs=1e-4)
    assert arrived[:3, :3] @ up == pytest.approx([0.0, 0.0, 1.0], abs=1e-4)
    assert np.linalg.norm(rotation_vectors(arrived[:3, :3] @ hand[:3, :3].T)) > 0.05, (
        "it turned, and was let"
    )
    # The same with the whole rotation held is out of reach of these five joints.
    assert not solver.search([ToolTarget("panda_hand", place, hand[:3, :3])], pose)[0].is_reached
    # From upside down, where every way is as short, it comes up as well.
    whole = ToolSolver(tree, ["panda_hand"], pose)
    over = build_axis_rotation((1.0, 0.0, 0.0), math.pi) @ hand[:3, :3]
    reached = whole.search(
        [ToolTarget("panda_hand", hand[:3, 3] + (0.0, 0.0, 0.1), over, upright=True)], pose
    )[0]
    assert reached.is_reached
    turned = compute_forward(tree, reached.pose)[tree.index["panda_hand"]][:3, :3] @ (
        over.T @ (0.0, 0.0, 1.0)
    )
    assert turned == pytest.approx([0.0, 0.0, 1.0], abs=1e-4)


def test_plans_move_last_what_moves_last_and_leave_no_noise() -> None:
    """A place alone leaves the sample's arm free in three joints: its base turns much, little, or
    not at all."""
    robot = editor_app.open_robot(sample_urdf())
    pose = editor_app.state_pose(robot, "default")

    def turned(place: str, weight: float) -> float:
        target = editor_app.tool_target(robot, "flange_link", place, relative=True)
        weights = {"base_yaw_joint": weight}
        planned = editor_app.plan_to_tool(
            robot, pose, replace(target, rotation=None), weights=weights
        )
        assert planned.path is not None, planned.told
        last = np.array(planned.path.points[-1])
        assert not ((last != 0.0) & (np.abs(last) < 1e-12)).any()
        return abs(planned.path.pose(-1)["base_yaw_joint"] - planned.path.pose(0)["base_yaw_joint"])

    for place in ("0 0.03 0", "-0.03 -0.03 0"):
        assert turned(place, 0.02) < 0.7 * turned(place, 1.0)
    assert turned("-0.05 0 -0.05", 0.0) == 0.0
