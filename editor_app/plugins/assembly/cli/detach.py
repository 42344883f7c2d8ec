"""`xrdf-editor detach`: removes a part that compose attached.

If nothing else was edited, the files have the same bytes as before. Everything attached to the part
is removed too.

Without -o or --in-place nothing is written: the report lists the changes.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import editor_app
from editor_app.cli import _robot_arguments as shared
from editor_app.cli._output import give_lines
from editor_app.cli._writing import written_lines

#: What the exit codes mean, besides the common ones.
EXIT_CODES = {0: "done"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    shared.add_files_argument(
        parser, "the URDF; name the XRDF or SRDF if it is not next to it under the same name"
    )
    parser.add_argument(
        "--link",
        metavar="LINK",
        help="a link of the part to remove (default: the part, if there is only one)",
    )
    shared.add_target_arguments(parser)
    shared.add_format_argument(parser)
    shared.add_robot_arguments(parser)


def run(args: argparse.Namespace) -> int:
    shared.refuse_stdout(args)
    document = shared.opened(args, args.files)
    detached = editor_app.detach(document, args.link, args.output)
    part = detached.part
    written: tuple[Path, ...] = ()
    if args.output is not None or args.in_place:
        written = editor_app.write_assembly(
            detached, overwrite=args.force, in_place=args.in_place, inputs=args.read
        )
    kept = "as they were before attaching" if detached.is_exact else "with later edits kept"
    lines = [
        f"{part.file} with {part.link} is removed from {part.at}: {detached.consequences}",
        f"the files are {kept}",
        *written_lines(args, written),
    ]
    record = {
        "part": part.file,
        "link": part.link,
        "at": part.at,
        "consequences": detached.consequences,
        "exact": detached.is_exact,
        "written": [str(path) for path in written],
    }
    give_lines(record, args.format, lines)
    return 0
