"""`xrdf-editor fit`: fits collision spheres to the links of a robot, or to the mesh of what its tool holds.

The report goes to standard output, progress to standard error; the XRDF is written only with -o.
"""

from __future__ import annotations

import argparse
import math
import os
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import editor_app
from editor_app.cli import _progress
from editor_app.cli import _robot_arguments as shared
from editor_app.cli._output import give_report, give_text, is_stdout, note
from editor_app.cli._robot_arguments import opened
from editor_app.cli._writing import add_force_argument, check_targets, write_result
from editor_app.core.document.state import FileKind
from editor_app.core.model.robot import Change, TextChange
from editor_app.core.verbs import open as opening
from editor_app.core.verbs import tool_places
from editor_app.features.spheres.cli import _fit_report
from editor_app.plugins.motion.verbs import attached_object
from editor_app.plugins.planning.verbs import tighter_fit
from editor_app.plugins.sphere_lists.codec import bubblify_text

#: What the exit codes mean, besides the common ones.
EXIT_CODES = {
    0: "done",
    1: "done, but a surface that was to be covered stays open",
    3: "with --for planning: done, but the spheres refuse more than 20 % of what the meshes leave free, or close a "
    "passage",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    shared.add_files_argument(
        parser, "the URDF or xacro file, and the XRDF that gets the spheres (default: the one beside the URDF, or new)"
    )
    parser.add_argument("-o", "--output", type=Path, metavar="OUT.xrdf", help="where to write the XRDF (- for stdout)")
    add_force_argument(parser)
    amount = parser.add_mutually_exclusive_group()
    amount.add_argument("--spheres", type=int, metavar="N", help="spheres per link")
    amount.add_argument("--tolerance", type=float, metavar="MM", help="greatest protrusion in millimetres")
    amount.add_argument(
        "--budget", type=int, metavar="TOTAL", help="spheres in all, shared out to where they help most"
    )
    parser.add_argument(
        "--for",
        dest="purpose",
        choices=("cover", "planning"),
        default="cover",
        help="planning: links whose spheres refuse configurations that the meshes leave free get more and tighter "
        "spheres, and self-collision buffers to go with them, judged in 20,000 configurations; the mask gets the pairs "
        "that new spheres refuse nearly always (default: cover)",
    )
    parser.add_argument(
        "--links", type=shared.names_of, metavar="A,B", help="only these links (default: all that have geometry)"
    )
    shared.add_choice_arguments(parser)
    parser.add_argument("--seed", type=int, default=0, help="same input and seed: same spheres")
    parser.add_argument(
        "--group", help="geometry group that the spheres go to (default: that of the collision section)"
    )
    parser.add_argument("--jobs", type=int, metavar="N", help="processes (default: one per processor)")
    shared.add_format_argument(parser, "html")
    add_object_arguments(parser)
    shared.add_robot_arguments(parser)


def run(args: argparse.Namespace) -> int:
    if any(map(is_object, args.files)):
        return run_object(args)
    document = shared.opened(args, args.files)
    start = time.perf_counter()
    if args.jobs is not None and args.jobs < 1:
        raise editor_app.Refused(f"--jobs must be at least 1, not {args.jobs}")
    if not math.isfinite(args.padding):
        raise editor_app.Refused(f"--padding must be a length in millimetres, not {args.padding}")
    _check_output(args, document)
    if args.links == ():
        raise editor_app.Refused("--links names no link: write --links A,B")
    with _progress.interrupts() as interrupted, _progress.progress_bar() as progress:
        fitted = editor_app.fit(
            document,
            links=args.links,
            number=args.spheres,
            tolerance=args.tolerance / 1000 if args.tolerance is not None else None,
            budget=args.budget,
            geometry=args.geometry,
            group=args.group,
            choices=replace(shared.fit_choices(args), for_planning=args.purpose == "planning"),
            processes=args.jobs,
            progress=progress,
            cancel=interrupted,
        )
        tighter = None
        if args.purpose == "planning" and fitted.spheres:
            tighter = editor_app.fit_tighter(
                document,
                args.links,
                fitted=fitted,
                choices=shared.fit_choices(args),
                processes=args.jobs,
                progress=progress,
                cancel=interrupted,
            )
            fitted = tighter.fit
    note(*fitted.notes, *fitted.remarks)
    if tighter is not None:
        note(f"Spheres before: {tighter.before.text}.", f"Spheres now: {tighter.after.text}.")
        if tighter.condition:
            note(f"{tighter.condition} (mask --ask-meshes).")
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
    """What kept the file from being written: what took minutes is told all the same, as the report has the spheres."""
    if args.output is None:
        return None
    if change is not None:
        document.execute(change)
    try:
        if is_stdout(args.output):
            give_text(document.xrdf_text or "")
        else:
            editor_app.save(document, args.output, overwrite=args.force, inputs=args.read)
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
        else {"height_m": fitted.mount.height, "links": [plane.link for plane in fitted.mount.planes]},
        "links": [_fit_report.record(each, before.get(each.link, 0)) for each in fitted.links],
        "planning": None if tighter is None else _planning(tighter),
        "skipped": [{"link": each.link, "reason": each.reason} for each in fitted.skipped],
    }
    is_page = args.format == "html"
    pages = {"html": lambda record: _fit_report.as_html(record, fitted.links, drawn=is_page)}
    give_report(report, args.format, pages, to_errors=is_stdout(args.output))


