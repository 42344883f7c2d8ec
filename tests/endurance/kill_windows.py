"""kill -9 of a window in the middle of an edit script: what the next start restores is at most one
step behind.

Each window is a process of its own with the real main window (session, panels, journal; no 3D view,
which holds nothing unsaved), forked from one that has imported everything, on the display that is
there or on Qt's offscreen platform. It opens a robot and edits; each step is told through a pipe as
soon as the document has it. After the kill the journal is read as the next start does, and has to
hold the last step told or the one before.
"""

from __future__ import annotations

import argparse
import os
import random
import select
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from editor_app.core.document.commands.lists import set_item
from tests.helpers.isolation import isolate_home

#: Seconds between two steps: from a key that is held down to a person who thinks.
_FASTEST, _SLOWEST = 0.02, 0.12
_STEPS = 400


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--count", type=int, default=1000, help="windows")


def run(options: argparse.Namespace) -> int:
    isolate_home()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory() as folder:
        figures = kill_windows(Path(folder), options.count, options.seed)
    print(", ".join(f"{n} {outcome}" for outcome, n in figures.items()))
    return 1 if figures["too far behind"] else 0


def kill_windows(folder: Path, count: int, seed: int) -> Counter[str]:
    """Kills `count` windows; "too far behind" counts broken promises, each printed."""
    # All that a window imports, before the first is forked; no thread and no application yet.
    import tests.helpers.windows  # noqa: F401
    from editor_app.core.document.journal import journal_folder, stock
    from tests.helpers.documents import make_document

    os.environ["XRDF_EDITOR_STATE"] = str(folder / "state")
    rng = random.Random(seed)
    figures: Counter[str] = Counter({"windows killed": 0, "too far behind": 0})
    make_document(folder)
    for number in range(count):
        told = _killed_window(folder, rng.randrange(1 << 30), rng.uniform(0.05, 1.5))
        figures["windows killed"] += 1
        restored = 0
        for path, entry in stock(journal_folder()).orphans:
            restored = max(restored, _step_of(entry.texts.get("xrdf", "")))
            path.unlink()
        behind = told - restored
        figures[f"{behind} steps behind" if behind != 1 else "1 step behind"] += 1
        figures["steps"] += told
        if behind > 1:
            figures["too far behind"] += 1
            print(
                f"LOST: window {number}: step {told} was made, step {restored} is restored",
                file=sys.stderr,
            )
        left = (
            [path.name for path in journal_folder().glob("*")] if journal_folder().is_dir() else []
        )
        if left:
            figures["too far behind"] += 1
            print(f"LEFT BEHIND: {', '.join(left)}", file=sys.stderr)
    return figures


def _step_of(text: str) -> int:
    """The number of the step that wrote `text`: the default position of the elbow is a thousandth
    of it."""
    for line in text.splitlines():
        if line.strip().startswith("elbow:"):
            return round(float(line.split(":")[1]) * 1000) if "0.5" not in line.split(":")[1] else 0
    return 0


def _killed_window(folder: Path, seed: int, seconds: float) -> int:
    """Starts a window, kills it so long after its first step, and returns the last step that it
    told."""
    ready, tell = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(ready)
        try:
            _window(folder, seed, tell)
        finally:
            os._exit(1)
    os.close(tell)
    last, data = 0, b""
    # The first step: the window is there.
    data += os.read(ready, 4)
    started = time.monotonic()
    while (left := started + seconds - time.monotonic()) > 0:
        if select.select([ready], [], [], left)[0]:
            data += os.read(ready, 4096)
    os.kill(child, signal.SIGKILL)
    while more := os.read(ready, 4096):
        data += more
    os.close(ready)
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status):
        raise RuntimeError("a window ended by itself")
    if len(data) >= 4:
        last = int.from_bytes(data[len(data) // 4 * 4 - 4 : len(data) // 4 * 4], "little")
    return last


def _window(folder: Path, seed: int, tell: int) -> None:
    from PySide6.QtCore import QTimer

    from editor_app.window.app import make_application
    from tests.helpers.windows import open_window

    application = make_application()
    rng = random.Random(seed)
    with open_window(folder, folder / "arm.urdf") as window:
        steps = 0

        def edit() -> None:
            nonlocal steps
            steps += 1
            window.session.execute(set_item("xrdf.default_joint_positions", "elbow", steps / 1000))
            os.write(tell, steps.to_bytes(4, "little"))
            if steps < _STEPS:
                QTimer.singleShot(round(1000 * rng.uniform(_FASTEST, _SLOWEST)), window, edit)

        edit()
        application.exec()
