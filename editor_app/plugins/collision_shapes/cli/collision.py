"""`xrdf-editor collision`: creates simple collision shapes for the links of a URDF from their
meshes.

Hulls and convex parts become STL files in meshes/collision next to the written URDF. A capsule is
written as a capsule from URDF 1.1 on, else as a cylinder and two spheres. Every link is rated with
the figures of spheres. All shapes together are rated by false and missed collisions in random
configurations, compared with their source meshes.

Without -o or --in-place nothing is written, only reported.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import editor_app
from editor_app.cli import _progress
from editor_app.cli import _robot_arguments as shared
from editor_app.cli._options import add_options, option_values
from editor_app.cli._output import give_report, note, print_lines
from editor_app.cli._writing import check_targets, written_lines
from editor_app.core.model.model_cost import with_old_keys
from editor_app.core.model.options import attribute_record
from editor_app.features.spheres.verbs.fit_choices import FitRequest
from editor_app.plugins.collision_shapes.verbs.shape_choices import ShapeChoices
from editor_app.plugins.collision_shapes.verbs.shape_report import (
    HEADS,
    figure_cells,
    figures_record,
    told_links,
)
from editor_app.plugins.motion.verbs import motion_jobs

#: What the exit codes mean, besides the common ones.
EXIT_CODES = {0: "done", 1: "done, but the surface of a link is not proven to be covered"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    shared.add_files_argument(
        parser, "the URDF or xacro file; name the XRDF if it is not next to it under the same name"
    )
    add_options(parser, ShapeChoices, "kind")
    add_options(parser, FitRequest, "links")
    add_options(parser, ShapeChoices, "add", "faces", "parts", "excess", "geometry", "samples")
    shared.add_target_arguments(parser, help_text="a second URDF next to the fine one")
    shared.add_format_argument(parser)
    shared.add_robot_arguments(parser)


def run(args: argparse.Namespace) -> int:
    shared.refuse_stdout(args, "mesh files are written next to the URDF and cannot")
    choices = ShapeChoices(**option_values(args, ShapeChoices))
    document = shared.opened(args, args.files)
    check_targets(args, args.output)
    motion_jobs.prepare_motion(note)
    with _progress.interrupts() as interrupted, _progress.progress_bar() as progress:
        made = editor_app.make_collision(
            document,
            args.links,
            choices,
            output=args.output,
            progress=progress,
            cancel=interrupted,
        )
    written: tuple[Path, ...] = ()
    if args.output is not None:
        written = editor_app.write_collision(document, made, overwrite=args.force, inputs=args.read)
    elif args.in_place:
        document.execute(made.change)
        editor_app.save(document, inputs=args.read)
        written = (made.urdf_path, *(path for path, _ in made.files))
    note(*made.notes)
    _report(args, made, written)
    return 1 if made.is_open else 0


def _report(
    args: argparse.Namespace, made: editor_app.MadeCollision, written: tuple[Path, ...]
) -> None:
    if args.format == "json":
        give_report(_record(made, written), args.format, {})
        return
    rows: list[tuple[str, ...]] = [("link", *HEADS)]
    rows += [(each.link, *figure_cells(each)) for each in made.links]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            text.ljust(width) if k < 2 else text.rjust(width)
            for k, (text, width) in enumerate(zip(row, widths, strict=True))
        ]
        print_lines("  ".join(cells).rstrip())
    print_lines(told_links(made) + (f". {made.verdict_text}" if made.verdict_text else ""))
    print_lines(*(f"skipped {each.link}: {each.reason}" for each in made.skipped))
    print_lines(*written_lines(args, written))


def _record(made: editor_app.MadeCollision, written: tuple[Path, ...]) -> dict[str, Any]:
    """Lengths in metres, shares in 0..1."""
    verdict = made.verdict
    shares = {
        "false_collisions": None if verdict is None else verdict.needless.value,
        "missed_collisions": None if verdict is None else verdict.wrong.value,
    }
    return {
        "urdf": str(made.urdf_path),
        "written": [str(path) for path in written],
        "links": [
            {
                **attribute_record(each, "link", "kind", "geometry"),
                **figures_record(each.figures),
                "tried": {name: figures.excess_ratio for name, figures in each.tried.items()},
            }
            for each in made.links
        ],
        **with_old_keys(shares),
        "skipped": [{"link": each.link, "reason": each.reason} for each in made.skipped],
        "notes": list(made.notes),
        "wall_seconds": round(made.wall_seconds, 3),
    }
