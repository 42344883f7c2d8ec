"""The difference between two texts, line by line, with the numbers that the lines have in both."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QColor, QPalette, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from editor_app.edit.diff import DiffLine, LineKind, counts, line_diff
from editor_app.edit.document import Document
from editor_app.edit.state import FileKind
from editor_app.formats.source import FormatError, SourceText
from editor_app.gui.theme import fixed_font
from editor_app.gui.widgets import dress


class DifferenceView(QPlainTextEdit):
    """Read only."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        dress(self, name="Difference to the file on disk", font=fixed_font())

    def compare(self, document: Document, kind: FileKind) -> str:
        """Shows what saving changes in a file of a document; returns the sentence that sums it up."""
        old, name, path = "", "a new file", document.path(kind)
        if path is not None and path.is_file():
            try:
                old, name = SourceText.read(path).text, path.name
            except FormatError as error:
                self.clear()
                return str(error)
        try:
            lines = line_diff(old, document.text_as_typed(kind) or "")
        except FormatError as error:
            self.setPlainText(str(error))
            return f"The {kind.upper()} cannot be written."
        self.show_lines(lines)
        if not lines:
            return f"No difference: {name} is up to date"
        added, deleted = counts(lines)
        return f"{name}: lines added {added}, deleted {deleted}"

    def show_lines(self, lines: Sequence[DiffLine]) -> None:
        self.clear()
        cursor = QTextCursor(self.document())
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
        self.moveCursor(QTextCursor.MoveOperation.Start)
