"""The panel with the tree of links: find, select, show and hide them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtCore import (
    QEvent,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPoint,
    QRect,
    QSortFilterProxyModel,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QBrush,
    QColor,
    QContextMenuEvent,
    QFont,
    QFontMetrics,
    QGuiApplication,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QMenu,
    QStyle,
    QStyleOptionViewItem,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from editor_app.core.document.selection import PlacedFeature, Selection
from editor_app.core.model.features import FeatureKind, RobotFeature
from editor_app.core.model.kinematic_graph import KinematicGraph
from editor_app.core.model.srdf import Group
from editor_app.core.model.srdf_groups import list_planned_joints
from editor_app.window.actions.actions import ActionRegistry
from editor_app.window.bindings.elision import DistinctNames
from editor_app.window.bindings.lists import (
    DistinctCells,
    EmptyWords,
    Index,
    lead_down,
    search_line,
)
from editor_app.window.link_quality import LinkQuality
from editor_app.window.link_tree.link_model import (
    ORDERS,
    LinkColumn,
    LinkRow,
    LinkTreeModel,
    selected_frames,
)
from editor_app.window.session import Hover, Session
from editor_app.window.theme import colours, tabular_font
from editor_app.window.widgets import fill_layout, icon, no_mnemonic, popup

#: Pixels around filter and tree.
MARGIN = 4
#: Characters of each name that are worth more than the columns of numbers.
_LEAST = 5


#: Width of the arrow that folds a branch.
ARROW = 14
#: Pixels that a name has at least, as far as narrower levels can give them.
LEAST_NAME = 70
#: Share of its indentation that a level keeps in the narrowest column.
_LEAST_SCALE = 0.2


class LinkCells(DistinctCells):
    """Indents the names and draws the arrows of branches; centres the icons of the other
    columns."""

    def __init__(self, tree: QTreeView) -> None:
        super().__init__(tree)
        self._tree = tree
        #: All names of the tree.
        self.names = DistinctNames()

    def names_beside(self, index: Index) -> DistinctNames:
        return self.names

    def measure_names(self) -> Callable[[str], int]:
        """Return a function: a name -> the width of a cell without indentation in which it is
        whole.

        It holds for the present font: a robot may have thousands of names.
        """
        option = QStyleOptionViewItem()
        option.initFrom(self._tree)
        italic = QFont(self._tree.font())
        # Added frames are in italics, which may be wider.
        italic.setItalic(True)
        beside, upright, slanted = (
            self._beside_name(option),
            QFontMetrics(self._tree.font()),
            QFontMetrics(italic),
        )
        return lambda name: (
            beside + max(upright.horizontalAdvance(name), slanted.horizontalAdvance(name))
        )

    def room_for_names(self, width: int) -> int:
        """The pixels that a column of that width leaves for a name that is not indented."""
        option = QStyleOptionViewItem()
        option.initFrom(self._tree)
        return width - self._beside_name(option)

    def scale_for(self, width: int, deepest: int) -> float:
        """The share of its indentation that each level keeps, so that the name `deepest` pixels in
        can be told."""
        spare = self.room_for_names(width) - LEAST_NAME
        return 1.0 if deepest <= max(spare, 0) else max(_LEAST_SCALE, spare / deepest)

    def _beside_name(self, option: QStyleOptionViewItem) -> int:
        icon_width = self._tree.style().pixelMetric(QStyle.PixelMetric.PM_SmallIconSize)
        return ARROW + icon_width + 2 * self._margin(option) + 2 + 1

    def _margin(self, option: QStyleOptionViewItem) -> int:
        return 2 * (
            self._tree.style().pixelMetric(
                QStyle.PixelMetric.PM_FocusFrameHMargin, option, self._tree
            )
            + 1
        )

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        if index.column() in (LinkColumn.EYE, LinkColumn.FINDINGS):
            option.decorationAlignment = Qt.AlignmentFlag.AlignCenter
            option.decorationPosition = QStyleOptionViewItem.Position.Top

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        if index.column() != LinkColumn.NAME:
            super().paint(painter, option, index)
            return
        style = self._tree.style()
        shift = indent_of(index) + ARROW
        whole = QStyleOptionViewItem(option)
        self.initStyleOption(whole, index)
        # The background of the whole cell, then the rest further right.
        style.drawPrimitive(
            QStyle.PrimitiveElement.PE_PanelItemViewItem, whole, painter, self._tree
        )
        inner = QStyleOptionViewItem(option)
        inner.rect = option.rect.adjusted(shift, 0, 0, 0)
        super().paint(painter, inner, index)
        if index.model().hasChildren(index):
            # Drawn as an icon, so that it has the colours of the theme.
            open_ = self._tree.isExpanded(
                index.model().index(index.row(), LinkColumn.NAME, index.parent())
            )
            box = QRect(
                option.rect.left() + indent_of(index),
                option.rect.top(),
                ARROW,
                option.rect.height(),
            )
            icon("caret-down" if open_ else "caret-right", "muted").paint(
                painter, box.adjusted(2, 0, -2, 0)
            )


def indent_of(index: Index) -> int:
    """Pixels before the arrow: what a level takes, less where the column is narrow."""
    model = index.model()
    assert isinstance(model, QSortFilterProxyModel)
    source = model.sourceModel()
    assert isinstance(source, LinkTreeModel)
    node = source.node(model.mapToSource(index))
    return round(node.indent * source.indent_scale) if node is not None else 0


class LinkTreePanel(QWidget):
    """Filter box above the tree."""

    #: Name of a link whose findings the user wants to see.
    findings_requested = Signal(str)
    #: Feature: where it can be edited is to be shown.
    feature_requested = Signal(object)

    def __init__(self, session: Session, registry: ActionRegistry, quality: LinkQuality) -> None:
        super().__init__()
        self._session = session
        self._registry = registry
        self._following = False
        self.model = LinkTreeModel(session, quality, self)
        self.proxy = _Filter(self)
        self.proxy.setSourceModel(self.model)
        self.filter = search_line("Filter links and joints", "Filter links and joints", self)
        self.tree = _Tree(self)
        self.tree.setModel(self.proxy)
        self.empty = EmptyWords(self.tree)
        fill_layout(QVBoxLayout(self), self.filter, (self.tree, 1), margins=MARGIN, spacing=4)
        header = self.tree.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(LinkColumn.NAME, QHeaderView.ResizeMode.Stretch)
        header.setMinimumSectionSize(22)
        header.setSectionsClickable(True)
        header.sectionClicked.connect(self._on_header)
        # As long as a figure is of spheres before, it says so by a sign.
        number = QFontMetrics(tabular_font(self.font())).horizontalAdvance("~100") + 10
        widths = (
            (LinkColumn.SPHERES, 28),
            (LinkColumn.COVERAGE, number),
            (LinkColumn.FINDINGS, 22),
            (LinkColumn.EYE, 24),
        )
        self._widths = dict(widths)
        self._beside_names = sum(self._widths.values())
        for column, width in widths:
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
            header.resizeSection(column, width)
        self.setTabOrder(self.filter, self.tree)

        self.filter.textChanged.connect(self._apply_filter)
        lead_down(self.filter, self.tree)
        self.tree.selectionModel().selectionChanged.connect(self._on_tree_selection)
        self.tree.clicked.connect(self._on_click)
        self.tree.eye_clicked.connect(self._on_eye)
        self.tree.badge_clicked.connect(
            lambda index: self.findings_requested.emit(self._frame(index))
        )
        self.tree.hovered.connect(self._on_hover)
        self.tree.left.connect(lambda: session.set_hover(Hover()))
        self.tree.context_requested.connect(self._show_menu)
        header.sectionResized.connect(
            lambda section, *_: self._indent() if section == LinkColumn.NAME else None
        )
        self.model.modelReset.connect(self._on_reset)
        self.model.looks_changed.connect(self.tree.viewport().update)
        session.selection_changed.connect(self._follow_selection)
        # After the model's own connection, so that it knows them already.
        session.findings_changed.connect(self._show_badges)
        self.model.quality.changed.connect(self._show_badges)
        self._on_reset()

    @property
    def wanted_width(self) -> int:
        """The width of the panel at which no name is cut, whatever columns are shown."""
        width_of = self.tree.cells.measure_names()
        longest = max(
            (indent + width_of(name) for indent, name in self.model.indented_names), default=0
        )
        return longest + self._beside_names + self._around

    @property
    def _around(self) -> int:
        """Pixels of width beside the columns."""
        return self._bar + 2 * MARGIN + 4

    @property
    def _bar(self) -> int:
        return self.style().pixelMetric(QStyle.PixelMetric.PM_ScrollBarExtent)

    def frame_at(self, at: QPoint) -> str | None:
        """The link or added frame whose row is at that place of the screen."""
        rows = self.tree.viewport()
        place = rows.mapFromGlobal(at)
        if not rows.isVisible() or not rows.rect().contains(place):
            return None
        return self._frame(self.tree.indexAt(place)) or None

    # -- following

    def _on_reset(self) -> None:
        self.tree.cells.names.set_names(self.model.names)
        self.filter.setEnabled(self.model.rowCount() > 0)
        self._show_badges()
        self._apply_filter(self.filter.text())

    def _on_header(self, section: int) -> None:
        """A column of numbers: its order, then turned round, then the tree again."""
        column, now = LinkColumn(section), self.model.order
        if column not in ORDERS:
            order = None if column is LinkColumn.NAME else now
        elif now is None or now[0] is not column:
            order = column, False
        else:
            order = None if now[1] else (column, True)
        self.model.set_order(order)

    def _show_badges(self, *_: object) -> None:
        # Names need the room when there is nothing to tell.
        self.tree.setColumnHidden(LinkColumn.FINDINGS, not self.model.has_findings)
        self._show_numbers()

    def _show_numbers(self) -> None:
        """The columns of numbers, as far as names beside them keep enough to be told apart by."""
        width_of = self.tree.cells.measure_names()
        names = self.model.indented_names
        shortest = (
            (indent, name if len(name) <= _LEAST else name[:_LEAST] + "…") for indent, name in names
        )
        needed = max((indent + width_of(name) for indent, name in shortest), default=0)
        hidden = (
            self._widths[LinkColumn.FINDINGS]
            if self.tree.isColumnHidden(LinkColumn.FINDINGS)
            else 0
        )
        bar = 0 if self.tree.verticalScrollBar().isVisible() else self._bar
        room = self.width() - self._around + bar - self._beside_names + hidden - needed
        # Without the numbers of spheres all names may fit, if levels take less.
        whole = (
            max((indent * _LEAST_SCALE + width_of(name) for indent, name in names), default=0)
            - needed
        )
        is_exchanged = 0 < whole - room <= self._widths[LinkColumn.SPHERES]
        # How well a link is covered says more than the number of its spheres.
        self.tree.setColumnHidden(LinkColumn.SPHERES, room < 0 or is_exchanged)
        crowded = room + self._widths[LinkColumn.SPHERES] < 0
        self.tree.setColumnHidden(LinkColumn.COVERAGE, not self.model.has_coverage or crowded)
        self._indent()

    def _indent(self) -> None:
        """Levels take less where names would be cut: what makes all fit, or leaves the deepest ones
        enough."""
        names, width = self.model.indented_names, self.tree.columnWidth(LinkColumn.NAME)
        width_of = self.tree.cells.measure_names()
        scale = min(
            1.0,
            min(
                ((width - width_of(name)) / indent for indent, name in names if indent), default=1.0
            ),
        )
        if scale < _LEAST_SCALE:
            scale = self.tree.cells.scale_for(width, max(indent for indent, _ in names))
        if scale != self.model.indent_scale:
            self.model.indent_scale = scale
            self.tree.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_numbers()

    def _follow_selection(self, *_: object) -> None:
        if self._following:
            return
        selected: list[str | RobotFeature] = [
            *selected_frames(self._session),
            *self._session.selection.features,
        ]
        selection = QItemSelection()
        last = QModelIndex()
        for index in (self.proxy.mapFromSource(self.model.index_of(thing)) for thing in selected):
            if index.isValid():
                selection.select(index, index.siblingAtColumn(LinkColumn.EYE))
                last = index
        self._following = True
        try:
            model = self.tree.selectionModel()
            model.select(selection, QItemSelectionModel.SelectionFlag.ClearAndSelect)
            if last.isValid():
                model.setCurrentIndex(last, QItemSelectionModel.SelectionFlag.NoUpdate)
                self.tree.scrollTo(last)
        finally:
            self._following = False

    def _on_tree_selection(self, *_: object) -> None:
        if self._following:
            return
        rows = self.tree.selectionModel().selectedRows()
        frames = [frame for index in rows if (frame := self._frame(index))]
        features = [placed for index in rows if (placed := self._feature(index)) is not None]
        current = self._frame(self.tree.currentIndex())
        if current in frames:
            # The active link is the last one.
            frames.remove(current)
            frames.append(current)
        self._following = True
        try:
            named = tuple(placed.feature for placed in features)
            # What a group moves shows in the view.
            self._session.select(
                Selection(links=tuple(frames), joints=self._joints(features), features=named)
            )
        finally:
            self._following = False

    def _on_click(self, *_: object) -> None:
        # The row of a selected sphere's link is lit already: clicking it selects the link all the
        # same.
        if self._session.selection.spheres:
            self._on_tree_selection()

    def _joints(self, features: list[PlacedFeature]) -> tuple[str, ...]:
        robot = self._session.robot
        groups = [placed.item for placed in features if isinstance(placed.item, Group)]
        if robot.srdf is None or not groups:
            return ()
        structure = KinematicGraph(robot.urdf)
        return tuple(
            dict.fromkeys(j for g in groups for j in list_planned_joints(robot.srdf, g, structure))
        )

    def _on_hover(self, index: QModelIndex) -> None:
        placed = self._feature(index)
        on_link = Hover(link=self._frame(index) or None)
        self._session.set_hover(on_link if placed is None else Hover(feature=placed.feature))

    def _apply_filter(self, text: str) -> None:
        self.proxy.set_text(text)
        no_match = f"No link or joint matches “{text}”. Esc shows all."
        self.empty.say(no_match if text else "Open a robot to see its links.")
        self.tree.expandAll()
        self._follow_selection()

    # -- showing and hiding

    def _on_eye(self, index: QModelIndex, subtree: bool) -> None:
        frame = self._frame(index)
        if not frame:
            return
        selected = selected_frames(self._session)
        frames = selected if frame in selected and not subtree else (frame,)
        self.set_hidden(frames, frame not in self._session.hidden, subtree=subtree)

    def set_hidden(self, frames: tuple[str, ...], hide: bool, *, subtree: bool = False) -> None:
        """Hides or shows frames, with all that hangs on them if `subtree`."""
        tree = self._session.tree
        named = {f for frame in frames for f in (tree.subtree(frame) if subtree else (frame,))}
        hidden = self._session.hidden
        self._session.set_hidden(hidden | named if hide else hidden - named)

    # -- context menu

    def _show_menu(self, index: QModelIndex, where: QPoint) -> None:
        feature = self._feature(index)
        if feature is not None:
            self._show_feature_menu(feature, where)
            return
        frame = self._frame(index)
        if not frame:
            return
        if frame not in selected_frames(self._session):
            self._session.select(Selection(links=(frame,)))
        menu = QMenu(self)
        self._registry.fill_context_menu(menu, "link")
        self._add_copy(menu, frame)
        folding = menu.addMenu("E&xpand and collapse")
        folding.addAction("Expand all", self.tree.expandAll)
        folding.addAction("Collapse all", self.tree.collapseAll)
        popup(menu, where)

    def _show_feature_menu(self, placed: PlacedFeature, where: QPoint) -> None:
        feature, link = placed.feature, placed.link
        if feature not in self._session.selection.features:
            self._session.select(Selection(joints=self._joints([placed]), features=(feature,)))
        menu = QMenu(self)
        text = "Edit sensor…" if feature.kind is FeatureKind.SENSOR else f"Edit {feature.kind}…"
        menu.addAction(icon("pencil-simple"), text, lambda: self.feature_requested.emit(feature))
        if self.model.index_of(link).isValid():
            menu.addAction(
                no_mnemonic(f"Select link “{link}”"),
                lambda: self._session.select(Selection(links=(link,))),
            )
        self._add_copy(menu, feature.name)
        popup(menu, where)

    def _add_copy(self, menu: QMenu, name: str) -> None:
        menu.addSeparator()
        copy = partial(QGuiApplication.clipboard().setText, name)
        menu.addAction(icon("copy"), no_mnemonic(f"Copy name “{name}”"), copy)

    def _node(self, index: Index) -> LinkRow | None:
        return self.model.node(self.proxy.mapToSource(index)) if index.isValid() else None

    def _feature(self, index: Index) -> PlacedFeature | None:
        node = self._node(index)
        return node.placed if node is not None else None

    def _frame(self, index: Index) -> str:
        node = self._node(index)
        return node.name if node is not None and node.placed is None else ""


class _Filter(QSortFilterProxyModel):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._text = ""
        self.setRecursiveFilteringEnabled(True)

    def set_text(self, text: str) -> None:
        self.beginFilterChange()
        self._text = text.strip().lower()
        self.endFilterChange()

    def filterAcceptsRow(self, row: int, parent: Index) -> bool:
        return not self._text or self._matches(self.sourceModel().index(row, 0, parent))

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Rows that are shown for what is below them alone are grey, so that matches stand out."""
        is_foreground = role == Qt.ItemDataRole.ForegroundRole
        if (
            is_foreground
            and self._text
            and not self._matches(self.mapToSource(index).siblingAtColumn(0))
        ):
            return QBrush(QColor(colours().muted))
        return super().data(index, role)

    def _matches(self, index: QModelIndex) -> bool:
        model = self.sourceModel()
        assert isinstance(model, LinkTreeModel)
        node = model.node(index)
        if node is None:
            return False
        about = "" if node.joint is None else node.joint.name
        if node.placed is not None:
            about = f"{node.placed.detail} {node.placed.feature.kind}"
        return self._text in f"{node.name}\n{about}".lower()


