"""Lines of a text that are hidden below the line that they belong to."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QPlainTextDocumentLayout, QPlainTextEdit

from editor_app.operations.text_folds import Fold


class Folding(QObject):
    """What of an editor's text is folded; lines count from 1. A folded place keeps folded while the text changes."""

    changed = Signal()

    def __init__(self, editor: QPlainTextEdit) -> None:
        super().__init__(editor)
        self._editor = editor
        self._last: dict[int, int] = {}
        #: The first lines of what is folded, moved with the text.
        self._folded: list[QTextCursor] = []

    def set_folds(self, folds: Iterable[Fold]) -> None:
        """What can be folded now."""
        self._last = {fold.first: fold.last for fold in folds}
        if self._folded:
            self._show_blocks()
        self.changed.emit()

    def forget(self) -> None:
        """Another text comes: nothing of it is folded."""
        self._folded.clear()
        self._show_blocks()
        self._last = {}

    @property
    def folded(self) -> tuple[int, ...]:
        return tuple(sorted({line for line in self._lines() if line in self._last}))

    def can_fold(self, line: int) -> bool:
        return line in self._last

    def is_folded(self, line: int) -> bool:
        return line in self._last and line in self._lines()

    def hidden_after(self, line: int) -> int:
        """How many lines are hidden below a line."""
        return self._last[line] - line if self.is_folded(line) else 0

    def around(self, line: int) -> int | None:
        """The first line of the innermost place around a line that is not folded yet."""
        inside = (first for first, last in self._last.items() if first <= line <= last and not self.is_folded(first))
        return max(inside, default=None)

    def toggle(self, line: int) -> None:
        if self.is_folded(line):
            self.unfold(line)
        else:
            self.fold(line)

    def fold(self, line: int) -> None:
        """Hides what belongs to a line; the cursor comes to it when it is inside."""
        if line not in self._last or self.is_folded(line):
            return
        self._add(line)
        self._bring_cursor_out()
        self._show_blocks()

    def unfold(self, line: int) -> None:
        self._unfold({line})

    def fold_all(self) -> None:
        """Every section: what is outermost. In XML, what is right inside the outermost element."""
        outer = self._outermost(0, self._editor.blockCount() + 1)
        if len(outer) == 1:
            outer = self._outermost(outer[0], self._last[outer[0]]) or outer
        for line in outer:
            if not self.is_folded(line):
                self._add(line)
        self._bring_cursor_out()
        self._show_blocks()

    def unfold_all(self) -> None:
        self._folded.clear()
        self._show_blocks()

    def reveal(self, line: int) -> None:
        """Unfolds what hides a line."""
        hiding = self._hiding(line)
        if hiding:
            self._unfold(hiding)

    # -- inside

    def _lines(self) -> set[int]:
        return {cursor.blockNumber() + 1 for cursor in self._folded}

    def _hiding(self, line: int) -> set[int]:
        return {first for first in self.folded if first < line <= self._last[first]}

    def _unfold(self, lines: set[int]) -> None:
        self._folded = [cursor for cursor in self._folded if cursor.blockNumber() + 1 not in lines]
        self._show_blocks()

    def _add(self, line: int) -> None:
        self._folded.append(QTextCursor(self._editor.document().findBlockByNumber(line - 1)))

    def _outermost(self, after: int, end: int) -> list[int]:
        outermost, reached = [], after
        for first, last in sorted(self._last.items()):
            if first > reached and first <= end:
                outermost.append(first)
                reached = last
        return outermost

    def _bring_cursor_out(self) -> None:
        hiding = self._hiding(self._editor.textCursor().blockNumber() + 1)
        if hiding:
            self._editor.setTextCursor(QTextCursor(self._editor.document().findBlockByNumber(min(hiding) - 1)))

    def _show_blocks(self) -> None:
        document = self._editor.document()
        hidden: set[int] = set()
        for first in self.folded:
            hidden.update(range(first + 1, self._last[first] + 1))
        block = document.begin()
        is_changed = False
        number = 0
        while block.isValid():
            number += 1
            is_visible = number not in hidden
            if block.isVisible() != is_visible:
                block.setVisible(is_visible)
                block.setLineCount(1 if is_visible else 0)
                is_changed = True
            block = block.next()
        if is_changed:
            # Not marked as dirty: nothing of the text is to be coloured anew.
            layout = document.documentLayout()
            if isinstance(layout, QPlainTextDocumentLayout):
                layout.requestUpdate()
                layout.documentSizeChanged.emit(layout.documentSize())
            self._editor.viewport().update()
        self.changed.emit()
