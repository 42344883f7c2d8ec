"""What the fit panel runs in the background: a fit of links; and previews, the most urgent kind first."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from editor_app.fitting.links import LinkFit, LinkMesh
from editor_app.fitting.settings import FitSettings
from editor_app.gui.fitting.context import FitContext
from editor_app.gui.jobs import JobSlot, ThreadReport
from editor_app.model.robot import RobotDescription
from editor_app.operations.fit import fit_meshes
from editor_app.operations.fit_choices import FitChoices, with_choices
from editor_app.tasks.executor import ProcessExecutor


@dataclass(frozen=True, slots=True)
class FitNews:
    """What is told while a fit runs: a sentence, the share of the work of links that is done, or finished fits."""

    sentence: str = ""
    links: tuple[str, ...] = ()
    share: float = 0.0
    fits: tuple[LinkFit, ...] = ()


@dataclass(frozen=True, slots=True)
class FitRun:
    """Called in a thread; its partial results are FitNews.

    `total`: spheres to share out; None: every mesh gets the settings as they are.
    """

    robot: RobotDescription
    urdf_path: Path | None
    packages: Mapping[str, Path]
    meshes: tuple[LinkMesh, ...]
    settings: FitSettings
    total: int | None
    choices: FitChoices
    executor: ProcessExecutor

    def __call__(self, report: ThreadReport) -> None:
        shares = {mesh.link: 0.0 for mesh in self.meshes}

        def tell(fraction: float, sentence: str) -> None:
            report.tell(fraction, f"{sum(share >= 1 for share in shares.values())} of {len(shares)} links")
            report.partial(FitNews(sentence))

        def tell_links(links: tuple[str, ...], share: float) -> None:
            shares.update(dict.fromkeys(links, share))
            report.partial(FitNews(links=links, share=share))

        meshes, _ = with_choices(self.robot, self.urdf_path, self.packages, self.meshes, self.choices)
        fit_meshes(
            meshes,
            self.settings,
            self.total,
            executor=self.executor,
            progress=tell,
            cancel=report.is_cancelled,
            on_links=tell_links,
            on_fits=lambda fits: report.partial(FitNews(fits=tuple(fits))),
        )


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
