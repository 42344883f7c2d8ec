"""The notes on URDF in their order: robot, link with its parts, joint with its parts."""

from __future__ import annotations

from functools import partial
from typing import Any

from editor_app.core.formats.urdf import read_urdf
from editor_app.core.model.origin import IDENTITY
from editor_app.core.model.urdf import Limit, Mimic, Urdf
from editor_app.core.text.source import SourceText
from tests.helpers.seed_documents.rows import Row, Statement

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
  <link name="tip"/>
  <joint name="j1" type="revolute">
    <origin xyz="0 0 1" rpy="0 0 0.6"/>
    <parent link="base"/>
    <child link="arm"/>
    <axis xyz="0 0 1"/>
    <calibration rising="0.15" falling="0.17"/>
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
  <joint name="j3" type="fixed">
    <parent link="hand"/>
    <child link="tip"/>
  </joint>
  <transmission name="drive">
    <type>simple</type>
    <joint name="j1"><hardwareInterface>effort</hardwareInterface></joint>
    <actuator name="motor"><mechanicalReduction>50</mechanicalReduction></actuator>
  </transmission>
  <gazebo reference="arm"><mu1>0.21</mu1></gazebo>
  <sensor name="eye" type="camera">
    <parent link="hand"/>
    <origin xyz="0.05 0 0.9"/>
    <camera><image width="640" height="480" hfov="1.05" format="RGB8" near="0.01" far="50"/></camera>
  </sensor>
  <model_state model="r" time_stamp="0.1"/>
