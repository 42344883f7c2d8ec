"""Guesses in the text of an XRDF: comments above an entry, which drafts write and which are read back here alone."""

from __future__ import annotations

import re

from editor_app.formats.xrdf.read import XrdfSource
from editor_app.model.frozen import FrozenDict
from editor_app.model.guesses import Guesses

#: The words that mark an entry in the comment above it, in any case.
GUESSED, PLACEHOLDER = "Guessed", "Placeholder"
_MARKED = re.compile(
    rf"^\s*#[^\n]*\b(?:{PLACEHOLDER}|{GUESSED})\b[^\n]*\n(?:\s*#[^\n]*\n)*\s*([A-Za-z_]+)\s*:", re.I | re.M
)
_POSITIONS = "default_joint_positions"


def _guessed_keys(xrdf_text: str) -> tuple[str, ...]:
    """Keys below a comment that calls what follows a placeholder or guessed, each once, in the order of the text."""
    return tuple(dict.fromkeys(_MARKED.findall(xrdf_text)))


def guesses_of(source: XrdfSource) -> Guesses:
    """What the comments of a file call guessed, with the values that they call so."""
    text = source.source.text
    positions, cspace = source.span((_POSITIONS,)), source.span(("cspace",))
    is_guessed = positions is not None and _says_guessed(text[: positions[0]])
    return Guesses(
        _guessed_keys(text),
        source.xrdf,
        (source.xrdf.default_joint_positions or FrozenDict()) if is_guessed else FrozenDict(),
        # A comment behind the last value counts, too.
        cspace is not None and PLACEHOLDER.lower() in text[cspace[0] : cspace[1] + 120].lower(),
    )


def _says_guessed(before: str) -> bool:
    """Whether the comment at the end of this text says that what follows is guessed."""
    for line in reversed(before.splitlines()):
        text = line.strip()
        if text and not text.startswith("#"):
            return False
        if GUESSED.lower() in text.lower():
            return True
    return False
