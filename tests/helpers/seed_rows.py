"""The formats' documents, element by element: what the editor reads, shows, edits, checks and writes of each.

Each document has one text that holds every element and attribute of it, and rows in the document's order. A row
changes one value of that text: what is read differs, and the patch of the one to the other changes that value alone. So
reading, editing and writing are held together. `python -m tests.helpers.seed_rows` writes the table of the manual.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).parents[2]
MANUAL = REPOSITORY / "resources" / "manual" / "documents.md"


@dataclass(frozen=True)
class Row:
    """`old` becomes `new` in the document's text; `read` gives `value` before. `shown`: a module of the window.

    `bad` in the place of `old` gives a finding `code`. `left_out` names the program whose document the row is in, and
    that does not support it itself.
    """

    item: str
    old: str
    new: str
    read: Callable[[Any], object]
    value: object
    shown: str
    bad: str = ""
    code: str = ""
    left_out: str = ""


XRDF = """format: xrdf
format_version: 1.0
modifiers:
  - set_base_frame: base
  - add_frame:
      frame_name: tip
      parent_frame_name: hand
      joint_name: tip_joint
      joint_type: FIXED
      fixed_transform:
        position: [0.0, 0.0, 0.1]
        orientation: {w: 1.0, xyz: [0.0, 0.0, 0.0]}
default_joint_positions:
  j1: 0.25
cspace:
  joint_names: [j1, j2]
  acceleration_limits: [11.0, 12.0]
  jerk_limits: [500.0, 600.0]
tool_frames: [tip]
collision:
  geometry: body
  buffer_distance:
    arm: 0.01
self_collision:
  geometry: body
  ignore:
    base: [arm]
    arm: [hand]
  buffer_distance:
    arm: 0.02
geometry:
  body:
    spheres:
      base:
        - center: [0.0, 0.0, 0.05]
          radius: 0.1
      arm:
        - center: [0.0, 0.0, 0.2]
          radius: 0.08
      hand:
        - center: [0.0, 0.0, 0.0]
          radius: 0.03
