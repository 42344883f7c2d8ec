"""All of URDF 1.0 to 1.2 arrives in the model; files of other kinds are refused in one sentence."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
import yourdfpy

from editor_app.core.formats.urdf import UrdfSource, XacroFile, read_urdf
from editor_app.core.model.findings import Severity
from editor_app.core.model.origin import Origin
from editor_app.core.model.urdf import (
    Ball,
    Box,
    Calibration,
    Capsule,
    Cylinder,
    Dynamics,
    Extension,
    Inertial,
    Joint,
    JointType,
    Limit,
    Link,
    Material,
    Mesh,
    Mimic,
    SafetyController,
)
from editor_app.core.text.source import FormatError, SourceText
from editor_app.features.checks.rules.urdf.structure import urdf_findings
from tests.helpers.robots import example_kinds, example_urdfs, sample_urdf, shared_robots


def read(text: str, path: str | None = "robot.urdf") -> UrdfSource:
    return read_urdf(SourceText.from_text(text, Path(path) if path else None))


FULL = """<?xml version="1.0"?>
<robot name="full" version="1.2">
  <material name="blue"><color rgba="0 0 0.5 1"/><texture filename="package://p/t.png"/></material>
  <link name="a">
    <inertial>
      <origin xyz="1 2 3" rpy="0.1 0.2 0.3"/><mass value="4.5"/>
      <inertia ixx="1" ixy="2" ixz="3" iyy="4" iyz="5" izz="6"/>
    </inertial>
    <visual name="v">
      <origin quat_xyzw="0 0 1 0"/><geometry><box size="1 2 3"/></geometry><material name="blue"/>
    </visual>
    <visual>
      <geometry><cylinder radius="1" length="2"/></geometry><material name=""><color rgba="1 0 0 0.5"/></material>
    </visual>
    <collision name="c"><geometry><capsule radius="0.5" length="2"/></geometry></collision>
    <collision><geometry><sphere radius="0.5"/></geometry></collision>
    <collision><geometry><mesh filename="package://p/m.STL" scale="1 -1 0.001"/></geometry></collision>
    <sensor name="s"><camera/></sensor>
  </link>
  <link name="b"/>
  <link name="c"/>
  <joint name="j" type="revolute">
    <origin xyz="0 0 1"/><parent link="a"/><child link="b"/><axis xyz="0 0 2"/>
    <limit lower="-1" upper="2" effort="3" velocity="4" acceleration="5" deceleration="6" jerk="7"/>
    <dynamics damping="0.1" friction="0.2"/>
    <safety_controller k_velocity="1" k_position="2" soft_lower_limit="-0.9" soft_upper_limit="1.9"/>
    <calibration reference_position="0.1" rising="0.2" falling="0.3"/>
    <hardware/>
  </joint>
  <joint name="k" type="continuous">
    <parent link="b"/><child link="c"/><mimic joint="j" multiplier="-2" offset="0.5"/>
  </joint>
  <transmission name="t"><type>x/Simple</type><joint name="j"><hardwareInterface>e</hardwareInterface></joint>
    <actuator name="m"/></transmission>
  <gazebo reference="a"><mu1>0.2</mu1></gazebo>
