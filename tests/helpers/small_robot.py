"""A small robot for tests of the model and of commands: an arm with two fingers, one of which
mimics the other."""

from __future__ import annotations

from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.origin import Origin
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.urdf import Joint, JointType, Limit, Link, Mimic, Urdf
from editor_app.core.model.xrdf import (
    AddFrame,
    CollisionSection,
    CollisionSphere,
    CSpace,
    FixedTransform,
    GeometryGroup,
    SelfCollisionSection,
    SetBaseFrame,
    Xrdf,
)

URDF_TEXT = """<?xml version="1.0"?>
<robot name="small">
  <link name="base"/> <link name="upper"/> <link name="fore"/> <link name="hand"/>
  <link name="finger_a"/> <link name="finger_b"/>
  <joint name="j1" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 0.1"/>
    <axis xyz="0 0 1"/><limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
  <joint name="j2" type="continuous"><parent link="upper"/><child link="fore"/><origin xyz="0 0 0.3"/>
    <axis xyz="0 1 0"/></joint>
  <joint name="wrist" type="fixed"><parent link="fore"/><child link="hand"/><origin xyz="0 0 0.3"/></joint>
  <joint name="slide_a" type="prismatic"><parent link="hand"/><child link="finger_a"/>
    <axis xyz="1 0 0"/><limit lower="0" upper="0.04" effort="1" velocity="1"/></joint>
  <joint name="slide_b" type="prismatic"><parent link="hand"/><child link="finger_b"/>
    <axis xyz="-1 0 0"/><limit lower="0" upper="0.04" effort="1" velocity="1"/><mimic joint="slide_a"/></joint>
</robot>
"""

XRDF_TEXT = """# A comment at the top.
format: xrdf
format_version: 1.0

modifiers:
  - set_base_frame: "base"
  - add_frame:
      frame_name: tcp   # between the fingers
      joint_name: tcp_joint
      joint_type: FIXED
      parent_frame_name: hand
      fixed_transform: {position: [0, 0, 0.1], orientation: {w: 1.0, xyz: [0, 0, 0]}}

default_joint_positions:
  j1: 0.5
  j2: 1.0

cspace:
  joint_names: ["j1", "j2"]
  acceleration_limits: [12.0, 10]
  jerk_limits: [500.0, 500.0]

tool_frames: ["tcp", hand]

collision:
  geometry: "spheres"
  buffer_distance:
    upper: 0.01   # thick
    hand: 0.02

self_collision:
  geometry: "spheres"
  buffer_distance:
    fore: 0.0
  ignore:
    upper: ["fore"]
    fore: [hand, upper]

geometry:
  spheres:
    spheres:
      upper:
        - center: [0, 0, 0.1]
          radius: 0.08
        - {center: [0.0, 0.0, 2e-1], radius: 0.06}
      hand:
        - center: [0, 0, 0]
          radius: -0.01
"""


def small_urdf() -> Urdf:
    """What URDF_TEXT says."""
    finger = Limit(0.0, 0.04, 1.0, 1.0)
    return Urdf(
        "small",
        links=tuple(map(Link, ("base", "upper", "fore", "hand", "finger_a", "finger_b"))),
        joints=(
            Joint(
                "j1",
                JointType.REVOLUTE,
                "base",
                "upper",
                Origin((0.0, 0.0, 0.1)),
                (0.0, 0.0, 1.0),
                Limit(-3.0, 3.0, 1.0, 1.0),
            ),
            Joint(
                "j2",
                JointType.CONTINUOUS,
                "upper",
                "fore",
                Origin((0.0, 0.0, 0.3)),
                (0.0, 1.0, 0.0),
            ),
            Joint("wrist", JointType.FIXED, "fore", "hand", Origin((0.0, 0.0, 0.3))),
            Joint(
                "slide_a",
                JointType.PRISMATIC,
                "hand",
                "finger_a",
                axis=(1.0, 0.0, 0.0),
                limit=finger,
            ),
            Joint(
                "slide_b",
                JointType.PRISMATIC,
                "hand",
                "finger_b",
                axis=(-1.0, 0.0, 0.0),
                limit=finger,
                mimic=Mimic("slide_a"),
            ),
        ),
    )


def small_xrdf() -> Xrdf:
    """What XRDF_TEXT says."""
    return Xrdf(
        modifiers=(
            SetBaseFrame("base"),
            AddFrame("tcp", "hand", "tcp_joint", FixedTransform((0.0, 0.0, 0.1))),
        ),
        default_joint_positions=FrozenDict({"j1": 0.5, "j2": 1.0}),
        cspace=CSpace(("j1", "j2"), (12.0, 10.0), (500.0, 500.0)),
        tool_frames=("tcp", "hand"),
        world_collision=CollisionSection("spheres", FrozenDict({"upper": 0.01, "hand": 0.02})),
        self_collision=SelfCollisionSection(
            "spheres",
            FrozenDict({"fore": 0.0}),
            FrozenDict({"upper": ("fore",), "fore": ("hand", "upper")}),
        ),
        geometry=(
            GeometryGroup(
                "spheres",
                FrozenDict(
                    {
                        "upper": (
                            CollisionSphere((0.0, 0.0, 0.1), 0.08),
                            CollisionSphere((0.0, 0.0, 0.2), 0.06),
                        ),
                        "hand": (CollisionSphere((0.0, 0.0, 0.0), -0.01),),
                    }
                ),
            ),
        ),
    )


def small_robot() -> RobotDescription:
    return RobotDescription(small_urdf(), small_xrdf())
