"""What the rules find: at once, and what takes longer, in a worker process."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QObject

from editor_app.core.model.findings import Finding
from editor_app.core.tasks.job import Report, as_job
from editor_app.core.tasks.work import placed_robot
from editor_app.core.text.source import FormatError
from editor_app.features.checks.engine.runner import located
from editor_app.features.checks.verbs.check import StateChecker, slow_findings
from editor_app.window.findings_feed import FindingsFeed, Rules
from editor_app.window.jobs import Jobs, JobSlot
from editor_app.window.session import Session
from editor_app.window.start import Start
from editor_app.window.timers import Wait, after


def all_rules() -> Rules:
    """All rules but the slow ones, and texts that could not be saved; a rule is asked again when its inputs changed."""
    # Made in the thread that asks first: it imports the rules.
    checker = cache(StateChecker)
    return lambda *given: checker().check(*given)


_NAME = "slow rules"


class SlowChecksFeed(QObject):
    """One per window. An edit cancels what is running for the robot before it."""

    def __init__(
        self, session: Session, jobs: Jobs, feed: FindingsFeed, start: Start, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._opening = start
        self._session, self._jobs, self._feed = session, jobs, feed
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
        if self._session.has_robot and not self._feed.remembers(_NAME, self._session.document.state):
            self._timer.start()
            self._feed.expect(_NAME)

    def _start(self) -> None:
        document = self._session.document
        if not self._opening.is_over:
            # A frame is awaited; these would take a processor from it.
            self._timer.start()
            return
        job = as_job(slow_findings, placed_robot(document), document.profile)
        # The crash dialog reports a rule that fails, as any other defect.
        self._work.run("Checking meshes and masks", job, self._take)

    def _take(self, findings: tuple[Finding, ...]) -> None:
        """Looks their places up in the present text."""
        document = self._session.document
        state, texts = document.state, document.present_texts

        def places(report: Report) -> tuple[Finding, ...]:
            try:
                return located(findings, texts.prepared(state), texts.urdf(state))
            except FormatError:
                # A separate finding reports what cannot be written.
                return findings

        def report(findings: tuple[Finding, ...]) -> None:
            # What loading meshes says is there already: the window loads them to show them.
            of_others = tuple(each for each in findings if not each.code.startswith("MESH"))
            self._feed.report(_NAME, of_others, about=state)

        self._work.run("Locating findings", places, report, in_thread=True)
