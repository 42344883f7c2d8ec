"""An example of every finding code: texts that have the fault, and what the program says of them.

Faults that other tests break in the small robots are taken from there; the rest stands here.
"""

from __future__ import annotations

import difflib
import math
import re
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import editor_app
from editor_app.core.document.document import Document
from editor_app.core.document.opening import open_document
from editor_app.core.document.state import SETTINGS_FILES
from editor_app.core.formats import ros_settings as settings_table
from editor_app.core.formats.urdf import findings as urdf_table
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.model.findings import Finding
from editor_app.core.model.origin import Origin
from editor_app.core.model.profile import Profile
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.urdf import Joint, JointType, Link, Urdf
from editor_app.core.model.xrdf import Xrdf
from editor_app.core.space.geometry import loading as mesh_table
from editor_app.core.space.kinematics import tree as tree_table
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.text.xml import document as xml_table
from editor_app.features.checks.engine.rule import CheckContext
from editor_app.features.checks.engine.runner import load_rules, locate_findings, run_rules
from editor_app.features.checks.rules.ros import settings as ros_table
from editor_app.features.checks.rules.urdf.structure import TOLD_BY, urdf_findings
from editor_app.features.checks.verbs.check import check as check_document
from editor_app.features.checks.verbs.check_files import check_files
from editor_app.plugins.robot_tests.kinds import KINDS
from editor_app.plugins.robot_tests.verbs.run_tests import code_titles_of_tests
from tests.checks import test_xrdf_rules_fire_and_their_fixes_cure as xrdf_cases
from tests.formats import test_urdf_faults_are_told_as_urdfdom_takes_them as urdf_cases
from tests.helpers import moveit_package
from tests.helpers.documents import CLEAN, URDF

SRDF = """<robot name="arm">
  <group name="all"><chain base_link="base" tip_link="hand"/></group>
  <group_state name="home" group="all">
    <joint name="shoulder" value="0"/><joint name="elbow" value="0"/>
  </group_state>
  <disable_collisions link1="base" link2="upper" reason="Adjacent"/>
</robot>
"""
_TCP = '  <group_tcps group="all">\n    <tcp {}/>\n  </group_tcps>\n</robot>'
_VIRTUAL = '  <virtual_joint name="odom" type="{}" parent_frame="map" child_link="{}"/>\n</robot>'
_EFFECTOR = (
    '  <group name="hand"><link name="left"/><link name="right"/></group>\n'
    '  <end_effector name="gripper" parent_link="{}" group="hand"{}/>\n</robot>'
)
BOX = '<link name="base"><{0}><geometry><{1}/></geometry></{0}></link>'
MESH = 'mesh filename="base.{0}"'


@dataclass(frozen=True)
class Example:
    """What has the fault, as a fenced block, and the finding that the program gives for it."""

    shown: str
    finding: Finding
    profile: Profile = Profile.SPECIFICATION


@dataclass(frozen=True)
class Fault:
    """`old` in one file of the small arm becomes `new`; the changed lines are the example."""

    file: str
    old: str
    new: str
    profile: Profile = Profile.SPECIFICATION
    #: Other files in the folder: name -> text.
    beside: Mapping[str, str] = field(default_factory=dict)
    #: Said in place of the changed lines, where these would say nothing.
    words: str = ""
    #: Changes of another file that the fault needs: (file, old, new).
    needs: tuple[tuple[str, str, str], ...] = ()


_TWO_GROUPS = (
    "  other:\n    spheres:\n      hand:\n        - center: [0.0, 0.0, 0.0]\n          radius: "
    "0.05\n"
)
_LOWER = "      lower:\n        - center: [0.0, 0.0, 0.0]\n          radius: 0.1\n"
_TOP = "geometry:\n  spheres:\n    spheres:\n"
_SHAPE = '<link name="base"/>'
_BASE_TO_LOWER = f'{_SHAPE}\n  <link name="upper"/>\n  <link name="lower"/>'
_BASE_BOX = BOX.format("collision", 'box size="0.2 0.2 0.2"')
_HAND_BOX = _BASE_BOX.replace("base", "hand").replace("0.2 0.2 0.2", "0.02 0.02 0.02")
_UPPER_BOX = _BASE_BOX.replace("base", "upper").replace(
    '<geometry><box size="0.2 0.2 0.2"/>',
    '<origin xyz="1 1.25 1"/><geometry><box size="0.1 0.1 0.1"/>',
)
_TOUCHING = _BASE_TO_LOWER.replace(_SHAPE, _BASE_BOX).replace(
    '<link name="lower"/>',
    '<link name="lower"><collision><origin xyz="0 0 1.1"/><geometry><box size="0.1 0.1 '
    '2.2"/></geometry>'
    "</collision></link>",
)
_BARE = (
    '<link name="base"><visual><geometry><box size="0.2 0.2 1"/></geometry></visual>'
    '<collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>'
)
_SWINGS = "      hand:\n        - center: [0.0, 0.0, 0.0]\n          radius: 0.6\n"


