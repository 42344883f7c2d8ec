"""Context menus have at most twelve entries; the window starts calm, and the search box finds the
rest."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QAbstractItemView, QApplication, QMenu, QWidget

from editor_app.core.document.selection import Selection
from editor_app.core.model.findings import SphereRef
from editor_app.window.actions.command_palette import CommandPalette, PaletteEntry
from editor_app.window.main_window import MainWindow
from tests.helpers.robots import copy_of_sample
from tests.helpers.windows import open_window, settle, wait_until

MOST = 12
_DOCKS = (
    "links",
    "selection",
    "xrdf",
    "srdf",
    "urdf",
    "joints",
    "findings",
    "fit",
    "self-collision",
    "motion",
    "source",
)


@pytest.fixture
def whole_window(qapp: Any, tmp_path: Path) -> Iterator[MainWindow]:
    """The sample robot, with the 3D view and its actions."""
    with open_window(tmp_path, copy_of_sample(tmp_path / "robot"), viewport=True) as window:
        wait_until(lambda: window.viewport is not None, 60.0)
        window.make_actions()
        window.menus.rebuild()
        yield window


def entries(menu: QMenu) -> Iterator[tuple[str, int]]:
    """Title and number of entries of a menu and of its submenus."""
    shown = [action for action in menu.actions() if action.isVisible() and not action.isSeparator()]
    yield menu.title() or ", ".join(action.text() for action in shown), len(shown)
    for action in shown:
        if isinstance(sub := action.menu(), QMenu):
            yield from entries(sub)


def opened_menu(asked: QWidget, place: QPoint) -> Iterator[tuple[str, int]]:
    """The context menu of a widget at a place, if it has one."""
    if asked.contextMenuPolicy() is Qt.ContextMenuPolicy.CustomContextMenu:
        asked.customContextMenuRequested.emit(place)
    else:
        event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, asked.mapToGlobal(place))
        QApplication.sendEvent(asked, event)
    popup = QApplication.activePopupWidget()
    if isinstance(popup, QMenu):
        yield from entries(popup)
        popup.close()


def places_of(widget: QWidget) -> Iterator[QPoint]:
    if isinstance(widget, QAbstractItemView) and widget.model() is not None:
        rows = [widget.model().index(row, 0) for row in range(min(widget.model().rowCount(), 3))]
        yield from (
            place for row in rows if not (place := widget.visualRect(row).center()).isNull()
        )
    else:
        yield widget.rect().center()


def test_every_context_menu_has_at_most_twelve_entries(whole_window: MainWindow) -> None:
    window = whole_window
    session, view = window.session, window.viewport
    assert view is not None
    frame, spheres = next(iter(session.robot.xrdf.spheres_of(session.active_group).items()))
    sphere = SphereRef(str(session.active_group), frame, 0)
    joint = session.tree.joints[0]
    assert spheres
    counts: list[tuple[str, int]] = []
    for selection in (
        Selection(links=(frame,)),
        Selection(links=(joint.child,), joints=(joint.name,)),
        Selection(spheres=(sphere,)),
    ):
        session.select(selection)
        settle(window)
        for kind in sorted(
            {kind for action in window.registry.actions for kind in action.spec.contexts.split()}
        ):
            view.interaction.menu_requested.emit(kind, QPoint(5, 5))
            popup = QApplication.activePopupWidget()
            assert isinstance(popup, QMenu), kind
            counts += entries(popup)
            popup.close()
        for name in _DOCKS:
            panel = window.docks.show(name)
            for widget in (panel, *panel.findChildren(QWidget)):
                if widget.isVisible():
                    for place in places_of(widget):
                        counts += opened_menu(widget, place)
    assert {(title, number) for title, number in counts if number > MOST} == set()
    # The menus of the tree, the matrix, tables and texts are among them.
    assert len({title for title, _ in counts}) > 20


def check_view_bar(window: MainWindow) -> None:
    """Five toggles are buttons, the others are in the menu of options."""
    assert window.viewport is not None
    strip = window.viewport.strip
    shown = [
        b.defaultAction().objectName()
        for b in strip.findChildren(type(strip.select))
        if b.defaultAction()
    ]
    assert [name for name in shown if name.startswith("view.") and name != "view.fit"] == [
        "view.visuals",
        "view.collisions",
        "view.spheres",
        "view.frames",
        "view.heat_map",
    ]
    strip.options.click()
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    inside = [
        sub
        for action in menu.actions()
        for sub in (action.menu().actions() if action.menu() else [action])  # type: ignore[attr-defined]
    ]
    names = {action.objectName() for action in inside}
    menu.close()
    assert {
        "view.sensors",
        "view.grid",
        "view.opacity",
        "view.radius.self",
        "view.from.top",
        "section.toggle",
    } <= names
    assert names.isdisjoint(shown)


def check_tabs(window: MainWindow) -> None:
    """Six tabs are there at first; a saved layout with more of them comes back."""
    below = [dock for dock in window.docks._of("bottom") if not dock.isHidden()]
    titles = ["Joints", "Findings", "Fit", "Self-collision", "Motion", "Source"]
    assert [dock.windowTitle() for dock in below] == titles
    window.docks.show("history")
    layout = window.saveState()
    window.docks.reset()
    assert window.docks.dock("history").isHidden()
    assert window.restoreState(layout)
    assert not window.docks.dock("history").isHidden()
    window.docks.reset()


def test_the_window_shows_few_things_at_first(whole_window: MainWindow) -> None:
    check_view_bar(whole_window)
    check_tabs(whole_window)


#: Words of a user -> the first row of the search box.
WORDS = [
    ("inertia", "Compute inertia from shapes"),
    ("mass", "Inertial (URDF)"),
    ("ignore pairs", "Ignore the selected pairs"),
    ("disable pair", "Disabled pairs (SRDF)"),
    ("payload", "Attach a part"),
    ("limits", "Joint and limits (URDF)"),
    ("torque", "Joint and limits (URDF)"),
    ("jerk", "C-space (XRDF)"),
    ("undo pose", "Back to the previous pose"),
    ("tcp", "Tool frames (XRDF)"),
    ("acm", "Compute the mask"),
    ("generate mask", "Compute the mask"),
    ("transparency", "Opacity"),
    ("quaternion", "Show quaternion and axis"),
    ("screenshot", "Save picture"),
    ("success rate", "Run smoke test"),
    ("fix cumotion", "Fix for another program"),
    ("jog", "Pose by hand"),
    ("end effector", "End effectors (SRDF)"),
    ("generate spheres", "Fit the whole robot"),
    ("setup assistant", "New SRDF"),
    ("false collisions", "Count false and missed collisions"),
    ("export usd", "USD"),
]


def first_row(box: CommandPalette, words: str) -> PaletteEntry:
    box.field.setText(words)
    entry: PaletteEntry = box.list.item(0).data(Qt.ItemDataRole.UserRole)[0]
    return entry


def test_the_search_box_knows_the_words_of_users(whole_window: MainWindow) -> None:
    window = whole_window
    box = window.palette_box
    box.open()
    assert {words: first_row(box, words).text for words, _ in WORDS} == dict(WORDS)
    assert first_row(box, "collision margins").text == "Collision margins (SRDF)"
    box.choose_current()
    assert window.docks.panel("srdf").sections["srdf.margins"].is_open
    assert not window.docks.dock("srdf").isHidden()
