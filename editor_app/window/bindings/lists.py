"""Common behaviour of the window's lists and tables: search, names cut where they differ, a
sentence when empty."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractTableModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSize,
    Qt,
)
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QIcon,
    QKeyEvent,
    QKeySequence,
    QResizeEvent,
    QShortcut,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QLineEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionHeaderV2,
    QStyleOptionViewItem,
    QTableView,
    QTreeView,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from editor_app.core.model.frozen import FrozenDict
from editor_app.window.bindings.elision import DistinctNames
from editor_app.window.bindings.typed_fields import UndoKeys
from editor_app.window.theme import colours
from editor_app.window.widgets import PlainLabel, dress, icon, plain_text

Index = QModelIndex | QPersistentModelIndex
Item = TypeVar("Item")

ROOT = QModelIndex()
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_DISPLAY = Qt.ItemDataRole.DisplayRole
#: Pixels on either side of the sentence of an empty table.
_MARGIN = 16
#: Rows of a table whose texts are compared; a longer one is no list of names.
_MOST = 2000
#: What Qt writes between the lines of a cell.
_LINE = "\u2028"


def search_line(name: str, hint: str, parent: QWidget | None = None) -> QLineEdit:
    """A line to search or filter a list with."""
    line = dress(QLineEdit(parent), name=name, hint=hint)
    UndoKeys(line)
    line.setClearButtonEnabled(True)
    line.addAction(icon("magnifying-glass", "muted"), QLineEdit.ActionPosition.LeadingPosition)
    return line


class Rows(QTreeWidget):
    """Rows about things, also below headings: columns as wide as their texts, and the `wide` one,
    which has the rest.

    `numbers`: columns of numbers, which stand at the right. `folds`: what stands below a row can be
    folded. `words` stand in the middle while there is no row.
    """

    def __init__(
        self,
        name: str,
        heads: Sequence[str],
        wide: int,
        parent: QWidget | None = None,
        *,
        numbers: Iterable[int] = (),
        folds: bool = False,
        words: str = "",
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setHeaderLabels(list(heads))
        self.setRootIsDecorated(folds)
        for column in numbers:
            self.headerItem().setTextAlignment(column, RIGHT)
        self.header().setStretchLastSection(False)
        self.header().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.header().setSectionResizeMode(wide, QHeaderView.ResizeMode.Stretch)
        self._empty = EmptyWords(self, words)
        #: Says what fills the rows while there are none.
        self.say = self._empty.say

    def add(
        self,
        cells: Sequence[str],
        thing: object = None,
        under: QTreeWidgetItem | None = None,
        *,
        tips: Mapping[int, str] = FrozenDict(),
        ticked: bool | None = None,
        sign: tuple[int, QIcon] | None = None,
    ) -> QTreeWidgetItem:
        """Adds a row about `thing` at the end, or `under` another one; a heading, which is about
        nothing, is unfolded.

        `tips`: tooltips of columns, shown as plain text. `ticked`: it has a tick, set or not.
        `sign`: a column's icon.
        """
        item = QTreeWidgetItem(under or self, list(cells))
        item.setData(0, Qt.ItemDataRole.UserRole, thing)
        for column in range(len(cells)):
            if self.headerItem().textAlignment(column) == int(RIGHT):
                item.setTextAlignment(column, RIGHT)
        for column, tip in tips.items():
            item.setToolTip(column, plain_text(tip))
        if ticked is not None:
            item.setCheckState(0, Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked)
        if sign is not None:
            item.setIcon(*sign)
        if under is not None and thing_of(under) is None:
            under.setExpanded(True)
        return item

    def rows(self) -> list[QTreeWidgetItem]:
        """All rows from above, each before what stands below it."""
        return self.findItems("", Qt.MatchFlag.MatchContains | Qt.MatchFlag.MatchRecursive)

    @property
    def thing(self) -> Any:
        """The thing of the current row; None without one."""
        return thing_of(self.currentItem())


def thing_of(row: QTreeWidgetItem | None) -> Any:
    """Return the thing of a row; None for a heading."""
    return row.data(0, Qt.ItemDataRole.UserRole) if row is not None else None


def is_ticked(row: QTreeWidgetItem) -> bool:
    return row.checkState(0) is Qt.CheckState.Checked


def lead_down(line: QLineEdit, view: QAbstractItemView) -> None:
    """Down in `line` gives `view` the focus, at its current row or else at the first one that can
    be selected.

    Esc empties the line before it goes a step back elsewhere.
    """
    empty = QShortcut(
        QKeySequence(Qt.Key.Key_Escape), line, context=Qt.ShortcutContext.WidgetShortcut
    )
    empty.activated.connect(line.clear)
    empty.setEnabled(bool(line.text()))
    line.textChanged.connect(lambda text: empty.setEnabled(bool(text)))
    down = QShortcut(QKeySequence(Qt.Key.Key_Down), line, context=Qt.ShortcutContext.WidgetShortcut)
    down.activated.connect(partial(_enter, view))


def _enter(view: QAbstractItemView) -> None:
    if not view.isVisible():
        return
    selection = view.selectionModel()
    if not selection.isSelected(selection.currentIndex()):
        model = view.model()
        first = next(
            (
                i
                for row in range(model.rowCount())
                if _can_be_current(view, i := model.index(row, 0))
            ),
            None,
        )
        if first is None:
            return
        view.setCurrentIndex(first)
    view.setFocus()


def _can_be_current(view: QAbstractItemView, index: QModelIndex) -> bool:
    hidden = isinstance(view, QTableView) and view.isRowHidden(index.row())
    hidden = hidden or (
        isinstance(view, QTreeView) and view.isRowHidden(index.row(), QModelIndex())
    )
    wanted = Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled
    return not hidden and index.flags() & wanted == wanted


class OwnKeys(QObject):
    """Keys without modifiers that belong to `view` while it has the focus, also where actions have
    the same keys."""

    def __init__(self, view: QWidget, keys: Mapping[int, Callable[[], object]]) -> None:
        super().__init__(view)
        self._keys = keys
        view.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kinds = (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress)
        if not isinstance(event, QKeyEvent) or event.type() not in kinds or event.modifiers():
            return False
        if event.key() not in self._keys:
            return False
        if event.type() == QEvent.Type.KeyPress:
            self._keys[event.key()]()
        event.accept()
        return True


class EmptyWords(PlainLabel):
    """A sentence in the middle of a view while its model has no rows. The view has its model
    already."""

    def __init__(self, view: QAbstractItemView, text: str = "") -> None:
        super().__init__(text, view.viewport())
        self._view = view
        self.setProperty("muted", True)
        self.setWordWrap(True)
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        view.viewport().installEventFilter(self)
        model = view.model()
        for signal in (
            model.rowsInserted,
            model.rowsRemoved,
            model.modelReset,
            model.layoutChanged,
        ):
            signal.connect(self._follow)
        self._follow()

    def say(self, text: str) -> None:
        """Another sentence; "" for none."""
        self.setText(text)
        self._follow()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._place()
        return super().eventFilter(watched, event)

    def _follow(self, *_: object) -> None:
        self.setVisible(
            bool(self.text()) and self._view.model().rowCount(self._view.rootIndex()) == 0
        )
        self._place()

    def _place(self) -> None:
        self.setGeometry(self._view.viewport().rect().adjusted(_MARGIN, 0, -_MARGIN, 0))


class DistinctCells(QStyledItemDelegate):
    """Names of one column that are too long for it keep the part in which they differ, line by
    line."""

    def __init__(self, view: QAbstractItemView) -> None:
        super().__init__(view)
        self._columns: dict[tuple[int, int], DistinctNames] = {}
        self._model: QAbstractItemModel | None = None

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        if option.rect.width() <= 0 or not option.text or not index.isValid():
            return
        room = self.room(option)
        metrics = QFontMetricsF(option.font)
        lines = option.text.split(_LINE)

        def width_of(text: str) -> int:
            # Rounded down, a name that is a little too long would be cut at its end by the style.
            return math.ceil(metrics.horizontalAdvance(text))

        if any(width_of(line) > room for line in lines):
            names = self.names_beside(index)
            option.text = _LINE.join(names.cut(line, room, width_of) for line in lines)

    def room(self, option: QStyleOptionViewItem) -> int:
        """The pixels that a cell leaves for its text."""
        widget = option.widget
        style = widget.style()
        inner = style.subElementRect(QStyle.SubElement.SE_ItemViewItemText, option, widget)
        margin = style.pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin, option, widget) + 1
        return int(inner.width()) - 2 * margin

    def names_beside(self, index: Index) -> DistinctNames:
        """The names that a cell's own is told apart from: of its column, below one heading of a
        tree."""
        model = index.model()
        if model is not self._model:
            self._model = model
            for signal in (
                model.modelReset,
                model.layoutChanged,
                model.dataChanged,
                model.rowsInserted,
            ):
                signal.connect(self._forget)
            model.rowsRemoved.connect(self._forget)
            self._columns.clear()
        place = (index.column(), index.parent().row())
        names = self._columns.get(place)
        if names is None:
            rows = range(min(model.rowCount(index.parent()), _MOST))
            texts = (
                model.index(row, index.column(), index.parent()).data(Qt.ItemDataRole.DisplayRole)
                for row in rows
            )
            lines = (line for text in texts if isinstance(text, str) for line in text.split("\n"))
            names = self._columns[place] = DistinctNames(lines)
        return names

    def _forget(self, *_: object) -> None:
        self._columns.clear()


@dataclass(frozen=True, slots=True)
class CellLook:
    """The content of a cell. A slow value is a function that returns it: Qt asks for one value at a
    time."""

    text: str | Callable[[], str] = ""
    icon: QIcon | QColor | None = None
    #: Of the text: a name of the theme's colours; "" for the usual one.
    colour: str | Callable[[], str] = ""
    font: QFont | Callable[[], QFont] | None = None
    tip: str | Callable[[], str] = ""
    #: What a screen reader says in place of the text.
    spoken: str | Callable[[], str] = ""

    def value(self, role: int) -> Any:
        """Return the value for a role of Qt; None for a role without a value."""
        part = getattr(self, _PARTS[role]) if role in _PARTS else None
        part = part() if callable(part) else part
        if not part:
            return None
        if role == Qt.ItemDataRole.ForegroundRole:
            return QColor(getattr(colours(), part))
        return plain_text(part) if role == Qt.ItemDataRole.ToolTipRole else part


_PARTS: dict[int, str] = {
    Qt.ItemDataRole.DisplayRole: "text",
    Qt.ItemDataRole.EditRole: "text",
    Qt.ItemDataRole.DecorationRole: "icon",
    Qt.ItemDataRole.ForegroundRole: "colour",
    Qt.ItemDataRole.FontRole: "font",
    Qt.ItemDataRole.ToolTipRole: "tip",
    Qt.ItemDataRole.AccessibleTextRole: "spoken",
}


class ReadTable(QAbstractTableModel, Generic[Item]):
    """`items` in columns; `numbers` are aligned right. What derives from it says how a cell
    looks."""

    def __init__(
        self, titles: Sequence[str], numbers: Sequence[int] = (), parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._titles = tuple(titles)
        self._numbers = frozenset(numbers)
        self.items: tuple[Item, ...] = ()

    def look(self, item: Item, column: int) -> CellLook:
        """Return the content of a cell."""
        raise NotImplementedError

    def title(self, column: int) -> str:
        return self._titles[column]

    def show(
        self, items: Sequence[Item], same: Callable[[Item, Item], bool] = lambda a, b: True
    ) -> None:
        """Other items. Where they are as many, and each is the `same` row as before, the selection
        stays."""
        new = tuple(items)
        if len(new) == len(self.items) and all(map(same, new, self.items)):
            self.items = new
            if new:
                self.dataChanged.emit(
                    self.index(0, 0), self.index(len(new) - 1, len(self._titles) - 1)
                )
            return
        self.beginResetModel()
        self.items = new
        self.endResetModel()

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self.items)

    def columnCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self._titles)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _DISPLAY) -> Any:
        if role == Qt.ItemDataRole.TextAlignmentRole and section in self._numbers:
            return RIGHT
        if orientation == Qt.Orientation.Horizontal and role == _DISPLAY:
            return self.title(section)
        return super().headerData(section, orientation, role)

    def data(self, index: Index, role: int = _DISPLAY) -> Any:
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if index.column() in self._numbers else None
        return self.look(self.items[index.row()], index.column()).value(role)


#: Columns of names share this part of the width at most, so that the sentence behind them has room.
_NAMES_SHARE = 0.5
_LEAST_NAME = 90


class _NamesView(QTableView):
    """Names in the first columns give way to the last column, which takes what is left and never
    scrolls aside."""

    def __init__(self, parent: QWidget, names: int) -> None:
        super().__init__(parent)
        self._names = names

    def resizeEvent(self, event: QResizeEvent) -> None:
        header = self.horizontalHeader()
        most = max(_LEAST_NAME, round(self.viewport().width() * _NAMES_SHARE / self._names))
        if most != header.maximumSectionSize():
            header.setMaximumSectionSize(most)
            header.resizeSections()
        super().resizeEvent(event)


def read_table(
    name: str,
    parent: QWidget,
    model: QAbstractItemModel,
    chosen: Callable[[int], object],
    names: int = 2,
) -> QTableView:
    """A table to be read; `chosen(row)` is called for a click or Enter.

    Its first `names` columns are names, which are cut so that no two look the same.
    """
    table = dress(_NamesView(parent, names) if names else QTableView(parent), name=name)
    table.setModel(model)
    table.setHorizontalHeader(SortedHeader(table))
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    for column in range(names):
        table.setItemDelegateForColumn(column, DistinctCells(table))
    table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    table.setShowGrid(False)
    table.setFrameShape(QFrame.Shape.NoFrame)
    table.setWordWrap(False)
    table.verticalHeader().hide()
    table.verticalHeader().setDefaultSectionSize(22)
    header = table.horizontalHeader()
    header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    header.setHighlightSections(False)
    # Of a thousand rows each would be asked whenever the fonts or colours change.
    header.setResizeContentsPrecision(50)
    header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    header.setStretchLastSection(True)
    table.clicked.connect(lambda index: chosen(index.row()))
    table.activated.connect(lambda index: chosen(index.row()))
    return table


class SortedHeader(QHeaderView):
    """Qt's own keeps room for the arrow in every column: names beside them would be cut for
    nothing."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        #: Title -> pixels that the style adds for an arrow, which is as high as the title.
        self._arrows: dict[str, int] = {}
        self.setSectionsClickable(True)
        self.sortIndicatorChanged.connect(lambda *_: self.resizeSections())

    def changeEvent(self, event: QEvent) -> None:
        self._arrows = {}
        super().changeEvent(event)

    def sectionSizeFromContents(self, logical: int) -> QSize:
        """Return Qt's size; without a sort arrow, less the arrow's space."""
        size = super().sectionSizeFromContents(logical)
        if not self.isSortIndicatorShown() or logical == self.sortIndicatorSection():
            return size
        title = str(self.model().headerData(logical, Qt.Orientation.Horizontal) or "")
        # Asked for each section each time that anything changes its size.
        if title not in self._arrows:
            self._arrows[title] = self._measure_arrow(title)
        return QSize(size.width() - self._arrows[title], size.height())

    def _measure_arrow(self, title: str) -> int:
        option = QStyleOptionHeaderV2()
        self.initStyleOption(option)
        option.text = title
        option.fontMetrics = self.fontMetrics()
        widths = []
        for arrow in (
            QStyleOptionHeaderV2.SortIndicator.SortDown,
            QStyleOptionHeaderV2.SortIndicator.None_,
        ):
            option.sortIndicator = arrow
            widths.append(
                self.style()
                .sizeFromContents(QStyle.ContentsType.CT_HeaderSection, option, QSize(), self)
                .width()
            )
        return widths[0] - widths[1]
