"""Runs the rules that need meshes or sampling in the background, and lets their findings join the list."""

from __future__ import annotations

from PySide6.QtCore import QObject

from editor_app.checks.runner import located
from editor_app.formats.source import FormatError
from editor_app.gui.jobs import Jobs, JobSlot
from editor_app.gui.panels.findings.feed import FindingsFeed
from editor_app.gui.session import Session
from editor_app.gui.settings import Settings
from editor_app.gui.timers import Wait, after
from editor_app.gui.window.start import Start
from editor_app.model.findings import Finding
from editor_app.model.frozen import FrozenDict
from editor_app.operations.check import SlowRules
from editor_app.tasks.job import Report

_NAME = "slow rules"


class SlowChecksFeed(QObject):
    """One per window. An edit cancels what is running for the robot before it."""

    def __init__(
        self,
        session: Session,
        jobs: Jobs,
        settings: Settings,
        feed: FindingsFeed,
        start: Start,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._opening = start
        self._session, self._jobs, self._settings, self._feed = session, jobs, settings, feed
        self._work = JobSlot(jobs, quiet=True)
        self._timer = after(self, self._start, Wait.SLOW_CHECKS)
        session.document_opened.connect(self._again)
        session.robot_settled.connect(self._again)
        feed.refreshed.connect(self._again)

    @property
    def is_busy(self) -> bool:
        """Whether the findings are of a robot before the present one."""
        return self._timer.isActive() or self._work.is_running

    def stop(self) -> None:
        """Cancels what is running; nothing is started until the next edit."""
        self._timer.stop()
        self._work.drop()

    def _again(self, *_: object) -> None:
        self.stop()
        document = self._session.document
        if document is not None and not self._feed.remembers(_NAME, document.state):
            self._timer.start()
            self._feed.expect(_NAME)

    def _start(self) -> None:
        document = self._session.document
        if document is None:
            return
        if not self._opening.is_over:
            # A frame is awaited; these would take a processor from it.
            self._timer.start()
            return
        mappings = FrozenDict(self._settings.mesh_folders.of(document.urdf_path))
        job = SlowRules(document.robot, document.profile, document.urdf_path, mappings)
        # A rule that fails is told by the crash dialog, as any other defect.
        self._work.run("Checking meshes and masks", job, self._take)

    def _take(self, findings: tuple[Finding, ...]) -> None:
        """Looks their places up in the present text."""
        document = self._session.document
        if document is None:
            return
        state, texts = document.state, document.present_texts

        def places(report: Report) -> tuple[Finding, ...]:
            try:
                return located(findings, texts.prepared(state), texts.urdf(state))
            except FormatError:
                # What cannot be written is a finding of its own.
                return findings

        def report(findings: tuple[Finding, ...]) -> None:
            # What loading meshes says is there already: the window loads them to show them.
            of_others = tuple(each for each in findings if not each.code.startswith("MESH"))
            self._feed.report(_NAME, of_others, about=state)

        self._work.run("Placing findings", places, report, in_thread=True)
