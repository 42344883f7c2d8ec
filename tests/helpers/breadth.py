"""How broadly a run looks: `packaging/test.py --deep` tries many of a kind where the usual run
tries one of each.

What is protected is so in both: the usual run has every named example, one robot of each kind, and
fewer random ones.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

import pytest

#: packaging/test.py --deep sets it, for this process and those that tests start.
VARIABLE = "XRDF_EDITOR_DEEP_TESTS"
DEEP = bool(os.environ.get(VARIABLE))
#: One random example in this many is drawn in the usual run, and never fewer than FEWEST.
USUAL_SHARE = 4
FEWEST = 8

T = TypeVar("T")

#: For a test that is breadth alone: another one, in every run, protects the same on one robot.
only_deep = pytest.mark.skipif(not DEEP, reason="breadth: packaging/test.py --deep runs it")


def examples(count: int) -> int:
    """How many random examples a property is tried on, where a deep run tries `count`."""
    return count if DEEP else min(count, max(FEWEST, count // USUAL_SHARE))


def of_each_kind(every: Sequence[T], usual: Sequence[T]) -> Sequence[T]:
    """All that a test is tried on in a deep run, or the `usual` ones. Raises ValueError for a usual
    one not in it."""
    if strangers := [value for value in usual if value not in every]:
        raise ValueError(f"not among all that a deep run tries: {strangers}")
    return every if DEEP else usual
