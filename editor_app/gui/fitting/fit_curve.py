"""The curve of the fit panel: quality, and what the robot refuses needlessly, for several numbers of spheres."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Signal

from editor_app.fitting.results import CurvePoint
from editor_app.fitting.settings import FitSettings
from editor_app.gui.fitting.context import FitContext
from editor_app.gui.fitting.fit_work import Work
from editor_app.gui.jobs import JobSlot
from editor_app.model.frozen import FrozenDict
from editor_app.operations import model_cost
from editor_app.operations.link_fits import QualityCurve, as_spheres
from editor_app.operations.motion_jobs import WeighNumbers
from editor_app.tasks.worker import JobError

NUMBERS = (2, 4, 6, 8, 12, 16, 24, 32, 48, 64)


class FitCurve(QObject):
    """Curves, each of a link, its shapes and the mode of the fit. They are kept until the shapes change."""

    #: Another point, or another refusal, is there.
    changed = Signal()

    def __init__(self, context: FitContext, mode: Callable[[], Any], parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._mode = mode
        self._points: dict[tuple[Any, ...], dict[int, CurvePoint]] = {}
        #: What the present robot refuses with the spheres of each point.
        self._refusals: dict[tuple[Any, ...], dict[int, model_cost.Refusals]] = {}
        self._key: tuple[Any, ...] = ()
        self._is_wanted = False
        self._weighing = JobSlot(context.window_jobs, self.changed.emit)
        #: Why refusals could not be measured.
        self.problem = ""

    def points(self, link: str) -> dict[int, CurvePoint]:
        return self._points.get(self._key_of(link), {})

    def refusals(self, link: str) -> dict[int, model_cost.Refusals]:
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
            "Computing the curve", QualityCurve(mesh, settings, missing, self._context.stop_file()), self._take_point
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
        """Measures the refusals of a complete curve. Without a mask every configuration would be refused."""
        session = self._context.session
        document = session.document
        curve, refusals = self._points.get(self._key, {}), self._refusals.setdefault(self._key, {})
        if document is None or not self._is_wanted or len(curve) < len(NUMBERS) or len(refusals) == len(curve):
            return
        robot = document.robot
        section = robot.xrdf.self_collision
        if section is None or not section.ignored_pairs() or robot.xrdf.self_group != self._context.group:
            return
        self.problem = ""
        fits = {n: as_spheres(each.spheres, self._mode()) for n, each in curve.items() if n not in refusals}
        packages = tuple(document.packages.items())
        job = WeighNumbers(robot, document.urdf_path, packages, self._key[0], FrozenDict(fits))

        def take(value: tuple[int, model_cost.Refusals]) -> None:
            if session.robot is robot:
                refusals[value[0]] = value[1]
                self.changed.emit()

        def fail(error: JobError) -> None:
            self.problem = f"What the robot refuses needlessly could not be measured: {error.message}"

        self._weighing.run("Comparing with the meshes", job, each=take, failed=fail)
