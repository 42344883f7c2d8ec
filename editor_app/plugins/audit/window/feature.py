"""Puts audits into a window: an action whose claims are findings, as long as the robot stays as it
is."""

from __future__ import annotations

from functools import partial

from editor_app.core.document.state import State
from editor_app.core.model.findings import Finding
from editor_app.core.model.refusal import Refusal
from editor_app.core.tasks.task import Task
from editor_app.core.verbs.robot_sources import RobotSources
from editor_app.plugins.audit.verbs import audit as audits
from editor_app.plugins.audit.window.actions import AUDIT
from editor_app.window.jobs import JobSlot
from editor_app.window.window_part import WindowPart
from editor_app.window.workbench import Workbench

_NAME = "audit"


class MaskAudits(WindowPart):
    """One per window."""

    name = "mask_audits"

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench)
        self._work = JobSlot(workbench.jobs, workbench.registry.refresh_later)
        workbench.registry.add(AUDIT, self)
        workbench.session.document_opened.connect(self._forget)
        workbench.session.robot_settled.connect(self._forget)

    def no_mask(self) -> str | None:
        has_mask = bool(audits.masks_of(self._workbench.session.document))
        return None if has_mask else "Neither the XRDF nor the SRDF ignores a pair."

    def no_audit(self) -> str | None:
        return "The mask is being audited." if self._work.is_running else None

    def run(self) -> None:
        """Audit the mask in a worker process, and show the claims."""
        document = self._workbench.session.document
        state, file = document.state, audits.masks_of(document)[0]
        try:
            sources = RobotSources.of(document)
        except Refusal as error:
            self._workbench.session.refused.emit(str(error))
            return
        make = partial(Task, audits.audit_sources, sources, file)
        refuse = partial(self._workbench.jobs.refuse, self._workbench.session.refused.emit)
        self._work.run_loaded(
            "Auditing the mask",
            audits,
            make,
            partial(self._take, state),
            failed=refuse,
        )

    def stop(self) -> None:
        self._work.drop()

    def _forget(self, *_: object) -> None:
        self._work.drop()
        if self._workbench.feed.said.get(_NAME):
            self._workbench.feed.report(_NAME, ())

    def _take(self, state: State, result: tuple[tuple[Finding, ...], str]) -> None:
        findings, told = result
        self._workbench.feed.report(_NAME, findings, about=state)
        if findings:
            self._workbench.docks.show("findings")
        self._workbench.session.noticed.emit(told)


PART = MaskAudits
