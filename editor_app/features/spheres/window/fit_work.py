"""Background work of the fit panel: a fit of links; previews, the most urgent first; curves and
figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from PySide6.QtCore import QObject, QTimer, Signal

from editor_app.core.model.counting import format_count
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.tasks.executor import ProcessExecutor
from editor_app.core.tasks.task import Job, Task, TaskReporter
from editor_app.core.tasks.work import locate_robot
from editor_app.core.tasks.worker import JobError
from editor_app.features.spheres.engine.results import CurvePoint, FitResult, Refusals
from editor_app.features.spheres.engine.settings import FitSettings
from editor_app.features.spheres.fit_session import FitInputs
from editor_app.features.spheres.verbs.chosen_meshes import with_choices
from editor_app.features.spheres.verbs.fit import fit_meshes
from editor_app.features.spheres.verbs.link_figures import LinkFigures, measure_spheres
from editor_app.features.spheres.verbs.link_fits import (
    compute_quality_curve,
    round_spheres,
    stack_spheres,
)
from editor_app.features.spheres.window.context import FitContext
from editor_app.window.jobs import JobSlot


def fit_inputs(reporter: TaskReporter, inputs: FitInputs, executor: ProcessExecutor) -> None:
    """Fit meshes of links as `fit_meshes` does, in a thread; its partial results are
    `FitProgress`."""
    meshes, _ = with_choices(inputs.robot, inputs.meshes, inputs.choices)
    fit_meshes(meshes, inputs.settings, inputs.total, executor=executor, reporter=reporter)


class Work(NamedTuple):
    """A job, and the receiver of its partial results."""

    name: str
    job: Job
    on_partial: Callable[[Any], None]


class PreviewWork(QObject):
    """Kinds of work are asked for with `need_later`; the details are found out when its turn
    comes."""

    #: Other work runs or waits now.
    changed = Signal()
    #: JobError
    failed = Signal(object)

    def __init__(
        self,
        context: FitContext,
        makers: Mapping[str, Callable[[], Work | None]],
        parent: QObject | None = None,
    ) -> None:
        """`makers`: kinds, the most urgent first, and what makes the work; None: there is nothing
        to do."""
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
        """Ask it to end early; its process stays, which knows the solids."""
        self._needs.discard(kind)
        if self.kind == kind:
            self._slot.stop()

    def _pump(self) -> None:
        if self._context.is_closed:
            return
        work = None if self._slot.is_running else self._next()
        if work is None:
            self.changed.emit()
            return
        jobs = self._context.preview_jobs
        self._slot.run(
            work.name, work.job, jobs=jobs, each=work.on_partial, failed=self.failed.emit
        )

    def _next(self) -> Work | None:
        for kind in [kind for kind in self._makers if kind in self._needs]:
            self._needs.discard(kind)
            self.kind = kind
            if (work := self._makers[kind]()) is not None:
                return work
        self.kind = ""
        return None


NUMBERS = (2, 4, 6, 8, 12, 16, 24, 32, 48, 64)


class FitCurve(QObject):
    """Curves, each of a link, its shapes and the mode of the fit. They are kept until the shapes
    change."""

    #: Another point, or another refusal, is there.
    changed = Signal()

    def __init__(self, context: FitContext, mode: Callable[[], Any], parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._mode = mode
        self._points: dict[tuple[Any, ...], dict[int, CurvePoint]] = {}
        #: What the present robot refuses with the spheres of each point.
        self._refusals: dict[tuple[Any, ...], dict[int, Refusals]] = {}
        self._key: tuple[Any, ...] = ()
        self._is_wanted = False
        self._weighing = JobSlot(context.window_jobs, self.changed.emit)
        #: Why refusals could not be measured.
        self.problem = ""

    def points(self, link: str) -> dict[int, CurvePoint]:
        return self._points.get(self._key_of(link), {})

    def refusals(self, link: str) -> dict[int, Refusals]:
        return self._refusals.get(self._key_of(link), {})

    def work(self, link: str) -> Work | None:
        """Computes the missing points of a curve, then the refusals."""
        mesh = self._context.mesh(link)
        if mesh is None:
            return None
        self._key, self._is_wanted = self._key_of(link), True
        curve = self._points.setdefault(self._key, {})
        missing = tuple(n for n in NUMBERS if n not in curve)
        if not missing:
            self._weigh()
            return None
        settings = FitSettings(number=1, mode=self._mode(), effort="fast")
        return Work(
            "Computing the curve",
            Task(compute_quality_curve, mesh, settings, missing),
            self._take_point,
        )

    def stop(self) -> None:
        self._is_wanted = False
        self._weighing.drop()

    def forget(self, link: str | None = None) -> None:
        """The shapes of the link are others; None: the robot is."""
        for key in [key for key in self._points if link in (None, key[0])]:
            del self._points[key]
            self._refusals.pop(key, None)

    def forget_refusals(self) -> None:
        """The robot changed."""
        self._weighing.drop()
        self._refusals.clear()

    def _key_of(self, link: str) -> tuple[Any, ...]:
        return link, self._context.kind_of(link), self._context.bodies_used(link), self._mode()

    def _take_point(self, point: CurvePoint) -> None:
        if self._key in self._points:
            self._points[self._key][point.number] = point
        self._weigh()
        self.changed.emit()

    def _weigh(self) -> None:
        """Measures the refusals of a complete curve. Without a mask every configuration would be
        refused."""
        session = self._context.session
        document, weigh = session.document, self._context.weigh
        curve, refusals = self._points.get(self._key, {}), self._refusals.setdefault(self._key, {})
        if (
            weigh is None
            or not self._is_wanted
            or len(curve) < len(NUMBERS)
            or len(refusals) == len(curve)
        ):
            return
        robot = document.robot
        section = robot.xrdf.self_collision
        if (
            section is None
            or not section.ignored_pairs()
            or robot.xrdf.self_group != self._context.group
        ):
            return
        self.problem = ""
        fits = {
            n: round_spheres(each.spheres, self._mode())
            for n, each in curve.items()
            if n not in refusals
        }
        job = weigh(locate_robot(document), self._key[0], FrozenDict(fits))

        def take(value: tuple[int, Refusals]) -> None:
            if session.robot is robot:
                refusals[value[0]] = value[1]
                self.changed.emit()

        def fail(error: JobError) -> None:
            self.problem = f"False collisions could not be measured: {error.message}"

        self._weighing.run("Comparing with the meshes", job, each=take, failed=fail)


class PresentFigures:
    """Kept until spheres or shapes change."""

    def __init__(self, context: FitContext, changed: Callable[[], object]) -> None:
        self._context = context
        self._changed = changed
        self._figures: dict[str, LinkFigures] = {}
        self._was_measured = False

    def of(self, link: str) -> LinkFigures | None:
        return self._figures.get(link)

    def forget(self, link: str | None = None) -> None:
        """The spheres or shapes of the link are others; None: of all links."""
        self._figures = (
            {}
            if link is None
            else {name: each for name, each in self._figures.items() if name != link}
        )

    def work(self, link: str) -> Work | None:
        """Measures the spheres of a link, unless that is done."""
        context = self._context
        mesh = (
            context.mesh(link) if context.is_fitted_to_other(link) else context.measured_mesh(link)
        )
        if mesh is None or link in self._figures:
            return None
        spheres = context.present(link)

        def take(figures: LinkFigures) -> None:
            self._was_measured = True
            if context.present(link) == spheres:
                # Figures of spheres that were dragged on meanwhile are dropped.
                self._figures[link] = figures
            self._changed()

        return Work("Measuring", Task(measure_spheres, mesh, stack_spheres(spheres)), take)

    def caption(self, link: str) -> str:
        """The shapes that the figures are of."""
        bodies, used = self._context.bodies(link), self._context.bodies_used(link)
        if len(used) < len(bodies):
            return f"of {len(used)} of {len(bodies)} bodies"
        kind = self._context.kind_of(link)
        return f"of {kind} shapes" if kind else ""

    def notes(self, link: str, result: FitResult | None, kept: int, *, is_busy: bool) -> list[str]:
        """`result` of a fit; `kept`: spheres that it leaves as they are."""
        context, figures, lines = self._context, self.of(link), []
        if figures is None and result is None and is_busy:
            # The first time on a machine, the engine is compiled.
            lines.append("Measuring…" if self._was_measured else "Starting the fitting engine…")
        if result is not None:
            proof = result.certificate
            lines += [*result.notes, proof.text if proof is not None and proof.certified else ""]
        if figures is not None:
            lines.append(figures.note)
        if kept:
            lines.append(
                f"{format_count(kept, 'sphere')} of {link} are kept; the number counts new spheres "
                "only."
            )
        if context.kind not in ("auto", context.kind_of(link)):
            other = "visual" if context.kind == "collision" else "collision"
            lines.append(f"No {context.kind} shapes; using {other} shapes.")
        if context.is_fitted_to_other(link) and not context.is_comparing:
            usual = context.surfaces.kind(link)
            lines.append(
                f"In Links and Selection, the figures of {link} describe all {usual} shapes."
            )
        return lines
