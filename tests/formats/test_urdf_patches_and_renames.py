"""Edits of a URDF change their own span alone, and a new name reaches every reference in URDF, XRDF
and SRDF."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from editor_app.core.document.commands.lists import InsertItem, RemoveItems, set_item
from editor_app.core.document.commands.srdf import StoreState
from editor_app.core.document.commands.urdf import (
    RenameJoint,
    RenameLink,
    SetJoint,
    SetLink,
    SetMaterial,
    SetMeshPath,
)
from editor_app.core.document.commands.urdf_texts import EmbeddedPlace, Home, SetEmbedded
from editor_app.core.document.opening import open_document
from editor_app.core.formats.srdf import patch_srdf, read_srdf
from editor_app.core.formats.urdf import UrdfSource, read_urdf
from editor_app.core.formats.urdf.patch import patch_urdf, urdf_text
from editor_app.core.formats.xrdf import patch_xrdf, read_xrdf
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.origin import Origin
from editor_app.core.model.robot import CannotApply, RobotDescription
from editor_app.core.model.srdf import Group
from editor_app.core.model.urdf import (
    Box,
    Collision,
    Dynamics,
    Inertial,
    JointType,
    Limit,
    Material,
    Mesh,
    Mimic,
    Urdf,
)
from editor_app.core.model.xrdf import LinkPair, Xrdf
from editor_app.core.text.source import FormatError, SourceText
from editor_app.features.checks.rules.srdf.references import reference_findings
from tests.helpers.breadth import of_each_kind
from tests.helpers.robots import example_urdfs, sample_urdf

TEXT = """<?xml version='1.0'?>
<!-- ours -->
<robot name="r">
  <material name="red"><color rgba="1.0 0 0 1"/></material>
  <link name="a">
    <visual><geometry><mesh filename='package://p/a.STL'   scale="0.001 0.0010 0.001"/></geometry></visual>
    <visual><geometry><box size="bad"/></geometry></visual>
    <collision name="c">
      <origin xyz="0  0.10 -0"/>   <!-- lifted -->
      <geometry><cylinder length="0.50" radius=".1"/></geometry>
    </collision>
  </link>
  <link name="b"/>
  <joint name="j" type="revolute">
    <parent link="a"/><child link="b"/>
    <axis xyz="0 0 1.0"/>
    <limit upper="1.50" lower="-1.5" effort="10" velocity="2.0"/>
  </joint>
  <transmission name="t"><type>simple</type><joint name="j"><hw>pos</hw></joint><actuator name="m"/></transmission>
  <gazebo reference="b"><mu1>0.2</mu1><plugin joint="j"/></gazebo>
