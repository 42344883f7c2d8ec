"""`xrdf-editor diff`: what differs between two XRDFs in meaning, section by section, whatever their spelling."""

from __future__ import annotations

import argparse
from pathlib import Path

from editor_app.cli._output import give_report, tell
from editor_app.cli._progress import progress_bar

#: Seconds before progress is told.
_PATIENCE = 1.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("old", type=Path, metavar="OLD.xrdf")
    parser.add_argument("new", type=Path, metavar="NEW.xrdf")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="of the output")


def run(args: argparse.Namespace) -> int:
    from editor_app.edit.comparison import compare
    from editor_app.formats.source import SourceText
    from editor_app.formats.xrdf import read_xrdf

    xrdfs = []
    with progress_bar(_PATIENCE) as progress:
        for share, path in ((0.0, args.old), (0.4, args.new)):
            progress(share, f"Reading {path.name}")
            xrdfs.append(read_xrdf(SourceText.read(path)).xrdf)
        progress(0.8, "Comparing")
        differences = compare(*xrdfs)
    if args.format == "json":
        give_report([{"path": d.path, "old": d.old, "new": d.new} for d in differences], args.format, {})
    else:
        tell(*(f"{d.path}: {d.sentence}" for d in differences))
    return 1 if differences else 0
