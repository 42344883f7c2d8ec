"""A file that cannot be read, and what can be done all the same: the line is shown, with the ways out beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QColor, QGuiApplication, QTextCursor, QTextFormat
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from editor_app.formats.source import FormatError, SourceText
from editor_app.gui.plain_text import PlainLabel
from editor_app.gui.theme import colours, fixed_font
from editor_app.gui.widgets import dress, fill

#: Lines shown before and after the one at fault.
_AROUND = 4
#: Characters of a line that are shown.
_WIDTH = 200

WayOut = tuple[str, str, Callable[[], object]]


class BrokenFileDialog(QDialog):
    """Says why a file cannot be read, shows where, and offers `ways_out`: (object name, label, what to do) each."""

    def __init__(self, window: QWidget, path: Path, error: FormatError, ways_out: Sequence[WayOut]) -> None:
        super().__init__(window)
        self.setObjectName("broken_file")
        self.setWindowTitle("A file cannot be read")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(760, 360)
        place = error.location
        line = f", line {place.line}" if place.line else ""
        heading = dress(_label(f"{path.name}{line}: {error.message}.", self), look="heading")
        self.heading = heading
        detail = _label("\n".join(part for part in (str(path), error.remedy or "") if part), self)
        self.text = dress(QPlainTextEdit(self), name="The lines around the fault", font=fixed_font())
        self.text.setReadOnly(True)
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        _show_lines(self.text, path, place.line or 1)
        buttons = QDialogButtonBox(self)
        copy = dress(QPushButton("C&opy", self), id="copy", run=lambda: QGuiApplication.clipboard().setText(str(error)))
        buttons.addButton(copy, QDialogButtonBox.ButtonRole.ActionRole)
        for name, text, run in ways_out:
            button = dress(QPushButton(text, self), id=name)
            buttons.addButton(button, QDialogButtonBox.ButtonRole.AcceptRole)
            # After the dialog is gone: what runs may ask something itself.
            button.clicked.connect(lambda _=False, run=run: QTimer.singleShot(0, window, run))
        cancel = dress(QPushButton("&Cancel", self), id="cancel")
        buttons.addButton(cancel, QDialogButtonBox.ButtonRole.RejectRole)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        fill(QVBoxLayout(self), heading, detail, (self.text, 1), buttons)


def _label(text: str, parent: QWidget) -> QLabel:
    label = PlainLabel(text, parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def _show_lines(view: QPlainTextEdit, path: Path, line: int) -> None:
    try:
        lines = SourceText.read(path).text.splitlines()
    except FormatError:
        view.hide()
        return
    first = max(0, line - 1 - _AROUND)
    shown = lines[first : line + _AROUND]
    view.setPlainText("\n".join(f"{first + i + 1:>5}  {text[:_WIDTH]}" for i, text in enumerate(shown)))
    mark = QTextEdit.ExtraSelection()
    colour = QColor(colours().error)
    colour.setAlpha(60)
    mark.format.setBackground(colour)
    mark.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
    mark.cursor = QTextCursor(view.document().findBlockByNumber(line - 1 - first))
    view.setExtraSelections([mark])
