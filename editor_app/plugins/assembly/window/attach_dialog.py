"""Attach a part: which file, on which link and where; it stands in the view meanwhile, and Attach
is one step."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QLineEdit, QPushButton, QTabWidget, QToolButton, QTreeWidgetItem

from editor_app.core.document.document import Document
from editor_app.core.formats.exchange.conversion import Fate
from editor_app.core.model.findings import Severity
from editor_app.core.model.origin import Origin
from editor_app.core.model.refusal import Refusal
from editor_app.core.tasks.task import Job, Task
from editor_app.core.tasks.worker import JobError
from editor_app.plugins.assembly.verbs import assembly_parts, compose, mounting, part_choices
from editor_app.plugins.assembly.window import part_preview
from editor_app.plugins.assembly.window.known_parts_dialog import KnownPartsDialog
from editor_app.window import dialogs
from editor_app.window.bindings.choice_box import choice_box
from editor_app.window.bindings.lists import Rows, is_ticked, thing_of
from editor_app.window.bindings.number_field import NumberInput
from editor_app.window.bindings.quantity import ANGLE, LENGTH
from editor_app.window.bindings.typed_fields import UndoKeys
from editor_app.window.jobs import JobSlot
from editor_app.window.link_tree.link_model import selected_frames
from editor_app.window.timers import Wait, after
from editor_app.window.viewport import view
from editor_app.window.widgets import PlainLabel, dress, form_of, icon, severity_icon
from editor_app.window.workbench import Workbench

_AXES = ("x", "y", "z", "roll", "pitch", "yaw")
_STEPS = tuple((f"{degrees}\N{DEGREE SIGN}", math.radians(degrees)) for degrees in (90, 45, 15))
#: What is told with a sign.
_SEVERITIES = {Fate.LOST: Severity.WARNING, Fate.INVENTED: Severity.INFO}


class AttachDialog(dialogs.Dialog):
    """A window beside the view: the part stands there until *Attach*, which is one step, or is gone
    with *Cancel*."""

    def __init__(
        self, workbench: Workbench, link: str | None = None, replaces: str | None = None
    ) -> None:
        """`link`: where the part is offered to hang; `replaces`: a link of the part whose place it
        takes."""
        super().__init__(
            workbench.qt_window, "attach", "Attach a part", (450, 640), workbench.session
        )
        self._workbench, self._session = workbench, workbench.session
        self._part: Path | None = None
        self._goes: frozenset[str] = frozenset()
        #: Tools and joints that a person ticked or not, by name.
        self._ticked: dict[str, bool] = {}
        #: The prefix that was proposed for this part; another one was typed.
        self._proposed = ""
        self._sent: tuple[tuple[str, ...] | None, tuple[str, ...] | None] = (None, None)
        jobs = workbench.jobs
        self._looking, self._attaching = (
            self.slot(jobs, self._show_state, quiet=quiet) for quiet in (True, False)
        )
        self._loading, self._freeing = self.slot(jobs, quiet=True), self.slot(jobs, quiet=True)
        #: Whether Attach was pressed while the part was still looked at.
        self._is_awaited = False
        #: What would come along; None while it is looked for.
        self.attached: assembly_parts.Attached | None = None
        self.look_of_part: mounting.PartLook | None = None
        self._make_choices(link)
        self._make_lists()
        self.attach_button = dress(self.button("&Attach", "apply"), icon=icon("puzzle-piece"))
        self._lay_out()
        self.preview: part_preview.PartPreview | None = None
        if workbench.viewport is not None:
            self._take_view(workbench.viewport)
        else:
            workbench.viewport_ready.connect(self._take_view)
        self._soon = after(self, self.look, Wait.TYPING)
        self.part_button.clicked.connect(self._choose)
        self.known_button.clicked.connect(self._offer_parts)
        self.prefix.textEdited.connect(self._take_prefix)
        self._session.selection_changed.connect(self._take_selection)
        self._session.robot_settled.connect(self._take_robot)
        self.finished.connect(self._end)
        if replaces is not None:
            self.replaced.choose(replaces)
            self._take_place(self.replaced.currentData())
        self._show_state()

    def look(self, *_: object) -> None:
        """Finds out, in a worker process, what would come along; no pair is judged yet."""
        self.attached = None
        self.list.clear()
        self._draw()
        self._run(self._looking, self._show, quick=True)

    def choose(self, path: Path) -> None:
        self._part = path
        self.look_of_part = None
        self._ticked = {}
        self.part_name.setText(path.name)
        self._propose_prefix()
        self.list.say("")
        packages = dict(self._session.document.packages)
        self._loading.run_loaded(
            f"Loading {path.name}",
            mounting,
            lambda: Task(mounting.look_at_part, path, packages),
            self._take_look,
            failed=lambda error: self.summary.setText(error.message),
        )
        self.look()

    def accept(self) -> None:
        """Judges the pairs, attaches the part, and closes; as soon as it is known what comes
        along."""
        self._is_awaited = self.attached is None
        if self._is_awaited:
            self._tell("The part will be attached when it has been read…")
            if self._soon.isActive():
                self._soon.stop()
                self.look()
        elif self.attached is not None and self.attached.texts:
            self._run(self._attaching, self._attach, quick=False)

    @property
    def origin(self) -> Origin:
        """The pose of the part's frame on the link (metres, radians)."""
        x, y, z, roll, pitch, yaw = (field.value or 0.0 for field in self.fields)
        return Origin((x, y, z), (roll, pitch, yaw))

    # -- widgets

    def _make_choices(self, link: str | None) -> None:
        robot = self._session.robot
        self.part_name = PlainLabel("No file selected", self)
        self.part_button = dress(QPushButton("&Choose…", self), id="part")
        tip = "Robots and parts on this machine, with pictures"
        self.known_button = dress(QPushButton("&Known parts…", self), id="known", tip=tip)
        names = self._link_names()
        tools = robot.xrdf.tool_frames or ()
        chosen = next((name for name in (link, *tools, *reversed(names)) if name in names), None)
        pairs = [(name, name) for name in names]
        self.replaced = choice_box(
            "Part to replace", [("nothing", ""), *self._parts()], self._take_place, "", self
        )
        self.link = choice_box("Link to attach to", pairs, self._look_soon, chosen, self)
        self.frame = choice_box(
            "Frame of the part at the mount", [("its root", "")], self._look_soon, "", self
        )
        self.fields = [
            NumberInput(self._session, quantity, name, self._look_soon, value=0.0, parent=self)
            for name, quantity in zip(_AXES, [LENGTH] * 3 + [ANGLE] * 3, strict=True)
        ]
        self.step = choice_box("Rotation step", _STEPS, self._set_step, _STEPS[0][1], self)
        self.turns = [
            dress(
                QToolButton(self),
                id=f"turn_{axis}",
                tip=f"Rotate the part about its {axis} axis by one step",
                run=partial(self._turn, number),
            )
            for number, axis in enumerate("xyz")
        ]
        tip = (
            "Click a flat or round face of the robot to place the part's frame on its centre or "
            "axis. "
            "Click a face of the part first to place that face there"
        )
        self.faces = dress(
            QPushButton("&Face to face", self), id="faces", tip=tip, icon=icon("align-bottom")
        )
        self.faces.setCheckable(True)
        self.faces.toggled.connect(self._set_takes_faces)
        self.variant = choice_box(
            "Gripper state", [("from its files", "")], self._look_soon, "", self
        )
        self.prefix = dress(
            QLineEdit(self), name="Prefix", hint="none", tip="Prefix for every name of the part"
        )
        UndoKeys(self.prefix)
        for turn, letter in zip(self.turns, "XYZ", strict=True):
            turn.setText(f"&{letter}")
        for button in (self.part_button, self.known_button, self.faces):
            button.setAutoDefault(False)

    def _make_lists(self) -> None:
        self.tabs = QTabWidget(self)
        words = "Choose the URDF of a gripper, tool or arm"
        self.list = Rows("Changes", ("Part", "Result"), 1, self.tabs, words=words)
        self.counted = Rows("Tool frames and joints to use", ("Counts", "Why"), 1, self.tabs)
        self.counted.itemChanged.connect(self._tick)
        self.tabs.addTab(self.list, "Changes")
        self.tabs.addTab(self.counted, "Tools and joints")
        self.summary = dress(PlainLabel(parent=self), wrap=True)

    def _lay_out(self) -> None:
        form = self._form = form_of(
            ("Part (URDF)", ((self.part_name, 1), self.part_button, self.known_button)),
            ("Replaces", self.replaced),
            ("Attach to", self.link),
            ("Frame of the part", self.frame),
            ("Position", tuple((field, 1) for field in self.fields[:3])),
            ("Roll, pitch, yaw", tuple((field, 1) for field in self.fields[3:])),
            ("Rotate by", ((self.step, 1), *self.turns, self.faces)),
            ("Gripper", self.variant),
            ("Prefix", self.prefix),
        )
        form.setRowVisible(self.replaced, self.replaced.count() > 1)
        form.setRowVisible(self.variant, False)
        self.lay_out(form, (self.tabs, 1), self.summary)

    def _link_names(self) -> list[str]:
        return [each.name for each in self._session.robot.urdf.links]

    def _parts(self) -> list[tuple[str, str]]:
        parts = assembly_parts.attached_parts(self._session.document)
        return [(f"{part.file} on {part.at}", part.link) for part in parts]

    # -- the view

    def _take_view(self, viewport: view.Viewport) -> None:
        preview = self.preview = part_preview.PartPreview(
            viewport, self._session, self._workbench.meshes, self._workbench.jobs, self
        )
        preview.placed.connect(self._take_origin)
        preview.settled.connect(self._settle)
        preview.link_asked.connect(self._take_link)
        preview.told.connect(self._tell)
        preview.left.connect(self.reject)
        preview.set_goes(self._goes)
        viewport.overlays.add(self)
        if self.look_of_part is not None:
            preview.show(self.look_of_part)
            self._draw()

    def _take_link(self, link: str) -> None:
        """A face of another link was clicked."""
        before = self.link.currentData()
        self.link.choose(link)
        self._session.noticed.emit(
            f"The part is now attached to {link}, not to {before}: you clicked its face."
        )

    def _tell(self, sentence: str) -> None:
        """What the mouse has to do next stands until it is done."""
        hint = self.preview.hint if self.preview is not None else ""
        if hint or sentence:
            self.summary.setText(hint or sentence)

    def _take_look(self, look: mounting.PartLook) -> None:
        self.look_of_part = look
        self.frame.clear()
        self.frame.offer((f"{f} (its root)", "") if f == look.root else (f, f) for f in look.frames)
        if self.preview is not None:
            self.preview.show(look)
        self._draw()

    def _draw(self) -> None:
        """Puts the part in the view to where the numbers say."""
        look = self.look_of_part
        if self.preview is None or look is None:
            return
        choices = () if self.attached is None else self.attached.choices.variants
        variant = next((each for each in choices if each.name == self.variant.currentData()), None)
        prefix = self.prefix.text().strip()
        positions = (
            {}
            if variant is None
            else {n.removeprefix(prefix): p for n, p in variant.positions.items()}
        )
        self.preview.place(
            self.link.currentData(), self.origin, self.frame.currentData() or look.root, positions
        )

    def _take_origin(self, origin: Origin) -> None:
        for field, value in zip(self.fields, (*origin.xyz, *origin.rpy), strict=True):
            field.set_value(value)

    def _settle(self) -> None:
        if self.preview is not None:
            self.faces.setChecked(self.preview.takes_faces)
        self._look_soon()

    def _set_takes_faces(self, takes: bool) -> None:
        if self.preview is not None and takes is not self.preview.takes_faces:
            self.preview.set_takes_faces(takes)

    def _set_step(self, step: float) -> None:
        if self.preview is not None:
            self.preview.step = step

    def _turn(self, axis: int, *_: object) -> None:
        self._take_origin(mounting.turned(self.origin, axis, self.step.currentData()))
        self._look_soon()

    def _take_selection(self, *_: object) -> None:
        """A link that is clicked, in the view or the tree, is where the part hangs."""
        links = self._session.selection.links
        if (
            len(links) == 1
            and self.link.findData(links[0]) >= 0
            and not self.replaced.currentData()
        ):
            self.link.choose(links[0])
            self._look_soon()

    def _take_robot(self, *_: object) -> None:
        """The robot was changed meanwhile."""
        names = self._link_names()
        if names != [self.link.itemData(row) for row in range(self.link.count())]:
            self.link.offer(zip(names, names, strict=True))
        self._look_soon()

    def _take_prefix(self, *_: object) -> None:
        """The ticked things have other names now."""
        self._ticked = {}
        self._look_soon()

    @property
    def _verb(self) -> str:
        return "Replace" if self.replaced.currentData() else "Attach"

    def _propose_prefix(self) -> None:
        """Propose the prefix of the part that is replaced, if it has the same file; none else,
        until names clash.

        A prefix that a person typed stays.
        """
        if self.prefix.text() != self._proposed:
            return
        parts = (
            assembly_parts.attached_parts(self._session.document)
            if self.replaced.currentData()
            else ()
        )
        prefixes = {(part.link, part.file): part.prefix for part in parts}
        name = "" if self._part is None else self._part.name
        self._proposed = prefixes.get((self.replaced.currentData(), name), "")
        self.prefix.setText(self._proposed)

    def _take_place(self, link: str) -> None:
        """Stands where the part is that it replaces, which is drawn faintly until *Attach*."""
        self._ticked = {}
        self.link.setEnabled(not link)
        self.setWindowTitle(f"{self._verb} a part")
        self.attach_button.setText(f"&{self._verb}")
        self._propose_prefix()
        document = self._session.document
        if not link:
            self._set_goes(frozenset())
            self._look_soon()
            return

        def take(free: assembly_parts.FreeMount) -> None:
            stays = {each.name for each in free.base.robot.urdf.links}
            self._set_goes(frozenset(name for name in self._link_names() if name not in stays))
            self.link.choose(free.at)
            self._take_origin(free.place)
            self._look_soon()

        self._freeing.run(
            "Finding the flange",
            lambda _: assembly_parts.free_mount(document, link),
            take,
            in_thread=True,
            failed=self._failed,
        )

    def _set_goes(self, links: frozenset[str]) -> None:
        """Links of the part whose place is taken: they are drawn faintly."""
        self._goes = links
        if self.preview is not None:
            self.preview.set_goes(links)

    def _look_soon(self, *_: object) -> None:
        """What is typed is seen before Return takes it."""
        self._draw()
        self.attached, self._is_awaited = None, False
        self._soon.start()
        self._show_state()

    def _choose(self) -> None:
        name = dialogs.choose_file(self, "The part", "", dialogs.URDF_FILTER)
        if name:
            self.choose(Path(name))

    def _offer_parts(self) -> None:
        KnownPartsDialog(self._workbench.settings, self._workbench.jobs, self.choose, self).open()

    def _counted(
        self, document: Document, *, writes: bool
    ) -> tuple[tuple[str, ...] | None, tuple[str, ...] | None]:
        """Tools and joints as they are ticked; None where nothing was, and files say it.

        A robot whose XRDF is no file yet gets one by *Attach*: `writes`.
        """
        is_told = not self._ticked and (document.xrdf_digest is not None or not writes)
        if is_told or not self.counted.topLevelItemCount():
            return None, None
        tools = self.counted.topLevelItem(0)
        ticked = [
            (thing_of(row), row.parent() is tools) for row in self.counted.rows() if is_ticked(row)
        ]
        return tuple(name for name, is_tool in ticked if is_tool), tuple(
            n for n, is_tool in ticked if not is_tool
        )

    def _tick(self, item: QTreeWidgetItem, _: int) -> None:
        if name := thing_of(item):
            self._ticked[name] = is_ticked(item)
            self._look_soon()

    def _show_choices(self, choices: part_choices.PartChoices) -> None:
        with QSignalBlocker(self.counted):
            self.counted.clear()
            for title, things in (
                ("Tool frames", choices.tools),
                ("Controlled joints", choices.joints),
            ):
                head = self.counted.add((title,))
                for each in things:
                    cells, counts = (
                        (each.name, each.reason),
                        self._ticked.get(each.name, each.counts),
                    )
                    self.counted.add(cells, each.name, head, tips={1: each.reason}, ticked=counts)
        variants = [
            (f"{variant.name} ({variant.source})", variant.name) for variant in choices.variants
        ]
        self.variant.offer([("from its files", ""), *variants])
        self._form.setRowVisible(self.variant, bool(choices.variants))

    def _run(self, slot: JobSlot, take: Callable[..., object], *, quick: bool) -> None:
        document = self._session.document
        if self._part is None:
            return
        part, at, prefix, origin = (
            self._part,
            self.link.currentData(),
            self.prefix.text().strip(),
            self.origin,
        )
        tools, joints = self._sent = self._counted(document, writes=not quick)
        frame, variant, replaces = (
            box.currentData() or None for box in (self.frame, self.variant, self.replaced)
        )

        def job() -> Job:
            attachment = compose.Attachment(
                (part,), at, origin.xyz, origin.rpy, prefix, frame, tools, joints, variant
            )
            return assembly_parts.attach_job(document, attachment, replaces, quick=quick)

        if document.state.typed:
            self.summary.setText("Source has unapplied text. Apply or discard it first.")
            return

        self._tell("Reading the part…" if quick else "Checking collisions between the parts…")
        slot.run_loaded(
            f"Attaching {part.name}",
            assembly_parts,
            job,
            take,
            failed=self._failed,
            about=lambda: document.state,
            stale=self.look,
            cancelled=self._show_state,
            progress=lambda _, sentence: self._tell(sentence),
        )
        self._show_state()

    def _show_state(self) -> None:
        # What is typed is looked at for a second, in which a click counts all the same.
        is_looking = self._looking.is_running or (self._part is not None and self._soon.isActive())
        is_possible = is_looking if self.attached is None else bool(self.attached.texts)
        self.attach_button.setEnabled(is_possible and not self._attaching.is_running)

    def _show(self, attached: assembly_parts.Attached) -> None:
        if attached.clash:
            if not self.prefix.text():
                # Offered, and seen at once: the names in the list have it.
                self._proposed = attached.prefix
                self.prefix.setText(attached.prefix)
                self.look()
                return
            self._is_awaited = False
            self.summary.setText(attached.clash)
            return
        self.attached = attached
        self._show_choices(attached.choices)
        if self._counted(self._session.document, writes=False) != self._sent:
            # On another link, other tools and joints count by themselves beside those that were
            # ticked.
            self.look()
            return
        self._draw()
        for entry in attached.entries:
            detail = entry.detail if entry.fate is Fate.TAKEN else f"{entry.fate}: {entry.detail}"
            severity = _SEVERITIES.get(entry.fate)
            sign = None if severity is None else (1, severity_icon(severity))
            self.list.add((entry.item, detail), tips={1: detail}, sign=sign)
        self._tell(f"{self._verb} checks the pairs between part and robot, in one undo step.")
        self._show_state()
        if self._is_awaited:
            self.accept()

    def _failed(self, error: JobError) -> None:
        self._is_awaited = False
        self.summary.setText(error.message)
        self._show_state()

    def _attach(self, attached: assembly_parts.Attached) -> None:
        document = self._session.document
        # The keyboard is with the robot's window before this one goes: a key pressed in between
        # would reach neither.
        self._workbench.qt_window.activateWindow()
        _take(self._workbench, document, attached)
        super().accept()

    def _end(self, *_: object) -> None:
        # The document may go on changing before the dialog is deleted.
        self._soon.stop()
        if self.preview is not None and self._workbench.viewport is not None:
            self._workbench.viewport.overlays.let_go(self)
            self.preview.end()