</robot>
"""


def source(text: str = TEXT) -> UrdfSource:
    return read_urdf(SourceText.from_text(text))


def with_joint(urdf: Urdf, **values: object) -> Urdf:
    return replace(urdf, joints=tuple(replace(j, **values) for j in urdf.joints))  # type: ignore[arg-type]


def with_link(urdf: Urdf, name: str, **values: object) -> Urdf:
    return replace(
        urdf,
        links=tuple(replace(x, **values) if x.name == name else x for x in urdf.links),  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(
    ("change", "old", "new"),
    [
        ({"limit": Limit(-1.5, 1.25, 10, 2)}, 'upper="1.50"', 'upper="1.25"'),
        ({"axis": (0.0, 1.0, 1.0)}, 'xyz="0 0 1.0"', 'xyz="0 1 1.0"'),
        ({"type": JointType.CONTINUOUS}, 'type="revolute"', 'type="continuous"'),
        (
            {"origin": Origin((0.0, 0.0, 0.3))},
            'velocity="2.0"/>',
            'velocity="2.0"/>\n    <origin xyz="0 0 0.3" rpy="0 0 0"/>',
        ),
        (
            {"dynamics": Dynamics(0.5)},
            'velocity="2.0"/>',
            'velocity="2.0"/>\n    <dynamics damping="0.5"/>',
        ),
    ],
)
def test_an_edit_of_a_joint_changes_its_span(change: dict[str, object], old: str, new: str) -> None:
    read = source()
    assert patch_urdf(read, with_joint(read.value, **change)).text == TEXT.replace(old, new)


def test_an_edit_beside_something_unreadable_leaves_that_alone() -> None:
    read = source()
    link = read.value.links[0]
    mesh = link.visuals[0].geometry
    assert isinstance(mesh, Mesh)
    mesh = replace(mesh, filename="package://p/b.STL")
    out = patch_urdf(
        read, with_link(read.value, "a", visuals=(replace(link.visuals[0], geometry=mesh),))
    )
    assert out.text == TEXT.replace("a.STL", "b.STL")


def test_geometry_that_becomes_another_kind() -> None:
    read = source()
    box = replace(read.value.links[0].collisions[0], geometry=Box((1.0, 2.0, 3.0)))
    out = patch_urdf(read, with_link(read.value, "a", collisions=(box,))).text
    assert '<box size="1 2 3"/>' in out
    assert "cylinder" not in out
    assert "<!-- lifted -->" in out


def test_an_axis_that_a_fixed_joint_had_in_vain_does_not_come_alive() -> None:
    text = TEXT.replace('type="revolute"', 'type="fixed"')
    read = source(text)
    out = patch_urdf(read, with_joint(read.value, type=JointType.REVOLUTE))
    assert out.written.value.joints[0].axis == (1.0, 0.0, 0.0)


def test_what_the_version_does_not_know_is_refused() -> None:
    read = source()
    with pytest.raises(FormatError, match="j"):
        patch_urdf(read, with_joint(read.value, origin=Origin(quat_xyzw=(0.0, 0.0, 0.0, 1.0))))
    newer = replace(read.value, version="1.1")
    out = patch_urdf(read, with_joint(newer, origin=Origin(quat_xyzw=(0.0, 0.0, 1.0, 0.0))))
    assert '<origin xyz="0 0 0" quat_xyzw="0 0 1 0"/>' in out.text


def test_a_renamed_joint_is_followed_and_what_is_left_is_told() -> None:
    read = source()
    robot = RenameJoint("j", "knee").apply(RobotDescription(read.value, Xrdf()))
    out = patch_urdf(read, robot.urdf)
    assert out.text == TEXT.replace('<joint name="j"', '<joint name="knee"')
    assert len(out.notes) == 1
    assert "gazebo" in out.notes[0]
    link = RenameLink("b", "shin").apply(robot)
    text = patch_urdf(read, link.urdf).text
    assert '<gazebo reference="shin">' in text
    assert '<child link="shin"/>' in text


@pytest.mark.parametrize("number", of_each_kind(range(0, 60, 4), range(0, 60, 12)))
def test_every_joint_of_real_robots_can_be_edited_and_put_back(number: int) -> None:
    paths = example_urdfs()
    read = read_urdf(SourceText.read(paths[number % len(paths)]))
    text = read.source.text
    urdf = read.value
    for index, joint in enumerate(urdf.joints[:6]):
        x, y, z = joint.origin.xyz
        moved = replace(joint, origin=replace(joint.origin, xyz=(x, y + 0.125, z)))
        changed = replace(urdf, joints=(*urdf.joints[:index], moved, *urdf.joints[index + 1 :]))
        out = patch_urdf(read, changed)
        element = read.joint_elements[index]
        assert out.text[: element.start] == text[: element.start]
        assert out.text[len(out.text) - (len(text) - element.end) :] == text[element.end :]
        back = patch_urdf(out.written, urdf).written.value
        assert back.joints == urdf.joints


def test_the_sample_renamed_throughout_still_fits_together(tmp_path: Path) -> None:
    path = sample_urdf()
    urdf, xrdf = (
        read_urdf(SourceText.read(path)),
        read_xrdf(SourceText.read(path.with_suffix(".xrdf"))),
    )
    srdf = read_srdf(SourceText.read(path.with_suffix(".srdf")))
    robot = RobotDescription(urdf.value, xrdf.value, srdf.value)
    for link in urdf.value.links:
        robot = RenameLink(link.name, f"x_{link.name}").apply(robot)
    for joint in urdf.value.joints:
        robot = RenameJoint(joint.name, f"y_{joint.name}").apply(robot)
    assert robot.srdf is not None
    new_urdf, new_srdf = patch_urdf(urdf, robot.urdf), patch_srdf(srdf, robot.srdf)
    new_xrdf = patch_xrdf(xrdf, robot.xrdf)
    assert reference_findings(new_srdf.written, new_urdf.written.value) == ()
    texts = new_urdf.text, new_xrdf.text, new_srdf.text
    names = [link.name for link in urdf.value.links] + [joint.name for joint in urdf.value.joints]
    for text, old in zip(
        texts, (urdf.source.text, xrdf.source.text, srdf.source.text), strict=True
    ):
        assert text.replace("x_", "").replace("y_", "") == old.replace("x_", "").replace("y_", "")
        for name in names:
            assert f'"{name}"' not in text
    if shutil.which("check_urdf"):
        file = tmp_path / "r.urdf"
        file.write_text(new_urdf.text)
        assert (
            subprocess.run(["check_urdf", str(file)], capture_output=True, check=False).returncode
            == 0
        )


def test_a_new_urdf_says_what_the_model_says() -> None:
    read = read_urdf(SourceText.read(sample_urdf()))
    assert read_urdf(SourceText.from_text(urdf_text(read.value))).value == replace(
        read.value, extensions=(), transmissions=()
    )


def test_commands_refuse_what_would_break_the_robot() -> None:
    read = source()
    robot = RobotDescription(read.value, Xrdf())
    joint, link = read.value.joints[0], read.value.links[0]
    for change in (
        SetJoint("j", replace(joint, axis=(0.0, 0.0, 0.0))),
        SetJoint("j", replace(joint, limit=Limit(2.0, 1.0))),
        SetJoint("j", replace(joint, mimic=Mimic("none"))),
        SetJoint("j", replace(joint, name="other")),
        SetJoint("nix", joint),
        SetLink("a", replace(link, inertial=Inertial(-1.0, (1, 0, 0, 1, 0, 1)))),
        SetMeshPath("unknown", "x"),
        SetMaterial(Material("blue", (0, 0, 1, 1))),
        RenameLink("a", "b"),
        RenameLink("a", " "),
        set_item("srdf.disabled_pairs", LinkPair("a", "b"), "User"),
    ):
        with pytest.raises(CannotApply):
            change.apply(robot)
    red = SetMaterial(Material("red", (0.5, 0.0, 0.0, 1.0))).apply(robot)
    assert patch_urdf(read, red.urdf).text == TEXT.replace('rgba="1.0 0 0 1"', 'rgba="0.5 0 0 1"')
    thick = replace(link, collisions=(*link.collisions, Collision(Box((1.0, 1.0, 1.0)))))
    assert SetLink("a", thick).apply(robot).urdf.links[0] == thick


def test_srdf_commands_keep_groups_states_and_pairs_together() -> None:
    srdf = read_srdf(SourceText.read(sample_urdf().with_suffix(".srdf"))).value
    urdf = read_urdf(SourceText.read(sample_urdf())).value
    robot = RobotDescription(urdf, Xrdf(), srdf)
    named = set_item("srdf.groups", "arm", replace(srdf.groups[0], name="limb")).apply(robot).srdf
    assert named is not None
    assert {s.group for s in named.states} == {"limb", "gripper"}
    assert named.end_effectors[0].parent_group == "limb"
    with pytest.raises(CannotApply):
        InsertItem("srdf.groups", Group("arm")).apply(robot)
    stored = StoreState("ready", "arm", FrozenDict({"elbow_pitch_joint": 0.5})).apply(robot).srdf
    assert stored is not None
    assert [s.name for s in stored.states] == [s.name for s in srdf.states]
    pair = LinkPair.of("base_link", "flange_link")
    masked = set_item("srdf.disabled_pairs", pair, "Never").apply(robot)
    assert masked.srdf is not None
    assert pair in masked.srdf.disabled()
    assert RemoveItems("srdf.disabled_pairs", (pair,)).apply(masked).srdf == srdf


def test_no_text_in_the_model_keeps_the_old_name(tmp_path: Path) -> None:
    """Who reads the text of an element after a rename, changes it and sets it would bring the old
    name back."""
    text = (
        '<robot name="a">\r\n  <link name="base"/><link name="up"/>\r\n'
        '  <joint name="j" type="fixed"><parent link="base"/><child link="up"/></joint>\r\n'
        "  <gazebo   reference = 'up' >\r\n     <!-- kept --><mu1>0.2</mu1>\r\n  </gazebo>\r\n"
        '  <transmission name="t">\r\n    <type>x</type>  <joint '
        "name='j'><hardwareInterface>y</hardwareInterface>"
        '</joint><actuator name="m"/>\r\n  </transmission>\r\n</robot>\r\n'
    )
    (tmp_path / "a.urdf").write_bytes(text.encode())
    document = open_document(tmp_path / "a.urdf")
    document.execute(RenameLink("up", "u & p"))
    document.execute(RenameJoint("j", "k"))
    urdf = document.robot.urdf
    assert urdf.extensions[0].text in document.urdf_text
    assert urdf.transmissions[0].text in document.urdf_text
    assert "reference = 'u &amp; p' >" in urdf.extensions[0].text
    document.execute(
        SetEmbedded(EmbeddedPlace(Home.ROBOT, 0), urdf.extensions[0].text.replace("0.2", "0.3"))
    )
    document.execute(
        SetEmbedded(
            EmbeddedPlace(Home.TRANSMISSIONS, 0), urdf.transmissions[0].text.replace(">x<", ">z<")
        )
    )
    written = (
        text.replace("0.2", "0.3")
        .replace(">x<", ">z<")
        .replace("'j'", "'k'")
        .replace('name="j"', 'name="k"')
    )
    written = written.replace('"up"', '"u &amp; p"').replace("'up'", "'u &amp; p'")
    assert document.urdf_text == written
    for _ in range(4):
        document.undo()
    assert document.urdf_text == text
