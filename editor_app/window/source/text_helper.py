"""Help in the text: completion while it is typed and by key, what the mouse is on, and where a name
is defined."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QFrame,
    QHeaderView,
    QToolTip,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from editor_app.core.document.state import FileKind
from editor_app.core.formats.xrdf.vocabulary import XRDF_VOCABULARY
from editor_app.core.text.yaml.vocabulary import Vocabulary
from editor_app.core.verbs import text_help
from editor_app.window.jobs import Jobs, Latest
from editor_app.window.session import Session
from editor_app.window.source.source_editor import SourceEditor
from editor_app.window.theme import colours
from editor_app.window.widgets import icon, plain_text

_WORD = re.compile(r"[\w.-]*\Z")
#: Characters that no word has.
_ENDING = re.compile(r"[\s,\[\]{}\"']")
_STEPS = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}
_LEAVING = (QEvent.Type.FocusOut, QEvent.Type.Hide, QEvent.Type.Move, QEvent.Type.Resize)
_TAKING = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab)


class TextHelper(QObject):
    """Asks the verbs in a thread: a long text takes them a while."""

    #: (NamedThing, its definition in this text or None)
    definition_found = Signal(object, object)

    def __init__(
        self,
        editor: SourceEditor,
        jobs: Jobs,
        session: Session,
        kind: Callable[[], FileKind],
        vocabulary: Vocabulary = XRDF_VOCABULARY,
    ) -> None:
        """`kind`: whose text it is. Names are taken from the robot, as it was read last.
        `vocabulary`: the keys of YAML that belongs to no file of the robot."""
        super().__init__(editor)
        self._editor = editor
        self._session = session
        self._kind = kind
        self._vocabulary = vocabulary
        #: What is offered; None while nothing is.
        self.popup: CompletionPopup | None = None
        self._completing = Latest(jobs, "Completion")
        self._hovering = Latest(jobs, "Hover")
        self._defining = Latest(jobs, "Definition")
        self._offered: text_help.Completions | None = None
        #: What was typed of the word when it was asked.
        self._asked_for = ""
        self._is_typing = False
        editor.textChanged.connect(self._on_text)
        editor.cursorPositionChanged.connect(self._on_cursor)
        editor.verticalScrollBar().valueChanged.connect(lambda _: self.close())
        editor.definition_wanted.connect(self.go_to_definition)
        editor.installEventFilter(self)
        # Kept: an editor that is being destroyed cannot be asked for it, but its events still come.
        self._viewport = editor.viewport()
        self._viewport.installEventFilter(self)

    # -- completion

    def complete(self, *, is_asked: bool = True) -> None:
        """Offers what may stand at the cursor; `is_asked`: somebody waits for an answer, also where
        nothing may."""
        robot = self._session.robot
        if not self._session.has_robot or self._editor.isReadOnly():
            return
        text, offset = self._editor.toPlainText(), self._editor.cursor_offset()
        self._completing.ask(
            partial(text_help.complete_word, text, offset, robot, self._kind(), self._vocabulary),
            partial(self._offer, text, offset, is_asked),
        )

    def close(self) -> None:
        """Nothing is offered any more."""
        self._completing.forget()
        self._offered = None
        popup, self.popup = self.popup, None
        if popup is not None:
            popup.hide()
            popup.deleteLater()

    def _offer(
        self, text: str, offset: int, is_asked: bool, completions: text_help.Completions
    ) -> None:
        editor = self._editor
        if (
            editor.toPlainText() != text
            or editor.cursor_offset() != offset
            or not editor.hasFocus()
        ):
            return
        typed = text[completions.start : offset]
        items = [item for item in completions.items if item.label != typed]
        if not items:
            self.close()
            if is_asked:
                self._session.message.emit("No suggestions here.")
            return
        self._offered, self._asked_for = completions, typed
        self._show(items)

    def _show(self, items: list[text_help.Completion]) -> None:
        assert self._offered is not None
        place = self._editor.place_of(self._offered.start)
        corner = self._editor.viewport().mapToGlobal(place.topLeft())
        if self.popup is None:
            self.popup = CompletionPopup(self._editor)
            self.popup.taken.connect(self._write)
        self.popup.offer(items, QRect(corner, place.size()))

    def _on_text(self) -> None:
        typing, self._is_typing = self._is_typing, False
        if not self._editor.hasFocus():
            self.close()
        elif self.popup is not None:
            self._narrow()
        elif typing and not self._editor.isReadOnly():
            cursor = self._editor.textCursor()
            match = _WORD.search(cursor.block().text()[: cursor.positionInBlock()])
            word = match.group() if match is not None else ""
            if word and (word[0].isalpha() or word[0] == "_"):
                self.complete(is_asked=False)

    def _narrow(self) -> None:
        """What was offered, by what was typed since; asked anew where less is typed, or another
        word."""
        completions, offset = self._offered, self._editor.cursor_offset()
        if completions is None or offset <= completions.start:
            self.close()
            return
        typed = self._editor.toPlainText()[completions.start : offset]
        if not typed.startswith(self._asked_for):
            self.complete(is_asked=False)
            return
        wanted = typed.casefold()
        items = [
            item
            for item in completions.items
            if wanted in item.label.casefold() and item.label != typed
        ]
        if not items or _ENDING.search(typed):
            self.close()
            return
        self._show(sorted(items, key=lambda item: not item.label.casefold().startswith(wanted)))

    def _on_cursor(self) -> None:
        # What was told of another place would stand over the text that is typed.
        self._hovering.forget()
        QToolTip.hideText()
        completions = self._offered
        if completions is None or self.popup is None:
            return
        offset = self._editor.cursor_offset()
        if offset < completions.start or _ENDING.search(
            self._editor.toPlainText()[completions.start : offset]
        ):
            self.close()

    def _write(self, item: text_help.Completion) -> None:
        completions = self._offered
        self.close()
        if completions is None:
            return
        offset = self._editor.cursor_offset()
        # What stands behind the cursor of the word that was asked about is written over, too.
        end = offset + max(0, completions.end - completions.start - len(self._asked_for))
        # What is written is a step of its own.
        self._session.seal()
        self._editor.replace(completions.start, end, item.insert)
        self._session.seal()

    # -- what the mouse is on, and where a name is defined

    def _hover(self, place: QPoint) -> None:
        offset = self._editor.offset_at(place)
        if offset is None:
            QToolTip.hideText()
            return
        self._explain(
            offset, self._editor.problem_at(place), place, self._editor.viewport().underMouse
        )

    def explain(self) -> None:
        """Says at the cursor what is wrong there, and what the key or name means: what the mouse
        would show."""
        place = self._editor.cursorRect().bottomLeft()
        self._explain(
            self._editor.cursor_offset(),
            self._editor.problem_at(),
            place,
            self._editor.hasFocus,
            asked=True,
        )

    def _explain(
        self,
        offset: int,
        problem: str,
        place: QPoint,
        is_there: Callable[[], bool],
        *,
        asked: bool = False,
    ) -> None:
        robot = self._session.robot
        if not self._session.has_robot:
            QToolTip.hideText()
            return
        text = self._editor.toPlainText()

        def tell(hint: text_help.HoverHelp | None) -> None:
            lines = ([problem] if problem else []) + ([*hint.lines] if hint is not None else [])
            if lines and is_there() and self._editor.toPlainText() == text:
                where = self._editor.viewport().mapToGlobal(place)
                QToolTip.showText(where, plain_text("\n".join(lines)), self._editor.viewport())
            elif asked:
                self._session.message.emit("No information about this word.")

        self._hovering.ask(
            partial(text_help.hover, text, offset, robot, self._kind(), self._vocabulary), tell
        )

    def go_to_definition(self, offset: int | None = None) -> None:
        """Go to the definition of the name at an offset, or at the cursor."""
        robot, kind = self._session.robot, self._kind()
        text = self._editor.toPlainText()
        place = self._editor.cursor_offset() if offset is None else offset

        def look() -> tuple[text_help.NamedThing | None, tuple[int, int] | None]:
            thing = text_help.named_at(text, place, kind, robot)
            return thing, None if thing is None else text_help.definition_in(text, thing, kind)

        def take(answer: tuple[text_help.NamedThing | None, tuple[int, int] | None]) -> None:
            if answer[0] is not None:
                self.definition_found.emit(*answer)
            elif offset is None:
                self._session.message.emit(
                    "Place the cursor on the name of a frame, joint or group."
                )

        self._defining.ask(look, take)

    # -- keys

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._viewport:
            if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
                self._hover(event.pos())
                return True
            return False
        if event.type() in _LEAVING:
            self.close()
        elif isinstance(event, QKeyEvent):
            popup = self.popup
            if event.type() == QEvent.Type.ShortcutOverride:
                if popup is not None and event.key() == Qt.Key.Key_Escape:
                    # Esc closes the list alone.
                    event.accept()
                    return True
                return False
            if event.type() != QEvent.Type.KeyPress:
                return False
            is_plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
            if popup is not None and is_plain and self._moves(popup, Qt.Key(event.key())):
                return True
            control = event.modifiers() & (
                Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
            )
            self._is_typing = bool(event.text()) and event.text().isprintable() and not control
            if event.key() in (Qt.Key.Key_Backspace, Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._completing.forget()
            return False
        return False

    def _moves(self, popup: CompletionPopup, key: Qt.Key) -> bool:
        if key == Qt.Key.Key_Escape:
            self.close()
        elif key in _STEPS:
            popup.step(_STEPS[key])
        elif key in (Qt.Key.Key_PageDown, Qt.Key.Key_PageUp):
            popup.step(popup.page() * (1 if key == Qt.Key.Key_PageDown else -1))
        elif key in _TAKING:
            popup.take()
        else:
            return False
        return True


_SIGNS = {"key": "key", "name": "tag", "value": "quotes"}
_MOST_ROWS = 10


class CompletionPopup(QTreeWidget):
    """Rows with a name and one line about it."""

    #: Completion
    taken = Signal(object)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowFlags(
            Qt.WindowType.ToolTip
            | Qt.WindowType.FramelessWindowHint
            | Qt.WindowType.WindowDoesNotAcceptFocus
        )
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName("Completions")
        self.setColumnCount(2)
        self.setHeaderHidden(True)
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setFrameShape(QFrame.Shape.Box)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.header().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.header().setStretchLastSection(True)
        self.itemClicked.connect(lambda *_: self.take())
        #: What is offered now, from the top.
        self.items: tuple[text_help.Completion, ...] = ()

    @property
    def current(self) -> text_help.Completion | None:
        row = self.currentIndex().row()
        return self.items[row] if 0 <= row < len(self.items) else None

    def offer(self, items: Sequence[text_help.Completion], place: QRect) -> None:
        """Shows `items` below (or above) a place of the screen."""
        self.items = tuple(items)
        self.clear()
        muted = QColor(colours().muted)
        for item in self.items:
            row = QTreeWidgetItem([item.label, item.detail])
            row.setIcon(0, icon(_SIGNS[item.kind], "muted"))
            row.setForeground(1, muted)
            self.addTopLevelItem(row)
        self._go_to(0)
        rows = min(len(self.items), _MOST_ROWS)
        height = rows * max(1, self.sizeHintForRow(0)) + 2 * self.frameWidth()
        scroll = self.verticalScrollBar().sizeHint().width() if len(self.items) > rows else 0
        names, details = self.sizeHintForColumn(0), self.sizeHintForColumn(1)
        screen = self.screen().availableGeometry()
        width = min(names + min(details, 420) + scroll + 2 * self.frameWidth() + 8, screen.width())
        below = place.bottom() + height <= screen.bottom()
        y = place.bottom() + 1 if below else max(screen.top(), place.top() - height)
        x = max(screen.left(), min(place.left(), screen.right() - width))
        self.setGeometry(QRect(QPoint(x, y), QPoint(x + width - 1, y + height - 1)))
        self.setPalette(QApplication.palette())
        self.show()

    def step(self, by: int) -> None:
        """The next row (1) or one before, around the end."""
        count = len(self.items)
        if count:
            row = self.currentIndex().row()
            self._go_to((row + by) % count if abs(by) == 1 else min(max(row + by, 0), count - 1))

    def _go_to(self, row: int) -> None:
        self.setCurrentIndex(self.model().index(row, 0))

    def page(self) -> int:
        return max(1, min(len(self.items), _MOST_ROWS) - 1)

    def take(self) -> None:
        """The current row is wanted."""
        chosen = self.current
        if chosen is not None:
            self.taken.emit(chosen)
