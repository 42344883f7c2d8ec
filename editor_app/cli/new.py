"""`xrdf-editor new`: drafts an XRDF for a URDF; what is guessed is marked as a placeholder by a comment."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("urdf", type=Path, metavar="ROBOT.urdf")
    parser.add_argument("-o", "--output", type=Path, help="where to write (default: beside the URDF, - for stdout)")
    parser.add_argument("--force", action="store_true", help="overwrite a file that is there")


def run(args: argparse.Namespace) -> int:
    from editor_app.edit.saving import SaveError
    from editor_app.edit.together import write_together
    from editor_app.formats.source import FormatError, SourceText
    from editor_app.formats.urdf import read_urdf
    from editor_app.formats.xrdf import draft_xrdf

    try:
        text = draft_xrdf(read_urdf(SourceText.read(args.urdf)).urdf)
        if args.output == Path("-"):
            sys.stdout.write(text)
            return 0
        target = args.output or args.urdf.with_suffix(".xrdf")
        if target.exists() and not args.force:
            print(f"xrdf-editor new: {target} is there already; --force overwrites it", file=sys.stderr)
            return 2
        write_together([(target, text.encode())])
    except (FormatError, SaveError) as error:
        print(f"xrdf-editor new: {error}", file=sys.stderr)
        return 2
    print(target)
    return 0
