"""Two arms on one torso, which stand in each other when all joints are at zero."""

from __future__ import annotations

from pathlib import Path

#: The section of default positions, with values that somebody gave.
GIVEN = "default_joint_positions: {left_shoulder: 0.0, left_elbow: 0.0, right_shoulder: 0.0, right_elbow: 0.0}\n"


def _arm(side: str, y: float) -> str:
    return f"""<link name="{side}_upper"/><link name="{side}_hand"/>
<joint name="{side}_shoulder" type="revolute"><parent link="torso"/><child link="{side}_upper"/>
<origin xyz="0 {y} 0.5"/><axis xyz="1 0 0"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
<joint name="{side}_elbow" type="revolute"><parent link="{side}_upper"/><child link="{side}_hand"/>
<origin xyz="0 0 0.4"/><axis xyz="1 0 0"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>"""


def two_arms(folder: Path, defaults: str) -> list[str]:
    """Writes URDF and XRDF, with `defaults` as the text of the section of default positions; their paths."""
    urdf = f"""<robot name="two"><link name="torso"/>{_arm("left", 0.1)}{_arm("right", -0.1)}</robot>"""
    frames = ("torso", "left_upper", "left_hand", "right_upper", "right_hand")
    spheres = "".join(f"      {f}:\n      - {{center: [0.0, 0.0, 0.0], radius: 0.15}}\n" for f in frames)
    xrdf = f"""format: xrdf
format_version: 1.0
{defaults}cspace:
  joint_names: [left_shoulder, left_elbow, right_shoulder, right_elbow]
  acceleration_limits: [1.0, 1.0, 1.0, 1.0]
  jerk_limits: [1.0, 1.0, 1.0, 1.0]
tool_frames: [left_hand, right_hand]
collision: {{geometry: g}}
self_collision:
  geometry: g
  ignore: {{}}
geometry:
  g:
    spheres:
{spheres}"""
    (folder / "two.urdf").write_text(urdf, encoding="utf-8")
    (folder / "two.xrdf").write_text(xrdf, encoding="utf-8")
    return [str(folder / "two.urdf"), str(folder / "two.xrdf")]
