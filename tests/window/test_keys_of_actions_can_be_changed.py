"""Keys are changed in the dialog: they work at once and after a restart, conflicts are told, reset
brings them back."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QTreeWidget

from editor_app.window.actions.keys_dialog import ShortcutsDialog, keys_page
from editor_app.window.main_window import MainWindow
from tests.helpers.windows import open_window, wait_until

CTRL, ALT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier


@pytest.fixture
def dialog(window: MainWindow) -> Any:
    window.registry.trigger("help.shortcuts")
    dialog = window.findChild(ShortcutsDialog, "shortcuts")
    assert dialog is not None
    QTest.qWaitForWindowActive(dialog)
    yield dialog
    for action in window.settings.keymap.chosen:
        window.settings.keymap.choose(action, None)
    close(window)


def close(window: MainWindow) -> None:
    dialog = window.findChild(ShortcutsDialog, "shortcuts")
    if dialog is not None:
        dialog.reject()
    wait_until(lambda: window.findChild(ShortcutsDialog, "shortcuts") is None)


def give(dialog: Any, action: str, key: Qt.Key, modifiers: Any) -> None:
    """Types new keys for an action and sets them, as a person does."""
    dialog.select(action)
    dialog.keys.setFocus()
    QTest.keyClick(dialog.keys, key, modifiers)
    dialog.set_button.click()


def keys_of(window: MainWindow, action: str) -> str:
    return ", ".join(
        k.toString(QKeySequence.SequenceFormat.PortableText)
        for k in window.registry[action].shortcuts()
    )


def test_the_field_asks_for_keys_whenever_it_is_empty(dialog: Any) -> None:
    line = dialog.keys.findChild(QLineEdit)
    dialog.select("robot.pose_zero")
    assert line.placeholderText() == "Press the new keys"
    give(dialog, "robot.pose_zero", Qt.Key.Key_0, ALT)
    assert (line.text(), line.placeholderText()) == ("", "Press the new keys")
    QTest.keyClick(dialog.keys, Qt.Key.Key_9, ALT)
    dialog.keys.clear()
    assert (line.text(), line.placeholderText()) == ("", "Press the new keys")


def test_new_keys_are_in_menus_tooltips_search_and_manual(window: MainWindow, dialog: Any) -> None:
    give(dialog, "robot.pose_zero", Qt.Key.Key_0, ALT)
    assert keys_of(window, "robot.pose_zero") == "Alt+0"
    assert "(Alt+0)" in window.registry["robot.pose_zero"].toolTip()
    window.palette_box.open()
    entry = next(e for e in window.palette_box._entries if e.text == "Zero")
    assert entry.keys == "Alt+0"
    window.palette_box.close_box()
    assert "| Alt+0 | Zero |" in keys_page(window.registry, window.session.display.mouse)
    close(window)
    window.session.set_joint("shoulder", 1.0)
    window.activateWindow()
    wait_until(window.isActiveWindow, 60.0)
    QTest.keyClick(window, Qt.Key.Key_0, ALT)
    assert window.session.pose["shoulder"] == 0.0


def test_a_conflict_is_told_before_keys_are_taken(window: MainWindow, dialog: Any) -> None:
    dialog.select("robot.pose_zero")
    dialog.keys.setFocus()
    QTest.keyClick(dialog.keys, Qt.Key.Key_K, CTRL)
    assert (
        dialog.told.text()
        == "“Find action, link or joint” (Edit) has Ctrl+K now. Set reassigns the keys."
    )
    assert keys_of(window, "edit.find") == "Ctrl+K, Ctrl+Shift+P"
    dialog.set_button.click()
    assert keys_of(window, "robot.pose_zero") == "Ctrl+K"
    # The second keys of the other action stay.
    assert keys_of(window, "edit.find") == "Ctrl+Shift+P"
    # Its first keys come back, and are taken from the one that got them.
    dialog.select("edit.find")
    dialog.reset_button.click()
    assert keys_of(window, "edit.find") == "Ctrl+K, Ctrl+Shift+P"
    assert keys_of(window, "robot.pose_zero") == ""


def test_keys_can_be_taken_away_and_all_come_back(window: MainWindow, dialog: Any) -> None:
    dialog.select("file.save")
    dialog.set_button.click()
    assert keys_of(window, "file.save") == ""
    assert dialog.reset_all_button.isEnabled()
    dialog.reset_all_button.click()
    assert keys_of(window, "file.save") == "Ctrl+S"
    assert window.settings.keymap.chosen == ()
    assert not dialog.reset_all_button.isEnabled()


def shown_items(rows: QTreeWidget) -> list[Any]:
    items = [rows.topLevelItem(y) for y in range(rows.topLevelItemCount())]
    return [item for item in items if item is not None and not item.isHidden()]


def test_the_search_finds_actions_without_keys_and_rows_of_the_mouse_are_not_changed(
    dialog: Any,
) -> None:
    dialog.filter.setText("merge links")
    assert [item.text(1) for item in shown_items(dialog.table)] == ["Merge links without inertial"]
    dialog.filter.setText("turn the view")
    dialog.table.setCurrentItem(shown_items(dialog.table)[0])
    assert not dialog.set_button.isEnabled()
    assert not dialog.keys.isEnabled()


def test_the_keyboard_alone_leads_from_the_search_to_new_keys(
    window: MainWindow, dialog: Any
) -> None:
    wait_until(dialog.filter.hasFocus, 60.0)
    QTest.keyClicks(dialog.filter, "fold the b")
    assert dialog.title.text() == "Fold the bottom panels"
    QTest.keyClick(dialog.filter, Qt.Key.Key_Down)
    wait_until(dialog.table.hasFocus, 60.0)
    QTest.keyClick(dialog.table, Qt.Key.Key_Return)
    wait_until(dialog.keys.hasFocus, 60.0)
    QTest.keyClick(dialog.keys, Qt.Key.Key_9, ALT)
    QTest.keyClick(dialog.keys, Qt.Key.Key_Tab)
    wait_until(dialog.set_button.hasFocus, 60.0)
    QTest.keyClick(dialog.set_button, Qt.Key.Key_Space)
    assert keys_of(window, "view.fold") == "Alt+9"
    # No row is left, none is chosen; Return in the search goes to the keys of the first.
    dialog.filter.setFocus()
    dialog.filter.setText("zzz")
    assert dialog.row is None
    dialog.filter.setText("fold the")
    QTest.keyClick(dialog.filter, Qt.Key.Key_Return)
    wait_until(dialog.keys.hasFocus, 60.0)


def test_chosen_keys_are_there_after_a_restart_and_the_manual_has_the_first_ones(
    qapp: Any, tmp_path: Any
) -> None:
    from tests.helpers.manual_keys import PAGE, page_of

    with open_window(tmp_path, viewport=True) as first:
        first.load_viewport()
        wait_until(lambda: first.viewport is not None, 60.0)
        assert "Ctrl+I" in PAGE.read_text(encoding="utf-8"), "Source is made when it is first shown"
        assert PAGE.read_text(encoding="utf-8") == page_of(first), (
            "python -m tests.helpers.manual_keys writes it"
        )
        first.settings.keymap.choose("view.spheres", ("Ctrl+Alt+S",))
    with open_window(tmp_path, viewport=True) as second:
        second.load_viewport()
        wait_until(lambda: second.viewport is not None, 60.0)
        # Also an action that is registered late, with the view.
        assert keys_of(second, "view.spheres") == "Ctrl+Alt+S"
