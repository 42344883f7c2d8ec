"""Find and replace in a text: Ctrl+F and Ctrl+H open the line, Enter and Shift+Enter step, Esc
closes it."""

from __future__ import annotations

import re
import sys
from array import array

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPalette
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QTextEdit,
    QToolButton,
    QWidget,
)

from editor_app.window.bindings.panel import flat_button, tool_button
from editor_app.window.bindings.typed_fields import UndoKeys
from editor_app.window.source.source_editor import has_wide, selected
from editor_app.window.widgets import PlainLabel, checkable, dress, fill_layout

#: UTF-16 as this machine has it in memory.
_NATIVE = f"utf-16-{'le' if sys.byteorder == 'little' else 'be'}"


class FindBar(QWidget):
    """Hidden until it is asked for. Every match in sight is marked; `marked` says that the marks
    are others."""

    #: Before and after a replacement, which is a step of its own.
    replacing = Signal()
    marked = Signal()

    def __init__(self, text: QPlainTextEdit, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = text
        #: What was looked for, in which revision of the text, and the matches.
        self._searched: tuple[tuple[str, int, int], list[re.Match[str]]] | None = None
        #: For the editor to show beside its own.
        self.selections: list[QTextEdit.ExtraSelection] = []
        self.wanted = dress(QLineEdit(self), name="Find", hint="Find")
        self.replacement = dress(QLineEdit(self), name="Replace with", hint="Replace with")
        self.case = self._switch("Aa", "Match case")
        self.words = self._switch("W", "Match whole words")
        self.pattern = self._switch(
            ".*", "Use regular expression; \\1 in the replacement is its first group"
        )
        self.count = dress(PlainLabel(parent=self), look="muted")
        self.one = tool_button("", "Replace", run=self.replace_one)
        self.all = tool_button("", "Replace all", run=self.replace_all)
        previous = flat_button(
            "arrow-up", "Previous match (Shift+Enter)", run=lambda: self.next(-1)
        )
        following = flat_button("arrow-down", "Next match (Enter)", run=lambda: self.next())
        close = flat_button("x", "Close (Esc)", run=self.close_bar)
        row = fill_layout(
            QHBoxLayout(self),
            (self.wanted, 2),
            self.case,
            self.words,
            self.pattern,
            margins=(4, 0, 4, 2),
        )
        fill_layout(
            row,
            previous,
            following,
            self.count,
            (self.replacement, 2),
            self.one,
            self.all,
            close,
            spacing=3,
        )
        self.wanted.textChanged.connect(lambda _: self._search())
        self.wanted.returnPressed.connect(self.next)
        self.replacement.returnPressed.connect(self.replace_one)
        text.textChanged.connect(self._mark)
        text.textChanged.connect(self._count)
        text.verticalScrollBar().valueChanged.connect(lambda _: self._mark())
        text.installEventFilter(self)
        for line in (self.wanted, self.replacement):
            line.installEventFilter(self)
            UndoKeys(line)
        self.hide()

    # -- what it does

    def open_bar(self, *, replacing: bool = False) -> None:
        """Shows it with what is selected in the text, ready to type."""
        chosen = self._text.textCursor().selectedText()
        if chosen and "\u2029" not in chosen:
            self.wanted.setText(chosen)
        can_replace = replacing and not self._text.isReadOnly()
        for widget in (self.replacement, self.one, self.all):
            widget.setVisible(can_replace)
        self.show()
        self.wanted.setFocus()
        self.wanted.selectAll()
        self._mark()

    def close_bar(self) -> None:
        self.hide()
        self._mark()
        self._text.setFocus()

    def next(self, by: int = 1) -> bool:
        """Selects the next match (or, with -1, the previous) from the cursor on, around the end;
        False without any."""
        matches = self._matches()
        if not matches:
            return False
        cursor = self._text.textCursor()
        if by > 0:
            place = next((m for m in matches if m.start() >= cursor.selectionEnd()), matches[0])
        else:
            place = next(
                (m for m in reversed(matches) if m.start() < cursor.selectionStart()), matches[-1]
            )
        self._text.setTextCursor(selected(self._text.document(), *place.span()))
        self._text.ensureCursorVisible()
        self._count()
        return True

    def replace_one(self) -> None:
        """Replaces the match that is selected, and goes on to the next; first goes to one."""
        cursor = self._text.textCursor()
        present = next(
            (
                m
                for m in self._matches()
                if m.span() == (cursor.selectionStart(), cursor.selectionEnd())
            ),
            None,
        )
        if present is not None and present.group():
            self.replacing.emit()
            cursor.insertText(_text_of(self._replacement(present)))
            self.replacing.emit()
        self.next()

    def replace_all(self) -> None:
        """All of them, as one step."""
        matches = [m for m in self._matches() if m.group()]
        if not matches:
            return
        self.replacing.emit()
        # Written at once: thousands of single edits would each be laid out and coloured.
        text, parts, end = matches[0].string, [], matches[0].start()
        for match in matches:
            parts += [text[end : match.start()], self._replacement(match)]
            end = match.end()
        cursor = selected(self._text.document(), matches[0].start(), end)
        cursor.insertText(_text_of("".join(parts)))
        self.replacing.emit()
        self.count.setText("1 replaced" if len(matches) == 1 else f"{len(matches)} replaced")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QKeyEvent):
            return False
        control = event.modifiers() == Qt.KeyboardModifier.ControlModifier
        asks = control and event.key() in (Qt.Key.Key_F, Qt.Key.Key_H)
        closes = event.key() == Qt.Key.Key_Escape and self.isVisible()
        if event.type() == QEvent.Type.ShortcutOverride and (asks or closes):
            # In a text these keys are the text's, whatever the window does with them.
            event.accept()
            return True
        if event.type() != QEvent.Type.KeyPress:
            return False
        if asks:
            self.open_bar(replacing=event.key() == Qt.Key.Key_H)
        elif closes:
            self.close_bar()
        elif (
            event.key() == Qt.Key.Key_Return
            and event.modifiers() == Qt.KeyboardModifier.ShiftModifier
        ):
            if watched is self._text:
                return False
            self.next(-1)
        else:
            return False
        return True

    # -- inside

    def _switch(self, text: str, tip: str) -> QToolButton:
        button = checkable(dress(QToolButton(self), name=tip, tip=tip, flat=True), False)
        button.setText(text)
        button.toggled.connect(lambda _: self._search())
        return button

    def _expression(self) -> re.Pattern[str] | None:
        wanted = _units_of(self.wanted.text())
        if not wanted:
            return None
        source = wanted if self.pattern.isChecked() else re.escape(wanted)
        if self.words.isChecked():
            source = rf"(?<!\w)(?:{source})(?!\w)"
        flags = re.MULTILINE if self.case.isChecked() else re.MULTILINE | re.IGNORECASE
        try:
            return re.compile(source, flags)
        except re.error as error:
            self.count.setText(f"✕ {error}")
            return None

    def _matches(self) -> list[re.Match[str]]:
        expression = self._expression()
        if expression is None:
            return []
        # A text is searched once, however often its matches are asked for.
        key = (expression.pattern, expression.flags, self._text.document().revision())
        if self._searched is None or self._searched[0] != key:
            self._searched = (key, list(expression.finditer(_units_of(self._text.toPlainText()))))
        return self._searched[1]

    def _replacement(self, match: re.Match[str]) -> str:
        text = _units_of(self.replacement.text())
        if not self.pattern.isChecked():
            return text
        try:
            return match.expand(text)
        except (re.error, IndexError):
            return text

    def _search(self) -> None:
        """While it is typed: the first match from where the selection begins."""
        cursor = self._text.textCursor()
        cursor.setPosition(cursor.selectionStart())
        self._text.setTextCursor(cursor)
        self.next()
        self._mark()

    def _mark(self) -> None:
        self.selections = []
        matches = self._matches() if self.isVisible() else []
        colour = QColor(self._text.palette().color(QPalette.ColorRole.Highlight))
        colour.setAlpha(110)
        first, last = self._in_sight() if matches else (0, 0)
        for match in matches:
            if match.end() < first:
                continue
            if match.start() > last:
                break
            selection = QTextEdit.ExtraSelection()
            selection.cursor = selected(self._text.document(), *match.span())
            selection.format.setBackground(colour)
            self.selections.append(selection)
        if (
            self.isVisible()
            and self.wanted.text()
            and not matches
            and not self.count.text().startswith("✕")
        ):
            self.count.setText("none")
        elif not self.wanted.text():
            self.count.clear()
        self.marked.emit()

    def _count(self) -> None:
        """What is said of the matches holds for the text as it is now, after undo and typing as
        well."""
        matches = self._matches() if self.isVisible() else []
        if matches:
            cursor = self._text.textCursor()
            chosen = (cursor.selectionStart(), cursor.selectionEnd())
            number = next(
                (str(i) for i, match in enumerate(matches, 1) if match.span() == chosen), "–"
            )
            self.count.setText(f"{number} of {len(matches)}")

    def _in_sight(self) -> tuple[int, int]:
        """Positions of the first and the last character that are shown."""
        corner = self._text.viewport().rect().bottomRight()
        first = self._text.cursorForPosition(QPoint(0, 0)).block().position()
        block = self._text.cursorForPosition(corner).block()
        return first, block.position() + block.length()


def _units_of(text: str) -> str:
    """`text` with the two UTF-16 units of each character beyond the first plane apart: so Qt counts
    places."""
    return "".join(map(chr, array("H", text.encode(_NATIVE)))) if has_wide(text) else text


def _text_of(units: str) -> str:
    return units.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
