"""`xrdf-editor pose`: prints the pose of a frame, or the joint values that reach a target.

The place in metres and radians: position, fixed-axis roll-pitch-yaw, quaternion, axis and angle; or
as text for URDF, XRDF or ROS. With --to or --by: inverse kinematics within the limits, starting at
--at. If the target cannot be reached, the report has the remaining distance and the joints at a
limit. Collisions are not checked: use `plan` for that.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable, Mapping
from typing import Any

import editor_app
from editor_app.cli._output import give_report, give_text, note
from editor_app.cli._robot_arguments import (
    add_files_argument,
    add_format_argument,
    add_robot_arguments,
    add_tool_arguments,
    opened,
    parse_frame,
    parse_pose_argument,
    target_of,
)
from editor_app.core.model.printable import printable_lines
from editor_app.core.verbs import reading_notes
from editor_app.core.verbs.pages import build_page, build_table

#: What the exit codes mean, besides the common ones.
EXIT_CODES = {0: "done; with --to or --by: the target is reached", 1: "the target is not reached"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_files_argument(
        parser, "the URDF or xacro file; name the XRDF if it is not next to it under the same name"
    )
    parser.add_argument(
        "--at",
        default="default",
        metavar="POSE",
        help='joint values, a state of the SRDF, or "default" (the default)',
    )
    add_tool_arguments(parser)
    parser.add_argument(
        "--to",
        metavar="PLACE",
        help='compute joint values for this target: "0.4 0 0.5", "0.4 0 0.5 rpy 0 180deg 0"; wxyz or xyzw: a '
        "quaternion",
    )
    add_format_argument(parser, "urdf", "xrdf", "ros")
    add_robot_arguments(parser)


def run(args: argparse.Namespace) -> int:
    document = opened(args, args.files)
    note(*reading_notes.list_reading_notes(document))
    pose = parse_pose_argument(args.at, document.robot).pose(0)
    frame = parse_frame(args, document)
    reached = None
    if args.to is not None or args.by is not None:
        reached = editor_app.reach(document, target_of(args, document, args.to, pose), pose)
        pose = reached.pose
    place = editor_app.frame_pose(document, frame, args.reference, pose)
    if args.format not in ("text", "json"):
        give_text(printable_lines(editor_app.place_text(place, args.format)))
    else:
        record = _record(args, document, place)
        if reached is not None:
            record["reached"] = reached.is_reached
            record["left"] = {"distance_m": reached.distances[0], "angle_rad": reached.angles[0]}
            record["at_limits"] = list(reached.at_limits)
            record["joints"] = dict(pose)
        give_report(record, args.format, {"html": _page})
    return 0 if reached is None or reached.is_reached else 1


def _page(record: Mapping[str, Any]) -> str:
    def numbers(values: Iterable[float]) -> str:
        # What is less than a nanometre, or a nanoradian, is rounding.
        return " ".join(f"{round(value, 9) + 0.0:.6g}" for value in values)

    rows = [
        (title, numbers(record[key]))
        for title, key in (
            ("xyz, m", "xyz"),
            ("rpy, rad", "rpy"),
            ("quaternion wxyz", "quaternion_wxyz"),
            ("axis", "axis"),
        )
    ]
    rows.append(("angle, rad", f"{record['angle']:.6g}"))
    parts: list[object] = [build_table("", (), rows)]
    if "reached" in record:
        left = record["left"]
        missing = (
            f"{left['distance_m'] * 1e3:.3g} mm and {math.degrees(left['angle_rad']):.3g}° remain"
        )
        limits = f"; at a limit: {', '.join(record['at_limits'])}" if record["at_limits"] else ""
        parts.append("Reached." if record["reached"] else f"Not reached: {missing}{limits}.")
        parts.append(
            " ".join(f"{joint}={numbers([value])}" for joint, value in record["joints"].items())
        )
    return build_page(f"{record['frame']} in {record['reference']}", [*parts, *record["notes"]])


def _record(
    args: argparse.Namespace, document: editor_app.Document, place: editor_app.FramePose
) -> dict[str, Any]:
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
        "notes": list(reading_notes.list_reading_notes(document)),
    }
