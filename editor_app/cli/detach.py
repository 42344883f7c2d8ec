"""`xrdf-editor detach`: takes a part off again that compose attached.

While nothing else was edited, the files have the bytes that they had before. What hangs on the part goes with it.

Without -o or --in-place nothing is written: the report says what would go.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import editor_app
from editor_app.cli._output import is_stdout, tell
from editor_app.cli._robot_arguments import add_files_argument, add_robot_arguments, opened


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_files_argument(parser, "the URDF, with an XRDF or SRDF where it is not the one beside it")
    parser.add_argument(
        "--link", metavar="LINK", help="a link of the part that comes off (default: the part, where there is one)"
    )
    target = parser.add_mutually_exclusive_group()
    target.add_argument(
        "-o", "--output", type=Path, metavar="OUT.urdf", help="the URDF, beside which XRDF and SRDF are written"
    )
    target.add_argument("--in-place", action="store_true", help="write the files themselves")
    parser.add_argument("--force", action="store_true", help="with -o: overwrite files that are there")
    add_robot_arguments(parser)


def run(args: argparse.Namespace) -> int:
    if is_stdout(args.output):
        raise editor_app.Refused("URDF, XRDF and SRDF cannot all go to standard output: name a file with -o")
    document = opened(args, args.files)
    detached = editor_app.detach(document, args.link, args.output)
    part = detached.part
    tell(f"{part.file} with {part.link} comes off {part.at}: {detached.consequences}")
    told = "as they were before it was attached" if detached.is_exact else "with what was edited since"
    tell(f"the files are {told}")
    if args.output is None and not args.in_place:
        tell("nothing was written: -o OUT.urdf or --in-place does")
        return 0
    written = editor_app.write_assembly(detached, inputs=args.files, overwrite=args.force, in_place=args.in_place)
    tell(*(f"wrote {path}" for path in written))
    return 0
