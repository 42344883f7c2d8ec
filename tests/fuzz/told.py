"""The way of an error through a reader."""

from __future__ import annotations

import traceback
from collections.abc import Hashable

from editor_app.core.text.source import FormatError


def told(error: FormatError) -> Hashable:
    """The lines of code that the error came through. An error without a sentence is one that nobody
    understands."""
    if not str(error):
        raise AssertionError("an error without words") from error
    return tuple(
        (frame.name, frame.lineno) for frame in traceback.extract_tb(error.__traceback__, limit=-4)
    )
