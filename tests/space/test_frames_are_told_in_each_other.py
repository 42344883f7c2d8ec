"""Where a frame is in another, against pinocchio and scipy; as text and back; typed targets,
absolute and relative."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import editor_app
from editor_app.cli import run_command
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.xrdf import Xrdf
from editor_app.core.space.kinematics.transforms import build_axis_rotation
from editor_app.core.space.kinematics.tree import complete_pose, get_tree
from editor_app.core.text.source import SourceText
from tests.helpers.joint_samples import sample_joints
from tests.helpers.robots import example_robots, sample_urdf, ur10

#: Robot, frame, and the frame in which it is told.
ROBOTS = (
    (ur10(), "tool0", "forearm_link"),
    (
        example_robots() / "tiago_description/robots/tiago_no_hand.urdf",
        "arm_tool_link",
        "head_2_link",
    ),
    (example_robots() / "panda_description/urdf/panda.urdf", "panda_hand", "panda_link3"),
)


def robot_at(path: Path) -> RobotDescription:
    return RobotDescription(read_urdf(SourceText.read(path)).value, Xrdf())


@pytest.mark.parametrize(("path", "frame", "reference"), ROBOTS, ids=lambda value: Path(value).stem)
def test_places_agree_with_pinocchio(path: Path, frame: str, reference: str) -> None:
    pin = pytest.importorskip("pinocchio", reason="pin has wheels for Linux only")
    robot = robot_at(path)
    tree = get_tree(robot)
    model = pin.buildModelFromUrdf(str(path))
    data = model.createData()
    for values in sample_joints(tree, 20, seed=4):
        pose = dict(zip(tree.independent, values.tolist(), strict=True))
        configuration = pin.neutral(model)
        for name, value in complete_pose(tree, pose).items():
            joint = model.joints[model.getJointId(name)]
            if joint.nq == 2:
                configuration[joint.idx_q : joint.idx_q + 2] = math.cos(value), math.sin(value)
            else:
                configuration[joint.idx_q] = value
        pin.framesForwardKinematics(model, data, configuration)
        theirs = data.oMf[model.getFrameId(reference)].actInv(data.oMf[model.getFrameId(frame)])
        ours = editor_app.frame_pose(robot, frame, reference, pose)
        assert np.abs(np.array(ours.position) - theirs.translation).max() < 1e-9
        assert np.abs(ours.matrix[:3, :3] - theirs.rotation).max() < 1e-9
        x, y, z, w = pin.Quaternion(theirs.rotation).normalized().coeffs()
        sign = 1.0 if w >= 0.0 else -1.0
        assert np.abs(np.array(ours.quaternion_xyzw) - sign * np.array([x, y, z, w])).max() < 1e-9
        assert np.abs(pin.rpy.rpyToMatrix(*ours.rpy) - theirs.rotation).max() < 1e-9
        axis, angle = ours.axis_angle
        assert 0.0 <= angle <= math.pi
        assert (
            np.abs(pin.AngleAxis(angle, np.array(axis)).toRotationMatrix() - theirs.rotation).max()
            < 1e-9
        )


@pytest.mark.parametrize("kind", ["urdf", "xrdf", "ros"])
def test_a_place_comes_back_from_each_text(kind: Any) -> None:
    rng = np.random.default_rng(3)
    for turn in (
        *Rotation.random(20, random_state=3).as_matrix(),
        np.eye(3),
        build_axis_rotation((0, 1, 0), math.pi / 2),
    ):
        matrix = np.eye(4)
        matrix[:3, :3], matrix[:3, 3] = turn, rng.normal(size=3)
        place = editor_app.FramePose("tool", "on: a base", matrix)
        back = editor_app.parse_place(editor_app.place_text(place, kind))
        assert np.abs(back.matrix - matrix).max() < 1e-11
    with pytest.raises(editor_app.Refused, match="urdf, xrdf, ros"):
        editor_app.place_text(place, "vrml")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "xyz", "rpy"),
    [
        ("0.4 0 0.5", (0.4, 0.0, 0.5), None),
        ("400mm, 0, 50 cm", (0.4, 0.0, 0.5), None),
        ("[0.4, -1e-3, 1/2]", (0.4, -0.001, 0.5), None),
        ("0.4 0 0.5 0 180deg 0", (0.4, 0.0, 0.5), (0.0, math.pi, 0.0)),
        ("xyz 0.4 0 0.5 rpy 0 0 pi/2", (0.4, 0.0, 0.5), (0.0, 0.0, math.pi / 2)),
        ("rpy=0,0,90deg", None, (0.0, 0.0, math.pi / 2)),
        ("0 0 0 axis 0 0 2 angle 90 deg", (0.0, 0.0, 0.0), (0.0, 0.0, math.pi / 2)),
        ("0 0 0 wxyz 1 0 0 1", (0.0, 0.0, 0.0), (0.0, 0.0, math.pi / 2)),
        ("0 0 0 xyzw 0 0 1 1", (0.0, 0.0, 0.0), (0.0, 0.0, math.pi / 2)),
        (
            "position: {x: 1, y: 2, z: 3}\norientation: {x: 0, y: 0, z: 1, w: 1}\n---\n",
            (1, 2, 3),
            (0, 0, math.pi / 2),
        ),
        (
            '{"position": [1, 2, 3], "orientation": {"w": 1, "xyz": [0, 0, 1]}}',
            (1, 2, 3),
            (0, 0, math.pi / 2),
        ),
    ],
)
def test_places_are_typed_in_many_ways(text: str, xyz: Any, rpy: Any) -> None:
    place = editor_app.parse_place(text)
    assert (place.position is None) == (xyz is None)
    if xyz is not None:
        assert place.position == pytest.approx(xyz, abs=1e-15)
    assert (place.rotation is None) == (rpy is None)
    if rpy is not None:
        assert place.rotation == pytest.approx(
            Rotation.from_euler("xyz", rpy).as_matrix(), abs=1e-12
        )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no place"),
        ("1 2", "2 numbers"),
        ("1 2 3 4 5 6 7", "7 numbers"),
        ("1 2 three", "three"),
        ("1 2 3 rpy 0 0", "rpy needs 3"),
        ("1 2 3 rpy 0 0 0 wxyz 1 0 0 0", "two rotations"),
        ("1 2 3 xyz 1 2 3", "do not make a place"),
        ("1 2 3 axis 0 0 1", "go together"),
        ("1 2 3 wxyz 0 0 0 0", "length 0"),
        ("1 2 3 axis 0 0 0 angle 1", "length 0"),
        ("rpy 1 2 3 rpy 1 2 3", "twice"),
        ("1kg 2 3", "kg"),
        ("position: [1, 2]", "position"),
        ("orientation: [0, 0, 0, 1]", "named w, x, y, z"),
        ("position: {x: 1", "not a place"),
    ],
)
def test_what_is_no_place_is_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(editor_app.Refused, match=reason):
        editor_app.parse_place(text)


def test_targets_are_absolute_or_relative_in_any_frame() -> None:
    robot = editor_app.open_robot(sample_urdf())
    pose = {"shoulder_pitch_joint": 0.4, "elbow_pitch_joint": 0.3}
    poses = editor_app.frame_poses(robot, pose)
    hand, arm = poses["flange_link"], poses["upper_arm_link"]

    def target(place: Any, **given: Any) -> editor_app.ToolTarget:
        return editor_app.tool_target(robot, "flange_link", place, pose=pose, **given)

    assert target("1 2 3").position == pytest.approx([1, 2, 3])
    assert target("1 2 3").rotation is None
    only_turned = target("rpy 0 0 1")
    assert only_turned.position == pytest.approx(hand[:3, 3])
    inside = target("0.1 0.2 0.3 rpy 0 0 1", reference="upper_arm_link")
    goal = arm @ editor_app.parse_place("0.1 0.2 0.3 rpy 0 0 1").matrix
    assert inside.position == pytest.approx(goal[:3, 3])
    assert inside.rotation == pytest.approx(goal[:3, :3])
    # Relative: along the base's axes, or its own; turned about its own origin.
    along = target("0 0 50mm rpy 0 0 90deg", relative=True)
    assert along.position == pytest.approx(hand[:3, 3] + [0, 0, 0.05])
    assert along.rotation == pytest.approx(
        build_axis_rotation((0, 0, 1), math.pi / 2) @ hand[:3, :3]
    )
    itself = target("0 0 50mm rpy 0 0 90deg", reference="flange_link", relative=True)
    assert itself.position == pytest.approx(hand[:3, 3] + 0.05 * hand[:3, 2])
    assert itself.rotation == pytest.approx(
        hand[:3, :3] @ build_axis_rotation((0, 0, 1), math.pi / 2)
    )
    same = editor_app.frame_pose(robot, "flange_link", "upper_arm_link", pose)
    again = target(same, reference="upper_arm_link")
    assert again.position == pytest.approx(hand[:3, 3])
    assert target(same.matrix, reference="upper_arm_link").rotation == pytest.approx(hand[:3, :3])
    with pytest.raises(editor_app.Refused, match="no frame 'nowhere'"):
        target("1 2 3", reference="nowhere")
    with pytest.raises(editor_app.Refused, match="no joint knee"):
        editor_app.tool_target(robot, "flange_link", "1 2 3", pose={"knee": 0.0})


def run(capsys: Any, *arguments: object) -> tuple[int, str, str]:
    code = run_command("pose", [str(a) for a in arguments])
    out = capsys.readouterr()
    return code, out.out, out.err


def test_the_command_tells_the_place_and_the_joints_for_one(capsys: Any) -> None:
    urdf = ur10()
    code, out, _ = run(
        capsys, urdf, "--at", "elbow_joint=1.2", "--in", "forearm_link", "--format", "json"
    )
    place = json.loads(out)
    robot = editor_app.open_robot(urdf)
    ours = editor_app.frame_pose(robot, "tool0", "forearm_link", {"elbow_joint": 1.2})
    assert code == 0
    assert place["frame"] == "tool0", "the first tool frame"
    assert place["xyz"] == pytest.approx(ours.position)
    assert place["quaternion_wxyz"] == pytest.approx(ours.quaternion_wxyz)
    code, out, _ = run(capsys, urdf, "--to", "0.5 0.2 0.5 rpy pi 0 0", "--format", "json")
    solved = json.loads(out)
    assert code == 0
    assert solved["reached"]
    reached = editor_app.frame_pose(robot, "tool0", pose=solved["joints"])
    assert reached.position == pytest.approx((0.5, 0.2, 0.5), abs=1e-6)
    code, out, _ = run(capsys, urdf, "--tool", "tool0", "--by", "0 0 3", "--format", "json")
    far = json.loads(out)
    assert code == 1
    assert not far["reached"]
    assert far["left"]["distance_m"] > 1.0
    code, out, _ = run(capsys, urdf, "--format", "urdf")
    assert code == 0
    assert editor_app.parse_place(out).matrix == pytest.approx(
        editor_app.frame_pose(robot, "tool0").matrix, abs=1e-9
    )
    code, _, err = run(capsys, urdf, "--to", "1 2 3", "--by", "1 2 3")
    assert code == 2
    assert "Name one" in err
    assert run(capsys, sample_urdf(), "--tool", "nothing")[0] == 2
