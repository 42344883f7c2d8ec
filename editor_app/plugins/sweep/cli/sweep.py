"""`xrdf-editor sweep`: computes the volume that a robot sweeps along a motion, as a closed mesh and
as spheres.

Both contain the spheres of the robot at the points of the motion and on the straight lines in joint
space between them: proven. The report states by how much they are larger. Files are in metres, in
the base frame.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import editor_app
from editor_app.cli import _robot_arguments as shared
from editor_app.cli._options import add_options, option_values
from editor_app.cli._output import give_report, is_stdout, print_lines
from editor_app.cli._progress import progress_bar
from editor_app.cli._writing import add_force_argument, check_targets, write_result
from editor_app.core.model.options import option
from editor_app.core.verbs.pose_texts import quantity

#: What the exit codes mean, besides the common ones.
EXIT_CODES = {0: "done"}


@dataclass(frozen=True)
class SweepChoices:
    """Arguments of the verb sweep; lengths in metres."""

    group: str | None = option(None, "geometry group (default: that against obstacles)", "NAME")
    cell: float = quantity("10mm", "width of the cells of the mesh (default: 10mm)")
    excess: float = quantity("2mm", "spheres may be larger by this (default: 2mm)")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    shared.add_files_argument(
        parser, "the URDF or xacro file; name the XRDF if it is not next to it under the same name"
    )
    parser.add_argument(
        "--poses",
        type=Path,
        required=True,
        metavar="FILE",
        help="the motion: CSV, JSON, ROS messages as YAML, ROS bag",
    )
    add_options(parser, SweepChoices)
    parser.add_argument("-o", "--output", type=Path, metavar="OUT.stl", help="the closed mesh")
    parser.add_argument(
        "--spheres", dest="report", type=Path, metavar="OUT.csv", help="the spheres: x,y,z,radius"
    )
    add_force_argument(parser)
    shared.add_format_argument(parser)
    shared.add_robot_arguments(parser)


def run(args: argparse.Namespace) -> int:
    if is_stdout(args.output) or is_stdout(args.report):
        raise editor_app.Refused("the report goes to standard output: name a file")
    document = shared.opened(args, args.files)
    check_targets(args, args.output, args.report)
    with progress_bar() as progress:
        volume = editor_app.sweep(
            document,
            editor_app.read_trajectory(args.poses),
            **option_values(args, SweepChoices),
            progress=progress,
        )
    for path, data in (
        (args.output, volume.stl),
        (args.report, lambda: volume.csv().encode("ascii")),
    ):
        if path is not None:
            write_result(args, path, data())
    written = [str(path) for path in (args.output, args.report) if path is not None]
    if args.format == "json":
        record = {
            "robot": document.robot.urdf.name,
            "volume": volume.volume,
            "triangles": len(volume.faces),
            "mesh_excess": volume.mesh_excess,
            "spheres": len(volume.spheres),
            "sphere_excess": volume.sphere_excess,
            "written": written,
        }
        give_report(record, args.format, {})
        return 0
    print_lines(
        f"The mesh has {len(volume.faces):,} triangles and {volume.volume * 1e3:.1f} litres. It "
        "contains the robot on "
        f"the whole way, and is at most {volume.mesh_excess * 1e3:.1f} mm larger.",
        f"{len(volume.spheres):,} spheres contain it, too; each is at most "
        f"{volume.sphere_excess * 1e3:.2f} mm larger.",
        *(f"wrote {path}" for path in written),
    )
    return 0
