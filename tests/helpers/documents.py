"""A small robot as text, and documents made of it."""

from __future__ import annotations

from pathlib import Path

from editor_app.core.document.document import Document
from editor_app.core.document.opening import open_document

URDF = """<robot name="arm">
  <link name="world"/>
  <link name="base"/>
  <link name="upper"/>
  <link name="lower"/>
  <link name="hand"/>
  <link name="left"/>
  <link name="right"/>
  <link name="side"/>
  <joint name="mount" type="fixed"><parent link="world"/><child link="base"/></joint>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 1"/>
    <axis xyz="0 0 1"/><limit lower="-3" upper="2" effort="1" velocity="1"/></joint>
  <joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/><origin xyz="0 0 1"/>
    <axis xyz="0 1 0"/><limit effort="10" velocity="2"/></joint>
  <joint name="wrist" type="fixed"><parent link="lower"/><child link="hand"/><origin xyz="0 0 1"/></joint>
  <joint name="grip" type="prismatic"><parent link="hand"/><child link="left"/><origin xyz="0 1 0"/>
    <axis xyz="0 1 0"/><limit lower="0.1" upper="0.4" effort="1" velocity="0.5"/></joint>
  <joint name="follow" type="prismatic"><parent link="hand"/><child link="right"/><origin xyz="0 -1 0"/>
    <axis xyz="0 -1 0"/><limit lower="0" upper="0.4" effort="1" velocity="0.5"/><mimic joint="grip"/></joint>
  <joint name="sideways" type="fixed"><parent link="world"/><child link="side"/></joint>
</robot>
"""

CLEAN = """format: xrdf
format_version: 1.0

modifiers:
  - set_base_frame: base
  - add_frame:
      frame_name: tool
      parent_frame_name: left
      joint_name: tool_joint
      joint_type: FIXED
      fixed_transform:
        position: [0.0, 0.0, 0.1]
        orientation: {w: 1.0, xyz: [0.0, 0.0, 0.0]}

default_joint_positions:
  shoulder: 0.0
  elbow: 0.5
  grip: 0.2

cspace:
  joint_names: [shoulder, elbow, grip]
  acceleration_limits: [10.0, 10.0, 10.0]
  jerk_limits: [500.0, 500.0, 500.0]

tool_frames: [tool]

collision:
  geometry: spheres
  buffer_distance:
    upper: 0.01

self_collision:
  geometry: spheres
  buffer_distance:
    upper: 0.01
  ignore:
    base: [upper]
    upper: [lower]

geometry:
  spheres:
    spheres:
      base:
        - center: [0.0, 0.0, 0.0]
          radius: 0.1
      upper:
        - center: [0.0, 0.0, 0.0]
          radius: 0.1
      lower:
        - center: [0.0, 0.0, 0.0]
          radius: 0.1
"""

V2 = CLEAN.replace("format_version: 1.0", "format_version: 2.0").replace(
    "\ncollision:", "\nworld_collision:"
)


def make_document(folder: Path, xrdf: str = CLEAN, urdf: str = URDF) -> Document:
    """Writes the two files as arm.urdf and arm.xrdf into `folder` and opens them."""
    (folder / "arm.urdf").write_bytes(urdf.encode())
    (folder / "arm.xrdf").write_bytes(xrdf.encode())
    return open_document(folder / "arm.urdf")
