"""A table without rows says why, and the sentence goes with the first row; what has no room keeps
what matters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from editor_app.core.document.commands import SetMask
from editor_app.core.document.selection import Selection
from editor_app.core.model.xrdf import LinkPair
from editor_app.features.masks.window.pairs_dialog import WriteMaskDialog
from editor_app.window.bindings.elision import ElidedLabel
from editor_app.window.bindings.lists import EmptyWords
from editor_app.window.bindings.number_field import ScrubLabel
from editor_app.window.main_window import MainWindow
from editor_app.window.session import LengthUnit
from editor_app.window.widgets import WhenSeen, fill_layout
from tests.helpers.windows import wait_until


@pytest.fixture(scope="module", autouse=True)
def with_panels(one_window: MainWindow) -> None:
    """The panels are made; their menus go with the window."""
    for name in ("self-collision", "xrdf", "urdf"):
        one_window.docks.panel(name)


@pytest.fixture
def tree(qapp: Any) -> Iterator[QTreeWidget]:
    view = QTreeWidget()
    view.resize(300, 200)
    view.show()
    yield view
    view.close()
    view.deleteLater()


def test_the_sentence_stands_in_the_middle_until_there_is_a_row(tree: QTreeWidget) -> None:
    words = EmptyWords(tree, "Nothing yet")
    assert words.isVisible()
    assert words.geometry().center() == tree.viewport().rect().center()
    tree.resize(500, 300)
    wait_until(lambda: words.geometry().center() == tree.viewport().rect().center())
    tree.addTopLevelItem(QTreeWidgetItem(["row"]))
    assert not words.isVisible()
    tree.clear()
    assert words.isVisible()
    words.say("")
    assert not words.isVisible()


def test_pages_without_results_say_what_brings_them(window: MainWindow) -> None:
    panel: Any = window.self_collision.show_panel()
    for name in ("Blocking", "Compare"):
        panel.show_page(
            next(number for number, page in enumerate(panel.pages) if page.startswith(name))
        )
        words = [w for w in panel.findChildren(EmptyWords) if w.isVisible()]
        assert len(words) == 1, name
        assert "“" in words[0].text(), "it names the button"


def test_a_mask_that_stands_in_the_file_already_changes_no_pair(window: MainWindow) -> None:
    dialog = WriteMaskDialog(window.self_collision.controller, window)
    dialog.open()
    try:
        words = dialog.findChildren(EmptyWords)
        assert [w.text() for w in words if w.isVisible()] == ["No changes."]
    finally:
        dialog.reject()
        dialog.deleteLater()


def test_the_number_of_a_section_stays_when_its_word_has_no_room(window: MainWindow) -> None:
    stack: Any = window.docks.show("xrdf")
    label = next(
        label
        for label in stack.sections["self_collision"].findChildren(ElidedLabel)
        if "ignored" in label.whole_text
    )
    number = label.whole_text.split(" ")[0]
    label.resize(label.fontMetrics().horizontalAdvance(number) + 8, label.height())
    wait_until(lambda: label.text() == number)
    window.session.execute(SetMask(pairs=(LinkPair.of("base", "lower"),)))
    wait_until(lambda: label.whole_text == f"{int(number) + 1} ignored")
    assert label.text() == str(int(number) + 1)


def test_vectors_of_the_urdf_say_their_unit_and_follow_the_choice(window: MainWindow) -> None:
    window.session.select(Selection(links=("upper",)))
    stack: Any = window.docks.show("urdf")
    stack.sections["urdf.joint"].set_open(True)
    labels = stack.sections["urdf.joint"].findChildren(ScrubLabel)

    def texts() -> set[str]:
        return {label.text() for label in labels if label.isVisible()}

    wait_until(lambda: {"Position mm", "Roll pitch yaw °"} <= texts())
    try:
        window.session.set_display(length_unit=LengthUnit.METRE)
        wait_until(lambda: "Position m" in texts())
    finally:
        window.session.set_display(length_unit=LengthUnit.MILLIMETRE)


class _Page(QWidget):
    told = Signal()


def test_a_page_that_its_table_covers_is_refreshed_once_it_is_in_sight(qapp: Any) -> None:
    window = QWidget()
    window.resize(300, 200)
    page = _Page(window)
    table = QTreeWidget(page)
    table.setFrameShape(QFrame.Shape.NoFrame)
    fill_layout(QVBoxLayout(page), table, margins=0)
    refreshed: list[str] = []
    WhenSeen(page, lambda: refreshed.append("refreshed"), (page.told,))
    page.setGeometry(-400, 0, 300, 200)
    window.show()
    wait_until(lambda: page.isVisible() and table.size() == page.size())
    page.told.emit()
    # As behind another tab.
    assert refreshed == []
    page.move(0, 0)
    wait_until(lambda: refreshed, 10)
    page.told.emit()
    assert len(refreshed) == 2
    window.close()
    window.deleteLater()
