"""Dialogs about other programs: what would be changed for one, and what each of them reads of the
robot."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import (
    QAbstractItemView,
    QPushButton,
    QTreeWidgetItem,
    QWidget,
)

from editor_app.core.document.selection import Selection
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.model.counting import format_count
from editor_app.core.model.findings import Severity
from editor_app.core.model.profile import Profile
from editor_app.core.model.urdf import Urdf
from editor_app.core.tasks.task import TaskReporter
from editor_app.core.tasks.worker import JobError
from editor_app.core.text.source import FormatError, SourceText
from editor_app.features.checks.engine.readers import (
    SOURCES,
    Treatment,
    Use,
    as_message,
    sentence,
    unread,
    uses,
)
from editor_app.features.checks.engine.rule import CheckContext
from editor_app.plugins.consumers.verbs.repair import Repair, repair_state
from editor_app.window import dialogs
from editor_app.window.bindings.choice_box import choice_box
from editor_app.window.bindings.lists import Rows, thing_of
from editor_app.window.jobs import Jobs
from editor_app.window.session import Session
from editor_app.window.widgets import PlainLabel, dress, form_of, icon, plain_text, severity_icon
from editor_app.window.workbench import Workbench


class ReadersDialog(dialogs.Dialog):
    """Stays open beside the window and follows the robot; a row selects the joints or links that it
    is about."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent, "readers", "What other programs read", (960, 520), session)
        self._session = session
        heads = ("Feature", "Number", *(profile.program for profile in SOURCES))
        self.list = Rows("Features", heads, 0, self, numbers=(1,))
        self.summary = dress(PlainLabel(parent=self), wrap=True)
        self.reasons = dress(PlainLabel(parent=self), wrap=True)
        self.lay_out(self.summary, (self.list, 1), self.reasons)
        self.list.currentItemChanged.connect(self._tell)
        self.list.itemClicked.connect(self._select)
        session.robot_settled.connect(self.look)
        self.look()

    def look(self, *_: object) -> None:
        """Fills the table anew; the row that was current is current again where the robot still has
        the feature."""
        document, current = self._session.document, self.list.thing
        before = current.feature.key if current is not None else ""
        now = CheckContext(document.robot, urdf_source=document.state.urdf_source)
        rows = unread(uses(now))
        self.list.clear()
        for use in rows:
            item = _add(self.list, use)
            if use.feature.key == before:
                self.list.setCurrentItem(item)
        self.list.say("" if rows else "Every program reads everything")
        features = format_count(len(rows), "feature")
        self.summary.setText(
            f"{features} of this robot that a program does not fully read. Empty cell: read."
        )
        if self.list.currentItem() is None and (first := self.list.topLevelItem(0)) is not None:
            self.list.setCurrentItem(first)

    def _tell(self, item: QTreeWidgetItem | None, _: object = None) -> None:
        """All programs' sentences about a row."""
        use: Use | None = thing_of(item)
        told = [sentence(use, profile) for profile in SOURCES] if use is not None else []
        self.reasons.setText("\n".join(filter(None, told)))

    def _select(self, item: QTreeWidgetItem, _: int = 0) -> None:
        use: Use = thing_of(item)
        if use.feature.of == "joints":
            self._session.select(Selection(joints=use.names))
        elif use.feature.of == "links":
            self._session.select(Selection(links=use.names))


def _add(rows: Rows, use: Use) -> QTreeWidgetItem:
    facts = [use.feature.fact(profile) for profile in SOURCES]
    words = ["" if fact.treatment is Treatment.READ else str(fact.treatment) for fact in facts]
    number = "" if use.feature.of == "robot" else str(len(use.names))
    item = rows.add((as_message(use.feature.title), number, *words), use)
    for column, (profile, fact) in enumerate(zip(SOURCES, facts, strict=True), 2):
        if fact.treatment is not Treatment.READ:
            item.setIcon(column, severity_icon(fact.severity))
            item.setToolTip(column, plain_text(sentence(use, profile)))
    return item


def show_readers(workbench: Workbench) -> None:
    ReadersDialog(workbench.session, workbench.qt_window).show()


