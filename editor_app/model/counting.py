"""A number and its noun, and shares, as sentences have them."""

from __future__ import annotations


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """ "1 sphere", "3 spheres"."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def percent(share: float, digits: int = 1) -> str:
    """A share (0…1) as "2.4 %"."""
    return f"{100.0 * share:.{digits}f} %"