"""
XRDF_URDF = """<robot name="r"><link name="base"/><link name="arm"/><link name="hand"/>
<joint name="j1" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="0 0 0.2"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="5" velocity="2"/></joint>
<joint name="j2" type="prismatic"><parent link="arm"/><child link="hand"/><origin xyz="0 0 0.4"/><axis xyz="0 0 1"/>
<limit lower="0" upper="0.5" effort="5" velocity="2"/></joint></robot>"""


def _frame(x: Any) -> Any:
    return x.modifiers[1]


_ADD = "panels.xrdf.modifier_forms"
XRDF_ROWS = (
    Row(
        "format",
        "format: xrdf",
        "format: XRDF",
        lambda x: x.format,
        "xrdf",
        "panels.xrdf.format",
        "format: urdf",
        "XRDF101",
    ),
    Row(
        "format_version",
        "1.0\nmod",
        "1.0\nmod",
        lambda x: x.format_version,
        "1.0",
        "panels.xrdf.format",
        "3.0\nmod",
        "XRDF102",
    ),
    Row(
        "modifiers: set_base_frame",
        "set_base_frame: base",
        "set_base_frame: arm",
        lambda x: x.modifiers[0].frame,
        "base",
        _ADD,
        "set_base_frame: nowhere",
        "XRDF211",
    ),
    Row(
        "add_frame: frame_name",
        "frame_name: tip\n",
        "frame_name: tip2\n",
        lambda x: _frame(x).frame_name,
        "tip",
        _ADD,
        "frame_name: hand\n",
        "XRDF204",
    ),
    Row(
        "add_frame: parent_frame_name",
        "parent_frame_name: hand",
        "parent_frame_name: arm",
        lambda x: _frame(x).parent_frame_name,
        "hand",
        _ADD,
        "parent_frame_name: gone",
        "XRDF206",
    ),
    Row(
        "add_frame: joint_name",
        "joint_name: tip_joint",
        "joint_name: other",
        lambda x: _frame(x).joint_name,
        "tip_joint",
        _ADD,
        "joint_name: j1",
        "XRDF205",
    ),
    Row(
        "add_frame: joint_type",
        "joint_type: FIXED",
        "joint_type: fixed",
        lambda x: _frame(x).joint_type,
        "FIXED",
        _ADD,
        "joint_type: REVOLUTE",
        "XRDF208",
    ),
    Row(
        "add_frame: fixed_transform: position",
        "position: [0.0, 0.0, 0.1]",
        "position: [0.0, 0.0, 0.3]",
        lambda x: _frame(x).fixed_transform.position,
        (0.0, 0.0, 0.1),
        _ADD,
        "position: [0.0, 0.1]",
        "XRDF209",
    ),
    Row(
        "add_frame: fixed_transform: orientation",
        "{w: 1.0, xyz: [0.0, 0.0, 0.0]}",
        "{w: 0.0, xyz: [0.0, 0.0, 1.0]}",
        lambda x: _frame(x).fixed_transform.orientation_wxyz,
        (1.0, 0.0, 0.0, 0.0),
        _ADD,
        "{w: 0.0, xyz: [0.0, 0.0, 0.0]}",
        "XRDF210",
    ),
    Row(
        "default_joint_positions",
        "j1: 0.25",
        "j1: 0.5",
        lambda x: x.default_joint_positions["j1"],
        0.25,
        "panels.xrdf.default_positions",
        "j1: 4.0",
        "XRDF604",
    ),
    Row(
        "cspace: joint_names",
        "joint_names: [j1, j2]",
        "joint_names: [j2, j1]",
        lambda x: x.cspace.joint_names,
        ("j1", "j2"),
        "panels.xrdf.cspace",
        "joint_names: [j1, j9]",
        "XRDF702",
    ),
    Row(
        "cspace: acceleration_limits",
        "[11.0, 12.0]",
        "[11.0, 13.0]",
        lambda x: x.cspace.acceleration_limits,
        (11.0, 12.0),
        "panels.xrdf.cspace",
        "[11.0, -1.0]",
        "XRDF707",
    ),
    Row(
        "cspace: jerk_limits",
        "[500.0, 600.0]",
        "[500.0, 700.0]",
        lambda x: x.cspace.jerk_limits,
        (500.0, 600.0),
        "panels.xrdf.cspace",
        "[500.0]",
        "XRDF706",
    ),
    Row(
        "tool_frames",
        "tool_frames: [tip]",
        "tool_frames: [hand]",
        lambda x: x.tool_frames,
        ("tip",),
        "panels.xrdf.tool_frames",
        "tool_frames: [gone]",
        "XRDF802",
    ),
    Row(
        "collision: geometry",
        "collision:\n  geometry: body\n  buf",
        "collision:\n  geometry: other\n  buf",
        lambda x: x.world_collision.geometry,
        "body",
        "panels.xrdf.collision",
        "collision:\n  geometry: gone\n  buf",
        "XRDF401",
    ),
    Row(
        "collision: buffer_distance",
        "arm: 0.01",
        "arm: 0.015",
        lambda x: x.world_collision.buffer("arm"),
        0.01,
        "panels.xrdf.collision",
        "gone: 0.01",
        "XRDF402",
    ),
    Row(
        "self_collision: geometry",
        "self_collision:\n  geometry: body",
        "self_collision:\n  geometry: other",
        lambda x: x.self_collision.geometry,
        "body",
        "panels.xrdf.collision",
        "self_collision:\n  geometry: gone",
        "XRDF501",
    ),
    Row(
        "self_collision: ignore",
        "arm: [hand]",
        "arm: [hand, base]",
        lambda x: x.self_collision.ignore["arm"],
        ("hand",),
        "self_collision.panel",
        "arm: [gone]",
        "XRDF504",
    ),
    Row(
        "self_collision: buffer_distance",
        "arm: 0.02",
        "arm: 0.025",
        lambda x: x.self_collision.buffer("arm"),
        0.02,
        "panels.xrdf.collision",
        "gone: 0.02",
        "XRDF402",
    ),
    Row(
        "geometry: group",
        "geometry:\n  body:",
        "geometry:\n  shapes:",
        lambda x: x.geometry[0].name,
        "body",
        "panels.xrdf.geometry_groups",
    ),
    Row(
        "geometry: spheres: frame",
        "      hand:\n",
        "      tip:\n",
        lambda x: tuple(x.geometry[0].spheres),
        ("base", "arm", "hand"),
        "panels.tree.link_tree",
        "      gone:\n",
        "XRDF302",
    ),
    Row(
        "geometry: sphere: center",
        "[0.0, 0.0, 0.2]",
        "[0.0, 0.0, 0.25]",
        lambda x: x.geometry[0].spheres["arm"][0].center,
        (0.0, 0.0, 0.2),
        "panels.selection.panel",
        "[0.0, 0.2]",
        "XRDF303",
    ),
    Row(
        "geometry: sphere: radius",
        "radius: 0.08",
        "radius: 0.09",
        lambda x: x.geometry[0].spheres["arm"][0].radius,
        0.08,
        "panels.selection.panel",
        "radius: -0.08",
        "XRDF304",
    ),
)

URDF = """<?xml version="1.0"?>
<robot name="r">
  <material name="blue"><color rgba="0 0 1 1"/></material>
  <link name="base"/>
  <link name="arm">
    <inertial>
      <origin xyz="0 0 0.5" rpy="0 0 0.1"/>
      <mass value="1.5"/>
      <inertia ixx="100" ixy="1" ixz="2" iyy="101" iyz="3" izz="102"/>
    </inertial>
    <visual name="skin">
      <origin xyz="0.1 0 0" rpy="0.2 0 0"/>
      <geometry><box size="1 2 3"/></geometry>
      <material name="cyan"><color rgba="0 1 1 1"/><texture filename="a.png"/></material>
    </visual>
    <visual><geometry><mesh filename="m.stl" scale="1 1 2"/></geometry></visual>
    <collision name="hull">
      <origin xyz="0 0.3 0" rpy="0 0 0.4"/>
      <geometry><cylinder radius="0.1" length="0.5"/></geometry>
    </collision>
    <collision><geometry><sphere radius="0.7"/></geometry></collision>
  </link>
  <link name="hand"/>
  <joint name="j1" type="revolute">
    <origin xyz="0 0 1" rpy="0 0 0.6"/>
    <parent link="base"/>
    <child link="arm"/>
    <axis xyz="0 0 1"/>
    <calibration rising="0.15"/>
    <dynamics damping="0.25" friction="0.35"/>
    <limit effort="30" velocity="1.25" lower="-2.2" upper="0.7"/>
    <safety_controller k_velocity="10" k_position="15" soft_lower_limit="-2.05" soft_upper_limit="0.55"/>
  </joint>
  <joint name="j2" type="prismatic">
    <parent link="arm"/>
    <child link="hand"/>
    <axis xyz="1 0 0"/>
    <mimic joint="j1" multiplier="0.45" offset="0.05"/>
    <limit effort="31" velocity="1.35" lower="-3" upper="3"/>
  </joint>
