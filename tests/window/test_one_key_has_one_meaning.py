"""A key means the same wherever the focus is: letters of the matrix, the lists and the text are no
letters of the view.

`S` once hid the spheres with the focus in the view, and shrank them with the focus in the matrix.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QKeyCombination, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)

from editor_app.features.masks.window.panel import SelfCollisionPanel
from editor_app.window.actions.action_tables import IN_PAIRS
from editor_app.window.actions.keys_dialog import ShortcutsDialog, keys_page
from editor_app.window.main_window import MainWindow
from tests.helpers.documents import make_document
from tests.helpers.fitting_windows import nothing_goes_on_running, nothing_of_qt_is_left
from tests.helpers.windows import open_window, press, settle, wait_until

__all__ = ["nothing_goes_on_running", "nothing_of_qt_is_left"]
NONE, SHIFT, CTRL = (
    Qt.KeyboardModifier.NoModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
)
#: Letters, digits and brackets.
KEYS = [
    Qt.Key(code)
    for code in (*range(ord("0"), ord("9") + 1), *range(ord("A"), ord("Z") + 1), ord("["), ord("]"))
]
#: What edits text has letters of its own.
TEXTS = (QLineEdit, QPlainTextEdit, QTextEdit, QAbstractSpinBox, QComboBox)


@pytest.fixture(scope="module")
def window(
    qapp: Any, nothing_of_qt_is_left: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[MainWindow]:
    folder = tmp_path_factory.mktemp("keys")
    make_document(folder)
    with open_window(folder, folder / "arm.urdf", viewport=True) as opened:
        opened.load_viewport()
        wait_until(lambda: opened.viewport is not None, 60.0)
        opened.fitting.measuring.stop()
        for dock in (
            "links",
            "self-collision",
            "source",
            "xrdf",
            "srdf",
            "joints",
            "findings",
            "history",
        ):
            opened.docks.show(dock)
        settle(opened)
        # The distances of overlaps are prepared in the background, and looked at in whatever test
        # it is then.
        wait_until(lambda: opened.self_collision.live.is_ready, 300.0)
        yield opened


def claims(widget: QWidget, key: Qt.Key, modifiers: Qt.KeyboardModifier) -> bool:
    """Whether the widget, with the focus, keeps the key from the window's shortcuts."""
    event = QKeyEvent(QEvent.Type.ShortcutOverride, key, modifiers)
    event.ignore()
    QApplication.sendEvent(widget, event)
    return event.isAccepted()


def meanings(window: MainWindow) -> dict[str, set[str]]:
    """Keys, as portable text -> the actions, and kinds of widgets, that have a meaning for them."""
    by_key: dict[str, set[str]] = defaultdict(set)
    for action in window.registry.actions:
        # The keys of actions of pairs are asked by the matrix and the lists, which are asked below.
        for sequence in action.qaction.shortcuts() if action.spec.place != IN_PAIRS else ():
            by_key[sequence.toString(QKeySequence.SequenceFormat.PortableText)].add(action.id)
    panel = window.docks.panel("self-collision")
    for widget in window.findChildren(QWidget):
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and not isinstance(widget, TEXTS):
            place = "pairs" if panel.isAncestorOf(widget) else type(widget).__name__
            for key in KEYS:
                for modifiers in (NONE, SHIFT):
                    if claims(widget, key, modifiers):
                        keys = QKeySequence(QKeyCombination(modifiers, key))
                        by_key[keys.toString(QKeySequence.SequenceFormat.PortableText)].add(place)
    # The line that finds and replaces is opened from the text.
    for key in (Qt.Key.Key_F, Qt.Key.Key_H):
        assert claims(window.docks.panel("source").editor, key, CTRL)
        by_key[f"Ctrl+{chr(key)}"].add("source text")
    return by_key


def test_no_key_has_two(window: MainWindow) -> None:
    by_key = meanings(window)
    assert {"M", "U", "I", "K", "O", "[", "]"} == {
        key for key, where in by_key.items() if where == {"pairs"}
    }
    assert "view.spheres" in by_key["S"]
    assert {key: where for key, where in by_key.items() if len(where) > 1} == {}


def test_letters_of_the_view_do_nothing_to_pairs(window: MainWindow) -> None:
    panel = window.docks.panel("self-collision")
    assert isinstance(panel, SelfCollisionPanel)
    said: list[str] = []
    window.session.refused.connect(said.append)
    document, display = window.session.document, window.session.display
    steps = len(document.history)
    panel.matrix.setFocus()
    wait_until(panel.matrix.hasFocus, 60.0)
    for key in (Qt.Key.Key_S, Qt.Key.Key_N, Qt.Key.Key_R, Qt.Key.Key_B, Qt.Key.Key_L):
        press(panel.matrix, key)
    assert said == []
    # The letter of the matrix is taken: nothing was computed yet, which is told.
    press(panel.matrix, Qt.Key.Key_I)
    assert said == ["Compute the mask first."]
    window.session.refused.disconnect(said.append)
    window.central.toast.dismiss()
    assert len(document.history) == steps
    assert window.session.display == display


def test_a_letter_of_the_matrix_is_changed_told_as_taken_and_works_there(
    window: MainWindow,
) -> None:
    panel = window.docks.panel("self-collision")
    assert isinstance(panel, SelfCollisionPanel)
    # Not shown: a window that gets the focus back looks at its files again, which takes a moment.
    dialog = ShortcutsDialog(window.registry, window.session.display.mouse, window)
    dialog.select("view.spheres")
    dialog.keys.setKeySequence(QKeySequence("I"))
    assert (
        dialog.told.text()
        == "“Shrink the spheres of the pair” (Mask) has I now. Set reassigns the keys."
    )
    dialog.select("mask.shrink")
    dialog.keys.setKeySequence(QKeySequence("Alt+J"))
    dialog.set_button.click()
    dialog.deleteLater()
    try:
        assert "| Alt+J | Shrink the spheres of the pair |" in keys_page(
            window.registry, window.session.display.mouse
        )
        said: list[str] = []
        window.session.refused.connect(said.append)
        press(panel.matrix, Qt.Key.Key_I)
        assert said == []
        # Nothing was computed yet: that is told where a key is taken.
        press(panel.matrix, Qt.Key.Key_J, Qt.KeyboardModifier.AltModifier)
        assert said == ["Compute the mask first."]
        window.session.refused.disconnect(said.append)
        window.central.toast.dismiss()
        menu = QMenu(panel)
        window.registry.fill_context_menu(menu, "pairs")
        keys = {action.shortcut().toString() for action in menu.actions()}
        menu.deleteLater()
        assert "Alt+J" in keys
        assert "I" not in keys
    finally:
        window.settings.keymap.choose("mask.shrink", None)
    assert {"M", "U", "I", "K", "O"} <= {
        keys for keys, where in meanings(window).items() if "pairs" in where
    }


def test_export_has_a_letter_of_its_own_in_the_file_menu(window: MainWindow) -> None:
    file = next(action.menu() for action in window.menuBar().actions() if action.text() == "&File")
    assert isinstance(file, QMenu)
    letters = [
        text[text.index("&") + 1].upper()
        for action in file.actions()
        if "&" in (text := action.text())
    ]
    assert "Expor&t" in [action.text() for action in file.actions()]
    assert letters.count("T") == 1, letters
