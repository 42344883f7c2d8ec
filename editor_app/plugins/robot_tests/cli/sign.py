"""`xrdf-editor sign`: lists why pairs are ignored and who decided it, and signs ignored pairs.

A signature is in the comment behind the pair (in an SRDF in the attribute `reason`): reason, name,
date and digests of everything that the decision rests on. A change of a sphere, buffer, limit,
origin or mesh of the pair withdraws it.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import editor_app
from editor_app.cli._options import add_options, option_values
from editor_app.cli._output import give_report, note, print_lines
from editor_app.cli._progress import progress_bar
from editor_app.cli._robot_arguments import (
    add_files_argument,
    add_robot_arguments,
    mask_file,
    opened,
)
from editor_app.cli._writing import add_force_argument, check_targets, written_lines
from editor_app.core.model.options import option
from editor_app.core.model.xrdf import LinkPair
from editor_app.plugins.robot_tests.verbs import sign_pairs, signatures, signing_page

#: What the exit codes mean, besides the common ones.
EXIT_CODES = {
    0: "each ignored pair is adjacent, rigid, proven or signed",
    1: "a pair has no signature, or a change of the robot withdrew it",
}


@dataclass(frozen=True)
class ReviewSettings:
    """Arguments of the verb review_mask."""

    samples: int = option(20_000, "random configurations (default: 20000)", "N", least=1)
    certify: float = option(
        10.0, "CPU time for proofs, 0 for none (default: 10)", "SECONDS", least=0
    )
    seed: int = option(0, "seed of the configurations (default: 0)", "S")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_files_argument(
        parser, "the URDF or xacro file, and the XRDF or SRDF with the mask (default: the XRDF)"
    )
    parser.add_argument(
        "--pair",
        nargs=2,
        action="append",
        default=[],
        metavar=("A", "B"),
        help="an ignored pair to sign; repeatable",
    )
    parser.add_argument(
        "--all-proven", action="store_true", help="sign all pairs that are proven never to collide"
    )
    parser.add_argument(
        "--again",
        action="store_true",
        help="sign all pairs again whose signature a change withdrew",
    )
    parser.add_argument("--by", default="", metavar="NAME", help="who decided")
    parser.add_argument(
        "--reason",
        default="",
        metavar="TEXT",
        help="why the pair is ignored (default: the reason in the file)",
    )
    parser.add_argument(
        "--date", metavar="DATE", help="date of the decision, as 2026-11-29 (default: today)"
    )
    parser.add_argument("-o", "--output", type=Path, metavar="OUT", help="output XRDF or SRDF")
    parser.add_argument(
        "--in-place", action="store_true", help="write the signatures into the input file"
    )
    add_force_argument(parser)
    add_options(parser, ReviewSettings)
    parser.add_argument(
        "--format", choices=("text", "json", "html"), default="text", help="format of the report"
    )
    parser.add_argument(
        "--no-pictures", action="store_true", help="create no pictures for the HTML page"
    )
    add_robot_arguments(parser)


def run(args: argparse.Namespace) -> int:
    if args.output is not None and args.in_place:
        raise editor_app.Refused("-o and --in-place exclude each other: choose one")
    document = opened(args, args.files)
    file = mask_file(args) or signatures.usual_mask_file(document.robot)
    path = document.xrdf_path if file is editor_app.MaskFile.XRDF else document.srdf_path
    target = path if args.in_place else args.output
    check_targets(args, target, in_place=[path])
    signs = bool(args.pair or args.all_proven or args.again)
    if signs and not args.by:
        raise editor_app.Refused("a signature needs a name: add --by NAME")
    if target is not None and not signs:
        raise editor_app.Refused(
            "nothing to write: name the pairs to sign (--pair, --all-proven, --again)"
        )
    review = _reviewed(args, document, file)
    written: Sequence[Path] = ()
    if signs:
        document.execute(_step(args, document, review))
        review = sign_pairs.decide_again(document, review)
        if target is not None:
            written = editor_app.save(document, target, overwrite=args.force, inputs=args.read)
    note(*review.notes)
    record: dict[str, Any] = signing_page.review_record(review, str(args.files[0]))
    if args.format == "text":
        print_lines(*signing_page.review_lines(record))
        print_lines(*(written_lines(args, written, "-o OUT.xrdf or --in-place") if signs else ()))
    else:
        draws = args.format == "html" and not args.no_pictures
        pictures = signing_page.draw_pairs(document, review, note) if draws else {}
        pages = {"html": lambda printable: signing_page.review_page(printable, pictures)}
        give_report({**record, "written": [*map(str, written)]}, args.format, pages)
    return 0 if review.is_decided else 1


def _reviewed(
    args: argparse.Namespace, document: editor_app.Document, file: editor_app.MaskFile
) -> editor_app.MaskReview:
    with progress_bar() as progress:
        return editor_app.review_mask(
            document, file=file, **option_values(args, ReviewSettings), progress=progress
        )


def _step(
    args: argparse.Namespace, document: editor_app.Document, review: editor_app.MaskReview
) -> Any:
    """The step that signs the pairs of the arguments."""
    pairs = dict.fromkeys((LinkPair.of(*names) for names in args.pair), args.reason)
    if args.all_proven:
        pairs = {**sign_pairs.proven_pairs(review.decisions), **pairs}
    if args.again:
        withdrawn = (each.pair for each in review.decisions if each.changed)
        pairs = {**dict.fromkeys(withdrawn, args.reason), **pairs}
    return editor_app.sign_pairs(document, pairs, by=args.by, date=args.date, file=review.file)