</robot>
"""
_LINK, _SHAPES, _JOINT = "panels.urdf.inertial", "panels.urdf.shapes", "panels.urdf.joint"


def _arm(u: Any) -> Any:
    return u.link("arm")


def _j(u: Any, name: str = "j1") -> Any:
    return u.joint(name)


URDF_ROWS = (
    Row("robot: name", 'robot name="r"', 'robot name="s"', lambda u: u.name, "r", "panels.urdf.robot"),
    Row(
        "material: color (of the robot)",
        "0 0 1 1",
        "0 0 0.5 1",
        lambda u: u.material("blue").rgba,
        (0, 0, 1, 1),
        "panels.urdf.material",
    ),
    Row(
        "inertial: origin: xyz",
        'xyz="0 0 0.5"',
        'xyz="0 0 0.6"',
        lambda u: _arm(u).inertial.origin.xyz,
        (0, 0, 0.5),
        _LINK,
        'xyz="0 0.5"',
        "URDF",
    ),
    Row(
        "inertial: origin: rpy",
        'rpy="0 0 0.1"',
        'rpy="0 0 0.3"',
        lambda u: _arm(u).inertial.origin.rpy,
        (0, 0, 0.1),
        _LINK,
    ),
    Row(
        "inertial: mass",
        'mass value="1.5"',
        'mass value="2.5"',
        lambda u: _arm(u).inertial.mass,
        1.5,
        _LINK,
        'mass value="-1"',
        "URDF",
    ),
    Row("inertial: inertia: ixx", 'ixx="100"', 'ixx="90"', lambda u: _arm(u).inertial.inertia[0], 100, _LINK),
    Row("inertial: inertia: ixy", 'ixy="1"', 'ixy="1.5"', lambda u: _arm(u).inertial.inertia[1], 1, _LINK),
    Row("inertial: inertia: ixz", 'ixz="2"', 'ixz="2.5"', lambda u: _arm(u).inertial.inertia[2], 2, _LINK),
    Row("inertial: inertia: iyy", 'iyy="101"', 'iyy="91"', lambda u: _arm(u).inertial.inertia[3], 101, _LINK),
    Row("inertial: inertia: iyz", 'iyz="3"', 'iyz="3.5"', lambda u: _arm(u).inertial.inertia[4], 3, _LINK),
    Row("inertial: inertia: izz", 'izz="102"', 'izz="92"', lambda u: _arm(u).inertial.inertia[5], 102, _LINK),
    Row("visual: name", 'visual name="skin"', 'visual name="coat"', lambda u: _arm(u).visuals[0].name, "skin", _SHAPES),
    Row(
        "visual: origin: xyz",
        'xyz="0.1 0 0"',
        'xyz="0.2 0 0"',
        lambda u: _arm(u).visuals[0].origin.xyz,
        (0.1, 0, 0),
        _SHAPES,
    ),
    Row(
        "visual: origin: rpy",
        'rpy="0.2 0 0"',
        'rpy="0.3 0 0"',
        lambda u: _arm(u).visuals[0].origin.rpy,
        (0.2, 0, 0),
        _SHAPES,
    ),
    Row(
        "geometry: box: size",
        'size="1 2 3"',
        'size="1 2 4"',
        lambda u: _arm(u).visuals[0].geometry.size,
        (1, 2, 3),
        _SHAPES,
        'size="1 2"',
        "URDF",
    ),
    Row(
        "material: name",
        'material name="cyan"',
        'material name="teal"',
        lambda u: _arm(u).visuals[0].material.name,
        "cyan",
        "panels.urdf.material",
    ),
    Row(
        "material: color: rgba",
        "0 1 1 1",
        "0 1 0.5 1",
        lambda u: _arm(u).visuals[0].material.rgba,
        (0, 1, 1, 1),
        "panels.urdf.material",
    ),
    Row(
        "material: texture: filename",
        "a.png",
        "b.png",
        lambda u: _arm(u).visuals[0].material.texture,
        "a.png",
        "panels.urdf.material",
    ),
    Row("geometry: mesh: filename", "m.stl", "n.stl", lambda u: _arm(u).visuals[1].geometry.filename, "m.stl", _SHAPES),
    Row(
        "geometry: mesh: scale",
        'scale="1 1 2"',
        'scale="1 1 3"',
        lambda u: _arm(u).visuals[1].geometry.scale,
        (1, 1, 2),
        _SHAPES,
        'scale="1 1"',
        "URDF",
    ),
    Row(
        "collision: name",
        'collision name="hull"',
        'collision name="case"',
        lambda u: _arm(u).collisions[0].name,
        "hull",
        _SHAPES,
    ),
    Row(
        "collision: origin: xyz",
        'xyz="0 0.3 0"',
        'xyz="0 0.4 0"',
        lambda u: _arm(u).collisions[0].origin.xyz,
        (0, 0.3, 0),
        _SHAPES,
    ),
    Row(
        "geometry: cylinder: radius",
        'cylinder radius="0.1"',
        'cylinder radius="0.2"',
        lambda u: _arm(u).collisions[0].geometry.radius,
        0.1,
        _SHAPES,
        'cylinder radius="-1"',
        "URDF",
    ),
    Row(
        "geometry: cylinder: length",
        'length="0.5"',
        'length="0.6"',
        lambda u: _arm(u).collisions[0].geometry.length,
        0.5,
        _SHAPES,
    ),
    Row(
        "geometry: sphere: radius",
        'sphere radius="0.7"',
        'sphere radius="0.8"',
        lambda u: _arm(u).collisions[1].geometry.radius,
        0.7,
        _SHAPES,
        'sphere radius="0"',
        "URDF",
    ),
    Row(
        "joint: type",
        'name="j1" type="revolute"',
        'name="j1" type="prismatic"',
        lambda u: str(_j(u).type),
        "revolute",
        _JOINT,
        'name="j1" type="hinge"',
        "URDF",
    ),
    Row("joint: origin: xyz", 'xyz="0 0 1" rpy', 'xyz="0 0 2" rpy', lambda u: _j(u).origin.xyz, (0, 0, 1), _JOINT),
    Row("joint: origin: rpy", 'rpy="0 0 0.6"', 'rpy="0 0 0.7"', lambda u: _j(u).origin.rpy, (0, 0, 0.6), _JOINT),
    Row(
        "joint: parent: link",
        'parent link="arm"',
        'parent link="base"',
        lambda u: _j(u, "j2").parent,
        "arm",
        _JOINT,
        'parent link="gone"',
        "URDF009",
    ),
    Row(
        "joint: child: link",
        'child link="hand"',
        'child link="hand"',
        lambda u: _j(u, "j2").child,
        "hand",
        _JOINT,
        'child link="gone"',
        "URDF009",
    ),
    Row(
        "joint: axis: xyz",
        'axis xyz="0 0 1"',
        'axis xyz="0 1 0"',
        lambda u: _j(u).axis,
        (0, 0, 1),
        _JOINT,
        'axis xyz="0 0 0"',
        "URDF044",
    ),
    Row(
        "joint: calibration: rising",
        'rising="0.15"',
        'rising="0.16"',
        lambda u: _j(u).calibration.rising,
        0.15,
        _JOINT,
        left_out="AGX",
    ),
    Row(
        "joint: dynamics: damping",
        'damping="0.25"',
        'damping="0.26"',
        lambda u: _j(u).dynamics.damping,
        0.25,
        _JOINT,
        left_out="AGX",
    ),
    Row(
        "joint: dynamics: friction",
        'friction="0.35"',
        'friction="0.36"',
        lambda u: _j(u).dynamics.friction,
        0.35,
        _JOINT,
    ),
    Row(
        "joint: limit: effort",
        'effort="30"',
        'effort="32"',
        lambda u: _j(u).limit.effort,
        30,
        _JOINT,
        'effort="x"',
        "URDF",
    ),
    Row(
        "joint: limit: velocity",
        'velocity="1.25"',
        'velocity="1.5"',
        lambda u: _j(u).limit.velocity,
        1.25,
        _JOINT,
        left_out="AGX",
    ),
    Row(
        "joint: limit: lower",
        'lower="-2.2"',
        'lower="-2.3"',
        lambda u: _j(u).limit.lower,
        -2.2,
        _JOINT,
        'lower="9"',
        "URDF043",
    ),
    Row("joint: limit: upper", 'upper="0.7"', 'upper="0.8"', lambda u: _j(u).limit.upper, 0.7, _JOINT),
    Row(
        "joint: safety_controller: k_velocity",
        'k_velocity="10"',
        'k_velocity="11"',
        lambda u: _j(u).safety.k_velocity,
        10,
        _JOINT,
        left_out="AGX",
    ),
    Row(
        "joint: safety_controller: k_position",
        'k_position="15"',
        'k_position="16"',
        lambda u: _j(u).safety.k_position,
        15,
        _JOINT,
        left_out="AGX",
    ),
    Row(
        "joint: safety_controller: soft_lower_limit",
        '"-2.05"',
        '"-2.1"',
        lambda u: _j(u).safety.soft_lower_limit,
        -2.05,
        _JOINT,
        left_out="AGX",
    ),
    Row(
        "joint: safety_controller: soft_upper_limit",
        '"0.55"',
        '"0.6"',
        lambda u: _j(u).safety.soft_upper_limit,
        0.55,
        _JOINT,
        left_out="AGX",
    ),
    Row(
        "joint: mimic: joint",
        'mimic joint="j1"',
        'mimic joint="j1"',
        lambda u: _j(u, "j2").mimic.joint,
        "j1",
        _JOINT,
        'mimic joint="gone"',
        "URDF040",
    ),
    Row(
        "joint: mimic: multiplier",
        'multiplier="0.45"',
        'multiplier="0.5"',
        lambda u: _j(u, "j2").mimic.multiplier,
        0.45,
        _JOINT,
    ),
    Row("joint: mimic: offset", 'offset="0.05"', 'offset="0.06"', lambda u: _j(u, "j2").mimic.offset, 0.05, _JOINT),
)

SRDF = """<?xml version="1.0"?>
<robot name="r" version="1.0.0">
  <group name="chain"><chain base_link="base" tip_link="hand"/></group>
  <group name="joints"><joint name="j1"/></group>
  <group name="links"><link name="arm"/></group>
  <group_state name="home" group="chain"><joint name="j1" value="0.25"/></group_state>
  <group_tcps group="chain">
    <tcp name="laser" xyz="1 0 0.1" rpy="0 1.57 0"/>
    <tcp name="welder" xyz=".1 0 1" wxyz="1 0 0 0"/>
  </group_tcps>
  <kinematics_plugin_config filename="kin.yaml"/>
  <contact_managers_plugin_config filename="contact.yaml"/>
  <calibration_config filename="cal.yaml"/>
  <collision_margins default_margin="0.025">
    <pair_margin link1="arm" link2="base" margin="0.01"/>
  </collision_margins>
  <disable_collisions link1="base" link2="arm" reason="Adjacent"/>
