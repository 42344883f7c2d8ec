"""What the comments of an XRDF call a placeholder or guessed, as drafts write it: read back from the text."""

from __future__ import annotations

import re

_GUESS = re.compile(r"^\s*#[^\n]*\b(?:placeholder|guessed)\b[^\n]*\n(?:\s*#[^\n]*\n)*\s*([A-Za-z_]+)\s*:", re.I | re.M)


def guessed_keys(xrdf_text: str) -> tuple[str, ...]:
    """Keys below a comment that calls what follows a placeholder or guessed, each once, in the order of the text."""
    return tuple(dict.fromkeys(_GUESS.findall(xrdf_text)))


def first_guess(xrdf_text: str) -> int | None:
    """Line (1-based) of the first of them."""
    found = _GUESS.search(xrdf_text)
    return xrdf_text.count("\n", 0, found.start(1)) + 1 if found else None
