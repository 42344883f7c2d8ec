"""The panels around the view. A panel is registered with its place; layout and visibility are
remembered.

docks.register(DockSpec("matrix", "Self-collision", "grid-four", "bottom", lambda:
MatrixPanel(session), order=30))
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Any, Literal, NamedTuple

import shiboken6
from PySide6.QtCore import QChildEvent, QEvent, QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QHelpEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDockWidget,
    QLineEdit,
    QMainWindow,
    QMenu,
    QPlainTextEdit,
    QTabBar,
    QTabWidget,
    QWidget,
)

from editor_app.window.actions.action_tables import PANELS, ActionSpec
from editor_app.window.actions.actions import ActionRegistry
from editor_app.window.docks.bottom_panel import BottomPanel
from editor_app.window.settings import LAYOUT_VERSION, Settings
from editor_app.window.timers import after
from editor_app.window.widgets import dress, icon

#: Keys that are commands would be typed into these; they get the focus from a hand alone.
_TYPED_INTO = (QLineEdit, QPlainTextEdit, QAbstractSpinBox, QComboBox)


class FocusInSight(QObject):
    """One for the docks of a window. Clicking a tab, a title or an empty place gives a panel no
    focus by itself."""

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self._window = window
        #: Docks in the order in which they came to the front last.
        self._seen: list[QDockWidget] = []
        # One dock goes and another comes: both are known once the event loop is idle.
        self._later = after(self, self._follow)
        self._docks: list[QDockWidget] = []
        self._clicked: QDockWidget | None = None
        self._left: QWidget | None = None
        #: What Qt gave the focus to that `_left` lost.
        self._taken: QWidget | None = None
        # Tabs are made by Qt when docks share a place.
        window.installEventFilter(self)
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self._on_focus)

    def watch(self, dock: QDockWidget) -> None:
        """Follows what is seen of the dock, and what is clicked in it."""
        self._docks.append(dock)
        dock.visibilityChanged.connect(partial(self._on_visible, dock))
        dock.installEventFilter(self)

    def enter(self, dock: QDockWidget) -> None:
        """Gives the focus to the dock's panel, unless it has it."""
        panel = dock.widget()
        if panel is not None and not _has_focus(dock):
            _enter(panel)

    def step(self, by: int) -> None:
        """The focus goes on, or back with -1, from the view or a panel in sight to the next: where
        it was there."""
        view = self._window.centralWidget()
        stops = [view] if view is not None and view.isVisible() else []
        stops += [
            panel
            for dock in self._docks
            if is_in_front(dock) and (panel := dock.widget()) is not None
        ]
        if stops:
            now = next((i for i, stop in enumerate(stops) if _has_focus(stop)), -1 if by > 0 else 0)
            _enter(stops[(now + by) % len(stops)], typed=True)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._window:
            if event.type() == QEvent.Type.ChildPolished and isinstance(event, QChildEvent):
                bar = event.child()
                if isinstance(bar, QTabBar):
                    bar.tabBarClicked.connect(partial(self._on_tab, bar))
        elif event.type() in (QEvent.Type.MouseButtonPress, QEvent.Type.Resize):
            dock = next((dock for dock in self._docks if dock is watched), None)
            if dock is not None and event.type() == QEvent.Type.MouseButtonPress:
                # No widget in the panel took it: its title, or an empty place.
                self._on_click(dock)
            elif (
                dock is not None
                and isinstance(event, QResizeEvent)
                and 0 in (event.oldSize().height(), dock.height())
            ):
                # Folded away or opened: Qt counts it as visible all the time.
                self._on_visible(dock, is_in_front(dock))
        return False

    def _on_focus(self, old: QWidget | None, now: QWidget | None) -> None:
        """A button that goes or is greyed takes the focus along: to nowhere, or to a field that
        nobody chose."""
        # A window that is destroyed gives its focus away as well.
        if old is None or not shiboken6.isValid(self._window):
            return
        # The search box, which lies over all of them, takes the focus by a key.
        holders = [
            place for place in (*self._docks, self._window.centralWidget()) if place is not None
        ]
        is_in_panel = now is not None and any(place.isAncestorOf(now) for place in holders)
        if now is None or (isinstance(now, _TYPED_INTO) and is_in_panel and not old.isVisible()):
            self._taken = now
            self._left = next((place for place in holders if place.isAncestorOf(old)), None)
            self._later.start()

    def _on_tab(self, bar: QTabBar, index: int) -> None:
        name = bar.tabText(index)
        self._on_click(
            next((dock for dock in self._docks if index >= 0 and dock.windowTitle() == name), None)
        )

    def _on_click(self, dock: QDockWidget | None) -> None:
        self._clicked = dock
        # The click goes on, to change the tab.
        self._later.start()

    def _on_visible(self, dock: QDockWidget, is_seen: bool) -> None:
        self._seen = [other for other in self._seen if other is not dock] + (
            [dock] if is_seen else []
        )
        self._later.start()

    def _follow(self) -> None:
        clicked, self._clicked = self._clicked, None
        if clicked is not None and clicked.isVisible() and clicked.widget() is not None:
            self.enter(clicked)
            return
        left, self._left = self._left, None
        if (
            left is not None
            and QApplication.focusWidget() is self._taken
            and self._window.isActiveWindow()
        ):
            place = left.widget() if isinstance(left, QDockWidget) else left
            if place is not None and place.isVisible():
                _enter(place)
            return
        focus = self._window.focusWidget()
        if focus is None or not any(
            dock.isAncestorOf(focus) for dock in self._docks if dock not in self._seen
        ):
            return
        panel = self._seen[-1].widget() if self._seen else self._window.centralWidget()
        if panel is not None and self._window.isVisible():
            _enter(panel)


