"""The text that saving will write, which follows the selection both ways and can be edited, and its
diff to disk."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from operator import attrgetter

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QPushButton,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from editor_app.core.document.document import Document
from editor_app.core.document.state import SETTINGS, SETTINGS_FILES, FileKind
from editor_app.core.document.texts import TypedFault, read_typed
from editor_app.core.model.findings import Finding, Severity
from editor_app.core.text.source import FormatError
from editor_app.core.verbs.text_folds import Fold, folds
from editor_app.core.verbs.text_help import NamedThing
from editor_app.window.bindings.choice_box import ChoiceBox
from editor_app.window.bindings.elision import ElidedLabel
from editor_app.window.dialogs import DifferenceView
from editor_app.window.findings_feed import FindingsFeed
from editor_app.window.jobs import Jobs, Latest
from editor_app.window.session import Session
from editor_app.window.source.find_bar import FindBar
from editor_app.window.source.selection_link import (
    Judge,
    Judgement,
    QuickFixes,
    SelectionLink,
    TextAhead,
    selection_of,
    with_breaks_of,
)
from editor_app.window.source.source_editor import Mark, SourceEditor
from editor_app.window.source.text_helper import TextHelper
from editor_app.window.timers import Wait, after
from editor_app.window.widgets import SEVERITY_ICONS, dress, fill_layout

_EDITED = "Edited. Ctrl+Return applies it"
#: The editor has lost the focus for a moment only.
_AWAY = (
    Qt.FocusReason.PopupFocusReason,
    Qt.FocusReason.MenuBarFocusReason,
    Qt.FocusReason.ActiveWindowFocusReason,
)


class SourcePanel(QWidget):
    """The tabs Text and Difference. What is typed is unsaved text of the document at once, and
    undone by the window.

    It is read, as one step, by Ctrl+Return, the button, saving, or leaving the editor.
    """

    #: A frame was looked up in the text, and is selected: it is to be seen.
    frame_shown = Signal()
    #: The typed text can be read again: why it could not be is over.
    readable = Signal(str)

    def __init__(self, session: Session, jobs: Jobs, feed: FindingsFeed) -> None:
        super().__init__()
        self._fault = ""
        self._session = session
        self._jobs = jobs
        self._feed = feed
        self._kind = FileKind.XRDF
        self._shown: str | None = None
        self._filling = False
        self._refresh = after(self, self._prepare, Wait.SOURCE_TEXT)
        self._ahead = TextAhead(session, jobs, self.refresh)
        self._fold = after(self, self._find_folds, Wait.SOURCE_TEXT)
        self._folds = Latest(jobs, "Folds")
        self.judge = Judge(session, jobs, self, self._show_judgement)
        self._build()
        session.document_opened.connect(self._on_opened)
        session.robot_settled.connect(lambda *_: self._refresh.start())
        session.history_changed.connect(self._on_history)
        session.findings_changed.connect(lambda _: self._mark_findings())
        self._on_opened(session.document)

    # -- building

    def _build(self) -> None:
        self.editor = SourceEditor()
        self.editor.textChanged.connect(self._on_typed)
        self.editor.installEventFilter(self)
        self.find_bar = FindBar(self.editor, self)
        self.find_bar.marked.connect(lambda: self.editor.set_matches(self.find_bar.selections))
        self.find_bar.replacing.connect(self._session.seal)
        # After the others, so that it is asked first: keys of its list are no keys of the text.
        self.helper = TextHelper(self.editor, self._jobs, self._session, lambda: self._kind)
        self.helper.definition_found.connect(self.show_definition)
        self.fixes = QuickFixes(self.editor, self._feed, self._session.message)
        self._link = SelectionLink(self.editor, self._session, self._text_in_step)
        self.difference = DifferenceView()
        self._stack = QStackedWidget()
        self._stack.addWidget(self.editor)
        self._stack.addWidget(self.difference)
        fill_layout(
            QVBoxLayout(self), self._bar(), self.find_bar, self._stack, margins=0, spacing=0
        )
        self._show_page(0)

    def _bar(self) -> QHBoxLayout:
        """The row above the text: which file, text or difference, what is to be said, what to do
        with typed text."""
        self.file_box = dress(ChoiceBox(), name="File", tip="File to show")
        self._list_files(self._session.document)
        self.file_box.activated.connect(lambda index: self.show_file(self.file_box.itemData(index)))
        self.text_button, self.difference_button = QToolButton(), QToolButton()
        for page, button in enumerate((self.text_button, self.difference_button)):
            dress(button, flat=True, run=partial(self._show_page, page)).setCheckable(True)
            button.setText(("Text", "Differences from disk")[page])
        # What does not fit is cut: the buttons beside it are the way out.
        self.status = ElidedLabel()
        apply_tip = "Apply the edited text as one undo step (Ctrl+Return)"
        self.apply_button = dress(QPushButton("Apply"), tip=apply_tip, run=self.apply)
        discard_tip = "Discard the edited text; undo restores it"
        self.discard_button = dress(QPushButton("Discard"), tip=discard_tip, run=self.discard)
        row = fill_layout(
            QHBoxLayout(),
            self.file_box,
            self.text_button,
            self.difference_button,
            margins=(4, 2, 4, 2),
        )
        row.addSpacing(8)
        return fill_layout(row, (self.status, 1), self.discard_button, self.apply_button)

    def _list_files(self, document: Document) -> None:
        """URDF, XRDF and SRDF, and the settings of MoveIt that the robot has."""
        settings = [kind for kind in SETTINGS if document.path(kind) is not None]
        kinds = [kind for kind in FileKind if kind not in SETTINGS or kind in settings]
        self.file_box.offer((SETTINGS_FILES.get(kind, kind.upper()), kind) for kind in kinds)

    def _show_page(self, page: int, _: bool = False) -> None:
        self._stack.setCurrentIndex(page)
        if page == 1:
            self.find_bar.hide()
        self.text_button.setChecked(page == 0)
        self.difference_button.setChecked(page == 1)
        self.refresh()

    def show_file(self, kind: FileKind) -> None:
        """Shows another file of the robot."""
        if kind is not self._kind:
            self.judge.stop()
            self._kind, self._shown = kind, None
            self.editor.folding.forget()
            self.fixes.show(())
            self.editor.set_language(kind.upper(), is_xml=not kind.is_yaml)
        self.file_box.choose(kind)
        self.refresh()

    def show_text(self) -> None:
        """Brings the text to the front, ready to type."""
        self._show_page(0)
        self.editor.setFocus()

    # -- actions, each of which brings the text to the front

    def help(self, name: str) -> None:
        """Runs a function of the panel's parts, as "helper.complete"."""
        self.show_text()
        attrgetter(name)(self)()

    def _line(self) -> int:
        self.show_text()
        return self.editor.textCursor().blockNumber() + 1

    def fold(self) -> None:
        around = self.editor.folding.around(self._line())
        if around is not None:
            self.editor.folding.fold(around)
        else:
            self._session.message.emit("Nothing to fold on this line.")

    def unfold(self) -> None:
        line = self._line()
        if self.editor.folding.is_folded(line):
            self.editor.folding.unfold(line)
        else:
            self._session.message.emit("Nothing to unfold on this line.")

    def fold_all(self) -> None:
        self.show_text()
        folding = self.editor.folding
        before = folding.folded
        folding.fold_all()
        if folding.folded == before:
            self._session.message.emit(
                "All sections are folded." if before else "No sections to fold."
            )

    def unfold_all(self) -> None:
        self.show_text()
        if self.editor.folding.folded:
            self.editor.folding.unfold_all()
        else:
            self._session.message.emit("No section is folded.")

    # -- the text

    @property
    def is_edited(self) -> bool:
        """True if something was typed that is not read yet."""
        return self._session.document.typed(self._kind) is not None

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def _prepare(self) -> None:
        """Shows the present text as soon as a thread has made it."""
        if self.isVisible() and self._kind is FileKind.XRDF:
            self._ahead.ask()
        else:
            self.refresh()

    def refresh(self) -> None:
        """Shows the present text. Nothing is done while the panel is hidden."""
        document = self._session.document
        if not self._session.has_robot or not self.isVisible():
            return
        if self._stack.currentIndex() == 1:
            self.status.set_text(self.difference.compare(document, self._kind))
            return
        text = self._text(document)
        if text != self._shown:
            self._filling = True
            # Of a text that was not there before, the beginning is shown.
            self.editor.set_text(text, follow=self.editor.hasFocus() and self._shown is not None)
            self._shown = text
            self._filling = False
            self._fold.start()
            self.judge.stop()
            if self.is_edited:
                self.judge.read(self._kind)
        self._update_buttons()
        if not self.is_edited:
            self._mark_findings()
            self._link.follow()
            self._say_state()

    def _text(self, document: Document) -> str:
        """What is shown; where there is nothing, or nothing to be edited, the editor says why."""
        locked = document.expansion is not None and self._kind is FileKind.URDF
        try:
            text = document.text_as_typed(self._kind)
        except FormatError as error:
            self.editor.setReadOnly(True)
            self.editor.setPlaceholderText(f"The {self._kind.upper()} cannot be written: {error}")
            return ""
        self.editor.setReadOnly(locked or text is None)
        self.editor.setPlaceholderText(
            f"This robot has no {self._kind.upper()}." if text is None else ""
        )
        return text or ""

    def _on_opened(self, document: Document) -> None:
        self._shown = None
        self._list_files(document)
        self.judge.stop()
        self._refresh.stop()
        self._ahead.forget()
        self._fold.stop()
        self.helper.close()
        self.editor.folding.forget()
        self._filling = True
        self.editor.clear()
        self._filling = False
        self.editor.setEnabled(self._session.has_robot)
        self.editor.setPlaceholderText(
            "" if self._session.has_robot else "Open a robot to see its XRDF."
        )
        self.status.set_text("")
        self.show_file(FileKind.XRDF)
        self._update_buttons()

    def _on_history(self) -> None:
        document = self._session.document
        if not self._session.has_robot:
            return
        if self._stack.currentIndex() == 1:
            self._refresh.start()
            return
        typed = document.typed(self._kind)
        foreign = typed != self._shown if typed is not None else self.apply_button.isVisibleTo(self)
        if foreign or self.editor.hasFocus():
            # Typing was undone, redone, read or forgotten elsewhere; or somebody looks at the text.
            self.refresh()

    def _on_typed(self) -> None:
        document = self._session.document
        if self._filling or self._shown is None:
            return
        self._fold.start()
        text = with_breaks_of(self.editor.toPlainText(), self._shown)
        # What is pasted or cut is a step of its own, and a line is one.
        apart = abs(len(text) - len(self._shown)) > 1 or text.count("\n") != self._shown.count("\n")
        if apart:
            self._session.seal()
        self._shown = text
        document.type_text(self._kind, text)
        if apart:
            self._session.seal()
        self._update_buttons()
        if self.is_edited:
            self.fixes.show(())
            self.status.set_text(_EDITED)
            self.judge.wait(self._kind)
        else:
            self.judge.stop()
            self._mark_findings()
            self._say_state()

    def _show_judgement(self, judgement: Judgement) -> None:
        """Says what would become of the typed text."""
        if isinstance(judgement, TypedFault):
            if judgement.place is self._kind:
                self._show_fault(judgement)
            return
        placed = [
            (f.location.line, f) for f in judgement if f.location is not None and f.location.line
        ]
        self.fixes.show(placed)
        self._tell_readable()
        errors = [f for f in judgement if f.severity is Severity.ERROR]
        if not errors:
            self.status.set_text(_EDITED)
            return
        first = errors[0]
        where = (
            f"Line {first.location.line}: "
            if first.location is not None and first.location.line
            else ""
        )
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        self.status.set_text(f"✕ {where}{first.message}{more}")

    def _tell_readable(self) -> None:
        """What was told of an unreadable text is over."""
        reason, self._fault = self._fault, ""
        if reason:
            self.readable.emit(reason)

    def _show_fault(self, fault: TypedFault) -> None:
        self._fault = fault.reason
        place = fault.location
        line = place.line if place is not None and place.line else 1
        where = f"Line {line}" + (
            f", column {place.column}" if place is not None and place.column else ""
        )
        self.status.set_text(f"✕ {where}: {fault.reason}")
        self.fixes.show(())
        column = place.column if place is not None else None
        self.editor.set_marks([Mark(line, SEVERITY_ICONS[Severity.ERROR], fault.reason, column)])

    def apply(self) -> bool:
        """Makes the typed text the document, as one step; text that cannot be read stays as typed,
        and is marked."""
        self.judge.stop()
        document = self._session.document
        if not self.is_edited:
            return False
        try:
            document.read_typed_text(self._kind)
        except TypedFault as fault:
            self._show_fault(fault)
            return False
        self.refresh()
        return True

    def discard(self) -> None:
        """Forgets what was typed; undo brings it back."""
        self.judge.stop()
        self._session.document.discard_typed(self._kind)
        self.refresh()

    def mend(self, kind: FileKind) -> None:
        """Shows a file that cannot be read, with the cursor at its fault."""
        document = self._session.document
        self.show_file(kind)
        self._show_page(0)
        if not self.is_edited:
            return
        try:
            read_typed(document.state, kind)
        except TypedFault as fault:
            self.show_fault(fault)

    def show_fault(self, fault: TypedFault) -> None:
        """Shows where the typed text cannot be read, with the cursor there."""
        assert isinstance(fault.place, FileKind)
        self.show_file(fault.place)
        self._show_page(0)
        place = fault.location
        if place is not None and place.line:
            self.editor.go_to(place.line, place.column or 1)
        self.editor.setFocus()
        self._show_fault(fault)

    def _update_buttons(self) -> None:
        edited = self.is_edited
        if not edited:
            self._tell_readable()
        for button in (self.apply_button, self.discard_button):
            button.setVisible(edited)

    def _say_state(self) -> None:
        notes = self._session.document.xrdf_patch.notes if self._kind is FileKind.XRDF else ()
        self.status.set_text(" ".join(notes))
        self._update_buttons()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.editor:
            if event.type() == QEvent.Type.FocusOut and isinstance(event, QFocusEvent):
                now = QApplication.focusWidget()
                leaves = event.reason() not in _AWAY and (
                    now is None or not self.find_bar.isAncestorOf(now)
                )
                if leaves and self.is_edited and not self.apply():
                    why = self.status.whole_text.removeprefix("✕ ")
                    self._session.refused.emit(f"{why} The text is kept but not saved.")
            elif isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
                if self._refresh.isActive() or self._ahead.is_busy:
                    # What is typed now is typed into the present text.
                    self._refresh.stop()
                    self._ahead.forget()
                    self.refresh()
                enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
                if enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
                    self.apply()
                    return True
                if event.key() == Qt.Key.Key_Escape and self.is_edited:
                    # Typed text is forgotten by its button alone; the window's Esc would only drop
                    # the selection.
                    return True
        return super().eventFilter(watched, event)

    # -- findings, folds, definitions

    def _text_in_step(self) -> str | None:
        """The XRDF's text where it is shown and nothing else than what the document has."""
        document = self._session.document
        if self._filling or not self.isVisible() or self.is_edited:
            return None
        in_step = (
            self._kind is FileKind.XRDF
            and self._shown is not None
            and document.xrdf_text == self._shown
        )
        return self._shown if in_step else None

    def _mark_findings(self) -> None:
        if self.isVisible() and not self.is_edited:
            self.fixes.show(self._placed_findings())

    def _placed_findings(self) -> Iterator[tuple[int, Finding]]:
        """Line and finding, of the file that is shown."""
        path = self._session.document.path(self._kind)
        name = str(path) if path is not None else None
        series = "ROS" if self._kind in SETTINGS else self._kind.upper()
        for finding in self._session.findings:
            place = finding.location
            if place is None or place.line is None or not finding.code.startswith(series):
                continue
            if name is None or place.file in (name, "<text>"):
                yield place.line, finding

    def show_definition(self, thing: NamedThing, span: tuple[int, int] | None) -> None:
        """A frame or joint is selected and brought into view; a group's definition is in the
        text."""
        selection = selection_of(thing, self._session.tree)
        if selection is not None:
            self._session.select(selection)
            self._session.look_requested.emit()
            self.frame_shown.emit()
        elif span is not None:
            self.editor.go_to_offset(span[0])
        else:
            self._session.message.emit(f"{thing.name} is not defined in this robot.")

    def _find_folds(self) -> None:
        text, kind = self.editor.toPlainText(), self._kind

        def take(new_folds: tuple[Fold, ...]) -> None:
            if self._kind is kind and self.editor.toPlainText() == text:
                self.editor.folding.set_folds(new_folds)

        self._folds.ask(partial(folds, text, kind), take)

    def go_to(self, line: int, column: int = 1, kind: FileKind = FileKind.XRDF) -> None:
        """Shows a line (from 1) of a file."""
        self.show_file(kind)
        self._show_page(0)
        self.editor.go_to(line, column)