def _mesh(suffix: str, more: str = "") -> tuple[str, str]:
    return _SHAPE, BOX.format("visual", MESH.format(suffix) + more)


def _weighing(link: str, mass: float) -> str:
    inertia = '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
    return f'<link name="{link}"><inertial><mass value="{mass}"/>{inertia}</inertial></link>'


def _massive_box(around: float, along: float) -> str:
    """A box of 0.2 m that weighs 5 kg, with moments in g m² about x and y, and about z."""
    inertia = (
        f'<inertia ixx="{around}e-3" ixy="0" ixz="0" iyy="{around}e-3" iyz="0" izz="{along}e-3"/>'
    )
    return _BASE_BOX.replace(
        "<collision>", f'<inertial><mass value="5"/>{inertia}</inertial><collision>'
    )


_OTHER_MASSES = tuple(
    ("arm.urdf", f'<link name="{link}"/>', _weighing(link, mass))
    for link, mass in (("base", 10), ("upper", 5), ("lower", 3))
)
_CONTROL = """  <ros2_control name="arm" type="system">
    <joint name="{}">
      <command_interface name="position"><param name="min">{}</param><param name="max">{}</param></command_interface>
      <state_interface name="position"><param name="initial_value">{}</param></state_interface>
    </joint>
  </ros2_control>
</robot>"""
#: Stands for a file that is larger than any mesh may be.
_HUGE = "\0huge"

