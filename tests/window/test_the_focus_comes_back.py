"""What had the focus has it again when a box or a bar above it goes: no key is typed into a field
that nobody chose."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit, QPushButton, QWidget

from editor_app.core.document.selection import Selection
from editor_app.window.main_window import MainWindow
from tests.helpers.windows import focus, wait_until


def search_box(window: MainWindow) -> Any:
    window.registry.trigger("edit.find")
    box = window.palette_box
    wait_until(box.field.hasFocus)
    return box


def test_the_search_box_gives_the_focus_back(window: MainWindow) -> None:
    tree = window.docks.show("links").tree
    for place in (tree, window.docks.show("source").editor, window):
        focus(place)
        box = search_box(window)
        QTest.keyClick(box.field, Qt.Key.Key_Escape)
        wait_until(place.hasFocus)
        box = search_box(window)
        QTest.keyClicks(box.field, "pose zero")
        QTest.keyClick(box.field, Qt.Key.Key_Return)
        wait_until(place.hasFocus)


def test_the_search_box_gives_no_focus_to_what_has_gone(window: MainWindow) -> None:
    place = QPushButton(window)
    place.show()
    focus(place)
    box = search_box(window)
    place.hide()
    QTest.keyClick(box.field, Qt.Key.Key_Escape)
    wait_until(lambda: not box.isVisible())
    assert not isinstance(QApplication.focusWidget(), QLineEdit)
    place.deleteLater()


def test_a_click_elsewhere_keeps_the_focus_there(window: MainWindow) -> None:
    tree = window.docks.show("links").tree
    focus(window)
    box = search_box(window)
    tree.setFocus()
    wait_until(lambda: not box.isVisible())
    assert tree.hasFocus()


def test_a_bar_that_was_answered_leaves_no_field_to_type_in(window: MainWindow) -> None:
    """The button that is pressed goes with its bar."""
    window.central.notice.ask("test", "Is it so?", (("Yes", lambda: window.central.notice.hide()),))
    button = next(b for b in window.central.notice.findChildren(QPushButton) if b.text() == "Yes")
    focus(button)
    QTest.keyClick(button, Qt.Key.Key_Space)
    wait_until(lambda: not window.central.notice.isVisible())
    QTest.qWait(1)
    assert not isinstance(QApplication.focusWidget(), (QLineEdit, QComboBox)), (
        "letters would choose there"
    )


def test_a_filter_that_nothing_matches_says_so_and_esc_empties_it(window: MainWindow) -> None:
    panel: Any = window.docks.show("links")
    focus(panel.filter)
    QTest.keyClicks(panel.filter, "sdq")
    words = next(w for w in panel.tree.viewport().findChildren(QWidget) if w.isVisible())
    assert words.text() == "No link or joint matches “sdq”. Esc shows all."
    window.session.select(Selection(links=("upper",)))
    QTest.keyClick(panel.filter, Qt.Key.Key_Escape)
    assert panel.filter.text() == ""
    assert not words.isVisible()
    assert panel.tree.model().rowCount() > 0
    assert window.session.selection.links == ("upper",), "Esc goes one step back, not two"
    QTest.keyClick(panel.filter, Qt.Key.Key_Escape)
    assert not window.session.selection
