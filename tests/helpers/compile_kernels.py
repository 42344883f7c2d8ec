"""Compiles what is compiled on first use, before tests that run side by side would each do it.

python -m tests.helpers.compile_kernels fits|distances|motion
"""

from __future__ import annotations

import sys
import time
from typing import Any

from editor_app.features.masks.verbs.pair_distances import prepare_distances
from editor_app.features.spheres.verbs.link_fits import prepare_fitting
from editor_app.plugins.motion.engine.warmup import warm_up_motion


class _Silent:
    def progress(self, fraction: float, sentence: str) -> None:
        pass

    def partial(self, value: Any) -> None:
        pass


def _prepare_motion(report: _Silent) -> None:
    warm_up_motion()


PARTS: dict[str, Any] = {"fits": prepare_fitting, "distances": prepare_distances, "motion": _prepare_motion}

if __name__ == "__main__":
    started = time.monotonic()
    PARTS[sys.argv[1]](_Silent())
    print(f"Compiled code is ready after {time.monotonic() - started:.0f} s.")
