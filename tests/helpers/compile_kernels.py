"""Compiles what is compiled on first use, before tests that run side by side would each do it.

python -m tests.helpers.compile_kernels fits|distances
"""

from __future__ import annotations

import sys
import time
from typing import Any

from editor_app.operations.fit_jobs import PrepareFitting
from editor_app.operations.pair_distances import PrepareDistances


class _Silent:
    def progress(self, fraction: float, sentence: str) -> None:
        pass

    def partial(self, value: Any) -> None:
        pass


PARTS = {"fits": PrepareFitting, "distances": PrepareDistances}

if __name__ == "__main__":
    started = time.monotonic()
    PARTS[sys.argv[1]]()(_Silent())
    print(f"Compiled code is ready after {time.monotonic() - started:.0f} s.")
