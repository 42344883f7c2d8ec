"""Progress of long work, and how the caller stops it."""

from __future__ import annotations

from collections.abc import Callable

#: Called with the share that is done, in 0..1 (negative: not known), and a sentence about the
#: present step.
Progress = Callable[[float, str], None]
#: Called between steps; True stops the work.
Cancel = Callable[[], bool]


def silent(fraction: float, sentence: str) -> None:
    """A `Progress` that shows nothing."""


def never() -> bool:
    """A `Cancel` that never stops the work."""
    return False
