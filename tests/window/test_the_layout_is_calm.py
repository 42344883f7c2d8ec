"""Columns and panels move by hand alone; in a window of another size they keep their shares."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtTest import QTest

from editor_app.core.document.selection import NOTHING, Selection
from editor_app.window.main_window import MainWindow
from tests.helpers.windows import open_window, reopen, settle, wait_until


def _heights(window: MainWindow) -> tuple[int, int]:
    return window.docks.dock("selection").height(), window.docks.dock("xrdf").height()


def _bottom(window: MainWindow) -> int:
    return max(
        window.docks.dock(name).geometry().bottom() for name in ("joints", "findings", "fit")
    )


def test_the_line_between_selection_and_sections_moves_by_hand_alone(
    qapp: Any, tmp_path: Path
) -> None:
    with open_window(tmp_path, size=(1366, 768)) as window:
        reopen(window, tmp_path)
        selections = (
            NOTHING,
            Selection(links=("upper",)),
            Selection(links=("upper", "lower")),
            NOTHING,
        )
        window.session.select(NOTHING)
        settle(window)
        before = _heights(window)
        assert 0.3 < before[0] / sum(before) < 0.55
        for selection in selections:
            window.session.select(selection)
            settle(window)
            QTest.qWait(150)
            assert _heights(window) == before
        upper, lower = window.docks.dock("selection"), window.docks.dock("xrdf")
        moved_up = [before[0] - 60, before[1] + 60]
        window.resizeDocks([upper, lower], moved_up, Qt.Orientation.Vertical)
        wait_until(lambda: _heights(window)[0] < before[0] - 40)
        moved = _heights(window)
        window.session.select(selections[2])
        settle(window)
        assert _heights(window) == moved


def test_columns_follow_the_size_of_the_window(qapp: Any, tmp_path: Path) -> None:
    with open_window(tmp_path, size=(1366, 768)) as window:
        reopen(window, tmp_path)
        right = window.docks.dock("xrdf")
        window.resizeDocks([right], [400], Qt.Orientation.Horizontal)
        wait_until(lambda: right.width() == 400)
        share = right.width() / window.width()
        for width in (1024, 1366):
            window.resize(width, 768)
            wait_until(lambda: abs(right.width() - share * window.width()) <= 2)
            assert window.width() == width


@pytest.mark.parametrize(
    "number", ["0 0 0 0 0", "1 2 3", "not a size", "99999999999999999999999 1 1 1 1", "² 1 1 1 1"]
)
def test_damaged_extents_are_ignored(qapp: Any, tmp_path: Path, number: str) -> None:
    with open_window(tmp_path, size=(1100, 700)) as window:
        width = window.docks.dock("xrdf").width()
    store = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
    store.setValue("window/extents", number)
    store.sync()
    with open_window(tmp_path, size=(1100, 700)) as window:
        QTest.qWait(50)
        assert abs(window.docks.dock("xrdf").width() - width) <= 2


def test_a_layout_of_a_large_screen_leaves_the_view_its_half_on_a_small_one(
    qapp: Any, tmp_path: Path
) -> None:
    with open_window(tmp_path, size=(1900, 1000)) as window:
        links, right = window.docks.dock("links"), window.docks.dock("xrdf")
        window.resizeDocks([links, right], [560, 480], Qt.Orientation.Horizontal)
        wait_until(lambda: links.width() == 560 and right.width() == 480)
    with open_window(tmp_path, size=(1900, 1000), folded=True) as window:
        # A screen that is smaller: the window manager gives it this size.
        window.resize(1366, 740)
        links, right = window.docks.dock("links"), window.docks.dock("xrdf")
        wait_until(lambda: links.width() < 415 and right.width() < 355)
        assert min(links.width(), right.width()) > 220
    store = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
    store.setValue("window/extents", "1900 1000 560 480 400")
    store.sync()
    with open_window(tmp_path, size=(1366, 740), folded=True) as window:
        # What was remembered belongs to a window of another size than Qt restored.
        links, right = window.docks.dock("links"), window.docks.dock("xrdf")
        wait_until(
            lambda: (
                abs(links.width() - 560 * 1366 / 1900) < 4
                and abs(right.width() - 480 * 1366 / 1900) < 4
            )
        )
        view = window.central.size()
        assert view.width() >= (1900 - 560 - 480) / 1900 * window.width() - 20
        assert window.docks.bottom.is_folded
