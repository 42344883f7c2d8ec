"""One preview job at a time, the most urgent kind first; its process keeps the solids that it knows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from editor_app.gui.fitting.context import FitContext
from editor_app.gui.jobs import JobSlot


@dataclass(frozen=True, slots=True)
class Work:
    """A job, and what takes its partial results."""

    name: str
    job: Any
    on_partial: Callable[[Any], None]


class PreviewWork(QObject):
    """Kinds of work are asked for with `need_later`; the details are found out when its turn comes."""

    #: Other work runs or waits now.
    changed = Signal()
    #: JobError
    failed = Signal(object)

    def __init__(
        self, context: FitContext, makers: Mapping[str, Callable[[], Work | None]], parent: QObject | None = None
    ) -> None:
        """`makers`: kinds, the most urgent first, and what makes the work; None: there is nothing to do."""
        super().__init__(parent)
        self._context = context
        self._makers = makers
        self._needs: set[str] = set()
        self._slot = JobSlot(context.window_jobs, self._pump, quiet=True)
        #: What runs.
        self.kind = ""

    @property
    def is_busy(self) -> bool:
        return self._slot.is_running or bool(self._needs)

    def need_later(self, kind: str) -> None:
        """Asks for it when the event loop is idle."""
        self._needs.add(kind)
        QTimer.singleShot(0, self, self._pump)

    def drop(self, kind: str) -> None:
        """Nobody needs it any more: it is asked to end early; its process goes on, which knows the solids."""
        self._needs.discard(kind)
        if self.kind == kind:
            self._context.stop_file().set()

    def _pump(self) -> None:
        if self._context.is_closed:
            return
        work = None if self._slot.is_running else self._next()
        if work is None:
            self.changed.emit()
            return
        self._context.stop_file().clear()
        jobs = self._context.preview_jobs
        self._slot.run(work.name, work.job, jobs=jobs, each=work.on_partial, failed=self.failed.emit)

    def _next(self) -> Work | None:
        for kind in [kind for kind in self._makers if kind in self._needs]:
            self._needs.discard(kind)
            self.kind = kind
            if (work := self._makers[kind]()) is not None:
                return work
        self.kind = ""
        return None
