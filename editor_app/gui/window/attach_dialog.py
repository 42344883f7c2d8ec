"""Attach a part: which file, on which link and where; what comes along is shown before it is one step."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import (
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QTreeWidgetItem,
    QWidget,
)

from editor_app.edit.document import Document
from editor_app.formats.exchange.report import Fate
from editor_app.gui import dialogs
from editor_app.gui.bindings.choice_box import choice_box
from editor_app.gui.bindings.lists import EmptyWords, rows_list
from editor_app.gui.bindings.number_field import NumberField
from editor_app.gui.bindings.quantity import ANGLE, LENGTH
from editor_app.gui.bindings.undo_keys import UndoKeys
from editor_app.gui.icons import icon, severity_icon
from editor_app.gui.jobs import Jobs, JobSlot
from editor_app.gui.panels.tree.link_model import selected_frames
from editor_app.gui.plain_text import PlainLabel, plain
from editor_app.gui.session import Session
from editor_app.gui.timers import Wait, after
from editor_app.gui.widgets import dress, fill
from editor_app.gui.window.known_parts_dialog import KnownPartsDialog
from editor_app.gui.workbench import Workbench
from editor_app.model.findings import Severity
from editor_app.model.refusal import Refusal
from editor_app.operations import attaching
from editor_app.operations import detach as detaching
from editor_app.tasks.worker import JobError

_MODULE = "editor_app.operations.attaching"
_AXES = ("x", "y", "z", "roll", "pitch", "yaw")


class AttachDialog(dialogs.Dialog):
    """*Attach* is one step that undo takes back; pairs between the part and the robot are judged before it."""

    def __init__(
        self,
        session: Session,
        jobs: Jobs,
        parent: QWidget,
        link: str | None = None,
        offer_parts: Callable[[AttachDialog], object] | None = None,
    ) -> None:
        """`link`: where the part is offered to hang. `offer_parts` shows what is on this machine, for `choose`."""
        super().__init__(parent, "attach", "Attach a part", (760, 520))
        self._session = session
        self._part: Path | None = None
        self._place = [0.0] * len(_AXES)
        self._looking, self._attaching = JobSlot(jobs, self._show_state, quiet=True), JobSlot(jobs, self._show_state)
        #: What would come along; None while it is looked for.
        self.attached: attaching.Attached | None = None
        self.part_name = PlainLabel("No file yet", self)
        self.part_button = dress(QPushButton("&Choose…", self), id="part")
        self.part_button.setAutoDefault(False)
        tip = "Robots and parts on this machine, with pictures"
        self.known_button = dress(QPushButton("&Known parts…", self), id="known", tip=tip)
        self.known_button.setAutoDefault(False)
        self.known_button.setVisible(offer_parts is not None)
        robot = session.robot
        names = [each.name for each in robot.urdf.links] if robot is not None else []
        tools = (robot.xrdf.tool_frames or ()) if robot is not None else ()
        chosen = next((name for name in (link, *tools, *reversed(names)) if name in names), None)
        self.link = choice_box("Link that the part hangs on", [(name, name) for name in names], self.look, chosen, self)
        self.fields = [self._field(number, name) for number, name in enumerate(_AXES)]
        self.prefix = dress(QLineEdit(self), name="Prefix", hint="none", tip="Written before every name of the part")
        UndoKeys(self.prefix)
        self.list = rows_list("What comes along", ("Part", "What becomes of it"), 1, self)
        self.empty = EmptyWords(self.list)
        self.summary = dress(PlainLabel(parent=self), wrap=True)
        self.attach_button = dress(self.button("&Attach", "apply"), icon=icon("puzzle-piece"))
        self.buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        form = QFormLayout()
        form.addRow("Part (URDF)", fill(QHBoxLayout(), (self.part_name, 1), self.part_button, self.known_button))
        form.addRow("Hangs on", self.link)
        form.addRow("Position", fill(QHBoxLayout(), *((field, 1) for field in self.fields[:3])))
        form.addRow("Roll, pitch, yaw", fill(QHBoxLayout(), *((field, 1) for field in self.fields[3:])))
        form.addRow("Prefix", self.prefix)
        self.lay_out(form, (self.list, 1), self.summary)
        self._soon = after(self, self.look, Wait.TYPING)
        self.part_button.clicked.connect(self._choose)
        if offer_parts is not None:
            self.known_button.clicked.connect(lambda: offer_parts(self))
        self.prefix.textEdited.connect(self._look_soon)
        session.document_opened.connect(self.reject)
        self.finished.connect(self._end)
        self.empty.say("Choose the URDF of a gripper, a tool or an arm")
        self._show_state()

    def look(self, *_: object) -> None:
        """Finds out, in a worker process, what would come along; no pair is judged yet."""
        self.attached = None
        self.list.clear()
        self._run(self._looking, self._show, quick=True)

    def choose(self, path: Path) -> None:
        """Takes another part."""
        self._part = path
        self.part_name.setText(path.name)
        self.empty.say("")
        self.look()

    def accept(self) -> None:
        """Judges the pairs, attaches the part, and closes."""
        if self.attached is not None and self.attached.texts:
            self._run(self._attaching, self._attach, quick=False)

    # -- inside

    def _field(self, number: int, name: str) -> NumberField:
        field = NumberField(LENGTH if number < 3 else ANGLE, name, self)
        field.set_display(self._session.display)
        field.set_value(0.0)
        field.edited.connect(partial(self._set_place, number))
        return field

    def _set_place(self, number: int, value: float, live: bool) -> None:
        self._place[number] = value
        self.fields[number].set_value(value)
        self._look_soon()

    def _look_soon(self, *_: object) -> None:
        """What is typed is seen before Return takes it."""
        self.attached = None
        self._show_state()
        self._soon.start()

    def _choose(self) -> None:
        name = dialogs.choose_file(self, "The part", "", dialogs.URDF_FILTER)
        if name:
            self.choose(Path(name))

    def _run(self, slot: JobSlot, take: Callable[..., object], *, quick: bool) -> None:
        document = self._session.document
        if document is None or self._part is None:
            return
        x, y, z, roll, pitch, yaw = self._place
        part, at, prefix = self._part, self.link.currentData(), self.prefix.text().strip()

        def job() -> attaching.AttachPart:
            place = attaching.PartPlace(part, at, (x, y, z), (roll, pitch, yaw), prefix)
            return attaching.AttachPart.to(document, place, quick=quick)

        if document.state.typed:
            self.summary.setText("Text was typed that is not read yet: apply or discard it first.")
            return

        self.summary.setText("Reading the part…" if quick else "Looking for collisions between the parts…")
        slot.run_loaded(
            f"Attaching {part.name}",
            _MODULE,
            job,
            take,
            failed=self._failed,
            about=lambda: document.state,
            stale=self.look,
            cancelled=self._show_state,
            progress=lambda _, sentence: self.summary.setText(sentence),
        )
        self._show_state()

    def _show_state(self) -> None:
        is_ready = self.attached is not None and bool(self.attached.texts)
        self.attach_button.setEnabled(is_ready and not self._attaching.is_running and not self._looking.is_running)

    def _show(self, attached: attaching.Attached) -> None:
        if attached.clash:
            if not self.prefix.text():
                # Offered, and seen at once: the names in the list have it.
                self.prefix.setText(attached.prefix)
                self.look()
                return
            self.summary.setText(attached.clash)
            return
        self.attached = attached
        for entry in attached.entries:
            detail = entry.detail if entry.fate is Fate.TAKEN else f"{entry.fate}: {entry.detail}"
            item = QTreeWidgetItem([entry.item, detail])
            item.setToolTip(1, plain(detail))
            if entry.fate in (Fate.LOST, Fate.INVENTED):
                item.setIcon(1, severity_icon(Severity.WARNING if entry.fate is Fate.LOST else Severity.INFO))
            self.list.addTopLevelItem(item)
        self.summary.setText("Pairs between the part and the robot are judged by Attach, which is one step.")
        self._show_state()

    def _failed(self, error: JobError) -> None:
        self.summary.setText(error.message)
        self._show_state()

    def _attach(self, attached: attaching.Attached) -> None:
        document = self._session.document
        assert document is not None
        super().accept()
        _take(self._session, document, attached, self.parentWidget())

    def _end(self, *_: object) -> None:
        # The document may go on changing before the dialog is deleted.
        self._soon.stop()
        self._looking.drop()
        self._attaching.drop()


def _take(session: Session, document: Document, attached: attaching.Attached, parent: QWidget | None) -> None:
    """Makes it one step, and tells what to look at."""
    try:
        document.replace_texts(attached.texts, attached.label)
    except Refusal as error:
        dialogs.show_error(parent, "Attach", "The part cannot be attached like this.", str(error))
        return
    session.message.emit(f"{attached.label}.")
    if attached.notes:
        dialogs.show_error(parent, "Attach", "The part is attached. Look at this:", "\n\n".join(attached.notes[:8]))


class Detaching:
    """Takes the part off that the selected link belongs to: one step, which tells what went with it."""

    def __init__(self, workbench: Workbench) -> None:
        self._session = workbench.session
        self._work = JobSlot(workbench.jobs)

    def detach(self) -> None:
        """Where one part alone was attached, any link will do; refused, with the parts, where it is none of theirs."""
        session, document = self._session, self._session.document
        if document is None:
            return
        links = selected_frames(session)
        link = links[-1] if links else None

        def take(detached: detaching.Detached) -> None:
            try:
                document.replace_texts(detached.texts, detached.label)
            except Refusal as error:
                session.refused.emit(str(error))
                return
            exact = "The files are as before it was attached." if detached.is_exact else "What was edited since stays."
            session.noticed.emit(f"{detached.part.file} is off {detached.part.at}: {detached.consequences}. {exact}")

        self._work.run(
            "Detaching",
            lambda _: detaching.detach(document, link),
            take,
            in_thread=True,
            failed=lambda error: session.refused.emit(f"{error.message[:1].upper()}{error.message[1:]}."),
            about=lambda: document.state,
            stale=lambda: session.refused.emit("The robot was changed meanwhile: detach the part again."),
        )


def show_attaching(workbench: Workbench, link: str | None = None, part: Path | None = None) -> None:
    """Opens the dialog, for `part` where one is given; `link`: default the selected one."""
    links, session, jobs = selected_frames(workbench.session), workbench.session, workbench.jobs

    def offer_parts(dialog: AttachDialog) -> None:
        KnownPartsDialog(workbench.settings, jobs, dialog.choose, dialog).open()

    dialog = AttachDialog(session, jobs, workbench.qt_window, link or (links[-1] if links else None), offer_parts)
    dialog.open()
    if part is not None:
        dialog.choose(part)
