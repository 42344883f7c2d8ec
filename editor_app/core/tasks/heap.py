"""The heap of this process: free memory goes back to the system, and results that are computed
again on demand go."""

from __future__ import annotations

import ctypes
import gc
import sys
from collections.abc import Callable
from typing import Any

from editor_app.core.tasks.task import TaskReporter

#: From malloc.h of the GNU library.
_M_ARENA_MAX = -8
#: Called in a process that has nothing to do: each drops results that can be computed again.
DROPS: list[Callable[[], object]] = []


def drop_results(reporter: TaskReporter) -> None:
    """A job: drop what this process keeps for other jobs but can compute again, and give its memory
    back."""
    for drop in DROPS:
        drop()
    gc.collect()
    give_back()


def give_back() -> bool:
    """Give the free pages of the heap back to the system; False where the C library has no such
    call."""
    trim = _of_the_c_library("malloc_trim")
    if trim is None:
        return False
    trim.argtypes, trim.restype = (ctypes.c_size_t,), ctypes.c_int
    trim(0)
    return True


def keep_the_heap_together() -> bool:
    """Use two heaps for all threads instead of eight a processor, each with gaps; before threads
    are started.

    False where the C library has no such call.
    """
    option = _of_the_c_library("mallopt")
    if option is None:
        return False
    option.argtypes, option.restype = (ctypes.c_int, ctypes.c_int), ctypes.c_int
    return bool(option(_M_ARENA_MAX, 2))


def _of_the_c_library(name: str) -> Any:
    if not sys.platform.startswith("linux"):
        return None
    try:
        return getattr(ctypes.CDLL(None), name, None)
    except OSError:
        return None
