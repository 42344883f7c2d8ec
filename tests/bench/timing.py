"""What the benchmarks share: the best of several runs, and a line that compares it."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable


def best_of(function: Callable[[], object], repeat: int) -> float:
    """Least CPU seconds of `repeat` runs: what noise adds is left out, and other programs do not
    count."""
    function()
    gc.collect()
    times = []
    for _ in range(repeat):
        begin = time.process_time()
        function()
        times.append(time.process_time() - begin)
    return min(times)


def report(title: str, seconds: float, peer: float | None = None) -> None:
    """One line: milliseconds, and the ratio to a cost in the same run."""
    ratio = f"   {seconds / peer:6.2f} ×" if peer else ""
    print(f"{title:<55}{seconds * 1000:9.1f} ms{ratio}")
