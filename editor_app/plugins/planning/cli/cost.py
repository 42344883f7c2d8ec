"""`xrdf-editor cost`: reports false and missed collisions of spheres and mask, compared with the
collision meshes.

False collisions: configurations that the spheres refuse although the meshes are free. Missed
collisions: configurations that spheres and mask accept although meshes touch, each pair with an
example configuration. Passages: intervals of a joint that spheres close for all positions of the
other joints, and whether the meshes leave them open.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import editor_app
from editor_app.cli._options import add_options, option_values
from editor_app.cli._output import give_report, note
from editor_app.cli._progress import progress_bar
from editor_app.cli._robot_arguments import (
    add_files,
    add_format_argument,
    add_robot_arguments,
    mask_file,
    opened,
    read_scene_arguments,
)
from editor_app.core.model.model_cost import COST_SAMPLES
from editor_app.core.model.options import option
from editor_app.core.tasks.work import locate_robot
from editor_app.features.spheres.engine.settings import USUAL_GEOMETRY
from editor_app.features.spheres.verbs.surface_kind import compared_by_sight
from editor_app.plugins.motion.verbs import motion_jobs
from editor_app.plugins.planning.hooks import cost_report

#: What the exit codes mean, besides the common ones.
EXIT_CODES = {0: "no collision is missed", 1: "a collision is missed"}


@dataclass(frozen=True)
class CostRequest:
    """Arguments of the verb model_cost."""

    samples: int = option(
        COST_SAMPLES, "number of sampled configurations (default: 20000)", "N", least=1
    )
    seed: int = option(0, "the same input and seed give the same samples", "S")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_files(parser)
    add_options(parser, CostRequest)
    parser.add_argument(
        "--poses", type=Path, metavar="FILE", help="these configurations instead of random ones"
    )
    parser.add_argument(
        "--geometry",
        choices=("collision", "visual", "auto"),
        default=USUAL_GEOMETRY,
        help="shapes to compare the spheres with: as in fit (default: auto)",
    )
    add_format_argument(parser, "html")
    add_robot_arguments(parser)


def run(args: argparse.Namespace) -> int:
    document = opened(args, args.files)
    scene = read_scene_arguments(args, document.robot)
    poses = editor_app.read_trajectory(args.poses) if args.poses is not None else None
    seen = compared_by_sight(locate_robot(document), args.geometry)
    motion_jobs.prepare_motion(note)
    with progress_bar() as progress:
        cost = editor_app.model_cost(
            document,
            scene=scene,
            poses=poses,
            **option_values(args, CostRequest),
            mask=mask_file(args),
            seen=seen,
            progress=progress,
        )
        cut = editor_app.passages(document, mask=mask_file(args), seen=seen, progress=progress)
    head = {"robot": document.robot.urdf.name, "files": [str(path) for path in args.files]}
    record = cost_report.report(head, cost, cut)
    note(*record["notes"], *(barrier.sentence for barrier in cut.closed))
    give_report(record, args.format, cost_report.PAGES)
    return 1 if cost.missed_collisions else 0
