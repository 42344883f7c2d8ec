"""A small MoveIt config package, as a setup assistant writes it."""

from __future__ import annotations

from pathlib import Path

from tests.helpers.documents import URDF

SRDF = """<?xml version="1.0"?>
<robot name="arm">
  <group name="manipulator"><chain base_link="base" tip_link="hand"/></group>
</robot>
"""
LIMITS = """# What the drives allow.
default_velocity_scaling_factor: 0.1
joint_limits:
  shoulder:
    has_velocity_limits: true
    max_velocity: 0.50  # measured
    has_acceleration_limits: true
    max_acceleration: 2.50
    max_effort: 7  # no key of MoveIt
  elbow:
    has_velocity_limits: true
    max_velocity: 2.0
    has_acceleration_limits: true
    max_acceleration: 10.0
"""
KINEMATICS = """manipulator:  # the arm
  kinematics_solver: kdl_kinematics_plugin/KDLKinematicsPlugin
  kinematics_solver_timeout: 0.0050000000000000001
"""
POSITIONS = """initial_positions:
  shoulder: 0.30
  elbow: -0.4
"""
CONTROLLERS = """moveit_simple_controller_manager:
  controller_names: [arm_controller]
  arm_controller:
    joints: [shoulder, wrist_of_another]
"""
SETUP = """moveit_setup_assistant_config:
  urdf:
    package: {package}
    relative_path: {path}
  srdf:
    relative_path: config/arm.srdf
"""
MANIFEST = "<package><name>{0}</name></package>"


def write_package(folder: Path, *, urdf_in: str = "") -> Path:
    """A package `arm_moveit_config` in `folder`; its URDF in a package of that name beside it, or
    in config."""
    package = folder / "arm_moveit_config"
    files = {
        "package.xml": MANIFEST.format("arm_moveit_config"),
        "config/arm.srdf": SRDF,
        "config/joint_limits.yaml": LIMITS,
        "config/kinematics.yaml": KINEMATICS,
        "config/initial_positions.yaml": POSITIONS,
        "config/moveit_controllers.yaml": CONTROLLERS,
    }
    if urdf_in:
        files |= {
            ".setup_assistant": SETUP.format(package=urdf_in, path="urdf/arm.urdf"),
            f"../a_folder/{'package.xml'}": MANIFEST.format(urdf_in),
            "../a_folder/urdf/arm.urdf": URDF,
        }
    else:
        files["config/arm.urdf"] = URDF
    for name, text in files.items():
        path = (package / name).resolve()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return package
