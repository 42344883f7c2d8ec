"""How long the window's thread does not answer: a robot is opened, panels are visited, an edit is
made, undone, saved.

    python -m tests.bench.bench_stalls [ROBOT …] [--stacks]

ROBOT is a URDF, or one of ur10, g1, talos and pr2 (the default: g1, with spheres that are made
once). Needs a display. A stall is a turn of the event loop, less the render of the 3D view; the
goal is at most 100 ms of CPU time. `--stacks` samples the thread every 10 ms, and shows the calls
in turns above the goal, with how often they were seen.
"""

from __future__ import annotations

import argparse
import collections
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

from editor_app.core.document.commands.lists import set_item
from tests.bench.bench_window import Frames, prepared

#: Milliseconds of CPU time that one turn of the event loop may take.
GOAL = 100.0
#: Seconds between two looks of the sampler; frames of a stack that are kept; looks that a call is
#: shown for.
_LOOK, _DEPTH, _LEAST = 0.01, 40, 2
#: The panels below and beside the view, in the order in which they are visited.
PANELS = (
    "findings",
    "self-collision",
    "motion",
    "source",
    "fit",
    "measurements",
    "history",
    "srdf",
    "urdf",
    "xrdf",
)


class Watchdog:
    """The CPU time of each turn of the event loop in the thread that made it, from one wait for
    events to the next."""

    def __init__(self, app: Any, *, samples: bool) -> None:
        dispatcher = app.eventDispatcher()
        dispatcher.awake.connect(self._wake)
        dispatcher.aboutToBlock.connect(self._block)
        self.frames: Frames | None = None
        self._began: tuple[float, float, float] | None = None
        #: Milliseconds of CPU time and by the clock of the turns above a tenth of the goal.
        self.turns: list[tuple[float, float]] = []
        #: Where the thread was in turns above the goal, and in the present one.
        self.stacks: collections.Counter[str] = collections.Counter()
        self._now: collections.Counter[str] = collections.Counter()
        if samples:
            # A signal, not a thread: Python 3.11 can crash where another thread looks at the frames
            # of this one.
            signal.signal(signal.SIGALRM, self._sample)
            signal.setitimer(signal.ITIMER_REAL, _LOOK, _LOOK)

    @property
    def _drawn(self) -> float:
        return self.frames.seconds + self.frames.composed if self.frames is not None else 0.0

    def _wake(self) -> None:
        # With a timer that is due, the loop goes on without a wait.
        self._block()
        self._began = time.thread_time(), time.perf_counter(), self._drawn

    def _block(self) -> None:
        if self._began is not None:
            cpu, wall, drawn = self._began
            spent = 1e3 * (time.thread_time() - cpu - (self._drawn - drawn))
            if spent > GOAL / 10:
                self.turns.append((spent, 1e3 * (time.perf_counter() - wall)))
            if spent > GOAL:
                self.stacks.update(self._now)
            self._now = collections.Counter()
            self._began = None

    def _sample(self, _number: int, frame: FrameType | None) -> None:
        if self._began is not None and time.perf_counter() - self._began[1] > GOAL / 2e3:
            lines = []
            while frame is not None:
                code = frame.f_code
                lines.append(f"{Path(code.co_filename).name}:{frame.f_lineno} {code.co_name}")
                frame = frame.f_back
            lines.reverse()
            below = next((i for i, line in enumerate(lines) if line.endswith(" rest")), 0)
            self._now["\n".join(lines[below:][-_DEPTH:])] += 1

    def take(self) -> tuple[list[tuple[float, float]], list[str]]:
        """The turns since the last call, the longest first, and the tree of calls in those above
        the goal."""
        turns, self.turns = sorted(self.turns, reverse=True), []
        stacks, self.stacks = self.stacks, collections.Counter()
        counts: collections.Counter[tuple[str, ...]] = collections.Counter()
        for stack, count in stacks.items():
            frames = tuple(stack.split("\n"))
            for depth in range(len(frames)):
                counts[frames[: depth + 1]] += count
        # A call that does nothing but make one other call is left out.
        inner = {
            frames[:-1]: count for frames, count in counts.items() if count == counts[frames[:-1]]
        }
        shown = (f for f in sorted(counts) if counts[f] >= _LEAST and f not in inner)
        return turns, [f"    {counts[f]:4} {'  ' * len(f)}{f[-1]}" for f in shown]

    def end(self) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)


