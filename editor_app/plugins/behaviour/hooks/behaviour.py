"""The part of the command `diff` that judges configurations and motions."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from editor_app.cli._options import add_options, option_values
from editor_app.core.model.options import option
from editor_app.core.progress import Progress
from editor_app.plugins.behaviour.verbs import behaviour
from editor_app.plugins.behaviour.verbs import behaviour_report as report

if TYPE_CHECKING:
    # The arguments of the command are known without compiled code.
    from editor_app.plugins.behaviour.verbs.behaviour import BehaviourDiff
    from editor_app.plugins.comparison.verbs.diff import RobotSide

#: Ends the description of the command.
_DESCRIPTION = (
    " With --behaviour, spheres, mask and limits of both robots decide which of 10,000 random "
    "configurations are\n"
    "free, and motions are planned. The report lists the configurations and motions that only one "
    "of the robots "
    "accepts."
)


@dataclass(frozen=True)
class BehaviourRequest:
    """Arguments of the verb compare_behaviour."""

    samples: int = option(10_000, "random configurations (default: 10000)", "N", least=1)
    queries: int = option(20, "motions to plan (default: 20)", "N", least=0)
    seed: int = option(0, "seed of configurations and motions", "S")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add --behaviour and its options, and describe them."""
    parser.description = (parser.description or "").rstrip() + _DESCRIPTION
    group = parser.add_argument_group("behaviour")
    group.add_argument(
        "--behaviour",
        action="store_true",
        help=(
            "also compare which configurations are free and which motions can be planned, by "
            "spheres, mask and limits"
        ),
    )
    add_options(group, BehaviourRequest)
    group.add_argument(
        "--no-pictures", action="store_true", help="create no pictures for the HTML page"
    )


def compare_sides(
    args: argparse.Namespace, sides: Sequence[RobotSide], progress: Progress
) -> BehaviourDiff:
    """Compare the behaviour of two robots. Raises what `compare_behaviour` does."""
    return behaviour.compare_behaviour(
        *sides, names=args.names, **option_values(args, BehaviourRequest), progress=progress
    )


def behaviour_pictures(
    args: argparse.Namespace,
    compared: BehaviourDiff,
    sides: Sequence[RobotSide],
    packages: Mapping[str, Path],
    on_fault: Callable[[str], None],
) -> Mapping[str, bytes]:
    """Return the pictures of the page, if it is asked for; `on_fault` receives why pictures are
    missing."""
    if args.format != "html" or args.no_pictures:
        return {}
    return report.draw_changes(compared, sides, args.names, packages, on_fault)
