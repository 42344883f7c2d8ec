"""How a pair looks in matrix and list: colour of its evidence, sign of its class, words for its
state."""

from __future__ import annotations

import math
from enum import StrEnum
from functools import lru_cache

from PySide6.QtGui import QColor

from editor_app.features.masks.engine.masks import MaskState
from editor_app.features.masks.engine.results import PairClass, PairEvidence
from editor_app.window.theme import colours

SIGNS = {
    PairClass.ADJACENT: "·",
    PairClass.RIGID: "=",
    PairClass.DEFAULT: "D",
    PairClass.ALWAYS: "A",
    PairClass.NEVER_CERTIFIED: "✓",
    PairClass.NEVER_SAMPLED: "~",
    PairClass.CAN_COLLIDE: "×",
    PairClass.UNKNOWN: "?",
}
CLASS_NAMES = {
    PairClass.ADJACENT: "adjacent",
    PairClass.RIGID: "rigid",
    PairClass.DEFAULT: "overlaps at default",
    PairClass.ALWAYS: "always overlaps",
    PairClass.NEVER_CERTIFIED: "never, certified",
    PairClass.NEVER_SAMPLED: "never, sampled only",
    PairClass.CAN_COLLIDE: "can collide",
    PairClass.UNKNOWN: "not examined",
}


STATE_NAMES = {
    MaskState.CHECKED: "checked",
    MaskState.IGNORED: "ignored",
    MaskState.CONFLICT: "ignored, although it can collide",
    MaskState.MISSING: "checked, although it overlaps",
}
#: For a column, beside the link pair's class.
SHORT_STATE_NAMES = STATE_NAMES | {
    MaskState.CONFLICT: "ignored, can collide",
    MaskState.MISSING: "checked, overlaps",
}
#: The worst first: what a collapsed block shows of those inside.
STATE_ORDER = (MaskState.CONFLICT, MaskState.MISSING, MaskState.CHECKED, MaskState.IGNORED)
CLASS_ORDER = (
    PairClass.ALWAYS,
    PairClass.DEFAULT,
    PairClass.CAN_COLLIDE,
    PairClass.UNKNOWN,
    PairClass.NEVER_SAMPLED,
    PairClass.NEVER_CERTIFIED,
    PairClass.ADJACENT,
    PairClass.RIGID,
)

#: Clearance (metres) of full colour.
FULL = 0.1
#: Probabilities below this have the colour of none.
RARE = 1e-5


class ColourBy(StrEnum):
    CLEARANCE = "Clearance"
    PROBABILITY = "Probability"


def cell_colour(evidence: PairEvidence, by: ColourBy) -> QColor:
    """Blue apart, red overlapping, the window's paper at 0; or redder the more likely
    (logarithmic)."""
    if by is ColourBy.CLEARANCE:
        return clearance_colour(evidence.clearance_min)
    return probability_colour(evidence.probability)


def clearance_colour(clearance: float) -> QColor:
    if not math.isfinite(clearance):
        return QColor(colours().window)
    # The root keeps small clearances apart, which are those that matter.
    return _mix("apart" if clearance > 0 else "overlap", math.sqrt(min(1.0, abs(clearance) / FULL)))


def probability_colour(probability: float | None) -> QColor:
    if probability is None:
        return QColor(colours().window)
    if probability < RARE:
        return _mix("apart", 0.18)
    return _mix("overlap", 0.15 + 0.85 * (1.0 - math.log10(probability) / math.log10(RARE)))


def _mix(end: str, share: float) -> QColor:
    now = colours()
    # As many shades as an eye tells apart, so that they are mixed once.
    return QColor(_mixed(end, now.is_dark, now.base, round(256 * max(0.0, min(1.0, share)))))


@lru_cache(maxsize=2048)
def _mixed(end: str, is_dark: bool, base: str, share_256: int) -> QColor:
    full = {
        ("apart", False): QColor("#2f78c4"),
        ("overlap", False): QColor("#cf3d36"),
        ("apart", True): QColor("#3f8ae0"),
        ("overlap", True): QColor("#e0524b"),
    }[end, is_dark]
    paper = QColor(base)
    share = 0.85 * share_256 / 256

    def mixed(a: int, b: int) -> int:
        return round(a + (b - a) * share)

    return QColor(
        mixed(paper.red(), full.red()),
        mixed(paper.green(), full.green()),
        mixed(paper.blue(), full.blue()),
    )


def ink_on(colour: QColor) -> QColor:
    """Black or white, whichever can be read on it."""
    light = 0.299 * colour.red() + 0.587 * colour.green() + 0.114 * colour.blue()
    return QColor("#14181d") if light > 140 else QColor("#ffffff")


def number_mm(value: float | None) -> str:
    """Millimetres with one decimal, "" when not known."""
    return "" if value is None or not math.isfinite(value) else f"{value * 1e3:.1f}"


def share(value: float | None) -> str:
    """A probability in per cent, with enough figures for small ones."""
    if value is None:
        return ""
    return "0 %" if value == 0 else f"{value * 100:.3g} %"


def cell_number(evidence: PairEvidence, by: ColourBy) -> str:
    """The number that the colour of a cell stands for; "" where there is none, as for meshes that
    collide."""
    if by is ColourBy.PROBABILITY:
        return share(evidence.probability)
    return number_mm(evidence.clearance_min) if evidence.clearance_min else ""


def opinion_text(spheres: PairEvidence, meshes: PairEvidence) -> str:
    """Describe the result of the meshes next to that of the spheres."""
    if not math.isfinite(meshes.clearance_min):
        return "The meshes of this pair were not compared."
    if meshes.clearance_min <= 0.0:
        return "The meshes also collide."
    if spheres.clearance_min <= 0.0:
        return (
            f"The meshes stay {number_mm(meshes.clearance_min)} mm apart: a false collision of the "
            "spheres."
        )
    return f"The meshes come within {number_mm(meshes.clearance_min)} mm."