FAULTS: dict[str, Fault] = {
    "ROS001": Fault("joint_limits.yaml", "max_velocity: 0.50", "max_velocity: fast"),
    "ROS002": Fault("joint_limits.yaml", "max_velocity: 0.50", "max_velocity: 1"),
    "ROS003": Fault("joint_limits.yaml", "  shoulder:", "  sholder:"),
    "ROS004": Fault("joint_limits.yaml", "    has_velocity_limits: true\n", ""),
    "ROS005": Fault("joint_limits.yaml", "max_velocity: 0.50", "max_velocity: 5.0"),
    "ROS006": Fault("joint_limits.yaml", "max_acceleration: 2.50", "max_acceleration: 4.0"),
    "ROS007": Fault(
        "joint_limits.yaml",
        "    max_velocity: 0.50",
        "    max_position: 2.5\n    max_velocity: 0.50",
    ),
    "ROS008": Fault("kinematics.yaml", "all:", "arm:"),
    "ROS009": Fault("initial_positions.yaml", "shoulder: 0.30", "shoulder: 3.30"),
    "URDF095": Fault("arm.urdf", "</robot>", _CONTROL.format("sholder", "-3", "2", "0.0")),
    "URDF096": Fault("arm.urdf", "</robot>", _CONTROL.format("shoulder", "-3.2", "2", "0.0")),
    "URDF097": Fault("arm.urdf", "</robot>", _CONTROL.format("shoulder", "-3", "2", "2.5")),
    "XRDF001": Fault("arm.xrdf", "modifiers:\n", "modifiers: [\n"),
    "XRDF216": Fault("arm.urdf", 'lower="0.1" upper="0.4"', 'lower="-1e9" upper="1e9"'),
    "XRDF217": Fault("arm.xrdf", _LOWER, _LOWER + "---\n"),
    "XRDF307": Fault(
        "arm.urdf",
        '<link name="hand"/>',
        BOX.format("visual", 'sphere radius="0.1"').replace("base", "hand"),
    ),
    "XRDF308": Fault(
        "arm.urdf",
        _SHAPE,
        _BASE_BOX,
        needs=(("arm.xrdf", "center: [0.0, 0.0, 0.0]", "center: [0.0, 0.0, 2.0]"),),
    ),
    "XRDF309": Fault(
        "arm.xrdf",
        _TOP + "      base:\n",
        _TOP + "      base:\n        - {center: [0.0, 0.0, 0.01], radius: 0.02}\n",
    ),
    "XRDF312": Fault("arm.xrdf", _TOP, "geometry:\n  empty: {}\n  spheres:\n    spheres:\n"),
    "XRDF313": Fault(
        "arm.urdf", _SHAPE, _BASE_BOX, needs=(("arm.xrdf", "radius: 0.1", "radius: 0.15"),)
    ),
    "XRDF314": Fault("arm.urdf", _SHAPE, _BARE),
    "XRDF316": Fault("arm.urdf", _SHAPE, BOX.format("collision", 'box size="0.2 0.2 1"')),
    "XRDF317": Fault("arm.urdf", _SHAPE, BOX.format("visual", 'box size="0.16 0.16 0.16"')),
    "XRDF315": Fault("arm.xrdf", "radius: 0.1\n", "radius: 1000.1\n"),
    "XRDF502": Fault(
        "arm.xrdf",
        "self_collision:\n  geometry: spheres\n",
        "self_collision:\n  geometry: other\n",
        needs=(("arm.xrdf", _TOP, "geometry:\n" + _TWO_GROUPS + "  spheres:\n    spheres:\n"),),
    ),
    "XRDF508": Fault("arm.xrdf", _LOWER, _LOWER.replace("0.1", "1.95")),
    "XRDF509": Fault(
        "arm.xrdf",
        "    upper: [lower]\n",
        "    upper: [lower]\n    hand: [base]\n",
        needs=(("arm.xrdf", _TOP, _TOP + _SWINGS.replace("0.6", "2.2")),),
    ),
    "XRDF512": Fault(
        "arm.xrdf",
        "self_collision:\n  geometry: spheres\n  buffer_distance:\n    upper: 0.01\n",
        "self_collision:\n  geometry: spheres\n  buffer_distance:\n    hand: 0.2\n    lower: 0.7\n",
        needs=(("arm.xrdf", _TOP, _TOP + _SWINGS.replace("0.6", "0.05")),),
    ),
    "XRDF513": Fault(
        "arm.urdf",
        _BASE_TO_LOWER,
        _TOUCHING,
        needs=(
            ("arm.xrdf", _LOWER, _LOWER.replace("0.1", "1.95")),
            ("arm.xrdf", "    base: [upper]\n", "    base: [upper, lower]\n"),
        ),
    ),
    "XRDF514": Fault(
        "arm.xrdf",
        _TOP,
        _TOP + _SWINGS.replace("0.6", "1.9"),
        needs=(
            ("arm.urdf", _SHAPE, _BASE_BOX),
            ("arm.urdf", '<link name="hand"/>', _HAND_BOX),
            ("arm.xrdf", "    upper: [lower]\n", "    upper: [lower]\n    hand: [lower, upper]\n"),
        ),
    ),
    "XRDF515": Fault(
        "arm.xrdf",
        _TOP,
        _TOP + "      left:\n        - center: [0.0, 0.0, 0.0]\n          radius: 0.3\n",
        needs=(
            ("arm.urdf", '<link name="upper"/>', _UPPER_BOX),
            ("arm.urdf", '<link name="left"/>', _HAND_BOX.replace("hand", "left")),
            ("arm.urdf", 'type="continuous"', 'type="revolute"'),
            ("arm.urdf", '<limit effort="10"', '<limit lower="-1" upper="2.5" effort="10"'),
            ("arm.xrdf", "    upper: [lower]\n", "    upper: [lower]\n    side: [left]\n"),
            (
                "arm.xrdf",
                "      upper:\n",
                "      upper:\n        - center: [1.0, 1.25, 1.0]\n          radius: 0.1\n",
            ),
        ),
    ),
    "XRDF516": Fault(
        "arm.xrdf",
        "    base: [upper]\n",
        "    base: [upper, lower]\n",
        needs=(
            ("arm.urdf", _BASE_TO_LOWER, _TOUCHING.replace('<link name="upper"/>', _UPPER_BOX)),
        ),
    ),
    "XRDF517": Fault(
        "arm.xrdf",
        "    base: [upper]\n",
        "    base: [upper, lower]\n",
        needs=(
            ("arm.urdf", _BASE_TO_LOWER, _TOUCHING.replace('<link name="upper"/>', _UPPER_BOX)),
        ),
    ),
    "XRDF605": Fault(
        "arm.xrdf", _LOWER, _LOWER.replace("0.1", "0.95") + _SWINGS.replace("0.6", "0.3")
    ),
    "XRDF708": Fault(
        "arm.xrdf",
        "joint_names: [shoulder, elbow, grip]\n  acceleration_limits: [10.0, 10.0, 10.0]\n"
        "  jerk_limits: [500.0, 500.0, 500.0]",
        "joint_names: [shoulder, elbow]\n  acceleration_limits: [10.0, 10.0]\n  jerk_limits: "
        "[500.0, 500.0]",
    ),
    "XRDF710": Fault("arm.xrdf", "parent_frame_name: left", "parent_frame_name: hand"),
    "XRDF711": Fault("arm.xrdf", "tool_frames: [tool]", "tool_frames: [tool, base]"),
    "XRDF901": Fault("arm.urdf", '<limit effort="10" velocity="2"/>', "", Profile.CUROBO),
    "XRDF902": Fault("arm.urdf", 'velocity="2"', 'velocity="0"', Profile.CUROBO),
    "XRDF903": Fault(
        "arm.urdf",
        '<axis xyz="0 1 0"/><limit effort',
        '<axis xyz="0 0.6 0.8"/><limit effort',
        Profile.CUROBO,
    ),
    "XRDF905": Fault("arm.xrdf", "format_version: 1.0", "format_version: '1.0'", Profile.CUROBO),
    "XRDF907": Fault(
        "arm.urdf", 'name="elbow" type="continuous"', 'name="elbow" type="floating"', Profile.CUROBO
    ),
    "XRDF908": Fault(
        "arm.xrdf", "    base: [upper]\n", "    base: [upper, lower]\n", Profile.CUROBO
    ),
    "XRDF909": Fault(
        "arm.xrdf", "parent_frame_name: left", "parent_frame_name: right", Profile.CUROBO
    ),
    "ROS014": Fault("joint_limits.yaml", "  elbow:\n", "  shoulder: {}\n  elbow:\n"),
    "URDF000": Fault("arm.urdf", '<link name="base"/>', '<link name="base">'),
    "URDF025": Fault("arm.urdf", 'lower="-3" upper="2"', 'lower="-1e16" upper="1e16"'),
    "URDF026": Fault(
        "arm.urdf", 'upper="2" effort="1" velocity="1"', 'upper="2" effort="1" velocity="1e308"'
    ),
    "URDF070": Fault("arm.urdf", '"0 -1 0"/>\n    <axis', '"0 -1002.5 0"/>\n    <axis'),
    "URDF071": Fault(
        "arm.urdf", '<link name="hand"/>', _weighing("hand", 82002.5), needs=_OTHER_MASSES
    ),
    "URDF072": Fault("arm.urdf", 'upper="2" effort', 'upper="20002" effort'),
    "URDF080": Fault("arm.urdf", '<link name="base"/>', _massive_box(1, 3)),
    "URDF081": Fault("arm.urdf", '<link name="base"/>', _massive_box(400, 400)),
    "URDF091": Fault(
        "arm.urdf",
        'name="sideways" type="fixed"',
        'name="sideways" type="floating"',
        Profile.GAZEBO,
    ),
    "URDF092": Fault(
        "arm.urdf", 'name="elbow" type="continuous"', 'name="elbow" type="planar"', Profile.NEWTON
    ),
    "URDF093": Fault(
        "arm.urdf",
        '<limit effort="10"',
        '<calibration rising="0.5"/><limit effort="10"',
        Profile.GAZEBO,
    ),
    "XRDF951": Fault(
        "arm.xrdf",
        _TOP,
        _TOP,
        Profile.MUJOCO,
        words="Spheres and a mask, and a simulator as the target.",
    ),
    "XRDF952": Fault("arm.xrdf", "tool_frames: [tool]", "tool_frames: [tool, left]", Profile.VAMP),
    "SRDF000": Fault("arm.srdf", "</group>", "</grp>"),
    "SRDF001": Fault("arm.srdf", 'link1="base" ', ""),
    "SRDF002": Fault("arm.srdf", 'value="0"', 'value="zero"'),
    "SRDF003": Fault(
        "arm.srdf",
        '<joint name="shoulder" value="0"/>',
        '<joint name="shoulder" value="0"/><joint name="shoulder" value="1"/>',
    ),
    "SRDF004": Fault(
        "arm.srdf",
        "</robot>",
        '  <group_tcps group="all"><tcp name="t" xyz="0 0 0" rpy="0 0 0" wxyz="1 0 0 '
        '0"/></group_tcps>\n</robot>',
    ),
    "SRDF005": Fault("arm.srdf", "</robot>", "  <colour/>\n</robot>"),
    "SRDF006": Fault(
        "arm.srdf",
        "</robot>",
        '  <disable_collisions link1="upper" link2="base" reason="Never"/>\n</robot>',
    ),
    "SRDF010": Fault("arm.srdf", 'link1="base"', 'link1="bsae"'),
    "SRDF011": Fault("arm.srdf", 'joint name="shoulder"', 'joint name="sholder"'),
    "SRDF012": Fault("arm.srdf", 'group="all"', 'group="arm"'),
    "SRDF013": Fault(
        "arm.srdf", 'base_link="base" tip_link="hand"', 'base_link="hand" tip_link="hand"'
    ),
    "SRDF014": Fault(
        "arm.srdf",
        "</robot>",
        '  <group name="tools"><chain base_link="base" tip_link="left"/><link '
        'name="right"/></group>\n'
        '  <collision_margins default_margin="0.01"/>\n</robot>',
    ),
    "SRDF015": Fault("arm.srdf", 'value="0"', 'value="3"'),
    "SRDF016": Fault(
        "arm.srdf", "</robot>", '  <group name="all"><link name="hand"/></group>\n</robot>'
    ),
    "SRDF017": Fault("arm.srdf", 'robot name="arm"', 'robot name="ram"'),
    "SRDF040": Fault(
        "arm.srdf",
        "</robot>",
        '  <disable_collisions link1="base" link2="lower" reason="Never"/>\n</robot>',
        needs=(
            ("arm.urdf", _BASE_TO_LOWER, _TOUCHING.replace('<link name="upper"/>', _UPPER_BOX)),
        ),
    ),
    "SRDF018": Fault(
        "arm.srdf", "</robot>", '  <kinematics_plugin_config filename="kinematics.yaml"/>\n</robot>'
    ),
    "SRDF019": Fault(
        "arm.srdf",
        "</robot>",
        '  <calibration_config filename="calibration.yaml"/>\n</robot>',
        beside={
            "calibration.yaml": "calibration:\n  joints:\n    elbwo:\n      position: {x: 0, y: 0, z: 1}\n"
            "      orientation: {x: 0, y: 0, z: 0, w: 1}\n"
        },
    ),
    "ROS015": Fault(
        "joint_limits.yaml", "has_acceleration_limits: true", "has_acceleration_limits: false"
    ),
    "ROS016": Fault("joint_limits.yaml", "max_velocity: 0.50", "max_velocity: !degrees 30"),
    "ROS017": Fault(
        "arm.srdf",
        '<chain base_link="base" tip_link="hand"/>',
        '<chain base_link="base" tip_link="hand"/><link name="left"/><link name="side"/><link '
        'name="right"/>',
    ),
    "URDF100": Fault(
        "arm.urdf",
        '<limit effort="10" velocity="2"/>',
        '<limit effort="10" velocity="2"/><dynamics damping="-1"/>',
    ),
    "URDF101": Fault("arm.urdf", '<axis xyz="0 0 1"/>', '<axis xyz="0 0 2"/>'),
    "SRDF020": Fault("arm.srdf", "</robot>", _VIRTUAL.format("floating", "base")),
    "SRDF021": Fault("arm.srdf", "</robot>", _VIRTUAL.format("ball", "world")),
    "SRDF022": Fault(
        "arm.srdf", "</robot>", _VIRTUAL.format("fixed", "world").replace("odom", "elbow", 1)
    ),
    "SRDF023": Fault(
        "arm.srdf",
        "</robot>",
        '  <group name="a"><group name="b"/></group>\n  <group name="b"><group '
        'name="a"/></group>\n</robot>',
    ),
    "SRDF024": Fault("arm.srdf", "</robot>", '  <group name="tools"/>\n</robot>'),
    "SRDF025": Fault("arm.srdf", 'joint name="elbow"', 'joint name="grip"'),
    "SRDF026": Fault("arm.srdf", 'name="elbow" value="0"', 'name="elbow" value="0 0.5"'),
    "SRDF027": Fault(
        "arm.srdf",
        "</robot>",
        '  <group name="hand"><link name="left"/><link name="right"/></group>\n'
        '  <group_state name="open" group="hand">\n'
        '    <joint name="grip" value="0.4"/><joint name="follow" value="0.1"/>\n  '
        "</group_state>\n</robot>",
    ),
    "SRDF028": Fault("arm.srdf", '<joint name="elbow" value="0"/>', ""),
    "SRDF029": Fault("arm.srdf", "</robot>", _EFFECTOR.format("lower", ' parent_group="hand"')),
    "SRDF030": Fault("arm.srdf", "</robot>", _EFFECTOR.format("side", "")),
    "SRDF031": Fault(
        "arm.srdf",
        "</robot>",
        '  <joint_property joint_name="elbow" property_name="motion_model" '
        'value="diff_drive"/>\n</robot>',
    ),
    "SRDF032": Fault(
        "arm.srdf",
        "</robot>",
        '  <group name="wrist"><chain base_link="hand" tip_link="upper"/></group>\n</robot>',
    ),
    "SRDF033": Fault("arm.srdf", 'link1="base"', 'link1="upper"'),
    "SRDF034": Fault(
        "arm.srdf", "</robot>", '  <collision_margins default_margin="-0.02"/>\n</robot>'
    ),
    "SRDF035": Fault("arm.srdf", "</robot>", _TCP.format('name="tip" xyz="0 0 0.1"')),
    "MESH001": Fault("arm.urdf", *_mesh("stl")),
    "MESH002": Fault("arm.urdf", *_mesh("step"), beside={"base.step": "ISO-10303-21;"}),
    "MESH003": Fault("arm.urdf", *_mesh("stl"), beside={"base.stl": "no mesh"}),
    "MESH004": Fault("arm.urdf", *_mesh("obj"), beside={"base.obj": "v 0 0 0\nv 1 0 0\n"}),
    "MESH005": Fault(
        "arm.urdf",
        *_mesh("obj"),
        beside={"base.obj": "v 0 0 0\nv 1 0 0\nv 0 1 0\nv nan 0 0\nf 1 2 3\nf 2 3 4\n"},
    ),
    "MESH006": Fault("arm.urdf", *_mesh("stl"), beside={"base.stl": _HUGE}),
    "MESH007": Fault(
        "arm.urdf",
        *_mesh("obj"),
        beside={"base.obj": "mtllib base.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"},
    ),
    "MESH008": Fault(
        "arm.urdf", *_mesh("obj"), beside={"base.obj": "v 0 0 0\nv 250 0 0\nv 0 120 0\nf 1 2 3\n"}
    ),
    "MESH009": Fault(
        "arm.urdf",
        *_mesh("obj", ' scale="0.001 0.001 0.001"'),
        beside={"base.obj": "v 0 0 0\nv 0.3 0 0\nv 0 0.1 0\nf 1 2 3\n"},
    ),
    "MESH013": Fault(
        "arm.urdf",
        *_mesh("obj"),
        beside={
            "base.obj": (
                "v 0 0 0\nv 0.2 0 0\nv 0 0.2 0\nf 1 2 3\nv 1 0 0\nv 1.001 0 0\nv 1 0.001 0\nf 4 5 "
                "6\n"
            )
        },
    ),
    "XML001": Fault("arm.urdf", '<robot name="arm">', '<?xml version="0.0"?>\n<robot name="arm">'),
    "XML002": Fault(
        "arm.urdf", '<robot name="arm">', '<!-- arm -->\n<?xml version="1.0"?>\n<robot name="arm">'
    ),
    "XML003": Fault("arm.urdf", "</robot>", "  <drake:accepting_filter/>\n</robot>"),
    "XML004": Fault("arm.urdf", "</robot>", "</robot>\n<robot/>"),
    "XML005": Fault("arm.urdf", "</robot>", "  <!-- two -- dashes -->\n</robot>"),
}

