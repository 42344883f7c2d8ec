"""The source panel: follows the selection both ways, takes valid text as one step, marks invalid
text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from editor_app.core.document.commands.lists import InsertItem
from editor_app.core.document.saving import save_document
from editor_app.core.document.selection import Selection
from editor_app.core.model.findings import SphereRef
from editor_app.window.source.selection_link import with_breaks_of
from editor_app.window.source.source_editor import SourceEditor, as_shown
from editor_app.window.source.source_view import SourcePanel
from tests.helpers.documents import CLEAN, make_document
from tests.helpers.panels import source_panel


@pytest.fixture
def panel(qtbot: Any, tmp_path: Path) -> Iterator[SourcePanel]:
    with source_panel() as panel:
        qtbot.addWidget(panel)
        panel.resize(700, 500)
        panel._session.open(make_document(tmp_path))
        panel.show()
        qtbot.waitExposed(panel)
        panel.refresh()
        yield panel


def document(panel: SourcePanel) -> Any:
    return panel._session.document


def shown_lines(panel: SourcePanel) -> list[str]:
    return [s.cursor.selectedText().replace("\u2029", "\n") for s in panel.editor.extraSelections()]


def put_cursor(panel: SourcePanel, text: str) -> None:
    offset = panel.editor.toPlainText().index(text)
    line = panel.editor.toPlainText()[:offset].count("\n") + 1
    panel.activateWindow()
    QTest.qWaitForWindowActive(panel)
    panel.editor.setFocus()
    panel.editor.go_to(line, 8)


def test_it_shows_what_saving_would_write_and_follows_edits(panel: SourcePanel, qtbot: Any) -> None:
    assert panel.editor.toPlainText() == CLEAN
    document(panel).execute(InsertItem("xrdf.tool_frames", "hand"))
    qtbot.waitUntil(lambda: "tool_frames: [tool, hand]" in panel.editor.toPlainText())
    document(panel).undo()
    qtbot.waitUntil(lambda: panel.editor.toPlainText() == CLEAN)


def test_a_selected_sphere_shows_its_lines_and_the_cursor_in_a_sphere_selects_it(
    panel: SourcePanel, qtbot: Any
) -> None:
    document(panel).select(Selection(spheres=(SphereRef("spheres", "upper", 0),)))
    assert shown_lines(panel) == ["center: [0.0, 0.0, 0.0]\n          radius: 0.1"]
    put_cursor(panel, "      lower:\n        - center")
    assert document(panel).selection.links == ("lower",)
    put_cursor(panel, "  grip: 0.2")
    qtbot.waitUntil(lambda: document(panel).selection.joints == ("grip",))


def test_typed_text_becomes_one_step_by_ctrl_return(panel: SourcePanel) -> None:
    put_cursor(panel, "  elbow: 0.5")
    QTest.keyClick(panel.editor, Qt.Key.Key_End)
    QTest.keyClicks(panel.editor, "5  # bent")
    assert panel.is_edited
    assert document(panel).xrdf_text == CLEAN, "it is not read yet"
    assert document(panel).is_modified
    QTest.keyClick(panel.editor, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert document(panel).robot.xrdf.default_joint_positions["elbow"] == 0.55
    assert document(panel).position == 1
    assert "elbow: 0.55  # bent\n" in document(panel).xrdf_text
    assert not panel.is_edited
    document(panel).undo()
    assert document(panel).xrdf_text == CLEAN


def test_invalid_text_is_marked_at_its_line_and_changes_nothing(panel: SourcePanel) -> None:
    put_cursor(panel, "tool_frames: [tool]")
    QTest.keyClick(panel.editor, Qt.Key.Key_End)
    QTest.keyClick(panel.editor, Qt.Key.Key_Backspace)
    assert not panel.apply()
    assert panel.status.text().startswith("✕ Line")
    assert document(panel).xrdf_text == CLEAN
    assert panel.is_edited
    panel.discard_button.click()
    assert panel.editor.toPlainText() == CLEAN
    assert not panel.is_edited
    document(panel).undo()
    assert panel.is_edited, "even discarded text comes back"


def test_esc_throws_nothing_away(panel: SourcePanel) -> None:
    put_cursor(panel, "  elbow: 0.5")
    QTest.keyClick(panel.editor, Qt.Key.Key_End)
    QTest.keyClicks(panel.editor, "5")
    QTest.keyClick(panel.editor, Qt.Key.Key_Escape)
    assert "elbow: 0.55" in panel.editor.toPlainText()
    assert panel.is_edited


def test_undo_shows_the_text_before_it_at_once_with_the_cursor_there(panel: SourcePanel) -> None:
    put_cursor(panel, "  elbow: 0.5")
    QTest.keyClick(panel.editor, Qt.Key.Key_End)
    QTest.keyClicks(panel.editor, "5")
    document(panel).seal()
    QTest.keyClick(panel.editor, Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
    document(panel).undo()
    assert panel.editor.toPlainText() == CLEAN
    assert panel.editor.textCursor().block().text() == "  elbow: 0.5"
    assert not panel.apply_button.isVisible()
    document(panel).redo()
    assert "elbow: 0.55" in panel.editor.toPlainText()
    assert panel.apply_button.isVisible()


def test_text_that_reads_but_is_wrong_is_not_called_valid(panel: SourcePanel, qtbot: Any) -> None:
    put_cursor(panel, "  elbow: 0.5")
    QTest.keyClick(panel.editor, Qt.Key.Key_End)
    QTest.keyClicks(panel.editor, "zzz")
    line = panel.editor.textCursor().blockNumber() + 1
    qtbot.waitUntil(lambda: panel.status.text().startswith(f"✕ Line {line}"))
    assert panel.editor.margin.marks.get(line) is not None


def test_the_difference_to_disk_lists_only_the_edit(panel: SourcePanel) -> None:
    panel.difference_button.click()
    assert "No difference" in panel.status.text()
    document(panel).execute(InsertItem("xrdf.tool_frames", "hand"))
    panel.refresh()
    lines = [x for x in panel.difference.toPlainText().splitlines() if " - " in x or " + " in x]
    assert [x.split(maxsplit=2)[-1] for x in lines] == [
        "tool_frames: [tool]",
        "tool_frames: [tool, hand]",
    ]
    assert panel.status.text() == "arm.xrdf: lines added 1, deleted 1"
    save_document(document(panel))
    panel.refresh()
    assert "No difference" in panel.status.text()


def test_line_breaks_of_untouched_lines_stay(tmp_path: Path) -> None:
    original = "a: 1\r\nb: 2\nc: 3\r\n"
    assert with_breaks_of("a: 1\nb: 2\nc: 3\n", original) == original
    assert with_breaks_of("a: 1\nb: 22\nc: 3\n", original) == "a: 1\r\nb: 22\nc: 3\r\n", (
        "an edit within a line"
    )
    assert with_breaks_of("a: 1\nb: 2\nc: 3\nd: 4", original) == "a: 1\r\nb: 2\nc: 3\r\nd: 4"
    assert with_breaks_of("b: 2\nc: 3\n", original) == "b: 2\nc: 3\r\n"


def test_characters_that_the_editor_has_no_sign_for_stay_in_untouched_places(qtbot: Any) -> None:
    original = "a: 1  # of\u00a0the arm\u2028b: 2\r\nc: 3\rd: 4\n"
    editor = SourceEditor()
    qtbot.addWidget(editor)
    editor.set_text(original)
    shown = editor.toPlainText()
    assert shown == as_shown(original) == "a: 1  # of the arm\nb: 2\nc: 3\nd: 4\n"
    assert with_breaks_of(shown, original) == original
    assert with_breaks_of(shown.replace("d: 4", "d: 5"), original) == original.replace(
        "d: 4", "d: 5"
    )
    assert with_breaks_of(shown.replace("1  # of", "0  # of"), original) == original.replace(
        "1  # of", "0  # of"
    )


def test_apply_and_discard_stay_in_sight_beside_a_long_fault(
    panel: SourcePanel, qtbot: Any
) -> None:
    put_cursor(panel, "tool_frames: [tool]")
    QTest.keyClick(panel.editor, Qt.Key.Key_End)
    QTest.keyClick(panel.editor, Qt.Key.Key_Backspace)
    QTest.keyClick(panel.editor, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert panel.status.whole_text.startswith("✕ Line ")
    panel.resize(500, 400)
    qtbot.waitUntil(lambda: panel.status.text().endswith("…"))
    assert panel.width() == 500
    for button in (panel.discard_button, panel.apply_button):
        assert panel.rect().contains(button.mapTo(panel, button.rect().bottomRight()))
    assert panel.status.whole_text in panel.status.toolTip()
