"""XRDF330: values that a draft guessed, until somebody sets or confirms them."""

from __future__ import annotations

from collections.abc import Iterable

from editor_app.core.document import commands
from editor_app.core.formats.xrdf.guess_comments import guesses_of
from editor_app.core.model.counting import format_list
from editor_app.core.model.findings import Finding
from editor_app.core.model.guesses import PLACEHOLDERS, POSITIONS, TOOLS
from editor_app.features.checks.engine.rule import INFO, CheckContext, flaw, rule

_TITLES = {
    "cspace": "The choice of controlled joints",
    TOOLS: "The choice of tool frames",
    POSITIONS: "The default position of {}",
    "acceleration_limits": "The acceleration limit of {}",
    "jerk_limits": "The jerk limit of {}",
}


@rule("XRDF330", "Unconfirmed guess", "cspace", "source")
def guesses_are_confirmed(c: CheckContext) -> Iterable[Finding]:
    guesses = guesses_of(c.source).parts if c.source is not None else {}
    for key in dict.fromkeys(key for key, _ in guesses):
        parts = tuple(part for part in guesses if part[0] == key)
        joints = tuple(joint for _, joint in parts if joint)
        title = _TITLES.get(key, key).format(format_list(joints, 3))
        word = "a placeholder" if key in PLACEHOLDERS else "guessed"
        path = ("cspace", key) if key in PLACEHOLDERS else (key,)
        section = "cspace" if key in PLACEHOLDERS else key
        message = f"{title} is {word}: set the right value, or confirm this one."
        yield flaw(
            INFO,
            message,
            path,
            joints=joints,
            section=section,
            fixes=(commands.ConfirmGuesses(parts),),
        )