def _take(workbench: Workbench, document: Document, attached: assembly_parts.Attached) -> None:
    """Makes it one step, and tells what to look at until the robot is changed: keys like Ctrl+S
    work at once."""
    session, parent = workbench.session, workbench.qt_window
    try:
        document.replace_texts(attached.texts, attached.label)
    except Refusal as error:
        dialogs.show_error(parent, "Attach", "The part cannot be attached.", str(error))
        return
    session.message.emit(f"{attached.label}.")
    if not attached.notes:
        return
    words, notice = "\n\n".join(attached.notes), workbench.central.notice
    show = (
        "Show…",
        lambda: dialogs.show_error(parent, "Attach", "Part attached. To review:", words),
    )
    more = f"; {len(attached.notes) - 1} more:" if len(attached.notes) > 1 else ""
    notice.ask("attached", f"Part attached. {attached.notes[0]}{more}", (show,) if more else ())
    session.robot_settled.connect(
        lambda *_: notice.dismiss("attached"), Qt.ConnectionType.SingleShotConnection
    )


def detach_selected(workbench: Workbench) -> None:
    """Takes the part off that the selected link belongs to: one step, which tells what went with
    it.

    Where one part alone was attached, any link will do; refused, with the parts, where it is none
    of theirs.
    """
    session, document = workbench.session, workbench.session.document
    link = next(reversed(selected_frames(session)), None)

    def take(detached: assembly_parts.Detached) -> None:
        try:
            document.replace_texts(detached.texts, detached.label)
        except Refusal as error:
            session.refused.emit(str(error))
            return
        exact = (
            "The files are the same as before it was attached."
            if detached.is_exact
            else "Later edits are kept."
        )
        session.noticed.emit(
            f"Detached {detached.part.file} from {detached.part.at}: {detached.consequences}. "
            f"{exact}"
        )

    JobSlot(workbench.jobs).run(
        "Detaching",
        lambda _: assembly_parts.detach(document, link),
        take,
        in_thread=True,
        failed=lambda error: session.refused.emit(
            f"{error.message[:1].upper()}{error.message[1:]}."
        ),
        about=lambda: document.state,
        stale=lambda: session.refused.emit(
            "Nothing was detached, because the robot changed. Try again."
        ),
    )


def show_attaching(
    workbench: Workbench,
    link: str | None = None,
    part: Path | None = None,
    replaces: str | None = None,
) -> None:
    """Opens the window beside the view, or comes back to the one that is open.

    `link`: where the part hangs; default: the selected one. `part`: its URDF. `replaces`: a link of
    the part whose place it takes.
    """
    links = selected_frames(workbench.session)
    dialog = next(
        (each for each in workbench.qt_window.findChildren(AttachDialog) if each.isVisible()), None
    )
    if dialog is None:
        dialog = AttachDialog(workbench, link or (links[-1] if links else None), replaces)
        dialog.show()
        dialog.move_beside_view()
    dialog.raise_()
    dialog.activateWindow()
    if part is not None:
        dialog.choose(part)


def show_replacing(workbench: Workbench) -> None:
    """Show the dialog for the part of the selected link, or the only part; refused without one."""
    session, links = workbench.session, selected_frames(workbench.session)
    try:
        part = assembly_parts.part_of(session.document, links[-1] if links else None)
    except Refusal as error:
        session.refused.emit(f"{str(error)[:1].upper()}{str(error)[1:]}.")
        return
    show_attaching(workbench, part.at, replaces=part.link)