</robot>
"""
_GROUPS = "panels.srdf.groups"
SRDF_ROWS = (
    Row("robot: name", 'robot name="r"', 'robot name="s"', lambda s: s.name, "r", "panels.srdf.file"),
    Row("robot: version", 'version="1.0.0"', 'version="1.0.1"', lambda s: s.version, "1.0.0", "panels.srdf.file"),
    Row(
        "group: chain: base_link",
        'base_link="base"',
        'base_link="arm"',
        lambda s: s.groups[0].chains[0][0],
        "base",
        _GROUPS,
        'base_link="gone"',
        "SRDF010",
    ),
    Row(
        "group: chain: tip_link",
        'tip_link="hand"',
        'tip_link="arm"',
        lambda s: s.groups[0].chains[0][1],
        "hand",
        _GROUPS,
        'tip_link="gone"',
        "SRDF010",
    ),
    Row(
        "group: joint",
        '<joint name="j1"/>',
        '<joint name="j2"/>',
        lambda s: s.groups[1].joints,
        ("j1",),
        _GROUPS,
        '<joint name="gone"/>',
        "SRDF011",
    ),
    Row(
        "group: link",
        '<link name="arm"/>',
        '<link name="hand"/>',
        lambda s: s.groups[2].links,
        ("arm",),
        _GROUPS,
        '<link name="gone"/>',
        "SRDF010",
    ),
    Row(
        "group_state: joint: value",
        'value="0.25"',
        'value="0.5"',
        lambda s: s.states[0].positions["j1"],
        (0.25,),
        "panels.srdf.states",
        'value="9"',
        "SRDF015",
    ),
    Row(
        "group_tcps: tcp: xyz",
        'xyz="1 0 0.1"',
        'xyz="1 0 0.2"',
        lambda s: s.tcps[0].xyz,
        (1, 0, 0.1),
        "panels.srdf.tools",
        'xyz="1 0"',
        "SRDF",
    ),
    Row(
        "group_tcps: tcp: rpy",
        'rpy="0 1.57 0"',
        'rpy="0 1.5 0"',
        lambda s: s.tcps[0].rpy,
        (0, 1.57, 0),
        "panels.srdf.tools",
    ),
    Row(
        "group_tcps: tcp: wxyz",
        'wxyz="1 0 0 0"',
        'wxyz="0 1 0 0"',
        lambda s: s.tcps[1].wxyz,
        (1, 0, 0, 0),
        "panels.srdf.tools",
    ),
    Row(
        "kinematics_plugin_config",
        "kin.yaml",
        "kin2.yaml",
        lambda s: s.configs["kinematics_plugin_config"],
        "kin.yaml",
        "panels.srdf.configs",
    ),
    Row(
        "contact_managers_plugin_config",
        "contact.yaml",
        "contact2.yaml",
        lambda s: s.configs["contact_managers_plugin_config"],
        "contact.yaml",
        "panels.srdf.configs",
    ),
    Row(
        "calibration_config",
        "cal.yaml",
        "cal2.yaml",
        lambda s: s.configs["calibration_config"],
        "cal.yaml",
        "panels.srdf.configs",
    ),
    Row(
        "collision_margins: default_margin",
        '"0.025"',
        '"0.03"',
        lambda s: s.margins.default_margin,
        0.025,
        "panels.srdf.margins",
    ),
    Row(
        "collision_margins: pair_margin",
        'margin="0.01"',
        'margin="0.02"',
        lambda s: s.margins.pairs[0].margin,
        0.01,
        "panels.srdf.margins",
        'margin="x"',
        "SRDF",
    ),
    Row(
        "disable_collisions: link1",
        'link1="base"',
        'link1="hand"',
        lambda s: s.disabled_pairs[0].link1,
        "base",
        "panels.srdf.pairs",
        'link1="gone"',
        "SRDF010",
    ),
    Row(
        "disable_collisions: reason",
        'reason="Adjacent"',
        'reason="Never"',
        lambda s: s.disabled_pairs[0].reason,
        "Adjacent",
        "panels.srdf.pairs",
    ),
)


@dataclass(frozen=True)
class ColladaRow:
    """An element of the COLLADA robot specification in `collada_robot.ROBOT`.

    Without `piece` in the file, `read` is in none of the texts that are read; with it, it is, and `written` is in the
    file that is exported. `becomes` says what it is here.
    """

    item: str
    piece: str
    read: str
    written: str
    becomes: str


_KEPT = "kept word for word in the URDF"
COLLADA_ROWS = (
    ColladaRow("interface_type: interface", '<interface type="robot">MyRobot</interface>', "MyRobot", "MyRobot", _KEPT),
    ColladaRow("interface_type: plugin", "<plugin>myplugin.so</plugin>", "myplugin.so", "myplugin.so", _KEPT),
    ColladaRow("manipulator: name", ' name="upper"', 'group name="upper"', 'name="upper"', "a group of the SRDF"),
    ColladaRow(
        "manipulator: frame_origin",
        '<frame_origin link="k/arm"/>',
        'base_link="arm"',
        "frame_origin",
        "the base of the group's chain",
    ),
    ColladaRow(
        "manipulator: frame_tip",
        '<frame_tip link="k/hand"/>',
        'base_link="arm" tip_link="hand"',
        "frame_tip",
        "the tip of the group's chain",
    ),
    ColladaRow(
        "manipulator: frame_tip: translate",
        "<translate>0 0 0.22</translate>",
        'xyz="0 0 0.22"',
        "0 0 0.22",
        "a tool centre point",
    ),
    ColladaRow(
        "manipulator: gripper_joint",
        '<gripper_joint joint="j2">',
        'group name="whole_gripper"',
        "gripper_joint",
        "an end effector of the SRDF",
    ),
    ColladaRow(
        "manipulator: closing_direction",
        '<closing_direction axis="axis0"><float>-1</float></closing_direction>',
        "closing_direction",
        "closing_direction",
        _KEPT,
    ),
    ColladaRow(
        "manipulator: iksolver",
        '<iksolver type="Translation3D"><free_joint joint="j0"/></iksolver>',
        "Translation3D",
        "Translation3D",
        _KEPT,
    ),
    ColladaRow(
        "manipulator: iksolver: free_joint, stepsize",
        '<free_joint joint="j1" stepsize="0.01"/>',
        "stepsize",
        "stepsize",
        _KEPT,
    ),
    ColladaRow(
        "manipulator: iksolver: interface_type",
        "<interface>ik</interface>",
        "<interface>ik</interface>",
        "<interface>ik</interface>",
        _KEPT,
    ),
    ColladaRow(
        "collision: bind_instance_geometry, environment",
        '<bind_instance_geometry type="environment" link="arm" url="#box"/>',
        "<box",
        'type="environment"',
        "a collision shape",
    ),
    ColladaRow(
        "collision: bind_instance_geometry, self",
        '<bind_instance_geometry type="self" link="base" url="#self"/>',
        'where="self_collision"',
        'type="self"',
        "spheres of the XRDF, or kept beside the link",
    ),
    ColladaRow(
        "collision: ignore_link_pair",
        '<ignore_link_pair link0="k/base" link1="arm"/>',
        'link1="base" link2="arm"',
        "ignore_link_pair",
        "a pair of disable_collisions",
    ),
    *(
        ColladaRow(
            f"sensor: {kind}",
            f'<sensor type="{kind}" id="{name}">',
            f'<sensor name="my_{name}"',
            kind,
            "a sensor of the URDF",
        )
        for kind, name in (
            ("base_pinhole_camera", "cam"),
            ("base_stereo_camera", "stereo"),
            ("base_laser2d", "laser"),
            ("base_laser3d", "laser3"),
            ("base_flash_laser", "flash"),
            ("base_encoder", "encoder"),
            ("base_force6d", "force"),
            ("base_imu", "imu"),
            ("base_odometry", "odometry"),
        )
    ),
    ColladaRow(
        "attach_sensor",
        'type="attach_sensor" name="my_imu"',
        '<sensor name="my_imu"',
        "attach_sensor",
        "the place of a sensor",
    ),
    ColladaRow(
        "formula: technique OpenRAVE: equation", '<equation type="position">', "<mimic", "equation", "a mimic joint"
    ),
)

#: Setting -> what does it here, and the command.
AGX_SETTINGS = (
    ("attachToWorld", "Robot > Attach to the world", "AttachToWorld"),
    ("disableLinkedBodies", "Robot > Ignore linked bodies", "IgnoreLinkedBodies"),
    ("mergeKinematicLink", "Robot > Merge links", "MergeLinks"),
    ("initial joint positions", "the joints panel; `convert --joint`", "SetDefaultPositions"),
)
DOCUMENTS = (
    ("XRDF 1.0 (NVIDIA)", XRDF_ROWS),
    ("URDF", URDF_ROWS),
    ("Tesseract SRDF", SRDF_ROWS),
)


def manual() -> str:
    """The page of the manual: each element, what the editor does with it, and where."""
    lines = [
        "# The formats' documents, element by element",
        "",
        "Each row is held by a test: the value is read, a change of it is written as a change of that value alone, and "
        "what is wrong with it is found. Rows marked with a program are left out by that program itself.",
    ]
    for title, rows in DOCUMENTS:
        lines += [
            "",
            f"## {title}",
            "",
            "| element | read, edited, written | shown in | a mistake is found by | left out by |",
            "|---|---|---|---|---|",
        ]
        for row in rows:
            code = {"URDF": "the reader", "SRDF": "the reader"}.get(row.code, row.code or "")
            lines.append(f"| {row.item} | yes | `{row.shown}` | {code} | {row.left_out} |")
    head = "| element | read and written | becomes |"
    lines += ["", "## COLLADA robot specification 0.1 (OpenRAVE)", "", head, "|---|---|---|"]
    lines += [f"| {row.item} | yes | {row.becomes} |" for row in COLLADA_ROWS]
    head = "| setting of the reader | here |"
    lines += ["", "## AGX Dynamics' UrdfReader", "", head, "|---|---|"]
    lines += [f"| {setting} | {verb} |" for setting, verb, _ in AGX_SETTINGS]
    lines += ["", "Its table of features is that of URDF above; what it leaves out is marked there."]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    MANUAL.parent.mkdir(parents=True, exist_ok=True)
    MANUAL.write_text(manual(), encoding="utf-8")
