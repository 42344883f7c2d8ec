"""Threads that share the work of one analysis: its kernels run without the interpreter lock, on one
copy of the robot.

A process for each core would load the robot and the compiled code once more.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from types import TracebackType
from typing import TypeVar

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

#: More threads than this wait for the interpreter lock most of the time.
MOST_THREADS = 8
#: Seconds between two calls of `on_wait`.
WAIT_SECONDS = 0.05


def usual_threads() -> int:
    """One per core that this process may use, up to `MOST_THREADS`."""
    affinity = getattr(os, "sched_getaffinity", None)
    return max(
        1, min(MOST_THREADS, len(affinity(0)) if affinity is not None else os.cpu_count() or 1)
    )


class Crew:
    """Calls a function on many items, in several threads; leaving the `with` block ends them.

    `threads`: default `usual_threads()`; a single one is the caller's. `on_wait` is called in the
    caller's thread every `WAIT_SECONDS` or more often, and ends the work by raising.
    """

    def __init__(
        self, threads: int | None = None, on_wait: Callable[[], None] = lambda: None
    ) -> None:
        self._threads = usual_threads() if threads is None else threads
        self._on_wait = on_wait
        self._pool = (
            ThreadPoolExecutor(self._threads, "self-collision") if self._threads > 1 else None
        )
        self._is_over = False

    def __enter__(self) -> Crew:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._is_over = True
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def map(
        self, function: Callable[[_Item], _Result], items: Iterable[_Item]
    ) -> Iterator[_Result]:
        """Yield the results in the order of the items. `function` calls `pause` between its
        kernels."""
        if self._pool is None:
            yield from map(function, items)
            return
        futures = deque(self._pool.submit(function, item) for item in items)
        while futures:
            try:
                result = futures[0].result(WAIT_SECONDS)
            except TimeoutError:
                self._on_wait()
                continue
            futures.popleft()
            yield result

    def pause(self) -> None:
        """End the call of `map`'s function that this is called from, if the work is over. Raises
        CancelledError."""
        if self._pool is None:
            self._on_wait()
        elif self._is_over:
            raise CancelledError