#: Codes of faults that have another code where the text of the file is at hand.
SAME_AS = {**TOLD_BY, "XRDF002": ("XRDF001",)}
_OF_TEST = "`xrdf-editor test` and the panel *Tests* report it with the line of the test."
_OF_USD = (
    "For Isaac Sim, `check ROBOT.urdf ROBOT.xrdf ROBOT.usd --profile isaac` compares the three "
    "files; with `--slow`, "
    "and in the window, a URDF is compared with the USD that it was imported from, or the one of "
    "its name."
)
#: Codes that no text of a robot gives: they come from a fit, or from an edit that could not be
#: written.
PROSE = {
    "FIT001": "The result of the coverage proof of one link after a fit in mode *cover everything*. It is in the "
    "findings and in the report of `xrdf-editor fit`.",
    "XRDF008": "A part of a cuRobo, Lula or RMPflow file, or of a list of spheres, cannot be read, here or by that "
    "program. `check` lists the parts that `convert` reports as lost.",
    "XRDF009": "An XRDF cannot store a part of a cuRobo, Lula or RMPflow file. `check` lists the parts that `convert` "
    "reports as lost or kept aside.",
    "URDF058": "A part of a COLLADA robot or an MJCF cannot be read. `check` lists the parts that `convert` reports as "
    "lost.",
    "URDF059": "A URDF cannot store a part of a COLLADA robot or an MJCF. `check` lists the parts that "
    "`convert` reports "
    "as lost or kept aside.",
    **{
        code: f"{kind.MEANS} {_OF_TEST}"
        for code, kind in ((kind.CODE, kind) for kind in KINDS.values())
    },
    "TEST001": "The file does not begin as a test file does.",
    "TEST002": "A key is misspelt, or in one mapping twice.",
    "TEST003": "A value is missing, or is not one that the key can have.",
    "TEST004": "A test names a joint, frame or configuration that the robot does not have.",
    "TEST005": f"The message gives the reason: for example a mesh or a library is missing. {_OF_TEST}",
    "TEST021": "The signature behind an ignored pair no longer matches the robot: a joint between the two links, its "
    "limits, a sphere, a buffer, or a collision shape of the two links changed. `check` and the "
    "findings report it.",
    "TEST022": "The same for a signature in the attribute `reason` of an SRDF.",
    "ISAAC001": (
        f"{_OF_USD} A link or joint is only in one of the two files, or the USD is that of another "
        "robot."
    ),
    "ISAAC002": f"{_OF_USD} Frames, a limit, a joint type or a mimic differ by more than single precision.",
    "ISAAC003": f"{_OF_USD} A mass, a centre of mass or an inertia differs by more than single precision.",
    "ISAAC004": (
        f"{_OF_USD} The mask of the XRDF and the pairs that cannot touch in the simulation are not "
        "the same."
    ),
    "SAVE001": "After an edit: the XRDF cannot be saved in its current state. The message names the part and "
    "the reason.",
    "SAVE002": "After an edit: the SRDF cannot be saved in its current state. The message names the part and "
    "the reason.",
    "SAVE003": "After an edit: the URDF cannot be saved in its current state. The message names the part and "
    "the reason.",
    "SAVE004": (
        "After an edit: a settings file cannot be saved in its current state. The message gives "
        "the reason."
    ),
    "ROS000": (
        "A file of a MoveIt package could not be read. The robot is opened without it; the file is "
        "not changed."
    ),
    "ROS010": "The files that were opened from a MoveIt package, and the usual files that are missing.",
    "ROS011": (
        "The SRDF of a MoveIt package is a xacro file: it can be edited and is saved as a plain "
        "SRDF."
    ),
    "ROS012": "A file of controllers in a MoveIt package names joints that the URDF does not have.",
}


