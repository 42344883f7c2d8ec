"""The width of the column of links: as wide as its names where the view keeps its half, wider on demand.

Names for which that is too narrow are cut so that no two of them look the same (`bindings.elision`).
"""

from __future__ import annotations

import math

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QDockWidget

from editor_app.gui.action_tables import NAMES_IN_FULL
from editor_app.gui.panels.tree.link_tree import LinkTreePanel
from editor_app.gui.timers import after
from editor_app.gui.workbench import Workbench

_SETTING = "window/links_width"
#: Share of the window that the view keeps when the column grows by itself: half, and a few pixels for bars that are
#: laid out anew when a robot is there.
_VIEW = 0.505
#: Below this share beside a column of the first width, no width of the column gives the view its half.
_OUT_OF_REACH = 0.49
#: In a window of this many pixels, names have this share of its width: the view beside them is large all the same.
_WIDE, _NAMES = 1600, 0.2
#: Share of the window's width that the column has at most on demand.
_MOST = 0.45


class ColumnWidth(QObject):
    """A width that the user gave by dragging is left alone, until it is asked for full names."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench.qt_window)
        self._workbench = workbench
        self._later = after(self, self._fit_by_itself)
        #: The width that was set last by the program; another one was dragged.
        value = workbench.settings.store.value(_SETTING)
        self._given = int(value) if isinstance(value, (str, int)) and str(value).isdigit() else 0
        self._narrow = 0
        workbench.session.document_opened.connect(
            lambda document: self._later.start() if document is not None else None
        )
        workbench.docks.was_reset.connect(self._begin_anew)
        workbench.registry.add(NAMES_IN_FULL, self)

    def is_wide(self) -> bool:
        return self._narrow > 0

    @property
    def _dock(self) -> QDockWidget:
        return self._workbench.docks.dock("links")

    @property
    def _panel(self) -> LinkTreePanel:
        return self._workbench.docks.panel("links")  # type: ignore[no-any-return]

    def toggle(self) -> None:
        """As wide as the names, or as before."""
        self._workbench.docks.show("links")
        if self._narrow:
            width, self._narrow = self._narrow, 0
        else:
            self._narrow = self._dock.width()
            width = min(self._panel.wanted_width, round(self._workbench.qt_window.width() * _MOST))
            width = max(width, self._dock.width())
        self._set(width)

    def _begin_anew(self) -> None:
        """The first layout has the width that a robot that is opened gets."""
        self._given = self._narrow = 0
        self._later.start()

    def _fit_by_itself(self) -> None:
        dock, workbench = self._dock, self._workbench
        if workbench.session.document is None or dock.isFloating() or not dock.isVisible():
            return
        if workbench.qt_window.dockWidgetArea(dock) != Qt.DockWidgetArea.LeftDockWidgetArea:
            return
        dragged = self._given and abs(dock.width() - self._given) > 2
        if dragged or self._narrow:
            return
        width = max(workbench.docks.first_left, min(self._panel.wanted_width, self._room()))
        if width != dock.width():
            self._set(width)

    def _room(self) -> int:
        """The width at which the view still has its share of the window.

        Where it cannot have it because the panels below it were opened: with those folded, or names would be cut for
        nothing.
        """
        workbench = self._workbench
        window, view, docks = workbench.qt_window, workbench.central, workbench.docks
        area, width = window.width() * window.height(), self._dock.width() + view.width()
        height = max(view.height(), 1)
        if (width - docks.first_left) * height < _OUT_OF_REACH * area:
            height += docks.bottom.open_height
        wanted = self._panel.wanted_width
        # Names that are longer than this share are cut all the same: for them the view keeps its half.
        least = wanted if window.width() >= _WIDE and wanted <= _NAMES * window.width() else 0
        return max(least, math.floor(width - _VIEW * area / height))

    def _set(self, width: int) -> None:
        self._workbench.qt_window.resizeDocks([self._dock], [width], Qt.Orientation.Horizontal)
        self._given = width
        self._workbench.settings.store.setValue(_SETTING, str(width))
        self._workbench.registry.refresh_later()
