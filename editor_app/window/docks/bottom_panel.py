"""The tabs below the view: one height for all of them, folded away or opened, torn off or as large
as there is room.

The tab bar is the lower edge, so it stays under the mouse whatever is opened above it. An open
panel changes its height by the user's hand alone. Of the commands, the first one that opens the
folded panels gives them the height that it needs, as long as none was chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QByteArray, QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QDockWidget, QMainWindow, QMenu, QTabBar, QTabWidget, QWidget

from editor_app.window.actions.action_tables import LAYOUT
from editor_app.window.actions.actions import ActionRegistry
from editor_app.window.settings import Settings
from editor_app.window.timers import after

#: Least height of an open panel, in lines of text: the tallest panel fits in, so that no tab asks
#: for another height.
LINES = 14.5
#: Height of menu, toolbar, tabs and status bar, and width of the lines between the columns, in
#: pixels.
_AROUND, _BETWEEN = 114, 8
_MOST = 16777215
#: Share of the window that a command opens at most.
_SHARE = 0.45
#: The actions of the context menu of a tab.
MENU = ("view.tear_off", "view.enlarge", "view.fold")


class BottomPanel(QObject):
    """Folds, opens and enlarges the docks that `docks` gives: all of the bottom, in their order."""

    def __init__(
        self,
        window: QMainWindow,
        registry: ActionRegistry,
        settings: Settings,
        docks: Callable[[], Sequence[QDockWidget]],
    ) -> None:
        super().__init__(window)
        self._window = window
        self._registry = registry
        self._settings = settings
        self._docks = docks
        self.is_folded = False
        self._height = 0
        #: Whether the user or a command chose the height: it is not the first one any more.
        self._is_chosen = False
        #: The layout that comes back when the enlarged panel gives the view's place back; empty
        #: before it takes it.
        self._layout_before = QByteArray()
        window.setTabPosition(Qt.DockWidgetArea.BottomDockWidgetArea, QTabWidget.TabPosition.South)
        self._watched: set[QTabBar] = set()
        self._look = after(self, self._watch_tabs)
        window.installEventFilter(self)
        registry.add(LAYOUT, self)

    # -- height

    @property
    def least(self) -> int:
        """Least height of an open panel, in pixels."""
        return round(self._window.fontMetrics().lineSpacing() * LINES)

    @property
    def is_large(self) -> bool:
        """True if the panel has taken the view's place."""
        return not self._layout_before.isEmpty()

    @property
    def open_height(self) -> int:
        """Pixels that the open panel takes from the view; 0 while only the tabs are there."""
        return 0 if self.is_folded or self.is_large else self._present_height()

    def first_layout(self, columns: int) -> None:
        """The first start, beside columns of that width: folded where the view would have less than
        half of it all."""
        self.give_back()
        self._height = self.least
        self._is_chosen = False
        self.fold(not self.leaves_half(columns))
        # Not the height that the first panel would like, which it has until it is folded.
        self._height = self.least
        self._is_chosen = False

    def leaves_half(self, columns: int) -> bool:
        """Return whether the view has half of the window while the panels are open, between
        `columns` of that width."""
        width, height = self._window.width(), self._window.height()
        return (width - columns - _BETWEEN) * (
            height - _AROUND - self.least
        ) >= 0.5 * width * height

    def restore(self) -> None:
        """The remembered state, after the window's own was restored."""
        height = self._settings.store.value("window/bottom_height")
        self._is_chosen = isinstance(height, (str, int)) and str(height).isdigit()
        self._height = int(height) if self._is_chosen else self.least
        self.fold(self._settings.store.value("window/bottom_folded") in (True, "true"))

    def remember(self) -> None:
        """Keeps height and fold; an enlarged panel gives the view back first, so that the next
        start has it."""
        self._keep_height()
        self.give_back()
        self._settings.store.setValue(
            "window/bottom_height", str(self._height) if self._is_chosen else ""
        )
        self._settings.store.setValue("window/bottom_folded", "true" if self.is_folded else "false")

    @property
    def height(self) -> int:
        """Pixels of the panels, also while they are folded."""
        return self._height if self.is_folded or self.is_large else self._present_height()

    def scale(self, height: int, factor: float) -> None:
        """The window is `factor` times as high as when the panels had this `height`."""
        self._height = max(self.least, round(height * factor))
        if not self.is_folded:
            self._resize(self._height)

    def flip(self) -> None:
        self.fold(not self.is_folded)

    def fold(self, folded: bool) -> None:
        """Leaves the tabs alone, or opens the panels at the height that they had."""
        self._look.start()
        docks = [d for d in self._docks() if not d.isFloating()]
        if folded:
            self._keep_height()
        self.give_back()
        was, self.is_folded = self.is_folded, folded
        for dock in docks:
            self._bound(dock)
        if was and not folded and docks:
            self._resize(max(self._height, self.least))
        self._registry.refresh_later()

    def open_for(self, height: int) -> None:
        """A command shows a panel that is of use with that many pixels.

        It has them if the panels were folded and no height was chosen before: what is open moves by
        hand alone.
        """
        if self.is_large or not self.is_folded:
            return
        wanted = min(height, round(self._window.height() * _SHARE))
        if not self._is_chosen and wanted > self._height:
            self._height = wanted
            self._is_chosen = True
        self.fold(False)

    def _keep_height(self) -> None:
        """The height of the open panel is the one to come back to; another than it was opened with
        is the user's."""
        present = 0 if self.is_folded or self.is_large else self._present_height()
        if present >= self.least and present != self._height:
            self._height = present
            self._is_chosen = True

    def adopt(self, dock: QDockWidget) -> None:
        """A dock came to the bottom, or came back to it."""
        dock.topLevelChanged.connect(lambda floating: self._on_floating(dock, floating))
        dock.installEventFilter(self)
        self._bound(dock)
        self._look.start()

    def toggle_large(self) -> None:
        """Takes the place of the view and of the columns beside it, or gives it back."""
        if self.is_large:
            self.give_back()
        else:
            self.fold(False)
            self._keep_height()
            self._layout_before = self._window.saveState()
            below = self._docks()
            for dock in self._window.findChildren(QDockWidget):
                if dock not in below and not dock.isFloating():
                    dock.hide()
            self._show_view(False)
        self._registry.refresh_later()

    def give_back(self) -> None:
        """The view and the columns beside it have their places again, if an enlarged panel took
        them."""
        if self.is_large:
            layout, self._layout_before = self._layout_before, QByteArray()
            self._show_view(True)
            self._window.restoreState(layout)

    def _show_view(self, shown: bool) -> None:
        view = self._window.centralWidget()
        if view is not None:
            view.setVisible(shown)

    def _bound(self, dock: QDockWidget) -> None:
        # The same bounds for every dock, whatever its panel would ask for: a change of tabs changes
        # no height.
        dock.setMinimumHeight(0 if self.is_folded else self.least)
        dock.setMaximumHeight(0 if self.is_folded else _MOST)

    def _resize(self, height: int) -> None:
        shown = self.front()
        if shown is not None:
            # Qt counts the tabs as part of what it resizes.
            self._window.resizeDocks(
                [shown], [height + self._height_of_tabs(shown)], Qt.Orientation.Vertical
            )

    def _height_of_tabs(self, dock: QDockWidget) -> int:
        bars = self._window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)
        name = dock.windowTitle()
        holding = (
            b for b in bars if b.isVisible() and name in (b.tabText(i) for i in range(b.count()))
        )
        return next((bar.height() for bar in holding), 0)

    def _present_height(self) -> int:
        shown = self.front()
        return shown.height() if shown is not None else 0

    def front(self) -> QDockWidget | None:
        docks = [d for d in self._docks() if not d.isHidden() and not d.isFloating()]
        # Docks behind the front tab stand far outside of the window.
        return next((d for d in docks if d.geometry().bottom() > 0), docks[0] if docks else None)

    # -- tearing off

    def tear_off(self) -> None:
        """The front panel becomes a window."""
        dock = self.front()
        if dock is None:
            return
        self.fold(False)
        size = dock.size()
        dock.setFloating(True)
        dock.resize(max(size.width() * 2 // 3, 640), max(size.height(), 480))
        dock.move(self._window.mapToGlobal(QPoint(80, 120)))

    def _on_floating(self, dock: QDockWidget, floating: bool) -> None:
        # Among the tabs the name is there already; a window needs its bar, to be moved and closed
        # by.
        dock.setTitleBarWidget(None if floating else QWidget(dock))  # type: ignore[arg-type]
        if floating:
            dock.setMinimumHeight(self.least)
            dock.setMaximumHeight(_MOST)
        else:
            self._bound(dock)
        self._look.start()

    # -- tabs

    def _watch_tabs(self) -> None:
        for bar in self._window.findChildren(
            QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly
        ):
            if bar not in self._watched:
                self._watched.add(bar)
                bar.installEventFilter(self)
                bar.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
                bar.customContextMenuRequested.connect(partial(self._open_menu, bar))

    def _open_menu(self, bar: QTabBar, place: QPoint) -> None:
        """Bring the panel of the tab under the mouse to the front; offer its actions and the panels
        without a tab."""
        index = bar.tabAt(place)
        if index < 0 or bar.tabText(index) not in {d.windowTitle() for d in self._docks()}:
            return
        bar.setCurrentIndex(index)
        menu = QMenu(bar)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for name in MENU:
            menu.addAction(self._registry[name])
        menu.addSeparator()
        for dock in (dock for dock in self._docks() if dock.isHidden()):
            menu.addAction(self._registry[f"view.panel.{dock.objectName().removeprefix('dock.')}"])
        menu.popup(bar.mapToGlobal(place))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._window:
            if event.type() is QEvent.Type.ChildPolished:
                # Perhaps a bar of tabs: Qt makes them anew, as when an enlarged panel gives the
                # view's place back.
                self._look.start()
            return False
        if isinstance(watched, QDockWidget):
            return event.type() is QEvent.Type.Close and self._on_close(watched, event)
        return self._on_tab(watched, event)

    def _on_close(self, dock: QDockWidget, event: QEvent) -> bool:
        """A panel that was torn off goes back among the tabs; whether it did."""
        if not dock.isFloating():
            return False
        # Not closed, or Qt hides it.
        event.ignore()
        dock.setFloating(False)
        dock.raise_()
        return True

    def _on_tab(self, watched: QObject, event: QEvent) -> bool:
        presses = (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonDblClick)
        if (
            event.type() not in presses
            or not isinstance(event, QMouseEvent)
            or not isinstance(watched, QTabBar)
        ):
            return False
        index = watched.tabAt(event.position().toPoint())
        names = {d.windowTitle() for d in self._docks()}
        if (
            index < 0
            or event.button() is not Qt.MouseButton.LeftButton
            or watched.tabText(index) not in names
        ):
            return False
        if event.type() is QEvent.Type.MouseButtonDblClick:
            self.fold(True)
            return True
        if self.is_folded:
            # The click goes on to choose its tab.
            self.fold(False)
        return False
