"""The focus goes along with a tab or a click: keys and F1 are for the panel that is seen or was clicked."""

from __future__ import annotations

from functools import partial

import shiboken6
from PySide6.QtCore import QChildEvent, QEvent, QObject, Qt
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDockWidget,
    QLineEdit,
    QMainWindow,
    QPlainTextEdit,
    QTabBar,
    QWidget,
)

from editor_app.gui.timers import after

#: Keys that are commands would be typed into these; they get the focus from a hand alone.
_TYPED_INTO = (QLineEdit, QPlainTextEdit, QAbstractSpinBox, QComboBox)


class FocusInSight(QObject):
    """One for the docks of a window. Clicking a tab, a title or an empty place gives a panel no focus by itself."""

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self._window = window
        #: Docks in the order in which they came to the front.
        self._seen: list[QDockWidget] = []
        self._behind: set[QDockWidget] = set()
        # One dock goes and another comes: both are known once the event loop is idle.
        self._later = after(self, self._follow)
        self._docks: list[QDockWidget] = []
        self._folded: set[QDockWidget] = set()
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
        """The focus goes on, or back with -1, from the view or a panel in sight to the next: where it was there."""
        view = self._window.centralWidget()
        stops = [view] if view is not None and view.isVisible() else []
        stops += [panel for dock in self._docks if is_in_front(dock) and (panel := dock.widget()) is not None]
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
            elif dock is not None and (dock.height() == 0) != (dock in self._folded):
                self._on_fold(dock)
        return False

    def _on_focus(self, old: QWidget | None, now: QWidget | None) -> None:
        """A button that goes or is greyed takes the focus along: to nowhere, or to a field that nobody chose."""
        # A window that is destroyed gives its focus away as well.
        if old is None or not shiboken6.isValid(self._window):
            return
        if now is None or (isinstance(now, _TYPED_INTO) and now.window() is self._window and not old.isVisible()):
            self._taken = now
            holders = [*self._docks, self._window.centralWidget()]
            self._left = next((place for place in holders if place is not None and place.isAncestorOf(old)), None)
            self._later.start()

    def _on_tab(self, bar: QTabBar, index: int) -> None:
        name = bar.tabText(index)
        self._on_click(next((dock for dock in self._docks if index >= 0 and dock.windowTitle() == name), None))

    def _on_click(self, dock: QDockWidget | None) -> None:
        self._clicked = dock
        # The click goes on, to change the tab.
        self._later.start()

    def _on_fold(self, dock: QDockWidget) -> None:
        """Folded away or opened again; Qt counts it as visible all the time, one behind another as well."""
        if dock.height() == 0:
            self._folded.add(dock)
            self._on_visible(dock, False)
        else:
            self._folded.discard(dock)
            self._on_visible(dock, is_in_front(dock))

    def _on_visible(self, dock: QDockWidget, is_seen: bool) -> None:
        self._seen = [other for other in self._seen if other is not dock] + ([dock] if is_seen else [])
        (self._behind.discard if is_seen else self._behind.add)(dock)
        self._later.start()

    def _follow(self) -> None:
        clicked, self._clicked = self._clicked, None
        if clicked is not None and clicked.isVisible() and clicked.widget() is not None:
            self.enter(clicked)
            return
        left, self._left = self._left, None
        if left is not None and QApplication.focusWidget() is self._taken and self._window.isActiveWindow():
            place = left.widget() if isinstance(left, QDockWidget) else left
            if place is not None and place.isVisible():
                _enter(place)
            return
        focus = self._window.focusWidget()
        if focus is None or not any(dock.isAncestorOf(focus) for dock in self._behind):
            return
        panel = self._seen[-1].widget() if self._seen else self._window.centralWidget()
        if panel is not None and self._window.isVisible():
            _enter(panel)


def is_in_front(dock: QDockWidget) -> bool:
    """Whether the dock is seen: neither hidden nor folded away, nor behind another one's tab."""
    # Docks behind the front tab count as visible; they stand far outside of the window.
    return dock.isVisible() and dock.height() > 0 and (dock.isFloating() or dock.geometry().bottom() > 0)


def _has_focus(place: QWidget) -> bool:
    focus = QApplication.focusWidget()
    return focus is not None and (focus is place or place.isAncestorOf(focus))


def _enter(panel: QWidget, *, typed: bool = False) -> None:
    """`typed`: into a text, too, if the focus was there last."""
    last = panel.focusWidget() if typed else None
    at = last if last is not None and last.isVisible() else _stop_in(panel) or panel
    at.setFocus(Qt.FocusReason.OtherFocusReason)


def _stop_in(panel: QWidget) -> QWidget | None:
    """Where the focus was in the panel, else the first place that Tab stops at and that takes no text."""
    last = panel.focusWidget()
    if last is not None and last.isVisible() and not isinstance(last, _TYPED_INTO):
        return last
    stops = (w for w in panel.findChildren(QWidget) if w.focusPolicy() & Qt.FocusPolicy.TabFocus)
    shown = (w for w in stops if w.isVisible() and w.isEnabled() and w.focusProxy() is None)
    return next((w for w in shown if not isinstance(w, _TYPED_INTO)), None)
