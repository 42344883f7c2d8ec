"""How long work tells how far it is."""

from __future__ import annotations

from collections.abc import Callable

#: Called with the share that is done, in 0..1 (negative: not known), and a sentence about the present step.
Progress = Callable[[float, str], None]


def silent(fraction: float, sentence: str) -> None:
    """A `Progress` that shows nothing."""