@cache
def titles() -> dict[str, str]:
    """Code -> what it is about, for every code that the program can give."""
    titles_by_code = {
        "XRDF001": "the XRDF cannot be read at all",
        "XRDF002": "the XRDF is not a mapping",
        "XRDF003": "a duplicate key",
        "XRDF004": "an unknown key",
        "XRDF005": "a value of the wrong type",
        "XRDF006": "a value that YAML reads as another type",
        "XRDF201": "a modifier that is not a mapping",
        "XRDF202": "an unknown modifier",
        "XRDF203": "a modifier lacks a key",
        "XRDF209": "a vector of the wrong length",
        "XRDF301": "spheres that are not a list",
        "XRDF303": "a sphere that cannot be read",
        "XRDF503": "the mask is not a mapping",
        "XRDF804": "the tool frames are not a list",
        "XRDF008": "a part of another program's file cannot be read",
        "XRDF009": "an XRDF cannot store a part of another program's file",
        "URDF058": "a part of another program's robot cannot be read",
        "URDF059": "a URDF cannot store a part of another program's robot",
        "URDF000": "the URDF cannot be read at all",
        "SRDF000": "the SRDF cannot be read at all",
        "FIT001": "the result of a coverage proof",
        **{code: title[0].lower() + title[1:] for code, title in code_titles_of_tests().items()},
        "SAVE001": "the XRDF cannot be saved like this",
        "SAVE002": "the SRDF cannot be saved like this",
        "SAVE003": "the URDF cannot be saved like this",
        "SAVE004": "settings of MoveIt cannot be saved like this",
    }
    from editor_app.core.formats.srdf import read as srdf_table

    tables = (urdf_table, xml_table, mesh_table, tree_table, srdf_table, settings_table, ros_table)
    for module in tables:
        for code, title in re.findall(
            r"^([A-Z]{3,4}\d{3})\s+(?:[EWI]\s+)?(\S.*)$", module.__doc__ or "", re.MULTILINE
        ):
            titles_by_code[code] = re.sub(
                r"\s*\((?:from|refused|dropped)[^)]*\)|; taken as fixed$", "", title
            )
    for rule in load_rules().values():
        for code, title in rule.titles.items():
            titles_by_code.setdefault(code, title)
    return {code: title[0].upper() + title[1:] for code, title in sorted(titles_by_code.items())}


