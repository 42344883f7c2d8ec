"""The status bar: file, version and target | what was just said | findings | running jobs."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QStatusBar, QToolButton, QWidget

from editor_app.core.model.counting import format_count
from editor_app.core.model.findings import Severity
from editor_app.core.model.profile import Profile
from editor_app.window.bindings.choice_box import choice_box
from editor_app.window.bindings.elision import ElidedLabel
from editor_app.window.bindings.lists import RIGHT
from editor_app.window.files.document_files import DocumentFiles
from editor_app.window.jobs import Jobs, RunningJob
from editor_app.window.session import Session
from editor_app.window.timers import Wait, after
from editor_app.window.widgets import PlainLabel, ThinBar, dress, fill_layout, icon, plain_text

_CHECKING = "Checking…"
#: The findings button is as wide as this text from the start.
_USUAL = f"9 errors  99 warnings  {_CHECKING}"
#: Pixels of the name, stage and time left of a job, at most.
_LONGEST_TEXT = 420


class StatusBar(QStatusBar):
    """Permanent facts at both ends; messages come and go in the middle."""

    findings_clicked = Signal()
    profile_chosen = Signal(object)

    def __init__(self, session: Session, files: DocumentFiles, jobs: Jobs, parent: QWidget) -> None:
        """“No findings” is shown only when the present robot is checked."""
        super().__init__(parent)
        self._session = session
        self._files = files
        self._hint = ""
        self.setSizeGripEnabled(False)
        self.setContentsMargins(6, 0, 4, 0)
        self._file = dress(PlainLabel(parent=self), name="File and XRDF version")
        profiles = [(profile.program, profile) for profile in Profile]
        self._profile = choice_box("Target program", profiles, self.profile_chosen.emit)
        self._profile.setFrame(False)
        self._profile.setToolTip(
            "The program that will read the robot: findings show what it rejects or changes"
        )
        self._profile.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.message = dress(ElidedLabel(self, between=" · "), look="muted")
        self._clear = after(self, lambda: self.message.set_text(self._hint), Wait.MESSAGE)
        self.problems = dress(QToolButton(self), flat=True, run=self.findings_clicked)
        self.problems.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.problems.setIconSize(QSize(16, 16))
        self.jobs = JobsWidget(jobs, self)
        self.addWidget(self._file)
        self.addWidget(self._profile)
        self.addWidget(self.message, 1)
        self.addPermanentWidget(self.jobs)
        self.addPermanentWidget(self.problems)
        #: After the four widgets above.
        self._counters = 4
        session.document_opened.connect(self._refresh)
        session.history_changed.connect(self._refresh)
        session.findings_changed.connect(self._count)
        session.message.connect(self.say)
        session.findings_known_changed.connect(self._count)
        self._refresh()
        self._count()

    def add_counter(self, counter: QWidget) -> None:
        """Left of the findings, whose button stays in the corner, whatever is counted."""
        self.insertPermanentWidget(self._counters, counter)

    def say(self, text: str) -> None:
        self.message.set_text(text)
        self._clear.start()

    def set_hint(self, text: str) -> None:
        """Set the text that is shown without a message."""
        self._hint = text
        if not self._clear.isActive():
            self.message.set_text(text)

    def _refresh(self, *_: object) -> None:
        document = self._session.document
        for widget in (self._file, self._profile, self.problems):
            widget.setVisible(self._session.has_robot)
        if not self._session.has_robot:
            return
        version = document.robot.xrdf.format_version
        expansion = (
            f"  ·  expansion of {document.expansion.source.name}"
            if document.expansion is not None
            else ""
        )
        self._file.setText(f"{self._files.name}  ·  XRDF {version or 'without version'}{expansion}")
        robot = (
            document.urdf_path
            if document.expansion is None
            else f"{document.expansion.source}, expanded"
        )
        self._file.setToolTip(
            plain_text(f"URDF: {robot}\nXRDF: {document.xrdf_path or 'not saved yet'}")
        )
        self.show_profile()

    def show_profile(self) -> None:
        """The program that findings are judged for; it is no step, and other places choose it,
        too."""
        self._profile.choose(self._session.document.profile)

    def _count(self, *_: object) -> None:
        findings = self._session.findings
        errors = sum(f.severity is Severity.ERROR for f in findings)
        warnings = sum(f.severity is Severity.WARNING for f in findings)
        infos = len(findings) - errors - warnings
        parts = [
            format_count(n, noun) for n, noun in ((errors, "error"), (warnings, "warning")) if n
        ]
        is_checked = self._session.findings_known
        if not parts and (infos or is_checked):
            parts = [format_count(infos, "note") if infos else "No findings"]
        if not is_checked:
            # Numbers of the robot before: they are not left out, since most of them will come
            # again.
            parts.append(_CHECKING)
        # The width of the longer text is kept: no button moves when a check begins or ends.
        longest = parts if _CHECKING in parts else [*parts, _CHECKING]
        for text in ("  ".join(longest), _USUAL):
            self.problems.setText(text)
            self.problems.setMinimumWidth(
                max(self.problems.minimumWidth(), self.problems.sizeHint().width())
            )
        self.problems.setText("  ".join(parts))
        sign = (
            ("x-circle", "error")
            if errors
            else ("warning", "warning")
            if warnings
            else ("check-circle", "muted")
        )
        self.problems.setIcon(icon(*sign) if is_checked else icon("circle-dashed", "muted"))
        self.problems.setToolTip("Show the findings (F8 goes to the next)")
        self.problems.setAccessibleName(f"Findings: {', '.join(parts)}")


class JobsWidget(QWidget):
    """The oldest running job: name, progress, time left, cancel; how many more there are."""

    def __init__(self, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._shown: list[RunningJob] = []
        # The text grows to the left: bar and button stay under the pointer.
        self._text = dress(ElidedLabel(self), align=RIGHT)
        self._text.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self._text.setMaximumWidth(_LONGEST_TEXT)
        self._bar = ThinBar("Progress", parent=self)
        self._bar.setFixedWidth(110)
        self.cancel_button = dress(
            QToolButton(self), name="Cancel", icon=icon("x"), flat=True, run=self._cancel
        )
        self.cancel_button.setIconSize(QSize(14, 14))
        fill_layout(QHBoxLayout(self), self._text, self._bar, self.cancel_button, margins=0)
        # Work that ends at once is not worth a flicker.
        self._delay = after(self, self._refresh, Wait.SHOWN_JOB)
        self._tick = QTimer(self, interval=1000)
        self._tick.timeout.connect(self._refresh)
        jobs.started.connect(self._on_started)
        jobs.progressed.connect(lambda *_: self._refresh() if self.isVisible() else None)
        jobs.ended.connect(self._on_ended)
        self.hide()

    def _on_started(self, job: RunningJob) -> None:
        self._shown.append(job)
        self._delay.start()

    def _on_ended(self, job: RunningJob) -> None:
        if job in self._shown:
            self._shown.remove(job)
        if not self._shown:
            self._delay.stop()
            self._tick.stop()
            self.hide()
        elif self.isVisible():
            self._refresh()

    def _refresh(self) -> None:
        if not self._shown:
            return
        job = self._shown[0]
        more = f" (+{len(self._shown) - 1})" if len(self._shown) > 1 else ""
        left = job.seconds_left
        remaining = f" · {duration(left)} left" if left else ""
        stage = f": {job.sentence}" if job.sentence and not job.is_over else ""
        self._text.set_text(
            f"{job.name}{stage}{more}{remaining}", short=f"{job.name}{more}{remaining}"
        )
        self.setToolTip(
            plain_text("\n".join(f"{j.name}: {j.sentence or 'waiting'}" for j in self._shown))
        )
        self._bar.set_share(None if job.fraction < 0 else job.fraction)
        self._bar.setAccessibleName(f"Progress of {job.name}")
        self.cancel_button.setToolTip(plain_text(f"Cancel: {job.name}"))
        self.cancel_button.setAccessibleName(f"Cancel: {job.name}")
        self._tick.start()
        self.show()

    def _cancel(self) -> None:
        if self._shown:
            self._shown[0].cancel()


def duration(seconds: float) -> str:
    """ "8 s", "2 min 10 s", "1 h 5 min"."""
    total = max(1, round(seconds))
    if total < 60:
        return f"{total} s"
    if total < 3600:
        return f"{total // 60} min {total % 60} s" if total % 60 else f"{total // 60} min"
    return f"{total // 3600} h {total % 3600 // 60} min"
