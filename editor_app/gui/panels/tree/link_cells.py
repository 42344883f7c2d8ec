"""How the cells of the tree of links are drawn: names indented and cut where they differ, arrows, centred icons."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QRect, QSortFilterProxyModel, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTreeView

from editor_app.gui.bindings.elision import DistinctNames
from editor_app.gui.bindings.lists import Index
from editor_app.gui.panels.tree.link_model import Column, LinkTreeModel
from editor_app.gui.widgets import icon

#: Width of the arrow that folds a branch.
ARROW = 14
#: Pixels that a name has at least, as far as narrower levels can give them.
LEAST_NAME = 70
#: Share of its indentation that a level keeps in the narrowest column.
_LEAST_SCALE = 0.2


class LinkCells(QStyledItemDelegate):
    """Indents the names and draws the arrows of branches; centres the icons of the other columns."""

    def __init__(self, tree: QTreeView) -> None:
        super().__init__(tree)
        self._tree = tree
        self._names = DistinctNames()
        self._font = ""

    def set_names(self, names: Iterable[str]) -> None:
        """All names of the tree: a cut shows where they differ."""
        self._names.set_names(names)

    def width_of(self, name: str) -> int:
        """The width of a cell without indentation in which the name is whole."""
        option = QStyleOptionViewItem()
        option.initFrom(self._tree)
        italic = QFont(self._tree.font())
        # Added frames are in italics, which may be wider.
        italic.setItalic(True)
        widest = max(QFontMetrics(font).horizontalAdvance(name) for font in (self._tree.font(), italic))
        return self._beside_name(option) + widest

    def room_for_names(self, width: int) -> int:
        """The pixels that a column of that width leaves for a name that is not indented."""
        option = QStyleOptionViewItem()
        option.initFrom(self._tree)
        return width - self._beside_name(option)

    def scale_for(self, width: int, deepest: int) -> float:
        """The share of its indentation that each level keeps, so that the name `deepest` pixels in can be told."""
        spare = self.room_for_names(width) - LEAST_NAME
        return 1.0 if deepest <= max(spare, 0) else max(_LEAST_SCALE, spare / deepest)

    def _beside_name(self, option: QStyleOptionViewItem) -> int:
        icon_width = self._tree.style().pixelMetric(QStyle.PixelMetric.PM_SmallIconSize)
        return ARROW + icon_width + 2 * self._margin(option) + 2 + 1

    def _margin(self, option: QStyleOptionViewItem) -> int:
        return 2 * (self._tree.style().pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin, option, self._tree) + 1)

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        if index.column() in (Column.EYE, Column.FINDINGS):
            option.decorationAlignment = Qt.AlignmentFlag.AlignCenter
            option.decorationPosition = QStyleOptionViewItem.Position.Top
        elif index.column() == Column.NAME and option.rect.width() > 0:
            font = option.font.key()
            if font != self._font:
                self._font = font
                self._names.forget()
            margin = self._margin(option)
            beside = option.decorationSize.width() + margin if not option.icon.isNull() else 0
            room = option.rect.width() - beside - margin - 2
            option.text = self._names.cut(option.text, room, option.fontMetrics.horizontalAdvance)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        if index.column() != Column.NAME:
            super().paint(painter, option, index)
            return
        style = self._tree.style()
        shift = indent_of(index) + ARROW
        whole = QStyleOptionViewItem(option)
        self.initStyleOption(whole, index)
        # The background of the whole cell, then the rest further right.
        style.drawPrimitive(QStyle.PrimitiveElement.PE_PanelItemViewItem, whole, painter, self._tree)
        inner = QStyleOptionViewItem(option)
        inner.rect = option.rect.adjusted(shift, 0, 0, 0)
        super().paint(painter, inner, index)
        if index.model().hasChildren(index):
            # Drawn as an icon, so that it has the colours of the theme.
            open_ = self._tree.isExpanded(index.model().index(index.row(), Column.NAME, index.parent()))
            box = QRect(option.rect.left() + indent_of(index), option.rect.top(), ARROW, option.rect.height())
            icon("caret-down" if open_ else "caret-right", "muted").paint(painter, box.adjusted(2, 0, -2, 0))


def indent_of(index: Index) -> int:
    """Pixels before the arrow: what a level takes, less where the column is narrow."""
    model = index.model()
    assert isinstance(model, QSortFilterProxyModel)
    source = model.sourceModel()
    assert isinstance(source, LinkTreeModel)
    if source.order is not None:
        return 0
    place = model.mapToSource(index)
    node = source.node(place) or source.feature_node(place)
    return round(node.indent * source.indent_scale) if node is not None else 0
