"""Source in the real window: completion, hover, remedies at the line, folds, definitions, and one
undo."""

from __future__ import annotations

from functools import partial
from typing import cast

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QHelpEvent, QTextCharFormat
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QToolTip, QWidget

from editor_app.core.document.state import FileKind
from editor_app.window.main_window import MainWindow
from editor_app.window.source.source_view import SourcePanel
from editor_app.window.theme import ThemeChoice, colours, theme
from tests.helpers.documents import CLEAN
from tests.helpers.windows import focus, settle, wait_until

CTRL, SHIFT, NONE = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.NoModifier,
)
LONG = 60.0


@pytest.fixture
def source(window: MainWindow) -> SourcePanel:
    panel = cast(SourcePanel, window.docks.show("source"))
    panel.show_text()
    wait_until(
        lambda: panel.editor.toPlainText() == CLEAN and panel.editor.folding.can_fold(4), LONG
    )
    focus(panel.editor)
    return panel


def put_cursor_behind(panel: SourcePanel, words: str) -> None:
    panel.editor.go_to_offset(panel.editor.toPlainText().index(words) + len(words))


def press(key: Qt.Key, modifiers: Qt.KeyboardModifier = NONE) -> None:
    """To the widget that has the focus, as from the keyboard: shortcuts of the window included."""
    QTest.qWait(1)
    QTest.keyClick(cast(QWidget, QApplication.focusWidget()), key, modifiers)


def offered(panel: SourcePanel) -> list[str]:
    popup = panel.helper.popup
    return [item.label for item in popup.items] if popup is not None and popup.isVisible() else []


def place_of(panel: SourcePanel, words: str) -> QPoint:
    put_cursor_behind(panel, words)
    return panel.editor.cursorRect().center()


def tooltip_has(words: str) -> bool:
    return words in QToolTip.text()


def line_of(panel: SourcePanel, words: str) -> int:
    return panel.editor.toPlainText()[: panel.editor.toPlainText().index(words)].count("\n") + 1


def test_names_are_offered_while_they_are_typed_and_one_undo_takes_each_back(
    window: MainWindow, source: SourcePanel
) -> None:
    put_cursor_behind(source, "tool_frames: [tool")
    QTest.keyClicks(source.editor, ", l")
    wait_until(lambda: offered(source), LONG)
    assert set(offered(source)[:2]) == {"left", "lower"}, "what begins so comes first"
    QTest.keyClicks(source.editor, "o")
    wait_until(lambda: offered(source) == ["lower"], LONG)
    press(Qt.Key.Key_Tab)
    assert "tool_frames: [tool, lower]" in source.editor.toPlainText()
    assert source.helper.popup is None
    assert source.editor.hasFocus()
    press(Qt.Key.Key_Z, CTRL)
    assert "tool_frames: [tool, lo]" in source.editor.toPlainText()
    press(Qt.Key.Key_Z, CTRL)
    assert source.editor.toPlainText() == CLEAN
    assert not window.isWindowModified()


def test_esc_closes_the_list_alone(window: MainWindow, source: SourcePanel) -> None:
    press(Qt.Key.Key_F, CTRL)
    assert source.find_bar.isVisible()
    focus(source.editor)
    put_cursor_behind(source, "cspace:\n")
    selection = window.session.selection
    QTest.keyClicks(source.editor, "  jo")
    press(Qt.Key.Key_Space, CTRL)
    wait_until(lambda: offered(source), LONG)
    typed = source.editor.toPlainText()
    press(Qt.Key.Key_Escape)
    assert source.helper.popup is None
    assert source.find_bar.isVisible()
    assert source.editor.toPlainText() == typed
    assert window.session.selection == selection


def test_sections_are_offered_by_key_with_what_they_mean(source: SourcePanel) -> None:
    start = CLEAN.index("  jerk_limits")
    source.editor.replace(start, CLEAN.index("tool_frames:"), "  \n")
    source.editor.go_to_offset(start + 2)
    press(Qt.Key.Key_Space, CTRL)
    wait_until(lambda: offered(source) == ["jerk_limits"], LONG)
    popup = source.helper.popup
    assert popup is not None
    assert popup.current is not None
    assert popup.current.detail.endswith("[rad/s³ or m/s³]")
    press(Qt.Key.Key_Escape)
    put_cursor_behind(source, "tool_frames: [")
    press(Qt.Key.Key_Space, CTRL)
    wait_until(lambda: len(offered(source)) > 1, LONG)
    popup = source.helper.popup
    assert popup is not None
    press(Qt.Key.Key_Down)
    assert popup.current == popup.items[1]
    press(Qt.Key.Key_Up)
    first = popup.current
    assert first == popup.items[0]
    press(Qt.Key.Key_Return)
    assert f"tool_frames: [{first.insert}]" in source.editor.toPlainText()


