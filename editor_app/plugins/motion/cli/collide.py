"""`xrdf-editor collide`: reports which pairs collide at given configurations and on the way between
them.

Between trajectory points no collision is missed: the segment is subdivided until it is proven free
or collides. The report goes to standard output, progress to standard error.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import editor_app
from editor_app.cli import _robot_arguments as shared
from editor_app.cli._output import give_report, note
from editor_app.cli._progress import progress_bar
from editor_app.cli._writing import add_force_argument, check_targets
from editor_app.plugins.motion.cli import _collide_report
from editor_app.plugins.motion.verbs import collide as collisions
from editor_app.plugins.motion.verbs import motion_jobs

#: What the exit codes mean, besides the common ones.
EXIT_CODES = {
    0: "free",
    1: (
        "a pair that is not ignored collides, or a segment between two points could not be proven "
        "free"
    ),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    shared.add_files(parser)
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument(
        "--at",
        action="append",
        metavar="JOINTS",
        help='a configuration, such as "j1=0.3 j2=45deg"; repeatable',
    )
    where.add_argument(
        "--state", action="append", metavar="NAME", help='a state of the SRDF, or "default"'
    )
    where.add_argument(
        "--poses",
        type=Path,
        metavar="FILE",
        help="CSV, JSON, ROS messages as YAML, ROS bag or MCAP (rosbags)",
    )
    parser.add_argument(
        "--geometry",
        choices=("spheres", "hulls", "meshes", "both"),
        default="spheres",
        help="geometry to compare",
    )
    shared.add_motion_report_arguments(parser, "csv", "html")
    add_force_argument(parser)
    shared.add_robot_arguments(parser)


def run(args: argparse.Namespace) -> int:
    document = shared.opened(args, args.files)
    check_targets(args, args.report)
    robot = document.robot
    if args.poses is not None:
        trajectory = editor_app.read_trajectory(args.poses)
    else:
        poses = [shared.parse_pose_argument(text, robot) for text in args.at or args.state]
        joints = tuple(dict.fromkeys(joint for pose in poses for joint in pose.joints))
        if any(set(pose.joints) != set(joints) for pose in poses):
            raise editor_app.Refused("name the same joints in every --at")
        points = tuple(tuple(pose.pose(0)[joint] for joint in joints) for pose in poses)
        trajectory = editor_app.Trajectory(
            joints, points, None, tuple(pose.labels[0] for pose in poses), False
        )
    scene = shared.read_scene_arguments(args, robot)
    motion_jobs.prepare_motion(note)
    with progress_bar() as progress:
        collided = editor_app.collide(
            document,
            trajectory,
            geometry=collisions.Geometry(args.geometry),
            scene=scene,
            mask=shared.mask_file(args),
            progress=progress,
        )
    note(*collided.notes)
    head = {
        "robot": robot.urdf.name,
        "files": [str(path) for path in args.files],
        "scene": str(args.scene) if args.scene else None,
    }
    shared.write_motion_report(args, document, trajectory, scene)
    give_report(
        _collide_report.build_collide_record(head, collided), args.format, _collide_report.PAGES
    )
    return 0 if collided.all_free else 1
