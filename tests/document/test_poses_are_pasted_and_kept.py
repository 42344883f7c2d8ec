"""Poses as text: whatever people copy them from is understood, and what is stored comes back."""

from __future__ import annotations

import json
import math
from pathlib import Path
from xml.sax.saxutils import quoteattr

import pytest

import editor_app
from editor_app import Refused, open_robot, parse_pose
from editor_app.__main__ import main
from editor_app.core.document.beside import poses_file, read_poses, write_poses
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.verbs.pose_texts import pose_text, typed_positions
from tests.helpers.robots import sample_urdf


@pytest.fixture(scope="module")
def robot() -> editor_app.Document:
    return editor_app.open_robot(sample_urdf())


@pytest.fixture(scope="module")
def names(robot: editor_app.Document) -> tuple[str, ...]:
    cspace = robot.robot.xrdf.cspace
    assert cspace is not None
    return tuple(cspace.joint_names or ())


ECHO = """header:
  stamp:
    sec: 12
    nanosec: 500
  frame_id: ''
name:
- {0}
- {1}
- other_robot_joint
position:
- 0.25
- -1.5
- 9.0
velocity: []
effort: []
---
"""
TRAJECTORY = """joint_names: [{0}, {1}]
points:
- positions: [0.0, 0.0]
  time_from_start: {{sec: 0, nanosec: 0}}
- positions: [0.25, -1.5]
  time_from_start: {{sec: 1, nanosec: 0}}
"""


@pytest.mark.parametrize(
    "text",
    [
        "{0}: 0.25\n{1}: -1.5\n",
        '{{"{0}": 0.25, "{1}": -1.5}}',
        "pose = {{\n    '{0}': 0.25,\n    '{1}': -1.5,\n}}\n",
        "{0}=0.25 {1}=-1.5",
        "{0} = 250 mrad\n".replace("250 mrad", "0.25rad") + "{1} = -1.5",
        "{0}: 0.25\n{1}: -1.5 rad",
        ECHO,
        "name: [a]\nposition: [1.0]\n---\n" + ECHO,
        TRAJECTORY,
        "time,{0},{1}\n0,0,0\n1,0.25,-1.5\n",
        "{0};{1}\n0.25;-1.5",
        "joint_state:\n  name: [{0}, {1}]\n  position: [0.25, -1.5]\n",
    ],
)
def test_what_names_its_joints_is_understood(
    robot: editor_app.Document, names: tuple[str, ...], text: str
) -> None:
    assert editor_app.parse_pose(robot, text.format(*names)) == pytest.approx(
        {names[0]: 0.25, names[1]: -1.5}
    )


def test_bare_numbers_are_those_of_the_c_space(
    robot: editor_app.Document, names: tuple[str, ...]
) -> None:
    values = [0.1 * k for k in range(len(names))]
    for text in (
        str(values),
        " ".join(map(str, values)),
        ",\n".join(map(str, values)),
        f"q = {values}",
    ):
        assert editor_app.parse_pose(robot, text) == pytest.approx(
            dict(zip(names, values, strict=True))
        )
    degrees = " ".join(f"{10 * k}deg" for k in range(len(names)))
    assert editor_app.parse_pose(robot, degrees)[names[3]] == pytest.approx(math.radians(30))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "contains no pose"),
        ("hello world", "no pose"),
        ("1 2 3", "3 numbers without names"),
        ("knee: 0.5", "no joint knee"),
        ("{0}=fast", "the value of"),
        ("{0}=1 {0}=2", "two values"),
        ("name: [{0}, {1}]\nposition: [1.0]", "names 2 joints and has 1 positions"),
        ("{0}: [1, 2", "not a pose"),
        ("{0}: .nan", "the value of"),
    ],
)
def test_what_is_none_is_refused_with_a_reason(
    robot: editor_app.Document, names: tuple[str, ...], text: str, why: str
) -> None:
    with pytest.raises(editor_app.Refused, match=why):
        editor_app.parse_pose(robot, text.format(*names))


def test_what_a_text_leaves_out_is_told(robot: editor_app.Document, names: tuple[str, ...]) -> None:
    pasted = editor_app.parse_pose(
        robot, f"{names[0]}: 0.25\nstranger: 1\n{names[1]}: 99\nother: 2"
    )
    assert pasted == {names[0]: 0.25, names[1]: 99.0}, "a position outside the limits stands"
    assert (pasted.unknown, pasted.outside) == (("stranger", "other"), (names[1],))
    words = (
        "Set 2 joints. Not in this robot: stranger, other. Outside the limits, but set anyway: "
        f"{names[1]}."
    )
    assert pasted.told() == (words, True)
    held = f"Set 1 joint. Not in this robot: stranger, other. Locked, so unchanged: {names[1]}."
    assert pasted.told(locked={names[1]}) == (held, True), "what is not set is not outside"
    every = ", ".join(f"x{k}=0" for k in range(7)) + f", {names[0]}=0.1"
    assert "x0, x1, x2, x3, x4 and 2 more" in editor_app.parse_pose(robot, every).told()[0]
    assert editor_app.parse_pose(robot, f"{names[0]}=0.1").told() == ("Set 1 joint.", False)


