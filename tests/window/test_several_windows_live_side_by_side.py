"""Several windows: each has a robot, steps and a journal of its own; settings are shared, and
quitting asks in each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from editor_app.core.document.commands import RenameLink
from editor_app.core.document.commands.lists import InsertItem
from editor_app.core.document.journal import journal_folder
from editor_app.window.main_window import MainWindow
from editor_app.window.session import AngleUnit
from editor_app.window.viewport.navigation import MouseScheme
from tests.helpers.documents import make_document
from tests.helpers.windows import answer, open_in, open_window, settle, wait_until

LONG = 60.0
CTRL_SHIFT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def pair(
    qapp: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[MainWindow, MainWindow, tuple[Path, Path]]]:
    """Two windows with a robot each, the second made by its key."""
    monkeypatch.setattr(MainWindow, "load_viewport", lambda self: None)
    robots = (tmp_path / "one", tmp_path / "two")
    for folder in robots:
        folder.mkdir()
        make_document(folder)
    with open_window(tmp_path, robots[0] / "arm.urdf") as first:
        QTest.keyClick(first, Qt.Key.Key_N, CTRL_SHIFT)
        wait_until(lambda: len(first.windows) == 2, LONG)
        second = next(window for window in first.windows if window is not first)
        open_in(second, robots[1] / "arm.urdf")
        yield first, second, (robots[0] / "arm.urdf", robots[1] / "arm.urdf")
        for window in first.windows:
            if window is not first:
                window.session.open(None)
                window.close()
                window.deleteLater()


def journals() -> list[str]:
    """The URDFs of the journals on disk."""
    return sorted(json.loads(path.read_text())["urdf"] for path in journal_folder().glob("*.json"))


def test_each_has_robot_steps_journal_and_drawing_of_its_own(
    pair: tuple[MainWindow, MainWindow, tuple[Path, Path]],
) -> None:
    first, second, (one, two) = pair
    assert first.session is not second.session
    second.session.execute(InsertItem("xrdf.tool_frames", "hand"))
    assert not first.files.has_unsaved
    assert second.files.has_unsaved
    first.session.execute(InsertItem("xrdf.tool_frames", "upper"))
    assert second.session.robot.xrdf.tool_frames == ("tool", "hand")
    for window in (first, second):
        window.journaling.keep()
    assert journals() == [str(one), str(two)]
    first.session.undo()
    assert second.session.robot.xrdf.tool_frames == ("tool", "hand")
    second.session.undo()
    # The second is seen as a whole.
    screen = first.screen().availableGeometry()
    first.resize(screen.size() - QSize(20, 20))
    first.move(screen.topLeft() + QPoint(10, 10))
    wait_until(lambda: first.pos() == screen.topLeft() + QPoint(10, 10), LONG)
    first.windows.present(second, first)
    wait_until(lambda: screen.contains(second.geometry()), LONG)
    # Units and habits are shared, and what is drawn is not.
    store = first.settings.store
    first.session.set_display(angle_unit=AngleUnit.RADIAN, grid=False)
    assert second.session.display.angle_unit is AngleUnit.RADIAN
    assert second.session.display.grid
    second.session.set_display(mouse=MouseScheme.RVIZ, frames=True)
    assert first.session.display.mouse is MouseScheme.RVIZ
    assert not first.session.display.frames
    # What the one chose is not written over by the other.
    assert store.value("display/grid") == "false"
    assert store.value("display/frames") == "true"
    assert store.value("units/angle") == "rad"
    first.settings.keymap.choose("robot.pose_zero", ("Alt+0",))
    assert second.registry["robot.pose_zero"].shortcut().toString() == "Alt+0"
    # A robot that is open in another window comes to the front there.
    assert not second.files.open(one)
    assert second.session.document.urdf_path == two
    wait_until(first.isActiveWindow, LONG)
    # Together with another XRDF it is something else.
    other = one.with_name("other.xrdf")
    other.write_text(one.with_suffix(".xrdf").read_text())
    open_in(second, one, other)
    settle(second)


def test_quitting_asks_in_each_window_and_stops_where_one_is_kept(
    pair: tuple[MainWindow, MainWindow, tuple[Path, Path]],
) -> None:
    first, second, _ = pair
    for window in (first, second):
        window.session.execute(InsertItem("xrdf.tool_frames", "hand"))
    answer("cancel")
    first.windows.quit()
    assert len(first.windows) == 2
    assert first.isVisible()
    first.session.undo()
    answer("cancel")
    first.windows.quit()
    # Nothing was unsaved in the first.
    assert list(second.windows) == [second]
    assert second.isVisible()
    second.session.undo()


def test_closing_one_window_leaves_the_other_at_work(
    pair: tuple[MainWindow, MainWindow, tuple[Path, Path]],
) -> None:
    first, second, _ = pair
    assert second.close()
    assert list(first.windows) == [first]
    first.session.execute(InsertItem("xrdf.tool_frames", "hand"))
    first.settings.keymap.choose("robot.pose_zero", ("Alt+9",))
    first.session.set_display(grid=False)
    first.session.undo()


def test_saving_a_file_that_two_windows_share_is_told_in_the_other(
    pair: tuple[MainWindow, MainWindow, tuple[Path, Path]],
) -> None:
    first, second, (one, _) = pair
    other = one.with_name("other.xrdf")
    other.write_text(one.with_suffix(".xrdf").read_text())
    open_in(second, one, other)
    settle(second)
    first.session.execute(RenameLink("hand", "palm"))
    assert first.files.save()
    wait_until(lambda: not first.files.has_unsaved, LONG)
    assert '"palm"' in one.read_text()
    told = second.central.notice
    wait_until(lambda: told.isVisible() and "arm.urdf was changed" in told._text.text(), LONG)
    assert not first.central.notice.isVisible()
    next(b for b in told.findChildren(QPushButton) if b.text() == "Reload").click()
    wait_until(
        lambda: second.session.has_robot and second.session.robot.urdf.link("palm") is not None,
        LONG,
    )
    settle(second)
