"""The selection has the height that its numbers need, the document below it the rest of the column."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QCursor, QMouseEvent
from PySide6.QtWidgets import QApplication, QDockWidget, QMainWindow

from editor_app.gui.settings import Settings
from editor_app.gui.timers import after

_BY_HAND = "window/side_by_hand"
#: Share of the column that the upper panel has at most.
_MOST = 0.6
#: Pixels that the upper panel keeps when it has nothing to show.
_FEWEST = 120
#: Differences that are not worth a movement (pixels).
_LEAST = 6


class SideShares(QObject):
    """One dock above others that share a place: until somebody moves the line between them, or one is elsewhere."""

    def __init__(
        self,
        window: QMainWindow,
        upper: QDockWidget,
        lower: Sequence[QDockWidget],
        wanted: Callable[[], int],
        settings: Settings,
    ) -> None:
        """`wanted`: pixels that the upper panel needs now, without its title."""
        super().__init__(window)
        self._window, self._upper, self._lower, self._wanted = window, upper, lower, wanted
        self._store = settings.store
        # What is shown is laid out first.
        self._later = after(self, self.share)
        window.installEventFilter(self)
        upper.installEventFilter(self)

    @property
    def by_hand(self) -> bool:
        """Whether somebody moved the line."""
        return self._store.value(_BY_HAND) in (True, "true")

    def look_later(self, *_: object) -> None:
        """The upper panel shows something else."""
        if self._upper.isVisible():
            self._later.start()

    def reset(self) -> None:
        """The first layout: the line moves by itself again."""
        self._store.remove(_BY_HAND)
        self.look_later()

    def share(self) -> None:
        """Moves the line; nothing moves away under the mouse."""
        upper, lower = self._upper, self._front()
        if lower is None or self.by_hand or upper.isFloating() or not upper.isVisible() or upper.x() != lower.x():
            return
        under = lower.rect().contains(lower.mapFromGlobal(QCursor.pos()))
        if under or QApplication.mouseButtons() is not Qt.MouseButton.NoButton:
            return
        panel = upper.widget()
        title = panel.y() if panel is not None else 0
        whole = upper.height() + lower.height()
        height = min(max(self._wanted() + title, _FEWEST), round(_MOST * whole))
        if abs(height - upper.height()) >= _LEAST:
            self._window.resizeDocks([upper, lower], [height, whole - height], Qt.Orientation.Vertical)

    def _front(self) -> QDockWidget | None:
        """Of those that share the place, the one in front, where it stands below."""
        docks = (d for d in self._lower if not d.isFloating() and not d.visibleRegion().isEmpty())
        return next((dock for dock in docks if dock.y() > self._upper.y()), None)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._upper and event.type() == QEvent.Type.Resize:
            self.look_later()
        elif event.type() == QEvent.Type.MouseButtonPress and isinstance(event, QMouseEvent):
            place, lower = event.position().toPoint(), self._front()
            if lower is not None and watched is self._window and self._window.isSeparator(place):
                beside = self._upper.geometry().left() <= place.x() <= self._upper.geometry().right()
                if beside and self._upper.geometry().bottom() < place.y() < lower.geometry().top():
                    self._store.setValue(_BY_HAND, "true")
        return False
