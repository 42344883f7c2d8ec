"""The search box (Ctrl+K): every action, and every link, joint and frame, found by a few
letters."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QFont, QIcon, QKeyEvent, QKeySequence, QPainter, QPen
from PySide6.QtWidgets import (
    QFrame,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from editor_app.core.document.selection import Selection
from editor_app.window.actions.actions import ActionRegistry
from editor_app.window.bindings.lists import search_line
from editor_app.window.session import Session
from editor_app.window.theme import colours
from editor_app.window.widgets import PlainLabel, dress, fill_layout, icon

_SEPARATORS = " _-./:"
_WORDS = re.compile(r"[^\W_]+")
#: What is added where every word of the query stands in the text as a whole word.
WHOLE_WORDS = 20.0


@dataclass(frozen=True, slots=True)
class TextMatch:
    """`positions` are the indices of the matched letters in the text."""

    score: float
    positions: tuple[int, ...]


def fuzzy_match(query: str, text: str) -> TextMatch | None:
    """How well `query` fits `text`, case-insensitive, its words in any order; None when it does
    not."""
    words = query.lower().split()
    if not words:
        return TextMatch(0.0, ())
    score, positions = 0.0, set[int]()
    for word in words:
        hit = _word(word, text)
        if hit is None:
            return None
        score += hit.score
        positions.update(hit.positions)
    # Of equally good ones the shorter text is meant.
    return TextMatch(score - 0.02 * len(text), tuple(sorted(positions)))


def has_words(query: str, text: str) -> bool:
    """Return whether every word of the query is a whole word of the text."""
    words = set(_WORDS.findall(query.lower()))
    return bool(words) and words <= set(_WORDS.findall(text.lower()))


def _word(word: str, text: str) -> TextMatch | None:
    lowered = text.lower()
    best: TextMatch | None = None
    start = lowered.find(word)
    while start >= 0:
        score = (
            12.0
            + 3.0 * len(word)
            + (8.0 if _begins_word(text, start) else 0.0)
            + (4.0 if start == 0 else 0.0)
        )
        if best is None or score > best.score:
            best = TextMatch(score, tuple(range(start, start + len(word))))
        start = lowered.find(word, start + 1)
    return best or _scattered(word, text, lowered)


def _scattered(word: str, text: str, lowered: str) -> TextMatch | None:
    """Letters apart from each other: initials of words count most, gaps cost."""
    # best[j] = (score, positions) of the letters so far, the last of them at j
    layer: dict[int, tuple[float, tuple[int, ...]]] = {}
    for i, letter in enumerate(word):
        following: dict[int, tuple[float, tuple[int, ...]]] = {}
        for j, candidate in enumerate(lowered):
            if candidate != letter:
                continue
            worth = 4.0 if _begins_word(text, j) else 1.0
            if i == 0:
                following[j] = (worth, (j,))
                continue
            ends = [
                (score + (2.0 if k == j - 1 else -0.15 * min(j - k, 10)), places)
                for k, (score, places) in layer.items()
                if k < j
            ]
            if ends:
                score, places = max(ends)
                following[j] = (score + worth, (*places, j))
        layer = following
        if not layer:
            return None
    score, positions = max(layer.values())
    # Letters strewn over a text by chance are noise, not a fuzzy_match.
    return TextMatch(score, positions) if score >= 1.5 * len(word) else None


def _begins_word(text: str, index: int) -> bool:
    if index == 0 or text[index - 1] in _SEPARATORS:
        return True
    return (text[index].isupper() and text[index - 1].islower()) or (
        text[index].isdigit() and not text[index - 1].isdigit()
    )


#: A result that fits worse than by this share of the best is not shown.
_LEAST_SHARE = 0.25
_LIMIT = 60
#: (Entry, indices of the letters that were found) of an item of the list.
_ENTRY = Qt.ItemDataRole.UserRole
_Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class PaletteEntry:
    """One line. `reason` says why it cannot be chosen now; `keywords` and `pressed` are searched
    but not shown."""

    text: str
    detail: str
    icon: QIcon
    run: Callable[[], object]
    keys: str = ""
    reason: str | None = None
    keywords: str = ""
    weight: float = 0.0
    #: All its keys, in small letters without spaces.
    pressed: frozenset[str] = frozenset()


class CommandPalette(QFrame):
    """A box over the upper part of the window; Esc or a click elsewhere closes it."""

    def __init__(self, window: QWidget, session: Session, registry: ActionRegistry) -> None:
        super().__init__(window)
        self._session, self._registry = session, registry
        #: Return further entries: panels that are made later register here.
        self.sources: list[Callable[[], Iterable[PaletteEntry]]] = []
        self._entries: list[PaletteEntry] = []
        #: What had the focus when the box was opened.
        self._left: QWidget | None = None
        self.setObjectName("palette")
        self.setAccessibleName("Search for actions, links and joints")
        self.field = search_line("Search", "Search for an action, a link, a joint or a frame", self)
        self.list = QListWidget(self)
        self.list.setItemDelegate(_EntryDelegate(self.list))
        self.list.setUniformItemSizes(True)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setMouseTracking(True)
        self.list.setAccessibleName("Results")
        nothing = PlainLabel("No action, link or joint matches. Try fewer letters.", self)
        self._nothing = dress(nothing, look="muted", align=Qt.AlignmentFlag.AlignCenter)
        fill_layout(QVBoxLayout(self), self.field, (self.list, 1), (self._nothing, 1), margins=8)
        self.field.textChanged.connect(self._search)
        self.field.installEventFilter(self)
        self.list.itemClicked.connect(self._choose)
        window.installEventFilter(self)
        self.hide()

    def open(self) -> None:
        """Shows the box with everything in it, ready to type."""
        if not self.isVisible():
            self._left = self.window().focusWidget()
        self._entries = [*action_entries(self._registry), *kinematic_entries(self._session)]
        for source in self.sources:
            self._entries += source()
        self.field.clear()
        self._search("")
        self._place()
        self.show()
        self.raise_()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def choose_current(self) -> None:
        item = self.list.currentItem()
        if item is not None:
            self._choose(item)

    def _search(self, query: str) -> None:
        if query.strip():
            scored = []
            for entry in self._entries:
                score, positions = _score(query, entry)
                if score is not None:
                    penalty = 3.0 if entry.reason else 0.0
                    scored.append((score + entry.weight - penalty, entry, positions))
            scored.sort(key=lambda item: -item[0])
            # Beside a name that says the word, letters strewn over others are noise.
            least = scored[0][0] * _LEAST_SHARE if scored else 0.0
            scored = [item for item in scored if item[0] >= least]
            shown = [(entry, positions) for _, entry, positions in scored[:_LIMIT]]
        else:
            usable = sorted(self._entries, key=lambda e: (e.reason is not None, -e.weight))
            shown = [(entry, ()) for entry in usable[:_LIMIT]]
        self.list.clear()
        for entry, positions in shown:
            item = QListWidgetItem(entry.text, self.list)
            item.setData(_ENTRY, (entry, positions))
            item.setData(
                Qt.ItemDataRole.AccessibleTextRole, f"{entry.text}, {entry.reason or entry.detail}"
            )
        self._nothing.setVisible(not shown)
        self.list.setVisible(bool(shown))
        self.list.setCurrentRow(0)
        self.list.scrollToTop()
        self._place()

    def _choose(self, item: QListWidgetItem) -> None:
        entry: PaletteEntry = item.data(_ENTRY)[0]
        self.close_box()
        if entry.reason is not None:
            self._session.refused.emit(entry.reason)
            return
        entry.run()

    def close_box(self) -> None:
        """The focus goes back to where it was; Qt would give it to the next field, and keys would
        be typed there."""
        left, self._left = self._left, None
        if self.field.hasFocus():
            is_there = left is not None and isValid(left) and left.isVisible() and left.isEnabled()
            (left if left is not None and is_there else self.window()).setFocus()
        self.hide()
        self._entries = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.field:
            if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
                return self._key(event)
            if event.type() == QEvent.Type.FocusOut and self.isVisible():
                self.hide()
        elif event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return False

    def _key(self, event: QKeyEvent) -> bool:
        step = {
            Qt.Key.Key_Down: 1,
            Qt.Key.Key_Up: -1,
            Qt.Key.Key_PageDown: 8,
            Qt.Key.Key_PageUp: -8,
        }.get(Qt.Key(event.key()))
        if step is not None:
            rows = self.list.count()
            if rows:
                row = self.list.currentRow() + step
                self.list.setCurrentRow(
                    row % rows if abs(step) == 1 else max(0, min(rows - 1, row))
                )
            return True
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.choose_current()
            return True
        if event.key() == Qt.Key.Key_Escape:
            self.close_box()
            return True
        return False

    def _place(self) -> None:
        window = self.window()
        width = min(620, window.width() - 80)
        rows = max(2, self.list.count())
        wanted = rows * (self.fontMetrics().height() + 12) + self.field.sizeHint().height() + 26
        height = min(wanted, 440, window.height() - 160)
        self.setFixedSize(width, height)
        self.move(QPoint((window.width() - width) // 2, 60))


class _EntryDelegate(QStyledItemDelegate):
    """Icon, text with the matched letters bold, and at the right the shortcut or where it is
    found."""

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        return QSize(100, option.fontMetrics.height() + 12)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        entry, positions = index.data(_ENTRY)
        c = colours()
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, QColor(c.selection))
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(option.rect, QColor(c.hover))
        rect = option.rect.adjusted(8, 0, -10, 0)
        disabled = entry.reason is not None
        side = 16
        box = QRect(rect.left(), rect.center().y() - side // 2, side, side)
        entry.icon.paint(
            painter,
            box,
            mode=QIcon.Mode.Disabled if disabled else QIcon.Mode.Normal,
            alignment=Qt.AlignmentFlag.AlignCenter,
        )
        rect.setLeft(box.right() + 9)
        right = entry.reason if disabled else entry.keys or entry.detail
        used = self._text(
            painter,
            rect,
            entry.text,
            positions,
            QColor(c.faint if disabled else c.text),
            option.font,
        )
        rest = QRect(
            rect.left() + used + 16, rect.top(), max(0, rect.width() - used - 16), rect.height()
        )
        painter.setFont(option.font)
        painter.setPen(QColor(c.faint if disabled else c.muted))
        elided = option.fontMetrics.elidedText(right, Qt.TextElideMode.ElideRight, rest.width())
        painter.drawText(rest, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, elided)
        painter.restore()

    @staticmethod
    def _text(
        painter: QPainter,
        rect: QRect,
        text: str,
        positions: tuple[int, ...],
        colour: QColor,
        font: QFont,
    ) -> int:
        bold = QFont(font)
        bold.setBold(True)
        x, marked, start = rect.left(), set(positions), 0
        painter.setPen(QPen(colour))
        for end in range(1, len(text) + 1):
            if end < len(text) and (end in marked) == (start in marked):
                continue
            painter.setFont(bold if start in marked else font)
            piece = text[start:end]
            painter.drawText(
                QRect(x, rect.top(), rect.width(), rect.height()),
                Qt.AlignmentFlag.AlignVCenter,
                piece,
            )
            x += painter.fontMetrics().horizontalAdvance(piece)
            start = end
        return x - rect.left()


def _score(query: str, entry: PaletteEntry) -> tuple[float | None, tuple[int, ...]]:
    """How well an entry answers the query, None when not at all, and the letters of its text that
    do."""
    hit = fuzzy_match(query, entry.text)
    score = hit.score + 2.0 if hit else None
    hidden = fuzzy_match(query, f"{entry.text} {entry.detail} {entry.keywords}")
    if hidden is not None and (score is None or has_words(query, entry.keywords)):
        # A whole keyword is meant more than letters strewn over a name.
        score = max(score if score is not None else hidden.score - 6.0, hidden.score - 6.0)
    if score is not None and has_words(query, entry.text):
        score += WHOLE_WORDS
    if "".join(query.casefold().split()) in entry.pressed:
        # Above letters that happen to stand in a name, beside names that are typed in full.
        score = (score or 0.0) + 2 * WHOLE_WORDS
    return score, hit.positions if hit else ()


def _pressed(sequences: Iterable[QKeySequence]) -> frozenset[str]:
    """All keys, as somebody types them who asks what they do."""
    forms = (QKeySequence.SequenceFormat.NativeText, QKeySequence.SequenceFormat.PortableText)
    return frozenset(
        "".join(keys.toString(form).casefold().split()) for keys in sequences for form in forms
    ) - {""}


def action_entries(registry: ActionRegistry) -> Iterator[PaletteEntry]:
    """Every registered action, with its menu or its shortcut at the right."""
    registry.refresh()
    labels = Counter(action.label for action in registry.actions)
    for action in registry.actions:
        q = action.qaction
        mark = icon("circle") if q.icon().isNull() else q.icon()
        if action.checked is not None and action.checked():
            mark = icon("check", "accent")
        # Export › SRDF and the panel SRDF have one name in two menus.
        text = (
            action.label
            if labels[action.label] == 1
            else f"{action.spec.menu.split('/')[-1]}: {action.label}"
        )
        yield PaletteEntry(
            text,
            action.spec.menu.replace("/", " › "),
            mark,
            partial(registry.trigger, action.id),
            q.shortcut().toString(QKeySequence.SequenceFormat.NativeText),
            action.reason,
            action.spec.words,
            0.5,
            _pressed(q.shortcuts()),
        )


def kinematic_entries(session: Session) -> Iterator[PaletteEntry]:
    """Links and frames, and joints: choosing one selects it."""
    tree = session.tree
    for frame in tree.frames:
        kind, sign = (
            ("added frame", "crosshair") if frame in tree.added_frames else ("link", "cube")
        )
        yield PaletteEntry(
            frame, kind, icon(sign, "muted"), partial(session.select, Selection(links=(frame,)))
        )
    for joint in tree.joints:
        selection = Selection(links=(joint.child,), joints=(joint.name,))
        kind = f"{joint.type.value} joint"
        yield PaletteEntry(
            joint.name, kind, icon("gear-six", "muted"), partial(session.select, selection)
        )
