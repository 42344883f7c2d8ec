"""A gripper with everything that names its parts, to be attached to other robots."""

from __future__ import annotations

from pathlib import Path

from editor_app.core.document.document import Document
from editor_app.core.document.opening import open_document

URDF = """<?xml version="1.0"?>
<!-- Made by the gripper's maker, license MIT. -->
<robot name="gripper" xmlns:ignition="http://ignitionrobotics.org/schema">
  <material name="grey"><color rgba="0.5 0.5 0.5 1"/></material>
  <!-- the palm -->
  <link name="base">
    <inertial><mass value="0.5"/><inertia ixx="1e-3" ixy="0" ixz="0" iyy="1e-3" iyz="0" izz="1e-3"/></inertial>
    <visual><geometry><box size="0.1 0.1 0.06"/></geometry><material name="grey"/></visual>
    <collision><origin xyz="0 0 0.05"/><geometry><box size="0.1 0.1 0.06"/></geometry></collision>
  </link>
  <link name="left">
    <inertial><mass value="0.1"/><inertia ixx="1e-4" ixy="0" ixz="0" iyy="1e-4" iyz="0" izz="1e-4"/></inertial>
    <collision><origin xyz="0 0 0.03"/><geometry><box size="0.02 0.02 0.06"/></geometry></collision>
  </link>
  <link name="right">
    <inertial><mass value="0.1"/><inertia ixx="1e-4" ixy="0" ixz="0" iyy="1e-4" iyz="0" izz="1e-4"/></inertial>
    <collision><origin xyz="0 0 0.03"/><geometry><box size="0.02 0.02 0.06"/></geometry></collision>
  </link>
  <joint name="grip" type="prismatic"><parent link="base"/><child link="left"/><origin xyz="0 0.02 0.09"/>
    <axis xyz="0 1 0"/><limit lower="0" upper="0.03" effort="20" velocity="0.2"/></joint>
  <joint name="follow" type="prismatic"><parent link="base"/><child link="right"/><origin xyz="0 -0.02 0.09"/>
    <axis xyz="0 -1 0"/><limit lower="0" upper="0.03" effort="20" velocity="0.2"/><mimic joint="grip"/></joint>
  <transmission name="drive">
    <type>transmission_interface/SimpleTransmission</type>
    <joint name="grip"><hardwareInterface>hardware_interface/PositionJointInterface</hardwareInterface></joint>
    <actuator name="motor"><mechanicalReduction>1</mechanicalReduction></actuator>
  </transmission>
  <gazebo reference="base"><material>Gazebo/Grey</material>
    <ignition:light>true</ignition:light></gazebo>
  <gazebo>
    <plugin name="mimic" filename="libmimic.so"><joint>grip</joint><mimicJoint>follow</mimicJoint>
      <bodyName>gripper::left</bodyName></plugin>
  </gazebo>
  <ros2_control name="fingers" type="system">
    <joint name="grip"><command_interface name="position"/><state_interface name="position"/></joint>
    <joint name="follow"><param name="mimic">grip</param><param name="multiplier">1</param></joint>
  </ros2_control>
  <sensor name="eye" update_rate="30"><parent link="base"/><origin xyz="0 0 0.02"/>
    <camera><image width="640" height="480" format="RGB8" hfov="1.1" near="0.01" far="5"/></camera></sensor>
</robot>
"""

XRDF = """# The gripper of the maker.
format: xrdf
format_version: 1.0
modifiers:
  - set_base_frame: base
  - add_frame:
      frame_name: tcp
      parent_frame_name: base
      joint_name: tcp_joint
      joint_type: FIXED
      fixed_transform: {position: [0, 0, 0.15], orientation: {w: 1.0, xyz: [0, 0, 0]}}
default_joint_positions:
  grip: 0.02  # half open
cspace:
  joint_names: [grip]
  acceleration_limits: [2.0]
  jerk_limits: [50.0]
tool_frames: [tcp]
collision:
  geometry: hand
  buffer_distance: {left: 0.002}
self_collision:
  geometry: hand
  buffer_distance: {left: 0.001}
  ignore:
    base:
      - left  # Adjacent
      - right  # they meet # by design
    left: [right]
geometry:
  hand:
    spheres:
      base:
        - {center: [0, 0, 0.05], radius: 0.07}  # the palm
      left:
        - {center: [0, 0, 0.02], radius: 0.015}
        - {center: [0, 0, 0.045], radius: 0.015}
      right:
        - {center: [0, 0, 0.02], radius: 0.015}
        - {center: [0, 0, 0.045], radius: 0.015}
"""

SRDF = """<robot name="gripper">
  <!-- one finger moves, the other follows -->
  <group name="fingers"><joint name="grip"/></group>
  <group_state name="open" group="fingers"><joint name="grip" value="0.03"/></group_state>
  <end_effector name="hand" parent_link="base" group="fingers"/>
  <virtual_joint name="stand" type="fixed" parent_frame="world" child_link="base"/>
  <passive_joint name="follow"/>
  <disable_collisions link1="base" link2="left" reason="Adjacent"/>
</robot>
"""


def gripper(folder: Path, *, xrdf: str | None = XRDF, srdf: str | None = SRDF) -> Document:
    """Writes gripper.urdf, and the two beside it, into `folder`, which is made, and opens them."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "gripper.urdf").write_text(URDF, encoding="utf-8")
    for suffix, text in ((".xrdf", xrdf), (".srdf", srdf)):
        if text is not None:
            (folder / f"gripper{suffix}").write_text(text, encoding="utf-8")
    return open_document(folder / "gripper.urdf")
