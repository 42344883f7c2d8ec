"""`xrdf-editor mask`: finds which link pairs can collide, with proofs, and checks or writes the
mask.

The report goes to standard output, progress to standard error; a file is written only with -o.
With -o OUT.srdf the mask of the SRDF is checked and patched, else the mask of the XRDF.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import editor_app
from editor_app.cli import _progress
from editor_app.cli._options import add_options, option_values
from editor_app.cli._output import give_report, give_text, is_stdout, note
from editor_app.cli._robot_arguments import (
    add_files_argument,
    add_format_argument,
    add_robot_arguments,
    mask_file,
    opened,
)
from editor_app.cli._writing import add_force_argument, check_targets
from editor_app.core.document import state
from editor_app.core.verbs import open as opening
from editor_app.features.masks.cli import _mask_report
from editor_app.features.masks.engine.options import (
    MaskRequest,
    MaskRules,
    ModelOptions,
    Uncontrolled,
)

#: What the exit codes mean, besides the common ones.
EXIT_CODES = {
    0: "the mask in the input ignores no pair that is known to collide in some configuration, and checks no pair "
    "that certainly overlaps",
    1: "the mask hides a possible collision (a pair is ignored although it can collide)",
    3: "the mask checks a pair that certainly overlaps (at the default configuration, or always)",
    4: "both",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_files_argument(
        parser,
        "the URDF or xacro file, and the XRDF or SRDF whose mask is checked (default: the XRDF "
        "next to the URDF)",
    )
    add_options(parser, MaskRequest, "samples", "certify", "seed", "geometry")
    add_options(parser, ModelOptions)
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="OUT",
        help="output XRDF or SRDF with the mask (- for stdout)",
    )
    add_force_argument(parser)
    add_options(
        parser,
        MaskRules,
        "keep",
        "reasons",
        "mask_default",
        "mask_always",
        "certified_only",
        "compare_meshes",
    )
    # Former name, for one release.
    parser.add_argument(
        "--ask-meshes", dest="compare_meshes", action="store_true", help=argparse.SUPPRESS
    )
    add_options(parser, MaskRules, "trust_srdf")
    parser.add_argument(
        "--buffers",
        action="store_true",
        help=(
            "with -o OUT.xrdf: also set self-collision buffers with which spheres agree better "
            "with the meshes"
        ),
    )
    add_format_argument(parser, "csv", "html")
    add_robot_arguments(parser)


def run(args: argparse.Namespace) -> int:
    request, options = (
        option_values(args, MaskRequest),
        ModelOptions(**option_values(args, ModelOptions)),
    )
    document = opened(args, args.files)
    file = _mask_file(args, document)
    check_targets(args, args.output, in_place=[_present(document, file)])
    return _mask(args, document, file, request, options)


def _present(document: editor_app.Document, file: editor_app.MaskFile) -> Path | None:
    """The file of the robot that has the mask."""
    return document.xrdf_path if file is editor_app.MaskFile.XRDF else document.srdf_path


def _mask_file(args: argparse.Namespace, document: editor_app.Document) -> editor_app.MaskFile:
    """The file whose mask is judged: the kind that the output's name promises, else the kind of the
    named file."""
    if args.output is not None and not is_stdout(args.output):
        kind = opening.kind_named(args.output)
        if kind is state.FileKind.URDF or args.output.suffix.lower() in (".dae", ".zae", ".xacro"):
            raise editor_app.Refused(
                f"{args.output} is not the name of an XRDF or SRDF; other files have no mask"
            )
        return editor_app.MaskFile.SRDF if kind is state.FileKind.SRDF else editor_app.MaskFile.XRDF
    return mask_file(args) or editor_app.MaskFile.XRDF


def _set_buffers(document: editor_app.Document, file: editor_app.MaskFile, seed: int) -> None:
    """Raises Refused for a file that has no buffers."""
    if file is not editor_app.MaskFile.XRDF:
        raise editor_app.Refused("--buffers: an SRDF has no self-collision buffers")
    with _progress.progress_bar() as progress:
        buffers = editor_app.self_buffers(document, seed=seed, mask=file, progress=progress)
    if buffers.changed:
        document.execute(buffers.change)
    note(
        buffers.note
        if buffers.changed
        else "no buffers make the spheres agree better with the meshes"
    )


def _mask(
    args: argparse.Namespace,
    document: editor_app.Document,
    file: editor_app.MaskFile,
    request: dict[str, Any],
    options: ModelOptions,
) -> int:
    start = time.perf_counter()
    read_from = _present(document, file)
    with _progress.progress_bar() as progress:
        result = editor_app.mask(
            document,
            file=file,
            **request,
            options=options,
            rules=MaskRules(**option_values(args, MaskRules)),
            progress=progress,
        )
    disputes = (
        f"{row.first} and {row.second}, {'ignored' if row.ignored_then else 'checked'}: "
        f"{row.reason}"
        for row in result.proposal.disputed
    )
    thin = (
        f"{each.first} and {each.second} stay checked: {each.reason}" for each in result.look.thin
    )
    hidden = (
        f"{each.first} and {each.second} are ignored ({each.kind.value}): {each.reason}"
        for each in (*result.look.hidden, *result.look.rough)
        if each.pair in result.proposal.pairs
    )
    note(*result.notes, *disputes, *thin, *hidden)
    written: Path | None = None
    if args.output is not None:
        document.execute(result.change)
        if args.buffers:
            _set_buffers(document, file, args.seed)
    if is_stdout(args.output):
        give_text(
            document.text(
                state.FileKind.XRDF if file is editor_app.MaskFile.XRDF else state.FileKind.SRDF
            )
            or ""
        )
    elif args.output is not None:
        (written,) = editor_app.save(document, args.output, overwrite=args.force, inputs=args.read)
    head: dict[str, Any] = {
        "robot": document.robot.urdf.name,
        "urdf": str(document.urdf_path),
        "xrdf": str(document.xrdf_path) if document.xrdf_path is not None else None,
        "mask_of": str(read_from) if read_from is not None else None,
        "output": str(written) if written is not None else None,
        "settings": {
            "samples": result.analysis.settings.samples,
            "seed": args.seed,
            "certify_seconds": args.certify,
            "geometry": result.geometry,
            "limits": options.limits,
            "margin_rad": options.margin,
            "margin_linear_m": options.margin_linear,
            "locked": options.uncontrolled is Uncontrolled.LOCKED,
        },
        "seconds": round(time.perf_counter() - start, 3),
        "complete": result.analysis.complete,
    }
    report = _mask_report.build_mask_record(head, result.analysis, result.ignored, result.proposal)
    give_report(report, args.format, _mask_report.PAGES, to_errors=is_stdout(args.output))
    return (
        4 if result.hidden and result.missed else 1 if result.hidden else 3 if result.missed else 0
    )
