"""The remedies of what was found at a line, offered there: a lamp in the margin, a menu by key."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMenu

from editor_app.gui.panels.findings.feed import FindingsFeed, RunnableRemedy, remedies_of
from editor_app.gui.panels.source.source_editor import Mark, SourceEditor
from editor_app.gui.session import Session
from editor_app.gui.widgets import SEVERITY_ICONS, icon, no_mnemonic, popup
from editor_app.model.findings import Finding


class QuickFixes(QObject):
    """Knows the findings by line; what is done is what the panel with the findings does."""

    #: Sentence
    nothing_found = Signal(str)

    def __init__(self, editor: SourceEditor, session: Session, feed: FindingsFeed) -> None:
        super().__init__(editor)
        self._editor = editor
        self._session = session
        self._feed = feed
        self._findings: dict[int, list[Finding]] = {}
        editor.cursorPositionChanged.connect(self._light)
        editor.remedies_wanted.connect(self.show_menu)

    def show(self, findings: Iterable[tuple[int, Finding]]) -> None:
        """Marks findings at their lines (from 1); the worst of a line gives the sign."""
        self._findings = {}
        for line, finding in findings:
            self._findings.setdefault(line, []).append(finding)
        marks = []
        for line, line_findings in self._findings.items():
            line_findings.sort(key=lambda finding: -finding.severity)
            words = "\n".join(f"{finding.code}: {finding.message}" for finding in line_findings)
            worst = line_findings[0]
            column = worst.location.column if worst.location is not None else None
            marks.append(Mark(line, SEVERITY_ICONS[worst.severity], words, column))
        self._editor.set_marks(marks)
        self._light()

    def remedies_at(self, line: int) -> list[RunnableRemedy]:
        """Label and what carries it out, each label once."""
        remedies: dict[str, RunnableRemedy] = {}
        for finding in self._findings.get(line, ()):
            for remedy in remedies_of(self._session, self._feed, finding):
                remedies.setdefault(remedy[0], remedy)
        return list(remedies.values())

    def show_menu(self) -> None:
        """The remedies at the cursor's line."""
        cursor = self._editor.textCursor()
        remedies = self.remedies_at(cursor.blockNumber() + 1)
        if not remedies:
            self.nothing_found.emit("Nothing at this line has a remedy.")
            return
        menu = QMenu(self._editor)
        menu.setObjectName("remedies")
        for label, run in remedies:
            menu.addAction(icon("wrench"), no_mnemonic(label), run)
        menu.setActiveAction(menu.actions()[0])
        popup(menu, self._editor.viewport().mapToGlobal(self._editor.cursorRect(cursor).bottomLeft()))

    def _light(self) -> None:
        line = self._editor.textCursor().blockNumber() + 1
        self._editor.set_lamp(line if line in self._findings and self.remedies_at(line) else None)
