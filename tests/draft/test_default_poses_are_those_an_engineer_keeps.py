"""The first default pose of an arm is not stretched, its elbow is up; equal arms are mirrored."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import editor_app
from editor_app.core.space.kinematics.forward import compute_forward
from editor_app.core.space.kinematics.tree import get_tree
from editor_app.features.draft.verbs.default_pose import free_default
from editor_app.features.spheres.verbs.fit_choices import FitChoices
from tests.helpers.breadth import of_each_kind
from tests.helpers.robots import example_urdfs


@pytest.mark.parametrize(
    ("name", "shoulder", "elbow", "tool"),
    of_each_kind(
        (
            ("ur10_robot.urdf", "upper_arm_link", "forearm_link", "ee_link"),
            ("xarm7.urdf", "link2", "link4", "link7"),
        ),
        (("ur10_robot.urdf", "upper_arm_link", "forearm_link", "ee_link"),),
    ),
)
def test_an_arm_begins_bent_with_its_elbow_up(
    name: str, shoulder: str, elbow: str, tool: str
) -> None:
    path = next(each for each in example_urdfs() if each.name == name)
    document = editor_app.open_robot(path, new_xrdf=True)
    document.execute(editor_app.fit(document, number=20, choices=FitChoices(effort="fast")).change)
    pose, _ = free_default(document.robot, keep=False)
    tree = get_tree(document.robot)
    world = compute_forward(tree, dict(pose.positions))
    first, middle, last = (world[tree.index[frame]][:3, 3] for frame in (shoulder, elbow, tool))
    reach = np.linalg.norm(middle - first) + np.linalg.norm(last - middle)
    assert np.linalg.norm(last - first) < 0.98 * reach, "bent"
    along = last - first
    foot = first + np.clip((middle - first) @ along / (along @ along), 0.0, 1.0) * along
    assert middle[2] > foot[2], "the elbow is above the line from the shoulder to the tool"
    assert middle[2] - foot[2] > 0.03 * reach
    assert pose.is_free


def test_two_arms_of_one_kind_begin_alike(tmp_path: Path) -> None:
    path = next(each for each in example_urdfs() if each.name == "ur10_robot.urdf")
    root = ElementTree.parse(path).getroot()
    parts = [
        part
        for part in root
        if part.tag in ("link", "joint") and part.get("name") not in ("world", "world_joint")
    ]
    two = ElementTree.Element("robot", name="two")
    ElementTree.SubElement(two, "link", name="stand")
    for prefix, y in (("a_", 0.35), ("b_", -0.35)):
        for part in parts:
            copied = ElementTree.fromstring(ElementTree.tostring(part))
            copied.set("name", prefix + str(part.get("name")))
            for end in (*copied.findall("parent"), *copied.findall("child")):
                end.set("link", prefix + str(end.get("link")))
            two.append(copied)
        mount = ElementTree.SubElement(two, "joint", name=f"{prefix}mount", type="fixed")
        ElementTree.SubElement(mount, "parent", link="stand")
        ElementTree.SubElement(mount, "child", link=f"{prefix}base_link")
        ElementTree.SubElement(mount, "origin", xyz=f"0 {y} 0", rpy=f"0 0 {y}")
    file = tmp_path / "two.urdf"
    ElementTree.ElementTree(two).write(file)
    document = editor_app.open_robot(file, new_xrdf=True)
    document.execute(editor_app.fit(document, number=12, choices=FitChoices(effort="fast")).change)
    positions = dict(free_default(document.robot, keep=False)[0].positions)
    first = {name[2:]: value for name, value in positions.items() if name.startswith("a_")}
    assert len(first) == 6
    assert any(first.values())
    assert first == {name[2:]: value for name, value in positions.items() if name.startswith("b_")}


def test_equal_arms_are_mirrored() -> None:
    path = next(each for each in example_urdfs() if each.name == "baxter.urdf")
    xrdf = editor_app.open_robot(path, new_xrdf=True).robot.xrdf
    positions = dict(xrdf.default_joint_positions or {})
    for joint in ("s0", "s1", "e0", "e1", "w0", "w1"):
        assert abs(positions[f"left_{joint}"]) == pytest.approx(abs(positions[f"right_{joint}"]))


GRIPPER = """<robot name="gripper">
  <link name="base"/><link name="arm"/><link name="left"/><link name="right"/>
  <joint name="turn" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <joint name="close" type="prismatic"><parent link="arm"/><child link="left"/><axis xyz="1 0 0"/>
    <limit lower="0" upper="0.02" effort="1" velocity="1"/></joint>
  <joint name="open" type="prismatic"><parent link="arm"/><child link="right"/><axis xyz="-1 0 0"/>
    <limit lower="0" upper="0.02" effort="1" velocity="1"/></joint>
</robot>
"""
FINGERS = """format: xrdf
format_version: 1.0
default_joint_positions: {turn: 0.0, close: 0.0, open: 0.0}
cspace: {joint_names: [turn], acceleration_limits: [1.0], jerk_limits: [1.0]}
self_collision: {geometry: spheres}
geometry:
  spheres:
    spheres:
      left: [{center: [0.0, 0.0, 0.0], radius: 0.0125}]
      right: [{center: [0.0, 0.0, 0.0], radius: 0.0125}]
"""


@pytest.mark.parametrize(
    ("upper", "begin", "gap"),
    [
        pytest.param("0.02", 0.0, 0.0, id="touch in most of their range"),
        pytest.param("0.06", 0.015, 0.02, id="5 mm apart, though they open farther"),
    ],
)
def test_fingers_begin_as_far_apart_as_is_asked_for_where_they_can(
    upper: str, begin: float, gap: float, tmp_path: Path
) -> None:
    """A pair that only the joints of the c-space decide may be left to buffers; no buffer parts
    locked fingers."""
    urdf, xrdf = tmp_path / "gripper.urdf", tmp_path / "gripper.xrdf"
    urdf.write_text(GRIPPER.replace('upper="0.02"', f'upper="{upper}"'))
    xrdf.write_text(FINGERS.replace("close: 0.0, open: 0.0", f"close: {begin}, open: {begin}"))
    pose, _ = free_default(editor_app.open_robot(urdf, xrdf).robot, keep=False, often=0.5)
    assert pose.positions["close"] + pose.positions["open"] > 0.025 + gap
    assert pose.is_free
