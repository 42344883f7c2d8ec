"""`xrdf-editor diff`: what differs between two XRDFs in meaning, section by section, whatever their spelling."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("old", type=Path, metavar="OLD.xrdf")
    parser.add_argument("new", type=Path, metavar="NEW.xrdf")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="of the output")


def run(args: argparse.Namespace) -> int:
    """0 when they mean the same, 1 when they differ, 2 when one cannot be read."""
    from editor_app.edit.comparison import compare
    from editor_app.formats.source import FormatError, SourceText
    from editor_app.formats.xrdf import read_xrdf

    try:
        old, new = (read_xrdf(SourceText.read(path)).xrdf for path in (args.old, args.new))
    except FormatError as error:
        print(f"xrdf-editor diff: {error}", file=sys.stderr)
        return 2
    differences = compare(old, new)
    if args.format == "json":
        print(json.dumps([{"path": d.path, "old": d.old, "new": d.new} for d in differences], indent=2))
    else:
        for d in differences:
            print(f"{d.path}: {d.sentence}")
    return 1 if differences else 0
