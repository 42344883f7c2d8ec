"""Hook of the command `fit`: the purpose of the spheres, and the report of a fit for planning."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from editor_app.core.model.model_cost import with_old_keys

if TYPE_CHECKING:
    # The arguments of the command are known without compiled code.
    from editor_app.plugins.planning.verbs.tighter_fit import PlanningVerdict, TighterFit


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add --for."""
    parser.add_argument(
        "--for",
        dest="purpose",
        choices=("cover", "planning"),
        default="cover",
        help="planning: refits links whose spheres cause false collisions with more and tighter spheres and sets "
        "self-collision buffers, evaluated in 20,000 configurations; pairs that the new spheres "
        "nearly always "
        "refuse are added to the mask (default: cover)",
    )


def record(tighter: TighterFit) -> dict[str, Any]:
    """Return the report's record of a fit for planning; shares, buffers in metres."""

    def judged(verdict: PlanningVerdict) -> dict[str, Any]:
        cost = verdict.cost
        shares = {
            "false_collisions": round(cost.needless.value, 5),
            "missed_collisions": round(cost.wrong.value, 5),
        }
        return {
            **with_old_keys(shares),
            "closed_passages": [barrier.sentence for barrier in verdict.closed],
            "spheres": verdict.spheres,
            "samples": cost.samples,
        }

    buffers = {frame: round(by, 5) for frame, by in (tighter.buffers or {}).items()}
    return {"before": judged(tighter.before), "after": judged(tighter.after), "buffers": buffers}
