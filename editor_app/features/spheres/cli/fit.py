"""`xrdf-editor fit`: fits collision spheres to the links of a robot, or to the mesh of a grasped
object.

The report goes to standard output, progress to standard error; the XRDF is written only with -o.
"""

from __future__ import annotations

import argparse
import os
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import editor_app
from editor_app.cli import _progress
from editor_app.cli import _robot_arguments as shared
from editor_app.cli._options import add_options, option_values
from editor_app.cli._output import give_report, is_stdout, note
from editor_app.cli._writing import add_force_argument, check_targets, save_robot
from editor_app.core.document.state import FileKind
from editor_app.core.feature import hook
from editor_app.core.model.robot import Change, TextChange
from editor_app.core.verbs import open as opening
from editor_app.features.spheres.cli import _fit_report
from editor_app.features.spheres.verbs.fit_choices import FitChoices, FitRequest

#: What the exit codes mean, besides the common ones.
EXIT_CODES = {
    0: "done",
    1: "done, but part of the surface is uncovered",
    3: "with --for planning: done, but more than 20 % of the free configurations are false collisions, or a "
    "passage is closed",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    shared.add_files_argument(
        parser,
        "the URDF or xacro file, and the XRDF for the spheres (default: the XRDF next to the "
        "URDF, or a new one)",
    )
    parser.add_argument(
        "-o", "--output", type=Path, metavar="OUT.xrdf", help="output XRDF (- for stdout)"
    )
    add_force_argument(parser)
    add_options(parser.add_mutually_exclusive_group(), FitRequest, "number", "tolerance", "budget")
    if (purpose := hook("fit_purpose")) is not None:
        purpose.add_arguments(parser)
    add_options(parser, FitRequest, "links", "geometry")
    add_options(
        parser,
        FitChoices,
        "mode",
        "effort",
        "padding",
        "mount",
        "clips",
        "weights",
        "more_at_tool",
        "seed",
    )
    add_options(parser, FitRequest, "group", "processes")
    shared.add_format_argument(parser, "html")
    if (objects := hook("fit_object")) is not None:
        objects.add_arguments(parser)
    shared.add_robot_arguments(parser)


def run(args: argparse.Namespace) -> int:
    objects = hook("fit_object")
    if objects is not None and any(map(objects.is_object, args.files)):
        return int(objects.run(args))
    purpose = hook("fit_purpose")
    plans = purpose is not None and args.purpose == "planning"
    request, choices = (
        option_values(args, FitRequest),
        FitChoices(**option_values(args, FitChoices)),
    )
    document = shared.opened(args, args.files)
    start = time.perf_counter()
    _check_output(args, document)
    if args.links == ():
        raise editor_app.Refused("--links names no link: write --links A,B")
    with _progress.interrupts() as interrupted, _progress.progress_bar() as progress:
        fitted = editor_app.fit(
            document,
            **request,
            choices=replace(choices, for_planning=plans),
            progress=progress,
            cancel=interrupted,
        )
        tighter = None
        if plans and fitted.spheres:
            tighter = editor_app.fit_tighter(
                document,
                args.links,
                fitted=fitted,
                choices=choices,
                processes=args.jobs,
                progress=progress,
                cancel=interrupted,
            )
            fitted = tighter.fit
    note(*fitted.notes, *fitted.remarks)
    if tighter is not None:
        note(f"Spheres before: {tighter.before.text}.", f"Spheres now: {tighter.after.text}.")
        if tighter.condition:
            note(f"{tighter.condition} (mask --compare-meshes).")
    before = document.robot.xrdf.spheres_of(fitted.group)
    unsaved = _written(args, document, (tighter or fitted).change if fitted.spheres else None)
    counts = {link: len(spheres) for link, spheres in before.items()}
    _report(args, document, fitted, counts, tighter, unsaved, start)
    if unsaved is not None:
        raise unsaved
    if fitted.is_open:
        return 1
    return 3 if tighter is not None and not tighter.after.plans else 0


def _written(
    args: argparse.Namespace, document: editor_app.Document, change: Change | TextChange | None
) -> Exception | None:
    """What kept the file from being written: what took minutes is told all the same, as the report
    has the spheres."""
    if args.output is not None and change is not None:
        document.execute(change)
    try:
        save_robot(args, document)
    except editor_app.SaveError as error:
        return error
    return None


def _report(
    args: argparse.Namespace,
    document: editor_app.Document,
    fitted: editor_app.RobotFit,
    before: dict[str, int],
    tighter: editor_app.TighterFit | None,
    unsaved: Exception | None,
    start: float,
) -> None:
    # Links that share a mesh share the time, too.
    cpu = sum(each.result.cpu_seconds / (1 + len(each.shared_with)) for each in fitted.links)
    report: dict[str, Any] = {
        "robot": document.robot.urdf.name,
        "urdf": str(document.urdf_path),
        "output": str(args.output) if args.output is not None and unsaved is None else None,
        "group": fitted.group,
        "settings": {
            "spheres": args.spheres,
            "tolerance_mm": args.tolerance,
            "budget": fitted.budget,
            "mode": args.mode,
            "effort": args.effort,
            "seed": args.seed,
            "geometry": args.geometry,
        },
        "total": {
            "count": sum(len(each.result.spheres) for each in fitted.links),
            "cpu_seconds": round(cpu, 3),
            "wall_seconds": round(time.perf_counter() - start, 3),
        },
        "mount": None
        if fitted.mount is None
        else {
            "height_m": fitted.mount.height,
            "links": [plane.link for plane in fitted.mount.planes],
        },
        "links": [
            _fit_report.build_link_record(each, before.get(each.link, 0)) for each in fitted.links
        ],
        "planning": None if tighter is None else hook("fit_purpose").record(tighter),
        "skipped": [{"link": each.link, "reason": each.reason} for each in fitted.skipped],
    }
    is_page = args.format == "html"
    pages = {"html": lambda record: _fit_report.build_fit_page(record, fitted.links, drawn=is_page)}
    give_report(report, args.format, pages, to_errors=is_stdout(args.output))


def _check_output(args: argparse.Namespace, document: editor_app.Document) -> None:
    """Says before the work what would fail after it. Raises Refused, SaveError."""
    output: Path | None = args.output
    if output is None or is_stdout(output):
        return
    if document.urdf_path is not None and output.exists() and output.samefile(document.urdf_path):
        raise editor_app.Refused(f"{output} is the URDF: give the XRDF another name")
    if opening.kind_named(output) is not FileKind.XRDF:
        raise editor_app.Refused(f"{output} is not the name of an XRDF: give the file another name")
    if output.is_dir():
        raise editor_app.Refused(f"{output} is a folder: give the name of a file")
    folder = output.absolute().parent
    if not folder.is_dir():
        raise editor_app.Refused(
            f"the folder {folder} does not exist: create it first, or choose another"
        )
    if not os.access(output if output.exists() else folder, os.W_OK):
        raise editor_app.Refused(
            f"{output} cannot be written: choose another file, or change its permissions"
        )
    check_targets(args, output, in_place=[document.xrdf_path])
