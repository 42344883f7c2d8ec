"""A number and its noun, as sentences have them."""

from __future__ import annotations


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """ "1 sphere", "3 spheres"."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"
