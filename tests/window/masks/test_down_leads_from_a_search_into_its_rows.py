"""Down in a search field leads into the rows below it, to the current one or the first; letters
stay in the field."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QTableView, QTreeView

from editor_app.features.masks.window.pair_table import Filter
from editor_app.window.main_window import MainWindow
from tests.helpers.documents import CLEAN
from tests.helpers.windows import focus, reopen, wait_until

LONG = 60.0
DOCKS = ("links", "findings", "self-collision")


@pytest.fixture(scope="module")
def panels(one_window: MainWindow) -> None:
    """Their menus are windows, made with them."""
    for dock in DOCKS:
        one_window.docks.panel(dock)


def parts(window: MainWindow, dock: str) -> tuple[Any, QTableView | QTreeView]:
    """The search field of a panel, and its rows."""
    panel: Any = window.docks.show(dock)
    if dock == "links":
        return panel.filter, panel.tree
    if dock == "findings":
        return panel.filter, panel.table
    panel.show_list(Filter.ALL)
    return panel.text, panel.listing.table


@pytest.mark.usefixtures("panels")
@pytest.mark.parametrize("dock", DOCKS)
def test_down_enters_the_rows_of_a_panel(window: MainWindow, tmp_path: Path, dock: str) -> None:
    reopen(window, tmp_path, CLEAN.replace("  elbow: 0.5", "  elbwo: 0.5"))
    field, rows = parts(window, dock)
    wait_until(lambda: field.isVisible() and rows.isVisible() and rows.model().rowCount() > 0, LONG)
    focus(field)
    QTest.keyClick(field, Qt.Key.Key_Down)
    wait_until(rows.hasFocus, LONG)
    assert rows.selectionModel().isSelected(rows.currentIndex())
    # The row that was left is the one that is come back to.
    if rows.model().rowCount() > 1:
        QTest.keyClick(rows, Qt.Key.Key_Down)
    current = rows.currentIndex().row()
    focus(field)
    QTest.keyClick(field, Qt.Key.Key_Down)
    wait_until(rows.hasFocus, LONG)
    assert rows.currentIndex().row() == current
