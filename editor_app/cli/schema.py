"""`xrdf-editor schema`: prints the JSON Schema of XRDF, for editors and for programs that write XRDFs.

Without --xrdf-version a schema of both versions, by which each file is judged by its own. What needs the robot is left
to `xrdf-editor check`.
"""

from __future__ import annotations

import argparse
import json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--xrdf-version", choices=("1.0", "2.0"), help="one version alone")


def run(args: argparse.Namespace) -> int:
    from editor_app.operations.schema import schema

    print(json.dumps(schema(args.xrdf_version), indent=2, ensure_ascii=True))
    return 0
