"""Typing in Source: Return keeps the indentation, a key opens a level, Tab writes blanks and moves
the chosen lines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest

from editor_app.window.source.source_view import SourcePanel
from tests.helpers.panels import panel_to_type_in

SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def panel(qtbot: Any, tmp_path: Path) -> Iterator[SourcePanel]:
    with panel_to_type_in(qtbot, tmp_path) as panel:
        yield panel


def put(panel: SourcePanel, line: str, *, lines: int = 0) -> None:
    """The cursor to the end of the first line that begins so; with `lines`, that many are selected
    from its start."""
    number = next(
        i for i, text in enumerate(panel.editor.toPlainText().splitlines()) if text.startswith(line)
    )
    cursor = QTextCursor(panel.editor.document().findBlockByNumber(number))
    if lines:
        last = panel.editor.document().findBlockByNumber(number + lines - 1)
        cursor.setPosition(last.position() + last.length() - 1, QTextCursor.MoveMode.KeepAnchor)
    else:
        cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock)
    panel.editor.setTextCursor(cursor)


@pytest.mark.parametrize(
    ("line", "indent"),
    [("  elbow: 0.5", 2), ("cspace:", 2), ("default_joint_positions:", 2), ("format:", 0)],
)
@pytest.mark.parametrize("modifier", [Qt.KeyboardModifier.NoModifier, SHIFT])
def test_return_goes_on_in_the_same_level(
    panel: SourcePanel, line: str, indent: int, modifier: Qt.KeyboardModifier
) -> None:
    put(panel, line)
    QTest.keyClick(panel.editor, Qt.Key.Key_Return, modifier)
    cursor = panel.editor.textCursor()
    assert cursor.block().text() == " " * indent
    assert cursor.positionInBlock() == indent
    assert panel.is_edited


def test_tab_writes_blanks_and_moves_lines(panel: SourcePanel) -> None:
    put(panel, "  elbow: 0.5")
    QTest.keyClick(panel.editor, Qt.Key.Key_Return)
    QTest.keyClick(panel.editor, Qt.Key.Key_Tab)
    assert panel.editor.textCursor().block().text() == "    "
    QTest.keyClick(panel.editor, Qt.Key.Key_Backtab, SHIFT)
    QTest.keyClick(panel.editor, Qt.Key.Key_Backtab, SHIFT)
    QTest.keyClick(panel.editor, Qt.Key.Key_Backtab, SHIFT)
    assert panel.editor.textCursor().block().text() == ""
    put(panel, "cspace:", lines=2)
    before = panel.editor.toPlainText()
    chosen = panel.editor.textCursor().selectedText().split("\u2029")
    QTest.keyClick(panel.editor, Qt.Key.Key_Tab)
    moved = panel.editor.toPlainText()
    assert "\n".join(f"  {line}" for line in chosen) in moved
    assert "\t" not in moved
    QTest.keyClick(panel.editor, Qt.Key.Key_Backtab, SHIFT)
    assert panel.editor.toPlainText() == before


def test_a_colon_in_a_comment_or_a_value_opens_nothing(panel: SourcePanel) -> None:
    for text, indent in (("# note:", 0), ("- 'a: b'", 0), ("'key':", 2), ("a: # so:", 2)):
        panel.editor.setPlainText(text)
        panel.editor.moveCursor(QTextCursor.MoveOperation.End)
        QTest.keyClick(panel.editor, Qt.Key.Key_Return)
        assert panel.editor.toPlainText() == f"{text}\n{' ' * indent}"
