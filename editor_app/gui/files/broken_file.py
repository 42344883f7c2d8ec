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
        heading = _label(f"{path.name}{line}: {error.message}.", self)
        heading.setProperty("heading", True)
        self.heading = heading
        detail = _label("\n".join(part for part in (str(path), error.remedy or "") if part), self)
        self.text = QPlainTextEdit(self)
        self.text.setReadOnly(True)
        self.text.setFont(fixed_font())
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setAccessibleName("The lines around the fault")
        _show_lines(self.text, path, place.line or 1)
        buttons = QDialogButtonBox(self)
        copy = QPushButton("C&opy", self)
        copy.setObjectName("copy")
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(str(error)))
        buttons.addButton(copy, QDialogButtonBox.ButtonRole.ActionRole)
        for name, text, run in ways_out:
            button = QPushButton(text, self)
            button.setObjectName(name)
            buttons.addButton(button, QDialogButtonBox.ButtonRole.AcceptRole)
            # After the dialog is gone: what runs may ask something itself.
            button.clicked.connect(lambda _=False, run=run: QTimer.singleShot(0, window, run))
        cancel = QPushButton("&Cancel", self)
        cancel.setObjectName("cancel")
        buttons.addButton(cancel, QDialogButtonBox.ButtonRole.RejectRole)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(heading)
        layout.addWidget(detail)
        layout.addWidget(self.text, 1)
        layout.addWidget(buttons)


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
