"""What a window in another process says of itself: a file of JSON, replaced whole whenever
something has changed."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from PySide6.QtCore import QTimer


def keep_writing(facts: Callable[[], Mapping[str, Any]], target: Path) -> QTimer:
    """Looks at the facts every 30 ms, and writes them when they are others than before; the caller
    keeps the timer."""
    from PySide6.QtCore import QTimer

    written = ""

    def write() -> None:
        nonlocal written
        text = json.dumps(facts())
        if text != written:
            written = text
            part = target.with_suffix(".part")
            part.write_text(text, encoding="utf-8")
            os.replace(part, target)

    timer = QTimer(interval=30)
    timer.timeout.connect(write)
    timer.start()
    return timer


def facts_in(target: Path) -> dict[str, Any]:
    """What was written last; nothing before the first time."""
    facts: dict[str, Any] = (
        json.loads(target.read_text(encoding="utf-8")) if target.is_file() else {}
    )
    return facts