</robot>
"""
_LINK, _SHAPES, _JOINT = "window.urdf.link", "window.urdf.shapes", "window.urdf.joint"


def _arm(u: Any) -> Any:
    return u.link("arm")


def _j(u: Any, name: str = "j1") -> Any:
    return u.joint(name)


def _type(joint: str, u: Any) -> str:
    return str(_j(u, joint).type)


URDF_ROWS = (
    Row(
        "robot: name", 'robot name="r"', 'robot name="s"', lambda u: u.name, "r", "window.urdf.link"
    ),
    Row(
        "link: name",
        'link name="hand"/>',
        'link name="palm"/>',
        lambda u: u.links[2].name,
        "hand",
        "window.urdf.link",
        'link name="arm"/>',
        "URDF",
    ),
    Row(
        "material: color (of the robot)",
        "0 0 1 1",
        "0 0 0.5 1",
        lambda u: u.material("blue").rgba,
        (0, 0, 1, 1),
        "window.urdf.shapes",
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
    Row(
        "inertial: inertia: ixx",
        'ixx="100"',
        'ixx="90"',
        lambda u: _arm(u).inertial.inertia[0],
        100,
        _LINK,
    ),
    Row(
        "inertial: inertia: ixy",
        'ixy="1"',
        'ixy="1.5"',
        lambda u: _arm(u).inertial.inertia[1],
        1,
        _LINK,
    ),
    Row(
        "inertial: inertia: ixz",
        'ixz="2"',
        'ixz="2.5"',
        lambda u: _arm(u).inertial.inertia[2],
        2,
        _LINK,
    ),
    Row(
        "inertial: inertia: iyy",
        'iyy="101"',
        'iyy="91"',
        lambda u: _arm(u).inertial.inertia[3],
        101,
        _LINK,
    ),
    Row(
        "inertial: inertia: iyz",
        'iyz="3"',
        'iyz="3.5"',
        lambda u: _arm(u).inertial.inertia[4],
        3,
        _LINK,
    ),
    Row(
        "inertial: inertia: izz",
        'izz="102"',
        'izz="92"',
        lambda u: _arm(u).inertial.inertia[5],
        102,
        _LINK,
    ),
    Row(
        "visual: name",
        'visual name="skin"',
        'visual name="coat"',
        lambda u: _arm(u).visuals[0].name,
        "skin",
        _SHAPES,
    ),
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
        "window.urdf.shapes",
    ),
    Row(
        "material: color: rgba",
        "0 1 1 1",
        "0 1 0.5 1",
        lambda u: _arm(u).visuals[0].material.rgba,
        (0, 1, 1, 1),
        "window.urdf.shapes",
    ),
    Row(
        "material: texture: filename",
        "a.png",
        "b.png",
        lambda u: _arm(u).visuals[0].material.texture,
        "a.png",
        "window.urdf.shapes",
    ),
    Row(
        "geometry: mesh: filename",
        "m.stl",
        "n.stl",
        lambda u: _arm(u).visuals[1].geometry.filename,
        "m.stl",
        _SHAPES,
    ),
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
        "joint: name",
        'joint name="j2"',
        'joint name="j4"',
        lambda u: u.joints[1].name,
        "j2",
        _JOINT,
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
    *(
        Row(
            f"joint: type {kind}",
            f'name="{joint}" type="{old}"',
            f'name="{joint}" type="{kind}"',
            partial(_type, joint),
            old,
            _JOINT,
        )
        for joint, old, kind in (
            ("j2", "prismatic", "revolute"),
            ("j2", "prismatic", "continuous"),
            ("j2", "prismatic", "planar"),
            ("j2", "prismatic", "prismatic"),
            ("j3", "fixed", "floating"),
            ("j3", "fixed", "fixed"),
        )
    ),
    Row(
        "joint: origin: xyz",
        'xyz="0 0 1" rpy',
        'xyz="0 0 2" rpy',
        lambda u: _j(u).origin.xyz,
        (0, 0, 1),
        _JOINT,
    ),
    Row(
        "joint: origin: rpy",
        'rpy="0 0 0.6"',
        'rpy="0 0 0.7"',
        lambda u: _j(u).origin.rpy,
        (0, 0, 0.6),
        _JOINT,
    ),
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
        "joint: calibration: falling",
        'falling="0.17"',
        'falling="0.18"',
        lambda u: _j(u).calibration.falling,
        0.17,
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
    Row(
        "joint: limit: upper",
        'upper="0.7"',
        'upper="0.8"',
        lambda u: _j(u).limit.upper,
        0.7,
        _JOINT,
    ),
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
    Row(
        "joint: mimic: offset",
        'offset="0.05"',
        'offset="0.06"',
        lambda u: _j(u, "j2").mimic.offset,
        0.05,
        _JOINT,
    ),
    Row(
        "transmission",
        "<mechanicalReduction>50<",
        "<mechanicalReduction>60<",
        lambda u: (
            u.transmissions[0].joints,
            u.transmissions[0].actuators,
            "Reduction>50<" in u.transmissions[0].text,
        ),
        (("j1",), ("motor",), True),
        "window.urdf.texts",
        left_out="AGX",
    ),
    Row(
        "gazebo",
        "<mu1>0.21<",
        "<mu1>0.22<",
        lambda u: (u.extensions[0].tag, u.extensions[0].reference, "0.21" in u.extensions[0].text),
        ("gazebo", "arm", True),
        "window.urdf.texts",
        left_out="AGX",
    ),
    Row(
        "sensor",
        'hfov="1.05"',
        'hfov="1.15"',
        lambda u: (u.sensors[0].name, u.sensors[0].parent, u.sensors[0].camera.hfov),
        ("eye", "hand", 1.05),
        "window.urdf.sensors",
        'hfov="wide"',
        "URDF",
        left_out="AGX",
    ),
    Row(
        "model_state",
        'time_stamp="0.1"',
        'time_stamp="0.2"',
        lambda u: (u.extensions[1].tag, 'time_stamp="0.1"' in u.extensions[1].text),
        ("model_state", True),
        "window.urdf.texts",
        left_out="AGX",
    ),
)


def _errors_after(old: str, new: str) -> set[str]:
    """Codes of the reader for the text with `new` in the place of `old`."""
    assert URDF.count(old) == 1, old
    return {
        finding.code for finding in read_urdf(SourceText.from_text(URDF.replace(old, new))).findings
    }


def _read(text: str) -> Urdf:
    return read_urdf(SourceText.from_text(text)).value


_BARE = (
    '<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="{0}"><parent link="a"/>'
)
_BARE += '<child link="b"/>{1}</joint></robot>'


def _bare(kind: str, parts: str = "") -> Any:
    return _read(_BARE.format(kind, parts)).joints[0]


def _faults(kind: str, parts: str) -> set[str]:
    return {f.code for f in read_urdf(SourceText.from_text(_BARE.format(kind, parts))).findings}


_MASS, _INERTIA = (
    '      <mass value="1.5"/>\n',
    '      <inertia ixx="100" ixy="1" ixz="2" iyy="101" iyz="3" izz="102"/>\n',
)
_TURNS = '<limit effort="1" velocity="1" lower="-1" upper="1"/>'
#: A second joint, behind the first.
_SLIDES = (
    '</joint><link name="c"/><joint name="k" type="prismatic"><parent link="b"/><child link="c"/>'
    '<limit effort="1" velocity="1" lower="0" upper="1"/>'
)
URDF_STATEMENTS = (
    Statement("A robot needs a name", lambda: bool(_errors_after('robot name="r"', "robot"))),
    Statement("A link needs a name", lambda: bool(_errors_after('link name="hand"/>', "link/>"))),
    Statement("<inertial> needs <mass>", lambda: bool(_errors_after(_MASS, ""))),
    Statement("<inertial> needs <inertia>", lambda: bool(_errors_after(_INERTIA, ""))),
    Statement("A missing origin is the identity", lambda: _bare("fixed").origin == IDENTITY),
    Statement("A link may have several visuals", lambda: len(_arm(_read(URDF)).visuals) == 2),
    Statement("A link may have several collisions", lambda: len(_arm(_read(URDF)).collisions) == 2),
    Statement(
        "<visual> needs <geometry>",
        lambda: bool(_errors_after('<geometry><box size="1 2 3"/></geometry>', "")),
    ),
    Statement(
        "<collision> needs <geometry>",
        lambda: bool(_errors_after('<geometry><sphere radius="0.7"/></geometry>', "")),
    ),
    Statement(
        "A material with only a name refers to the robot's material",
        lambda: _read(URDF).material("blue") is not None,
    ),
    Statement(
        "A joint needs a type",
        lambda: bool(_errors_after('joint name="j2" type="prismatic"', 'joint name="j2"')),
    ),
    Statement(
        "A joint needs <parent>", lambda: bool(_errors_after('    <parent link="base"/>\n', ""))
    ),
    Statement(
        "A joint needs <child>", lambda: bool(_errors_after('    <child link="arm"/>\n', ""))
    ),
    Statement("The default axis is 1 0 0", lambda: _bare("continuous").axis == (1.0, 0.0, 0.0)),
    Statement("A revolute joint needs <limit>", lambda: "URDF022" in _faults("revolute", "")),
    Statement("A prismatic joint needs <limit>", lambda: "URDF022" in _faults("prismatic", "")),
    Statement("A continuous joint needs no <limit>", lambda: not _faults("continuous", "")),
    Statement(
        "<limit> needs effort",
        lambda: "URDF022" in _faults("revolute", '<limit velocity="1" upper="1"/>'),
    ),
    Statement(
        "<limit> needs velocity",
        lambda: "URDF022" in _faults("revolute", '<limit effort="1" upper="1"/>'),
    ),
    Statement(
        "The default of lower and upper is 0",
        lambda: _bare("revolute", '<limit effort="1" velocity="1"/>').position_limits == (0.0, 0.0),
    ),
    Statement(
        "<safety_controller> needs k_velocity",
        lambda: "URDF022" in _faults("continuous", '<safety_controller k_position="1"/>'),
        left_out="AGX",
    ),
    Statement(
        "The default of multiplier is 1, of offset 0",
        lambda: (
            (
                _bare("continuous", '<mimic joint="k"/>').mimic.multiplier,
                _bare("continuous", '<mimic joint="k"/>').mimic.offset,
            )
            == (1, 0)
        ),
    ),
    Statement(
        "A continuous joint may have a <limit>",
        lambda: (
            _bare("continuous", '<limit effort="3" velocity="2"/>').limit
            == Limit(None, None, 3.0, 2.0)
        ),
        left_out="AGX",
    ),
    Statement(
        "A rotating joint may mimic a sliding joint",
        lambda: _bare("revolute", f'{_TURNS}<mimic joint="k"/>{_SLIDES}').mimic == Mimic("k"),
        left_out="AGX",
    ),
)