def _planning(tighter: editor_app.TighterFit) -> dict[str, Any]:
    def record(verdict: tighter_fit.Verdict) -> dict[str, Any]:
        cost = verdict.cost
        return {
            "refused_needlessly": round(cost.needless.value, 5),
            "accepted_wrongly": round(cost.wrong.value, 5),
            "closed_passages": [barrier.sentence for barrier in verdict.closed],
            "spheres": verdict.spheres,
            "samples": cost.samples,
        }

    buffers = {frame: round(by, 5) for frame, by in (tighter.buffers or {}).items()}
    return {"before": record(tighter.before), "after": record(tighter.after), "buffers": buffers}


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
        raise editor_app.Refused(f"the folder {folder} is not there: make it first, or choose another")
    if not os.access(output if output.exists() else folder, os.W_OK):
        raise editor_app.Refused(f"{output} cannot be written: choose another place, or change its permissions")
    check_targets(args, output, in_place=[document.xrdf_path])


#: Meshes that are nothing else; a COLLADA file may be a robot.
_MESHES = (".stl", ".obj", ".ply", ".off", ".glb", ".gltf")


def add_object_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("what a tool holds (a mesh file, alone or after the robot's files)")
    group.add_argument(
        "--frame", default=attached_object.NAME, help=f"what its frame is called (default: {attached_object.NAME})"
    )
    group.add_argument("--on", metavar="FRAME", help="the frame that holds it (default: the first tool frame)")
    group.add_argument(
        "--place", metavar="PLACE", help='where it is in that frame: "0 0 0.1", "0 0 0.1 rpy 0 180deg 0"'
    )


def is_object(path: Path) -> bool:
    """Whether a file is a mesh by its name."""
    return path.suffix.lower() in _MESHES


def run_object(args: argparse.Namespace) -> int:
    """Fits the one mesh file among the files. Raises Refused and what fitting does."""
    meshes = [path for path in args.files if is_object(path)]
    files = [path for path in args.files if path not in meshes]
    if len(meshes) > 1:
        raise editor_app.Refused(f"{meshes[0]} and {meshes[1]} are both meshes: name the one that is held")
    if args.tolerance is not None or args.budget is not None or args.purpose != "cover" or args.links is not None:
        raise editor_app.Refused("what a tool holds takes --spheres alone, of the amounts, and no --links or --for")
    record = _attached(args, files, meshes[0]) if files else _alone(args, meshes[0])
    give_report(record, args.format, {"html": _fit_report.object_page}, to_errors=is_stdout(args.output))
    return 0


def _alone(args: argparse.Namespace, mesh: Path) -> dict[str, Any]:
    """Fits a mesh, and writes the list of its spheres."""
    check_targets(args, args.output)
    with _progress.interrupts() as interrupted, _progress.progress_bar() as progress:
        spheres, protrusion, told = editor_app.object_spheres(
            mesh, args.frame, args.spheres, progress=progress, cancel=interrupted
        )
    note(*filter(None, [told]))
    text = bubblify_text({args.frame: spheres}, ())
    if is_stdout(args.output):
        give_text(text)
    elif args.output is not None:
        write_result(args, args.output, text.encode())
    return _record(args, mesh, spheres, protrusion)


def _attached(args: argparse.Namespace, files: list[Path], mesh: Path) -> dict[str, Any]:
    """Fits a mesh, and writes the XRDF of the robot that holds it."""
    with _progress.interrupts() as interrupted, _progress.progress_bar() as progress:
        document = opened(args, files)
        check_targets(args, args.output, in_place=[document.xrdf_path])
        held = editor_app.attach_object(
            document,
            mesh,
            args.on or tool_places.first_tool(document),
            None if args.place is None else editor_app.parse_place(args.place).matrix,
            name=args.frame,
            number=args.spheres,
            pose=editor_app.default_pose(document),
            group=args.group,
            progress=progress,
            cancel=interrupted,
        )
    note(*filter(None, [held.told]))
    document.execute(held.change)
    if is_stdout(args.output):
        give_text(document.xrdf_text or "")
    elif args.output is not None:
        editor_app.save(document, args.output, overwrite=args.force, inputs=args.read)
    return {**_record(args, mesh, held.spheres, held.protrusion), "on": held.on, "holding": list(held.holding)}


def _record(
    args: argparse.Namespace, mesh: Path, spheres: tuple[editor_app.CollisionSphere, ...], protrusion: float
) -> dict[str, Any]:
    """Metres."""
    return {
        "mesh": str(mesh),
        "frame": args.frame,
        "output": None if args.output is None else str(args.output),
        "protrusion_m": protrusion,
        "spheres": [{"center": list(sphere.center), "radius": sphere.radius} for sphere in spheres],
    }