</robot>
"""


def test_every_element_and_attribute() -> None:
    source = read(FULL)
    urdf = source.value
    assert urdf_findings(source) == ()
    assert (urdf.name, urdf.version) == ("full", "1.2")
    a = urdf.links[0]
    assert a.inertial == Inertial(4.5, (1, 2, 3, 4, 5, 6), Origin((1, 2, 3), (0.1, 0.2, 0.3)))
    assert [v.geometry for v in a.visuals] == [Box((1, 2, 3)), Cylinder(1, 2)]
    assert a.visuals[0].name == "v"
    assert a.visuals[0].origin == Origin(quat_xyzw=(0, 0, 1, 0))
    assert a.visuals[0].material == Material("blue")
    assert a.visuals[1].material == Material("", (1, 0, 0, 0.5))
    assert urdf.material("blue") == Material("blue", (0, 0, 0.5, 1), "package://p/t.png")
    assert [c.geometry for c in a.collisions] == [
        Capsule(0.5, 2),
        Ball(0.5),
        Mesh("package://p/m.STL", (1, -1, 0.001)),
    ]
    assert a.collisions[0].name == "c"
    assert a.extensions == (Extension("sensor", '<sensor name="s"><camera/></sensor>'),)
    j, k = urdf.joints
    assert (j.type, j.parent, j.child, j.origin, j.axis) == (
        JointType.REVOLUTE,
        "a",
        "b",
        Origin((0, 0, 1)),
        (0, 0, 2),
    )
    assert j.limit == Limit(-1, 2, 3, 4, 5, 6, 7)
    assert j.dynamics == Dynamics(0.1, 0.2)
    assert j.safety == SafetyController(1, 2, -0.9, 1.9)
    assert j.calibration == Calibration(0.1, 0.2, 0.3)
    assert j.extensions == (Extension("hardware", "<hardware/>"),)
    assert (k.mimic, k.axis, k.limit, k.origin) == (Mimic("j", -2, 0.5), (1, 0, 0), None, Origin())
    (transmission,) = urdf.transmissions
    assert (transmission.name, transmission.type) == ("t", "x/Simple")
    assert (transmission.joints, transmission.actuators) == (("j",), ("m",))
    assert transmission.text in FULL
    assert urdf.extensions == (
        Extension("gazebo", '<gazebo reference="a"><mu1>0.2</mu1></gazebo>', "a"),
    )


def test_places_of_links_and_joints() -> None:
    source = read(FULL)
    items: list[Link | Joint] = [*source.value.links, *source.value.joints]
    for item in items:
        place = (source.link_location if isinstance(item, Link) else source.joint_location)(
            item.name
        )
        assert place is not None
        text = FULL[source.source.offset(place.line or 0, place.column or 0) :]
        assert text.startswith("<link" if isinstance(item, Link) else "<joint")
        assert f'name="{item.name}"' in text.split(">")[0]
    location = source.joint_location("k")
    assert location is not None
    assert (location.line, location.column) == (30, 3)
    assert source.link_location("nowhere") is None
    assert [len(source.link_elements[0].visuals), len(source.link_elements[0].collisions)] == [2, 3]


def test_a_bad_part_costs_no_more_than_itself() -> None:
    source = read(
        "<robot name='r'><link name='a'>"
        "<visual><geometry><cone/></geometry></visual><visual><geometry><sphere "
        "radius='1'/></geometry></visual>"
        "<collision><geometry><sphere radius='2'/></geometry></collision></link></robot>"
    )
    link = source.value.links[0]
    assert [v.geometry for v in link.visuals] == [Ball(1)]
    assert [c.geometry for c in link.collisions] == [Ball(2)]
    text = source.source.text
    assert (
        "radius='1'"
        in text[source.link_elements[0].visuals[0].start : source.link_elements[0].visuals[0].end]
    )


@pytest.mark.parametrize(
    ("text", "path", "says"),
    [
        ("<sdf version='1.9'><model/></sdf>", "x.sdf", "SDF"),
        ("<mujoco/>", "x.xml", "MJCF"),
        ("#usda 1.0\n", "x.usda", "USD"),
        ("<COLLADA/>", "x.dae", "COLLADA"),
        ("<robot name='r'><group name='g'/></robot>", "x.srdf", "SRDF"),
        ("<launch/>", "x.launch", "launch"),
        ("format: xrdf\n", "x.xrdf", "XRDF"),
        ("<html/>", "x.html", "<robot>"),
        ("", "x.urdf", "empty"),
    ],
)
def test_other_files_are_refused_in_one_sentence(text: str, path: str, says: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(text, path)
    assert says in str(caught.value)
    assert str(caught.value).startswith(path)
    assert not isinstance(caught.value, XacroFile)


@pytest.mark.parametrize(
    "text",
    [
        "<robot name='r'><link name='a'/><xacro:macro name='m'/></robot>",
        "<robot name='r' xmlns:xacro='x'><xacro:arm/></robot>",
        "<robot name='r'><link name='${prefix}a'/></robot>",
        "<robot name='r'><link name='a'><visual><geometry><mesh filename='$(find "
        "p)/m'/></geometry></visual></link>"
        "</robot>",
    ],
)
def test_xacro_is_told_apart(text: str) -> None:
    with pytest.raises(XacroFile, match="xacro"):
        read(text, "robot.urdf")


def test_a_file_called_xacro_is_xacro() -> None:
    with pytest.raises(XacroFile, match=r"ends in \.xacro"):
        read("<robot name='r'><link name='a'/></robot>", "r.urdf.xacro")


# What is true of these robots, and nothing else: fault -> how often.
TRUE_CODES = {
    "alex_psyonic_hands.urdf": {"URDF040"},
    "anymal_c_simple_description/urdf/anymal.urdf": {"URDF013"},
    "b1-z1.urdf": {"URDF013"},
    "icub.urdf": {"URDF054"},
    "icub_reduced.urdf": {"URDF054"},
    "so100.urdf": {"URDF013"},
    "talos_left_arm.urdf": {"URDF042"},
    "talos_reduced.urdf": {"URDF042"},
    "talos_reduced_box.urdf": {"URDF042"},
    "talos_reduced_corrected.urdf": {"URDF036", "URDF042"},
    "ur3.urdf": {"URDF001", "URDF002"},
    "z1.urdf": {"URDF013"},
}


def true_codes(path: Path) -> set[str]:
    return next(
        (codes for end, codes in TRUE_CODES.items() if path.as_posix().endswith("/" + end)), set()
    )


def test_example_robots_open_with_true_findings_alone() -> None:
    assert len(example_urdfs()) >= 69
    begun = time.process_time()
    for path in example_kinds():
        source = read_urdf(SourceText.read(path))
        assert {f.code for f in urdf_findings(source)} == true_codes(path), path
        assert source.value.links or path.name == "ur3.urdf"
    assert time.process_time() - begun < 20


def test_shared_robots_open_without_a_finding() -> None:
    paths = sorted(shared_robots().rglob("*.urdf"))
    assert paths
    for path in paths:
        assert urdf_findings(read_urdf(SourceText.read(path))) == (), path


def test_the_sample_robot_opens_without_a_finding() -> None:
    assert urdf_findings(read_urdf(SourceText.read(sample_urdf()))) == ()


@pytest.mark.parametrize(
    "name",
    ["panda.urdf", "talos_full_v2.urdf", "pr2.urdf", "ur5_robot.urdf", "g1_29dof_rev_1_0.urdf"],
)
def test_values_are_those_that_another_reader_sees(name: str) -> None:
    path = next((p for p in example_urdfs() if p.name == name), None)
    assert path is not None, name
    ours = read_urdf(SourceText.read(path)).value
    theirs = yourdfpy.URDF.load(
        str(path), load_meshes=False, build_scene_graph=False, mesh_dir=""
    ).robot
    assert [link.name for link in ours.links] == [link.name for link in theirs.links]
    assert [j.name for j in ours.joints] == [j.name for j in theirs.joints]
    for mine, other in zip(ours.joints, theirs.joints, strict=True):
        assert (mine.type.value, mine.parent, mine.child) == (other.type, other.parent, other.child)
        if other.limit is not None and mine.limit is not None:
            assert (mine.limit.lower or 0.0) == (other.limit.lower or 0.0)
            assert mine.limit.velocity == other.limit.velocity
        if other.mimic is not None:
            assert mine.mimic is not None
            assert mine.mimic.joint == other.mimic.joint
    for link, other_link in zip(ours.links, theirs.links, strict=True):
        assert len(link.visuals) == len(other_link.visuals)
        assert len(link.collisions) == len(other_link.collisions)
        if other_link.inertial is not None and link.inertial is not None:
            assert link.inertial.mass == other_link.inertial.mass


def test_findings_of_a_large_broken_file_come_in_time() -> None:
    joints = "".join(
        f'<joint name="j{i}" type="x"><parent link="l{i}"/><child link="l{i + 1}"/><mimic '
        f'joint="j{i + 1}"/></joint>'
        for i in range(4000)
    )
    links = "".join(f'<link name="l{i}"/>' for i in range(4001))
    begun = time.process_time()
    source = read(f"<robot name='r'>{links}{joints}</robot>")
    assert sum(f.severity is Severity.ERROR for f in urdf_findings(source)) == 4001
    assert time.process_time() - begun < 5
