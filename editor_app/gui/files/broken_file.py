"""A file that cannot be read, and what can be done all the same: the line is shown, with the ways out beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QColor, QGuiApplication, QTextCursor, QTextFormat
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QTextEdit, QWidget

from editor_app.formats.source import FormatError, SourceText
from editor_app.gui.dialogs import Dialog, Role, source_lines
from editor_app.gui.plain_text import PlainLabel
from editor_app.gui.theme import colours
from editor_app.gui.widgets import dress

#: Lines shown before and after the one at fault.
_AROUND = 4
#: Characters of a line that are shown.
_WIDTH = 200

WayOut = tuple[str, str, Callable[[], object]]


class BrokenFileDialog(Dialog):
    """Says why a file cannot be read, shows where, and offers `ways_out`: (object name, label, what to do) each."""

    def __init__(self, window: QWidget, path: Path, error: FormatError, ways_out: Sequence[WayOut]) -> None:
        super().__init__(window, "broken_file", "A file cannot be read", (760, 360))
        place = error.location
        line = f", line {place.line}" if place.line else ""
        self.heading = dress(_label(f"{path.name}{line}: {error.message}.", self), look="heading")
        detail = _label("\n".join(part for part in (str(path), error.remedy or "") if part), self)
        self.text = source_lines(self, "The lines around the fault")
        _show_lines(self.text, path, place.line or 1)
        self.button("C&opy", "copy", Role.ActionRole, lambda: QGuiApplication.clipboard().setText(str(error)))
        for name, text, run in ways_out:
            # After the dialog is gone: what runs may ask something itself.
            self.button(text, name, run=partial(QTimer.singleShot, 0, window, run))
        self.button("&Cancel", "cancel", Role.RejectRole)
        self.lay_out(self.heading, detail, (self.text, 1))


def _label(text: str, parent: QWidget) -> QLabel:
    label = dress(PlainLabel(text, parent), wrap=True)
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
