"""`xrdf-editor diff`: compares two URDFs, SRDFs, XRDFs or robots by their meaning, ignoring
formatting.

With two URDFs (or xacro files), the SRDFs and XRDFs next to them are compared too, if both have
one. The frames are compared by forward kinematics within the limits of both. The report has the
largest deviations and their joint positions.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import editor_app
from editor_app.cli._output import give_report, note, print_lines
from editor_app.cli._progress import progress_bar
from editor_app.cli._robot_arguments import (
    add_repeated,
    add_robot_arguments,
    packages,
    xacro_arguments,
)
from editor_app.core.feature import hook
from editor_app.core.model.options import attribute_record
from editor_app.core.tasks.work import scale_progress
from editor_app.core.verbs import robot_inputs, robot_picture
from editor_app.core.verbs.pages import build_page, build_table, mark_text
from editor_app.plugins.comparison.verbs.diff import read_side

#: What the exit codes mean, besides the common ones.
EXIT_CODES = {0: "both mean the same", 1: "they differ"}

#: Seconds before progress is told.
_PATIENCE = 1.0
#: Frames that lines for people name.
_FRAMES = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("old", type=Path, metavar="OLD", help="URDF or xacro file, SRDF, XRDF")
    parser.add_argument("new", type=Path, metavar="NEW", help="a file of the same kind")
    parser.add_argument(
        "--format", choices=("text", "json", "html"), default="text", help="output format"
    )
    add_repeated(
        parser,
        "--names",
        "OLD=NEW",
        'a link or joint with another name in NEW; "arm_*=left_arm_*" for all names that begin '
        "so; repeatable",
    )
    parser.add_argument(
        "--tolerance",
        type=float,
        default=0.0,
        metavar="X",
        help=(
            "largest difference of numbers that count as equal, in the unit of the file (default: "
            "0)"
        ),
    )
    if (behaviour := hook("behaviour")) is not None:
        behaviour.add_arguments(parser)
    add_robot_arguments(parser)


def run(args: argparse.Namespace) -> int:
    reading: dict[str, Any] = {
        "packages": packages(args),
        "xacro_arguments": xacro_arguments(args),
        "allow_xacro": args.allow_xacro,
        "model": args.model,
    }
    if args.model is not None:
        robot_inputs.refuse_idle_model(args.model, (args.old, args.new))
    sides = [read_side(path, **reading) for path in (args.old, args.new)]
    compared, behaviour = None, hook("behaviour") if getattr(args, "behaviour", False) else None
    with progress_bar(_PATIENCE) as progress:
        share = 1.0 if behaviour is None else 0.3
        result = editor_app.diff(
            *sides, names=args.names, tolerance=args.tolerance, packages=reading["packages"],
            progress=scale_progress(progress, 0.0, share),
        )  # fmt: skip
        if behaviour is not None:
            compared = behaviour.compare_sides(args, sides, scale_progress(progress, share, 1.0))
    note(*result.notes, *(() if compared is None else compared.notes))
    if args.format == "text":
        print_lines(
            *_lines(result),
            *(() if behaviour is None else behaviour.report.behaviour_lines(compared)),
        )
    else:
        record = _record(args, result)
        pictures: Mapping[str, bytes] = {}
        if behaviour is not None:
            record["behaviour"] = behaviour.report.behaviour_record(compared)
            pictures = behaviour.behaviour_pictures(
                args, compared, sides, reading["packages"], note
            )
        give_report(
            record, args.format, {"html": lambda printable: _page(printable, behaviour, pictures)}
        )
    return 0 if result.is_same and (compared is None or compared.is_same) else 1


def _lines(result: editor_app.RobotDiff) -> Iterator[str]:
    several = len(result.differences) > 1
    for kind, differences in result.differences.items():
        for each in differences:
            yield (
                f"{kind.upper()} {each.path}: {each.sentence}"
                if several
                else f"{each.path}: {each.sentence}"
            )
    deviations = result.deviations
    if deviations is None:
        return
    worst, turned = deviations.farthest, deviations.most_turned
    if worst is None or turned is None:
        return
    where = f"in {deviations.configurations:,} configurations, seen from {deviations.base}"
    if result.is_same_mechanism:
        yield f"Frames: no deviation {where}"
        return
    yield f"Frames {where}:"
    yield f"  largest deviation {worst.told} of {worst.frame} at {_pose(worst.farthest, deviations)}"
    if turned.angle > turned.SEEN:
        yield (
            f"  largest turn {turned.told_turn} of {turned.frame} at "
            f"{_pose(turned.most_turned, deviations)}"
        )
    apart = [frame for frame in deviations.frames if frame.is_seen]
    for frame in apart[1:_FRAMES]:
        yield f"  {frame.frame}: {frame.told}, {frame.told_turn}"
    if len(apart) > _FRAMES:
        yield (
            f"  and {len(apart) - _FRAMES} more; {len(deviations.frames) - len(apart)} frames do "
            "not deviate"
        )


def _pose(pose: Mapping[str, float], deviations: Any) -> str:
    return (
        " ".join(f"{joint}={pose[joint]:.4g}" for joint in deviations.moved)
        or "the one configuration"
    )


def _record(args: argparse.Namespace, result: editor_app.RobotDiff) -> dict[str, Any]:
    """Metres and radians; what differs, by kind of document."""
    record: dict[str, Any] = {
        "old": str(args.old),
        "new": str(args.new),
        "same": result.is_same,
        "differences": {
            kind: [
                attribute_record(d, "path", "old", "new", "note", text="sentence")
                for d in differences
            ]
            for kind, differences in result.differences.items()
        },
        "notes": list(result.notes),
    }
    if result.deviations is not None:
        record["deviations"] = {
            "base": result.deviations.base,
            "configurations": result.deviations.configurations,
            "moved": list(result.deviations.moved),
            "still": list(result.deviations.still),
            "frames": [
                {
                    "frame": frame.frame,
                    "distance_m": frame.distance,
                    "at": dict(frame.farthest),
                    "angle_rad": frame.angle,
                    "turned_at": dict(frame.most_turned),
                }
                for frame in result.deviations.frames
            ],
        }
    return record


def _page(record: dict[str, Any], behaviour: Any, pictures: Mapping[str, bytes]) -> str:
    parts: list[object] = []
    if behaviour is not None:
        parts += behaviour.report.behaviour_parts(
            record["behaviour"], record["old"], record["new"], pictures
        )
    for kind, differences in record["differences"].items():
        table = build_table(
            kind.upper(), ("what", "difference"), ((d["path"], d["text"]) for d in differences)
        )
        parts += [table] if table else [mark_text(kind.upper(), tag="h2"), "No difference."]
    deviations = record.get("deviations")
    if deviations is not None:
        rows = []
        for frame in deviations["frames"]:
            at = " ".join(f"{joint}={frame['at'][joint]:.4g}" for joint in deviations["moved"])
            turn = math.degrees(frame["angle_rad"])
            rows.append((frame["frame"], f"{frame['distance_m'] * 1e3:.3f} mm", f"{turn:.3f}°", at))
        text = "The largest deviation of each, in {:,} configurations, seen from {}."
        parts += [
            mark_text("Frames", tag="h2"),
            text.format(deviations["configurations"], deviations["base"]),
        ]
        parts.append(build_table("", ("frame", "distance", "turn", "farthest at"), rows))
    return build_page(
        f"{record['old']} and {record['new']}",
        [*parts, *record["notes"]],
        robot_picture.FIGURE_STYLE,
    )
