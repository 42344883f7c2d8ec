"""`xrdf-editor schema`: prints the JSON Schema of XRDF, for editors and for programs that write XRDFs.

Without --xrdf-version a schema of both versions, by which each file is judged by its own. What needs the robot is left
to `xrdf-editor check`.
"""

from __future__ import annotations

import argparse

import editor_app
from editor_app.cli._output import give_report

#: What the exit codes mean, besides the common ones.
EXIT_CODES = {0: "done"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--xrdf-version", choices=("1.0", "2.0"), help="one version alone")


def run(args: argparse.Namespace) -> int:
    give_report(editor_app.schema(args.xrdf_version), "json", {})
    return 0
