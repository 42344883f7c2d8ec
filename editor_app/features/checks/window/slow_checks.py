"""Findings of the rules: fast ones at once, slow ones in a worker process."""

from __future__ import annotations

from functools import cache, partial

from PySide6.QtCore import QObject

from editor_app.core.model.findings import Finding
from editor_app.core.tasks.task import Task, TaskReporter
from editor_app.core.tasks.work import locate_robot
from editor_app.core.text.source import FormatError
from editor_app.features.checks.engine.runner import locate_findings
from editor_app.features.checks.verbs.check import StateChecker, slow_findings_again
from editor_app.window.findings_feed import FindingsFeed, Rules
from editor_app.window.jobs import Jobs, JobSlot
from editor_app.window.session import Session
from editor_app.window.start import Start
from editor_app.window.timers import Wait, after


def all_rules() -> Rules:
    """All rules but the slow ones, and texts that could not be saved; a rule is asked again when
    its inputs changed."""
    # Made in the thread that asks first: it imports the rules.
    checker = cache(StateChecker)
    return lambda *given: checker().check(*given)


_NAME = "slow rules"


class SlowChecksFeed(QObject):
    """One per window. An edit stops the check of the robot before; its process keeps the results
    for the next one."""

    def __init__(
        self,
        session: Session,
        jobs: Jobs,
        feed: FindingsFeed,
        start: Start,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._opening = start
        self._session, self._jobs, self._feed = session, jobs, feed
        self._work = JobSlot(jobs, quiet=True, is_kept=True)
        self._placing = JobSlot(jobs, quiet=True)
        #: Another object after each edit: a result that comes later is of the robot before.
        self._asked = object()
        self._timer = after(self, self._start, Wait.SLOW_CHECKS)
        session.document_opened.connect(self._again)
        session.robot_settled.connect(self._again)
        feed.refreshed.connect(self._again)

    @property
    def is_busy(self) -> bool:
        """True if the findings are of a robot before the present one."""
        return self._timer.isActive() or self._work.is_running or self._placing.is_running

    def stop(self) -> None:
        """Cancels what is running; nothing is started until the next edit."""
        self._timer.stop()
        self._work.drop()
        self._placing.drop()

    def _again(self, *_: object) -> None:
        self._timer.stop()
        self._placing.drop()
        self._asked = object()
        self._work.stop()
        if self._session.has_robot and not self._feed.remembers(
            _NAME, self._session.document.state
        ):
            self._timer.start()
            self._feed.expect(_NAME)

    def _start(self) -> None:
        document = self._session.document
        if not self._opening.is_over or self._work.is_running:
            # A frame is awaited, which these would take a processor from; or the check of the robot
            # before still ends.
            self._timer.start()
            return
        job = Task(slow_findings_again, locate_robot(document), document.profile)
        # The crash dialog reports a rule that fails, as any other defect.
        self._work.run("Checking meshes and masks", job, partial(self._take, self._asked))

    def _take(self, asked: object, findings: tuple[Finding, ...] | None) -> None:
        """Looks their places up in the present text."""
        if findings is None or asked is not self._asked:
            return
        document = self._session.document
        state, texts = document.state, document.present_texts

        def places(reporter: TaskReporter) -> tuple[Finding, ...]:
            try:
                return locate_findings(findings, texts.prepared(state), texts.urdf(state))
            except FormatError:
                # A separate finding reports what cannot be written.
                return findings

        def report(findings: tuple[Finding, ...]) -> None:
            # What loading meshes says is there already: the window loads them to show them.
            of_others = tuple(each for each in findings if not each.code.startswith("MESH"))
            self._feed.report(_NAME, of_others, about=state)

        self._placing.run("Locating findings", places, report, in_thread=True)
