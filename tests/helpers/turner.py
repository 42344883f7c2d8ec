"""A robot with a test file: an arm that turns beside a post, whose distances can be computed by
hand."""

from __future__ import annotations

from pathlib import Path

#: An arm that turns about z beside a post: its tip (radius 50 mm) and the post (the same) are 0.3 m
#: from the axis, so that at an angle a from the post they are 0.6 sin(a / 2) - 0.1 m apart.
URDF = """<robot name="turner">
  <link name="base"/>
  <link name="arm"><collision><origin xyz="0.3 0 0"/><geometry><sphere radius="0.05"/></geometry></collision></link>
  <link name="tip"/>
  <link name="post"><collision><geometry><sphere radius="0.05"/></geometry></collision></link>
  <joint name="yaw" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="3" effort="10" velocity="2"/></joint>
  <joint name="tip_joint" type="fixed"><parent link="arm"/><child link="tip"/><origin xyz="0.4 0 0"/></joint>
  <joint name="post_joint" type="fixed"><parent link="base"/><child link="post"/><origin xyz="0 0.3 0"/></joint>
</robot>
"""
XRDF = """format: xrdf
format_version: 1.0
default_joint_positions: {yaw: 0.0}
cspace:
  joint_names: [yaw]
  acceleration_limits: [10.0]
  jerk_limits: [100.0]
tool_frames: [tip]
collision: {geometry: balls}
self_collision:
  geometry: balls
geometry:
  balls:
    spheres:
      arm:
        - {center: [0.3, 0.0, 0.0], radius: 0.05}
      post:
        - {center: [0.0, 0.0, 0.0], radius: 0.05}
"""
HEAD = "format: robot-tests\nformat_version: 1\ntests:\n"


def write_turner(folder: Path, *changes: tuple[str, str]) -> Path:
    """Write the robot, its texts changed by (old, new), with its last release; return the path of
    the URDF."""
    urdf, xrdf = URDF, XRDF
    for old, new in changes:
        assert old in urdf + xrdf
        urdf, xrdf = urdf.replace(old, new), xrdf.replace(old, new)
    (folder / "release").mkdir(parents=True, exist_ok=True)
    (folder / "release" / "turner.urdf").write_text(URDF, encoding="utf-8")
    (folder / "turner.xrdf").write_text(xrdf, encoding="utf-8")
    path = folder / "turner.urdf"
    path.write_text(urdf, encoding="utf-8")
    return path
