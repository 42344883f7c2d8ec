"""`xrdf-editor batch`: runs other commands on many robots, resumable, with a summary page.

A manifest lists robots by the paths of their URDFs, relative to its folder, with settings for all
and for each:

    steps: [new, fit, mask, check, plan, convert]
    settings: {effort: fast, samples: 20000}
    packages: {ur_description: ../ur_description}
    robots:
      - arms/ur10e.urdf
      - {name: panda, urdf: panda/panda.urdf, srdf: panda/hand.srdf, budget: 80}
      - {urdf: worlds/lab.world, model: arm}

A robot of another program (USD, SDF, MJCF, COLLADA) takes the place of a URDF; model names the
robot of a file with several. A robot has the keys name, urdf, model, xrdf, srdf and packages, and
any setting: steps, effort, mode, geometry, budget, padding, seed, samples, certify, cost_samples,
queries, profile and formats. Options on the command line override the manifest. A robot with a file
ROBOT.tests.yaml next to it is tested, too; failed tests are problems.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import editor_app
from editor_app.cli._options import add_options, option_values
from editor_app.cli._output import give_lines, note, print_refusal
from editor_app.cli._progress import interrupts, progress_bar
from editor_app.cli._robot_arguments import add_format_argument, add_repeated, packages
from editor_app.cli._writing import add_force_argument
from editor_app.core.model.counting import format_list
from editor_app.plugins.fleets.settings import BatchSettings

#: What the exit codes mean, besides the common ones.
EXIT_CODES = {
    0: "every step of every robot is done without errors",
    1: "a robot has a problem",
    4: "only mesh files are missing (MESH001): the figures of these robots come from other shapes",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "source",
        type=Path,
        metavar="FOLDER|MANIFEST",
        help=(
            "every URDF, USD, SDF and MJCF below a folder, or the robots that a manifest (.yaml, "
            ".json) lists"
        ),
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        required=True,
        metavar="OUT",
        help="folder of the results; existing results from the same inputs are kept",
    )
    add_options(
        parser, BatchSettings, "steps", "effort", "samples", "queries", "formats", "profile", "seed"
    )
    add_repeated(
        parser,
        "--package",
        "NAME=FOLDER",
        "folder of a package (package://NAME/...), or of files whose names begin with NAME",
    )
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--jobs", type=int, metavar="N", help="number of processes (default: one per processor)"
    )
    where.add_argument(
        "--dask", metavar="ADDRESS", help="Dask scheduler to use, such as tcp://HOST:8786"
    )
    parser.add_argument(
        "--limit",
        type=float,
        default=3600.0,
        metavar="SECONDS",
        help="time limit per robot (default: 3600)",
    )
    add_force_argument(parser)
    add_format_argument(parser)
    parser.add_argument("--no-pictures", action="store_true", help="create no pictures")


def run(args: argparse.Namespace) -> int:
    wishes = option_values(args, BatchSettings)
    if (args.jobs is not None and args.jobs < 1) or args.limit <= 0:
        raise editor_app.Refused("--jobs and --limit must be above 0")
    try:
        with interrupts() as cancel, progress_bar() as progress:
            report = editor_app.batch(
                args.source,
                args.output,
                settings={name: value for name, value in wishes.items() if value is not None},
                packages=packages(args),
                jobs=args.jobs,
                dask=args.dask,
                pictures=not args.no_pictures,
                limit=args.limit,
                overwrite=args.force,
                progress=progress,
                cancel=cancel,
            )
    except (KeyboardInterrupt, editor_app.Cancelled):
        print_refusal("interrupted; run the same command to continue")
        return 130
    note(*report.notes)
    robots = [
        {"name": each.name, "reused": each.reused, "seconds": dict(each.seconds), **each.record}
        for each in report.robots
    ]
    give_lines(
        {"robots": robots, "page": str(report.page), "notes": list(report.notes)},
        args.format,
        _lines(report),
    )
    return 0 if report.is_sound else 4 if report.misses_meshes_alone else 1


def _lines(report: editor_app.BatchReport) -> list[str]:
    lines = []
    for robot in report.robots:
        bad = [
            f"{s['step']} {s['state']}: {s['message']}"
            for s in robot.record["steps"]
            if s["state"] != "done"
        ]
        counts = f"{robot.count('error')} errors, {robot.count('warning')} warnings"
        spheres = robot.record["figures"].get("spheres")
        told = "taken over" if robot.reused else f"{sum(robot.seconds.values()):.1f} s"
        lines.append(
            f"{robot.name}: {'–' if spheres is None else spheres} spheres, {counts}, {told}"
        )
        lines += [f"  {sentence}" for sentence in bad]
        if robot.missing_meshes:
            lines.append(
                f"  meshes missing: {format_list(robot.missing_meshes, 5)}; coverage is unknown"
            )
    sound = sum(not robot.problems for robot in report.robots)
    lines.append(f"{sound} of {len(report.robots)} robots without a problem; see {report.page}")
    return lines
