"""`xrdf-editor plan`: tests whether motions can be planned: one path, or a smoke test with random
queries.

A path is only returned if every straight line between its points is proven free for all pairs that
the mask checks. Along the path, unchecked pairs are compared by their meshes. If these touch, the
motion is not free, and the report names the pairs. -o writes the path with the fastest times within
the joint limits, from rest to rest, one point every 10 ms. The same seed gives the same result. If
no path can exist because spheres divide the range of a joint into pieces, the report names joint,
interval and pair, and says whether the meshes leave the passage open. The report goes to standard
output, progress to standard error.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

import editor_app
from editor_app.cli import _robot_arguments as shared
from editor_app.cli._options import add_options, option_values
from editor_app.cli._output import give_report, give_text, is_stdout, note
from editor_app.cli._progress import progress_bar
from editor_app.cli._writing import add_force_argument, check_targets, write_result
from editor_app.core.model.options import attribute_record
from editor_app.core.verbs import reading_notes
from editor_app.plugins.motion.cli import _plan_report
from editor_app.plugins.motion.cli._barriers import barrier_record
from editor_app.plugins.motion.engine.results import PlannerSettings
from editor_app.plugins.motion.verbs import collide as collisions
from editor_app.plugins.motion.verbs import motion_jobs

#: What the exit codes mean, besides the common ones.
EXIT_CODES = {
    0: "every query was solved",
    1: "at least one query was not solved, or meshes of ignored links touch on the way",
}

if TYPE_CHECKING:
    from editor_app.plugins.motion.engine.model import MotionModel


def add_arguments(parser: argparse.ArgumentParser) -> None:
    shared.add_files(parser)
    parser.add_argument(
        "--queries",
        type=int,
        metavar="N",
        help="smoke test: N random pairs of free poses (default: 100)",
    )
    parser.add_argument(
        "--pairs",
        type=Path,
        metavar="FILE",
        help="these queries instead of random ones: JSON or YAML with joint_names and pairs (start, goal, id), or "
        "poses, taken in pairs as start and goal",
    )
    parser.add_argument(
        "--from",
        dest="start",
        metavar="POSE",
        help='joint values, a state of the SRDF, or "default"',
    )
    parser.add_argument(
        "--to",
        dest="goal",
        metavar="POSE",
        help='the same, or "random"; with --tool a target, as for `pose`',
    )
    shared.add_tool_arguments(parser)
    parser.add_argument(
        "--straight",
        action="store_true",
        help="move the tool in a straight line with uniform rotation",
    )
    add_options(parser, PlannerSettings, "seed", "seconds")
    parser.add_argument(
        "--keep-away",
        type=_keep_away,
        default="0",
        metavar="MM[,MM]",
        help=(
            "minimum distance of paths to obstacles and to the robot itself, in millimetres "
            "(default: 0,0)"
        ),
    )
    shared.add_motion_report_arguments(parser, "html")
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        help="output file of the motion with its times: .csv, .yaml (ROS), .moveit.yaml, .curobo.yml (-: CSV on "
        "stdout)",
    )
    parser.add_argument(
        "--speed",
        type=float,
        default=1.0,
        metavar="SHARE",
        help="share of the joints' velocity limits, up to 1 (default: 1)",
    )
    add_force_argument(parser)
    parser.add_argument(
        "--stops", action="store_true", help="stop at corners of the path instead of rounding them"
    )
    shared.add_robot_arguments(parser)


def _keep_away(text: str) -> editor_app.KeepAway:
    """ "20" or "20,5"."""

    try:
        return editor_app.KeepAway(*(float(part) / 1e3 for part in text.split(",")))
    except (TypeError, ValueError):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not one or two lengths in millimetres, 0 or more"
        ) from None


def run(args: argparse.Namespace) -> int:
    _check(args)
    document = shared.opened(args, args.files)
    check_targets(args, args.output, args.report)
    scene = shared.read_scene_arguments(args, document.robot)
    robot = document.robot
    motion_jobs.prepare_motion(note)
    model = collisions.motion_model_of(robot, scene, shared.mask_file(args))
    notes = reading_notes.list_reading_notes(document)
    note(*notes)
    head = {
        "robot": robot.urdf.name,
        "files": [str(path) for path in args.files],
        "scene": str(args.scene) if args.scene else None,
        "notes": list(notes),
        "keep_away": {"obstacles_m": args.keep_away.obstacles, "itself_m": args.keep_away.itself},
    }
    if args.start is None:
        outcome = _smoke(args, document, model)
    else:
        outcome = (
            _straight(args, document, model) if args.straight else _path(args, document, model)
        )
    record = {**head, "seed": args.seed, **outcome}
    give_report(record, args.format, _plan_report.PAGES, to_errors=is_stdout(args.output))
    return 0 if outcome["solved"] == outcome["queries"] and not outcome["missed"] else 1


def _check(args: argparse.Namespace) -> None:
    """Raises Refused for arguments that do not go together."""

    is_tool = _is_tool(args)
    if (args.start is None) != (args.goal is None and args.by is None):
        raise editor_app.Refused("--from and --to go together, or --from and --by")
    if args.start is None and (is_tool or args.reference):
        raise editor_app.Refused("a tool motion starts at a pose: name it with --from")
    if args.reference and not is_tool:
        raise editor_app.Refused("--in applies to a target: use it with --tool, --by or --straight")
    given = [
        f"--{name}" for name in ("queries", "pairs", "start") if getattr(args, name) is not None
    ]
    if len(given) > 1:
        raise editor_app.Refused(
            f"{given[0]} already names queries: remove {given[1].replace('start', 'from')}"
        )
    if args.output is not None and args.start is None:
        raise editor_app.Refused("-o writes one path: name its ends with --from and --to")
    if args.report is not None and args.start is None:
        raise editor_app.Refused("a report covers one motion: name its ends with --from and --to")
    if args.seed < 0 or args.seconds <= 0.0:
        raise editor_app.Refused("--seed must not be negative, and --seconds must be above 0")


def _is_tool(args: argparse.Namespace) -> bool:
    """Whether a tool is brought to a place, and not the joints to a pose."""
    return args.straight or args.tool is not None or args.by is not None


def _smoke(
    args: argparse.Namespace, robot: editor_app.Document, model: MotionModel
) -> dict[str, Any]:
    queries = 100 if args.queries is None else args.queries
    ends = editor_app.read_trajectory(args.pairs) if args.pairs is not None else None
    with progress_bar() as progress:
        test = editor_app.smoke_test(
            robot,
            queries,
            seed=args.seed,
            seconds=args.seconds,
            keep_away=args.keep_away,
            ends=ends,
            model=model,
            progress=progress,
        )
    return {
        **attribute_record(
            test, "queries", "solved", "free_share", "samples", median_cpu_ms="median_ms"
        ),
        "told": test.told,
        "missed": [{"first": a, "second": b, "share": share} for (a, b), share in test.missed],
        "not_free": test.not_free,
        "notes": list(test.notes),
        "reasons": [{"told": reason, "queries": count} for reason, count in test.reasons],
        "blocking": [{"first": a, "second": b, "share": share} for (a, b), share in test.blocking],
        "outcomes": [outcome.value for outcome in test.outcomes],
        "cpu_ms": list(test.milliseconds),
        "barriers": [
            {**barrier_record(barrier), "queries": count} for barrier, count in test.barriers
        ],
    }


def _path(
    args: argparse.Namespace, robot: editor_app.Document, model: MotionModel
) -> dict[str, Any]:
    settings = PlannerSettings(**option_values(args, PlannerSettings), keep_away=args.keep_away)
    start = shared.parse_pose_argument(args.start, robot.robot)
    if _is_tool(args):
        target = shared.target_of(args, robot, args.goal, start.pose(0))
        planned = editor_app.plan_to_tool(robot, start, target, settings=settings, model=model)
    elif args.goal.strip() == "random":
        planned = editor_app.plan_to_random(robot, start, settings=settings, model=model)
    else:
        planned = editor_app.plan_between(
            robot,
            start,
            shared.parse_pose_argument(args.goal, robot.robot),
            settings=settings,
            model=model,
        )
    timed = _timed(args, robot, planned.path, model)
    return {
        "queries": 1,
        "solved": int(planned.path is not None),
        "outcome": planned.outcome.value,
        "why": planned.why or None,
        "told": planned.told,
        "barrier": None if planned.barrier is None else barrier_record(planned.barrier),
        "proven_free": planned.is_free,
        "missed": _missed(planned.missed),
        "notes": list(planned.notes),
        "nearer": [
            {
                "first": each.names[0],
                "second": each.names[1],
                "clearance_m": each.clearance,
                "where": each.stretch.value,
            }
            for each in planned.nearer
        ],
        "cpu_ms": planned.cpu_seconds * 1e3,
        "length_rad": planned.length,
        "joints": list(planned.path.joints) if planned.path is not None else None,
        "path": [list(point) for point in planned.path.points]
        if planned.path is not None
        else None,
        "times": None if timed is None else _times(timed),
        "blocking": [
            {"first": a, "second": b, "branches": count} for (a, b), count in planned.blocking
        ],
    }


def _straight(
    args: argparse.Namespace, robot: editor_app.Document, model: MotionModel
) -> dict[str, Any]:
    start = shared.parse_pose_argument(args.start, robot.robot)
    target = shared.target_of(args, robot, args.goal, start.pose(0))
    line = editor_app.plan_straight(robot, start, target, keep_away=args.keep_away, model=model)
    timed = _timed(args, robot, line.path, model, target.frame)
    return {
        "queries": 1,
        "solved": int(line.path is not None),
        "outcome": line.end.value,
        "why": line.why or None,
        "proven_free": line.is_free,
        "told": line.told,
        "missed": _missed(line.missed),
        "notes": list(line.notes),
        **attribute_record(
            line,
            "share",
            length_m="length",
            turn_rad="turn",
            deviation_m="deviation",
            deviation_rad="turn_deviation",
        ),
        "cpu_ms": line.cpu_seconds * 1e3,
        "limits": [{"joint": joint, "upper": is_upper} for joint, is_upper in line.limits],
        "singular": list(line.singular),
        "pair": list(line.pair) if line.pair is not None else None,
        "keep_away": line.kept.told or None,
        "joints": list(line.begun.joints),
        "path": [list(point) for point in line.path.points] if line.path is not None else None,
        "times": None if timed is None else _times(timed),
    }


def _missed(pairs: tuple[tuple[str, str], ...]) -> list[dict[str, str]]:
    return [{"first": a, "second": b} for a, b in pairs]


def _timed(
    args: argparse.Namespace,
    robot: editor_app.Document,
    path: editor_app.Trajectory | None,
    model: MotionModel,
    straight: str | None = None,
) -> editor_app.Timed | None:
    """The path with its times, if there is one; written where -o says."""

    if path is None:
        return None
    timed = editor_app.time_motion(
        robot,
        path,
        speed=args.speed,
        exact=args.stops,
        straight=straight,
        keep_away=args.keep_away,
        model=model,
    )
    note(*timed.notes)
    shared.write_motion_report(args, robot, timed.motion, model.scene, model)
    if is_stdout(args.output):
        give_text(editor_app.trajectory_csv(timed.motion))
    elif args.output is not None:
        text = editor_app.trajectory_text(timed.motion, editor_app.TrajectoryFormat.of(args.output))
        write_result(args, args.output, text.encode())
        note(f"{args.output} written")
    return timed


def _times(timed: editor_app.Timed) -> dict[str, Any]:
    return {
        "duration_s": timed.duration,
        "with_stops_s": timed.stopping,
        "corners": timed.corners,
        "rounded": timed.rounded,
        "deviation": dict(timed.deviation),
        "use": {
            joint: dict(zip(("velocity", "acceleration", "jerk"), shares, strict=True))
            for joint, shares in timed.use.items()
        },
        "notes": list(timed.notes),
    }
