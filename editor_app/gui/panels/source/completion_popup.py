"""The list of what may stand at the cursor. The editor keeps the focus, and passes on the keys that are the list's."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QRect, Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QFrame,
    QHeaderView,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from editor_app.gui.icons import icon
from editor_app.gui.theme import colours
from editor_app.operations.text_help import Completion

_SIGNS = {"key": "key", "name": "tag", "value": "quotes"}
_MOST_ROWS = 10


class CompletionPopup(QTreeWidget):
    """Rows with a name and one line about it."""

    #: Completion
    taken = Signal(object)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowFlags(
            Qt.WindowType.ToolTip | Qt.WindowType.FramelessWindowHint | Qt.WindowType.WindowDoesNotAcceptFocus
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
        self._items: tuple[Completion, ...] = ()

    @property
    def items(self) -> tuple[Completion, ...]:
        """What is offered now, from the top."""
        return self._items

    @property
    def current(self) -> Completion | None:
        row = self.currentIndex().row()
        return self._items[row] if 0 <= row < len(self._items) else None

    def offer(self, items: Sequence[Completion], place: QRect) -> None:
        """Shows `items` below (or above) a place of the screen."""
        self._items = tuple(items)
        self.clear()
        muted = QColor(colours().muted)
        for item in self._items:
            row = QTreeWidgetItem([item.label, item.detail])
            row.setIcon(0, icon(_SIGNS[item.kind], "muted"))
            row.setForeground(1, muted)
            self.addTopLevelItem(row)
        self._go_to(0)
        self._fit(place)
        self.show()

    def step(self, by: int) -> None:
        """The next row (1) or one before, around the end."""
        count = len(self._items)
        if count:
            row = self.currentIndex().row()
            self._go_to((row + by) % count if abs(by) == 1 else min(max(row + by, 0), count - 1))

    def _go_to(self, row: int) -> None:
        self.setCurrentIndex(self.model().index(row, 0))

    def page(self) -> int:
        return max(1, min(len(self._items), _MOST_ROWS) - 1)

    def take(self) -> None:
        """The current row is wanted."""
        chosen = self.current
        if chosen is not None:
            self.taken.emit(chosen)

    def _fit(self, place: QRect) -> None:
        rows = min(len(self._items), _MOST_ROWS)
        height = rows * max(1, self.sizeHintForRow(0)) + 2 * self.frameWidth()
        scroll = self.verticalScrollBar().sizeHint().width() if len(self._items) > rows else 0
        names, details = self.sizeHintForColumn(0), self.sizeHintForColumn(1)
        screen = self.screen().availableGeometry()
        width = min(names + min(details, 420) + scroll + 2 * self.frameWidth() + 8, screen.width())
        below = place.bottom() + height <= screen.bottom()
        y = place.bottom() + 1 if below else max(screen.top(), place.top() - height)
        x = max(screen.left(), min(place.left(), screen.right() - width))
        self.setGeometry(QRect(QPoint(x, y), QPoint(x + width - 1, y + height - 1)))
        self.setPalette(QApplication.palette())
