"""Numbers as people read them: with the sign for minus, which is as wide as a plus, in the place of a hyphen."""

from __future__ import annotations

import math


def with_minus(number: str) -> str:
    """A number that begins with a hyphen, such as `-3.5 mm`, with a minus."""
    return f"−{number[1:]}" if number.startswith("-") else number


def turned_by(angle: float) -> str:
    """Radians as degrees with their sign, as a handle that is turned tells them."""
    return with_minus(f"{math.degrees(angle):+.1f}°")
