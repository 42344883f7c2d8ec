"""How far budgets of spheres would let them stand out, estimated in the background before a fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from PySide6.QtCore import QObject, Signal

from editor_app.fitting.settings import FitSettings
from editor_app.gui.fitting.context import FitContext
from editor_app.gui.jobs import JobSlot, ThreadReport
from editor_app.gui.timers import Wait, after
from editor_app.operations.budget_outlook import Protrusion, budget_outlook
from editor_app.operations.fit_choices import FitChoices, with_choices

#: Fits that are remembered: card and panel may ask about different ones.
_MOST = 4


@dataclass(slots=True)
class _Fit:
    """What a fit would be of; budgets that were asked about, and what is told of those that were looked at: None for
    one that is too small."""

    links: tuple[str, ...]
    choices: FitChoices
    settings: FitSettings | None
    wanted: set[int] = field(default_factory=set)
    told: dict[int, Protrusion | None] = field(default_factory=dict)


class BudgetEstimates(QObject):
    """Estimates for the links that are asked about; one per window, so that card and panel look once."""

    changed = Signal()

    def __init__(self, context: FitContext, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._context = context
        #: The last asked about first.
        self._fits: list[_Fit] = []
        self._work = JobSlot(context.window_jobs, quiet=True)
        self._later = after(self, self._look, Wait.BUDGET_ESTIMATES)
        # Another robot may have links of the same names.
        context.session.document_opened.connect(lambda _: self._forget())
        context.kind_changed.connect(self._ask_again)
        context.mount_changed.connect(self.changed)

    def stands_out(
        self, links: tuple[str, ...], total: int, choices: FitChoices, settings: FitSettings | None = None
    ) -> Protrusion | None:
        """How far the spheres would stand out; None as long as that is not known, which `changed` tells.

        `choices`, `settings`: of the fit that would follow.
        """
        fit = next((f for f in self._fits if (f.links, f.choices, f.settings) == (links, choices, settings)), None)
        if fit is None:
            fit = _Fit(links, choices, settings)
            self._fits = [fit, *self._fits[: _MOST - 1]]
        if total not in fit.told and total not in fit.wanted:
            fit.wanted.add(total)
            if not self._work.is_running:
                self._later.start()
        return fit.told.get(total)

    def stop(self) -> None:
        """Nothing is looked at until somebody asks again."""
        self._later.stop()
        for fit in self._fits:
            fit.wanted.clear()
        self._work.drop()

    # -- inside

    def _forget(self) -> None:
        self.stop()
        self._fits.clear()

    def _ask_again(self) -> None:
        self._forget()
        self.changed.emit()

    def _look(self) -> None:
        fit = next((f for f in self._fits if f.wanted), None)
        document = self._context.session.document
        if fit is None or document is None or self._context.is_comparing or self._context.is_closed:
            return
        meshes = tuple(mesh for link in fit.links if (mesh := self._context.mesh(link, whole=True)) is not None)
        if not meshes:
            return
        totals = tuple(fit.wanted)
        self._context.warm()
        executor = self._context.robot_executor

        def work(report: ThreadReport) -> Mapping[int, Protrusion]:
            chosen, _ = with_choices(document.robot, document.urdf_path, document.packages, meshes, fit.choices)
            return budget_outlook(chosen, totals, fit.settings, executor=executor, cancel=report.is_cancelled)

        def done(outlook: Mapping[int, Protrusion]) -> None:
            fit.told.update({total: outlook.get(total) for total in totals})
            fit.wanted.difference_update(totals)
            if any(each.wanted for each in self._fits):
                self._later.start()
            self.changed.emit()

        # The fit itself tells what is wrong.
        self._work.run("Estimating budgets", work, done, in_thread=True, failed=lambda _: done({}))