def test_the_mouse_on_a_key_says_what_it_means_and_its_unit(source: SourcePanel) -> None:
    for words, expected in (
        ("  jerk_lim", "[rad/s³ or m/s³]"),
        ("joint_names: [shou", "Joint shoulder: revolute"),
    ):
        QToolTip.hideText()
        place = place_of(source, words)
        corner = source.editor.viewport().mapToGlobal(place)
        QTest.mouseMove(source.editor.viewport(), place)
        QApplication.sendEvent(
            source.editor.viewport(), QHelpEvent(QHelpEvent.Type.ToolTip, place, corner)
        )
        wait_until(partial(tooltip_has, expected), LONG)


def test_underlines_have_the_colours_of_the_theme_that_was_changed_to(
    window: MainWindow, source: SourcePanel
) -> None:
    put_cursor_behind(source, "tool_frames: [tool")
    QTest.keyClicks(source.editor, "s")
    press(Qt.Key.Key_Escape)
    press(Qt.Key.Key_Return, CTRL)
    settle(window)
    wave = QTextCharFormat.UnderlineStyle.WaveUnderline

    def drawn() -> set[str]:
        shown = source.editor.extraSelections()
        return {
            s.format.underlineColor().name() for s in shown if s.format.underlineStyle() == wave
        }

    def of_theme() -> set[str]:
        return {
            QColor(getattr(colours(), mark.sign[1])).name()
            for mark in source.editor.margin.marks.values()
        }

    wait_until(drawn, LONG)
    before, seen = theme().choice, []
    try:
        for choice in (ThemeChoice.LIGHT, ThemeChoice.DARK):
            theme().choose(choice)
            wait_until(lambda: drawn() == of_theme(), LONG)
            seen.append(drawn())
    finally:
        theme().choose(before)
    assert seen[0] != seen[1]


