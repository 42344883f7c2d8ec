"""The focus goes along when a tab is changed: keys and F1 are for the panel that is seen, not for the one behind it."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QAbstractSpinBox, QComboBox, QDockWidget, QLineEdit, QMainWindow, QPlainTextEdit, QWidget

#: Keys that are commands would be typed into these; they get the focus from a hand alone.
_TYPED_INTO = (QLineEdit, QPlainTextEdit, QAbstractSpinBox, QComboBox)


class FocusInSight(QObject):
    """One for the docks of a window. Clicking a tab gives its panel no focus by itself, and takes none from another."""

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self._window = window
        #: Docks in the order in which they came to the front.
        self._seen: list[QDockWidget] = []
        self._behind: set[QDockWidget] = set()
        # One dock goes and another comes: both are known once the event loop is idle.
        self._later = QTimer(self, singleShot=True, interval=0)
        self._later.timeout.connect(self._follow)

    def watch(self, dock: QDockWidget) -> None:
        """Follows what is seen of the dock."""
        dock.visibilityChanged.connect(partial(self._on_visible, dock))

    def _on_visible(self, dock: QDockWidget, is_seen: bool) -> None:
        self._seen = [other for other in self._seen if other is not dock] + ([dock] if is_seen else [])
        (self._behind.discard if is_seen else self._behind.add)(dock)
        self._later.start()

    def _follow(self) -> None:
        focus = self._window.focusWidget()
        if focus is None or not any(dock.isAncestorOf(focus) for dock in self._behind):
            return
        panel = self._seen[-1].widget() if self._seen else self._window.centralWidget()
        if panel is not None and self._window.isVisible():
            (_stop_in(panel) or panel).setFocus(Qt.FocusReason.OtherFocusReason)


def _stop_in(panel: QWidget) -> QWidget | None:
    """Where the focus was in the panel, else the first place that Tab stops at and that takes no text."""
    last = panel.focusWidget()
    if last is not None and last.isVisible() and not isinstance(last, _TYPED_INTO):
        return last
    stops = (w for w in panel.findChildren(QWidget) if w.focusPolicy() & Qt.FocusPolicy.TabFocus)
    shown = (w for w in stops if w.isVisible() and w.isEnabled() and w.focusProxy() is None)
    return next((w for w in shown if not isinstance(w, _TYPED_INTO)), None)
