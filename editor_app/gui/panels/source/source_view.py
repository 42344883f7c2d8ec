"""What saving will write: the text, which follows the selection both ways and can be edited, and its diff to disk."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent, QPalette, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QHBoxLayout,
    QPlainTextEdit,
    QPushButton,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from editor_app.edit.diff import LineKind, counts, line_diff
from editor_app.edit.document import Document
from editor_app.edit.selection import Selection
from editor_app.edit.state import FileKind, State
from editor_app.edit.typed import TypedFault, read_typed
from editor_app.formats.source import FormatError, SourceText
from editor_app.gui.panels.source.find_bar import FindBar
from editor_app.gui.panels.source.source_editor import Mark, SourceEditor
from editor_app.gui.plain_text import PlainLabel, plain
from editor_app.gui.session import Session
from editor_app.gui.theme import colours
from editor_app.model.findings import Finding, Severity, SphereRef, YamlPath
from editor_app.model.robot import RobotDescription

#: Milliseconds of quiet before the text is made anew, or what is typed is read.
_DELAY = 150
_TYPING = 500
#: The editor has lost the focus for a moment only.
_AWAY = (
    Qt.FocusReason.PopupFocusReason,
    Qt.FocusReason.MenuBarFocusReason,
    Qt.FocusReason.ActiveWindowFocusReason,
)


class SourcePanel(QWidget):
    """The tabs Text and Difference. What is typed is unsaved text of the document at once, and undone by the window.

    It is read, as one step, by Ctrl+Return, the button, saving, or leaving the editor.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._kind = FileKind.XRDF
        self._shown: str | None = None
        self._filling = False
        self._following = False
        self._refresh = QTimer(self, singleShot=True, interval=_DELAY)
        self._refresh.timeout.connect(self.refresh)
        self._typing = QTimer(self, singleShot=True, interval=_TYPING)
        self._typing.timeout.connect(self._judge)
        self._build()
        session.document_opened.connect(self._on_opened)
        session.robot_settled.connect(lambda *_: self._refresh.start())
        session.history_changed.connect(self._on_history)
        session.selection_changed.connect(lambda _: self._follow_selection())
        session.findings_changed.connect(lambda _: self._mark_findings())
        self._on_opened(session.document)

    # -- building

    def _build(self) -> None:
        self.editor = SourceEditor()
        self.editor.textChanged.connect(self._on_typed)
        self.editor.cursorPositionChanged.connect(self._select_at_cursor)
        self.editor.installEventFilter(self)
        self.find_bar = FindBar(self.editor, self)
        self.find_bar.marked.connect(lambda: self.editor.set_matches(self.find_bar.selections))
        self.find_bar.replacing.connect(self._session.seal)
        self.difference = QPlainTextEdit()
        self.difference.setReadOnly(True)
        self.difference.setFont(self.editor.font())
        self.difference.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.difference.setAccessibleName("Difference to the file on disk")
        self._stack = QStackedWidget()
        self._stack.addWidget(self.editor)
        self._stack.addWidget(self.difference)
        self.file_box = QComboBox()
        self.file_box.setAccessibleName("File")
        self.file_box.setToolTip("Which file's text is shown")
        for kind in FileKind:
            self.file_box.addItem(kind.upper(), kind)
        self.file_box.activated.connect(lambda index: self.show_file(self.file_box.itemData(index)))
        self.text_button = self._switch("Text", 0)
        self.difference_button = self._switch("Difference to disk", 1)
        self.status = PlainLabel()
        self.status.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.apply_button = QPushButton("Apply")
        self.apply_button.setToolTip("Make the edited text the document, as one step (Ctrl+Return)")
        self.apply_button.clicked.connect(self.apply)
        self.discard_button = QPushButton("Discard")
        self.discard_button.setToolTip("Forget what was typed; undo brings it back")
        self.discard_button.clicked.connect(self.discard)
        bar = QHBoxLayout()
        bar.setContentsMargins(4, 2, 4, 2)
        for widget in (self.file_box, self.text_button, self.difference_button):
            bar.addWidget(widget)
        bar.addSpacing(8)
        bar.addWidget(self.status, 1)
        bar.addWidget(self.discard_button)
        bar.addWidget(self.apply_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(bar)
        layout.addWidget(self.find_bar)
        layout.addWidget(self._stack)
        self._show_page(0)

    def _switch(self, text: str, page: int) -> QToolButton:
        button = QToolButton()
        button.setText(text)
        button.setCheckable(True)
        button.setAutoRaise(True)
        button.clicked.connect(lambda: self._show_page(page))
        return button

    def _show_page(self, page: int) -> None:
        self._stack.setCurrentIndex(page)
        if page == 1:
            self.find_bar.hide()
        self.text_button.setChecked(page == 0)
        self.difference_button.setChecked(page == 1)
        self.refresh()

    def show_file(self, kind: FileKind) -> None:
        """Shows another file of the robot."""
        if kind is not self._kind:
            self._typing.stop()
            self._kind, self._shown = kind, None
            self.editor.set_marks(())
            self.editor.set_language(kind.upper(), is_xml=kind is not FileKind.XRDF)
        self.file_box.setCurrentIndex(self.file_box.findData(kind))
        self.refresh()

    def show_difference(self) -> None:
        """Brings the difference to the file on disk to the front."""
        self._show_page(1)

    # -- the text

    @property
    def is_edited(self) -> bool:
        """Whether something was typed that is not read yet."""
        document = self._session.document
        return document is not None and document.typed(self._kind) is not None

    def showEvent(self, event: object) -> None:
        super().showEvent(event)  # type: ignore[arg-type]
        self.refresh()

    def refresh(self) -> None:
        """Shows the present text. Nothing is done while the panel is hidden."""
        document = self._session.document
        if document is None or not self.isVisible():
            return
        if self._stack.currentIndex() == 1:
            self._fill_difference()
            return
        text = self._text(document)
        if text != self._shown:
            self._fill(text, follow=self.editor.hasFocus())
            self._typing.stop()
            if self.is_edited:
                self._judge()
        self._update_buttons()
        if not self.is_edited:
            self._mark_findings()
            self._follow_selection()
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
        self.editor.setPlaceholderText(f"This robot has no {self._kind.upper()}." if text is None else "")
        return text or ""

    def _fill(self, text: str, *, follow: bool = False) -> None:
        self._filling = True
        # Of a text that was not there before, the beginning is shown.
        self.editor.set_text(text, follow=follow and self._shown is not None)
        self._shown = text
        self._filling = False

    def _on_opened(self, document: object) -> None:
        self._shown = None
        self._typing.stop()
        self._refresh.stop()
        self._filling = True
        self.editor.clear()
        self._filling = False
        self.editor.setEnabled(document is not None)
        self.editor.setPlaceholderText("" if document else "Open a robot to see its XRDF here.")
        self.status.clear()
        self.show_file(FileKind.XRDF)
        self._update_buttons()

    def _on_history(self) -> None:
        document = self._session.document
        if document is None:
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
        if self._filling or document is None or self._shown is None:
            return
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
            self.editor.set_marks(())
            self._say("Edited: Ctrl+Return applies it")
            self._typing.start()
        else:
            self._typing.stop()
            self._mark_findings()
            self._say_state()

    def _judge(self) -> None:
        """After a pause: says what would become of the typed text; what is typed next is another step."""
        document = self._session.document
        if document is None or not self.is_edited:
            return
        self._session.seal()
        try:
            state = read_typed(document.state, self._kind)
        except TypedFault as fault:
            self._show_fault(fault)
            return
        errors = [f for f in _reading_findings(state, self._kind) if f.severity is Severity.ERROR]
        red = QColor(colours().error)
        self.editor.set_marks(
            Mark(f.location.line, red, f.message) for f in errors if f.location is not None and f.location.line
        )
        if not errors:
            self._say("Edited: Ctrl+Return applies it")
            return
        first = errors[0]
        where = f"Line {first.location.line}: " if first.location is not None and first.location.line else ""
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        self._say(f"✕ {where}{first.message}{more}")

    def _show_fault(self, fault: TypedFault) -> None:
        place = fault.location
        line = place.line if place is not None and place.line else 1
        where = f"Line {line}" + (f", column {place.column}" if place is not None and place.column else "")
        self._say(f"✕ {where}: {fault.reason}")
        self.editor.set_marks([Mark(line, QColor(colours().error), fault.reason)])

    def _say(self, sentence: str) -> None:
        self.status.setText(sentence)
        self.status.setToolTip(plain(sentence))

    def apply(self) -> bool:
        """Makes the typed text the document, as one step; text that cannot be read stays as typed, and is marked."""
        self._typing.stop()
        document = self._session.document
        if document is None or not self.is_edited:
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
        self._typing.stop()
        if self._session.document is not None:
            self._session.document.discard_typed(self._kind)
        self.refresh()

    def mend(self, kind: FileKind) -> None:
        """Shows a file that cannot be read, with the cursor at its fault."""
        document = self._session.document
        self.show_file(kind)
        self._show_page(0)
        if document is None or not self.is_edited:
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

    def _leave(self) -> None:
        if not self.is_edited or self.apply():
            return
        self._session.refused.emit(f"{self.status.text().removeprefix('✕ ')} The text is kept as typed, unsaved.")

    def _update_buttons(self) -> None:
        edited = self.is_edited
        for button in (self.apply_button, self.discard_button):
            button.setVisible(edited)

    def _say_state(self) -> None:
        document = self._session.document
        if document is None:
            self.status.clear()
            return
        notes = document.xrdf_patch.notes if self._kind is FileKind.XRDF else ()
        self.status.setText(notes[0] if notes else "")
        self.status.setToolTip(plain("\n".join(notes)))
        self._update_buttons()

    def eventFilter(self, watched: object, event: object) -> bool:
        if watched is self.editor and isinstance(event, QEvent):
            if event.type() == QEvent.Type.FocusOut and isinstance(event, QFocusEvent):
                now = QApplication.focusWidget()
                if event.reason() not in _AWAY and (now is None or not self.find_bar.isAncestorOf(now)):
                    self._leave()
            elif isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
                if self._refresh.isActive():
                    # What is typed now is typed into the present text.
                    self._refresh.stop()
                    self.refresh()
                enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
                if enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
                    self.apply()
                    return True
                if event.key() == Qt.Key.Key_Escape and self.is_edited:
                    # Typed text is forgotten by its button alone; the window's Esc would only drop the selection.
                    return True
        return super().eventFilter(watched, event)  # type: ignore[arg-type]

    # -- selection

    def _follow_selection(self) -> None:
        document = self._session.document
        if document is None or self._following or not self.isVisible() or self._shown is None or self.is_edited:
            return
        if self._kind is not FileKind.XRDF:
            self.editor.show_span([])
            return
        if document.xrdf_text != self._shown:
            return
        source = document.xrdf_now
        spans = []
        for path in paths_of(self._session.selection, self._session.active_group):
            span = source.span(source.yaml_path(path))
            if span is not None:
                spans.append((_shown_offset(self._shown, span[0]), _shown_offset(self._shown, span[1])))
        self.editor.show_span(spans[:200], scroll=not self.editor.hasFocus())

    def _select_at_cursor(self) -> None:
        document = self._session.document
        if document is None or self._filling or not self.editor.hasFocus() or self.is_edited or self._shown is None:
            return
        if self._kind is not FileKind.XRDF:
            return
        offset = _source_offset(self._shown, self.editor.cursor_offset())
        source = document.xrdf_now
        selection = selection_at(source.model_path(source.path_at(offset)), document.robot)
        if selection is not None and selection != self._session.selection:
            self._following = True
            self._session.select(selection)
            self._following = False
            self._follow_selection()

    def _mark_findings(self) -> None:
        if not self.isVisible() or self.is_edited:
            return
        colours = {Severity.ERROR: "#d1242f", Severity.WARNING: "#bf8700", Severity.INFO: "#6e7781"}
        document = self._session.document
        path = document.path(self._kind) if document is not None else None
        name = str(path) if path is not None else None
        marks = []
        for finding in self._session.findings:
            place = finding.location
            if place is None or place.line is None or not finding.code.startswith(self._kind.upper()):
                continue
            if name is not None and place.file not in (name, "<text>"):
                continue
            marks.append(Mark(place.line, QColor(colours[finding.severity]), f"{finding.code}: {finding.message}"))
        self.editor.set_marks(marks)

    def go_to(self, line: int, column: int = 1, kind: FileKind = FileKind.XRDF) -> None:
        """Shows a line (from 1) of a file."""
        self.show_file(kind)
        self._show_page(0)
        self.editor.go_to(line, column)

    # -- difference

    def _fill_difference(self) -> None:
        document = self._session.document
        if document is None:
            self.difference.clear()
            return
        old, name, path = "", "a new file", document.path(self._kind)
        if path is not None and path.is_file():
            try:
                old, name = SourceText.read(path).text, path.name
            except FormatError as error:
                self.status.setText(str(error))
        try:
            lines = line_diff(old, document.text_as_typed(self._kind) or "")
        except FormatError as error:
            lines = ()
            self.difference.setPlainText(str(error))
        added, deleted = counts(lines)
        self.status.setText(
            f"{name}: lines added {added}, deleted {deleted}" if lines else f"No difference: {name} is up to date"
        )
        self.difference.clear()
        cursor = QTextCursor(self.difference.document())
        cursor.beginEditBlock()
        dark = self.palette().color(QPalette.ColorRole.Base).lightness() < 128
        tints = {
            LineKind.ADDED: QColor(46, 160, 67, 70 if dark else 50),
            LineKind.DELETED: QColor(248, 81, 73, 70 if dark else 45),
            LineKind.GAP: QColor(84, 130, 255, 40),
            LineKind.SAME: QColor(0, 0, 0, 0),
        }
        for line in lines:
            style = QTextCharFormat()
            style.setBackground(tints[line.kind])
            if line.kind is LineKind.GAP:
                cursor.insertText(f"{line.text}\n", style)
            else:
                numbers = f"{line.old or '':>5} {line.new or '':>5} "
                cursor.insertText(f"{numbers}{line.kind.value} {line.text}\n", style)
        cursor.endEditBlock()
        self.difference.moveCursor(QTextCursor.MoveOperation.Start)


def _reading_findings(state: State, kind: FileKind) -> tuple[Finding, ...]:
    """What reading one of the files has to say."""
    source = {FileKind.XRDF: state.xrdf_source, FileKind.SRDF: state.srdf_source, FileKind.URDF: state.urdf_source}[
        kind
    ]
    return tuple(source.findings) if source is not None else ()


def _shown_offset(text: str, offset: int) -> int:
    """Offset in the text with single-character breaks."""
    return offset - text.count("\r\n", 0, offset)


def _source_offset(text: str, shown: int) -> int:
    if "\r\n" not in text:
        return shown
    offset = shown
    while True:
        moved = shown + text.count("\r\n", 0, offset)
        if moved == offset:
            return offset
        offset = moved


def with_breaks_of(edited: str, original: str) -> str:
    """`edited` (with \\n) in which lines before and after the edit keep the line breaks of `original`."""
    if "\r" not in original:
        return edited
    lines = original.splitlines(keepends=True)
    common = "\r\n" if original.count("\r\n") * 2 >= original.count("\n") else "\n"
    new = edited.split("\n")
    plain = [line.rstrip("\r\n") for line in lines]
    if not lines or lines[-1].endswith(("\n", "\r")):
        plain.append("")
        lines.append("")
    start = 0
    limit = min(len(plain), len(new))
    while start < limit and plain[start] == new[start]:
        start += 1
    end = 0
    while end < limit - start and plain[-1 - end] == new[-1 - end]:
        end += 1
    kept_tail = lines[len(lines) - end :] if end else []
    head = lines[:start]
    middle = new[start : len(new) - end]
    if head and (middle or end) and not head[-1].endswith(("\n", "\r")):
        head[-1] += common
    if end:
        return "".join(head) + "".join(line + common for line in middle) + "".join(kept_tail)
    return "".join(head) + common.join(middle)


def paths_of(selection: Selection, active_group: str | None) -> list[YamlPath]:
    """Where what is selected stands in the XRDF."""
    paths: list[YamlPath] = [("geometry", s.group, "spheres", s.frame, s.index) for s in selection.spheres]
    if not paths and active_group is not None:
        paths = [("geometry", active_group, "spheres", frame) for frame in selection.links]
    return paths + [("default_joint_positions", joint) for joint in selection.joints]


def selection_at(path: YamlPath | None, robot: RobotDescription) -> Selection | None:
    """What to select for a place in the text; None where there is nothing to select."""
    if path is None:
        return None
    if len(path) >= 4 and path[0] == "geometry" and path[2] == "spheres":
        group, frame = str(path[1]), str(path[3])
        found = robot.xrdf.group(group)
        if found is None:
            return None
        if len(path) >= 5 and isinstance(path[4], int) and path[4] < len(found.spheres.get(frame, ())):
            return Selection(spheres=(SphereRef(group, frame, path[4]),))
        return Selection(links=(frame,))
    if len(path) == 2 and path[0] == "default_joint_positions":
        return Selection(joints=(str(path[1]),))
    if len(path) >= 3 and path[1] in ("buffer_distance", "ignore"):
        return Selection(links=(str(path[2]),))
    if len(path) == 3 and path[0] == "cspace" and isinstance(path[2], int):
        names = (robot.xrdf.cspace.joint_names if robot.xrdf.cspace else None) or ()
        return Selection(joints=(names[path[2]],)) if path[2] < len(names) else None
    if len(path) == 2 and path[0] == "tool_frames" and isinstance(path[1], int):
        frames = robot.xrdf.tool_frames or ()
        return Selection(links=(frames[path[1]],)) if path[1] < len(frames) else None
    return None