def test_what_the_mouse_was_told_does_not_stand_over_what_is_typed(
    source: SourcePanel, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_cursor_behind(source, "  jerk_lim")
    hidden: list[bool] = []
    monkeypatch.setattr(QToolTip, "hideText", lambda: hidden.append(True))
    press(Qt.Key.Key_Right)
    assert hidden


def test_a_problem_is_underlined_and_told_by_mouse_and_key(
    window: MainWindow, source: SourcePanel
) -> None:
    put_cursor_behind(source, "tool_frames: [tool")
    QTest.keyClicks(source.editor, "s")
    press(Qt.Key.Key_Escape)
    press(Qt.Key.Key_Return, CTRL)
    settle(window)
    line = line_of(source, "tool_frames: [tools]")
    wave = QTextCharFormat.UnderlineStyle.WaveUnderline

    def underlined() -> list[str]:
        shown = [s for s in source.editor.extraSelections() if s.format.underlineStyle() == wave]
        return [s.cursor.selectedText() for s in shown if s.cursor.blockNumber() + 1 == line]

    wait_until(lambda: underlined() == ["tools"], LONG)
    mark = source.editor.margin.marks.get(line)
    assert mark is not None
    for point_at in (True, False):
        QToolTip.hideText()
        wait_until(lambda: not QToolTip.isVisible(), LONG)
        if point_at:
            place = place_of(source, "tool_frames: [too")
            corner = source.editor.viewport().mapToGlobal(place)
            QTest.mouseMove(source.editor.viewport(), place)
            QApplication.sendEvent(
                source.editor.viewport(), QHelpEvent(QHelpEvent.Type.ToolTip, place, corner)
            )
        else:
            put_cursor_behind(source, "tool_frames: [too")
            press(Qt.Key.Key_I, CTRL)
        wait_until(partial(tooltip_has, "is not a frame of the robot"), LONG)
    assert "is not a frame of the robot" in mark.message


def test_remedies_stand_at_the_line_and_are_the_panels(
    window: MainWindow, source: SourcePanel
) -> None:
    put_cursor_behind(source, "tool_frames: [tool")
    QTest.keyClicks(source.editor, "s")
    press(Qt.Key.Key_Escape)
    press(Qt.Key.Key_Return, CTRL)
    settle(window)
    line = line_of(source, "tool_frames: [tools]")
    wait_until(lambda: source.editor.margin.lamp == line, LONG)
    (finding,) = [
        f
        for f in window.session.findings
        if f.location is not None and f.location.line == line and f.fixes
    ]
    position = window.session.document.position
    press(Qt.Key.Key_Period, CTRL)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    assert [action.text() for action in menu.actions()] == [fix.label for fix in finding.fixes]
    press_in_menu = menu.actions()[0]
    menu.setActiveAction(press_in_menu)
    QTest.keyClick(menu, Qt.Key.Key_Return)
    wait_until(lambda: "tool_frames: [tool]" in source.editor.toPlainText(), LONG)
    document = window.session.document
    assert position is not None
    assert document.position == position + 1
    assert document.undo_label == finding.fixes[0].label
    settle(window)
    wait_until(lambda: source.editor.margin.lamp is None, LONG)


def test_sections_fold_and_what_is_looked_for_unfolds(source: SourcePanel) -> None:
    editor = source.editor
    first = line_of(source, "cspace:")
    put_cursor_behind(source, "  acceleration_")
    press(Qt.Key.Key_BracketLeft, CTRL | SHIFT)
    assert editor.folding.folded == (first,)
    assert editor.textCursor().blockNumber() + 1 == first
    hidden = [
        n
        for n in range(editor.blockCount())
        if not editor.document().findBlockByNumber(n).isVisible()
    ]
    assert hidden == [first, first + 1, first + 2]
    press(Qt.Key.Key_BracketRight, CTRL | SHIFT)
    assert not editor.folding.is_folded(first)
    # By the triangle in the margin.
    top = {line: top for line, top, _ in editor.lines_in_sight(editor.viewport().height())}
    QTest.mouseClick(
        editor.margin,
        Qt.MouseButton.LeftButton,
        NONE,
        QPoint(editor.margin.width() - 5, top[first] + 5),
    )
    assert editor.folding.folded == (first,)
    # A line that comes above moves the fold; what is found inside opens it.
    editor.go_to(1)
    QTest.keyClick(editor, Qt.Key.Key_Return)
    wait_until(lambda: editor.folding.folded == (first + 1,), LONG)
    source.find_bar.open_bar()
    source.find_bar.wanted.setText("jerk_limits")
    assert not editor.folding.is_folded(first + 1)
    assert editor.textCursor().selectedText() == "jerk_limits"


def test_a_frame_leads_to_its_link_and_a_group_to_its_definition(
    window: MainWindow, source: SourcePanel
) -> None:
    put_cursor_behind(source, "parent_frame_name: le")
    press(Qt.Key.Key_F12)
    wait_until(lambda: window.session.selection.links == ("left",), LONG)
    put_cursor_behind(source, "self_collision:\n  geometry: sph")
    press(Qt.Key.Key_F12)
    wait_until(
        lambda: (
            source.editor.textCursor().blockNumber() + 1
            == line_of(source, "  spheres:\n    spheres:")
        ),
        LONG,
    )
    place = place_of(source, "joint_names: [shou")
    QTest.mouseClick(source.editor.viewport(), Qt.MouseButton.LeftButton, CTRL, place)
    wait_until(lambda: window.session.selection.joints == ("shoulder",), LONG)


def test_the_urdf_has_completion_and_definitions_as_well(
    window: MainWindow, source: SourcePanel
) -> None:
    robot = window.session.robot
    source.show_file(FileKind.URDF)
    wait_until(lambda: "<robot" in source.editor.toPlainText(), LONG)
    put_cursor_behind(source, '<child link="')
    press(Qt.Key.Key_Space, CTRL)
    wait_until(lambda: offered(source), LONG)
    assert set(offered(source)) <= {link.name for link in robot.urdf.links}
    press(Qt.Key.Key_Escape)
    press(Qt.Key.Key_F12)
    wait_until(lambda: bool(window.session.selection.links), LONG)
    source.show_file(FileKind.XRDF)


def test_undo_is_one_wherever_the_cursor_stands(window: MainWindow, source: SourcePanel) -> None:
    document = window.session.document
    put_cursor_behind(source, "elbow: 0.5")
    QTest.keyClicks(source.editor, "5")
    press(Qt.Key.Key_F, CTRL)
    wait_until(source.find_bar.wanted.hasFocus, LONG)
    press(Qt.Key.Key_Z, CTRL)
    assert source.editor.toPlainText() == CLEAN
    press(Qt.Key.Key_Y, CTRL)
    assert "elbow: 0.55" in source.editor.toPlainText()
    source.find_bar.close_bar()
    press(Qt.Key.Key_Return, CTRL)
    focus(window.docks.show("joints"))
    press(Qt.Key.Key_Z, CTRL)
    assert document.xrdf_text == CLEAN
    assert not window.isWindowModified()