def test_joints_that_follow_or_are_fixed_are_not_counted(tmp_path: Path) -> None:
    links = "".join(f'<link name="{name}"/>' for name in "abcd")
    joint = '<joint name="{0}" type="{3}"><parent link="{1}"/><child link="{2}"/>{4}</joint>'
    limit = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'
    joints = joint.format("j", "a", "b", "revolute", limit) + joint.format(
        "weld", "c", "d", "fixed", ""
    )
    joints += joint.format("m", "b", "c", "revolute", limit + '<mimic joint="j"/>')
    (tmp_path / "r.urdf").write_text(f'<robot name="r">{links}{joints}</robot>')
    pasted = editor_app.parse_pose(
        editor_app.open_robot(tmp_path / "r.urdf"), "j=1.00005, m=0.5, weld=0"
    )
    assert pasted.told() == ("Set 1 joint. m follows another. Fixed, so left out: weld.", True)
    assert pasted.outside == (), "a limit in fewer digits is the limit"


@pytest.mark.parametrize("kind", ["yaml", "python"])
def test_what_is_copied_can_be_pasted(robot: editor_app.Document, kind: str) -> None:
    pose = editor_app.default_pose(robot)
    text = editor_app.pose_text(pose, kind)  # type: ignore[arg-type]
    assert editor_app.parse_pose(robot, text) == pose
    if kind == "python":
        space: dict[str, object] = {}
        exec(text, space)
        assert space["pose"] == pose
    assert "yes: 1.0" not in editor_app.pose_text({"yes": 1.0, "a b": 2.0})


def test_stored_poses_come_back_and_stay_out_of_the_robots_folder(tmp_path: Path) -> None:
    urdf = tmp_path / "robot.urdf"
    urdf.write_text("<robot/>")
    poses = {"ready": FrozenDict({"a": 0.1 + 0.2}), "Küche": FrozenDict({"a": -1.0, "b": 2.0})}
    assert read_poses(urdf) == {}
    write_poses(urdf, poses)
    assert read_poses(urdf) == poses
    assert list(read_poses(urdf)) == list(poses), "in the order in which they were stored"
    assert [path.name for path in tmp_path.iterdir()] == ["robot.urdf"]
    # Another robot has others; a link to the same has the same.
    (tmp_path / "other.urdf").symlink_to(urdf)
    assert read_poses(tmp_path / "other.urdf") == poses
    assert read_poses(tmp_path / "third.urdf") == {}
    write_poses(urdf, {})
    assert not poses_file(urdf).exists()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"format": "xrdf-editor-poses", "poses": [{"name": 3}, {"name": "x", "joints": {"a": '
        '"b"}}, 7]}',
    ],
)
def test_a_damaged_file_holds_no_poses(tmp_path: Path, text: str) -> None:
    urdf = tmp_path / "damaged.urdf"
    path = poses_file(urdf)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    assert read_poses(urdf) == {}
    path.unlink()


ODD_JOINTS = ("j 1", "j", "a=b", "x=", 'say "it"', "true", "1e3", "é", "k;l")


def odd_arm(folder: Path) -> Path:
    links = "".join(f'<link name="l{number}"/>' for number in range(len(ODD_JOINTS) + 1))
    joints = "".join(
        f"<joint name={quoteattr(name)} type='revolute'><parent link='l{number}'/><child "
        f"link='l{number + 1}'/>"
        "<axis xyz='0 0 1'/><limit lower='-1' upper='1' effort='1' velocity='1'/></joint>"
        for number, name in enumerate(ODD_JOINTS)
    )
    (folder / "odd.urdf").write_text(f'<robot name="odd">{links}{joints}</robot>', encoding="utf-8")
    return folder / "odd.urdf"


def test_names_with_blanks_and_equals_signs_are_typed(tmp_path: Path) -> None:
    robot = open_robot(odd_arm(tmp_path))
    values = {name: 0.1 * (number + 1) for number, name in enumerate(ODD_JOINTS)}
    text = " ".join(f"{name}={value}" for name, value in values.items())
    assert typed_positions(text, ODD_JOINTS) == values
    assert dict(parse_pose(robot, text)) == values
    quoted = ", ".join(
        json.dumps(name, ensure_ascii=False) + f" = {value}" for name, value in values.items()
    )
    assert typed_positions(quoted) == values
    assert dict(parse_pose(robot, quoted)) == values
    for kind in ("yaml", "python"):
        assert dict(parse_pose(robot, pose_text(values, kind))) == values  # type: ignore[arg-type]
    with pytest.raises(Refused, match="'\"j' is not a joint value"):
        typed_positions('"j 1=0.3')


def test_commands_take_odd_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    urdf = str(odd_arm(tmp_path))
    assert main(["pose", urdf, "--tool", "l1", "--at", "j 1=0.3 a=b=0.2", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["rpy"][2] == pytest.approx(0.3)
    assert (
        main(
            ["convert", urdf, str(tmp_path / "o.xrdf"), "--joint", "a=b=0.2", "--joint", "j 1=0.25"]
        )
        == 0
    )
    xrdf = open_robot(urdf, tmp_path / "o.xrdf").robot.xrdf
    assert xrdf.default_joint_positions is not None
    assert (xrdf.default_joint_positions["a=b"], xrdf.default_joint_positions["j 1"]) == (0.2, 0.25)
    capsys.readouterr()
    options = [
        "--joint",
        "a=b:upper=0.5",
        "--rename-joint",
        "x==y=z",
        "--rename-joint",
        "j 1=first",
    ]
    assert main(["edit", urdf, *options, "-o", str(tmp_path / "e.urdf")]) == 0
    joints = {joint.name: joint for joint in open_robot(tmp_path / "e.urdf").robot.urdf.joints}
    assert {"first", "y=z", "a=b"} <= joints.keys()
    assert joints["a=b"].position_limits == (-1.0, 0.5)
