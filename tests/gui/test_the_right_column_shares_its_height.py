"""Selection and the document below it share the column by what they hold, until somebody moves the line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QCursor
from PySide6.QtTest import QTest

from editor_app.core.document.selection import NOTHING, Selection
from editor_app.window.docks.window_docks import SideShares
from editor_app.window.selection.panel import SelectionPanel
from tests.helpers.windows import open_window, reopen, wait_until


def test_the_selection_has_what_it_needs_and_the_document_the_rest(qapp: Any, tmp_path: Path) -> None:
    with open_window(tmp_path, size=(1600, 1000)) as window:
        reopen(window, tmp_path)
        QCursor.setPos(window.mapToGlobal(QPoint(700, 300)))
        upper, lower = window.docks.dock("selection"), window.docks.dock("xrdf")
        panel = window.docks.panel("selection")
        assert isinstance(panel, SelectionPanel)
        [shares] = window.findChildren(SideShares)
        window.session.select(NOTHING)
        wait_until(lambda: panel.height() > panel.wanted_height - 8 and upper.height() < 140, 60)
        empty = upper.height()
        assert lower.height() > 2 * empty
        window.session.select(Selection(links=("upper",)))
        wait_until(lambda: upper.height() > empty + 60, 60)
        wait_until(lambda: not panel.verticalScrollBar().isVisible() or upper.height() >= 0.5 * lower.height(), 60)
        # Nothing moves away under the mouse.
        before = upper.height()
        QCursor.setPos(lower.mapToGlobal(lower.rect().center()))
        window.session.select(NOTHING)
        wait_until(lambda: not shares._later.isActive(), 60)
        assert upper.height() == before
        QCursor.setPos(window.mapToGlobal(QPoint(700, 300)))
        shares.look_later()
        wait_until(lambda: upper.height() == empty, 60)
        # The line in a hand: it stays where it was put.
        line = QPoint(upper.geometry().center().x(), upper.geometry().bottom() + 2)
        QTest.mousePress(window, Qt.MouseButton.LeftButton, pos=line)
        QTest.mouseRelease(window, Qt.MouseButton.LeftButton, pos=line)
        assert shares.by_hand
        window.session.select(Selection(links=("upper",)))
        wait_until(lambda: not shares._later.isActive(), 60)
        assert upper.height() == empty
        window.docks.reset()
        wait_until(lambda: upper.height() > empty + 60, 60)