def is_in_front(dock: QDockWidget) -> bool:
    """Return whether the dock is seen: neither hidden nor folded away, nor behind another one's
    tab."""
    # Docks behind the front tab count as visible; they stand far outside of the window.
    return (
        dock.isVisible()
        and dock.height() > 0
        and (dock.isFloating() or dock.geometry().bottom() > 0)
    )


def _has_focus(place: QWidget) -> bool:
    focus = QApplication.focusWidget()
    return focus is not None and (focus is place or place.isAncestorOf(focus))


def _enter(panel: QWidget, *, typed: bool = False) -> None:
    """`typed`: into a text, too, if the focus was there last."""
    last = panel.focusWidget() if typed else None
    at = last if last is not None and last.isVisible() else _stop_in(panel) or panel
    at.setFocus(Qt.FocusReason.OtherFocusReason)


def _stop_in(panel: QWidget) -> QWidget | None:
    """Where the focus was in the panel, else the first place that Tab stops at and that takes no
    text."""
    last = panel.focusWidget()
    if last is not None and last.isVisible() and not isinstance(last, _TYPED_INTO):
        return last
    stops = (w for w in panel.findChildren(QWidget) if w.focusPolicy() & Qt.FocusPolicy.TabFocus)
    shown = (w for w in stops if w.isVisible() and w.isEnabled() and w.focusProxy() is None)
    return next((w for w in shown if not isinstance(w, _TYPED_INTO)), None)


Area = Literal["left", "right", "bottom"]
_AREAS = {
    "left": Qt.DockWidgetArea.LeftDockWidgetArea,
    "right": Qt.DockWidgetArea.RightDockWidgetArea,
    "bottom": Qt.DockWidgetArea.BottomDockWidgetArea,
}
#: Least width of the column at the right, in pixels.
SIDE = 291
#: Shares of the right column that the selection and the sections below it have at first.
_SHARES = 0.42, 0.58
_EXTENTS = "window/extents"


class Extents(NamedTuple):
    """Pixels of the window, of the columns at its sides and of the panels below the view."""

    width: int
    height: int
    left: int
    right: int
    bottom: int


@dataclass(frozen=True, slots=True)
class DockSpec:
    """Docks of the bottom are tabs, docks of the sides stand above each other, both by `order`.

    `factory` makes the panel when it is first shown.
    """

    id: str
    title: str
    icon: str
    area: Area
    factory: Callable[[], QWidget]
    order: int = 0
    tooltip: str = ""
    #: The dock that it shares its place with, as a tab behind it.
    beside: str = ""
    #: Whether the first layout shows it; otherwise the menu View › Panels does.
    is_usual: bool = True
    #: The late module of the panel, which is loaded in a thread before the panel is made.
    module: ModuleType | None = None


def _rank(spec: DockSpec) -> tuple[int, int]:
    """The order in which menus list panels."""
    return list(_AREAS).index(spec.area), spec.order


#: After these, Qt gives the buttons of a dock its own icons.
_REDRAWN = (QEvent.Type.StyleChange, QEvent.Type.ParentChange, QEvent.Type.LayoutDirectionChange)


