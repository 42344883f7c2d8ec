"""Compiles what is compiled on first use, before tests that run side by side would each do it. Run it as a module."""

from __future__ import annotations

import time
from typing import Any

from editor_app.tasks.robot_fit import PrepareFitting
from editor_app.tasks.self_collision import PrepareDistances


class _Silent:
    def progress(self, fraction: float, sentence: str) -> None:
        pass

    def partial(self, value: Any) -> None:
        pass


if __name__ == "__main__":
    started = time.monotonic()
    PrepareFitting()(_Silent())
    PrepareDistances()(_Silent())
    print(f"Compiled code is ready after {time.monotonic() - started:.0f} s.")