def rest(seconds: float) -> None:
    """Run the event loop, which waits for events as in the program."""
    from PySide6.QtCore import QEventLoop, QTimer

    loop = QEventLoop()
    QTimer.singleShot(round(seconds * 1e3), loop.quit)
    loop.exec()


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("robots", nargs="*", metavar="ROBOT")
    parser.add_argument("--spheres", type=int, default=None, help="put so many near the surfaces")
    parser.add_argument(
        "--stacks", action="store_true", help="show where the thread was during the stalls"
    )
    options = parser.parse_args()
    from tests.helpers.isolation import isolate_home

    isolate_home()
    # GLib's loop of Qt does not report when it waits.
    os.environ["QT_NO_GLIB"] = "1"
    from PySide6.QtWidgets import QApplication

    app = QApplication(sys.argv[:1])
    worst = 0.0
    for name in options.robots or ["g1"]:
        urdf, xrdf = prepared(name, options.spheres)
        watchdog = Watchdog(app, samples=options.stacks)
        with tempfile.TemporaryDirectory() as folder:
            for step, longest in measure(app, Path(folder), urdf, xrdf, watchdog):
                worst = max(worst, longest)
                print(
                    f"  {step}: {longest:.0f} ms{'' if longest <= GOAL else '  above the goal'}",
                    flush=True,
                )
        watchdog.end()
    print(f"longest stall: {worst:.0f} ms (goal: {GOAL:.0f})")
    return 0 if worst <= GOAL else 1


def measure(
    app: Any, folder: Path, urdf: Path, xrdf: Path | None, watchdog: Watchdog
) -> Iterator[tuple[str, float]]:
    """Name and longest stall (milliseconds) of each step."""
    from editor_app.core.document.selection import Selection
    from tests.helpers.windows import open_window

    def wait_until(condition: Callable[[], object]) -> None:
        while not condition():
            rest(0.1)

    def step(
        name: str, act: Callable[[], object], until: Callable[[], object] = lambda: True
    ) -> tuple[str, float]:
        from PySide6.QtCore import QTimer

        watchdog.take()
        QTimer.singleShot(0, app, act)
        rest(0.3)
        wait_until(until)
        rest(2.0)
        turns, stacks = watchdog.take()
        print(*stacks, sep="\n", end="\n" if stacks else "")
        longest = ", ".join(f"{cpu:.0f} in {wall:.0f}" for cpu, wall in turns[:5])
        return f"{name} ({longest})", turns[0][0] if turns else 0.0

    with open_window(folder, viewport=True, size=(1600, 1000)) as window:
        window.start_background(offer=False)
        wait_until(lambda: window.viewport is not None)
        assert window.viewport is not None
        watchdog.frames = Frames(window.viewport.canvas)
        print(f"{urdf.stem}:")

        def is_idle() -> bool:
            return (
                window.session.has_robot
                and not window.meshes.is_loading
                and not window.feed.is_busy
            )

        yield step("the first seconds", lambda: None, lambda: not window.docks.unmade())
        yield step("opening", lambda: window.files.open(urdf, xrdf), is_idle)
        for panel in PANELS:
            yield step(f"first visit of {panel}", partial(window.docks.show, panel))
        for panel in PANELS[:4]:
            yield step(f"second visit of {panel}", partial(window.docks.show, panel))
        frame = next(iter(window.session.robot.xrdf.spheres_of(window.session.active_group)))
        session, copy = window.session, folder / "saved.xrdf"
        window.session.select(Selection(links=(frame,)))
        buffer = set_item("xrdf.self_collision.buffer_distance", frame, 0.001)
        yield step("first edit", lambda: session.execute(buffer), is_idle)
        yield step("undo", session.undo, is_idle)
        yield step("second edit", lambda: session.execute(buffer), is_idle)
        session.document.xrdf_path = copy
        yield step("saving", lambda: window.registry.trigger("file.save"), is_idle)


if __name__ == "__main__":
    sys.exit(main())
