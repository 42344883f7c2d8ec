"""The progress of a command on standard error: a bar on a terminal, else a line per stage."""

from __future__ import annotations

import contextlib
import signal
import sys
import time
from collections.abc import Callable, Iterator

from editor_app.cli._output import is_quiet, remark
from editor_app.model.printable import printable


@contextlib.contextmanager
def progress_bar(patience: float = 0.0) -> Iterator[Callable[[float, str], None]]:
    """Shows a share (negative: not known) and a sentence; the line is gone when the work is over.

    Where no terminal is, nothing is shown in the first `patience` seconds: a command that is quick has nothing to tell.
    """
    if is_quiet() or not sys.stderr.isatty():
        yield _Stages(patience).show
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (
        BarColumn(24),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.description}", markup=False),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)

        def show(fraction: float, sentence: str) -> None:
            bar.update(
                task,
                description=printable(sentence),
                total=1.0 if fraction >= 0 else None,
                completed=max(0.0, fraction),
            )

        yield show


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
    """Whether Ctrl-C came. A value that can be sent to a process, where it stays as it was."""

    def __init__(self) -> None:
        self.came = False

    def __call__(self) -> bool:
        return self.came

    def note(self, number: int, frame: object) -> None:
        """What the signal calls."""
        self.came = True
        raise KeyboardInterrupt


@contextlib.contextmanager
def interrupts() -> Iterator[Interrupts]:
    """Ctrl-C as the `cancel` of a verb, beside KeyboardInterrupt.

    Libraries that are being imported or called back catch whatever is raised in them: the exception alone can be lost.
    """
    interrupted = Interrupts()
    before = signal.signal(signal.SIGINT, interrupted.note)
    try:
        yield interrupted
    finally:
        signal.signal(signal.SIGINT, before)
