"""`xrdf-editor cloud`: lists measured points of a robot that no sphere covers: cables, covers,
tools.

The cloud is a PLY or PCD file, or a PointCloud2 of a ROS bag or MCAP file, whose joint states pose
the robot. Lengths are in metres unless they have a unit. --fit LINK adds spheres that cover the
points; -o or --in-place writes them.
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
from editor_app.cli._writing import (
    add_force_argument,
    check_targets,
    save_robot,
    write_result,
    written_lines,
)
from editor_app.core.model.options import option
from editor_app.core.verbs.page_texts import text_table
from editor_app.core.verbs.pose_texts import quantity

#: What the exit codes mean, besides the common ones.
EXIT_CODES = {
    0: "spheres cover every point near the robot",
    1: "points near the robot are uncovered",
}


@dataclass(frozen=True)
class CloudSource:
    """Arguments of the verb read_cloud."""

    topic: str | None = option(None, "topic of a bag (default: the first one with clouds)", "NAME")
    number: int | None = option(None, "which cloud of the topic, from 1 (default: the last)", "N")


@dataclass(frozen=True)
class CloudChoices:
    """Arguments of the verb compare_cloud; lengths in metres."""

    frame: str | None = option(
        None,
        "frame that the points are in (default: the one that a bag names, else the base)",
        "FRAME",
    )
    group: str | None = option(None, "geometry group (default: that against obstacles)", "NAME")
    noise: float = quantity("5mm", "such points count as covered (default: 5mm)")
    reach: float = quantity(
        "150mm", "points farther away are no part of the robot (default: 150mm)"
    )
    above: float | None = quantity(
        None, "ignore points below this height in the base frame", "HEIGHT"
    )


@dataclass(frozen=True)
class CloudSpheres:
    """Arguments of the verb fit_cloud; lengths in metres."""

    radius: float = quantity("40mm", "no sphere is larger (default: 40mm)")
    padding: float = quantity("5mm", "added around each point (default: 5mm)")
    number: int | None = option(None, "spheres per link at most", "N", flag="spheres")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    shared.add_files_argument(
        parser, "the URDF or xacro file; name the XRDF if it is not next to it under the same name"
    )
    parser.add_argument(
        "--cloud", type=Path, required=True, metavar="FILE", help="PLY, PCD, ROS bag or MCAP file"
    )
    add_options(parser, CloudSource)
    parser.add_argument(
        "--at", metavar="JOINTS", help='the configuration, such as "j1=0.3" (default: the bag\'s)'
    )
    add_options(parser, CloudChoices)
    parser.add_argument(
        "--colours",
        dest="report",
        type=Path,
        metavar="OUT.ply",
        help="write the points with colours by distance",
    )
    fit = parser.add_argument_group("spheres for the points")
    shared.add_repeated(
        fit, "--fit", "LINK", "add spheres to this link that cover the uncovered points at it"
    )
    add_options(fit, CloudSpheres)
    target = fit.add_mutually_exclusive_group()
    target.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="OUT.xrdf",
        help="with --fit: the XRDF with the spheres",
    )
    target.add_argument(
        "--in-place", action="store_true", help="with --fit: write them to the XRDF"
    )
    add_force_argument(parser)
    shared.add_format_argument(parser)
    shared.add_robot_arguments(parser)


def run(args: argparse.Namespace) -> int:
    if (args.output is not None or args.in_place) and not args.fit:
        raise editor_app.Refused("-o and --in-place write spheres: add --fit LINK")
    if is_stdout(args.output) or is_stdout(args.report):
        raise editor_app.Refused("the report goes to standard output: name a file")
    document = shared.opened(args, args.files)
    check_targets(
        args, args.output, args.report, in_place=[document.xrdf_path] if args.in_place else []
    )
    cloud = editor_app.read_cloud(args.cloud, **option_values(args, CloudSource))
    pose = shared.parse_pose_argument(args.at, document.robot) if args.at else None
    with progress_bar() as progress:
        comparison = editor_app.compare_cloud(
            document,
            cloud,
            pose=pose,
            **option_values(args, CloudChoices),
            progress=progress,
        )
    note(*comparison.notes)
    spheres = option_values(args, CloudSpheres)
    fits = [editor_app.fit_cloud(comparison, link, **spheres) for link in args.fit]
    written: tuple[Path, ...] = ()
    if args.report is not None:
        write_result(args, args.report, comparison.ply())
    if fits and (args.output is not None or args.in_place):
        for fit in fits:
            document.execute(fit.change)
        written = save_robot(args, document)
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
            fit.link: [
                {"center": list(sphere.center), "radius": sphere.radius} for sphere in fit.spheres
            ]
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
        f"{len(comparison.points):,} points: {comparison.covered:,} covered, {uncovered:,} "
        "uncovered, "
        f"{comparison.strays:,} single ones, {comparison.beyond:,} beyond the reach."
    )
    for fit in fits:
        print_lines(f"{len(fit.spheres)} spheres for {fit.link}")