class RepairDialog(dialogs.Dialog):
    """Follows the document while it is open; *Fix* is one undo step."""

    def __init__(
        self, session: Session, jobs: Jobs, parent: QWidget, profile: Profile | None = None
    ) -> None:
        """`profile`: the program that is offered first; default the document's."""
        super().__init__(parent, "repair", "Fix for another program", (820, 440), session)
        self._session = session
        self._vendor: tuple[Path, Urdf] | None = None
        self._looking = self.slot(jobs, quiet=True)
        #: The changes that *Fix* makes; None while they are searched.
        self.repaired: Repair | None = None
        chosen = profile or session.document.profile
        wanted = Profile.CUROBO if chosen is Profile.SPECIFICATION else chosen
        profiles = [(each.program, each) for each in Profile]
        self.target = choice_box("Target program", profiles, self.look, wanted, self)
        self.vendor_name = PlainLabel("Placeholders (marked)", self)
        self.vendor_button = dress(QPushButton("From &URDF…", self), id="vendor")
        heads = ("Finding", "New value", "Source")
        self.list = Rows("Changes", heads, 1, self)
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.summary = dress(PlainLabel(parent=self), wrap=True)
        self.repair_button = dress(self.button("&Fix", "apply"), icon=icon("wrench"))
        vendor = ((self.vendor_name, 1), self.vendor_button)
        form = form_of(("Target program", self.target), ("Missing limits", vendor))
        self.lay_out(form, (self.list, 1), self.summary)
        self.vendor_button.clicked.connect(self._choose_vendor)
        session.robot_settled.connect(self.look)
        self.look()

    def look(self, *_: object) -> None:
        """Finds out, in a thread, what would be changed."""
        self._looking.drop()
        document = self._session.document
        self.repaired = None
        self.list.say("")
        self.repair_button.setEnabled(False)
        if not self._session.has_robot or self.is_over:
            return
        if document.state.typed:
            self._say_nothing("Source has unapplied text. Apply or discard it first.")
            return
        state, profile = document.state, self.target.currentData()
        vendor = self._vendor[1] if self._vendor is not None else None
        self.summary.setText("Searching for fixes…")

        def work(reporter: TaskReporter) -> Repair:
            return repair_state(state, profile, vendor=vendor, cancel=reporter.cancelled)

        self._looking.run(
            "Searching for fixes", work, self._show, in_thread=True, failed=self._failed
        )

    def _say_nothing(self, text: str) -> None:
        self.list.clear()
        self.summary.setText(text)

    def _show(self, repaired: Repair) -> None:
        self.repaired = repaired
        self.list.clear()
        for step in repaired.steps:
            sign = (2, severity_icon(Severity.WARNING)) if step in repaired.invented else None
            self.list.add(
                (step.code, step.text, str(step.origin or "")), tips={1: step.text}, sign=sign
            )
        for finding in repaired.remaining:
            cells, sign = (
                (finding.code, finding.message, "fix by hand"),
                (2, severity_icon(Severity.ERROR)),
            )
            self.list.add(cells, tips={1: finding.message}, sign=sign)
        self.repair_button.setEnabled(bool(repaired.texts))
        name = repaired.profile.program
        if not repaired.steps and not repaired.remaining:
            self.list.say("Nothing to fix")
            self.summary.setText(
                f"{name} reads the robot without a known error. {repaired.warning}".rstrip()
            )
            return
        parts = [f"{len(repaired.steps)} changes, {len(repaired.invented)} with placeholder values"]
        if repaired.remaining:
            parts.append(f"{len(repaired.remaining)} errors must be fixed by hand")
        self.summary.setText(f"{'; '.join(parts)}. {repaired.warning}".rstrip())

    def _failed(self, error: JobError) -> None:
        self._say_nothing(error.message)

    def _choose_vendor(self) -> None:
        document = self._session.document
        folder = str(document.urdf_path.parent) if document.urdf_path is not None else ""
        name = dialogs.choose_file(self, "URDF of the manufacturer", folder, dialogs.URDF_FILTER)
        if not name:
            return
        path = Path(name)
        try:
            self._vendor = path, read_urdf(SourceText.read(path)).value
        except FormatError as error:
            dialogs.show_error(
                self, "Manufacturer's URDF", f"{path.name} could not be read.", str(error)
            )
            return
        self.vendor_name.setText(f"{path.name}, then placeholders")
        self.look()

    def accept(self) -> None:
        document, repaired = self._session.document, self.repaired
        if repaired is None or document.state.typed:
            return
        super().accept()
        # Before the step, which has the findings looked for again.
        document.profile = repaired.profile
        try:
            document.replace_texts(repaired.texts, repaired.label)
        except FormatError as error:
            dialogs.show_error(
                self.parentWidget(), "Not fixed", "The robot cannot be fixed.", str(error)
            )
            return
        self._session.message.emit(f"{repaired.label}.")


def show_repair(workbench: Workbench, profile: Profile | None = None) -> None:
    """Opens the dialog; the findings are looked for anew when it is over."""
    dialog = RepairDialog(workbench.session, workbench.jobs, workbench.qt_window, profile)
    dialog.finished.connect(lambda _: workbench.feed.refresh())
    dialog.open()
