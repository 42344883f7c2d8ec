"""The text of the test file in the panel Tests, with completion, hover, and marks at its faults."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from editor_app.core.document.state import FileKind
from editor_app.core.model.findings import Finding
from editor_app.core.model.inputs import Inputs
from editor_app.core.text.source import FormatError, SourceText
from editor_app.plugins.robot_tests.hooks.text_format import VOCABULARY, find_faults
from editor_app.plugins.robot_tests.window.suite_runs import SuiteRuns
from editor_app.window.bindings.elision import ElidedLabel
from editor_app.window.bindings.typed_fields import UndoKeys
from editor_app.window.jobs import Latest
from editor_app.window.source.source_editor import Mark, SourceEditor
from editor_app.window.source.text_helper import TextHelper
from editor_app.window.timers import Wait, after
from editor_app.window.widgets import SEVERITY_ICONS, dress, fill_layout, icon
from editor_app.window.workbench import Workbench


class SuiteText(QWidget):
    """Shows the file as it is on disk until something is typed; *Save* writes it, and the tests run
    again."""

    def __init__(self, runs: SuiteRuns, workbench: Workbench, parent: QWidget) -> None:
        super().__init__(parent)
        self._runs, self._session = runs, workbench.session
        self._inputs = Inputs()
        self.editor = SourceEditor()
        self.editor.set_language("Tests", is_xml=False)
        # The text belongs to no document: its undo is the editor's, not the window's.
        for keys in self.editor.findChildren(UndoKeys):
            self.editor.removeEventFilter(keys)
        self.editor.setUndoRedoEnabled(True)
        self.editor.document().setModified(False)
        self.helper = TextHelper(
            self.editor,
            workbench.jobs,
            workbench.session,
            lambda: FileKind.XRDF,
            vocabulary=VOCABULARY,
        )
        self.state = dress(ElidedLabel(self), look="muted", name="Faults of the test file")
        self.save_button = dress(
            QPushButton(icon("floppy-disk"), "Save", self),
            tip="Write the test file and run the tests",
            run=self.save,
        )
        self._judging = Latest(workbench.jobs, "Faults of the tests")
        self._later = after(self, self._judge, Wait.SOURCE_TEXT, on=(self.editor.textChanged,))
        head = fill_layout(QHBoxLayout(), (self.state, 1), self.save_button, spacing=4)
        fill_layout(QVBoxLayout(self), head, (self.editor, 1), margins=0, spacing=4)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._later.stop()

    @property
    def is_modified(self) -> bool:
        return self.editor.document().isModified()

    def follow_file(self) -> None:
        """Show the file as it is on disk, unless something was typed."""
        path = self._runs.path
        if self.is_modified:
            return
        text = ""
        if path is not None and path.is_file():
            self._inputs = Inputs.of([path])
            try:
                text = SourceText.read(path).text
            except FormatError as error:
                self.state.set_text(str(error))
                self.editor.setReadOnly(True)
                return
        self.editor.setReadOnly(path is None)
        if text != self.editor.toPlainText():
            self.editor.setPlainText(text)
        self.editor.document().setModified(False)

    def save(self) -> None:
        """Write the text; a file that another program changed since is refused."""
        if self._runs.write(self.editor.toPlainText().encode(), self._inputs):
            self.editor.document().setModified(False)
            self.follow_file()

    def _judge(self) -> None:
        text, robot = self.editor.toPlainText(), self._session.robot
        if not text.strip():
            self._show([])
            return
        source = SourceText.from_text(text)
        self._judging.ask(partial(find_faults, source, robot), self._show)

    def _show(self, findings: Sequence[Finding]) -> None:
        marks = [
            Mark(
                place.line,
                SEVERITY_ICONS[each.severity],
                f"{each.code}: {each.message}",
                place.column,
            )
            for each in findings
            if (place := each.location) is not None and place.line is not None
        ]
        self.editor.set_marks(marks)
        first = findings[0] if findings else None
        self.state.set_text("" if first is None else f"line {first.place[0]}: {first.message}")
