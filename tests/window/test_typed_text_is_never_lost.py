"""Typed text in the real window: saved or refused with its place, asked about, undone by one undo,
never dropped."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from editor_app.core.document.commands.lists import InsertItem
from editor_app.core.document.commands.urdf_texts import EmbeddedPlace, Home
from editor_app.core.document.journal import journal_folder
from editor_app.core.document.selection import Selection
from editor_app.window.bindings.number_field import NumberField
from editor_app.window.bindings.rows_view import RowsView
from editor_app.window.main_window import MainWindow
from editor_app.window.source.source_view import SourcePanel
from editor_app.window.urdf.texts import TextsPanel
from editor_app.window.xrdf.section_stack import SectionStack
from tests.helpers.documents import CLEAN, URDF
from tests.helpers.windows import answer, focus, open_in, settle, wait_until

CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
BENT = CLEAN.replace("elbow: 0.5", "elbow: 0.55")


@pytest.fixture
def source(window: MainWindow) -> SourcePanel:
    panel = cast(SourcePanel, window.docks.show("source"))
    wait_until(lambda: panel.editor.toPlainText() == CLEAN)
    focus(panel.editor)
    return panel


def type_at(panel: SourcePanel, end_of: str, text: str) -> None:
    shown = panel.editor.toPlainText()
    line = shown[: shown.index(end_of)].count("\n") + 1
    panel.editor.go_to(line)
    QTest.keyClick(panel.editor, Qt.Key.Key_End)
    QTest.keyClicks(panel.editor, text)


def keys(window: MainWindow, key: Qt.Key, modifiers: Qt.KeyboardModifier = CTRL) -> None:
    """To the widget that has the focus, as from the keyboard: shortcuts of the window included."""
    QTest.qWait(1)  # What an action may do is asked when the loop is idle.
    QTest.keyClick(cast(Any, QApplication.focusWidget() or window), key, modifiers)


def on_disk(window: MainWindow) -> str:
    path = window.session.document.xrdf_path
    assert path is not None
    return path.read_text()


def test_ctrl_s_while_typing_saves_what_is_on_the_screen(
    window: MainWindow, source: SourcePanel
) -> None:
    type_at(source, "  elbow: 0.5", "5")
    assert window.isWindowModified()
    keys(window, Qt.Key.Key_S)
    assert on_disk(window) == BENT
    assert not window.isWindowModified()
    assert source.editor.toPlainText() == BENT
    assert source.editor.hasFocus()


def test_ctrl_s_refuses_what_makes_no_sense_with_the_cursor_at_the_fault(
    window: MainWindow, source: SourcePanel
) -> None:
    type_at(source, "tool_frames: [tool]", "")
    QTest.keyClick(source.editor, Qt.Key.Key_Backspace)
    broken = source.editor.toPlainText()
    window.docks.show("findings")
    keys(window, Qt.Key.Key_S)
    assert on_disk(window) == CLEAN
    assert window.isWindowModified()
    assert source.isVisible()
    assert source.editor.toPlainText() == broken
    fault_line = source.editor.textCursor().blockNumber() + 1
    assert f"line {fault_line}" in window.central.toast.text
    assert "Nothing was saved" in window.central.toast.text
    assert source.editor.margin.marks.get(fault_line) is not None


def test_closing_asks_about_typed_text(window: MainWindow, source: SourcePanel) -> None:
    type_at(source, "  elbow: 0.5", "5")
    seen: list[str] = []
    answer("cancel", seen)
    keys(window, Qt.Key.Key_W)
    assert len(seen) == 1
    assert source.editor.toPlainText() == BENT
    answer("cancel", seen)
    assert not window.close()
    answer("cancel", seen)
    window.reload()
    answer("save", seen)
    path = window.session.document.xrdf_path
    # Questions took the focus; a window that is not active has no shortcuts.
    focus(source.editor)
    keys(window, Qt.Key.Key_W)
    assert not window.session.has_robot
    assert path is not None
    assert path.read_text() == BENT
    assert len(seen) == 4


def test_one_undo_for_text_and_window_wherever_the_cursor_stands(
    window: MainWindow, source: SourcePanel
) -> None:
    type_at(source, "  elbow: 0.5", "5")
    keys(window, Qt.Key.Key_Return)
    document = window.session.document
    assert document.xrdf_text == BENT
    type_at(source, "  grip: 0.2", "1")
    assert "grip: 0.21" in source.editor.toPlainText()
    keys(window, Qt.Key.Key_Z)
    assert source.editor.toPlainText() == BENT
    keys(window, Qt.Key.Key_Z)
    assert source.editor.toPlainText() == CLEAN
    assert document.xrdf_text == CLEAN
    assert not window.isWindowModified()
    keys(window, Qt.Key.Key_Y)
    assert document.xrdf_text == BENT
    keys(window, Qt.Key.Key_Z, CTRL | SHIFT)
    assert "grip: 0.21" in source.editor.toPlainText()
    window.registry.trigger("edit.undo")
    assert source.editor.toPlainText() == BENT


def test_leaving_with_a_fault_says_so_and_keeps_the_text(
    window: MainWindow, source: SourcePanel
) -> None:
    type_at(source, "tool_frames: [tool]", "")
    QTest.keyClick(source.editor, Qt.Key.Key_Backspace)
    broken = source.editor.toPlainText()
    focus(source.difference_button)
    assert "text is kept" in window.central.toast.text
    assert source.editor.toPlainText() == broken
    assert window.isWindowModified()
    assert not window.session.execute(InsertItem("xrdf.tool_frames", "hand")), (
        "it would be undone when the text is mended"
    )


def test_what_is_told_of_a_fault_goes_with_it(window: MainWindow, source: SourcePanel) -> None:
    toast = window.central.toast
    for mend in (lambda: QTest.keyClicks(source.editor, "]"), lambda: keys(window, Qt.Key.Key_Z)):
        type_at(source, "tool_frames: [tool]", "")
        QTest.keyClick(source.editor, Qt.Key.Key_Backspace)
        focus(source.difference_button)
        assert "text is kept" in toast.text
        # It does not go by itself now.
        toast._timer.stop()
        focus(source.editor)
        assert toast.isVisible()
        mend()
        wait_until(lambda: not toast.isVisible(), 60)


def test_typed_text_is_in_the_journal(
    window: MainWindow, source: SourcePanel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    type_at(source, "tool_frames: [tool]", "]")
    wait_until(lambda: "tool_frames: [tool]]" in _journals(journal_folder()))


def _journals(folder: Path) -> str:
    return "".join(path.read_text().replace("\\n", "\n") for path in folder.glob("*.json"))


def test_a_number_that_is_being_typed_is_saved_by_ctrl_s(window: MainWindow) -> None:
    field = number_field(window, "xrdf", "default_joint_positions", "elbow")
    focus(field)
    field.selectAll()
    QTest.keyClicks(field, "0.75 rad")
    wait_until(window.isWindowModified)
    keys(window, Qt.Key.Key_S)
    assert "elbow: 0.75" in on_disk(window)
    wait_until(lambda: not window.isWindowModified())


def test_a_number_that_is_none_is_refused_by_ctrl_s(window: MainWindow) -> None:
    field = number_field(window, "xrdf", "default_joint_positions", "elbow")
    focus(field)
    field.selectAll()
    QTest.keyClicks(field, "0.75 parsec")
    keys(window, Qt.Key.Key_S)
    assert on_disk(window) == CLEAN
    assert window.central.toast.text.startswith("Not saved.")
    assert field.text() == "0.75 parsec"
    assert window.isWindowModified()
    seen: list[str] = []
    answer("cancel", seen)
    assert not window.files.close_document()
    assert len(seen) == 1


def number_field(window: MainWindow, dock: str, section: str, name: str) -> NumberField:
    stack = cast(SectionStack, window.docks.show(dock))
    panel = stack.reveal(section)
    assert panel is not None
    settle(window)
    view = next(iter(panel.findChildren(RowsView)))
    row = next(
        i for i in range(view.model().rowCount()) if name in str(view.model().index(i, 0).data())
    )
    column = next(
        c
        for c in range(view.model().columnCount())
        if view.model().index(row, c).flags() & Qt.ItemFlag.ItemIsEditable
    )
    view.setCurrentIndex(view.model().index(row, column))
    view.edit(view.model().index(row, column))
    wait_until(lambda: view.findChildren(NumberField))
    return view.findChildren(NumberField)[0]


def test_a_name_that_is_being_typed_is_saved_by_ctrl_s(window: MainWindow, tmp_path: Path) -> None:
    window.session.select(Selection(links=("upper",)))
    stack = cast(SectionStack, window.docks.show("urdf"))
    panel = cast(Any, stack.reveal("urdf.link"))
    focus(panel.fields["name"])
    panel.fields["name"].selectAll()
    QTest.keyClicks(panel.fields["name"], "upper_arm")
    keys(window, Qt.Key.Key_S)
    assert '<link name="upper_arm"/>' in (tmp_path / "arm.urdf").read_text()
    assert "ignore:\n    base: [upper_arm]" in on_disk(window)


def test_an_element_that_is_being_typed_is_kept_asked_about_and_saved(
    window: MainWindow, tmp_path: Path
) -> None:
    element = '<gazebo reference="upper"><mu1>0.5</mu1></gazebo>'
    (tmp_path / "arm.urdf").write_text(URDF.replace("</robot>", f"  {element}\n</robot>"))
    open_in(window, tmp_path / "arm.urdf")
    window.session.select(Selection(links=("upper",)))
    stack = cast(SectionStack, window.docks.show("urdf"))
    panel = cast(TextsPanel, stack.reveal("urdf.texts"))
    settle(window)
    focus(panel.text)
    wait_until(lambda: panel.text.toPlainText() == element)
    panel.text.moveCursor(panel.text.textCursor().MoveOperation.End)
    QTest.keyClicks(panel.text, "<!--")
    assert window.isWindowModified()
    window.session.select(Selection(links=("lower",)))
    window.session.select(Selection(links=("upper",)))
    assert panel.text.toPlainText() == f"{element}<!--", "another selection takes nothing away"
    window.session.select(Selection(links=("lower",)))
    keys(window, Qt.Key.Key_S)
    assert panel.text.toPlainText() == f"{element}<!--", "the place that cannot be saved is shown"
    assert "Nothing was saved" in window.central.toast.text
    document = window.session.document
    keys(window, Qt.Key.Key_Z)
    assert panel.text.toPlainText() == element
    document.type_text(EmbeddedPlace(Home.ROBOT, 0), element.replace("0.5", "0.7"))
    assert panel.text.toPlainText() == element.replace("0.5", "0.7")
    keys(window, Qt.Key.Key_S)
    assert "<mu1>0.7</mu1>" in (tmp_path / "arm.urdf").read_text()
    assert not window.isWindowModified()