class _Dock(QDockWidget):
    """Makes its panel on first show."""

    made = Signal()

    def __init__(self, spec: DockSpec, window: QMainWindow) -> None:
        super().__init__(spec.title, window)
        dress(self, id=f"dock.{spec.id}", name=spec.title, tip=spec.tooltip)
        self.setWindowIcon(icon(spec.icon))
        if spec.area == "bottom":
            # The tab says the name already; the height is needed for the panel.
            self.setTitleBarWidget(QWidget(self))
        self.spec = spec
        self._panel: QWidget | None = None
        self._is_placed = self._is_in_sight = False
        self._dress_buttons()
        self.visibilityChanged.connect(self._on_visible)

    @property
    def is_made(self) -> bool:
        return self.widget() is not None

    @property
    def panel(self) -> QWidget:
        while not self.is_made:
            self.make_step()
        return self.widget()

    def make_step(self) -> None:
        """Does one of the two halves of the work: makes the panel, or puts it into its place."""
        if self._panel is None:
            self._panel = self.spec.factory()
        else:
            self.setWidget(self._panel)
            self.made.emit()

    def event(self, event: QEvent) -> bool:
        """Explains itself at its title, not wherever its panel has no tooltip of its own."""
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            panel = self.widget()
            if panel is not None and panel.geometry().contains(event.pos()):
                return True
        done = super().event(event)
        if event.type() in _REDRAWN:
            self._dress_buttons()
        return done

    def _dress_buttons(self) -> None:
        """Qt's own icons can hardly be seen on a dark window."""
        for name, shown in (("float", "copy-simple"), ("close", "x")):
            button = self.findChild(
                QAbstractButton,
                f"qt_dockwidget_{name}button",
                Qt.FindChildOption.FindDirectChildrenOnly,
            )
            if button is not None:
                button.setIcon(icon(shown))

    def place(self) -> None:
        """The layout is there: from now on the panel is made when it comes in sight. Before it, the
        last of several tabs is in front for a moment."""
        self._is_placed = True
        self._on_visible(self._is_in_sight)

    def _on_visible(self, visible: bool) -> None:
        self._is_in_sight = visible
        if visible and self._is_placed:
            self.panel  # noqa: B018 - makes it


