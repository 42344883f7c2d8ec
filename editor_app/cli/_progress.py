"""The progress of a command on standard error: a bar on a terminal, else a line per stage."""

from __future__ import annotations

import contextlib
import signal
import sys
import time
from collections.abc import Callable, Iterator

from editor_app.cli._output import is_quiet, remark, rewrite_line


@contextlib.contextmanager
def progress_bar(patience: float = 0.0) -> Iterator[Callable[[float, str], None]]:
    """Shows a share (negative: not known) and a sentence; the line is gone when the work is over.

    Where no terminal is, nothing is shown in the first `patience` seconds: a command that is quick
    has nothing to tell.
    """
    if is_quiet() or not sys.stderr.isatty():
        yield _Stages(patience).show
        return
    bar = _Bar()
    try:
        yield bar.show
    finally:
        bar.clear()


class _Bar:
    """A line of a terminal that is written again and again: bar, share, time that is left,
    sentence."""

    _WIDTH = 24
    #: Seconds between two pictures of the line: more often nobody reads it, and terminals are slow.
    _PAUSE = 0.1
    #: Before so much is done, a guess of the time that is left is none.
    _LEAST_TO_GUESS = 0.02

    def __init__(self) -> None:
        self._begin = time.monotonic()
        self._shown_at = -self._PAUSE

    def show(self, fraction: float, sentence: str) -> None:
        now = time.monotonic()
        if now - self._shown_at < self._PAUSE and fraction < 1.0:
            return
        self._shown_at = now
        done = min(1.0, max(0.0, fraction))
        share = f"{100 * done:3.0f} %" if fraction >= 0 else "     "
        left = (now - self._begin) * (1.0 / done - 1.0) if done > self._LEAST_TO_GUESS else None
        rest = "  -:--" if left is None else f"{int(left // 60):3d}:{int(left % 60):02d}"
        filled = round(done * self._WIDTH)
        rewrite_line(f"[{'#' * filled}{' ' * (self._WIDTH - filled)}] {share} {rest}  {sentence}")

    def clear(self) -> None:
        rewrite_line("")


class _Stages:
    """A line for each new stage: what stands before the colon of a sentence."""

    def __init__(self, patience: float) -> None:
        self._last = ""
        self._from = time.monotonic() + patience

    def show(self, fraction: float, sentence: str) -> None:
        stage = sentence.partition(": ")[0]
        if (stage != self._last or fraction >= 1.0) and time.monotonic() >= self._from:
            self._last = stage
            share = "    " if fraction < 0 else f"{100 * fraction:3.0f} %"
            remark(f"{share}  {stage}")


class Interrupts:
    """The state of Ctrl-C. It can be sent to a process, in which its value stays."""

    def __init__(self) -> None:
        self.came = False

    def __call__(self) -> bool:
        return self.came

    def note(self, number: int, frame: object) -> None:
        """Handle the signal."""
        self.came = True
        raise KeyboardInterrupt


@contextlib.contextmanager
def interrupts() -> Iterator[Interrupts]:
    """Ctrl-C as the `cancel` of a verb, beside KeyboardInterrupt.

    Libraries that are being imported or called back catch whatever is raised in them: the exception
    alone can be lost.
    """
    interrupted = Interrupts()
    before = signal.signal(signal.SIGINT, interrupted.note)
    try:
        yield interrupted
    finally:
        signal.signal(signal.SIGINT, before)
