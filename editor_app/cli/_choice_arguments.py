"""What every command that fits a robot takes: the mount, clip planes, and what counts more."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from editor_app.operations.fit_choices import FitChoices


def add_choice_arguments(parser: argparse._ActionsContainer) -> None:
    """--clip, --no-mount, --weight, --even: what `fit` takes, too."""
    parser.add_argument("--no-mount", action="store_true", help="spheres of the base may reach below its lowest face")
    parser.add_argument(
        "--clip",
        action="append",
        default=[],
        metavar="LINK=z:0.0",
        help="spheres of a link stay above a plane of its frame (-z: below), in metres; repeatable",
    )
    parser.add_argument(
        "--weight", action="append", default=[], metavar="LINK=F", help="a link counts F times when a budget is shared"
    )
    parser.add_argument("--even", action="store_true", help="links at the tool get no more of a budget than others")


def fit_choices(args: argparse.Namespace) -> FitChoices:
    """What the arguments say, of these and of mode, effort, padding (millimetres) and seed. Raises Refused."""
    from editor_app.operations.fit_choices import FitChoices, parse_clips, parse_weights

    return FitChoices(
        not args.no_mount,
        parse_clips(args.clip),
        parse_weights(args.weight),
        not args.even,
        mode=args.mode,
        effort=args.effort,
        padding=args.padding / 1000,
        seed=args.seed,
    )
