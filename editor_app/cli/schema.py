"""`xrdf-editor schema`: prints the JSON Schema of XRDF for editors and programs that write XRDFs.

Without --xrdf-version, the schema covers both versions and uses the one that the file states. Rules
that need the robot are part of `xrdf-editor check`.
"""

from __future__ import annotations

import argparse

import editor_app
from editor_app.cli._output import give_report

#: What the exit codes mean, besides the common ones.
EXIT_CODES = {0: "done"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--xrdf-version", choices=("1.0", "2.0"), help="only this version")


def run(args: argparse.Namespace) -> int:
    give_report(editor_app.schema(args.xrdf_version), "json", {})
    return 0