class Docks(QObject):
    """All docks of one window."""

    #: Every dock is at its first place and size again.
    was_reset = Signal()
    #: (width of the left column) as the new size of the window leaves it.
    was_scaled = Signal(int)

    def __init__(self, window: QMainWindow, registry: ActionRegistry, settings: Settings) -> None:
        super().__init__(window)
        self._window = window
        self._registry = registry
        self._settings = settings
        self._docks: dict[str, _Dock] = {}
        self._restored = self._is_laid_out = False
        #: What the columns, and the panels below, are to be in a window of another size.
        self._wanted: Extents | None = None
        self._scale_later = after(self, self._scale)
        window.installEventFilter(self)
        self.focus = FocusInSight(window)
        window.setDockOptions(
            QMainWindow.DockOption.AllowTabbedDocks
            | QMainWindow.DockOption.AllowNestedDocks
            | QMainWindow.DockOption.AnimatedDocks
        )
        window.setDockNestingEnabled(True)
        window.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        self.bottom = BottomPanel(window, registry, settings, lambda: self._of("bottom"))
        registry.add(PANELS, self)

    def register(self, spec: DockSpec) -> QDockWidget:
        """Adds a dock at its place; the remembered layout moves it when there is one."""
        dock = _Dock(spec, self._window)
        after = [other.spec for other in self._docks.values() if _rank(other.spec) > _rank(spec)]
        self._docks[spec.id] = dock
        action = ActionSpec(
            f"view.panel.{spec.id}",
            spec.title,
            "toggle",
            icon=spec.icon,
            menu="View/Panels",
            section="panels",
            checked="is_shown",
            tip=spec.tooltip or f"Show or hide the panel “{spec.title}”",
            words="panel dock show",
            given=(dock,),
            before=f"view.panel.{min(after, key=_rank).id}" if after else "",
        )
        self._registry.add((action,), self)
        dock.visibilityChanged.connect(self._registry.refresh_later)
        self.focus.watch(dock)
        self._place(dock)
        if spec.area == "bottom":
            self.bottom.adopt(dock)
        if self._restored:
            self._window.restoreDockWidget(dock)
        if self._is_laid_out:
            dock.place()
        return dock

    def dock(self, id: str) -> QDockWidget:  # noqa: A002
        """Raises KeyError."""
        return self._docks[id]

    def spec(self, id: str) -> DockSpec:  # noqa: A002
        """Raises KeyError."""
        return self._docks[id].spec

    # A panel is of the class that its `factory` makes: who asks for it by name knows which.
    def panel(self, id: str) -> Any:  # noqa: A002
        """The panel itself, made if it was not shown yet. Raises KeyError."""
        return self._docks[id].panel

    def make_step(self, id: str) -> None:  # noqa: A002
        """Takes the next step towards a panel that is not made yet. Raises KeyError."""
        self._docks[id].make_step()

    def unmade(self) -> list[str]:
        """The ids of docks whose panels are not made yet, in the order in which they are likely to
        be asked for."""
        docks = sorted(
            self._docks.values(), key=lambda dock: (dock.spec.area != "bottom", dock.spec.order)
        )
        return [dock.spec.id for dock in docks if not dock.is_made]

    def show(self, id: str, height: int = 0) -> Any:  # noqa: A002
        """Brings a dock to the front and gives its panel.

        `height`: pixels that a panel below the view is of use with; it gets them if no height was
        chosen yet.
        """
        dock = self._docks[id]
        if dock.spec.area != "bottom":
            # Beside an enlarged panel it has no place.
            self.bottom.give_back()
        dock.show()
        dock.raise_()
        if dock.spec.area == "bottom":
            self.bottom.open_for(height)
        return dock.panel

    def make_menu(self, parent: QWidget) -> QMenu:
        """Return the menu of an empty place between panels: all panels, in submenus."""
        menu = QMenu(parent)
        below, beside = (
            menu.addMenu("Panels below the view"),
            menu.addMenu("Panels next to the view"),
        )
        for dock in sorted(self._docks.values(), key=lambda d: _rank(d.spec)):
            (below if dock.spec.area == "bottom" else beside).addAction(
                self._registry[f"view.panel.{dock.spec.id}"]
            )
        return menu

    # -- layout

    def restore(self) -> None:
        """The remembered layout, or the first one. Call once, when the docks are registered."""
        saved = self._settings.layout
        if saved is not None:
            # Qt refuses the size that was remembered on quite another screen; the panels keep their
            # places.
            self._window.restoreGeometry(saved[0])
        self._restored = saved is not None and self._window.restoreState(saved[1], LAYOUT_VERSION)
        if self._restored:
            self.bottom.restore()
            self._wanted = self._remembered_extents()
            # The window itself comes up only now: over those that were torn off, unless they come
            # after it.
            QTimer.singleShot(0, self, self._raise_torn_off)
        else:
            self.reset()
        # Which tab is in front is told when the layout is done.
        QTimer.singleShot(0, self, self._end_restore)

    def _end_restore(self) -> None:
        self._is_laid_out = True
        if self._wanted is not None:
            is_smaller = self._window.height() < self._wanted.height
            self._scale()
            if is_smaller and not self.bottom.leaves_half(sum(self._columns())):
                # As the first layout on this screen does.
                self.bottom.fold(True)
        if self._restored:
            self.was_scaled.emit(self._of("left")[0].width())
        for dock in self._docks.values():
            dock.place()

    def _raise_torn_off(self) -> None:
        for dock in self._docks.values():
            if dock.isFloating() and not dock.isHidden():
                dock.hide()
                dock.show()
                dock.raise_()

    def remember(self) -> None:
        self.bottom.remember()
        self._settings.set_layout(
            self._window.saveGeometry(), self._window.saveState(LAYOUT_VERSION)
        )
        self._settings.store.setValue(
            _EXTENTS, " ".join(map(str, self._extents(self._window.size())))
        )

    # -- another size of the window

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QResizeEvent) and watched is self._window and self._is_laid_out:
            # Before Qt lays the docks out in the new size.
            if self._wanted is None and event.oldSize().isValid():
                self._wanted = self._extents(event.oldSize())
            self._scale_later.start()
        return False

    def _extents(self, window: QSize) -> Extents:
        """The present ones, which a `window` of that size has."""
        columns = (self._of("left"), self._of("right"))
        left, right = (
            docks[0].width() if docks and not docks[0].isFloating() else 0 for docks in columns
        )
        return Extents(window.width(), window.height(), left, right, self.bottom.height)

    def _remembered_extents(self) -> Extents | None:
        words = str(self._settings.store.value(_EXTENTS, "")).split()
        is_whole = len(words) == len(Extents._fields) and all(
            word.isdecimal() and len(word) < 6 for word in words
        )
        return Extents(*map(int, words)) if is_whole else None

    def _scale(self) -> None:
        """Give columns and panels the share of the window that they had; no column gets narrower
        than at first."""
        size, before, self._wanted = self._window.size(), self._wanted, None
        if before is None or not before.width or not before.height or self.bottom.is_large:
            return
        if (before.width, before.height) == size.toTuple():
            return
        across, first = size.width() / before.width, self._columns()
        widths = zip(first, (before.left, before.right), strict=True)
        left, right = (max(min(least, width), round(width * across)) for least, width in widths)
        docks = [docks[0] for docks in (self._of("left"), self._of("right")) if docks]
        self._window.resizeDocks(docks, [left, right], Qt.Orientation.Horizontal)
        self.bottom.scale(before.bottom, size.height() / before.height)
        self.was_scaled.emit(left)

    def reset(self) -> None:
        """Every dock at its first place and size."""
        for dock in self._docks.values():
            dock.setFloating(False)
            self._window.removeDockWidget(dock)
        for dock in sorted(self._docks.values(), key=lambda d: d.spec.order):
            self._place(dock)
            dock.setVisible(dock.spec.is_usual)
        first = min(self._of("bottom"), key=lambda d: d.spec.order, default=None)
        if first is not None:
            first.raise_()
        for dock in self._docks.values():
            if dock.spec.beside in self._docks:
                self._docks[dock.spec.beside].raise_()
        self.bottom.first_layout(sum(self._columns()))
        self._size()
        # Panels that are made only now ask for other sizes once they are laid out.
        QTimer.singleShot(0, self, self._end_reset)

    def _end_reset(self) -> None:
        self._size()
        self.was_reset.emit()

    def _size(self) -> None:
        horizontal, vertical = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
        left, right, bottom = self._of("left"), self._of("right"), self._of("bottom")
        if left and right:
            self._window.resizeDocks([left[0], right[0]], list(self._columns()), horizontal)
        if bottom and not self.bottom.is_folded:
            self._window.resizeDocks([bottom[0]], [self.bottom.least], vertical)
        if len(right) == len(_SHARES):
            # From now on the line between them moves by hand alone.
            whole = sum(dock.height() for dock in right)
            self._window.resizeDocks(right, [round(share * whole) for share in _SHARES], vertical)

    @property
    def first_left(self) -> int:
        """Width of the left column at first."""
        return self._columns()[0]

    def _columns(self) -> tuple[int, int]:
        """Widths of the left and the right column at first: what they leave gives the view half of
        the window."""
        width = self._window.width()
        return max(220, round(width * 0.125)), max(SIDE, round(width * 0.145))

    def _of(self, area: Area) -> list[_Dock]:
        docks = (d for d in self._docks.values() if d.spec.area == area and not d.spec.beside)
        return sorted(docks, key=lambda d: d.spec.order)

    def _place(self, dock: _Dock) -> None:
        area = dock.spec.area
        self._window.addDockWidget(_AREAS[area], dock)
        if dock.spec.beside in self._docks:
            self._window.tabifyDockWidget(self._docks[dock.spec.beside], dock)
            self._docks[dock.spec.beside].raise_()
            return
        others = [
            d
            for d in self._of(area)
            if d is not dock and self._window.dockWidgetArea(d) == _AREAS[area]
        ]
        before = [d for d in others if d.spec.order <= dock.spec.order]
        after = [d for d in others if d.spec.order > dock.spec.order]
        if area == "bottom":
            # A dock that comes late stands at the end of the tabs until the layout is reset.
            neighbour = before[-1] if before else after[0] if after else None
            if neighbour is not None:
                self._window.tabifyDockWidget(neighbour, dock)
        elif before:
            self._window.splitDockWidget(before[-1], dock, Qt.Orientation.Vertical)
        elif after:
            self._window.splitDockWidget(dock, after[0], Qt.Orientation.Vertical)

    @staticmethod
    def is_shown(dock: _Dock) -> bool:
        return not dock.isHidden()

    def toggle(self, dock: _Dock) -> None:
        """Hides the dock that is seen; brings any other to the front, for the keys that come
        next."""
        if is_in_front(dock):
            dock.hide()
        else:
            self.show(dock.spec.id)
            self.focus.enter(dock)
