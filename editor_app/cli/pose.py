"""`xrdf-editor pose`: tells where a frame is in any other, and which joint values bring it to a place.

The place in metres and radians: position, fixed-axis roll-pitch-yaw, quaternion, axis and angle; or as a text that a
URDF, an XRDF or ROS takes. With --to or --by: inverse kinematics within the limits, from the pose of --at; what cannot
be reached is told with the distance that is left and the joints that stand at a limit. Collisions are not looked for:
`plan` does that.
"""

from __future__ import annotations

import argparse
from typing import Any

import editor_app
from editor_app.cli._output import give_report, give_text, note
from editor_app.cli._robot_arguments import (
    add_files_argument,
    add_robot_arguments,
    add_tool_arguments,
    frame_of,
    opened,
    pose_of,
    target_of,
)
from editor_app.core.model.printable import printable_lines
from editor_app.core.verbs import reading_notes

#: What the exit codes mean, besides the common ones.
EXIT_CODES = {0: "done; with --to or --by: the place is reached", 1: "the place is not reached"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_files_argument(parser, "the URDF or xacro file, with an XRDF where it is not the one beside it")
    parser.add_argument(
        "--at", default="default", metavar="POSE", help='joint values, a state of the SRDF, or "default" (the default)'
    )
    add_tool_arguments(parser)
    parser.add_argument(
        "--to",
        metavar="PLACE",
        help='joint values that bring it there: "0.4 0 0.5", "0.4 0 0.5 rpy 0 180deg 0"; wxyz or xyzw: a quaternion',
    )
    parser.add_argument("--report", choices=("json", "urdf", "xrdf", "ros"), default="json", help="default: json")
    add_robot_arguments(parser)


def run(args: argparse.Namespace) -> int:
    document = opened(args, args.files)
    note(*reading_notes.reading_notes(document))
    pose = pose_of(args.at, document.robot).pose(0)
    frame = frame_of(args, document)
    reached = None
    if args.to is not None or args.by is not None:
        reached = editor_app.reach(document, target_of(args, document, args.to, pose), pose)
        pose = reached.pose
    place = editor_app.frame_pose(document, frame, args.reference, pose)
    if args.report != "json":
        give_text(printable_lines(editor_app.place_text(place, args.report)))
    else:
        record = _record(args, document, place)
        if reached is not None:
            record["reached"] = reached.is_reached
            record["left"] = {"distance_m": reached.distances[0], "angle_rad": reached.angles[0]}
            record["at_limits"] = list(reached.at_limits)
            record["joints"] = dict(pose)
        give_report(record, "json", {})
    return 0 if reached is None or reached.is_reached else 1


def _record(args: argparse.Namespace, document: editor_app.Document, place: editor_app.FramePose) -> dict[str, Any]:
    axis, angle = place.axis_angle
    return {
        "robot": document.robot.urdf.name,
        "files": [str(path) for path in args.files],
        "frame": place.frame,
        "reference": place.reference,
        "xyz": list(place.position),
        "rpy": list(place.rpy),
        "quaternion_wxyz": list(place.quaternion_wxyz),
        "quaternion_xyzw": list(place.quaternion_xyzw),
        "axis": list(axis),
        "angle": angle,
        "notes": list(reading_notes.reading_notes(document)),
    }
