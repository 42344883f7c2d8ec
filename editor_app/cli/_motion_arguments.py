"""What `collide`, `plan` and `cost` ask alike: the robot with its mask, where packages are, a scene, joint values."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from editor_app.cli._output import note
from editor_app.cli._robot_arguments import add_files_argument

if TYPE_CHECKING:
    from editor_app.model.robot import RobotDescription
    from editor_app.model.scene import Scene
    from editor_app.model.trajectory import Trajectory
    from editor_app.operations.mask_changes import MaskFile


def add_files(parser: argparse.ArgumentParser) -> None:
    add_files_argument(
        parser, "the URDF or xacro file, with an XRDF (spheres, mask) or SRDF (mask) where it is not the one beside it"
    )
    parser.add_argument(
        "--scene", type=Path, metavar="FILE", help="obstacles: our YAML, a cuRobo world, MoveIt's .scene"
    )


def mask_file(args: argparse.Namespace) -> MaskFile | None:
    """The SRDF's mask where an SRDF is named and no XRDF; else None: the XRDF's, where it has one."""
    from editor_app.operations.mask_changes import MaskFile
    from editor_app.operations.open import robot_files

    robot = robot_files(*args.files)
    return MaskFile.SRDF if robot.srdf is not None and robot.xrdf is None else None


def scene_of(args: argparse.Namespace) -> Scene:
    from editor_app.formats.scenes import read_scene
    from editor_app.model.scene import EMPTY_SCENE

    return EMPTY_SCENE if args.scene is None else read_scene(args.scene)


def pose_of(text: str, robot: RobotDescription) -> Trajectory:
    """`j1=0.3 j2=45deg`, or the name of a state of the SRDF, or `default`. Raises Refused."""
    from editor_app.model.trajectory import Trajectory
    from editor_app.operations.collide import state_pose
    from editor_app.operations.pose_texts import typed_positions

    values = typed_positions(text) if "=" in text else state_pose(robot, text.strip())
    return Trajectory.of_pose(values, text.strip())


def load_kernels() -> None:
    """Before the clock runs; says so when they have to be compiled first."""
    from editor_app.operations.motion_jobs import prepare_motion

    prepare_motion(note)