class _Tree(QTreeView):
    """The columns of the eye and of the findings are buttons."""

    #: (index, whether Alt was down)
    eye_clicked = Signal(QModelIndex, bool)
    badge_clicked = Signal(QModelIndex)
    hovered = Signal(QModelIndex)
    left = Signal()
    context_requested = Signal(QModelIndex, QPoint)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName("Links")
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setUniformRowHeights(True)
        # The delegate indents: a level within a chain takes less room than one below a branch.
        self.setIndentation(0)
        self.setRootIsDecorated(False)
        self.setExpandsOnDoubleClick(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setMouseTracking(True)
        # The delegate cuts names where they tell links apart.
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.cells = LinkCells(self)
        self.setItemDelegate(self.cells)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.entered.connect(self.hovered)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and index.isValid():
            if index.column() == LinkColumn.EYE:
                self.eye_clicked.emit(
                    index, bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
                )
                return
            if (
                index.column() == LinkColumn.FINDINGS
                and index.data(Qt.ItemDataRole.DecorationRole) is not None
            ):
                self.badge_clicked.emit(index)
                return
            if index.column() == LinkColumn.NAME and self._on_arrow(index, event.position().x()):
                self.setExpanded(index, not self.isExpanded(index))
                return
        super().mousePressEvent(event)

    def _on_arrow(self, index: QModelIndex, x: float) -> bool:
        start = self.visualRect(index).left() + indent_of(index)
        return self.model().hasChildren(index) and start <= x <= start + ARROW

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        # A quick second click on the eye is a second click; on a name it folds the branch.
        index = self.indexAt(event.position().toPoint())
        if index.column() == LinkColumn.NAME and not self._on_arrow(index, event.position().x()):
            self.setExpanded(index, not self.isExpanded(index))
        else:
            self.mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space and self.currentIndex().isValid():
            self.eye_clicked.emit(
                self.currentIndex(), bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
            )
            return
        if event.key() == Qt.Key.Key_Escape:
            # The window's Esc goes one step back.
            event.ignore()
            return
        super().keyPressEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.left.emit()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        by_mouse = event.reason() == QContextMenuEvent.Reason.Mouse
        index = self.indexAt(event.pos()) if by_mouse else self.currentIndex()
        self.context_requested.emit(index, event.globalPos())
