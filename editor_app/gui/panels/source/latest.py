"""Questions about a text that are answered in a thread, one at a time; the last one that was asked counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from editor_app.gui.jobs import Jobs, RunningJob
from editor_app.tasks.worker import JobError


class Latest:
    """Of one kind of question. An answer that another question has overtaken is dropped."""

    def __init__(self, jobs: Jobs, name: str) -> None:
        self._jobs = jobs
        self._name = name
        self._running: RunningJob | None = None
        self._next: tuple[Callable[[], Any], Callable[[Any], None]] | None = None
        self._is_wanted = False

    @property
    def is_busy(self) -> bool:
        return self._running is not None

    def ask(self, question: Callable[[], Any], answer: Callable[[Any], None]) -> None:
        """Calls `answer` with what `question` returns. `question` runs in a thread: no Qt, nothing mutable."""
        if self._running is not None:
            self._next = (question, answer)
            return
        self._is_wanted = True

        def done(value: Any) -> None:
            self._running = None
            if self._is_wanted and self._next is None:
                answer(value)
            self._go_on()

        def failed(error: JobError) -> None:
            self._running = None
            self._go_on()
            self._jobs.failed_unexpectedly.emit(None, error)

        self._running = self._jobs.run_in_thread(
            self._name, lambda _report: question(), done, failed, self._cancelled, quiet=True
        )

    def forget(self) -> None:
        """No answer is wanted any more."""
        self._next = None
        self._is_wanted = False

    def _cancelled(self) -> None:
        self._running = None

    def _go_on(self) -> None:
        waiting, self._next = self._next, None
        if waiting is not None and self._running is None:
            self.ask(*waiting)
