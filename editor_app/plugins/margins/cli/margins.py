"""`xrdf-editor margins`: proves how much clearance is left when joints and frames deviate within
tolerances.

Per checked pair of links: the nominal clearance, the proven margin, and the least clearance that a
search reaches. With --poses FILE of a motion, the margins hold on the way between its points, too.
Tolerances are given, or estimated from a commanded and a measured motion. --buffers proposes
buffers that hold in every configuration; -o or --in-place writes them to the XRDF.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import editor_app
from editor_app.cli import _robot_arguments as shared
from editor_app.cli._options import add_options, option_values
from editor_app.cli._output import give_report, is_stdout, note, print_lines
from editor_app.cli._progress import progress_bar
from editor_app.cli._writing import check_targets, save_robot, written_lines
from editor_app.core.model.options import attribute_record
from editor_app.core.space.kinematics.tree import get_tree
from editor_app.core.verbs.page_texts import text_table
from editor_app.core.verbs.pose_texts import number_in, quantity
from editor_app.plugins.margins.tolerances import amount_text

#: What the exit codes mean, besides the common ones.
EXIT_CODES = {
    0: "every checked pair keeps a margin above 0",
    1: "deviations may make a checked pair touch",
}


@dataclass(frozen=True)
class JointTolerances:
    """Tolerances of all joints: radians, metres."""

    turning: float | None = quantity(None, "± of every turning joint, such as 0.1deg", "ANGLE")
    sliding: float | None = quantity(None, "± of every sliding joint, such as 0.2mm")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    shared.add_files_argument(
        parser,
        "the URDF or xacro file; name the XRDF (spheres, mask) if it is not next to it under the "
        "same name",
    )
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--at",
        metavar="JOINTS",
        help='a configuration, such as "j1=0.3 j2=45deg" (default: the default configuration)',
    )
    where.add_argument("--state", metavar="NAME", help='a state of the SRDF, or "default"')
    where.add_argument(
        "--poses", type=Path, metavar="FILE", help="configurations or a motion, as in collide"
    )
    deviations = parser.add_argument_group("tolerances")
    add_options(deviations, JointTolerances)
    shared.add_repeated(
        deviations, "--joint", "NAME=VALUE", "± of one joint; replaces --turning and --sliding"
    )
    shared.add_repeated(
        deviations,
        "--frame",
        "NAME=LENGTH[,ANGLE]",
        "± of the origin of a frame, along and about each axis: 1mm,0.1deg",
    )
    deviations.add_argument(
        "--commanded", type=Path, metavar="FILE", help="motion as commanded: CSV, JSON, YAML, bag"
    )
    deviations.add_argument(
        "--measured", type=Path, metavar="FILE", help="the same motion as measured"
    )
    deviations.add_argument(
        "--tracking",
        type=Path,
        metavar="BAG",
        help="a bag with the states of a trajectory controller, which have both",
    )
    deviations.add_argument(
        "--align",
        action="store_true",
        help="move the measured motion in time to where it fits the commanded one best",
    )
    parser.add_argument(
        "--samples",
        type=int,
        metavar="N",
        help="compare each margin with N random deviations (default: none)",
    )
    parser.add_argument(
        "--seed", type=int, default=0, metavar="S", help="the same seed gives the same deviations"
    )
    parser.add_argument(
        "--buffers", action="store_true", help="propose buffers that make up for the tolerances"
    )
    shared.add_target_arguments(
        parser,
        "OUT.xrdf",
        "with --buffers: the XRDF with them",
        "with --buffers: write them to the XRDF",
    )
    shared.add_format_argument(parser)
    shared.add_robot_arguments(parser)


def run(args: argparse.Namespace) -> int:
    if (args.output is not None or args.in_place) and not args.buffers:
        raise editor_app.Refused("-o and --in-place write buffers: add --buffers")
    if is_stdout(args.output):
        raise editor_app.Refused("the report goes to standard output: name a file with -o")
    document = shared.opened(args, args.files)
    check_targets(args, args.output, in_place=[document.xrdf_path] if args.in_place else [])
    estimate = _estimate(args, document)
    tolerances = _tolerances(args, document, estimate)
    poses = _poses(args, document)
    with progress_bar() as progress:
        result = editor_app.margins(
            document,
            poses,
            tolerances,
            mask=shared.mask_file(args),
            samples=args.samples or None,
            seed=args.seed,
            progress=progress,
        )
    note(*result.notes)
    buffers = (
        editor_app.margin_buffers(document, tolerances, mask=shared.mask_file(args))
        if args.buffers
        else None
    )
    written: tuple[Path, ...] = ()
    if buffers is not None and buffers.changes and (args.output is not None or args.in_place):
        document.execute(buffers.change)
        written = save_robot(args, document)
    record = _record(document, result, estimate, buffers, written)
    if args.format == "json":
        give_report(record, args.format, {})
    else:
        _tell(document, result, record)
        if args.buffers:
            print_lines(*written_lines(args, written, "-o OUT.xrdf or --in-place"))
    return 0 if result.is_safe else 1


def _estimate(
    args: argparse.Namespace, document: editor_app.Document
) -> editor_app.Estimate | None:
    """Raises Refused for one motion alone."""
    if (args.commanded is None) != (args.measured is None):
        raise editor_app.Refused("--commanded and --measured belong together: name both motions")
    if args.tracking is not None:
        if args.commanded is not None:
            raise editor_app.Refused(
                "--tracking excludes --commanded and --measured: give either a bag or two motions"
            )
        return editor_app.estimate_tolerances(
            document, *editor_app.read_tracking(args.tracking), align=args.align
        )
    if args.commanded is None:
        return None
    motions = (editor_app.read_trajectory(path) for path in (args.commanded, args.measured))
    return editor_app.estimate_tolerances(document, *motions, align=args.align)


def _tolerances(
    args: argparse.Namespace, document: editor_app.Document, estimate: editor_app.Estimate | None
) -> editor_app.Tolerances:
    """Raises Refused for values that are no number, and where no tolerance is given."""
    same = editor_app.Tolerances.same(
        get_tree(document.robot), **option_values(args, JointTolerances)
    )
    joints = dict(same.joints)
    if estimate is not None:
        joints |= estimate.tolerances.joints
    for text in args.joint:
        name, value = _split(text, "--joint")
        joints[name] = number_in(value, f"--joint {name}")
    frames = {}
    for text in args.frame:
        name, value = _split(text, "--frame")
        length, _, angle = value.partition(",")
        frames[name] = editor_app.FrameTolerance(
            number_in(length, f"--frame {name}"),
            number_in(angle, f"--frame {name}") if angle else 0.0,
        )
    if not joints and not frames:
        raise editor_app.Refused(
            "no tolerance is given: add --turning 0.1deg, --joint NAME=VALUE or --frame "
            "NAME=1mm,0.1deg, or name "
            "--commanded and --measured motions"
        )
    return editor_app.Tolerances.of(joints, frames)


def _split(text: str, option: str) -> tuple[str, str]:
    name, mark, value = text.rpartition("=")
    if not mark or not name or not value:
        raise editor_app.Refused(f"{option} needs NAME=VALUE, not {text!r}")
    return name, value


def _poses(args: argparse.Namespace, document: editor_app.Document) -> editor_app.Trajectory:
    if args.poses is not None:
        return editor_app.read_trajectory(args.poses)
    return shared.parse_pose_argument(args.at or args.state or "default", document.robot)


def _record(
    document: editor_app.Document,
    result: editor_app.Margins,
    estimate: editor_app.Estimate | None,
    buffers: editor_app.MarginBuffers | None,
    written: tuple[Path, ...],
) -> dict[str, Any]:
    record: dict[str, Any] = {
        "robot": document.robot.urdf.name,
        "path": result.is_path,
        "safe": result.is_safe,
        "tolerances": {
            "joints": dict(result.tolerances.joints),
            "frames": {
                f: {"position": t.position, "angle": t.angle}
                for f, t in result.tolerances.frames.items()
            },
        },
        "pairs": [
            {
                **attribute_record(
                    pair, "first", "second", "clearance", "margin", "reached", "sampled"
                ),
                "point": pair.index + 1,
                "share": pair.share,
                "configuration": dict(pair.pose),
                "deviations": dict(pair.deviations),
            }
            for pair in result.pairs
        ],
    }
    if estimate is not None:
        errors = {
            e.joint: attribute_record(e, "mean", "deviation", "largest") for e in estimate.errors
        }
        record["measured"] = {"moments": estimate.count, "shift": estimate.shift, "errors": errors}
    if buffers is not None:
        record["buffers"] = {
            "self_collision": dict(buffers.itself),
            "world_collision": dict(buffers.world),
            "reason": buffers.note,
            "written": [str(path) for path in written],
        }
    return record


def _tell(
    document: editor_app.Document, result: editor_app.Margins, record: dict[str, Any]
) -> None:
    places = ["point", "share"] if result.is_path else []
    rows = [
        [
            "pair",
            "clearance",
            "margin",
            "reached",
            *(["sampled"] if result.least.sampled is not None else []),
            *places,
        ]
    ]
    for pair in result.pairs:
        sampled = [] if pair.sampled is None else [_millimetres(pair.sampled)]
        at = [str(pair.index + 1), f"{pair.share:.2f}"] if result.is_path else []
        lengths = [_millimetres(length) for length in (pair.clearance, pair.margin, pair.reached)]
        rows.append([f"{pair.first} and {pair.second}", *lengths, *sampled, *at])
    print_lines(*text_table(rows))
    where = "on the whole path" if result.is_path else "here"
    least = result.least
    print_lines(
        f"No deviation within the tolerances leaves less than {_millimetres(least.margin)} {where} "
        "(between "
        f"{least.first} and {least.second})."
    )
    for joint, error in record.get("measured", {}).get("errors", {}).items():
        largest, mean = (
            amount_text(get_tree(document.robot), joint, error[key]) for key in ("largest", "mean")
        )
        print_lines(f"{joint}: largest error {largest}, mean {mean}")
    buffers = record.get("buffers")
    if buffers is not None:
        for section in ("self_collision", "world_collision"):
            for frame, distance in buffers[section].items():
                print_lines(f"{section} buffer of {frame}: {_millimetres(distance)}")


def _millimetres(length: float) -> str:
    return f"{length * 1e3:.3f} mm"
