"""Boxes to choose in: what is clicked is what the program takes; no enumeration comes back as a
text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QWidget

import editor_app.window
from editor_app.core.document.state import FileKind
from editor_app.plugins.consumers.window.robot_dialogs import RepairDialog
from editor_app.window.bindings.choice_box import ChoiceBox
from editor_app.window.main_window import MainWindow
from editor_app.window.preferences.dialog import PreferencesDialog
from editor_app.window.source.source_view import SourcePanel
from tests.helpers.documents import CLEAN, URDF
from tests.helpers.windows import focus, open_in, open_window, reopen, settle, wait_until

SRDF = '<robot name="arm"><group name="all"><joint name="elbow"/></group></robot>\n'


class Colour(StrEnum):
    RED = "red"


@pytest.fixture(autouse=True)
def no_pause_between_clicks(qapp: Any) -> Iterator[None]:
    """Qt takes a release that comes within this time for the end of the press that opened a
    list."""
    before = QApplication.doubleClickInterval()
    QApplication.setDoubleClickInterval(0)
    yield
    QApplication.setDoubleClickInterval(before)


def pick(box: QComboBox, index: int) -> None:
    """As the mouse does: opens the list and clicks the entry."""
    QTest.mouseClick(box, Qt.MouseButton.LeftButton, pos=QPoint(box.width() - 6, box.height() // 2))
    view = box.view()
    wait_until(view.isVisible)
    QTest.qWait(1)  # The pause ends.
    entry = view.model().index(index, 0)
    view.scrollTo(entry)
    seen = view.visualRect(entry) & view.viewport().rect()
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=seen.center())
    wait_until(lambda: not view.isVisible())


def test_a_value_comes_back_as_it_was_given(qtbot: Any) -> None:
    box = ChoiceBox()
    qtbot.addWidget(box)
    values: tuple[Any, ...] = (
        Colour.RED,
        None,
        "plain",
        ("a", 1),
        {Colour.RED: Colour.RED},
        [Colour.RED],
        (),
    )
    for value in values:
        box.addItem(repr(value), value)
    box.addItem("without a value")
    box.show()
    qtbot.waitExposed(box)
    for index, value in enumerate(values):
        assert (box.itemData(index), type(box.itemData(index))) == (value, type(value))
        assert box.findData(value) == index
        pick(box, index)
        assert (box.currentData(), type(box.currentData())) == (value, type(value))
    assert next(iter(box.itemData(4))) is box.itemData(5)[0] is Colour.RED
    assert box.itemData(len(values)) is box.itemData(99) is None
    assert box.findData("another") == -1


def test_there_is_no_box_that_makes_texts_of_enumerations() -> None:
    folder = Path(editor_app.__file__).parent
    bare = re.compile(r"(?<!def )\bQComboBox\(|\(QComboBox\)")
    users = {path.name for path in folder.rglob("*.py") if bare.search(path.read_text())}
    assert users == {"choice_box.py"}, "ChoiceBox keeps values as they are; NameBox has names alone"


def shows(panel: SourcePanel, text: str) -> bool:
    return panel.editor.toPlainText() == text


@pytest.mark.parametrize("kind", [FileKind.XRDF, FileKind.SRDF, FileKind.URDF])
def test_the_file_box_of_the_source_shows_a_file_to_type_in_and_to_save(
    window: MainWindow, tmp_path: Path, kind: FileKind
) -> None:
    (tmp_path / "arm.srdf").write_text(SRDF)
    window.session.open(None)
    open_in(window, tmp_path / "arm.urdf")
    panel = cast(SourcePanel, window.docks.show("source"))
    texts = {FileKind.XRDF: CLEAN, FileKind.SRDF: SRDF, FileKind.URDF: URDF}
    typed = {
        FileKind.XRDF: "# typed\n",
        FileKind.SRDF: "<!-- typed -->\n",
        FileKind.URDF: "<!-- typed -->\n",
    }
    for other in (*texts, kind):
        pick(panel.file_box, panel.file_box.findData(other))
        wait_until(partial(shows, panel, texts[other]))
    assert not window.isWindowModified(), "nothing was typed"
    focus(panel.editor)
    panel.editor.moveCursor(panel.editor.textCursor().MoveOperation.End)
    QTest.keyClicks(panel.editor, typed[kind].rstrip())
    QTest.keyClick(panel.editor, Qt.Key.Key_Return)
    QTest.keyClick(panel.editor, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert not panel.is_edited
    QTest.qWait(1)  # What an action may do is asked when the loop is idle.
    QTest.keyClick(panel.editor, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    assert window.crash.dialog is None
    texts[kind] += typed[kind]
    for each, text in texts.items():
        assert (tmp_path / f"arm.{each}").read_text() == text


def boxes_of(parent: QWidget) -> list[ChoiceBox]:
    return [box for box in parent.findChildren(ChoiceBox) if box.isVisible() and box.isEnabled()]


def click_every_entry_of(parent: QWidget, window: MainWindow) -> int:
    for box in boxes_of(parent):
        first = box.currentIndex()
        for index in (*range(box.count()), first):
            if box.isVisible() and box.isEnabled() and 0 <= index < box.count():
                pick(box, index)
                settle(window)
                assert window.crash.dialog is None, box.accessibleName()
    return len(boxes_of(parent))


def test_every_entry_of_every_box_of_the_window_can_be_clicked(tmp_path: Path) -> None:
    with open_window(tmp_path) as window:
        reopen(window, tmp_path)
        assert click_every_entry_of(window.status, window), "the target program"
        for name in ("source", "findings", "self-collision"):
            panel = window.docks.show(name)
            QTest.qWait(1)  # It is laid out.
            assert click_every_entry_of(panel, window), name


def test_every_entry_of_every_box_of_the_dialogs_can_be_clicked(window: MainWindow) -> None:
    window.show_preferences()
    preferences = window.findChild(PreferencesDialog)
    assert preferences is not None
    assert click_every_entry_of(preferences, window) == 8
    preferences.reject()
    repair = RepairDialog(window.session, window.jobs, window)
    repair.show()
    assert click_every_entry_of(repair, window)
    repair.reject()
    repair.deleteLater()
