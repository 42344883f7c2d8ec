"""What the documents of formats say, as values that tests hold and the manual lists."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Row:
    """`old` becomes `new` in the document's text; `read` gives `value` before. `shown`: a module of
    the window.

    `bad` in the place of `old` gives a finding `code`. `left_out` names the program whose document
    the row is in, and that does not support it itself.
    """

    item: str
    old: str
    new: str
    read: Callable[[Any], object]
    value: object
    shown: str
    bad: str = ""
    code: str = ""
    left_out: str = ""


@dataclass(frozen=True)
class Statement:
    """A sentence of a document that is about more than one value; `holds` raises AssertionError or
    gives False."""

    sentence: str
    holds: Callable[[], bool]
    #: The program that does not do so itself.
    left_out: str = ""
