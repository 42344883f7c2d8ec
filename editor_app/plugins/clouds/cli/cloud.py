"""`xrdf-editor cloud`: lists measured points of a robot that no sphere covers: cables, covers, tools.

The cloud is a PLY or PCD file, or a PointCloud2 of a ROS bag or MCAP file, whose joint states pose the robot. Lengths
are in metres unless they have a unit. --fit LINK adds spheres that cover the points; -o or --in-place writes them.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import editor_app
from editor_app.cli import _robot_arguments as shared
from editor_app.cli._output import give_report, is_stdout, note, print_lines
from editor_app.cli._progress import progress_bar
from editor_app.cli._writing import add_force_argument, check_targets, write_result, written_lines
from editor_app.core.verbs.page_texts import text_table
from editor_app.core.verbs.pose_texts import number_in

#: What the exit codes mean, besides the common ones.
EXIT_CODES = {0: "spheres cover every point near the robot", 1: "points near the robot are uncovered"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    shared.add_files_argument(
        parser, "the URDF or xacro file; name the XRDF if it is not next to it under the same name"
    )
    parser.add_argument("--cloud", type=Path, required=True, metavar="FILE", help="PLY, PCD, ROS bag or MCAP file")
    parser.add_argument("--topic", metavar="NAME", help="topic of a bag (default: the first one with clouds)")
    parser.add_argument("--number", type=int, metavar="N", help="which cloud of the topic, from 1 (default: the last)")
    parser.add_argument("--at", metavar="JOINTS", help='the configuration, such as "j1=0.3" (default: the bag\'s)')
    parser.add_argument(
        "--frame",
        metavar="FRAME",
        help="frame that the points are in (default: the one that a bag names, else the base)",
    )
    parser.add_argument("--group", metavar="NAME", help="geometry group (default: that against obstacles)")
    parser.add_argument("--noise", default="5mm", metavar="LENGTH", help="such points count as covered (default: 5mm)")
    parser.add_argument(
        "--reach",
        default="150mm",
        metavar="LENGTH",
        help="points farther away are no part of the robot (default: 150mm)",
    )
    parser.add_argument("--above", metavar="HEIGHT", help="ignore points below this height in the base frame")
    parser.add_argument(
        "--colours", dest="report", type=Path, metavar="OUT.ply", help="write the points with colours by distance"
    )
    fit = parser.add_argument_group("spheres for the points")
    shared.add_repeated(fit, "--fit", "LINK", "add spheres to this link that cover the uncovered points at it")
    fit.add_argument("--radius", default="40mm", metavar="LENGTH", help="no sphere is larger (default: 40mm)")
    fit.add_argument("--padding", default="5mm", metavar="LENGTH", help="added around each point (default: 5mm)")
    fit.add_argument("--spheres", type=int, metavar="N", help="spheres per link at most")
    target = fit.add_mutually_exclusive_group()
    target.add_argument("-o", "--output", type=Path, metavar="OUT.xrdf", help="with --fit: the XRDF with the spheres")
    target.add_argument("--in-place", action="store_true", help="with --fit: write them to the XRDF")
    add_force_argument(parser)
    shared.add_format_argument(parser)
    shared.add_robot_arguments(parser)


def run(args: argparse.Namespace) -> int:
    if (args.output is not None or args.in_place) and not args.fit:
        raise editor_app.Refused("-o and --in-place write spheres: add --fit LINK")
    if is_stdout(args.output) or is_stdout(args.report):
        raise editor_app.Refused("the report goes to standard output: name a file")
    document = shared.opened(args, args.files)
    check_targets(args, args.output, args.report, in_place=[document.xrdf_path] if args.in_place else [])
    cloud = editor_app.read_cloud(args.cloud, topic=args.topic, number=args.number)
    pose = shared.parse_pose_argument(args.at, document.robot) if args.at else None
    with progress_bar() as progress:
        comparison = editor_app.compare_cloud(
            document,
            cloud,
            pose=pose,
            frame=args.frame,
            group=args.group,
            noise=number_in(args.noise, "--noise"),
            reach=number_in(args.reach, "--reach"),
            above=number_in(args.above, "--above") if args.above else None,
            progress=progress,
        )
    note(*comparison.notes)
    radius, padding = number_in(args.radius, "--radius"), number_in(args.padding, "--padding")
    fits = [
        editor_app.fit_cloud(comparison, link, radius=radius, padding=padding, number=args.spheres) for link in args.fit
    ]
    written: tuple[Path, ...] = ()
    if args.report is not None:
        write_result(args, args.report, comparison.ply())
    if fits and (args.output is not None or args.in_place):
        for fit in fits:
            document.execute(fit.change)
        written = tuple(editor_app.save(document, args.output, overwrite=args.force, inputs=args.read))
    record = _record(document, comparison, fits, written)
    if args.format == "json":
        give_report(record, args.format, {})
    else:
        _tell(comparison, fits)
        if fits:
            print_lines(*written_lines(args, written, "-o OUT.xrdf or --in-place"))
        if args.report is not None:
            print_lines(f"wrote {args.report}")
    return 1 if comparison.gaps else 0


def _record(
    document: editor_app.Document,
    comparison: editor_app.CloudComparison,
    fits: list[editor_app.CloudFit],
    written: tuple[Path, ...],
) -> dict[str, Any]:
    return {
        "robot": document.robot.urdf.name,
        "group": comparison.group,
        "configuration": dict(comparison.pose),
        "points": len(comparison.points),
        "covered": comparison.covered,
        "beyond_reach": comparison.beyond,
        "strays": comparison.strays,
        "gaps": [
            {
                "link": gap.link,
                "points": len(gap.rows),
                "farthest": gap.farthest,
                "lower": gap.lower.tolist(),
                "upper": gap.upper.tolist(),
            }
            for gap in comparison.gaps
        ],
        "spheres": {
            fit.link: [{"center": list(sphere.center), "radius": sphere.radius} for sphere in fit.spheres]
            for fit in fits
        },
        "written": [str(path) for path in written],
    }


def _tell(comparison: editor_app.CloudComparison, fits: list[editor_app.CloudFit]) -> None:
    rows = [["link", "points", "farthest", "size"]]
    for gap in comparison.gaps:
        size = " x ".join(f"{length * 1e3:.0f}" for length in gap.upper - gap.lower)
        rows.append([gap.link, f"{len(gap.rows):,}", f"{gap.farthest * 1e3:.1f} mm", f"{size} mm"])
    if comparison.gaps:
        print_lines(*text_table(rows))
    uncovered = sum(len(gap.rows) for gap in comparison.gaps)
    print_lines(
        f"{len(comparison.points):,} points: {comparison.covered:,} covered, {uncovered:,} uncovered, "
        f"{comparison.strays:,} single ones, {comparison.beyond:,} beyond the reach."
    )
    for fit in fits:
        print_lines(f"{len(fit.spheres)} spheres for {fit.link}")