@cache
def codes_in_the_program() -> set[str]:
    """Every code that stands in the source of the program."""
    folder = Path(editor_app.__file__).parent
    pattern = re.compile(r"\b(?:XRDF|URDF|SRDF|TREE|MESH|XML|SAVE|FIT|ROS|TEST|ISAAC)\d{3}\b")
    return {
        code
        for path in folder.rglob("*.py")
        for code in pattern.findall(path.read_text(encoding="utf-8"))
    }


@cache
def examples() -> dict[str, Example]:
    """Code -> its example. Raises AssertionError when a text does not give the finding that it
    stands for."""
    by_code = dict(_of_urdf_cases())
    for code, example in _of_xrdf_cases():
        by_code.setdefault(code, example)
    for code, fault in FAULTS.items():
        by_code.setdefault(code, _of_fault(code, fault))
    by_code.update(_of_trees())
    lacking = codes_in_the_program() - set(by_code) - set(PROSE) - {"XRDF002"}
    assert not lacking, f"{', '.join(sorted(lacking))}: give an example in FAULTS of {__name__}"
    return by_code


def _of_xrdf_cases() -> Iterator[tuple[str, Example]]:
    for case in xrdf_cases.CASES:
        old = case.text
        new = old.replace(case.old, case.new, 1)
        yield (
            case.code,
            Example(
                _changed(old, new, "arm.xrdf"),
                _first(case.code, _xrdf_findings(new, case.profile)),
                case.profile,
            ),
        )
    for code, key, _, profile in xrdf_cases.SECTION_CASES:
        new = xrdf_cases.without_section(CLEAN, key)
        shown = f"A file without the section `{key}`."
        yield code, Example(shown, _first(code, _xrdf_findings(new, profile)), profile)


