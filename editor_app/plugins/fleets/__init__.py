"""Commands over many robots."""

NEEDS = ("motion", "planning")
