"""Find and replace in Source: keys, matches counted and marked, one step to undo, patterns and
whole words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from editor_app.core.document.state import FileKind
from editor_app.window.source.source_view import SourcePanel
from tests.helpers.documents import CLEAN
from tests.helpers.panels import panel_to_type_in

CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def panel(qtbot: Any, tmp_path: Path) -> Iterator[SourcePanel]:
    with panel_to_type_in(qtbot, tmp_path) as panel:
        yield panel


def document(panel: SourcePanel) -> Any:
    return panel._session.document


def selected(panel: SourcePanel) -> tuple[str, int]:
    cursor = panel.editor.textCursor()
    return cursor.selectedText(), cursor.blockNumber() + 1


def test_ctrl_f_finds_while_it_is_typed_and_steps_around_the_end(panel: SourcePanel) -> None:
    bar = panel.find_bar
    QTest.keyClick(panel.editor, Qt.Key.Key_F, CTRL)
    assert bar.isVisible()
    assert bar.wanted.hasFocus()
    assert not bar.replacement.isVisible()
    QTest.keyClicks(bar.wanted, "RADIUS: 0.1")
    lines = [i for i, line in enumerate(CLEAN.splitlines(), 1) if "radius: 0.1" in line]
    assert selected(panel) == ("radius: 0.1", lines[0])
    assert bar.count.text() == "1 of 3"
    QTest.keyClick(bar.wanted, Qt.Key.Key_Return)
    QTest.keyClick(bar.wanted, Qt.Key.Key_Return)
    assert selected(panel) == ("radius: 0.1", lines[2])
    assert len(bar.selections) == 3, "the three are in sight now"
    QTest.keyClick(bar.wanted, Qt.Key.Key_Return)
    assert selected(panel) == ("radius: 0.1", lines[0])
    QTest.keyClick(bar.wanted, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert selected(panel) == ("radius: 0.1", lines[2])
    bar.case.setChecked(True)
    assert bar.count.text() == "none"
    QTest.keyClick(bar.wanted, Qt.Key.Key_Escape)
    assert not bar.isVisible()
    assert panel.editor.hasFocus()
    assert bar.selections == []


def test_replacing_all_is_one_step(panel: SourcePanel) -> None:
    bar = panel.find_bar
    QTest.keyClick(panel.editor, Qt.Key.Key_H, CTRL)
    bar.wanted.setText("radius: 0.1")
    bar.replacement.setText("radius: 0.125")
    bar.all.click()
    assert panel.editor.toPlainText() == CLEAN.replace("radius: 0.1", "radius: 0.125")
    assert bar.count.text() == "3 replaced"
    assert document(panel).position == 1
    document(panel).undo()
    assert panel.editor.toPlainText() == CLEAN
    assert bar.count.text() == "– of 3", "what was replaced is there again"
    document(panel).redo()
    assert bar.count.text() == "– of 3", "radius: 0.125 begins with what is looked for"
    bar.wanted.setText("radius: 0.125")
    assert bar.count.text() == "1 of 3"
    document(panel).undo()
    assert bar.count.text() == "none"


def test_replacing_one_goes_on_to_the_next(panel: SourcePanel) -> None:
    bar = panel.find_bar
    QTest.keyClick(panel.editor, Qt.Key.Key_H, CTRL)
    bar.wanted.setText("lower")
    bar.replacement.setText("fore")
    before = selected(panel)
    QTest.keyClick(bar.replacement, Qt.Key.Key_Return)
    assert panel.editor.toPlainText() == CLEAN.replace("lower", "fore", 1)
    assert selected(panel)[0] == "lower"
    assert selected(panel)[1] > before[1]


def test_whole_words_and_patterns_with_groups(panel: SourcePanel) -> None:
    bar = panel.find_bar
    QTest.keyClick(panel.editor, Qt.Key.Key_H, CTRL)
    bar.words.setChecked(True)
    bar.wanted.setText("tool")
    assert bar.count.text() == "1 of 2"
    bar.words.setChecked(False)
    bar.pattern.setChecked(True)
    bar.wanted.setText("(shoulder|elbow): ")
    bar.replacement.setText(r"\1:  ")
    bar.all.click()
    assert "shoulder:  0.0\n  elbow:  0.5\n" in panel.editor.toPlainText()
    bar.wanted.setText("(")
    assert bar.count.text().startswith("✕")
    bar.wanted.setText("x*")
    bar.all.click()
    assert "shoulder:  0.0" in panel.editor.toPlainText(), "nothing is nowhere replaced"


def test_places_are_right_behind_characters_beyond_the_first_plane(panel: SourcePanel) -> None:
    document(panel).replace_texts({FileKind.XRDF: "# \U0001f916 robot\n" + CLEAN}, "Edit text")
    panel.refresh()
    QTest.keyClick(panel.editor, Qt.Key.Key_F, CTRL)
    panel.find_bar.wanted.setText("tool_frames")
    assert selected(panel)[0] == "tool_frames"