def _xrdf_findings(text: str, profile: Profile) -> tuple[Finding, ...]:
    return xrdf_cases.findings(xrdf_cases.document(text), profile)


def _of_urdf_cases() -> Iterator[tuple[str, Example]]:
    told: set[str] = set()
    # The case that breaks fewest rules is the clearest.
    for case in sorted(urdf_cases.CASES, key=lambda c: len(c.codes.split())):
        for code in set(case.codes.split()) - told:
            told.add(code)
            yield (
                code,
                Example(
                    _as_xml(case.root, case.body),
                    _first(code, urdf_findings(urdf_cases.read(case.text))),
                ),
            )


def texts_with(code: str) -> dict[str, str]:
    """The files of the small robot, by name, with the fault that the rule finds. Raises
    KeyError."""
    return _texts_of(code, FAULTS[code])[1]


def _texts_of(code: str, fault: Fault) -> tuple[str, dict[str, str]]:
    """The faulty file as it was without the fault, and all files with it."""
    texts = {"arm.urdf": URDF, "arm.xrdf": CLEAN, "arm.srdf": SRDF}
    if code.startswith("ROS"):
        texts |= {
            "joint_limits.yaml": moveit_package.LIMITS,
            "kinematics.yaml": moveit_package.KINEMATICS.replace("manipulator", "all"),
            "initial_positions.yaml": moveit_package.POSITIONS,
        }
    for name, old, new in fault.needs:
        assert old in texts[name], (code, old)
        texts[name] = texts[name].replace(old, new, 1)
    before = texts[fault.file]
    assert fault.old in before, code
    return before, {**texts, fault.file: before.replace(fault.old, fault.new, 1)}


