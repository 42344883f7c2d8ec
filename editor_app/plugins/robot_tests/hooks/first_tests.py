"""Hook of the command `new` for tests: a first test file next to the new XRDF."""

from __future__ import annotations

import argparse
from pathlib import Path

import editor_app
from editor_app.cli._output import remark
from editor_app.cli._progress import progress_bar
from editor_app.core.document.writing import refuse_targets, write_files
from editor_app.plugins.robot_tests.kinds import suite_file_name
from editor_app.plugins.robot_tests.verbs import propose_suite

#: Seconds before progress is reported.
_PATIENCE = 1.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--tests",
        action="store_true",
        help="with --fit: also write a first test file next to the XRDF",
    )


def refuse_early(args: argparse.Namespace, xrdf: Path | None) -> None:
    """Refuse before the work what could not be written after it. Raises Refused, SaveError."""
    if not args.tests:
        return
    if not args.fit:
        raise editor_app.Refused("--tests measures spheres: use it with --fit")
    if xrdf is None:
        raise editor_app.Refused("--tests writes a file next to the XRDF: name the XRDF with -o")
    refuse_targets([tests_of(xrdf)], overwrite=args.force)


def tests_of(xrdf: Path) -> Path:
    """Return the test file of an XRDF."""
    return xrdf.with_name(suite_file_name(xrdf.stem))


def write_first_tests(args: argparse.Namespace, document: editor_app.Document, xrdf: Path) -> None:
    """Write the tests of a new robot if they were asked for."""
    if not args.tests:
        return
    with progress_bar(_PATIENCE) as progress:
        proposal = propose_suite.propose_tests(document, seed=args.seed, progress=progress)
    path = tests_of(xrdf)
    write_files([(path, proposal.text.encode())], overwrite=args.force, make_folders=False)
    left_out = (f"Left out: {result.test.name}: {result.sentence}" for result in proposal.left_out)
    remark(f"Tests: wrote {path}", *left_out)
