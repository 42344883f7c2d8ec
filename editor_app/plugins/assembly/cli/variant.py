"""`xrdf-editor variant`: how a gripper stands by default: closed, half, open, or as a state of its SRDF.

Without --set it lists the variants with the positions of the joints and where they come from. Spheres and masks stay.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import editor_app
from editor_app.cli._output import give_lines, give_text, is_stdout
from editor_app.cli._robot_arguments import add_files_argument, add_format_argument, add_robot_arguments, opened
from editor_app.cli._writing import add_force_argument, written_lines

#: What the exit codes mean, besides the common ones.
EXIT_CODES = {0: "done"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_files_argument(parser, "the URDF, with an XRDF or SRDF where it is not the one beside it")
    parser.add_argument("--link", metavar="LINK", help="the gripper below this link alone (default: all)")
    parser.add_argument("--set", metavar="NAME", help="makes this variant the default")
    target = parser.add_mutually_exclusive_group()
    target.add_argument("-o", "--output", type=Path, metavar="OUT.xrdf", help="where the XRDF is written, - for stdout")
    target.add_argument("--in-place", action="store_true", help="write the XRDF itself")
    add_force_argument(parser)
    add_format_argument(parser)
    add_robot_arguments(parser)


def run(args: argparse.Namespace) -> int:
    document = opened(args, args.files)
    if args.set is None:
        variants = editor_app.hand_variants(document.robot, args.link)
        lines = [each.told for each in variants]
        give_lines({"variants": lines}, args.format, lines or ["no joint closes fingers behind an arm"])
        return 0
    document.execute(editor_app.with_variant(document.robot, args.set, args.link))
    if is_stdout(args.output):
        give_text(document.xrdf_text or "")
        return 0
    written: tuple[Path, ...] = ()
    if args.output is not None or args.in_place:
        written = editor_app.save(document, args.output, overwrite=args.force, inputs=args.read)
    chosen = editor_app.variant_named(document.robot, args.set, args.link).told
    record = {"variant": chosen, "written": [str(path) for path in written]}
    give_lines(record, args.format, [chosen, *written_lines(args, written, "-o OUT.xrdf or --in-place")])
    return 0