def _of_fault(code: str, fault: Fault) -> Example:
    before, texts = _texts_of(code, fault)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, text in {**texts, **fault.beside}.items():
            (folder / file).write_text(text, encoding="utf-8")
            if text == _HUGE:
                with (folder / file).open("wb") as huge:
                    huge.truncate(2**40)
        finding = _first(code, _findings_of(folder, code, fault))
        finding = replace(finding, message=finding.message.replace(f"{folder}/", ""))
    shown = (
        f"```\n{fault.words}\n```"
        if fault.words
        else _changed(before, texts[fault.file], fault.file)
    )
    for old_file, old, new in fault.needs:
        if old_file != fault.file or code in ("XRDF502",):
            shown += "\n\n" + _changed(old, new, old_file)
    for file, text in fault.beside.items():
        shown += f"\n\n`{file}`" + (
            " larger than the limit" if text == _HUGE else f":\n\n```\n{text.rstrip()}\n```"
        )
    return Example(shown, finding, fault.profile)


def _findings_of(folder: Path, code: str, fault: Fault) -> tuple[Finding, ...]:
    if code.startswith("MESH"):
        return check_files([folder / "arm.urdf"], slow=True)[0].findings
    if code.startswith("ROS"):
        settings = {kind: folder / name for kind, name in SETTINGS_FILES.items()}
        return check_document(open_document(folder / "arm.urdf", settings=settings))
    try:
        document: Document = open_document(folder / "arm.urdf")
    except FormatError:
        checked = check_files([folder / "arm.urdf", folder / "arm.xrdf"], profile=fault.profile)
        return tuple(finding for file in checked for finding in file.findings)
    context = CheckContext(
        document.robot,
        document.xrdf_now,
        fault.profile,
        urdf_path=document.urdf_path,
        urdf_source=read_urdf(SourceText.read(folder / "arm.urdf")),
        srdf_source=document.srdf_now,
    )
    findings = run_rules(
        context, slow=any(rule.slow for rule in load_rules().values() if code in rule.titles)
    )
    return (*document.opening_findings, *locate_findings(findings, document.xrdf_now))


def _of_trees() -> Iterator[tuple[str, Example]]:
    """What the kinematic structure says of the faults of URDFs, when their text is not at hand."""
    told: set[str] = set()
    for case in sorted(urdf_cases.CASES, key=lambda c: (len(c.codes.split()), len(c.body))):
        try:
            urdf = urdf_cases.read(case.text).value
        except FormatError:
            continue
        for problem in tree_table.get_tree(RobotDescription(urdf, Xrdf())).problems:
            if problem.code not in told:
                told.add(problem.code)
                yield problem.code, Example(_as_xml(case.root, case.body), problem)
    # No text says it: a pose of it that is no pose is not taken over.
    joint = Joint("j", JointType.FIXED, "a", "b", Origin((0.0, 0.0, math.nan)))
    urdf = Urdf("r", links=(Link("a"), Link("b")), joints=(joint,))
    shown = '```python\nJoint("j", JointType.FIXED, "a", "b", Origin((0.0, 0.0, math.nan)))\n```'
    yield (
        "TREE009",
        Example(
            shown,
            _first("TREE009", tuple(tree_table.get_tree(RobotDescription(urdf, Xrdf())).problems)),
        ),
    )


def _as_xml(root: str, body: str) -> str:
    body = re.sub(
        r"(?<=>)(?=<(?:link|joint name|joint type|sensor|material name|xacro)\b)", "\n", body
    )
    return f"```xml\n<{root}>\n{body}\n</robot>\n```".replace("\n\n", "\n")


def _first(code: str, findings: tuple[Finding, ...]) -> Finding:
    finding = next((f for f in findings if f.code == code), None)
    assert finding is not None, f"no {code} in {[f'{f.code} {f.message}' for f in findings]}"
    return finding


def _changed(old: str, new: str, file: str) -> str:
    """The lines of a file that differ, as a diff without the context."""
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), n=0, lineterm="")
    kept = [line for line in lines if not line.startswith(("---", "+++", "@@"))]
    return f"In `{file}`:\n\n```diff\n" + "\n".join(kept) + "\n```"
