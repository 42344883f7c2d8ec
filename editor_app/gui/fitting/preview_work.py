"""One preview job at a time, the most urgent kind first; its process keeps the solids that it knows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from editor_app.gui.fitting.context import FitContext
from editor_app.gui.jobs import RunningJob
from editor_app.tasks.worker import JobError


@dataclass(frozen=True, slots=True)
class Work:
    """A job, and what takes its partial results."""

    name: str
    job: Any
    on_partial: Callable[[Any], None]


class PreviewWork(QObject):
    """Kinds of work are asked for with `need`; the details are found out when its turn comes."""

    #: Other work runs or waits now.
    changed = Signal()
    #: (fraction) of what runs.
    progressed = Signal(float)
    #: Kind of work that has ended, whatever way.
    ended = Signal(str)
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
        self._job: RunningJob | None = None
        self.kind = ""

    @property
    def is_busy(self) -> bool:
        return self._job is not None or bool(self._needs)

    def waits(self, kind: str) -> bool:
        return kind in self._needs

    def runs_or_waits(self, kind: str) -> bool:
        return kind == self.kind or kind in self._needs

    def need(self, kind: str, *, instead_of: tuple[str, ...] = ()) -> None:
        """Asks for it; work of the kinds `instead_of` that runs is stopped first."""
        self._needs.add(kind)
        if self.kind in instead_of:
            self.stop()
        self._pump()

    def need_later(self, kind: str) -> None:
        """Asks for it when the event loop is idle."""
        self._needs.add(kind)
        QTimer.singleShot(0, self, self._pump)

    def drop(self, *kinds: str) -> None:
        """Nobody needs these any more."""
        self._needs -= set(kinds)
        if self.kind in kinds:
            self.stop()

    def stop(self) -> None:
        """Asks what runs to end early; its process goes on, which knows the solids."""
        self._context.stop_file().set()

    # -- inside

    def _pump(self) -> None:
        if self._job is not None or self._context.is_closed:
            return
        for kind, make in self._makers.items():
            if kind not in self._needs:
                continue
            self._needs.discard(kind)
            work = make()
            if work is not None:
                self._run(kind, work)
                return
        self.kind = ""
        self.changed.emit()

    def _run(self, kind: str, work: Work) -> None:
        self._context.stop_file().clear()
        self.kind = kind
        self.progressed.emit(0.0)
        self._job = self._context.preview_jobs.run(
            work.name,
            work.job,
            on_done=lambda _: self._end(),
            on_partial=work.on_partial,
            on_error=self._fail,
            on_cancelled=self._end,
            on_progress=lambda fraction, _: self.progressed.emit(max(0.0, fraction)),
            quiet=True,
        )
        self.changed.emit()

    def _fail(self, error: JobError) -> None:
        self.failed.emit(error)
        self._end()

    def _end(self) -> None:
        kind, self._job, self.kind = self.kind, None, ""
        self.ended.emit(kind)
        self._pump()
