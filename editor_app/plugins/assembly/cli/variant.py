"""`xrdf-editor variant`: sets the default position of a gripper: closed, half, open, or a state of
its SRDF.

Without --set it lists the variants with joint positions and their sources. Spheres and masks do not
change.
"""

from __future__ import annotations

import argparse

import editor_app
from editor_app.cli._output import give_lines, is_stdout
from editor_app.cli._robot_arguments import (
    add_files_argument,
    add_format_argument,
    add_robot_arguments,
    add_target_arguments,
    opened,
)
from editor_app.cli._writing import save_robot, written_lines

#: What the exit codes mean, besides the common ones.
EXIT_CODES = {0: "done"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_files_argument(
        parser, "the URDF; name the XRDF or SRDF if it is not next to it under the same name"
    )
    parser.add_argument(
        "--link", metavar="LINK", help="only the gripper below this link (default: all)"
    )
    parser.add_argument("--set", metavar="NAME", help="set this variant as default")
    add_target_arguments(
        parser, "OUT.xrdf", "output XRDF (- for stdout)", "write to the input XRDF"
    )
    add_format_argument(parser)
    add_robot_arguments(parser)


def run(args: argparse.Namespace) -> int:
    document = opened(args, args.files)
    if args.set is None:
        variants = editor_app.hand_variants(document.robot, args.link)
        lines = [each.told for each in variants]
        give_lines(
            {"variants": lines}, args.format, lines or ["no finger joint at the end of an arm"]
        )
        return 0
    document.execute(editor_app.with_variant(document.robot, args.set, args.link))
    written = save_robot(args, document)
    if is_stdout(args.output):
        return 0
    chosen = editor_app.variant_named(document.robot, args.set, args.link).told
    record = {"variant": chosen, "written": [str(path) for path in written]}
    give_lines(
        record, args.format, [chosen, *written_lines(args, written, "-o OUT.xrdf or --in-place")]
    )
    return 0
