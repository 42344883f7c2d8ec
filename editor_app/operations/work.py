"""What a verb that works long is given besides its values: where to run, how to tell progress, when to stop."""

from __future__ import annotations

from collections.abc import Callable

#: Called with the share that is done, in 0..1 (negative: not known), and a sentence about the present step.
Progress = Callable[[float, str], None]
#: Asked between steps; True ends the verb with `Cancelled`.
Cancel = Callable[[], bool]


class Cancelled(Exception):
    """The verb was asked to stop, and left everything as it was."""


def silent(fraction: float, sentence: str) -> None:
    """The `Progress` of a caller that shows none."""


def never() -> bool:
    """The `Cancel` of a caller that never stops a verb."""
    return False
